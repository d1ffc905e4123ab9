/* SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "allocations.h"
#include "client.h"
#include "serving.h"

/*
 * Forms, uploads, cookies, sessions, middleware, error pages, the access log, files and what is
 * packed or framed for many, with each allocation of the server failing in turn: the connection
 * comes to its end, what is answered is true, the next client is served, and nothing is left
 * behind.
 */

#define HOST "Host: test\r\n"
#define FILE_BYTES 50000

static char folder[] = "/tmp/lario-memory-XXXXXX";
static char upload_path[64], log_path[64];
static lario_sessions sessions;

/* ---- The server ---- */

static int ok(lario_req *req)
{
    return lario_reply(req, 200, "text/plain", "ok");
}

static int form(lario_req *req)
{
    int rc = lario_form_read(req);
    const char *value;

    if (rc < 0)
        return rc;
    value = lario_form(req, "name");
    return value ? lario_reply(req, 200, NULL, value) : LARIO_EPROTO;
}

static int upload(lario_req *req)
{
    lario_part part;
    const char *text;
    uint64_t bytes = 0;
    int rc;

    while ((rc = lario_part_next(req, &part)) > 0) {
        rc = part.file_name ? lario_part_save(req, upload_path, 1 << 20, &bytes)
                            : lario_part_text(req, 100, &text, NULL);
        if (rc < 0)
            return rc;
    }
    return rc < 0 ? rc : lario_replyf(req, 200, NULL, "%llu", (unsigned long long)bytes);
}

static int cookies(lario_req *req)
{
    static const lario_cookie_options options = LARIO_COOKIE_OPTIONS_INIT;
    const char *name, *value;
    int rc = lario_cookie_at(req, 1, &name, &value);

    if (rc == 0)
        rc = lario_set_cookie(req, "copy", value, &options);
    if (rc == 0)
        rc = lario_delete_cookie(req, name, &options);
    return rc < 0 ? rc : lario_reply(req, 200, NULL, value);
}

static int session(lario_req *req)
{
    const char *value = "";
    int rc = lario_session_set(&sessions, req, "key", "kept");

    if (rc == 0)
        rc = lario_session_renew(&sessions, req);
    if (rc == 0)
        rc = lario_session_get(&sessions, req, "key", &value);
    if (rc < 0)
        return rc;
    value = lario_format(req, "%s", value);
    if (!value)
        return LARIO_ENOMEM;
    rc = lario_session_end(&sessions, req);
    return rc < 0 ? rc : lario_reply(req, 200, NULL, value);
}

static int around(lario_req *req)
{
    int rc = lario_add_header(req, "X-Around", "a value that is not short, so that it needs room");

    return rc < 0 ? rc : lario_next(req);
}

static int moved(lario_req *req)
{
    return lario_redirect(req, 303, "/ok?with=a%20query");
}

/* Packs large answers, and so do the sockets. */
static const lario_ws_options ws_options = {.compresses = true, .compress_bytes_min = 1};
static lario_scope *scope;
static char text[20000];

static int packed(lario_req *req)
{
    int rc = lario_compress(req, NULL);

    return rc < 0 ? rc : lario_reply_bytes(req, 200, "text/plain", text, sizeof text);
}

/* Sends each message back: by itself, and framed once to all of a group in which only it is. */
static int echo(lario_req *req)
{
    lario_ws *ws;
    lario_msg msg;
    int rc = lario_ws_accept(req, &ws_options, &ws);

    if (rc == 0)
        rc = lario_join(scope, "all", lario_self(), NULL);
    while (rc >= 0 && (rc = lario_receive(&msg, -1)) > 0) {
        lario_ws_frame *frame = lario_ws_frame_new(LARIO_WS_TEXT, msg.data, msg.len, true);

        rc = lario_ws_write(ws, LARIO_WS_TEXT, msg.data, msg.len);
        if (rc == 0)
            rc = frame ? lario_ws_publish(scope, "all", frame) : LARIO_ENOMEM;
        lario_ws_frame_free(frame);
    }
    return rc;
}

static void start(serving *server)
{
    static const char *const origins[] = {"https://a.example", NULL};
    static const lario_cors cors = {.origins = origins};

    allocations_fail(0);
    serving_init(server);
    lario_app_error_page(server->app, lario_error_page_json, NULL);
    lario_app_access_log(server->app, log_path);
    lario_use(server->app, "/", around);
    lario_use_security_headers(server->app, "/", NULL);
    lario_use_cors(server->app, "/", &cors);
    lario_any(server->app, "/ok", ok);
    lario_post(server->app, "/form", form);
    lario_post(server->app, "/upload", upload);
    lario_get(server->app, "/cookies", cookies);
    lario_get(server->app, "/session", session);
    lario_get(server->app, "/moved", moved);
    lario_get(server->app, "/packed", packed);
    lario_get(server->app, "/echo", echo);
    lario_static(server->app, "/files", folder);
    scope = lario_scope_open(lario_app_runtime(server->app), "test");
    assert_non_null(scope);
    serving_start(server);
    assert_int_equal(lario_sessions_start(lario_app_runtime(server->app), NULL, &sessions), 0);
}

