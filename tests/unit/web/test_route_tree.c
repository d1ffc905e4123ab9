/* SPDX-License-Identifier: BSD-3-Clause */
#include "web/route_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/*
 * Random sets of patterns against the definition: of all patterns that fit a path, the one that has
 * text where the others first have `:name`, and `:name` where they have `*name`. The short alphabet
 * makes texts share their beginnings, so that nodes are split, and many paths fit several patterns.
 */

#define PATTERNS_MAX 24
#define SEGMENTS_MAX 4
#define TEXT_BYTES 64

typedef struct pattern {
    char text[TEXT_BYTES];
    uint64_t method;
} pattern;

static uint32_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 16) % below;
}

static void draw_text(char *out, bool is_pattern)
{
    static const char *const texts[] = {"a", "ab", "abc", "abd", "b", "ba", ""};
    uint32_t segments = 1 + draw(SEGMENTS_MAX);

    *out = '\0';
    for (uint32_t i = 0; i < segments; i++) {
        uint32_t kind = is_pattern ? draw(6) : 0;
        char *end = out + strlen(out);

        if (kind == 4)
            snprintf(end, 16, "/:p%u", i);
        else if (kind == 5 && i + 1 == segments)
            snprintf(end, 16, "/*rest");
        else
            snprintf(end, 16, "/%s", texts[draw(sizeof(texts) / sizeof(texts[0]))]);
    }
}

/* 0 text, 1 `:name`, 2 `*name`, for the segment that starts at `at`. */
static int kind_of(const char *at)
{
    return *at == ':' ? 1 : *at == '*' ? 2 : 0;
}

static bool fits(const char *text, const char *path)
{
    while (*text && *path) {
        size_t text_len, path_len;

        text++;
        path++;
        text_len = strcspn(text, "/");
        path_len = strcspn(path, "/");
        if (*text == '*')
            return true;
        if (*text == ':' ? path_len == 0
                         : text_len != path_len || memcmp(text, path, path_len) != 0)
            return false;
        text += text_len;
        path += path_len;
    }
    return *text == *path;
}

/* Whether `a` goes before `b`, both of which fit one path. */
static bool is_before(const char *a, const char *b)
{
    for (;;) {
        a = strchr(a, '/');
        b = strchr(b, '/');
        if (!a || !b)
            return false;
        if (kind_of(++a) != kind_of(++b))
            return kind_of(a) < kind_of(b);
    }
}

static void check_path(const lario_route_tree *tree, const pattern *patterns, size_t count,
                       uint32_t round, const char *path)
{
    const pattern *best = NULL, *found = NULL;
    lario_route_match match;
    uint64_t methods = 0;

    for (size_t i = 0; i < count; i++) {
        if (!fits(patterns[i].text, path))
            continue;
        methods |= patterns[i].method;
        if ((patterns[i].method & 1) && (!best || is_before(patterns[i].text, best->text)))
            best = &patterns[i];
    }
    lario_route_tree_match(tree, path, strlen(path), 1, &match);
    for (const lario_route_entry *route = match.routes; route; route = route->next) {
        if (route->method & 1)
            found = route->target.data;
    }
    if (found != best)
        fail_msg("seed %u: %s goes to %s, not to %s", round, path, found ? found->text : "none",
                 best ? best->text : "none");
    if (!best && match.methods != methods)
        fail_msg("seed %u: %s has other methods", round, path);
}

static int never_run(lario_req *req, void *data)
{
    (void)req;
    (void)data;
    return 0;
}

static void tree_agrees_with_the_definition(void **state)
{
    static pattern patterns[PATTERNS_MAX];

    (void)state;
    for (uint32_t round = 0; round < 2000; round++) {
        lario_route_tree tree = {0};
        size_t count = 0;

        seed = round;
        for (int i = 0; i < PATTERNS_MAX; i++) {
            pattern *next = &patterns[count];
            const lario_route_target target = {.bound = never_run, .data = next};
            const char *reason = NULL;

            draw_text(next->text, true);
            next->method = draw(3) == 0 ? 2 : 1;
            if (lario_route_tree_add(&tree, next->method, next->text, &target, &reason) == 0)
                count++;
            else
                assert_string_equal(reason, "the method has a route at this place already");
        }
        for (int i = 0; i < 60; i++) {
            char path[TEXT_BYTES];

            draw_text(path, false);
            check_path(&tree, patterns, count, round, path);
        }
        lario_route_tree_done(&tree);
    }
}

static void values_are_where_the_parameters_are(void **state)
{
    const lario_route_target target = {.bound = never_run};
    lario_route_tree tree = {0};
    lario_route_match match;
    const char *reason = NULL;

    (void)state;
    assert_int_equal(lario_route_tree_add(&tree, 1, "/a/:x/b/*rest", &target, &reason), 0);
    lario_route_tree_match(&tree, "/a/12/b/c/d", 11, 1, &match);
    assert_non_null(match.routes);
    assert_int_equal(match.routes->params_count, 2);
    assert_string_equal(match.routes->params[0], "x");
    assert_string_equal(match.routes->params[1], "rest");
    assert_int_equal(match.values[0].at, 3);
    assert_int_equal(match.values[0].len, 2);
    assert_int_equal(match.values[1].at, 8);
    assert_int_equal(match.values[1].len, 3);
    lario_route_tree_done(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree_agrees_with_the_definition),
        cmocka_unit_test(values_are_where_the_parameters_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
