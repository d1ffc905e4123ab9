/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client.h"
#include "serving.h"

/* Middleware, hosts and slashes: what runs for a request, and around it. */

#define HOST "Host: test\r\n"
#define GET(target) "GET " target " HTTP/1.1\r\n" HOST "\r\n"

static void ask(serving *server, const char *request, test_answer *answer)
{
    test_client client;

    client_open(&client, server->address);
    client_puts(&client, request);
    client_answer(&client, answer, false);
    client_close(&client);
}

static void expect(serving *server, const char *request, int status, const char *body)
{
    test_answer got = {0};

    ask(server, request, &got);
    assert_int_equal(got.status, status);
    if (body)
        assert_string_equal(got.body, body);
    answer_done(&got);
}

static int route(lario_req *req)
{
    note(9);
    return lario_reply(req, 200, NULL, lario_path(req));
}

/* ---- Order and scope ---- */

static int outer(lario_req *req)
{
    note(1);
    int rc = lario_next(req);

    note(10);
    return rc;
}

static int inner(lario_req *req)
{
    note(2);
    return lario_next(req);
}

static int refuses(lario_req *req)
{
    return lario_reply(req, 403, NULL, "no");
}

static void middleware_runs_in_its_order_around_the_route(void **state)
{
    static const int order[] = {1, 2, 9, 10};
    serving server;
    (void)state;

    serving_init(&server);
    lario_use(server.app, "/", outer);
    lario_use(server.app, "/", inner);
    lario_get(server.app, "/", route);
    serving_start(&server);
    expect(&server, GET("/"), 200, "/");
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(next_note(), order[i]);
    serving_stop(&server);
}

static void prefix_is_compared_by_segments(void **state)
{
    static const struct {
        const char *request;
        int status;
    } cases[] = {
        {GET("/admin"), 403},   {GET("/admin/"), 403},     {GET("/admin/x"), 403},
        {GET("/adm%69n"), 403}, {GET("/administer"), 200}, {GET("/"), 200},
        {GET("/none"), 404},    {GET("/admin%2fx"), 404},
    };
    serving server;
    (void)state;

    serving_init(&server);
    lario_use(server.app, "/admin/", refuses);
    lario_get(server.app, "/", route);
    lario_get(server.app, "/administer", route);
    lario_get(server.app, "/admin", route);
    serving_start(&server);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect(&server, cases[i].request, cases[i].status, NULL);
    serving_stop(&server);
}

static void middleware_runs_where_no_route_is(void **state)
{
    serving server;
    (void)state;

    serving_init(&server);
    lario_use(server.app, "/", outer);
    serving_start(&server);
    expect(&server, GET("/none"), 404, NULL);
    assert_int_equal(next_note(), 1);
    assert_int_equal(next_note(), 10);
    serving_stop(&server);
}

static int calls_next(lario_req *req)
{
    note(lario_next(req));
    return lario_reply(req, 200, NULL, NULL);
}

static void next_is_for_middleware_only(void **state)
{
    serving server;
    (void)state;

    serving_init(&server);
    lario_use(server.app, "/", inner);
    lario_get(server.app, "/", calls_next);
    serving_start(&server);
    expect(&server, GET("/"), 200, NULL);
    assert_int_equal(next_note(), 2);
    assert_int_equal(next_note(), LARIO_ESTATE);
    serving_stop(&server);
}

static int calls_next_twice(lario_req *req)
{
    int rc = lario_next(req);

    note(lario_next(req));
    return rc;
}

static void next_runs_the_rest_once(void **state)
{
    serving server;
    (void)state;

    serving_init(&server);
    lario_use(server.app, "/", calls_next_twice);
    lario_use(server.app, "/", calls_next_twice);
    lario_get(server.app, "/", route);
    serving_start(&server);
    expect(&server, GET("/"), 200, NULL);
    assert_int_equal(next_note(), 9);
    assert_int_equal(next_note(), LARIO_ESTATE);
    assert_int_equal(next_note(), LARIO_ESTATE);
    serving_stop(&server);
}

static int limits_bodies(lario_req *req)
{
    lario_limit_body(req, 4, 1000);
    return lario_next(req);
}

static int reads(lario_req *req)
{
    const char *data;
    int rc = lario_body(req, &data, NULL);

    return rc < 0 ? rc : lario_reply(req, 200, NULL, data);
}