/* ---- Each allocation fails in turn ---- */

/*
 * A session tells whether it was answered as it should, and fails an assertion when the answer is
 * false. Where nothing failed, it must be answered. `check` (or NULL) looks at what is left behind
 * once the server has come to its end: a client may see its connection end before the handler does.
 */
static void fail_each(bool (*talk)(test_client *client), void (*check)(bool is_good))
{
    bool all_done = false;
    int failures = 0;

    for (int n = 1; !all_done; n++) {
        serving server;
        test_client client, other;

        assert_true(n < 400);
        start(&server);
        allocations_fail(n);
        client_open(&client, server.address);
        bool is_good = talk(&client);

        all_done = !allocations_failed();
        assert_true(is_good || !all_done);
        failures += !all_done;
        client_close(&client);
        client_open(&other, server.address);
        client_puts(&other, "GET /ok HTTP/1.1\r\n" HOST "\r\n");
        assert_int_equal(client_status(&other), 200);
        client_close(&other);
        serving_stop(&server);
        if (check)
            check(is_good);
    }
    assert_true(failures > 3);
}

/* Sends what goes, half of it a little later, and reads to the end. */
static void exchange(test_client *client, const char *data, size_t len)
{
    size_t half = len / 2;

    (void)client_try_send(client, data, half, 1000);
    (void)client_has_input(client, 5);
    (void)client_try_send(client, data + half, len - half, 1000);
    (void)shutdown(client->fd, SHUT_WR);
    (void)client_read_end(client);
}

/* Whether the first answer is whole and 200. It may be an error or none, but never another 200. */
static bool is_answered(const test_client *client, const char *body)
{
    static const char good[] = "HTTP/1.1 200 ";

    if (client->have < sizeof good || memcmp(client->bytes, good, sizeof good - 1) != 0)
        return false;
    assert_non_null(memmem(client->bytes, client->have, "\r\n\r\n", 4));
    assert_non_null(memmem(client->bytes, client->have, body, strlen(body)));
    return true;
}

static bool form_session(test_client *client)
{
    static char request[4000];
    size_t len = (size_t)sprintf(request, "POST /form HTTP/1.1\r\n" HOST
                                          "Content-Type: application/x-www-form-urlencoded\r\n"
                                          "Content-Length: 3016\r\n\r\nname=a%%20b&rest=");

    memset(request + len, 'r', 3000);
    exchange(client, request, len + 3000);
    return is_answered(client, "\r\n\r\na b");
}

static int files_in_folder(void)
{
    DIR *open_folder = opendir(folder);
    int count = 0;

    assert_non_null(open_folder);
    while (readdir(open_folder))
        count++;
    closedir(open_folder);
    return count - 2;
}

static bool upload_session(test_client *client)
{
    static char request[FILE_BYTES + 2000], body[FILE_BYTES + 1000];
    size_t len =
        (size_t)sprintf(body, "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\ntext\r\n"
                              "--b\r\nContent-Disposition: form-data; name=\"f\"; "
                              "filename=\"x\"\r\nContent-Type: text/plain\r\n\r\n");

    memset(body + len, 'f', FILE_BYTES);
    len += FILE_BYTES;
    len += (size_t)sprintf(body + len, "\r\n--b--\r\n");
    size_t head = (size_t)sprintf(request,
                                  "POST /upload HTTP/1.1\r\n" HOST
                                  "Content-Type: multipart/form-data; boundary=b\r\n"
                                  "Content-Length: %zu\r\n\r\n",
                                  len);

    memcpy(request + head, body, len);
    exchange(client, request, head + len);
    return is_answered(client, "50000");
}

/* A file is whole or not there. */
static void check_upload(bool is_good)
{
    struct stat info;
    bool is_saved = stat(upload_path, &info) == 0;

    assert_true(is_saved || !is_good);
    if (is_saved) {
        assert_int_equal(info.st_size, FILE_BYTES);
        assert_int_equal(unlink(upload_path), 0);
    }
    assert_int_equal(files_in_folder(), 1); /* the log */
}

static bool cookie_session(test_client *client)
{
    static const char request[] =
        "GET /cookies HTTP/1.1\r\n" HOST "Cookie: a=1; b=two; c=3\r\nCookie: d=4\r\n"
        "Origin: https://a.example\r\n\r\n";

    exchange(client, request, sizeof request - 1);
    if (!is_answered(client, "\r\n\r\ntwo"))
        return false;
    assert_non_null(memmem(client->bytes, client->have, "Set-Cookie: copy=two", 20));
    assert_non_null(memmem(client->bytes, client->have, "Set-Cookie: b=;", 15));
    return true;
}

