/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "client.h"
#include "serving.h"

/* Files as answers: conditions, ranges, folders. */

#define HOST "Host: test\r\n"
#define LARGE_BYTES 300000
#define MODIFIED 784111777 /* Sun, 06 Nov 1994 08:49:37 GMT */
#define MODIFIED_TEXT "Sun, 06 Nov 1994 08:49:37 GMT"

static char folder[64];
static char large[LARGE_BYTES];

static const char *path_of(const char *name)
{
    static char path[256];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void make_file(const char *name, const void *data, size_t len)
{
    int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    struct timespec times[2] = {{.tv_sec = MODIFIED}, {.tv_sec = MODIFIED}};

    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, len), len);
    assert_int_equal(futimens(fd, times), 0);
    close(fd);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/lario_files_XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    for (size_t i = 0; i < LARGE_BYTES; i++)
        large[i] = (char)(i * 7 % 251);
    make_file("ten.txt", "0123456789", 10);
    make_file("empty", "", 0);
    make_file("large.bin", large, LARGE_BYTES);
    make_file("page.html", "<p>page</p>", 11);
    make_file("page.html.gz", "gz page", 7);
    make_file("page.html.br", "br page", 7);
    make_file("style.css", "css", 3);
    make_file("style.css.gz", "gz css", 6);
    make_file(".hidden", "secret", 6);
    mkdir(path_of("sub"), 0700);
    make_file("sub/index.html", "index", 5);
    make_file("sub/start.html", "start", 5);
    mkdir(path_of("odd"), 0700);
    mkdir(path_of("odd/index.html"), 0700);
    return mkfifo(path_of("fifo"), 0600);
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"ten.txt",        "empty",          "large.bin",
                                        "page.html",      "page.html.gz",   "page.html.br",
                                        "style.css",      "style.css.gz",   ".hidden",
                                        "sub/index.html", "sub/start.html", "fifo"};
    (void)state;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(path_of(names[i]));
    rmdir(path_of("odd/index.html"));
    rmdir(path_of("odd"));
    rmdir(path_of("sub"));
    return rmdir(folder);
}

static void start(serving *server, const lario_static_options *options)
{
    serving_init(server);
    lario_static_with(server->app, "/", folder, options);
    serving_start(server);
}

static void ask(serving *server, const char *method, const char *target, const char *fields,
                test_answer *got)
{
    char request[1024];
    test_client client;

    snprintf(request, sizeof request, "%s %s HTTP/1.1\r\n" HOST "%s\r\n", method, target, fields);
    client_open(&client, server->address);
    client_puts(&client, request);
    client_answer(&client, got, strcmp(method, "HEAD") == 0);
    client_close(&client);
}

/* The value of a field of the answer. */
static const char *field(const test_answer *got, const char *name)
{
    static char value[256];
    char start_of[64];

    snprintf(start_of, sizeof start_of, "\r\n%s: ", name);
    const char *at = strstr(got->head, start_of);

    if (!at)
        return NULL;
    at += strlen(start_of);
    snprintf(value, sizeof value, "%.*s", (int)strcspn(at, "\r"), at);
    return value;
}

static void expect(serving *server, const char *target, const char *fields, int status,
                   const char *body)
{
    test_answer got = {0};

    ask(server, "GET", target, fields, &got);
    assert_int_equal(got.status, status);
    if (body)
        assert_string_equal(got.body, body);
    answer_done(&got);
}

/* ---- Whole files ---- */

static void file_has_its_validators(void **state)
{
    serving server;
    test_answer got = {0};
    char etag[64];
    (void)state;

    start(&server, NULL);
    ask(&server, "GET", "/ten.txt", "", &got);
    assert_int_equal(got.status, 200);
    assert_string_equal(got.body, "0123456789");
    assert_string_equal(field(&got, "Last-Modified"), MODIFIED_TEXT);
    assert_string_equal(field(&got, "Accept-Ranges"), "bytes");
    strcpy(etag, field(&got, "ETag"));
    assert_int_equal(etag[0], '"');
    ask(&server, "GET", "/page.html", "", &got);
    assert_string_not_equal(field(&got, "ETag"), etag);
    ask(&server, "GET", "/empty", "", &got);
    assert_int_equal(got.status, 200);
    assert_int_equal(got.body_len, 0);
    ask(&server, "HEAD", "/large.bin", "", &got);
    assert_string_equal(field(&got, "Content-Length"), "300000");
    ask(&server, "GET", "/large.bin", "", &got);
    assert_int_equal(got.body_len, LARGE_BYTES);
    assert_memory_equal(got.body, large, LARGE_BYTES);
    answer_done(&got);
    serving_stop(&server);
}