static void body_limit_is_set_for_some_routes(void **state)
{
    serving server;
    (void)state;

    serving_init(&server);
    lario_use(server.app, "/small", limits_bodies);
    lario_post(server.app, "/small", reads);
    lario_post(server.app, "/", reads);
    serving_start(&server);
    expect(&server, "POST /small HTTP/1.1\r\n" HOST "Content-Length: 4\r\n\r\n1234", 200, "1234");
    expect(&server, "POST /small HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\n12345", 413, NULL);
    expect(&server, "POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\n12345", 200, "12345");
    serving_stop(&server);
}

/* ---- Headers for browsers ---- */

static int fails(lario_req *req)
{
    (void)req;
    return -EIO;
}

static void security_headers_are_on_every_answer(void **state)
{
    static const char *const requests[] = {GET("/"), GET("/none"), GET("/fails")};
    serving server;
    test_answer got = {0};
    (void)state;

    serving_init(&server);
    lario_use_security_headers(server.app, "/", NULL);
    lario_get(server.app, "/", route);
    lario_get(server.app, "/fails", fails);
    serving_start(&server);
    for (size_t i = 0; i < 3; i++) {
        ask(&server, requests[i], &got);
        assert_non_null(strstr(got.head, "X-Content-Type-Options: nosniff\r\n"));
        assert_non_null(strstr(got.head, "X-Frame-Options: DENY\r\n"));
        assert_non_null(strstr(got.head, "Referrer-Policy: strict-origin-when-cross-origin\r\n"));
        assert_null(strstr(got.head, "Strict-Transport-Security"));
    }
    answer_done(&got);
    serving_stop(&server);
}

static const char *const origins[] = {"https://app.example.org", "https://b.example.org", NULL};

static void start_cors(serving *server, const lario_cors *cors)
{
    serving_init(server);
    lario_use_cors(server->app, "/", cors);
    lario_get(server->app, "/", route);
    serving_start(server);
}

static void cors_allows_the_origins_of_its_list(void **state)
{
    const lario_cors cors = {.origins = origins, .exposed = "X-Total", .has_credentials = true};
    serving server;
    test_answer got = {0};
    (void)state;

    start_cors(&server, &cors);
    ask(&server, "GET / HTTP/1.1\r\n" HOST "Origin: https://b.example.org\r\n\r\n", &got);
    assert_non_null(strstr(got.head, "Access-Control-Allow-Origin: https://b.example.org\r\n"));
    assert_non_null(strstr(got.head, "Access-Control-Allow-Credentials: true\r\n"));
    assert_non_null(strstr(got.head, "Access-Control-Expose-Headers: X-Total\r\n"));
    assert_non_null(strstr(got.head, "Vary: Origin\r\n"));
    ask(&server, "GET / HTTP/1.1\r\n" HOST "Origin: https://evil.example.org\r\n\r\n", &got);
    assert_int_equal(got.status, 200);
    assert_null(strstr(got.head, "Access-Control"));
    assert_non_null(strstr(got.head, "Vary: Origin\r\n"));
    ask(&server, GET("/"), &got);
    assert_null(strstr(got.head, "Access-Control"));
    answer_done(&got);
    serving_stop(&server);
}

static void cors_answers_preflights(void **state)
{
    const lario_cors cors = {
        .origins = origins, .methods = "GET, PUT", .headers = "X-Token", .max_age_seconds = 600};
    serving server;
    test_answer got = {0};
    (void)state;

    start_cors(&server, &cors);
    ask(&server,
        "OPTIONS / HTTP/1.1\r\n" HOST
        "Origin: https://app.example.org\r\nAccess-Control-Request-Method: PUT\r\n\r\n",
        &got);
    assert_int_equal(got.status, 204);
    assert_non_null(strstr(got.head, "Access-Control-Allow-Methods: GET, PUT\r\n"));
    assert_non_null(strstr(got.head, "Access-Control-Allow-Headers: X-Token\r\n"));
    assert_non_null(strstr(got.head, "Access-Control-Max-Age: 600\r\n"));
    ask(&server,
        "OPTIONS / HTTP/1.1\r\n" HOST
        "Origin: https://evil.example.org\r\nAccess-Control-Request-Method: PUT\r\n\r\n",
        &got);
    assert_null(strstr(got.head, "Access-Control"));
    assert_non_null(strstr(got.head, "Allow: GET, HEAD, OPTIONS\r\n"));
    answer_done(&got);
    serving_stop(&server);
}

