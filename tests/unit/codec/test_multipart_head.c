/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/multipart_head.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lario/error.h"

static char *kept;

/* Reads the head in memory of just its size, which stays until the next call. */
static int read_head(const char *text, size_t len, lario_multipart_head *ret_head)
{
    free(kept);
    kept = malloc(len);
    assert_non_null(kept);
    memcpy(kept, text, len);
    return lario_multipart_head_read(kept, len, ret_head);
}

static void assert_head(const char *text, const char *name, const char *file_name, const char *type)
{
    lario_multipart_head head;

    if (read_head(text, strlen(text), &head) < 0)
        fail_msg("%s: %s", text, head.reason);
    assert_string_equal(head.name, name);
    assert_string_equal(head.type, type);
    if (file_name)
        assert_string_equal(head.file_name, file_name);
    else
        assert_null(head.file_name);
}

#define DISPOSITION "Content-Disposition: form-data; "

static void assert_name(const char *params, const char *name, const char *file_name)
{
    char text[512] = DISPOSITION;

    strcat(strcat(text, params), "\r\n\r\n");
    assert_head(text, name, file_name, "text/plain");
}

static void refuse(const char *text, size_t len)
{
    lario_multipart_head head;

    if (read_head(text, len, &head) != LARIO_EPROTO)
        fail_msg("accepted: %s", text);
    assert_non_null(head.reason);
}

#define REFUSE(text) refuse(text, sizeof(text) - 1)

static void a_field_has_a_name_and_maybe_a_type(void **state)
{
    (void)state;
    assert_head(DISPOSITION "name=\"a\"\r\n\r\n", "a", NULL, "text/plain");
    assert_head("content-disposition:FORM-DATA;NAME=a\r\n\r\n", "a", NULL, "text/plain");
    assert_head("Content-Type: image/png\r\n" DISPOSITION "name=\"a\"\r\n\r\n", "a", NULL,
                "image/png");
    assert_head(DISPOSITION "name=\"a\" \t\r\nContent-Type:\ttext/x; charset=\"utf-8\"  \r\n\r\n",
                "a", NULL, "text/x; charset=\"utf-8\"");
    assert_name("name=\"\"", "", NULL);
    assert_name("name=a; x=y; z=\"1;2\"", "a", NULL);
    assert_name("x=y;name=a;;", "a", NULL);
    assert_name("name=a ; filename=b", "a", "b");
    assert_name("filename=b;name=a", "a", "b");
}

static void other_fields_are_ignored(void **state)
{
    (void)state;
    assert_head("X-A: b\r\n" DISPOSITION "name=a\r\nContent-Length: 3\r\n\r\n", "a", NULL,
                "text/plain");
    assert_head(DISPOSITION "name=a\r\nContent-Transfer-Encoding: BINARY\r\n\r\n", "a", NULL,
                "text/plain");
}

static void names_are_decoded_as_browsers_encode_them(void **state)
{
    (void)state;
    assert_name("name=\"a%22b%0D%0Ac%0ad\"", "a\"b\r\nc\nd", NULL);
    assert_name("name=\"a%41%\"", "a%41%", NULL);
    assert_name("name=\"%2\"", "%2", NULL);
    assert_name("name=\"%00%20\"", "%00%20", NULL);
    assert_name("name=\"a\\\"b\\\\c\"", "a\"b\\c", NULL);
    assert_name("name=\"a\\b\"", "a\\b", NULL);
    assert_name("name=\"\xc3\xa4\"", "\xc3\xa4", NULL);
}

static void file_name_is_the_last_segment(void **state)
{
    (void)state;
    assert_name("name=a; filename=\"b.txt\"", "a", "b.txt");
    assert_name("name=a; filename=\"\"", "a", "");
    assert_name("name=a; filename=\"/etc/passwd\"", "a", "passwd");
    assert_name("name=a; filename=\"../../b\"", "a", "b");
    assert_name("name=a; filename=\"C:\\dir\\b.txt\"", "a", "b.txt");
    assert_name("name=a; filename=\"dir/\"", "a", "");
    assert_name("name=a; filename=\"..\"", "a", "");
    assert_name("name=a; filename=\"x/.\"", "a", "");
    assert_name("name=a; filename=\"...\"", "a", "...");
}

static void extended_file_name_wins(void **state)
{
    (void)state;
    assert_name("name=a; filename*=UTF-8''%e2%82%ac%20b", "a", "\xe2\x82\xac b");
    assert_name("name=a; filename*=utf-8'en'b.txt", "a", "b.txt");
    assert_name("name=a; filename=\"x\"; filename*=UTF-8''y", "a", "y");
    assert_name("name=a; filename*=UTF-8''y; filename=\"x\"", "a", "y");
    assert_name("name=a; filename*=UTF-8''..%2f..%2Fy", "a", "y");
}

