/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "client.h"
#include "serving.h"

/* Cookies and sessions, through a whole server. */

#define HOST "Host: test\r\n"

static void start(serving *server, test_client *client, lario_handler handler)
{
    serving_init(server);
    lario_any(server->app, "/", handler);
    serving_start(server);
    client_open(client, server->address);
}

static void stop(serving *server, test_client *client)
{
    client_close(client);
    serving_stop(server);
}

static void expect(test_client *client, const char *fields, int status, const char *answer)
{
    char request[512];
    test_answer got = {0};

    snprintf(request, sizeof request, "GET / HTTP/1.1\r\n" HOST "%s\r\n", fields);
    client_puts(client, request);
    client_answer(client, &got, false);
    assert_int_equal(got.status, status);
    if (answer)
        assert_string_equal(got.body, answer);
    answer_done(&got);
}

static void expect_new(serving *server, const char *fields, int status, const char *answer)
{
    test_client client;

    client_open(&client, server->address);
    expect(&client, fields, status, answer);
    client_close(&client);
}

/* ---- Cookies ---- */

static int list_cookies(lario_req *req)
{
    const char *name, *value;
    int rc = lario_reply_start(req, 200, NULL);

    for (size_t i = 0; rc == 0 && lario_cookie_at(req, i, &name, &value) == 0; i++)
        rc = lario_reply_puts(req, lario_format(req, "%s=%s;", name, value));
    return rc;
}

static void cookies_of_all_lines_are_seen(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client, list_cookies);
    expect(&client, "Cookie: a=1; b=\"2\"; c=x=y\r\nCookie: a=3;bad; =n\r\n", 200,
           "a=1;b=2;c=x=y;a=3;");
    expect(&client, "", 200, "");
    expect(&client, "Cookie:\r\n", 200, "");
    stop(&server, &client);
}

static void cookies_have_a_limit(void **state)
{
    serving server;
    (void)state;

    serving_init(&server);
    server.limits.cookies_max = 3;
    lario_any(server.app, "/", list_cookies);
    serving_start(&server);
    expect_new(&server, "Cookie: a=1; b=2; c=3\r\n", 200, "a=1;b=2;c=3;");
    expect_new(&server, "Cookie: a=1; b=2; c=3; d=4\r\n", 400, NULL);
    expect_new(&server, "Cookie: a=1; b=2\r\nCookie: c=3; d=4\r\n", 400, NULL);
    serving_stop(&server);
}

static int sets_cookies(lario_req *req)
{
    static const lario_cookie_options strict = {"/x", "example.org", 60, LARIO_SAME_SITE_STRICT,
                                                true, true};
    static const lario_cookie_options none = {NULL, NULL, -1, LARIO_SAME_SITE_NONE, false, false};

    note(lario_set_cookie(req, "a", "1", NULL));
    note(lario_set_cookie(req, "b", "2", &strict));
    note(lario_delete_cookie(req, "c", NULL));
    note(lario_set_cookie(req, "d", "x y", NULL));
    note(lario_set_cookie(req, "d", "x\r\nY: z", NULL));
    note(lario_set_cookie(req, "d d", "x", NULL));
    note(lario_set_cookie(req, "e", "x", &none));
    note(lario_set_cookie(req, "__Host-f", "x", NULL));
    return lario_reply(req, 200, NULL, NULL);
}

static void set_cookie_has_its_attributes(void **state)
{
    static const int results[] = {
        0, 0, 0, LARIO_EHEADER, LARIO_EHEADER, LARIO_EHEADER, LARIO_EHEADER, LARIO_EHEADER};
    serving server;
    test_client client;
    test_answer got = {0};
    (void)state;

    start(&server, &client, sets_cookies);
    client_puts(&client, "GET / HTTP/1.1\r\n" HOST "\r\n");
    client_answer(&client, &got, false);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(next_note(), results[i]);
    assert_non_null(strstr(got.head, "Set-Cookie: a=1; Path=/; HttpOnly; SameSite=Lax\r\n"));
    assert_non_null(strstr(got.head, "Set-Cookie: b=2; Path=/x; Domain=example.org; Max-Age=60; "
                                     "Secure; SameSite=Strict\r\n"));
    assert_non_null(strstr(got.head, "Set-Cookie: c=; Path=/; Max-Age=0; HttpOnly; "));
    assert_null(strstr(got.head, "Set-Cookie: d"));
    answer_done(&got);
    stop(&server, &client);
}

/* ---- Sessions ---- */

static lario_sessions sessions;

/* ?op=set&v=.. | get | renew | end */
static int session_ops(lario_req *req)
{
    const char *op = lario_query(req, "op"), *value = lario_query(req, "v"), *got = "none";
    int rc = 0;

    if (strcmp(op, "set") == 0)
        rc = lario_session_set(&sessions, req, "k", value);
    else if (strcmp(op, "remove") == 0)
        rc = lario_session_set(&sessions, req, "k", NULL);
    else if (strcmp(op, "renew") == 0)
        rc = lario_session_renew(&sessions, req);
    else if (strcmp(op, "end") == 0)
        rc = lario_session_end(&sessions, req);
    if (rc < 0)
        return rc;
    rc = lario_session_get(&sessions, req, "k", &got);
    return rc < 0 && rc != LARIO_ENOTFOUND ? rc : lario_reply(req, 200, NULL, got);
}