static void cors_for_all_has_no_credentials(void **state)
{
    static const char *const all[] = {"*", NULL}, *const none[] = {NULL};
    static const char *const mixed[] = {"https://a.example.org", "*", NULL};
    const lario_cors open = {.origins = all};
    const lario_cors bad[] = {
        {.origins = all, .has_credentials = true}, {.origins = none}, {0}, {.origins = mixed}};
    serving server;
    test_answer got = {0};
    (void)state;

    start_cors(&server, &open);
    ask(&server, "GET / HTTP/1.1\r\n" HOST "Origin: null\r\n\r\n", &got);
    assert_non_null(strstr(got.head, "Access-Control-Allow-Origin: *\r\n"));
    assert_null(strstr(got.head, "Vary"));
    /* What is not listed is allowed as it was asked for, so that answers differ by the question. */
    ask(&server,
        "OPTIONS / HTTP/1.1\r\n" HOST "Origin: null\r\nAccess-Control-Request-Method: PUT\r\n"
        "Access-Control-Request-Headers: X-Token\r\n\r\n",
        &got);
    assert_int_equal(got.status, 204);
    assert_non_null(strstr(got.head, "Access-Control-Allow-Methods: PUT\r\n"));
    assert_non_null(strstr(got.head, "Access-Control-Allow-Headers: X-Token\r\n"));
    assert_non_null(strstr(got.head, "Vary: Access-Control-Request-Method\r\n"));
    assert_non_null(strstr(got.head, "Vary: Access-Control-Request-Headers\r\n"));
    answer_done(&got);
    serving_stop(&server);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        lario_app *app = lario_app_new();

        lario_app_listen(app, "127.0.0.1:0");
        lario_use_cors(app, "/", &bad[i]);
        assert_int_equal(lario_app_start(app), LARIO_EINVAL);
        lario_app_free(app);
    }
}

/* ---- Hosts ---- */

static int says_api(lario_req *req)
{
    return lario_reply(req, 200, NULL, "api");
}

static int says_any(lario_req *req)
{
    return lario_reply(req, 200, NULL, "any");
}

static int says_deep(lario_req *req)
{
    return lario_reply(req, 200, NULL, "deep");
}

static int says_root(lario_req *req)
{
    return lario_reply(req, 200, NULL, "root");
}

static void host_chooses_the_router(void **state)
{
    static const struct {
        const char *request, *body;
    } cases[] = {
        {"GET / HTTP/1.1\r\nHost: api.example.org\r\n\r\n", "api"},
        {"GET / HTTP/1.1\r\nHost: API.Example.ORG:8080\r\n\r\n", "api"},
        {"GET / HTTP/1.1\r\nHost: api.example.org.\r\n\r\n", "api"},
        {"GET http://api.example.org/ HTTP/1.1\r\nHost: other\r\n\r\n", "api"},
        {"GET / HTTP/1.1\r\nHost: www.example.org\r\n\r\n", "any"},
        {"GET / HTTP/1.1\r\nHost: a.b.example.org\r\n\r\n", "any"},
        {"GET / HTTP/1.1\r\nHost: x.deep.example.org\r\n\r\n", "deep"},
        {"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", "root"},
        {"GET / HTTP/1.1\r\nHost: badexample.org\r\n\r\n", "root"},
        {"GET / HTTP/1.1\r\nHost: .example.org\r\n\r\n", "root"},
        {"GET / HTTP/1.0\r\n\r\n", "root"},
    };
    serving server;
    (void)state;

    serving_init(&server);
    lario_get(server.app, "/", says_root);
    lario_get(lario_host_router(server.app, "*.example.org"), "/", says_any);
    lario_get(lario_host_router(server.app, "*.deep.example.org"), "/", says_deep);
    lario_get(lario_host_router(server.app, "Api.example.org"), "/", says_api);
    assert_ptr_equal(lario_host_router(server.app, "api.example.org"),
                     lario_host_router(server.app, "API.example.org"));
    serving_start(&server);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect(&server, cases[i].request, 200, cases[i].body);
    serving_stop(&server);
}

