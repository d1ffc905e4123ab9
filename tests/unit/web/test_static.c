/* SPDX-License-Identifier: BSD-3-Clause */
#include "web/router.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_req.h"

/*
 * A folder of its own for the program, with what may be sent in site/ and what may not beside it:
 *
 *     secret.txt   secret-folder/a.txt
 *     site/        index.html  hello.txt  empty.txt  large.bin  .hidden  .git/config  pipe  socket
 *                  docs/index.html  bare/a.txt  odd:name/  odd/index.html/
 *                  inside -> hello.txt  docs-link -> docs  out -> ../secret.txt
 *                  out-folder -> ../secret-folder  absolute -> .../secret.txt  loop -> loop
 */

#define LARGE_BYTES 200000

static char base[] = "/tmp/lario-static-XXXXXX";
static char site[64];
static lario_router router;
static lario_req req;

static void write_file(const char *name, const char *text, size_t len)
{
    char path[200];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", base, name);
    file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static void make_folder(const char *name)
{
    char path[200];

    snprintf(path, sizeof(path), "%s/%s", base, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void make_link(const char *target, const char *name)
{
    char path[200];

    snprintf(path, sizeof(path), "%s/%s", base, name);
    assert_int_equal(symlink(target, path), 0);
}

static void make_specials(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char path[200];
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(path, sizeof(path), "%s/pipe", site);
    assert_int_equal(mkfifo(path, 0600), 0);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", site);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    close(fd);
}

static void make_links(void)
{
    char absolute[200];

    snprintf(absolute, sizeof(absolute), "%s/secret.txt", base);
    make_link("hello.txt", "site/inside");
    make_link("docs", "site/docs-link");
    make_link("../secret.txt", "site/out");
    make_link("../secret-folder", "site/out-folder");
    make_link(absolute, "site/absolute");
    make_link("loop", "site/loop");
}

static int make_all(void **state)
{
    static char large[LARGE_BYTES];

    (void)state;
    assert_non_null(mkdtemp(base));
    snprintf(site, sizeof(site), "%s/site", base);
    for (size_t i = 0; i < sizeof(large); i++)
        large[i] = (char)(i * 31 >> 3);
    make_folder("site");
    make_folder("site/docs");
    make_folder("site/bare");
    make_folder("site/.git");
    make_folder("site/odd:name");
    make_folder("site/odd");
    make_folder("site/odd/index.html");
    make_folder("secret-folder");
    write_file("secret.txt", "secret", 6);
    write_file("secret-folder/a.txt", "secret", 6);
    write_file("site/index.html", "<p>root", 7);
    write_file("site/hello.txt", "hello", 5);
    write_file("site/a b\xc3\xa9.txt", "spaced", 6);
    write_file("site/empty.txt", "", 0);
    write_file("site/large.bin", large, sizeof(large));
    write_file("site/.hidden", "hidden", 6);
    write_file("site/.git/config", "hidden", 6);
    write_file("site/docs/index.html", "<p>docs", 7);
    write_file("site/bare/a.txt", "a", 1);
    make_links();
    make_specials();
    return 0;
}

static int remove_all(void **state)
{
    char command[100];

    (void)state;
    snprintf(command, sizeof(command), "rm -r %s", base);
    return system(command);
}

static int set_up(void **state)
{
    (void)state;
    lario_router_init(&router);
    lario_static(&router, "/files", site);
    assert_string_equal(router.error_text, "");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lario_router_done(&router);
    return 0;
}

/* Leaves the answer in `req` until fake_req_done(). */
static void ask(const char *method, const char *target)
{
    fake_req_init(&req, method, target);
    assert_int_equal(lario_router_handle(&router, &req), 0);
}

static void check_file(const char *target, const char *type, const char *body)
{
    ask("GET", target);
    assert_int_equal(req.status, 200);
    assert_string_equal(req.type, type);
    assert_int_equal(req.announced, strlen(body));
    assert_string_equal(req.body, body);
    fake_req_done(&req);
}

static void check_not_found(const char *target)
{
    ask("GET", target);
    assert_int_equal(req.status, 404);
    assert_string_equal(req.body, "Not Found");
    fake_req_done(&req);
}

static void check_redirect(const char *target, const char *location)
{
    ask("GET", target);
    assert_int_equal(req.status, 301);
    assert_string_equal(fake_req_answer_header(&req, "Location"), location);
    fake_req_done(&req);
}

static void file_is_sent_with_its_type(void **state)
{
    (void)state;
    check_file("/files/hello.txt", "text/plain; charset=utf-8", "hello");
    check_file("/files/hello.txt?v=1", "text/plain; charset=utf-8", "hello");
    check_file("/files/docs/index.html", "text/html; charset=utf-8", "<p>docs");
    check_file("/files/a%20b%C3%A9.txt", "text/plain; charset=utf-8", "spaced");
    check_file("/files/%68ello.txt", "text/plain; charset=utf-8", "hello");
    check_file("/files/empty.txt", "text/plain; charset=utf-8", "");
}

static void folder_is_answered_with_its_index(void **state)
{
    (void)state;
    check_file("/files/", "text/html; charset=utf-8", "<p>root");
    check_file("/files/docs/", "text/html; charset=utf-8", "<p>docs");
}

static void folder_without_an_index_is_not_found(void **state)
{
    (void)state;
    check_not_found("/files/bare/");
    check_not_found("/files/odd/");
}

static void folder_without_its_slash_is_redirected(void **state)
{
    (void)state;
    check_redirect("/files", "/files/");
    check_redirect("/files/docs", "/files/docs/");
    check_redirect("/files/odd:name", "/files/odd:name/");
}

static void redirect_keeps_the_query_and_the_escapes(void **state)
{
    (void)state;
    check_redirect("/files?a=b&c", "/files/?a=b&c");
    check_redirect("/files/docs?x=/y?z", "/files/docs/?x=/y?z");
    check_redirect("/files/%64ocs", "/files/%64ocs/");
}

static void redirect_never_leads_to_another_host(void **state)
{
    (void)state;
    lario_router_done(&router);
    lario_static(&router, "/", site);
    check_redirect("/docs", "/docs/");
    check_not_found("//docs");
    check_not_found("///docs");
    check_not_found("/%2Fdocs");
    check_not_found("/\\docs");
    check_not_found("//");
}

static void missing_file_is_not_found(void **state)
{
    (void)state;
    check_not_found("/files/none");
    check_not_found("/files/none/");
    check_not_found("/files/none/a.txt");
    check_not_found("/files/hello.txt/");
    check_not_found("/files/hello.txt/a");
}

static void dots_do_not_lead_out(void **state)
{
    (void)state;
    check_not_found("/files/../secret.txt");
    check_not_found("/files/%2e%2e/secret.txt");
    check_not_found("/files/.%2E/secret.txt");
    check_not_found("/files/docs/../../secret.txt");
    check_not_found("/files/docs/../hello.txt");
    check_not_found("/files/./hello.txt");
    check_not_found("/files/..");
    check_not_found("/files/.");
    check_not_found("/files/docs/.");
}

static void encoded_slash_is_not_found(void **state)
{
    (void)state;
    check_not_found("/files/docs%2Findex.html");
    check_not_found("/files/docs%2findex.html");
    check_not_found("/files/..%2Fsecret.txt");
    check_not_found("/files/%2Fetc/passwd");
    check_not_found("/files//etc/passwd");
}

static void empty_segment_is_not_found(void **state)
{
    (void)state;
    check_not_found("/files//hello.txt");
    check_not_found("/files/docs//index.html");
    check_not_found("/files/docs//");
}

static void dot_files_and_folders_are_not_found(void **state)
{
    (void)state;
    check_not_found("/files/.hidden");
    check_not_found("/files/%2ehidden");
    check_not_found("/files/.git/config");
    check_not_found("/files/.git");
    check_not_found("/files/.git/");
}

static void link_inside_is_followed(void **state)
{
    (void)state;
    check_file("/files/inside", "application/octet-stream", "hello");
    check_file("/files/docs-link/index.html", "text/html; charset=utf-8", "<p>docs");
}

static void link_out_is_not_found(void **state)
{
    (void)state;
    check_not_found("/files/out");
    check_not_found("/files/out-folder");
    check_not_found("/files/out-folder/a.txt");
    check_not_found("/files/absolute");
    check_not_found("/files/loop");
}

static void fifo_and_socket_are_not_found_and_nothing_hangs(void **state)
{
    (void)state;
    check_not_found("/files/pipe");
    check_not_found("/files/socket");
}

static void long_names_are_not_found(void **state)
{
    char target[6000];

    (void)state;
    snprintf(target, sizeof(target), "/files/%0300d", 1);
    check_not_found(target);
    strcpy(target, "/files");
    for (size_t len = 6; len + 2 < sizeof(target); len += 2)
        strcpy(target + len, "/a");
    check_not_found(target);
}

static void head_has_the_length_and_no_body(void **state)
{
    static const char *const targets[] = {"/files/hello.txt", "/files/large.bin"};
    static const uint64_t bytes[] = {5, LARGE_BYTES};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        ask("HEAD", targets[i]);
        assert_int_equal(req.status, 200);
        assert_int_equal(req.announced, bytes[i]);
        assert_int_equal(req.body_len, 0);
        assert_non_null(fake_req_answer_header(&req, "Last-Modified"));
        fake_req_done(&req);
    }
}

static void other_method_is_405(void **state)
{
    (void)state;
    ask("POST", "/files/hello.txt");
    assert_int_equal(req.status, 405);
    assert_string_equal(fake_req_answer_header(&req, "Allow"), "GET, HEAD, OPTIONS");
    fake_req_done(&req);
}

static void failed_write_ends_the_sending(void **state)
{
    (void)state;
    fake_req_init(&req, "GET", "/files/large.bin");
    req.write_result = LARIO_ECLOSED;
    assert_int_equal(lario_router_handle(&router, &req), LARIO_ECLOSED);
    fake_req_done(&req);
}

static void last_modified_is_the_time_of_the_file(void **state)
{
    const struct timespec times[2] = {{.tv_sec = 784111777}, {.tv_sec = 784111777}};
    char path[100];

    (void)state;
    snprintf(path, sizeof(path), "%s/hello.txt", site);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    ask("GET", "/files/hello.txt");
    assert_string_equal(fake_req_answer_header(&req, "Last-Modified"),
                        "Sun, 06 Nov 1994 08:49:37 GMT");
    fake_req_done(&req);
}

static void memory_that_is_out_is_returned(void **state)
{
    static const char *const targets[] = {"/files/hello.txt", "/files/large.bin", "/files/docs",
                                          "/files/"};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        for (size_t allowed = 0;; allowed++) {
            int rc;

            fake_req_init(&req, "GET", targets[i]);
            req.blocks_allowed = allowed;
            rc = lario_router_handle(&router, &req);
            assert_true(rc == LARIO_ENOMEM ? req.status == 0 : rc == 0);
            assert_true(allowed > 0 || rc == LARIO_ENOMEM);
            fake_req_done(&req);
            if (rc == 0)
                break;
        }
    }
}

static void no_descriptor_stays_open(void **state)
{
    int before = dup(0), after;

    (void)state;
    close(before);
    check_file("/files/hello.txt", "text/plain; charset=utf-8", "hello");
    check_not_found("/files/pipe");
    check_not_found("/files/bare/");
    check_redirect("/files/docs", "/files/docs/");
    failed_write_ends_the_sending(state);
    after = dup(0);
    close(after);
    assert_int_equal(before, after);
}

static void prefix_may_end_with_a_slash_or_be_the_root(void **state)
{
    (void)state;
    lario_static(&router, "/deep/er/", site);
    check_file("/deep/er/hello.txt", "text/plain; charset=utf-8", "hello");
    check_redirect("/deep/er", "/deep/er/");
    lario_static(&router, "/", site);
    check_file("/hello.txt", "text/plain; charset=utf-8", "hello");
    check_file("/", "text/html; charset=utf-8", "<p>root");
    check_file("/files/hello.txt", "text/plain; charset=utf-8", "hello");
    assert_int_equal(router.error, 0);
}

static void folder_that_cannot_be_opened_is_named(void **state)
{
    (void)state;
    lario_static(&router, "/x", "/nonexistent/folder");
    assert_int_equal(router.error, LARIO_EROUTE);
    assert_string_equal(router.error_text,
                        "static /x: cannot open /nonexistent/folder: No such file or directory");
}

static void taken_prefix_is_named(void **state)
{
    (void)state;
    lario_static(&router, "/files/", site);
    assert_int_equal(router.error, LARIO_EROUTE);
    assert_string_equal(router.error_text,
                        "route GET /files/*path: the method has a route at this place already");
}

static void missing_arguments_are_refused(void **state)
{
    (void)state;
    lario_static(NULL, "/", site);
    lario_static(&router, "/x", NULL);
    assert_string_equal(router.error_text, "static: the prefix or the folder is missing");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(file_is_sent_with_its_type),
        TEST(folder_is_answered_with_its_index),
        TEST(folder_without_an_index_is_not_found),
        TEST(folder_without_its_slash_is_redirected),
        TEST(redirect_keeps_the_query_and_the_escapes),
        TEST(redirect_never_leads_to_another_host),
        TEST(missing_file_is_not_found),
        TEST(dots_do_not_lead_out),
        TEST(encoded_slash_is_not_found),
        TEST(empty_segment_is_not_found),
        TEST(dot_files_and_folders_are_not_found),
        TEST(link_inside_is_followed),
        TEST(link_out_is_not_found),
        TEST(fifo_and_socket_are_not_found_and_nothing_hangs),
        TEST(long_names_are_not_found),
        TEST(head_has_the_length_and_no_body),
        TEST(other_method_is_405),
        TEST(failed_write_ends_the_sending),
        TEST(last_modified_is_the_time_of_the_file),
        TEST(memory_that_is_out_is_returned),
        TEST(no_descriptor_stays_open),
        TEST(prefix_may_end_with_a_slash_or_be_the_root),
        TEST(folder_that_cannot_be_opened_is_named),
        TEST(taken_prefix_is_named),
        TEST(missing_arguments_are_refused),
    };
#undef TEST

    return cmocka_run_group_tests(tests, make_all, remove_all);
}
