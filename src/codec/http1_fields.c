/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/http1_fields.h"

#include <string.h>

#include "codec/char_class.h"
#include "codec/http1_target.h"
#include "codec/token.h"
#include "lario/error.h"

/*
 * Fields that frame the message are noted one by one as bits of head->seen, and judged together
 * at the end of the head: only then it is known whether a Content-Length has a Transfer-Encoding
 * beside it. Repeated lines of a list field are one list (RFC 9110 5.3), so that each line can go
 * on with the bits of the line before.
 */
enum {
    SEEN_HOST = 1u << 0,
    SEEN_HOST_EMPTY = 1u << 1,
    SEEN_LENGTH = 1u << 2,
    SEEN_CODING = 1u << 3,         /* a Transfer-Encoding field */
    SEEN_CHUNKED = 1u << 4,        /* ... with chunked in it */
    SEEN_AFTER_CHUNKED = 1u << 5,  /* ... and another coding behind that */
    SEEN_UNKNOWN_CODING = 1u << 6, /* ... or one that is not implemented */
    SEEN_CLOSE = 1u << 7,
    SEEN_KEEP_ALIVE = 1u << 8,
    SEEN_CONN_UPGRADE = 1u << 9, /* Connection: upgrade */
    SEEN_UPGRADE = 1u << 10,     /* an Upgrade field that is not empty */
    SEEN_CONTINUE = 1u << 11,
    SEEN_EXPECT_OTHER = 1u << 12,
};

static int fail(lario_http1_head *head, uint16_t status, const char *reason)
{
    head->status = status;
    head->reason = reason;
    return LARIO_EPROTO;
}

static void see(lario_http1_head *head, unsigned bits)
{
    head->seen = (uint16_t)(head->seen | bits);
}

static bool is_seen(const lario_http1_head *head, unsigned bit)
{
    return (head->seen & bit) != 0;
}

static bool member_is(const char *member, size_t len, const char *token)
{
    return len == strlen(token) && lario_ascii_equal_nocase(member, token, len);
}

/* RFC 9112 3.2: one field at most, whose value is an authority or empty. */
static int take_host(lario_http1_head *head, const char *data, lario_http1_span value)
{
    if (is_seen(head, SEEN_HOST))
        return fail(head, 400, "more than one Host field");
    see(head, SEEN_HOST);
    if (value.len == 0)
        see(head, SEEN_HOST_EMPTY);
    else if (!lario_http1_authority_is_valid(data + value.at, value.len, false))
        return fail(head, 400, "the Host field is not a host");
    /* The authority of the target wins over the field. */
    if (head->host.len == 0)
        head->host = value;
    return 0;
}

/* Digits only. False for anything else and for what 64 bits cannot hold. */
static bool parse_length(const char *at, size_t len, uint64_t *ret_length)
{
    uint64_t length = 0;

    for (size_t i = 0; i < len; i++) {
        unsigned digit = (unsigned)(at[i] - '0');

        if (!lario_char_is_digit(at[i]) || length > (UINT64_MAX - digit) / 10)
            return false;
        length = length * 10 + digit;
    }
    *ret_length = length;
    return len > 0;
}

/*
 * RFC 9110 8.6: a list is accepted when all its members are the same number. Unlike elsewhere an
 * empty member is refused: nothing about the length of a body may be left to interpretation.
 */
static int take_length(lario_http1_head *head, const char *data, lario_http1_span value)
{
    const char *at = data + value.at;
    const char *end = at + value.len;
    const char *comma;
    uint64_t length;

    do {
        comma = memchr(at, ',', (size_t)(end - at));
        const char *last = comma ? comma : end;

        while (at < last && lario_char_is_blank(*at))
            at++;
        while (last > at && lario_char_is_blank(last[-1]))
            last--;
        if (!parse_length(at, (size_t)(last - at), &length))
            return fail(head, 400, "Content-Length is not a number");
        if (is_seen(head, SEEN_LENGTH) && length != head->content_length)
            return fail(head, 400, "Content-Length has different values");
        see(head, SEEN_LENGTH);
        head->content_length = length;
        at = comma ? comma + 1 : end;
    } while (comma);
    return 0;
}

static int take_coding(lario_http1_head *head, const char *data, lario_http1_span value)
{
    const char *at = data + value.at;
    const char *end = at + value.len;
    const char *member;
    size_t len;

    see(head, SEEN_CODING);
    while (lario_token_list_next(&at, end, &member, &len)) {
        if (is_seen(head, SEEN_CHUNKED))
            see(head, SEEN_AFTER_CHUNKED);
        see(head, member_is(member, len, "chunked") ? SEEN_CHUNKED : SEEN_UNKNOWN_CODING);
    }
    return 0;
}

