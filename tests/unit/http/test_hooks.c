/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "client.h"
#include "serving.h"

/* Redirects, the pages of errors, and what the access hook is told. */

#define HOST "Host: test\r\n"
#define GET(target) "GET " target " HTTP/1.1\r\n" HOST "\r\n"

static int hello(lario_req *req)
{
    return lario_reply(req, 200, "text/plain", "Hello World.");
}

static void ask(test_client *client, const char *request, test_answer *answer)
{
    client_puts(client, request);
    client_answer(client, answer, false);
}

/* ---- Redirects ---- */

static int redirects(lario_req *req)
{
    int rc = lario_redirect(req, atoi(lario_query(req, "status")), lario_query(req, "to"));

    if (rc < 0)
        note(rc);
    return rc == LARIO_EINVAL || rc == LARIO_EHEADER ? lario_reply(req, 200, NULL, NULL) : rc;
}

static void redirect_sends_the_location_encoded(void **state)
{
    static const struct {
        const char *target, *location;
        int status;
    } cases[] = {
        {GET("/?status=302&to=/there"), "Location: /there\r\n", 302},
        {GET("/?status=301&to=https://example.org/a%3fb"), "Location: https://example.org/a?b\r\n",
         301},
        {GET("/?status=303&to=/a%20%22%3c%c3%a9"), "Location: /a%20%22%3C%C3%A9\r\n", 303},
        {GET("/?status=307&to=/%2541"), "Location: /%41\r\n", 307},
        {GET("/?status=308&to=x"), "Location: x\r\n", 308},
    };
    serving server;
    test_client client;
    test_answer got = {0};
    (void)state;

    serving_init(&server);
    lario_get(server.app, "/", redirects);
    serving_start(&server);
    client_open(&client, server.address);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ask(&client, cases[i].target, &got);
        assert_int_equal(got.status, cases[i].status);
        assert_non_null(strstr(got.head, cases[i].location));
    }
    answer_done(&got);
    client_close(&client);
    serving_stop(&server);
}

static void redirect_refuses_what_is_none(void **state)
{
    static const struct {
        const char *target;
        int error;
    } cases[] = {
        {GET("/?status=200&to=/"), LARIO_EINVAL},
        {GET("/?status=304&to=/"), LARIO_EINVAL},
        {GET("/?status=302&to="), LARIO_EINVAL},
        {GET("/?status=302&to=/a%0d%0aSet-Cookie:x"), LARIO_EHEADER},
        {GET("/?status=302&to=/%7f"), LARIO_EHEADER},
    };
    serving server;
    test_client client;
    test_answer got = {0};
    (void)state;

    serving_init(&server);
    lario_get(server.app, "/", redirects);
    serving_start(&server);
    client_open(&client, server.address);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ask(&client, cases[i].target, &got);
        assert_int_equal(got.status, 200);
        assert_null(strstr(got.head, "Location"));
        assert_int_equal(next_note(), cases[i].error);
    }
    answer_done(&got);
    client_close(&client);
    serving_stop(&server);
}

/* ---- Pages of errors ---- */

static int fails(lario_req *req)
{
    int rc = lario_add_header(req, "X-Half", "done");

    return rc < 0 ? rc : -EIO;
}

static void json_page_is_sent_for_every_error(void **state)
{
    static const struct {
        const char *request, *body;
        int status;
    } cases[] = {
        {GET("/none"), "{\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404}\n", 404},
        {GET("/fails"),
         "{\"type\":\"about:blank\",\"title\":\"Internal Server Error\",\"status\":500}\n", 500},
        {"POST / HTTP/1.1\r\n" HOST "\r\n",
         "{\"type\":\"about:blank\",\"title\":\"Method Not Allowed\",\"status\":405}\n", 405},
        {"GET / HTTP/1.1\r\n\r\n",
         "{\"type\":\"about:blank\",\"title\":\"Bad Request\",\"status\":400,\"detail\":\"", 400},
    };
    serving server;
    test_client client;
    test_answer got = {0};
    (void)state;

    serving_init(&server);
    lario_get(server.app, "/", hello);
    lario_get(server.app, "/fails", fails);
    lario_app_error_page(server.app, lario_error_page_json, NULL);
    serving_start(&server);
    client_open(&client, server.address);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ask(&client, cases[i].request, &got);
        assert_int_equal(got.status, cases[i].status);
        assert_memory_equal(got.body, cases[i].body, strlen(cases[i].body));
        assert_non_null(strstr(got.head, "Content-Type: application/problem+json\r\n"));
        assert_null(strstr(got.head, "X-Half"));
    }
    answer_done(&got);
    client_close(&client);
    serving_stop(&server);
}