static void start_sessions(serving *server, test_client *client,
                           const lario_sessions_options *options)
{
    serving_init(server);
    lario_get(server->app, "/", session_ops);
    serving_start(server);
    assert_int_equal(lario_sessions_start(lario_app_runtime(server->app), options, &sessions), 0);
    client_open(client, server->address);
}

/* Asks with the cookie, and keeps the one that comes ("" when it is taken back). */
static void session_ask(test_client *client, const char *query, char cookie[80], const char *value,
                        bool sets_cookie)
{
    char request[300];
    test_answer got = {0};

    snprintf(request, sizeof request, "GET /?%s HTTP/1.1\r\n" HOST "%s%s\r\n\r\n", query,
             *cookie ? "Cookie: session=" : "X: ", cookie);
    client_puts(client, request);
    client_answer(client, &got, false);
    assert_int_equal(got.status, 200);
    assert_string_equal(got.body, value);
    char *line = strstr(got.head, "Set-Cookie: session=");

    assert_int_equal(line != NULL, sets_cookie);
    if (line) {
        size_t len = strcspn(line + 20, ";");

        assert_true(len == 32 || (len == 0 && strstr(line, "Max-Age=0")));
        memcpy(cookie, line + 20, len);
        cookie[len] = '\0';
    }
    answer_done(&got);
}

static void session_keeps_values_for_its_browser(void **state)
{
    serving server;
    test_client client;
    char mine[80] = "", others[80] = "", old[80];
    (void)state;

    start_sessions(&server, &client, NULL);
    session_ask(&client, "op=get", mine, "none", false);
    session_ask(&client, "op=set&v=one", mine, "one", true);
    session_ask(&client, "op=get", mine, "one", false);
    session_ask(&client, "op=set&v=two", mine, "two", false);
    session_ask(&client, "op=get", others, "none", false);
    session_ask(&client, "op=set&v=x", others, "x", true);
    assert_string_not_equal(mine, others);
    strcpy(old, mine);
    session_ask(&client, "op=renew", mine, "two", true);
    assert_string_not_equal(mine, old);
    session_ask(&client, "op=get", old, "none", false);
    session_ask(&client, "op=get", mine, "two", false);
    session_ask(&client, "op=remove", mine, "none", false);
    strcpy(old, mine);
    session_ask(&client, "op=end", mine, "none", true);
    session_ask(&client, "op=get", old, "none", false);
    session_ask(&client, "op=get", others, "x", false);
    stop(&server, &client);
}

static void session_id_of_the_clients_own_is_not_taken(void **state)
{
    serving server;
    test_client client;
    char forged[80] = "00112233445566778899aabbccddeeff", old[80];
    static const char *const bad[] = {"short", "zz112233445566778899aabbccddeeff",
                                      "00112233445566778899aabbccddeeff0"};
    (void)state;

    strcpy(old, forged);
    start_sessions(&server, &client, NULL);
    session_ask(&client, "op=set&v=1", forged, "1", true);
    assert_string_not_equal(forged, old);
    for (size_t i = 0; i < 3; i++) {
        char cookie[80];

        strcpy(cookie, bad[i]);
        session_ask(&client, "op=renew", cookie, "none", false);
        session_ask(&client, "op=set&v=1", cookie, "1", true);
    }
    stop(&server, &client);
}

static void sessions_have_limits(void **state)
{
    const lario_sessions_options small = {"session", 1, 2, 12};
    serving server;
    test_client client;
    char a[80] = "", b[80] = "", c[80] = "";
    (void)state;

    start_sessions(&server, &client, &small);
    session_ask(&client, "op=set&v=123456789", a, "123456789", true); /* 2 + 10 bytes */
    client_puts(&client, "GET /?op=set&v=1234567890 HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(client_status(&client), 413);
    client_close(&client);
    client_open(&client, server.address);
    session_ask(&client, "op=set&v=b", b, "b", true);
    session_ask(&client, "op=get", a, "123456789", false);
    session_ask(&client, "op=set&v=c", c, "c", true); /* b was not used for longest */
    session_ask(&client, "op=get", b, "none", false);
    session_ask(&client, "op=get", a, "123456789", false);
    usleep(1100 * 1000);
    session_ask(&client, "op=get", a, "none", false);
    stop(&server, &client);
}

static void sessions_need_sensible_options(void **state)
{
    const lario_sessions_options bad[] = {
        {"", 1, 1, 1}, {"a b", 1, 1, 1}, {"s", 0, 1, 1}, {"s", 1, 0, 1}, {"s", 1, 1, 0}};
    lario_runtime *runtime = lario_runtime_new(NULL);
    lario_sessions unused;
    (void)state;

    assert_int_equal(lario_sessions_start(runtime, NULL, &unused), LARIO_ESTATE);
    assert_int_equal(lario_runtime_start(runtime), 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(lario_sessions_start(runtime, &bad[i], &unused), LARIO_EINVAL);
    assert_int_equal(lario_runtime_stop(runtime, 1000), 0);
    lario_runtime_free(runtime);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cookies_of_all_lines_are_seen),
        cmocka_unit_test(cookies_have_a_limit),
        cmocka_unit_test(set_cookie_has_its_attributes),
        cmocka_unit_test(session_keeps_values_for_its_browser),
        cmocka_unit_test(session_id_of_the_clients_own_is_not_taken),
        cmocka_unit_test(sessions_have_limits),
        cmocka_unit_test(sessions_need_sensible_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