static void middleware_of_the_app_is_around_that_of_a_host(void **state)
{
    serving server;
    (void)state;

    serving_init(&server);
    lario_router *host = lario_host_router(server.app, "h");

    lario_use(server.app, "/", outer);
    lario_use(host, "/", inner);
    lario_get(host, "/", route);
    serving_start(&server);
    expect(&server, "GET / HTTP/1.1\r\nHost: h\r\n\r\n", 200, "/");
    assert_int_equal(next_note(), 1);
    assert_int_equal(next_note(), 2);
    assert_int_equal(next_note(), 9);
    assert_int_equal(next_note(), 10);
    expect(&server, GET("/"), 404, NULL);
    assert_int_equal(next_note(), 1);
    assert_int_equal(next_note(), 10);
    serving_stop(&server);
}

static void bad_hosts_and_middleware_fail_the_start(void **state)
{
    static const char *const hosts[] = {"", "*.", "a b", "a/b", ".a", "a:80", "*"};
    (void)state;

    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0] + 2; i++) {
        lario_app *app = lario_app_new();

        lario_app_listen(app, "127.0.0.1:0");
        if (i < sizeof hosts / sizeof hosts[0])
            assert_null(lario_host_router(app, hosts[i]));
        else
            lario_use(lario_host_router(app, "fine"), i % 2 ? "/" : "x", i % 2 ? NULL : inner);
        assert_int_equal(lario_app_start(app), LARIO_EROUTE);
        lario_app_free(app);
    }
}

/* ---- Slashes ---- */

static void start_slashes(serving *server, enum lario_slash policy)
{
    serving_init(server);
    lario_slashes(server->app, policy);
    lario_get(server->app, "/leaf", route);
    lario_get(server->app, "/folder/", route);
    serving_start(server);
}

static void slashes_are_strict_by_default(void **state)
{
    serving server;
    (void)state;

    start_slashes(&server, LARIO_SLASH_STRICT);
    expect(&server, GET("/leaf/"), 404, NULL);
    expect(&server, GET("/folder"), 404, NULL);
    expect(&server, GET("/folder/"), 200, "/folder/");
    serving_stop(&server);
}

static void slash_redirects_and_keeps_the_query(void **state)
{
    static const struct {
        const char *request, *location;
    } cases[] = {
        {GET("/leaf/?a=b"), "Location: /leaf?a=b\r\n"},
        {GET("/folder?x"), "Location: /folder/?x\r\n"},
        {GET("/f%6flder"), "Location: /f%6flder/\r\n"},
        {"POST /leaf/ HTTP/1.1\r\n" HOST "\r\n", "Location: /leaf\r\n"},
    };
    serving server;
    test_answer got = {0};
    (void)state;

    start_slashes(&server, LARIO_SLASH_REDIRECT);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ask(&server, cases[i].request, &got);
        assert_int_equal(got.status, 308);
        assert_non_null(strstr(got.head, cases[i].location));
    }
    answer_done(&got);
    expect(&server, GET("//leaf/"), 404, NULL);
    expect(&server, GET("/none/"), 404, NULL);
    serving_stop(&server);
}

static void slash_is_ignored_when_asked(void **state)
{
    serving server;
    (void)state;

    start_slashes(&server, LARIO_SLASH_IGNORE);
    expect(&server, GET("/leaf/"), 200, "/leaf/");
    expect(&server, GET("/folder"), 200, "/folder");
    expect(&server, "POST /leaf/ HTTP/1.1\r\n" HOST "\r\n", 405, NULL);
    expect(&server, GET("/none"), 404, NULL);
    serving_stop(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(middleware_runs_in_its_order_around_the_route),
        cmocka_unit_test(prefix_is_compared_by_segments),
        cmocka_unit_test(middleware_runs_where_no_route_is),
        cmocka_unit_test(next_is_for_middleware_only),
        cmocka_unit_test(next_runs_the_rest_once),
        cmocka_unit_test(body_limit_is_set_for_some_routes),
        cmocka_unit_test(security_headers_are_on_every_answer),
        cmocka_unit_test(cors_allows_the_origins_of_its_list),
        cmocka_unit_test(cors_answers_preflights),
        cmocka_unit_test(cors_for_all_has_no_credentials),
        cmocka_unit_test(host_chooses_the_router),
        cmocka_unit_test(middleware_of_the_app_is_around_that_of_a_host),
        cmocka_unit_test(bad_hosts_and_middleware_fail_the_start),
        cmocka_unit_test(slashes_are_strict_by_default),
        cmocka_unit_test(slash_redirects_and_keeps_the_query),
        cmocka_unit_test(slash_is_ignored_when_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