/* ---- Conditions (RFC 9110 13) ---- */

/* `text` with the tag in the place of each '@'. */
static void put_tag(const char *text, const char *etag, char out[300])
{
    for (; *text; text++) {
        if (*text == '@')
            out = stpcpy(out, etag);
        else
            *out++ = *text;
    }
    *out = '\0';
}

static void conditions_are_judged_in_their_order(void **state)
{
    static const struct {
        const char *fields; /* @ is the file's tag */
        int status;
    } cases[] = {
        {"If-None-Match: @\r\n", 304},
        {"If-None-Match: \"x\", W/@\r\n", 304},
        {"If-None-Match: \"x\"\r\nIf-None-Match: @\r\n", 304},
        {"If-None-Match: *\r\n", 304},
        {"If-None-Match: \"x\"\r\n", 200},
        {"If-None-Match: \"x\"\r\nIf-Modified-Since: " MODIFIED_TEXT "\r\n", 200},
        {"If-Modified-Since: " MODIFIED_TEXT "\r\n", 304},
        {"If-Modified-Since: Sun, 06 Nov 1994 08:49:36 GMT\r\n", 200},
        {"If-Modified-Since: Sun Nov  6 08:49:37 1994\r\n", 304},
        {"If-Modified-Since: yesterday\r\n", 200},
        {"If-Match: @\r\n", 200},
        {"If-Match: W/@\r\n", 412},
        {"If-Match: \"x\"\r\n", 412},
        {"If-Match: *\r\n", 200},
        {"If-Unmodified-Since: " MODIFIED_TEXT "\r\n", 200},
        {"If-Unmodified-Since: Sun, 06 Nov 1994 08:49:36 GMT\r\n", 412},
        {"If-Match: @\r\nIf-None-Match: *\r\n", 304},
    };
    serving server;
    test_answer got = {0};
    char etag[64], fields[300];
    (void)state;

    start(&server, NULL);
    ask(&server, "GET", "/ten.txt", "", &got);
    strcpy(etag, field(&got, "ETag"));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put_tag(cases[i].fields, etag, fields);
        ask(&server, i % 2 ? "GET" : "HEAD", "/ten.txt", fields, &got);
        assert_int_equal(got.status, cases[i].status);
        if (got.status != 412)
            assert_string_equal(field(&got, "ETag"), etag);
    }
    answer_done(&got);
    serving_stop(&server);
}

/* ---- Ranges (RFC 9110 14) ---- */

static void range_is_a_part_of_the_file(void **state)
{
    static const struct {
        const char *range, *body, *content_range;
        int status;
    } cases[] = {
        {"bytes=0-0", "0", "bytes 0-0/10", 206},
        {"bytes=2-4", "234", "bytes 2-4/10", 206},
        {"bytes=7-", "789", "bytes 7-9/10", 206},
        {"bytes=-3", "789", "bytes 7-9/10", 206},
        {"bytes=-100", "0123456789", "bytes 0-9/10", 206},
        {"bytes=5-100", "56789", "bytes 5-9/10", 206},
        {"Bytes=0-99999999999999999999999", "0123456789", "bytes 0-9/10", 206},
        {"bytes=0-4,5-6", "0123456", "bytes 0-6/10", 206}, /* they touch */
        {"bytes=10-", NULL, "bytes */10", 416},
        {"bytes=-0", NULL, "bytes */10", 416},
        {"bytes=20-30,40-50", NULL, "bytes */10", 416},
        {"bytes=4-2", "0123456789", NULL, 200},
        {"bytes=", "0123456789", NULL, 200},
        {"bytes=a-b", "0123456789", NULL, 200},
        {"lines=0-1", "0123456789", NULL, 200},
    };
    serving server;
    test_answer got = {0};
    char fields[100];
    (void)state;

    start(&server, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(fields, sizeof fields, "Range: %s\r\n", cases[i].range);
        ask(&server, "GET", "/ten.txt", fields, &got);
        assert_int_equal(got.status, cases[i].status);
        if (cases[i].body)
            assert_string_equal(got.body, cases[i].body);
        if (cases[i].content_range)
            assert_string_equal(field(&got, "Content-Range"), cases[i].content_range);
        else
            assert_null(field(&got, "Content-Range"));
    }
    ask(&server, "HEAD", "/ten.txt", "Range: bytes=0-0\r\n", &got);
    assert_int_equal(got.status, 200);
    ask(&server, "GET", "/large.bin", "Range: bytes=1000-250000\r\n", &got);
    assert_int_equal(got.body_len, 249001);
    assert_memory_equal(got.body, large + 1000, 249001);
    answer_done(&got);
    serving_stop(&server);
}

