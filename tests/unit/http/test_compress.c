/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <brotli/decode.h>
#include <brotli/encode.h>
#include <cmocka.h>
#include <zlib.h>

#include "client.h"
#include "serving.h"

/* Compressed answers and inflated bodies. */

#define HOST "Host: test\r\n"
#define TEXT_BYTES 20000

static char content[TEXT_BYTES + 1];

static int make_content(void **state)
{
    (void)state;
    for (size_t i = 0; i < TEXT_BYTES; i++)
        content[i] = (char)('a' + (i * i / 7) % 11);
    return 0;
}

static size_t gunzip(const char *data, size_t len, char *out, size_t size)
{
    z_stream zlib = {.next_in = (Bytef *)data,
                     .avail_in = (uInt)len,
                     .next_out = (Bytef *)out,
                     .avail_out = (uInt)size};

    assert_int_equal(inflateInit2(&zlib, 31), Z_OK);
    assert_int_equal(inflate(&zlib, Z_FINISH), Z_STREAM_END);
    size_t got = zlib.total_out;

    inflateEnd(&zlib);
    return got;
}

static size_t gzip(const char *data, size_t len, char *out, size_t size)
{
    z_stream zlib = {.next_in = (Bytef *)data,
                     .avail_in = (uInt)len,
                     .next_out = (Bytef *)out,
                     .avail_out = (uInt)size};

    assert_int_equal(deflateInit2(&zlib, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&zlib, Z_FINISH), Z_STREAM_END);
    size_t got = zlib.total_out;

    deflateEnd(&zlib);
    return got;
}

/* ---- Answers ---- */

static int whole(lario_req *req)
{
    return lario_reply(req, 200, "text/plain; charset=utf-8", content);
}

static int tagged(lario_req *req)
{
    int rc = lario_add_header(req, "ETag", "\"v1\"");

    if (rc == 0)
        rc = lario_add_header(req, "X-After", "kept");
    return rc < 0 ? rc : lario_reply(req, 200, "application/vnd.x+json", content);
}

static int in_parts(lario_req *req)
{
    int rc = lario_reply_start(req, 200, "text/html");

    for (size_t at = 0; rc == 0 && at < TEXT_BYTES; at += 1000)
        rc = lario_reply_write(req, content + at, 1000);
    return rc;
}

static int no_parts(lario_req *req)
{
    return lario_reply_start(req, 200, "text/html");
}

static int of_known_length(lario_req *req)
{
    int rc = lario_reply_start_sized(req, 200, "text/html", 1000);

    return rc < 0 ? rc : lario_reply_write(req, content, 1000);
}

static int encoded_already(lario_req *req)
{
    int rc = lario_add_header(req, "Content-Encoding", "x-own");

    return rc < 0 ? rc : lario_reply(req, 200, "text/plain", content);
}

static int not_to_transform(lario_req *req)
{
    int rc = lario_add_header(req, "Cache-Control", "public, No-Transform");

    return rc < 0 ? rc : lario_reply(req, 200, "text/plain", content);
}

static int image(lario_req *req)
{
    return lario_reply(req, 200, "image/png", content);
}

static int short_text(lario_req *req)
{
    return lario_reply_bytes(req, 200, "text/plain", content, 255);
}

static int long_enough(lario_req *req)
{
    return lario_reply_bytes(req, 200, "text/plain", content, 256);
}

static int random_text(lario_req *req)
{
    char noise[1000];
    uint32_t x = 1;

    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (char)((x = x * 1664525 + 1013904223) >> 24);
    return lario_reply_bytes(req, 200, "text/plain", noise, sizeof noise);
}

static void start(serving *server)
{
    static const struct {
        const char *path;
        lario_handler handler;
    } routes[] = {
        {"/whole", whole},      {"/tagged", tagged},          {"/parts", in_parts},
        {"/none", no_parts},    {"/sized", of_known_length},  {"/encoded", encoded_already},
        {"/image", image},      {"/fixed", not_to_transform}, {"/short", short_text},
        {"/long", long_enough}, {"/random", random_text},
    };

    serving_init(server);
    lario_use_compression(server->app, "/", NULL);
    for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++)
        lario_get(server->app, routes[i].path, routes[i].handler);
    serving_start(server);
}