/* What a hook returns that cannot be sent: `arg` says which. */
static size_t bad_page(void *arg, const lario_error_info *info, char *buffer, size_t size,
                       const char **ret_type)
{
    (void)info;
    memset(buffer, 'x', size);
    *ret_type = strcmp(arg, "type") == 0 ? NULL : "text/html";
    return strcmp(arg, "long") == 0 ? size + 1 : strcmp(arg, "none") == 0 ? 0 : 1;
}

static void page_that_cannot_be_sent_gives_the_plain_one(void **state)
{
    static const char *const ways[] = {"type", "long", "none"};
    test_answer got = {0};
    (void)state;

    for (size_t i = 0; i < 3; i++) {
        serving server;
        test_client client;

        serving_init(&server);
        lario_app_error_page(server.app, bad_page, (void *)ways[i]);
        serving_start(&server);
        client_open(&client, server.address);
        ask(&client, GET("/"), &got);
        assert_int_equal(got.status, 404);
        assert_string_equal(got.body, "Not Found\n");
        client_close(&client);
        serving_stop(&server);
    }
    answer_done(&got);
}

static size_t whole_page(void *arg, const lario_error_info *info, char *buffer, size_t size,
                         const char **ret_type)
{
    (void)arg;
    (void)info;
    memset(buffer, 'x', size);
    *ret_type = "text/html";
    return size;
}

static void page_may_fill_its_room(void **state)
{
    serving server;
    test_client client;
    test_answer got = {0};
    (void)state;

    serving_init(&server);
    lario_app_error_page(server.app, whole_page, NULL);
    serving_start(&server);
    client_open(&client, server.address);
    ask(&client, GET("/"), &got);
    assert_int_equal(got.status, 404);
    assert_int_equal(got.body_len, 4096);
    ask(&client, "bad\r\n\r\n", &got);
    assert_int_equal(got.status, 400);
    assert_int_equal(got.body_len, 4096);
    answer_done(&got);
    client_close(&client);
    serving_stop(&server);
}

/* ---- Accesses ---- */

static void tell(void *arg, const lario_access *access)
{
    (void)arg;
    note(access->status);
    note((int)access->bytes_in);
    note((int)access->bytes_out);
    note(access->req ? 1 : 0);
    note(strcmp(access->client, "127.0.0.1"));
    note(access->duration_us < 10 * 1000 * 1000);
}

static void check_told(int status, int bytes_in, int bytes_out, int has_request)
{
    assert_int_equal(next_note(), status);
    assert_int_equal(next_note(), bytes_in);
    assert_int_equal(next_note(), bytes_out);
    assert_int_equal(next_note(), has_request);
    assert_int_equal(next_note(), 0);
    assert_int_equal(next_note(), 1);
}

static int echoes(lario_req *req)
{
    const char *data;
    size_t len;
    int rc = lario_body(req, &data, &len);

    return rc < 0 ? rc : lario_reply_bytes(req, 201, NULL, data, len);
}

static int streams(lario_req *req)
{
    int rc = lario_reply_start(req, 200, NULL);

    for (int i = 0; rc == 0 && i < 3; i++)
        rc = lario_reply_puts(req, "1234");
    return rc;
}

static void access_hook_is_told_of_every_request(void **state)
{
    serving server;
    test_client client;
    test_answer got = {0};
    (void)state;

    serving_init(&server);
    lario_get(server.app, "/", hello);
    lario_post(server.app, "/", echoes);
    lario_get(server.app, "/stream", streams);
    lario_get(server.app, "/fails", fails);
    lario_app_access(server.app, tell, NULL);
    serving_start(&server);
    client_open(&client, server.address);
    ask(&client, GET("/"), &got);
    check_told(200, 0, 12, 1);
    client_puts(&client, "HEAD / HTTP/1.1\r\n" HOST "\r\n");
    client_answer(&client, &got, true);
    check_told(200, 0, 0, 1);
    ask(&client, "POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nabcde", &got);
    check_told(201, 5, 5, 1);
    ask(&client, GET("/stream"), &got);
    check_told(200, 0, 12, 1);
    ask(&client, GET("/fails"), &got);
    check_told(500, 0, 22, 1);
    ask(&client, "GET / HTTP/1.1\r\n\r\n", &got);
    check_told(400, 0, 0, 0);
    answer_done(&got);
    client_close(&client);
    serving_stop(&server);
}

static int waits(lario_req *req)
{
    lario_msg msg;
    (void)req;

    note(1);
    return lario_receive(&msg, -1);
}

