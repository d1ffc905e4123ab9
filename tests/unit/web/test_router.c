/* SPDX-License-Identifier: BSD-3-Clause */
#include "web/router.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fake_req.h"

/*
 * Each route answers with its own name: the handler is bound to it. `routes` is a list of
 * "METHOD pattern" that ends with NULL; the name of a route is that text.
 */

static lario_router router;

static int set_up(void **state)
{
    (void)state;
    lario_router_init(&router);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lario_router_done(&router);
    return 0;
}

static int say(lario_req *req, void *data)
{
    return lario_reply(req, 200, "text/plain", data);
}

static int say_plain(lario_req *req)
{
    return lario_reply(req, 200, "text/plain", "plain");
}

static int fail_handler(lario_req *req)
{
    (void)req;
    return LARIO_ENOTFOUND;
}

static void add(const char *route)
{
    const char *space = strchr(route, ' ');
    char method[32];

    snprintf(method, sizeof(method), "%.*s", (int)(space - route), route);
    lario_router_bind(&router, strcmp(method, "*") == 0 ? NULL : method, space + 1, say,
                      (void *)(uintptr_t)route);
}

static void add_all(const char *const *routes)
{
    for (; *routes; routes++)
        add(*routes);
    assert_string_equal(router.error_text, "");
    assert_int_equal(router.error, 0);
}

#define ADD(...) add_all((const char *const[]){__VA_ARGS__, NULL})

/* Asserts that the request reaches this route, or gets this status as "404". */
static void check(const char *method, const char *target, const char *expected)
{
    lario_req req;
    char status[16];

    fake_req_init(&req, method, target);
    assert_int_equal(lario_router_handle(&router, &req), 0);
    snprintf(status, sizeof(status), "%d", req.status);
    if (req.status == 200 && strcmp(method, "HEAD") != 0)
        assert_string_equal(req.body, expected);
    else
        assert_string_equal(status, expected);
    fake_req_done(&req);
}

static void check_param(const char *target, const char *name, const char *expected)
{
    lario_req req;

    fake_req_init(&req, "GET", target);
    assert_int_equal(lario_router_handle(&router, &req), 0);
    assert_int_equal(req.status, 200);
    if (expected)
        assert_string_equal(lario_param(&req, name), expected);
    else
        assert_null(lario_param(&req, name));
    fake_req_done(&req);
}

static void check_allow(const char *method, const char *target, int status, const char *allow)
{
    lario_req req;

    fake_req_init(&req, method, target);
    assert_int_equal(lario_router_handle(&router, &req), 0);
    assert_int_equal(req.status, status);
    assert_string_equal(fake_req_answer_header(&req, "Allow"), allow);
    fake_req_done(&req);
}

static void check_error(const char *text)
{
    assert_int_equal(router.error, LARIO_EROUTE);
    assert_string_equal(router.error_text, text);
    lario_router_done(&router);
    lario_router_init(&router);
}

static void text_is_matched_whole(void **state)
{
    (void)state;
    ADD("GET /", "GET /users", "GET /user", "GET /us/er", "GET /users/all", "GET /x/");
    check("GET", "/", "GET /");
    check("GET", "/users", "GET /users");
    check("GET", "/user", "GET /user");
    check("GET", "/us/er", "GET /us/er");
    check("GET", "/users/all", "GET /users/all");
    check("GET", "/us", "404");
    check("GET", "/use", "404");
    check("GET", "/userss", "404");
    check("GET", "/users/", "404");
    check("GET", "/x", "404");
    check("GET", "/x/", "GET /x/");
    check("GET", "//", "404");
    check("GET", "", "404");
    check("GET", "/Users", "404");
}

static void empty_router_knows_nothing(void **state)
{
    (void)state;
    check("GET", "/", "404");
    check_allow("OPTIONS", "*", 204, "OPTIONS");
}