static void ask(serving *server, const char *method, const char *path, const char *accept,
                test_answer *got)
{
    char request[256];
    test_client client;

    snprintf(request, sizeof request, "%s %s HTTP/1.1\r\n" HOST "%s%s\r\n\r\n", method, path,
             accept ? "Accept-Encoding: " : "X: ", accept ? accept : "y");
    client_open(&client, server->address);
    client_puts(&client, request);
    client_answer(&client, got, strcmp(method, "HEAD") == 0);
    client_close(&client);
    assert_int_equal(got->status, 200);
}

static void check_gzip(const test_answer *got)
{
    static char plain[TEXT_BYTES + 1];

    assert_non_null(strstr(got->head, "Content-Encoding: gzip\r\n"));
    assert_non_null(strstr(got->head, "Vary: Accept-Encoding\r\n"));
    assert_int_equal(gunzip(got->body, got->body_len, plain, sizeof plain), TEXT_BYTES);
    assert_memory_equal(plain, content, TEXT_BYTES);
}

static void whole_answer_is_compressed_as_the_client_accepts(void **state)
{
    static char plain[TEXT_BYTES];
    size_t plain_len = sizeof plain;
    serving server;
    test_answer got = {0};
    (void)state;

    start(&server);
    ask(&server, "GET", "/whole", "gzip", &got);
    check_gzip(&got);
    assert_true(got.body_len < TEXT_BYTES / 2);
    ask(&server, "GET", "/whole", "gzip, br", &got);
    assert_non_null(strstr(got.head, "Content-Encoding: br\r\n"));
    assert_int_equal(
        BrotliDecoderDecompress(got.body_len, (uint8_t *)got.body, &plain_len, (uint8_t *)plain),
        BROTLI_DECODER_RESULT_SUCCESS);
    assert_int_equal(plain_len, TEXT_BYTES);
    assert_memory_equal(plain, content, TEXT_BYTES);
    ask(&server, "GET", "/whole", NULL, &got);
    assert_null(strstr(got.head, "Content-Encoding"));
    assert_non_null(strstr(got.head, "Vary: Accept-Encoding\r\n"));
    assert_string_equal(got.body, content);
    answer_done(&got);
    serving_stop(&server);
}

static void head_says_what_get_would(void **state)
{
    serving server;
    test_answer get = {0}, head = {0};
    (void)state;

    start(&server);
    ask(&server, "GET", "/whole", "gzip", &get);
    ask(&server, "HEAD", "/whole", "gzip", &head);
    assert_string_equal(strchr(get.head, '\n') + 1 + 37, strchr(head.head, '\n') + 1 + 37);
    ask(&server, "HEAD", "/parts", "gzip", &head);
    assert_non_null(strstr(head.head, "Content-Encoding: gzip\r\n"));
    answer_done(&get);
    answer_done(&head);
    serving_stop(&server);
}

static void strong_etag_becomes_weak(void **state)
{
    serving server;
    test_answer got = {0};
    (void)state;

    start(&server);
    ask(&server, "GET", "/tagged", "gzip", &got);
    check_gzip(&got);
    assert_non_null(strstr(got.head, "ETag: W/\"v1\"\r\nX-After: kept\r\n"));
    ask(&server, "GET", "/tagged", NULL, &got);
    assert_non_null(strstr(got.head, "ETag: \"v1\"\r\n"));
    answer_done(&got);
    serving_stop(&server);
}

static void answer_in_parts_is_one_stream(void **state)
{
    char plain[10];
    serving server;
    test_answer got = {0};
    (void)state;

    start(&server);
    ask(&server, "GET", "/parts", "gzip", &got);
    check_gzip(&got);
    ask(&server, "GET", "/none", "gzip", &got);
    assert_int_equal(gunzip(got.body, got.body_len, plain, sizeof plain), 0);
    answer_done(&got);
    serving_stop(&server);
}

