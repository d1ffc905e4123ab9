/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/ws_extension.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Each case is what a client offers and what the server answers; "" for no agreement. */

#define S_NO "; server_no_context_takeover"
#define C_NO "; client_no_context_takeover"
#define S_BITS "; server_max_window_bits"
#define C_BITS "; client_max_window_bits"

static const lario_ws_deflate_terms anything = {15, 15, true, true};

/* The answer to an offer that lies in a block of its size, so that a sanitizer sees beyond it. */
static const char *answer_with(const lario_ws_deflate_terms *terms, const char *offers)
{
    static char text[LARIO_WS_EXTENSION_BYTES];
    size_t len = strlen(offers);
    char *copy = malloc(len > 0 ? len : 1);
    lario_ws_deflate_agreed agreed;

    assert_non_null(copy);
    memcpy(copy, offers, len);
    text[0] = '\0';
    if (lario_ws_extension_choose(copy, len, terms, &agreed)) {
        size_t written = lario_ws_extension_write(&agreed, text);

        assert_int_equal(written, strlen(text));
    }
    free(copy);
    return text;
}

static const char *answer(const char *offers)
{
    return answer_with(&anything, offers);
}

#define PMD "permessage-deflate"

static void plain_offer_is_accepted(void **state)
{
    (void)state;
    assert_string_equal(answer(PMD), PMD);
    assert_string_equal(answer("  " PMD "\t"), PMD);
    assert_string_equal(answer(""), "");
    assert_string_equal(answer(" , ,"), "");
}

static void no_context_takeover_is_kept_to_and_said(void **state)
{
    (void)state;
    assert_string_equal(answer(PMD S_NO), PMD S_NO);
    assert_string_equal(answer(PMD C_NO), PMD C_NO);
    assert_string_equal(answer(PMD C_NO S_NO), PMD S_NO C_NO);
}

static void server_may_ask_for_no_context_takeover_unasked(void **state)
{
    static const lario_ws_deflate_terms server = {15, 15, false, true}, both = {15, 15, 0, 0};
    (void)state;
    assert_string_equal(answer_with(&server, PMD), PMD S_NO);
    assert_string_equal(answer_with(&both, PMD), PMD S_NO C_NO);
    assert_string_equal(answer_with(&both, PMD S_NO), PMD S_NO C_NO);
}

static void server_max_window_bits_is_the_smaller_of_both(void **state)
{
    static const lario_ws_deflate_terms small = {10, 15, true, true};
    char offer[64];
    (void)state;

    for (int bits = 8; bits <= 15; bits++) {
        snprintf(offer, sizeof offer, PMD S_BITS "=%d", bits);
        assert_string_equal(answer(offer), offer);
        assert_string_equal(answer_with(&small, offer), bits < 10 ? offer : PMD S_BITS "=10");
    }
    /* 7.1.2.1: the answer may have it when the offer had not. */
    assert_string_equal(answer_with(&small, PMD), PMD S_BITS "=10");
}

static void client_max_window_bits_is_the_smaller_of_both(void **state)
{
    static const lario_ws_deflate_terms small = {15, 10, true, true};
    char offer[64];
    (void)state;

    for (int bits = 8; bits <= 15; bits++) {
        snprintf(offer, sizeof offer, PMD C_BITS "=%d", bits);
        assert_string_equal(answer(offer), bits < 15 ? offer : PMD);
        assert_string_equal(answer_with(&small, offer), bits < 10 ? offer : PMD C_BITS "=10");
    }
    assert_string_equal(answer(PMD C_BITS), PMD);
    assert_string_equal(answer_with(&small, PMD C_BITS), PMD C_BITS "=10");
}

/* 7.1.2.2: a client that did not offer the parameter must not be told a window. */
static void small_client_window_needs_the_clients_offer(void **state)
{
    static const lario_ws_deflate_terms small = {15, 10, true, true};
    (void)state;
    assert_string_equal(answer_with(&small, PMD), "");
    assert_string_equal(answer_with(&small, PMD S_NO "," PMD C_BITS), PMD C_BITS "=10");
}

static void offers_are_tried_in_order(void **state)
{
    (void)state;
    assert_string_equal(answer(PMD S_NO "," PMD), PMD S_NO);
    assert_string_equal(answer(PMD ", " PMD S_NO), PMD);
    assert_string_equal(answer("x-webkit-deflate-frame, " PMD C_NO), PMD C_NO);
    assert_string_equal(answer(PMD "; unknown, " PMD S_BITS "=16 , " PMD C_NO ", " PMD), PMD C_NO);
    assert_string_equal(answer("foo; bar=\"a,b\\\",\", " PMD S_NO), PMD S_NO);
}