static void bad_extended_file_names_are_refused(void **state)
{
    (void)state;
    REFUSE(DISPOSITION "name=a; filename*=y\r\n\r\n");
    REFUSE(DISPOSITION "name=a; filename*=UTF-8'y\r\n\r\n");
    REFUSE(DISPOSITION "name=a; filename*=ISO-8859-1''y\r\n\r\n");
    REFUSE(DISPOSITION "name=a; filename*=\"UTF-8''y\"\r\n\r\n");
    REFUSE(DISPOSITION "name=a; filename*=UTF-8''%0\r\n\r\n");
    REFUSE(DISPOSITION "name=a; filename*=UTF-8''%zz\r\n\r\n");
    REFUSE(DISPOSITION "name=a; filename*=UTF-8''%00\r\n\r\n");
    REFUSE(DISPOSITION "name=a; filename*=UTF-8''%ff\r\n\r\n");
    REFUSE(DISPOSITION "name=a; filename*=UTF-8''%c0%af\r\n\r\n");
}

static void a_part_without_a_name_is_refused(void **state)
{
    (void)state;
    REFUSE("\r\n");
    REFUSE("Content-Type: text/plain\r\n\r\n");
    REFUSE("Content-Disposition: form-data\r\n\r\n");
    REFUSE("Content-Disposition: form-data; filename=\"a\"\r\n\r\n");
    REFUSE("Content-Disposition: attachment; name=\"a\"\r\n\r\n");
    REFUSE("Content-Disposition: \r\n\r\n");
}

static void what_is_there_twice_is_refused(void **state)
{
    (void)state;
    REFUSE(DISPOSITION "name=a; name=b\r\n\r\n");
    REFUSE(DISPOSITION "name=a; filename=b; filename=c\r\n\r\n");
    REFUSE(DISPOSITION "name=a; filename*=UTF-8''b; filename*=UTF-8''c\r\n\r\n");
    REFUSE(DISPOSITION "name=a\r\n" DISPOSITION "name=a\r\n\r\n");
    REFUSE(DISPOSITION "name=a\r\nContent-Type: a/b\r\nContent-Type: a/b\r\n\r\n");
}

static void nested_multipart_is_refused(void **state)
{
    (void)state;
    REFUSE(DISPOSITION "name=a\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n");
    REFUSE("Content-Type: Multipart/Form-Data\r\n" DISPOSITION "name=a\r\n\r\n");
}

static void codings_are_refused(void **state)
{
    (void)state;
    REFUSE(DISPOSITION "name=a\r\nContent-Transfer-Encoding: base64\r\n\r\n");
    REFUSE(DISPOSITION "name=a\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n");
    REFUSE(DISPOSITION "name=a\r\nContent-Transfer-Encoding:\r\n\r\n");
}

static void malformed_lines_are_refused(void **state)
{
    (void)state;
    REFUSE(DISPOSITION "name=a\n\r\n");
    REFUSE(DISPOSITION "name=a\r\nX: a\rb\r\n\r\n");
    REFUSE(DISPOSITION "name=a\r\n folded\r\n\r\n");
    REFUSE(DISPOSITION "name=a\r\nnonsense\r\n\r\n");
    REFUSE(DISPOSITION "name=a\r\n: b\r\n\r\n");
    REFUSE(DISPOSITION "name=a\r\nX : b\r\n\r\n");
    REFUSE(DISPOSITION "name=a\0b\r\n\r\n");
    REFUSE(DISPOSITION "name=a\r\n\r\nX: y\r\n\r\n");
    REFUSE(DISPOSITION "name=\"a\r\n\r\n");
    REFUSE(DISPOSITION "name=\"a\\\"\r\n\r\n");
    REFUSE(DISPOSITION "name\r\n\r\n");
    REFUSE(DISPOSITION "name=\r\n\r\n");
    REFUSE(DISPOSITION "name = a\r\n\r\n");
    REFUSE(DISPOSITION "name=\"a\"b\r\n\r\n");
    REFUSE(DISPOSITION "name=a b\r\n\r\n");
    REFUSE(DISPOSITION "name=a");
}

static int free_kept(void **state)
{
    (void)state;
    free(kept);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_has_a_name_and_maybe_a_type),
        cmocka_unit_test(other_fields_are_ignored),
        cmocka_unit_test(names_are_decoded_as_browsers_encode_them),
        cmocka_unit_test(file_name_is_the_last_segment),
        cmocka_unit_test(extended_file_name_wins),
        cmocka_unit_test(bad_extended_file_names_are_refused),
        cmocka_unit_test(a_part_without_a_name_is_refused),
        cmocka_unit_test(what_is_there_twice_is_refused),
        cmocka_unit_test(nested_multipart_is_refused),
        cmocka_unit_test(codings_are_refused),
        cmocka_unit_test(malformed_lines_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, free_kept);
}