static void several_ranges_are_parts(void **state)
{
    serving server;
    test_answer got = {0};
    char expected[1000], boundary[64];
    (void)state;

    start(&server, NULL);
    ask(&server, "GET", "/ten.txt", "Range: bytes=0-1, -2\r\n", &got);
    assert_int_equal(got.status, 206);
    assert_null(field(&got, "Content-Range"));
    const char *type = field(&got, "Content-Type");

    assert_int_equal(strncmp(type, "multipart/byteranges; boundary=", 31), 0);
    strcpy(boundary, type + 31);
    snprintf(expected, sizeof expected,
             "\r\n--%s\r\nContent-Type: text/plain; charset=utf-8\r\n"
             "Content-Range: bytes 0-1/10\r\n\r\n01"
             "\r\n--%s\r\nContent-Type: text/plain; charset=utf-8\r\n"
             "Content-Range: bytes 8-9/10\r\n\r\n89"
             "\r\n--%s--\r\n",
             boundary, boundary, boundary);
    assert_string_equal(got.body, expected);
    ask(&server, "GET", "/large.bin", "Range: bytes=0-99999,200000-299999\r\n", &got);
    assert_int_equal(got.status, 206);
    assert_non_null(memmem(got.body, got.body_len, large + 200000, 100000));
    answer_done(&got);
    serving_stop(&server);
}

static void ranges_have_a_limit(void **state)
{
    serving server;
    (void)state;

    serving_init(&server);
    server.limits.ranges_max = 3;
    lario_static(server.app, "/", folder);
    serving_start(&server);
    expect(&server, "/ten.txt", "Range: bytes=0-0,2-2,4-4\r\n", 206, NULL);
    expect(&server, "/ten.txt", "Range: bytes=0-0,2-2,4-4,6-6\r\n", 200, "0123456789");
    serving_stop(&server);
}

static void if_range_wants_the_same_file(void **state)
{
    serving server;
    test_answer got = {0};
    char fields[200], etag[64];
    (void)state;

    start(&server, NULL);
    ask(&server, "GET", "/ten.txt", "", &got);
    strcpy(etag, field(&got, "ETag"));
    answer_done(&got);
    snprintf(fields, sizeof fields, "Range: bytes=0-1\r\nIf-Range: %s\r\n", etag);
    expect(&server, "/ten.txt", fields, 206, "01");
    snprintf(fields, sizeof fields, "Range: bytes=0-1\r\nIf-Range: W/%s\r\n", etag);
    expect(&server, "/ten.txt", fields, 200, NULL);
    expect(&server, "/ten.txt", "Range: bytes=0-1\r\nIf-Range: \"x\"\r\n", 200, NULL);
    expect(&server, "/ten.txt", "Range: bytes=0-1\r\nIf-Range: " MODIFIED_TEXT "\r\n", 206, "01");
    expect(&server, "/ten.txt", "Range: bytes=0-1\r\nIf-Range: Sun, 06 Nov 1994 08:49:38 GMT\r\n",
           200, NULL);
    serving_stop(&server);
}

/* ---- Folders ---- */

