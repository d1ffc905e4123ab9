/* SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "client.h"
#include "serving.h"

/* Forms and parts, through a whole server. */

#define HOST "Host: test\r\n"
#define FORM "Content-Type: application/x-www-form-urlencoded\r\n"
#define PARTS "Content-Type: multipart/form-data; boundary=b\r\n"
#define PART(name, data)                                                                           \
    "--b\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n" data "\r\n"
#define FILE_PART(file, data)                                                                      \
    "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"" file "\"\r\n\r\n" data "\r\n"

static char folder[64];
static char saved_path[128];

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

static void post(test_client *client, const char *fields, const char *body, size_t len)
{
    char head[512];

    snprintf(head, sizeof head, "POST / HTTP/1.1\r\n" HOST "%sContent-Length: %zu\r\n\r\n", fields,
             len);
    client_puts(client, head);
    client_send(client, body, len);
}

static void expect(test_client *client, const char *fields, const char *body, int status,
                   const char *answer)
{
    test_answer got = {0};

    post(client, fields, body, strlen(body));
    client_answer(client, &got, false);
    assert_int_equal(got.status, status);
    if (answer)
        assert_string_equal(got.body, answer);
    answer_done(&got);
}

/* On a connection of its own: most failures end it. */
static void expect_new(serving *server, const char *fields, const char *body, int status,
                       const char *answer)
{
    test_client client;

    client_open(&client, server->address);
    expect(&client, fields, body, status, answer);
    client_close(&client);
}

/* ---- Forms ---- */

static int list_form(lario_req *req)
{
    const char *name, *value;
    int rc = lario_form_read(req);

    if (rc == 0)
        rc = lario_form_read(req); /* twice is once */
    if (rc == 0)
        rc = lario_reply_start(req, 200, "text/plain");
    for (size_t i = 0; rc == 0 && lario_form_at(req, i, &name, &value) == 0; i++) {
        const char *line = lario_format(req, "%s=%s;", name, value);

        rc = lario_reply_puts(req, line);
    }
    return rc;
}

static void form_is_decoded_in_its_order(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client, list_form);
    expect(&client, FORM, "a=1&b=x+y%26&c&a=2&=e", 200, "a=1;b=x y&;c=;a=2;=e;");
    expect(&client, FORM, "", 200, "");
    expect(&client, "Content-Type: Application/X-WWW-form-urlencoded; charset=utf-8\r\n", "k=v",
           200, "k=v;");
    stop(&server, &client);
}

static void bad_forms_give_their_status(void **state)
{
    static const struct {
        const char *fields, *body;
        int status;
    } cases[] = {
        {"", "a=1", 415},      {"Content-Type: text/plain\r\n", "a=1", 415},
        {FORM, "a=%zz", 400},  {FORM, "a=%00", 400},
        {PARTS, "--b--", 415},
    };
    serving server;
    test_client client;
    (void)state;

    start(&server, &client, list_form);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_new(&server, cases[i].fields, cases[i].body, cases[i].status, NULL);
    stop(&server, &client);
}

static void form_fields_have_a_limit(void **state)
{
    serving server;
    (void)state;

    serving_init(&server);
    server.limits.form_fields_max = 3;
    lario_any(server.app, "/", list_form);
    serving_start(&server);
    expect_new(&server, FORM, "a&b&c", 200, "a=;b=;c=;");
    expect_new(&server, FORM, "a&b&c&d", 413, NULL);
    serving_stop(&server);
}

/* ---- Parts ---- */

static int list_parts(lario_req *req)
{
    char *text = lario_format(req, "%s", "");
    lario_part part;
    int rc;

    while ((rc = lario_part_next(req, &part)) > 0) {
        const char *value = NULL;

        if (strcmp(part.name, "skip") == 0) {
            text = lario_format(req, "%s(skipped)", text);
            continue;
        }
        rc = lario_part_text(req, 100, &value, NULL);
        if (rc < 0)
            return rc;
        text = lario_format(req, "%s%s[%s]=%s;", text, part.name,
                            part.file_name ? part.file_name : "", value);
    }
    return rc < 0 ? rc : lario_reply(req, 200, NULL, text);
}