static void not_found_is_said_in_text(void **state)
{
    lario_req req;

    (void)state;
    fake_req_init(&req, "GET", "/");
    assert_int_equal(lario_router_handle(&router, &req), 0);
    assert_int_equal(req.status, 404);
    assert_string_equal(req.type, "text/plain");
    assert_string_equal(req.body, "Not Found");
    fake_req_done(&req);
}

static void query_is_not_part_of_the_path(void **state)
{
    (void)state;
    ADD("GET /a", "GET /p/:x");
    check("GET", "/a?b=c/d", "GET /a");
    check_param("/p/1?x=2", "x", "1");
}

static void parameter_takes_one_segment_that_is_not_empty(void **state)
{
    (void)state;
    ADD("GET /users/:id", "GET /users/:id/posts/:post");
    check_param("/users/42", "id", "42");
    check_param("/users/42", "post", NULL);
    check_param("/users/a:b*c", "id", "a:b*c");
    check_param("/users/42/posts/7", "id", "42");
    check_param("/users/42/posts/7", "post", "7");
    check("GET", "/users/", "404");
    check("GET", "/users", "404");
    check("GET", "/users/42/", "404");
    check("GET", "/users//posts/7", "404");
    check("GET", "/users/42/posts/", "404");
}

static void rest_takes_everything_and_may_be_empty(void **state)
{
    (void)state;
    ADD("GET /files/*path");
    check_param("/files/a", "path", "a");
    check_param("/files/a/b//c/", "path", "a/b//c/");
    check_param("/files/", "path", "");
    check("GET", "/files", "404");
}

static void text_wins_over_parameter_over_rest_in_any_order(void **state)
{
    (void)state;
    ADD("GET /a/*rest", "GET /a/:x", "GET /a/b");
    check("GET", "/a/b", "GET /a/b");
    check("GET", "/a/c", "GET /a/:x");
    check("GET", "/a/bc", "GET /a/:x");
    check("GET", "/a/b/c", "GET /a/*rest");
    check("GET", "/a/", "GET /a/*rest");
    lario_router_done(&router);
    ADD("GET /a/b", "GET /a/:x", "GET /a/*rest");
    check("GET", "/a/b", "GET /a/b");
    check("GET", "/a/c", "GET /a/:x");
    check("GET", "/a/b/c", "GET /a/*rest");
}

static void match_goes_back_when_text_leads_nowhere(void **state)
{
    (void)state;
    ADD("GET /a/b/c", "GET /a/:x/d", "GET /:p/b/e", "GET /*all");
    check("GET", "/a/b/c", "GET /a/b/c");
    check("GET", "/a/b/d", "GET /a/:x/d");
    check("GET", "/a/b/e", "GET /:p/b/e");
    check("GET", "/a/b/f", "GET /*all");
    check_param("/a/b/e", "p", "a");
    check_param("/a/b/e", "x", NULL);
    check_param("/a/b/d", "x", "b");
    check_param("/a/b/f", "all", "a/b/f");
}

static void names_at_one_place_may_differ(void **state)
{
    (void)state;
    ADD("GET /a/:x", "GET /a/:y/b", "POST /a/:z");
    check_param("/a/1", "x", "1");
    check_param("/a/1", "y", NULL);
    check_param("/a/1/b", "y", "1");
    check_param("/a/1/b", "x", NULL);
}

static void encoded_path_is_matched_decoded(void **state)
{
    (void)state;
    ADD("GET /caf\xc3\xa9", "GET /a b", "GET /u/:name");
    check("GET", "/caf%C3%A9", "GET /caf\xc3\xa9");
    check("GET", "/a%20b", "GET /a b");
    check("GET", "/%61%20b", "GET /a b");
    check("GET", "/a+b", "404");
    check_param("/u/J%C3%BCrgen%20K", "name", "J\xc3\xbcrgen K");
    check_param("/u/100%25", "name", "100%");
}