static void some_answers_are_not_compressed(void **state)
{
    static const char *const paths[] = {"/sized", "/encoded", "/image",
                                        "/fixed", "/short",   "/random"};
    serving server;
    test_answer got = {0};
    (void)state;

    start(&server);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        ask(&server, "GET", paths[i], "gzip", &got);
        assert_null(strstr(got.head, "Content-Encoding: gzip"));
    }
    ask(&server, "GET", "/long", "gzip", &got);
    assert_non_null(strstr(got.head, "Content-Encoding: gzip"));
    answer_done(&got);
    serving_stop(&server);
}

static int replies_again(lario_req *req)
{
    note(lario_reply(req, 200, "text/html\nX", content));
    note(lario_reply_start(req, 200, "text/html\nX"));
    return lario_reply(req, 200, "image/png", content);
}

static void answer_that_did_not_begin_leaves_no_fields(void **state)
{
    serving server;
    test_answer got = {0};
    (void)state;

    serving_init(&server);
    lario_use_compression(server.app, "/", NULL);
    lario_get(server.app, "/", replies_again);
    serving_start(&server);
    ask(&server, "GET", "/", "gzip", &got);
    assert_int_equal(next_note(), LARIO_EHEADER);
    assert_int_equal(next_note(), LARIO_EHEADER);
    assert_null(strstr(got.head, "Content-Encoding"));
    assert_string_equal(got.body, content);
    answer_done(&got);
    serving_stop(&server);
}

static int not_modified(lario_req *req)
{
    int rc = lario_add_header(req, "ETag", "\"v1\"");

    return rc < 0 ? rc : lario_reply(req, 304, NULL, NULL);
}

static void not_modified_says_what_the_answer_would(void **state)
{
    serving server;
    test_client client;
    test_answer got = {0};
    (void)state;

    serving_init(&server);
    lario_use_compression(server.app, "/", NULL);
    lario_get(server.app, "/", not_modified);
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client,
                "GET / HTTP/1.1\r\n" HOST "Accept-Encoding: x\r\nAccept-Encoding: gzip\r\n\r\n");
    client_answer(&client, &got, true);
    assert_int_equal(got.status, 304);
    assert_non_null(strstr(got.head, "Vary: Accept-Encoding\r\n"));
    assert_non_null(strstr(got.head, "ETag: W/\"v1\"\r\n"));
    answer_done(&got);
    client_close(&client);
    serving_stop(&server);
}

static void encoders_are_used_again(void **state)
{
    serving server;
    test_answer got = {0};
    (void)state;

    start(&server);
    for (int i = 0; i < 50; i++) {
        ask(&server, "GET", i % 3 ? "/parts" : "/whole", i % 2 ? "gzip" : "br", &got);
        if (i % 2)
            check_gzip(&got);
    }
    answer_done(&got);
    serving_stop(&server);
}

static void levels_must_exist(void **state)
{
    const lario_compression bad[] = {{NULL, 0, 10, 0}, {NULL, 0, -1, 0}, {NULL, 0, 1, 12}};
    (void)state;

    for (size_t i = 0; i < 3; i++) {
        lario_app *app = lario_app_new();

        lario_app_listen(app, "127.0.0.1:0");
        lario_use_compression(app, "/", &bad[i]);
        assert_int_equal(lario_app_start(app), LARIO_EINVAL);
        lario_app_free(app);
    }
}

/* ---- Bodies ---- */

static int reads_whole(lario_req *req)
{
    const char *data;
    size_t len;
    int rc = lario_inflate_body(req);

    if (rc == 0)
        rc = lario_body(req, &data, &len);
    return rc < 0 ? rc : lario_replyf(req, 200, NULL, "%zu %.5s", len, data);
}