static void parts_come_in_their_order(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client, list_parts);
    expect(&client, PARTS, PART("a", "1") FILE_PART("../x.txt", "data\r\n--data") "--b--\r\n", 200,
           "a[]=1;f[x.txt]=data\r\n--data;");
    expect(&client, PARTS, PART("skip", "much data") PART("b", "") "--b--", 200, "(skipped)b[]=;");
    expect(&client, PARTS, "--b--\r\nepilogue", 200, "");
    stop(&server, &client);
}

static void parts_come_in_any_pieces(void **state)
{
    static const char body[] = PART("a", "1") PART("b", "\r\n--\r\n--x") "--b--\r\n";
    static const char head[] =
        "POST / HTTP/1.1\r\n" HOST PARTS "Transfer-Encoding: chunked\r\n\r\n";
    serving server;
    test_client client;
    test_answer got = {0};
    (void)state;

    start(&server, &client, list_parts);
    for (size_t cut = 1; cut < sizeof body - 1; cut++) {
        char chunk[64];

        client_puts(&client, head);
        snprintf(chunk, sizeof chunk, "%zx\r\n", cut);
        client_puts(&client, chunk);
        client_send(&client, body, cut);
        snprintf(chunk, sizeof chunk, "\r\n%zx\r\n", sizeof body - 1 - cut);
        client_puts(&client, chunk);
        client_send(&client, body + cut, sizeof body - 1 - cut);
        client_puts(&client, "\r\n0\r\n\r\n");
        client_answer(&client, &got, false);
        assert_int_equal(got.status, 200);
        assert_string_equal(got.body, "a[]=1;b[]=\r\n--\r\n--x;");
    }
    answer_done(&got);
    stop(&server, &client);
}

static void bad_parts_give_their_status(void **state)
{
    static const struct {
        const char *fields, *body;
        int status;
    } cases[] = {
        {"", "x", 415},
        {FORM, "x", 415},
        {"Content-Type: multipart/form-data\r\n", "x", 400},
        {PARTS, PART("a", "1"), 400}, /* the closing boundary is missing */
        {PARTS, "", 400},
        {PARTS, "--b\r\nX: y\r\n\r\ndata\r\n--b--", 400}, /* no Content-Disposition */
        {PARTS, "--bx", 400},
    };
    serving server;
    (void)state;

    serving_init(&server);
    lario_any(server.app, "/", list_parts);
    serving_start(&server);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_new(&server, cases[i].fields, cases[i].body, cases[i].status, NULL);
    serving_stop(&server);
}

static void parts_and_their_heads_have_limits(void **state)
{
    static const char head_that_fits[] =
        "--b\r\nContent-Disposition: form-data; name=\"0123456789012345678901\"\r\n\r\n\r\n--b--";
    static const char head_too_long[] =
        "--b\r\nContent-Disposition: form-data; name=\"01234567890123456789012\"\r\n\r\n\r\n--b--";
    serving server;
    (void)state;

    serving_init(&server);
    server.limits.parts_max = 2;
    server.limits.part_head_bytes_max = 65;
    lario_any(server.app, "/", list_parts);
    serving_start(&server);
    expect_new(&server, PARTS, PART("a", "") PART("b", "") "--b--", 200, NULL);
    expect_new(&server, PARTS, PART("a", "") PART("b", "") PART("c", "") "--b--", 413, NULL);
    expect_new(&server, PARTS, head_that_fits, 200, NULL);
    expect_new(&server, PARTS, head_too_long, 400, NULL);
    serving_stop(&server);
}

static void part_text_has_a_limit(void **state)
{
    serving server;
    char body[400];
    (void)state;

    serving_init(&server);
    lario_any(server.app, "/", list_parts);
    serving_start(&server);
    snprintf(body, sizeof body, PART("a", "%0100d") "--b--", 7);
    expect_new(&server, PARTS, body, 200, NULL);
    snprintf(body, sizeof body, PART("a", "%0101d") "--b--", 7);
    expect_new(&server, PARTS, body, 413, NULL);
    serving_stop(&server);
}

/* ---- Files ---- */