static void encoded_slash_does_not_part_segments(void **state)
{
    (void)state;
    ADD("GET /u/:name", "GET /u/:name/x", "GET /f/*rest", "GET /s/t");
    check_param("/u/a%2Fb", "name", "a/b");
    check_param("/u/a%2fx/x", "name", "a/x");
    check_param("/f/a/b%2Fc", "rest", "a/b/c");
    check("GET", "/s%2Ft", "404");
}

static void bad_escape_is_answered_400(void **state)
{
    (void)state;
    ADD("GET /*rest");
    check("GET", "/%", "400");
    check("GET", "/%zz", "400");
    check("GET", "/%00", "400");
    check("GET", "/%c0%af", "400");
    check("GET", "/%ff", "400");
}

static void head_is_answered_by_get_unless_it_has_its_own(void **state)
{
    (void)state;
    ADD("GET /a", "GET /b", "HEAD /b", "* /c", "POST /d");
    check("HEAD", "/a", "200");
    check("HEAD", "/b", "200");
    check("HEAD", "/c", "200");
    check("HEAD", "/d", "405");
}

static void head_of_its_own_is_the_one_that_runs(void **state)
{
    lario_req req;

    (void)state;
    lario_get(&router, "/b", fail_handler);
    lario_route(&router, "HEAD", "/b", say_plain);
    fake_req_init(&req, "HEAD", "/b");
    assert_int_equal(lario_router_handle(&router, &req), 0);
    assert_int_equal(req.status, 200);
    fake_req_done(&req);
}

static void any_takes_methods_without_a_route_of_their_own(void **state)
{
    (void)state;
    ADD("* /a", "GET /a");
    check("GET", "/a", "GET /a");
    check("POST", "/a", "* /a");
    check("PURGE", "/a", "* /a");
    check("OPTIONS", "/a", "* /a");
}

static void methods_are_case_sensitive(void **state)
{
    (void)state;
    ADD("GET /a");
    check("get", "/a", "405");
}

static void other_method_is_405_with_sorted_allow(void **state)
{
    (void)state;
    ADD("PUT /a", "GET /a", "DELETE /a", "POST /b", "OPTIONS /c", "HEAD /d", "GET /d");
    check_allow("POST", "/a", 405, "DELETE, GET, HEAD, OPTIONS, PUT");
    check_allow("GET", "/b", 405, "OPTIONS, POST");
    check_allow("GET", "/c", 405, "OPTIONS");
    check_allow("PUT", "/d", 405, "GET, HEAD, OPTIONS");
}

static void other_place_that_has_the_method_is_taken(void **state)
{
    (void)state;
    ADD("POST /users/search", "GET /users/:id", "PUT /*rest");
    check("GET", "/users/search", "GET /users/:id");
    check("PUT", "/users/search", "PUT /*rest");
    check_allow("DELETE", "/users/search", 405, "GET, HEAD, OPTIONS, POST, PUT");
}

static void options_is_answered_204_with_allow(void **state)
{
    (void)state;
    ADD("GET /a", "POST /a", "DELETE /b");
    check_allow("OPTIONS", "/a", 204, "GET, HEAD, OPTIONS, POST");
    check("OPTIONS", "/none", "404");
}

static void options_of_its_own_wins(void **state)
{
    (void)state;
    ADD("GET /a", "OPTIONS /a");
    check("OPTIONS", "/a", "OPTIONS /a");
}

static void options_star_names_all_methods(void **state)
{
    (void)state;
    ADD("GET /a", "POST /a", "DELETE /b", "* /c");
    check_allow("OPTIONS", "*", 204, "DELETE, GET, HEAD, OPTIONS, POST");
}

static void shorthands_stand_for_their_methods(void **state)
{
    (void)state;
    lario_get(&router, "/", say_plain);
    check_allow("X", "/", 405, "GET, HEAD, OPTIONS");
    lario_post(&router, "/", say_plain);
    lario_put(&router, "/", say_plain);
    lario_patch(&router, "/", say_plain);
    lario_delete(&router, "/", say_plain);
    lario_route(&router, "PROPFIND", "/", say_plain);
    check_allow("X", "/", 405, "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PROPFIND, PUT");
    lario_any(&router, "/", say_plain);
    check("X", "/", "plain");
}

