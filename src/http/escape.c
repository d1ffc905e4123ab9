/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "codec/utf8.h"
#include "http/req.h"

/* Text made safe for XML and JSON. A first pass measures, a second writes. */

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* The length of the valid UTF-8 character at `at`, or 0 when there is none. */
static size_t char_len(const char *at, const char *end)
{
    unsigned char first = (unsigned char)*at;
    size_t len = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

    if (first < 0x80)
        return 1;
    return (size_t)(end - at) >= len && lario_utf8_is_valid(at, len) ? len : 0;
}

/* What the character stands as in XML, or NULL for itself. */
static const char *xml_form(const char *at, size_t len)
{
    unsigned char byte = (unsigned char)*at;

    if (len == 0)
        return REPLACEMENT;
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\t':
    case '\n':
    case '\r':
        return NULL;
    }
    /* U+FFFE and U+FFFF are no characters of XML 1.0 (2.2), nor are most controls. */
    if (len == 3 && byte == 0xef && (unsigned char)at[1] == 0xbf && (unsigned char)at[2] >= 0xbe)
        return REPLACEMENT;
    return byte < 0x20 ? REPLACEMENT : NULL;
}

static const char *const json_controls[32] = {
    "\\u0000", "\\u0001", "\\u0002", "\\u0003", "\\u0004", "\\u0005", "\\u0006", "\\u0007",
    "\\b",     "\\t",     "\\n",     "\\u000b", "\\f",     "\\r",     "\\u000e", "\\u000f",
    "\\u0010", "\\u0011", "\\u0012", "\\u0013", "\\u0014", "\\u0015", "\\u0016", "\\u0017",
    "\\u0018", "\\u0019", "\\u001a", "\\u001b", "\\u001c", "\\u001d", "\\u001e", "\\u001f",
};

/* What the character stands as in a JSON string, or NULL for itself. */
static const char *json_form(const char *at, size_t len)
{
    unsigned char byte = (unsigned char)*at;

    if (len == 0)
        return REPLACEMENT;
    if (byte < 0x20)
        return json_controls[byte];
    return byte == '"' ? "\\\"" : byte == '\\' ? "\\\\" : NULL;
}

/* Writes the escaped text to `out` unless that is NULL; the length either way. */
static size_t escape(char *out, const char *text, size_t len,
                     const char *(*form_of)(const char *at, size_t len))
{
    const char *at = text, *end = text + len;
    size_t total = 0;

    while (at < end) {
        size_t here = char_len(at, end);
        const char *form = form_of(at, here);
        const char *from = form ? form : at;
        size_t count = form ? strlen(form) : here;

        if (out)
            memcpy(out + total, from, count);
        total += count;
        at += here ? here : 1;
    }
    return total;
}

const char *lario_escape_xml(lario_req *req, const char *text)
{
    if (!text)
        return "";
    size_t len = strlen(text);
    size_t total = escape(NULL, text, len, xml_form);
    char *out = lario_arena_alloc(&req->arena, total + 1);

    if (!out)
        return "";
    escape(out, text, len, xml_form);
    out[total] = '\0';
    return out;
}

size_t lario_http_put_json(char *out, const char *text, size_t len)
{
    return escape(out, text, len, json_form);
}

const char *lario_escape_json(lario_req *req, const char *text, size_t len)
{
    if (!text)
        return "\"\"";
    size_t total = escape(NULL, text, len, json_form);
    char *out = lario_arena_alloc(&req->arena, total + 3);

    if (!out)
        return "\"\"";
    out[0] = '"';
    escape(out + 1, text, len, json_form);
    out[total + 1] = '"';
    out[total + 2] = '\0';
    return out;
}