static int save(lario_req *req)
{
    lario_part part;
    uint64_t bytes = 0;
    int rc = lario_part_next(req, &part);

    if (rc > 0)
        rc = lario_part_save(req, saved_path, 1 << 20, &bytes);
    if (rc == 0)
        rc = lario_part_next(req, &part);
    note(rc);
    return rc < 0 ? rc : lario_replyf(req, 200, NULL, "%llu", (unsigned long long)bytes);
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

/* A body with one file of `len` bytes; freed by the caller. */
static char *file_body(size_t len, bool is_whole, size_t *ret_len)
{
    static const char head[] =
        "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n\r\n";
    char *body = malloc(len + 200), *at = stpcpy(body, head);

    for (size_t i = 0; i < len; i++)
        *at++ = (char)(i * 7 % 251);
    if (is_whole)
        at = stpcpy(at, "\r\n--b--\r\n");
    *ret_len = (size_t)(at - body);
    return body;
}

static void upload(test_client *client, size_t len, int status)
{
    test_answer got = {0};
    size_t body_len;
    char *body = file_body(len, true, &body_len);

    post(client, PARTS, body, body_len);
    client_answer(client, &got, false);
    assert_int_equal(got.status, status);
    answer_done(&got);
    free(body);
}

static void file_is_saved_whole(void **state)
{
    serving server;
    test_client client;
    struct stat info;
    (void)state;

    start(&server, &client, save);
    upload(&client, 1 << 20, 200);
    assert_int_equal(next_note(), 0);
    assert_int_equal(stat(saved_path, &info), 0);
    assert_int_equal(info.st_size, 1 << 20);
    assert_int_equal(info.st_mode & 0777, 0600);
    FILE *file = fopen(saved_path, "r");

    for (size_t i = 0; i < 1 << 20; i++)
        assert_int_equal(fgetc(file), (int)(i * 7 % 251));
    fclose(file);
    stop(&server, &client);
    unlink(saved_path);
}

static void file_beyond_its_limit_is_removed(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client, save);
    upload(&client, (1 << 20) + 1, 413);
    assert_int_equal(next_note(), LARIO_ETOOBIG);
    assert_int_equal(files_in_folder(), 0);
    stop(&server, &client);
}

static void file_that_is_there_is_kept(void **state)
{
    serving server;
    test_client client;
    FILE *file = fopen(saved_path, "w");
    (void)state;

    fputs("old", file);
    fclose(file);
    start(&server, &client, save);
    upload(&client, 10, 500);
    assert_int_equal(next_note(), -EEXIST);
    assert_int_equal(files_in_folder(), 1);
    stop(&server, &client);
    unlink(saved_path);
}

/* The client ends in the middle of the file. */
static void file_of_a_client_that_leaves_is_removed(void **state)
{
    serving server;
    test_client client;
    size_t len;
    char *body = file_body(100000, false, &len);
    (void)state;

    start(&server, &client, save);
    client_puts(&client, "POST / HTTP/1.1\r\n" HOST PARTS "Content-Length: 1000000\r\n\r\n");
    client_send(&client, body, len);
    client_reset(&client);
    assert_true(next_note() < 0);
    assert_int_equal(files_in_folder(), 0);
    free(body);
    serving_stop(&server);
}

/* A full disk, as the system tells it when a file may not grow any more. */
static void full_disk_gives_507_and_leaves_nothing(void **state)
{
    serving server;
    test_client client;
    struct rlimit before, small = {.rlim_cur = 50000};
    (void)state;

    getrlimit(RLIMIT_FSIZE, &before);
    small.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    start(&server, &client, save);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    upload(&client, 200000, 507);
    assert_int_equal(next_note(), -EFBIG);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(files_in_folder(), 0);
    client_close(&client);
    client_open(&client, server.address);
    upload(&client, 200000, 200);
    assert_int_equal(next_note(), 0);
    stop(&server, &client);
    unlink(saved_path);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/lario_forms_XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(saved_path, sizeof saved_path, "%s/saved", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(form_is_decoded_in_its_order),
        cmocka_unit_test(bad_forms_give_their_status),
        cmocka_unit_test(form_fields_have_a_limit),
        cmocka_unit_test(parts_come_in_their_order),
        cmocka_unit_test(parts_come_in_any_pieces),
        cmocka_unit_test(bad_parts_give_their_status),
        cmocka_unit_test(parts_and_their_heads_have_limits),
        cmocka_unit_test(part_text_has_a_limit),
        cmocka_unit_test(file_is_saved_whole),
        cmocka_unit_test(file_beyond_its_limit_is_removed),
        cmocka_unit_test(file_that_is_there_is_kept),
        cmocka_unit_test(file_of_a_client_that_leaves_is_removed),
        cmocka_unit_test(full_disk_gives_507_and_leaves_nothing),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