static bool session_session(test_client *client)
{
    static const char request[] = "GET /session HTTP/1.1\r\n" HOST "\r\n";

    exchange(client, request, sizeof request - 1);
    return is_answered(client, "\r\n\r\nkept");
}

/* Answers of all kinds, with what is around them. */
static bool middleware_session(test_client *client)
{
    static const char requests[] = "GET /ok HTTP/1.1\r\n" HOST "Origin: https://a.example\r\n\r\n"
                                   "GET /none HTTP/1.1\r\n" HOST "\r\n"
                                   "DELETE /moved HTTP/1.1\r\n" HOST "\r\n"
                                   "GET /moved HTTP/1.1\r\n" HOST "\r\n"
                                   "OPTIONS /ok HTTP/1.1\r\n" HOST "Origin: https://a.example\r\n"
                                   "Access-Control-Request-Method: GET\r\n\r\n"
                                   "GET /%zz HTTP/1.1\r\n" HOST "\r\n";

    exchange(client, requests, sizeof requests - 1);
    if (!is_answered(client, "\r\n\r\nok"))
        return false;
    assert_non_null(memmem(client->bytes, client->have, "\r\nX-Around: a value", 19));
    return true;
}

/* Whole, in parts, missing, a folder without an index, and an answer that is packed. */
static bool files_session(test_client *client)
{
    static const char requests[] =
        "GET /files/page.txt HTTP/1.1\r\n" HOST "Accept-Encoding: gzip\r\n\r\n"
        "GET /files/page.txt HTTP/1.1\r\n" HOST "Range: bytes=1-2,4-5\r\n\r\n"
        "GET /files/none.txt HTTP/1.1\r\n" HOST "\r\n"
        "GET /files HTTP/1.1\r\n" HOST "\r\n"
        "GET /packed HTTP/1.1\r\n" HOST "Accept-Encoding: gzip\r\n\r\n";

    exchange(client, requests, sizeof requests - 1);
    return is_answered(client, "\r\n\r\na page\n");
}

/* "Hello" as RFC 7692 7.2.3.1 packs it, again in two frames, and plain. */
static bool packed_websocket_session(test_client *client)
{
    static const char hello[] = "\xf2\x48\xcd\xc9\xc9\x07";
    char bytes[2000];
    size_t len = (size_t)sprintf(
        bytes, "GET /echo HTTP/1.1\r\n" HOST "Upgrade: websocket\r\nConnection: Upgrade\r\n"
               "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
               "Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover\r\n\r\n");

    len += client_ws_frame(bytes + len, 0xc1, hello, 7);
    len += client_ws_frame(bytes + len, 0x41, hello, 3);
    len += client_ws_frame(bytes + len, 0x80, hello + 3, 4);
    len += client_ws_frame(bytes + len, 0x81, "plain", 5);
    len += client_ws_frame(bytes + len, 0x88, "\x03\xe8", 2);
    exchange(client, bytes, len);
    return client->have > 12 && memcmp(client->bytes, "HTTP/1.1 101", 12) == 0 &&
           memmem(client->bytes, client->have, "\x88\x02\x03\xe8", 4);
}

static void files_and_packed_answers_survive_each_failing_allocation(void **state)
{
    char path[80];
    FILE *page;
    (void)state;

    snprintf(path, sizeof path, "%s/page.txt", folder);
    page = fopen(path, "w");
    assert_non_null(page);
    assert_true(fputs("a page\n", page) >= 0);
    assert_int_equal(fclose(page), 0);
    fail_each(files_session, NULL);
    assert_int_equal(unlink(path), 0);
}

static void packed_websocket_survives_each_failing_allocation(void **state)
{
    (void)state;
    fail_each(packed_websocket_session, NULL);
}

static void form_survives_each_failing_allocation(void **state)
{
    (void)state;
    fail_each(form_session, NULL);
}

static void upload_of_files_survives_each_failing_allocation(void **state)
{
    (void)state;
    fail_each(upload_session, check_upload);
}

static void cookies_survive_each_failing_allocation(void **state)
{
    (void)state;
    fail_each(cookie_session, NULL);
}

static void sessions_survive_each_failing_allocation(void **state)
{
    (void)state;
    fail_each(session_session, NULL);
}

static void middleware_and_hooks_survive_each_failing_allocation(void **state)
{
    (void)state;
    fail_each(middleware_session, NULL);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(upload_path, sizeof upload_path, "%s/upload", folder);
    snprintf(log_path, sizeof log_path, "%s/log", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(upload_path);
    unlink(log_path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_and_packed_answers_survive_each_failing_allocation),
        cmocka_unit_test(packed_websocket_survives_each_failing_allocation),
        cmocka_unit_test(form_survives_each_failing_allocation),
        cmocka_unit_test(upload_of_files_survives_each_failing_allocation),
        cmocka_unit_test(cookies_survive_each_failing_allocation),
        cmocka_unit_test(sessions_survive_each_failing_allocation),
        cmocka_unit_test(middleware_and_hooks_survive_each_failing_allocation),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