static void result_of_the_handler_is_returned(void **state)
{
    lario_req req;

    (void)state;
    lario_get(&router, "/", fail_handler);
    fake_req_init(&req, "GET", "/");
    assert_int_equal(lario_router_handle(&router, &req), LARIO_ENOTFOUND);
    assert_int_equal(req.status, 0);
    fake_req_done(&req);
}

static void text_route_without_escapes_allocates_nothing(void **state)
{
    lario_req req;

    (void)state;
    ADD("GET /a/b", "GET /a/:x", "GET /*rest");
    fake_req_init(&req, "GET", "/a/b?c=%20");
    assert_int_equal(lario_router_handle(&router, &req), 0);
    assert_string_equal(req.body, "GET /a/b");
    assert_int_equal(req.blocks_count, 0);
    fake_req_done(&req);
}

static void out_of_memory_is_returned(void **state)
{
    static const char *const targets[] = {"/a%20", "/a/b"};
    lario_req req;

    (void)state;
    ADD("GET /a/:x", "POST /a");
    for (size_t i = 0; i < 2; i++) {
        fake_req_init(&req, "GET", targets[i]);
        req.blocks_allowed = 0;
        assert_int_equal(lario_router_handle(&router, &req), LARIO_ENOMEM);
        assert_int_equal(req.status, 0);
        fake_req_done(&req);
    }
    fake_req_init(&req, "GET", "/a");
    req.blocks_allowed = 0;
    assert_int_equal(lario_router_handle(&router, &req), LARIO_ENOMEM);
    fake_req_done(&req);
}

static void bad_patterns_are_named(void **state)
{
    static const char *const bad[][2] = {
        {"", "the pattern does not start with '/'"},
        {"a", "the pattern does not start with '/'"},
        {"/:", "a parameter's name is not made of letters, digits, '_' and '-'"},
        {"/a/*", "a parameter's name is not made of letters, digits, '_' and '-'"},
        {"/:/a", "a parameter's name is not made of letters, digits, '_' and '-'"},
        {"/a/:b:", "a parameter's name is not made of letters, digits, '_' and '-'"},
        {"/:file.json", "a parameter's name is not made of letters, digits, '_' and '-'"},
        {"/*rest/a", "'*' is not in the last segment"},
        {"/*rest/", "'*' is not in the last segment"},
        {"/:a/:b/:a", "two parameters have the same name"},
        {"/:a/*a", "two parameters have the same name"},
        {"/\xff", "the pattern is not UTF-8"},
        {"/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21/22/23/24/25/26/27/28/29/30/31/32/"
         "33",
         "the pattern has more than 32 segments"},
    };
    char text[300];

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        lario_get(&router, bad[i][0], say_plain);
        snprintf(text, sizeof(text), "route GET %s: %s", bad[i][0], bad[i][1]);
        check_error(text);
    }
}

static void colon_and_star_inside_of_a_segment_are_text(void **state)
{
    (void)state;
    ADD("GET /a:b/c*d", "GET /x:", "GET /a:c");
    check("GET", "/a:b/c*d", "GET /a:b/c*d");
    check("GET", "/x:", "GET /x:");
    check("GET", "/a:x/c*d", "404");
}

static void duplicate_patterns_are_named(void **state)
{
    (void)state;
    ADD("GET /a/:b");
    lario_get(&router, "/a/:c", say_plain);
    check_error("route GET /a/:c: the method has a route at this place already");
    ADD("* /a");
    lario_any(&router, "/a", say_plain);
    check_error("route * /a: the method has a route at this place already");
}

