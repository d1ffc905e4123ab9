/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/condition.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "codec/etag.h"
#include "lario/error.h"

#define NOW INT64_C(1700000000)
#define MODIFIED 784111777
#define AT_MODIFIED "Sun, 06 Nov 1994 08:49:37 GMT"
#define BEFORE "Sun, 06 Nov 1994 08:49:36 GMT"
#define AFTER "Sun, 06 Nov 1994 08:49:38 GMT"

#define MET LARIO_CONDITION_MET
#define NOT_MODIFIED LARIO_CONDITION_NOT_MODIFIED
#define FAILED LARIO_CONDITION_FAILED

static const lario_validators file = {.etag = "\"a\"", .modified_s = MODIFIED};
static const lario_validators weak = {.etag = "W/\"a\"", .modified_s = MODIFIED};
static const lario_validators bare = {.modified_s = LARIO_MODIFIED_UNKNOWN};
static const lario_validators missing = {.modified_s = LARIO_MODIFIED_UNKNOWN, .is_missing = true};

static int has(const char *list, const char *tag, enum lario_etag_comparison how)
{
    return lario_etag_list_has(list, strlen(list), tag, how);
}

static void tags_are_checked(void **state)
{
    static const char *const good[] = {"\"\"", "\"a\"", "W/\"a\"", "\"a,b\"", "\"\\\"", "\"\xe9\""};
    static const char *const bad[] = {
        "",   "a",        "\"",      "\"a",       "a\"",     "w/\"a\"", "W\"a\"", "W/a",
        "W/", "\"a\"b\"", "\"a b\"", "\"a\x7f\"", "\"a\n\"", "'a'",     "\"a\" ", "*"};
    (void)state;

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(lario_etag_is_valid(good[i], strlen(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(lario_etag_is_valid(bad[i], strlen(bad[i])));
}

/* The table of RFC 9110 8.8.3.2. */
static void comparison_is_strong_or_weak(void **state)
{
    static const struct {
        const char *a, *b;
        bool strong, weak;
    } cases[] = {
        {"W/\"1\"", "W/\"1\"", false, true}, {"W/\"1\"", "W/\"2\"", false, false},
        {"W/\"1\"", "\"1\"", false, true},   {"\"1\"", "\"1\"", true, true},
        {"\"1\"", "\"12\"", false, false},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(has(cases[i].a, cases[i].b, LARIO_ETAG_STRONG), cases[i].strong);
        assert_int_equal(has(cases[i].a, cases[i].b, LARIO_ETAG_WEAK), cases[i].weak);
    }
}

static void lists_of_tags_are_read(void **state)
{
    static const char *const with[] = {"\"a\"",      "\"x\",\"a\"",  "\"x\" , W/\"a\"",
                                       "*",          ",\"a\"",       "\"a\",,\"x\"",
                                       "\t\"a\"\t,", "\"x,\",\"a\"", "\"a\", \"a\""};
    static const char *const without[] = {"\"x\"", "\"x\",\"y\"", "\"a,\"", "\"A\"", "\"\""};
    static const char *const malformed[] = {
        "",        ",",       " ",  "a",       "\"a\" \"b\"", "\"a\"\"b\"",
        "*,\"a\"", "\"a\",*", "**", "\"a\",b", "\"a",         "\"a\";\"b\""};
    (void)state;

    for (size_t i = 0; i < sizeof with / sizeof with[0]; i++)
        assert_int_equal(has(with[i], "\"a\"", LARIO_ETAG_WEAK), 1);
    for (size_t i = 0; i < sizeof without / sizeof without[0]; i++)
        assert_int_equal(has(without[i], "\"a\"", LARIO_ETAG_WEAK), 0);
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++)
        assert_int_equal(has(malformed[i], "\"a\"", LARIO_ETAG_WEAK), LARIO_EPROTO);
    assert_int_equal(has("\"a\"", NULL, LARIO_ETAG_WEAK), 0);
    assert_int_equal(has("*", NULL, LARIO_ETAG_WEAK), 1);
}

static int check(lario_conditions conditions, const lario_validators *of, bool is_get)
{
    return (int)lario_condition_check(&conditions, of, is_get, NOW);
}

static void no_condition_is_met(void **state)
{
    (void)state;
    assert_int_equal(check((lario_conditions){0}, &file, true), MET);
    assert_int_equal(check((lario_conditions){0}, &missing, false), MET);
}

static void if_match(void **state)
{
    (void)state;
    for (int is_get = 0; is_get < 2; is_get++) {
        assert_int_equal(check((lario_conditions){.if_match = "\"a\""}, &file, is_get), MET);
        assert_int_equal(check((lario_conditions){.if_match = "*"}, &file, is_get), MET);
        assert_int_equal(check((lario_conditions){.if_match = "\"b\""}, &file, is_get), FAILED);
        assert_int_equal(check((lario_conditions){.if_match = "W/\"a\""}, &file, is_get), FAILED);
        assert_int_equal(check((lario_conditions){.if_match = "W/\"a\""}, &weak, is_get), FAILED);
        assert_int_equal(check((lario_conditions){.if_match = "\"a\""}, &bare, is_get), FAILED);
        assert_int_equal(check((lario_conditions){.if_match = "*"}, &bare, is_get), MET);
        assert_int_equal(check((lario_conditions){.if_match = "*"}, &missing, is_get), FAILED);
        assert_int_equal(check((lario_conditions){.if_match = "bad"}, &file, is_get), MET);
    }
}

static void if_unmodified_since(void **state)
{
    (void)state;
    assert_int_equal(check((lario_conditions){.if_unmodified_since = BEFORE}, &file, false),
                     FAILED);
    assert_int_equal(check((lario_conditions){.if_unmodified_since = AT_MODIFIED}, &file, false),
                     MET);
    assert_int_equal(check((lario_conditions){.if_unmodified_since = AFTER}, &file, true), MET);
    assert_int_equal(check((lario_conditions){.if_unmodified_since = BEFORE}, &file, true), FAILED);
    assert_int_equal(check((lario_conditions){.if_unmodified_since = "bad"}, &file, false), MET);
    assert_int_equal(check((lario_conditions){.if_unmodified_since = BEFORE}, &bare, false), MET);
}

static void if_none_match(void **state)
{
    (void)state;
    assert_int_equal(check((lario_conditions){.if_none_match = "\"a\""}, &file, true),
                     NOT_MODIFIED);
    assert_int_equal(check((lario_conditions){.if_none_match = "W/\"a\""}, &file, true),
                     NOT_MODIFIED);
    assert_int_equal(check((lario_conditions){.if_none_match = "\"a\""}, &weak, true),
                     NOT_MODIFIED);
    assert_int_equal(check((lario_conditions){.if_none_match = "*"}, &file, true), NOT_MODIFIED);
    assert_int_equal(check((lario_conditions){.if_none_match = "\"b\""}, &file, true), MET);
    assert_int_equal(check((lario_conditions){.if_none_match = "\"a\""}, &file, false), FAILED);
    assert_int_equal(check((lario_conditions){.if_none_match = "*"}, &file, false), FAILED);
    assert_int_equal(check((lario_conditions){.if_none_match = "*"}, &missing, false), MET);
    assert_int_equal(check((lario_conditions){.if_none_match = "bad"}, &file, true), MET);
    assert_int_equal(check((lario_conditions){.if_none_match = "bad"}, &file, false), MET);
}

static void if_modified_since(void **state)
{
    (void)state;
    assert_int_equal(check((lario_conditions){.if_modified_since = AT_MODIFIED}, &file, true),
                     NOT_MODIFIED);
    assert_int_equal(check((lario_conditions){.if_modified_since = AFTER}, &file, true),
                     NOT_MODIFIED);
    assert_int_equal(check((lario_conditions){.if_modified_since = BEFORE}, &file, true), MET);
    assert_int_equal(check((lario_conditions){.if_modified_since = AFTER}, &file, false), MET);
    assert_int_equal(check((lario_conditions){.if_modified_since = "bad"}, &file, true), MET);
    assert_int_equal(check((lario_conditions){.if_modified_since = AFTER}, &bare, true), MET);
}

/* RFC 9110 13.2.2. */
static void tags_go_before_dates_and_match_before_none_match(void **state)
{
    (void)state;
    assert_int_equal(
        check((lario_conditions){.if_match = "\"a\"", .if_unmodified_since = BEFORE}, &file, true),
        MET);
    assert_int_equal(check((lario_conditions){.if_none_match = "\"b\"", .if_modified_since = AFTER},
                           &file, true),
                     MET);
    assert_int_equal(
        check((lario_conditions){.if_none_match = "bad", .if_modified_since = AFTER}, &file, true),
        MET);
    assert_int_equal(
        check((lario_conditions){.if_match = "\"b\"", .if_none_match = "\"a\""}, &file, true),
        FAILED);
    assert_int_equal(
        check((lario_conditions){.if_match = "\"a\"", .if_none_match = "\"a\""}, &file, true),
        NOT_MODIFIED);
    assert_int_equal(
        check((lario_conditions){.if_unmodified_since = AFTER, .if_modified_since = AFTER}, &file,
              true),
        NOT_MODIFIED);
}

static bool allows(const char *if_range, const lario_validators *of, int64_t now)
{
    lario_conditions conditions = {.if_range = if_range};

    return lario_condition_allows_range(&conditions, of, now);
}

static void if_range_names_the_very_same_representation(void **state)
{
    (void)state;
    assert_true(allows(NULL, &file, NOW));
    assert_true(allows("\"a\"", &file, NOW));
    assert_false(allows("\"b\"", &file, NOW));
    assert_false(allows("W/\"a\"", &file, NOW));
    assert_false(allows("W/\"a\"", &weak, NOW));
    assert_false(allows("\"a\"", &bare, NOW));
    assert_false(allows("\"a\",\"b\"", &file, NOW));
    assert_false(allows("*", &file, NOW));
    assert_false(allows("bad", &file, NOW));
    assert_false(allows("", &file, NOW));
    assert_true(allows(AT_MODIFIED, &file, NOW));
    assert_false(allows(AFTER, &file, NOW));
    assert_false(allows(BEFORE, &file, NOW));
    assert_false(allows(AT_MODIFIED, &bare, NOW));
    /* In the second of the change another one may follow: the date is weak then. */
    assert_false(allows(AT_MODIFIED, &file, MODIFIED));
    assert_true(allows(AT_MODIFIED, &file, MODIFIED + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_are_checked),
        cmocka_unit_test(comparison_is_strong_or_weak),
        cmocka_unit_test(lists_of_tags_are_read),
        cmocka_unit_test(no_condition_is_met),
        cmocka_unit_test(if_match),
        cmocka_unit_test(if_unmodified_since),
        cmocka_unit_test(if_none_match),
        cmocka_unit_test(if_modified_since),
        cmocka_unit_test(tags_go_before_dates_and_match_before_none_match),
        cmocka_unit_test(if_range_names_the_very_same_representation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