static void access_hook_knows_a_client_that_has_left(void **state)
{
    serving server;
    test_client client;
    (void)state;

    serving_init(&server);
    lario_get(server.app, "/", waits);
    lario_app_access(server.app, tell, NULL);
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, GET("/"));
    assert_int_equal(next_note(), 1);
    client_reset(&client);
    check_told(0, 0, 0, 1);
    serving_stop(&server);
}

/* ---- The access log ---- */

static char log_path[64];

static char *read_log(void)
{
    static char text[20000];
    FILE *file = fopen(log_path, "r");

    assert_non_null(file);
    size_t len = fread(text, 1, sizeof text - 1, file);

    text[len] = '\0';
    fclose(file);
    return text;
}

static void access_log_has_a_line_for_each_request(void **state)
{
    serving server;
    test_client client;
    test_answer got = {0};
    (void)state;

    snprintf(log_path, sizeof log_path, "/tmp/lario_access_%d", getpid());
    serving_init(&server);
    lario_get(server.app, "/", hello);
    lario_app_access_log(server.app, log_path);
    serving_start(&server);
    client_open(&client, server.address);
    ask(&client,
        "GET /?a=\"b HTTP/1.1\r\n" HOST
        "Referer: http://x/\"\\\r\nUser-Agent: t\xc3\xa9st\t1\r\n\r\n",
        &got);
    ask(&client, GET("/"), &got);
    ask(&client, "GET / HTTP/1.1\r\n\r\n", &got);
    answer_done(&got);
    client_close(&client);
    serving_stop(&server);
    char *text = read_log();

    unlink(log_path);
    assert_memory_equal(text, "127.0.0.1 - - [", 15);
    assert_non_null(strstr(text, "] \"GET / HTTP/1.1\" 200 12 \"-\" \"-\"\n"));
    assert_non_null(strstr(text, "] \"-\" 400 0 \"-\" \"-\"\n"));
    char *first = strstr(text, "] ");

    assert_memory_equal(first + 2,
                        "\"GET /?a=\\x22b HTTP/1.1\" 200 12 \"http://x/\\x22\\x5C\" "
                        "\"t\\xC3\\xA9st\\x091\"\n",
                        strlen("\"GET /?a=\\x22b HTTP/1.1\" 200 12 \"http://x/\\x22\\x5C\" "
                               "\"t\\xC3\\xA9st\\x091\"\n"));
}

static void access_log_line_is_cut(void **state)
{
    serving server;
    test_client client;
    test_answer got = {0};
    char *request = malloc(20000), *at = request;
    (void)state;

    snprintf(log_path, sizeof log_path, "/tmp/lario_access_%d", getpid());
    serving_init(&server);
    lario_get(server.app, "/", hello);
    lario_app_access_log(server.app, log_path);
    serving_start(&server);
    client_open(&client, server.address);
    at = stpcpy(at, "GET /?");
    at = (char *)memset(at, 'q', 7000) + 7000;
    at = stpcpy(at, " HTTP/1.1\r\n" HOST "Referer: ");
    at = (char *)memset(at, '"', 5000) + 5000;
    at = stpcpy(at, "\r\nUser-Agent: ");
    at = (char *)memset(at, '\xff', 5000) + 5000;
    strcpy(at, "\r\n\r\n");
    ask(&client, request, &got);
    assert_int_equal(got.status, 200);
    answer_done(&got);
    free(request);
    client_close(&client);
    serving_stop(&server);
    char *text = read_log();
    size_t len = strlen(text);

    unlink(log_path);
    assert_true(len > 3900 && len <= 4096);
    assert_string_equal(text + len - 5, "xFF\"\n");
}

static void access_log_that_cannot_be_opened_fails_the_start(void **state)
{
    lario_app *app = lario_app_new();
    (void)state;

    lario_app_listen(app, "127.0.0.1:0");
    lario_app_access_log(app, "/nonexistent/log");
    assert_int_equal(lario_app_start(app), -ENOENT);
    assert_non_null(strstr(lario_app_error(app), "/nonexistent/log"));
    lario_app_free(app);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redirect_sends_the_location_encoded),
        cmocka_unit_test(redirect_refuses_what_is_none),
        cmocka_unit_test(json_page_is_sent_for_every_error),
        cmocka_unit_test(page_that_cannot_be_sent_gives_the_plain_one),
        cmocka_unit_test(page_may_fill_its_room),
        cmocka_unit_test(access_hook_is_told_of_every_request),
        cmocka_unit_test(access_hook_knows_a_client_that_has_left),
        cmocka_unit_test(access_log_has_a_line_for_each_request),
        cmocka_unit_test(access_log_line_is_cut),
        cmocka_unit_test(access_log_that_cannot_be_opened_fails_the_start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
