/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/mime.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void types_of_the_web_are_known(void **state)
{
    (void)state;
    assert_string_equal(lario_mime_type("index.html"), "text/html; charset=utf-8");
    assert_string_equal(lario_mime_type("style.css"), "text/css; charset=utf-8");
    assert_string_equal(lario_mime_type("app.js"), "text/javascript; charset=utf-8");
    assert_string_equal(lario_mime_type("data.json"), "application/json");
    assert_string_equal(lario_mime_type("logo.svg"), "image/svg+xml");
    assert_string_equal(lario_mime_type("logo.png"), "image/png");
    assert_string_equal(lario_mime_type("font.woff2"), "font/woff2");
    assert_string_equal(lario_mime_type("notes.txt"), "text/plain; charset=utf-8");
}

static void first_and_last_of_the_table_are_found(void **state)
{
    (void)state;
    assert_string_equal(lario_mime_type("a.7z"), "application/x-7z-compressed");
    assert_string_equal(lario_mime_type("a.zst"), "application/zstd");
}

static void case_of_the_extension_does_not_matter(void **state)
{
    (void)state;
    assert_string_equal(lario_mime_type("PHOTO.JPG"), "image/jpeg");
    assert_string_equal(lario_mime_type("a.HtMl"), "text/html; charset=utf-8");
}

static void last_extension_of_the_last_segment_counts(void **state)
{
    (void)state;
    assert_string_equal(lario_mime_type("a.tar.gz"), "application/gzip");
    assert_string_equal(lario_mime_type("site.html/readme"), "application/octet-stream");
    assert_string_equal(lario_mime_type("v1.2/app.js"), "text/javascript; charset=utf-8");
}

static void unknown_names_are_octet_streams(void **state)
{
    (void)state;
    assert_string_equal(lario_mime_type(""), "application/octet-stream");
    assert_string_equal(lario_mime_type("README"), "application/octet-stream");
    assert_string_equal(lario_mime_type("name."), "application/octet-stream");
    assert_string_equal(lario_mime_type(".png"), "application/octet-stream");
    assert_string_equal(lario_mime_type("dir/.png"), "application/octet-stream");
    assert_string_equal(lario_mime_type("a.nothing"), "application/octet-stream");
    assert_string_equal(lario_mime_type("a.averyverylongextension"), "application/octet-stream");
    assert_string_equal(lario_mime_type("a.htmlx"), "application/octet-stream");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_of_the_web_are_known),
        cmocka_unit_test(first_and_last_of_the_table_are_found),
        cmocka_unit_test(case_of_the_extension_does_not_matter),
        cmocka_unit_test(last_extension_of_the_last_segment_counts),
        cmocka_unit_test(unknown_names_are_octet_streams),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