static const char *const declined[] = {
    /* names */
    "permessage-deflat",
    "permessage-deflate2",
    "PERMESSAGE-DEFLATE",
    "permessage-bzip2",
    PMD "; server_max_window_bit=10",
    PMD "; x",
    PMD "; x=1",
    PMD "; Server_no_context_takeover",
    /* twice (7.1) */
    PMD S_NO S_NO,
    PMD C_NO C_NO,
    PMD S_BITS "=10" S_BITS "=10",
    PMD C_BITS C_BITS,
    PMD C_BITS "=9" C_BITS,
    /* values */
    PMD S_NO "=1",
    PMD S_NO "=\"\"",
    PMD C_NO "=true",
    PMD S_BITS,
    PMD S_BITS "=",
    PMD C_BITS "=",
    PMD S_BITS "=7",
    PMD S_BITS "=16",
    PMD S_BITS "=0",
    PMD S_BITS "=08",
    PMD S_BITS "=010",
    PMD S_BITS "=1",
    PMD S_BITS "=150",
    PMD S_BITS "=-9",
    PMD S_BITS "=+9",
    PMD S_BITS "=1a",
    PMD S_BITS "=0xf",
    PMD C_BITS "=7",
    PMD C_BITS "=16",
    PMD C_BITS "=08",
    PMD C_BITS "=15.0",
    PMD C_BITS "=99999999999999999999",
    PMD S_BITS "=4294967306",
    /* grammar */
    PMD ";",
    PMD "; ;",
    PMD ";" S_NO,
    PMD S_NO ";",
    PMD " x",
    PMD "=1",
    PMD "; =1",
    PMD S_BITS "=\"10",
    PMD S_BITS "=\"10\"x",
    PMD S_BITS "=1 0",
    PMD S_BITS "==10",
    PMD S_BITS "=\"1 0\"",
    PMD S_BITS "=\"10\\",
    PMD S_BITS "=\"\"",
    "\"" PMD "\"",
    PMD "\x01",
    PMD S_BITS "=\xc2\xb2",
};

static void offers_that_are_declined(void **state)
{
    char offers[256];
    (void)state;

    for (size_t i = 0; i < sizeof declined / sizeof declined[0]; i++) {
        if (*answer(declined[i]) != '\0')
            fail_msg("accepted: %s", declined[i]);
        /* It is the next one's turn then; where no quote is open, that is the one behind it. */
        snprintf(offers, sizeof offers, "%s, " PMD C_NO, declined[i]);
        bool open = strcmp(declined[i], PMD S_BITS "=\"10") == 0 ||
                    strcmp(declined[i], PMD S_BITS "=\"10\\") == 0;

        if (strcmp(answer(offers), open ? "" : PMD C_NO) != 0)
            fail_msg("behind %s: %s", declined[i], answer(offers));
    }
}

static void quoted_values_and_blanks_are_understood(void **state)
{
    (void)state;
    assert_string_equal(answer(PMD S_BITS "=\"10\""), PMD S_BITS "=10");
    assert_string_equal(answer(PMD S_BITS "=\"1\\0\""), PMD S_BITS "=10");
    assert_string_equal(answer(PMD " ;\tserver_max_window_bits = \"9\" ; client_max_window_bits "),
                        PMD S_BITS "=9");
}

static void longest_answer_fits(void **state)
{
    static const lario_ws_deflate_terms least = {15, 14, false, false};
    (void)state;
    assert_string_equal(answer_with(&least, PMD S_BITS "=15" C_BITS "=14"),
                        PMD S_NO C_NO S_BITS "=15" C_BITS "=14");
}

/* No prefix of a list of offers may be read beyond its end or be taken for more than it is. */
static void every_prefix_is_read_within_its_end(void **state)
{
    static const char list[] = PMD S_BITS "=\"1\\0\"" C_BITS "=9, foo;a=\"b,c\", " PMD S_NO;
    char part[sizeof list];
    (void)state;

    for (size_t len = 0; len < sizeof list; len++) {
        memcpy(part, list, len);
        part[len] = '\0';
        const char *got = answer(part);

        assert_true(*got == '\0' || strncmp(got, PMD, strlen(PMD)) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_offer_is_accepted),
        cmocka_unit_test(no_context_takeover_is_kept_to_and_said),
        cmocka_unit_test(server_may_ask_for_no_context_takeover_unasked),
        cmocka_unit_test(server_max_window_bits_is_the_smaller_of_both),
        cmocka_unit_test(client_max_window_bits_is_the_smaller_of_both),
        cmocka_unit_test(small_client_window_needs_the_clients_offer),
        cmocka_unit_test(offers_are_tried_in_order),
        cmocka_unit_test(offers_that_are_declined),
        cmocka_unit_test(quoted_values_and_blanks_are_understood),
        cmocka_unit_test(longest_answer_fits),
        cmocka_unit_test(every_prefix_is_read_within_its_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