static void folder_options_are_followed(void **state)
{
    const lario_static_options options = {
        .index = "start.html", .cache_control = "max-age=60", .shows_dot_files = true};
    serving server;
    test_answer got = {0};
    (void)state;

    start(&server, &options);
    ask(&server, "GET", "/sub/", "", &got);
    assert_string_equal(got.body, "start");
    assert_string_equal(field(&got, "Cache-Control"), "max-age=60");
    answer_done(&got);
    expect(&server, "/.hidden", "", 200, "secret");
    expect(&server, "/sub/../ten.txt", "", 404, NULL);
    expect(&server, "/sub/./start.html", "", 404, NULL);
    expect(&server, "/sub/%2e%2e/ten.txt", "", 404, NULL);
    serving_stop(&server);
    start(&server, NULL);
    expect(&server, "/sub/", "", 200, "index");
    expect(&server, "/sub", "", 301, NULL);
    expect(&server, "/.hidden", "", 404, NULL);
    expect(&server, "/odd/", "", 404, NULL); /* the index is a folder */
    expect(&server, "/fifo", "", 404, NULL);
    expect(&server, "/none", "", 404, NULL);
    serving_stop(&server);
    start(&server, &(lario_static_options){.fallback = "page.html"});
    expect(&server, "/any/where", "", 200, "<p>page</p>");
    expect(&server, "/sub/", "", 200, "<p>page</p>"); /* there is no index */
    expect(&server, "/ten.txt", "", 200, "0123456789");
    serving_stop(&server);
}

static void compressed_sibling_is_given(void **state)
{
    static const struct {
        const char *target, *accept, *body, *encoding;
    } cases[] = {
        {"/page.html", "gzip, br", "br page", "br"},
        {"/page.html", "gzip", "gz page", "gzip"},
        {"/page.html", "br;q=0.1, gzip", "gz page", "gzip"},
        {"/page.html", "identity", "<p>page</p>", NULL},
        {"/style.css", "gzip, br", "gz css", "gzip"},
        {"/style.css", "br", "css", NULL},
        {"/ten.txt", "gzip, br", "0123456789", NULL},
    };
    serving server;
    test_answer got = {0};
    char fields[100], plain_tag[64];
    (void)state;

    start(&server, &(lario_static_options){.has_compressed = true});
    ask(&server, "GET", "/page.html", "", &got);
    strcpy(plain_tag, field(&got, "ETag"));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(fields, sizeof fields, "Accept-Encoding: %s\r\n", cases[i].accept);
        ask(&server, "GET", cases[i].target, fields, &got);
        assert_string_equal(got.body, cases[i].body);
        assert_string_equal(field(&got, "Vary"), "Accept-Encoding");
        if (cases[i].encoding)
            assert_string_equal(field(&got, "Content-Encoding"), cases[i].encoding);
        else
            assert_null(field(&got, "Content-Encoding"));
        if (strcmp(cases[i].target, "/page.html") == 0) {
            assert_string_equal(field(&got, "Content-Type"), "text/html; charset=utf-8");
            assert_int_equal(strcmp(field(&got, "ETag"), plain_tag) == 0, !cases[i].encoding);
        }
    }
    answer_done(&got);
    serving_stop(&server);
}

/* An error page has nothing of the file: a client would unpack it, or keep it as the file. */
static void error_has_none_of_the_files_fields(void **state)
{
    static const struct {
        const char *fields;
        int status;
    } cases[] = {{"Range: bytes=9000-\r\n", 416}, {"If-Match: \"zz\"\r\n", 412}};
    static const char *const names[] = {"Content-Encoding", "ETag", "Last-Modified",
                                        "Cache-Control"};
    serving server;
    test_answer got = {0};
    char fields[100];
    (void)state;

    start(&server, &(lario_static_options){.has_compressed = true, .cache_control = "max-age=9"});
    for (size_t i = 0; i < 2; i++) {
        snprintf(fields, sizeof fields, "Accept-Encoding: gzip\r\n%s", cases[i].fields);
        ask(&server, "GET", "/page.html", fields, &got);
        assert_int_equal(got.status, cases[i].status);
        for (size_t k = 0; k < 4; k++)
            assert_null(field(&got, names[k]));
    }
    answer_done(&got);
    serving_stop(&server);
}