static int reads_in_parts(lario_req *req)
{
    char buffer[777];
    size_t len = 0;
    int rc = lario_inflate_body(req);

    while (rc >= 0 && (rc = lario_body_read(req, buffer, sizeof buffer)) > 0) {
        if (memcmp(buffer, content + len, (size_t)rc) != 0)
            return LARIO_EINVAL;
        len += (size_t)rc;
    }
    return rc < 0 ? rc : lario_replyf(req, 200, NULL, "%zu", len);
}

static void start_bodies(serving *server)
{
    serving_init(server);
    lario_post(server->app, "/whole", reads_whole);
    lario_post(server->app, "/parts", reads_in_parts);
    server->limits.body_bytes_max = TEXT_BYTES;
    serving_start(server);
}

static void post(serving *server, const char *path, const char *coding, const void *body,
                 size_t len, test_answer *got)
{
    char head[256];
    test_client client;

    snprintf(head, sizeof head,
             "POST %s HTTP/1.1\r\n" HOST "Content-Encoding: %s\r\nContent-Length: %zu\r\n\r\n",
             path, coding, len);
    client_open(&client, server->address);
    client_puts(&client, head);
    client_send(&client, body, len);
    client_answer(&client, got, false);
    client_close(&client);
}

static void compressed_body_is_inflated(void **state)
{
    static char packed[TEXT_BYTES];
    size_t br_len = sizeof packed, len;
    uLongf zlib_len = sizeof packed;
    serving server;
    test_answer got = {0};
    (void)state;

    start_bodies(&server);
    len = gzip(content, TEXT_BYTES, packed, sizeof packed);
    post(&server, "/whole", "gzip", packed, len, &got);
    assert_string_equal(got.body, "20000 aaabc");
    post(&server, "/parts", "X-GZIP", packed, len, &got);
    assert_string_equal(got.body, "20000");
    assert_int_equal(compress((Bytef *)packed, &zlib_len, (Bytef *)content, TEXT_BYTES), Z_OK);
    post(&server, "/parts", "deflate", packed, zlib_len, &got);
    assert_string_equal(got.body, "20000");
    assert_true(BrotliEncoderCompress(5, 22, BROTLI_MODE_TEXT, TEXT_BYTES, (uint8_t *)content,
                                      &br_len, (uint8_t *)packed));
    post(&server, "/parts", "br", packed, br_len, &got);
    assert_string_equal(got.body, "20000");
    post(&server, "/whole", "identity", "plain", 5, &got);
    assert_string_equal(got.body, "5 plain");
    post(&server, "/whole", "gzip", "", 0, &got);
    assert_string_equal(got.body, "0 ");
    /* Two members are one body (RFC 1952 2.2). */
    len = gzip(content, 1000, packed, sizeof packed);
    len += gzip(content + 1000, 1000, packed + len, sizeof packed - len);
    post(&server, "/parts", "gzip", packed, len, &got);
    assert_string_equal(got.body, "2000");
    answer_done(&got);
    serving_stop(&server);
}

static void unknown_coding_is_415(void **state)
{
    static const char *const codings[] = {"compress", "gzip, br", "gzip, gzip", "zstd",
                                          "gzip\r\nContent-Encoding: gzip"};
    serving server;
    test_answer got = {0};
    (void)state;

    start_bodies(&server);
    for (size_t i = 0; i < 5; i++) {
        post(&server, "/whole", codings[i], "x", 1, &got);
        assert_int_equal(got.status, 415);
        assert_non_null(strstr(got.head, "Accept-Encoding: gzip, deflate, br\r\n"));
    }
    answer_done(&got);
    serving_stop(&server);
}

static void malformed_or_cut_body_is_400(void **state)
{
    static char packed[TEXT_BYTES];
    serving server;
    test_answer got = {0};
    size_t len = gzip(content, TEXT_BYTES, packed, sizeof packed - 1);
    (void)state;

    start_bodies(&server);
    for (size_t cut = 1; cut < len; cut += cut < 30 || cut > len - 30 ? 1 : 997) {
        post(&server, cut % 2 ? "/whole" : "/parts", "gzip", packed, cut, &got);
        assert_int_equal(got.status, 400);
    }
    post(&server, "/whole", "gzip", "plain text", 10, &got);
    assert_int_equal(got.status, 400);
    post(&server, "/whole", "br", "\xff\xff\xff\xff", 4, &got);
    assert_int_equal(got.status, 400);
    packed[len] = 'x';
    post(&server, "/whole", "gzip", packed, len + 1, &got);
    assert_int_equal(got.status, 400);
    answer_done(&got);
    serving_stop(&server);
}

