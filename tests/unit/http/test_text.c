/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "client.h"
#include "serving.h"

/* What requests make of text: variables of the query, and escapes. */

#define REPLACEMENT "\xef\xbf\xbd"

static int list_query(lario_req *req)
{
    const char *name, *value, *text = "";
    const char *first = lario_query(req, "a");

    for (size_t i = 0; lario_query_at(req, i, &name, &value) == 0; i++)
        text = lario_format(req, "%s[%s=%s]", text, name, value);
    return lario_replyf(req, 200, NULL, "%s a=%s none=%d", text, first ? first : "NULL",
                        lario_query(req, "none") != NULL);
}

static int escape_xml(lario_req *req)
{
    return lario_reply(req, 200, NULL, lario_escape_xml(req, lario_data(req)));
}

static int escape_json(lario_req *req)
{
    const char *text = lario_data(req);

    return lario_reply(req, 200, NULL, lario_escape_json(req, text, text ? strlen(text) : 0));
}

static int escape_json_nul(lario_req *req)
{
    return lario_reply(req, 200, NULL, lario_escape_json(req, "a\0b", 3));
}

typedef struct text_case {
    const char *given;
    const char *wanted;
} text_case;

static void check_path(serving *server, const char *path, const char *wanted)
{
    test_client client;
    test_answer got = {0};
    char request[256];

    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: test\r\n\r\n", path);
    client_open(&client, server->address);
    client_puts(&client, request);
    client_answer(&client, &got, false);
    assert_int_equal(got.status, 200);
    assert_string_equal(got.body, wanted);
    answer_done(&got);
    client_close(&client);
}

static void start(serving *server)
{
    serving_init(server);
    lario_get(server->app, "/query", list_query);
    lario_get(server->app, "/xml", escape_xml);
    lario_get(server->app, "/json", escape_json);
    lario_get(server->app, "/nul", escape_json_nul);
    serving_start(server);
}

static void query_is_decoded_in_its_order(void **state)
{
    static const text_case cases[] = {
        {"/query", " a=NULL none=0"},
        {"/query?", " a=NULL none=0"},
        {"/query?a=1", "[a=1] a=1 none=0"},
        {"/query?a=1&a=2&b=3", "[a=1][a=2][b=3] a=1 none=0"},
        {"/query?a=b+c%2Bd", "[a=b c+d] a=b c+d none=0"},
        {"/query?x&a&y=", "[x=][a=][y=] a= none=0"},
        {"/query?a=1=2", "[a=1=2] a=1=2 none=0"},
        {"/query?%61=%c3%a4", "[a=\xc3\xa4] a=\xc3\xa4 none=0"},
        {"/query?a=%zz", " a=NULL none=0"},
        {"/query?a=1&b=%4", " a=NULL none=0"},
    };
    serving server;
    (void)state;

    start(&server);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_path(&server, cases[i].given, cases[i].wanted);
    serving_stop(&server);
}

static void check_escapes(const char *path, const text_case *cases, size_t count)
{
    serving server;

    start(&server);
    for (size_t i = 0; i < count; i++) {
        /* No request is on its way: the handlers do not look now. */
        lario_app_set_data(server.app, (void *)(uintptr_t)cases[i].given);
        check_path(&server, path, cases[i].wanted);
    }
    serving_stop(&server);
}

static void xml_is_escaped(void **state)
{
    static const text_case cases[] = {
        {NULL, ""},
        {"", ""},
        {"plain \xc3\xa4 \xf0\x9f\x98\x80", "plain \xc3\xa4 \xf0\x9f\x98\x80"},
        {"<a href=\"x\">'&'</a>", "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;"},
        {"\t\n\r", "\t\n\r"},
        {"\x01\x1f", REPLACEMENT REPLACEMENT},
        {"a\xff", "a" REPLACEMENT},
        {"\xc3", REPLACEMENT},
        {"\xc0\xaf", REPLACEMENT REPLACEMENT},
        {"\xed\xa0\x80", REPLACEMENT REPLACEMENT REPLACEMENT},
        {"\xef\xbf\xbe\xef\xbf\xbf", REPLACEMENT REPLACEMENT},
    };
    (void)state;

    check_escapes("/xml", cases, sizeof cases / sizeof cases[0]);
}

static void json_is_escaped(void **state)
{
    static const text_case cases[] = {
        {NULL, "\"\""},
        {"", "\"\""},
        {"plain \xc3\xa4 / \x7f", "\"plain \xc3\xa4 / \x7f\""},
        {"\"\\", "\"\\\"\\\\\""},
        {"\b\t\n\f\r\x01\x1f", "\"\\b\\t\\n\\f\\r\\u0001\\u001f\""},
        {"a\xff\xc3", "\"a" REPLACEMENT REPLACEMENT "\""},
        {"\xf4\x90\x80\x80", "\"" REPLACEMENT REPLACEMENT REPLACEMENT REPLACEMENT "\""},
    };
    serving server;
    (void)state;

    check_escapes("/json", cases, sizeof cases / sizeof cases[0]);
    start(&server);
    check_path(&server, "/nul", "\"a\\u0000b\"");
    serving_stop(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(query_is_decoded_in_its_order),
        cmocka_unit_test(xml_is_escaped),
        cmocka_unit_test(json_is_escaped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