static void last_modified_is_never_to_come(void **state)
{
    const struct timespec times[2] = {{.tv_sec = 4000000000}, {.tv_sec = 4000000000}};
    serving server;
    test_answer got = {0};
    (void)state;

    make_file("later", "x", 1);
    assert_int_equal(utimensat(AT_FDCWD, path_of("later"), times, 0), 0);
    start(&server, NULL);
    ask(&server, "GET", "/later", "", &got);
    assert_null(strstr(field(&got, "Last-Modified"), "2096"));
    answer_done(&got);
    serving_stop(&server);
    unlink(path_of("later"));
}

/* ---- lario_reply_file() ---- */

static int sends_file(lario_req *req)
{
    const char *name = lario_query(req, "as");
    int rc = lario_reply_file(req, path_of(lario_query(req, "file")),
                              &(lario_file_options){.type = "x/y", .download_name = name});

    if (rc < 0)
        note(rc);
    return rc == -ENOENT || rc == LARIO_EINVAL ? lario_reply_error(req, 404) : rc;
}

static void file_is_sent_as_attachment(void **state)
{
    static const struct {
        const char *as, *disposition;
    } cases[] = {
        {"a.txt", "attachment; filename=\"a.txt\""},
        {"a%22b%5cc", "attachment; filename=\"a_b_c\"; filename*=UTF-8''a%22b%5Cc"},
        {"%c3%bc%0d%0aX:%20y",
         "attachment; filename=\"____X: y\"; filename*=UTF-8''%C3%BC%0D%0AX%3A%20y"},
    };
    serving server;
    test_answer got = {0};
    char target[100];
    (void)state;

    serving_init(&server);
    lario_any(server.app, "/", sends_file);
    serving_start(&server);
    for (size_t i = 0; i < 3; i++) {
        snprintf(target, sizeof target, "/?file=ten.txt&as=%s", cases[i].as);
        ask(&server, "GET", target, "", &got);
        assert_int_equal(got.status, 200);
        assert_string_equal(field(&got, "Content-Type"), "x/y");
        assert_string_equal(field(&got, "Content-Disposition"), cases[i].disposition);
    }
    ask(&server, "POST", "/?file=ten.txt", "Range: bytes=0-0\r\nIf-None-Match: *\r\n", &got);
    assert_int_equal(got.status, 200);
    assert_string_equal(got.body, "0123456789");
    ask(&server, "GET", "/?file=none", "", &got);
    assert_int_equal(got.status, 404);
    assert_int_equal(next_note(), -ENOENT);
    ask(&server, "GET", "/?file=sub", "", &got);
    assert_int_equal(next_note(), LARIO_EINVAL);
    ask(&server, "GET", "/?file=fifo", "", &got);
    assert_int_equal(next_note(), LARIO_EINVAL);
    answer_done(&got);
    serving_stop(&server);
}

/* The head has gone out when it turns out that the file is shorter than it was. */
static void file_that_becomes_shorter_cuts_the_connection(void **state)
{
    static char zeros[8 << 20];
    serving server;
    test_client client;
    (void)state;

    make_file("shrinking", zeros, sizeof zeros);
    start(&server, NULL);
    client_open_narrow(&client, server.address, 4096);
    client_puts(&client, "GET /shrinking HTTP/1.1\r\n" HOST "\r\n");
    assert_true(client_fill(&client, 1000));
    assert_int_equal(truncate(path_of("shrinking"), 1000), 0);
    (void)client_read_end(&client);
    assert_true(client.have < sizeof zeros);
    client_close(&client);
    serving_stop(&server);
    unlink(path_of("shrinking"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_has_its_validators),
        cmocka_unit_test(conditions_are_judged_in_their_order),
        cmocka_unit_test(range_is_a_part_of_the_file),
        cmocka_unit_test(several_ranges_are_parts),
        cmocka_unit_test(ranges_have_a_limit),
        cmocka_unit_test(if_range_wants_the_same_file),
        cmocka_unit_test(folder_options_are_followed),
        cmocka_unit_test(compressed_sibling_is_given),
        cmocka_unit_test(error_has_none_of_the_files_fields),
        cmocka_unit_test(last_modified_is_never_to_come),
        cmocka_unit_test(file_is_sent_as_attachment),
        cmocka_unit_test(file_that_becomes_shorter_cuts_the_connection),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