static void inflated_bytes_have_the_limits(void **state)
{
    static char zeros[TEXT_BYTES + 1], packed[10000];
    serving server;
    test_answer got = {0};
    (void)state;

    start_bodies(&server);
    size_t len = gzip(zeros, TEXT_BYTES, packed, sizeof packed);

    post(&server, "/whole", "gzip", packed, len, &got);
    assert_int_equal(got.status, 200);
    len = gzip(zeros, TEXT_BYTES + 1, packed, sizeof packed);
    post(&server, "/whole", "gzip", packed, len, &got);
    assert_int_equal(got.status, 413);
    serving_stop(&server);
    answer_done(&got);
}

static int counts(lario_req *req)
{
    char buffer[4096];
    long long len = 0;
    int rc = lario_inflate_body(req);

    while (rc >= 0 && (rc = lario_body_read(req, buffer, sizeof buffer)) > 0)
        len += rc;
    return rc < 0 ? rc : lario_replyf(req, 200, NULL, "%lld", len);
}

/* A window of 16 MiB, which the encoder of Brotli says in its first byte (RFC 7932 9.1). */
static void large_window_of_brotli_is_413(void **state)
{
    static uint8_t noise[6 << 20], packed_br[7 << 20];
    size_t len = sizeof packed_br;
    serving server;
    test_answer got = {0};
    (void)state;

    for (uint32_t i = 0, x = 1; i < sizeof noise; i++)
        noise[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
    serving_init(&server);
    lario_post(server.app, "/", counts);
    serving_start(&server);
    assert_true(
        BrotliEncoderCompress(1, 24, BROTLI_MODE_GENERIC, sizeof noise, noise, &len, packed_br));
    post(&server, "/", "br", packed_br, len, &got);
    assert_int_equal(got.status, 413);
    answer_done(&got);
    serving_stop(&server);
}

static void ratio_of_inflation_has_a_limit(void **state)
{
    static char zeros[3000000], packed[10000];
    serving server;
    test_answer got = {0};
    (void)state;

    size_t len = gzip(zeros, sizeof zeros, packed, sizeof packed);

    for (uint32_t ratio = 100; ratio <= 2000; ratio += 1900) {
        serving_init(&server);
        lario_post(server.app, "/", counts);
        server.limits.inflate_ratio_max = ratio;
        serving_start(&server);
        post(&server, "/", "gzip", packed, len, &got);
        assert_int_equal(got.status, ratio == 100 ? 413 : 200);
        if (ratio == 2000)
            assert_string_equal(got.body, "3000000");
        serving_stop(&server);
    }
    answer_done(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_answer_is_compressed_as_the_client_accepts),
        cmocka_unit_test(head_says_what_get_would),
        cmocka_unit_test(strong_etag_becomes_weak),
        cmocka_unit_test(answer_in_parts_is_one_stream),
        cmocka_unit_test(some_answers_are_not_compressed),
        cmocka_unit_test(answer_that_did_not_begin_leaves_no_fields),
        cmocka_unit_test(not_modified_says_what_the_answer_would),
        cmocka_unit_test(encoders_are_used_again),
        cmocka_unit_test(levels_must_exist),
        cmocka_unit_test(compressed_body_is_inflated),
        cmocka_unit_test(unknown_coding_is_415),
        cmocka_unit_test(malformed_or_cut_body_is_400),
        cmocka_unit_test(inflated_bytes_have_the_limits),
        cmocka_unit_test(large_window_of_brotli_is_413),
        cmocka_unit_test(ratio_of_inflation_has_a_limit),
    };

    return cmocka_run_group_tests(tests, make_content, NULL);
}
