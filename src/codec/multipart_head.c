/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/multipart_head.h"

#include <stdbool.h>
#include <string.h>

#include "codec/char_class.h"
#include "codec/params.h"
#include "codec/token.h"
#include "codec/utf8.h"
#include "lario/error.h"

static int fail(lario_multipart_head *head, const char *reason)
{
    head->reason = reason;
    return LARIO_EPROTO;
}

/* ---- Names ---- */

/* What a browser writes for the three characters that it cannot send in a name, or -1. */
static int browser_escape(const char *at, const char *end)
{
    if (end - at < 3 || *at != '%')
        return -1;
    int value = lario_char_hex(at[1]) * 16 + lario_char_hex(at[2]);

    /* A digit that is none gives a negative sum or one that is odd for these three. */
    return lario_char_hex(at[1]) >= 0 && lario_char_hex(at[2]) >= 0 &&
                   (value == '"' || value == '\r' || value == '\n')
               ? value
               : -1;
}

/* Decodes to the same place and puts a NUL there: the closing quote, or what ends the token. */
static char *decode_name(const lario_field_param *param, char *text)
{
    const char *at = text, *end = text + param->value_len;
    char *to = text;

    while (at < end) {
        int escape = browser_escape(at, end);

        /* Other backslashes are those of a path, which some clients do not escape. */
        if (escape >= 0)
            at += 2;
        else if (param->is_quoted && *at == '\\' && end - at > 1 && (at[1] == '"' || at[1] == '\\'))
            at++;
        *to++ = escape >= 0 ? (char)escape : *at;
        at++;
    }
    *to = '\0';
    return text;
}

/* UTF-8''%e2%82%ac (RFC 8187 3.2.1), decoded to the same place; NULL when it is not that. */
static char *decode_extended(const lario_field_param *param, char *text)
{
    static const char charset[] = "utf-8'";
    const char *end = text + param->value_len;
    char *language = memchr(text, '\'', param->value_len);
    const char *at = language ? memchr(language + 1, '\'', (size_t)(end - language - 1)) : NULL;
    char *to = text;

    if (!at || param->is_quoted || language - text != sizeof charset - 2 ||
        !lario_ascii_equal_nocase(text, charset, sizeof charset - 1))
        return NULL;
    for (at++; at < end; at++) {
        int value = (unsigned char)*at;

        if (*at == '%') {
            int high = end - at > 2 ? lario_char_hex(at[1]) : -1;
            int low = end - at > 2 ? lario_char_hex(at[2]) : -1;

            if (high < 0 || low < 0 || (value = high << 4 | low) == 0)
                return NULL;
            at += 2;
        }
        *to++ = (char)value;
    }
    if (!lario_utf8_is_valid(text, (size_t)(to - text)))
        return NULL;
    *to = '\0';
    return text;
}

/* The name without the folders before it. */
static const char *last_segment(const char *path)
{
    const char *last = path;

    for (const char *at = path; *at; at++) {
        if (*at == '/' || *at == '\\')
            last = at + 1;
    }
    return strcmp(last, ".") == 0 || strcmp(last, "..") == 0 ? "" : last;
}

/* ---- Fields ---- */

static int read_disposition(lario_multipart_head *head, char *value, size_t len)
{
    const char *at = value, *end = value + len, *first;
    lario_field_param param;
    const char *plain = NULL, *extended = NULL;
    size_t first_len;
    int rc;

    if (head->name)
        return fail(head, "Content-Disposition is there twice");
    if (!lario_media_type_is(value, len, "form-data"))
        return fail(head, "a Content-Disposition that is not form-data");
    lario_field_params_start(&at, end, &first, &first_len);
    while ((rc = lario_field_params_next(&at, end, &param)) > 0) {
        /* The byte behind the value is a quote or a delimiter; the loop has gone past it, unless
         * the delimiter is what it goes on with. */
        char *text = value + (param.value - value);
        bool ends_at_delimiter = text + param.value_len == at && at < end;
        const char **place = NULL;

        if (lario_field_param_is(&param, "name"))
            place = &head->name;
        else if (lario_field_param_is(&param, "filename"))
            place = &plain;
        else if (lario_field_param_is(&param, "filename*"))
            place = &extended;
        else
            continue;
        if (*place)
            return fail(head, "a parameter that is there twice");
        *place = place == &extended ? decode_extended(&param, text) : decode_name(&param, text);
        if (!*place)
            return fail(head, "a bad filename*");
        if (ends_at_delimiter)
            at++;
    }
    if (rc < 0)
        return fail(head, "bad parameters of the Content-Disposition");
    if (extended || plain)
        head->file_name = last_segment(extended ? extended : plain);
    return head->name ? 0 : fail(head, "a part without a name");
}

static int read_type(lario_multipart_head *head, char *value, size_t len)
{
    static const char nested[] = "multipart/";

    if (head->type)
        return fail(head, "Content-Type is there twice");
    if (len >= sizeof nested - 1 && lario_ascii_equal_nocase(value, nested, sizeof nested - 1))
        return fail(head, "a multipart inside of a multipart");
    value[len] = '\0';
    head->type = value;
    return 0;
}

static int read_coding(lario_multipart_head *head, const char *value, size_t len)
{
    static const char *const plain[] = {"7bit", "8bit", "binary"};

    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (strlen(plain[i]) == len && lario_ascii_equal_nocase(value, plain[i], len))
            return 0;
    }
    return fail(head, "a Content-Transfer-Encoding that is not known");
}

static bool is_named(const char *line, size_t len, const char *name)
{
    return strlen(name) == len && lario_ascii_equal_nocase(line, name, len);
}

/* One line, without its CRLF. */
static int read_line(lario_multipart_head *head, char *line, size_t len)
{
    char *colon = memchr(line, ':', len), *end = line + len;

    if (!colon || !lario_token_is_valid(line, (size_t)(colon - line)))
        return fail(head, "a line that is no field");
    char *value = colon + 1;

    while (value < end && lario_char_is_blank(*value))
        value++;
    while (end > value && lario_char_is_blank(end[-1]))
        end--;
    size_t name_len = (size_t)(colon - line), value_len = (size_t)(end - value);

    if (!lario_field_value_is_valid(value, value_len))
        return fail(head, "a control character in a field");
    if (is_named(line, name_len, "content-disposition"))
        return read_disposition(head, value, value_len);
    if (is_named(line, name_len, "content-type"))
        return read_type(head, value, value_len);
    if (is_named(line, name_len, "content-transfer-encoding"))
        return read_coding(head, value, value_len);
    return 0; /* RFC 7578 4.8: others are ignored */
}

int lario_multipart_head_read(char *head, size_t len, lario_multipart_head *ret_head)
{
    char *line = head, *end = head + len;
    int rc = 0;

    *ret_head = (lario_multipart_head){0};
    while (rc == 0 && line < end) {
        char *crlf = memmem(line, (size_t)(end - line), "\r\n", 2);

        if (!crlf)
            return fail(ret_head, "a line without its end");
        if (crlf > line)
            rc = read_line(ret_head, line, (size_t)(crlf - line));
        else if (crlf + 2 < end)
            rc = fail(ret_head, "an empty line inside of a head");
        line = crlf + 2;
    }
    if (rc < 0)
        return rc;
    if (!ret_head->type)
        ret_head->type = "text/plain";
    return ret_head->name ? 0 : fail(ret_head, "a part without a Content-Disposition");
}