static void bad_arguments_are_named(void **state)
{
    (void)state;
    lario_get(&router, "/a", NULL);
    check_error("route GET /a: there is no handler");
    lario_get(&router, NULL, say_plain);
    check_error("route GET : there is no pattern");
    lario_route(&router, "GE T", "/a", say_plain);
    check_error("route GE T /a: the method is not a token");
    lario_route(&router, NULL, "/a", say_plain);
    check_error("route  /a: the method is not a token");
}

static void more_than_63_methods_are_refused(void **state)
{
    char method[8];

    (void)state;
    for (int i = 0; i < 64; i++) {
        assert_int_equal(router.error, 0);
        snprintf(method, sizeof(method), "M%d", i);
        lario_route(&router, method, "/a", say_plain);
    }
    check_error("route M63 /a: there are more than 63 methods");
}

static void first_failure_is_kept(void **state)
{
    (void)state;
    lario_get(&router, "first", say_plain);
    lario_get(&router, "second", say_plain);
    check_error("route GET first: the pattern does not start with '/'");
}

static void missing_router_is_ignored(void **state)
{
    (void)state;
    lario_get(NULL, "/", say_plain);
    lario_any(NULL, "/", say_plain);
}

static void deepest_pattern_with_a_variable_everywhere(void **state)
{
    char texts[2][400] = {"GET ", "GET "}, path[200] = "";

    (void)state;
    for (int i = 0; i < LARIO_ROUTE_SEGMENTS_MAX; i++) {
        snprintf(texts[0] + strlen(texts[0]), 16, "/:p%d", i);
        snprintf(texts[1] + strlen(texts[1]), 16, "/x");
        snprintf(path + strlen(path), 16, "/x");
    }
    ADD(texts[0], texts[1]);
    for (int i = LARIO_ROUTE_SEGMENTS_MAX - 1; i >= 0; i--) {
        static char rests[LARIO_ROUTE_SEGMENTS_MAX][200];

        snprintf(rests[i], sizeof(rests[i]), "GET %.*s/*rest", 2 * i, path);
        ADD(rests[i]);
    }
    check("GET", path, texts[1]);
    path[strlen(path) - 1] = 'y';
    check("GET", path, "GET /x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/*rest");
    path[1] = 'y';
    check("GET", path, texts[0]);
    check_param(path, "p31", "y");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(text_is_matched_whole),
        TEST(empty_router_knows_nothing),
        TEST(not_found_is_said_in_text),
        TEST(query_is_not_part_of_the_path),
        TEST(parameter_takes_one_segment_that_is_not_empty),
        TEST(rest_takes_everything_and_may_be_empty),
        TEST(text_wins_over_parameter_over_rest_in_any_order),
        TEST(match_goes_back_when_text_leads_nowhere),
        TEST(names_at_one_place_may_differ),
        TEST(encoded_path_is_matched_decoded),
        TEST(encoded_slash_does_not_part_segments),
        TEST(bad_escape_is_answered_400),
        TEST(head_is_answered_by_get_unless_it_has_its_own),
        TEST(head_of_its_own_is_the_one_that_runs),
        TEST(any_takes_methods_without_a_route_of_their_own),
        TEST(methods_are_case_sensitive),
        TEST(other_method_is_405_with_sorted_allow),
        TEST(other_place_that_has_the_method_is_taken),
        TEST(options_is_answered_204_with_allow),
        TEST(options_of_its_own_wins),
        TEST(options_star_names_all_methods),
        TEST(shorthands_stand_for_their_methods),
        TEST(result_of_the_handler_is_returned),
        TEST(text_route_without_escapes_allocates_nothing),
        TEST(out_of_memory_is_returned),
        TEST(bad_patterns_are_named),
        TEST(colon_and_star_inside_of_a_segment_are_text),
        TEST(duplicate_patterns_are_named),
        TEST(bad_arguments_are_named),
        TEST(more_than_63_methods_are_refused),
        TEST(first_failure_is_kept),
        TEST(missing_router_is_ignored),
        TEST(deepest_pattern_with_a_variable_everywhere),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