static int take_connection(lario_http1_head *head, const char *data, lario_http1_span value)
{
    const char *at = data + value.at;
    const char *end = at + value.len;
    const char *member;
    size_t len;

    while (lario_token_list_next(&at, end, &member, &len)) {
        if (member_is(member, len, "keep-alive"))
            see(head, SEEN_KEEP_ALIVE);
        else if (member_is(member, len, "close"))
            see(head, SEEN_CLOSE);
        else if (member_is(member, len, "upgrade"))
            see(head, SEEN_CONN_UPGRADE);
    }
    return 0;
}

static int take_expect(lario_http1_head *head, const char *data, lario_http1_span value)
{
    const char *at = data + value.at;
    const char *end = at + value.len;
    const char *member;
    size_t len;

    while (lario_token_list_next(&at, end, &member, &len))
        see(head, member_is(member, len, "100-continue") ? SEEN_CONTINUE : SEEN_EXPECT_OTHER);
    return 0;
}

static int take_upgrade(lario_http1_head *head, const char *data, lario_http1_span value)
{
    (void)data;
    if (value.len > 0)
        see(head, SEEN_UPGRADE);
    return 0;
}

int lario_http1_field_take(lario_http1_head *head, const char *data, const lario_http1_field *field)
{
    const char *name = data + field->name.at;
    const char *known;
    int (*take)(lario_http1_head *, const char *, lario_http1_span);

    /* No two of the names that matter have the same length. */
    switch (field->name.len) {
    case 4:
        known = "host", take = take_host;
        break;
    case 6:
        known = "expect", take = take_expect;
        break;
    case 7:
        known = "upgrade", take = take_upgrade;
        break;
    case 10:
        known = "connection", take = take_connection;
        break;
    case 14:
        known = "content-length", take = take_length;
        break;
    case 17:
        known = "transfer-encoding", take = take_coding;
        break;
    default:
        return 0;
    }
    if (!lario_ascii_equal_nocase(name, known, field->name.len))
        return 0;
    return take(head, data, field->value);
}

/* RFC 9112 6.1 and 6.3: how the body ends must be beyond doubt. */
static int judge_framing(lario_http1_head *head)
{
    if (is_seen(head, SEEN_CODING)) {
        if (head->minor == 0)
            return fail(head, 400, "Transfer-Encoding in HTTP/1.0");
        if (is_seen(head, SEEN_LENGTH))
            return fail(head, 400, "Transfer-Encoding together with Content-Length");
        if (is_seen(head, SEEN_AFTER_CHUNKED))
            return fail(head, 400, "chunked is not the last coding");
        if (is_seen(head, SEEN_UNKNOWN_CODING))
            return fail(head, 501, "a transfer coding that is not implemented");
        if (!is_seen(head, SEEN_CHUNKED))
            return fail(head, 400, "an empty Transfer-Encoding");
        head->chunked = true;
    }
    head->has_length = is_seen(head, SEEN_LENGTH);
    return 0;
}

int lario_http1_fields_judge(lario_http1_head *head)
{
    int rc;

    if (head->minor >= 1 && !is_seen(head, SEEN_HOST))
        return fail(head, 400, "no Host field");
    if (is_seen(head, SEEN_HOST_EMPTY) && head->host.len > 0)
        return fail(head, 400, "an empty Host field beside an authority");
    rc = judge_framing(head);
    if (rc < 0)
        return rc;
    if (is_seen(head, SEEN_EXPECT_OTHER))
        return fail(head, 417, "an expectation that is not known");
    head->close_asked = is_seen(head, SEEN_CLOSE);
    head->keep_alive_said = is_seen(head, SEEN_KEEP_ALIVE);
    head->keep_alive = !head->close_asked && (head->minor >= 1 || is_seen(head, SEEN_KEEP_ALIVE));
    /* An HTTP/1.0 client knows neither (RFC 9110 7.8 and 10.1.1). */
    head->expect_continue = head->minor >= 1 && is_seen(head, SEEN_CONTINUE);
    head->upgrade_asked =
        head->minor >= 1 && is_seen(head, SEEN_CONN_UPGRADE) && is_seen(head, SEEN_UPGRADE);
    return 0;
}
