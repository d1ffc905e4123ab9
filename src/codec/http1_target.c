/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/http1_target.h"

#include <arpa/inet.h>
#include <string.h>

#include "codec/char_class.h"
#include "codec/token.h"
#include "lario/error.h"

static lario_http1_span span(const char *data, const char *first, const char *last)
{
    return (lario_http1_span){(uint16_t)(first - data), (uint16_t)(last - first)};
}

static int fail(lario_http1_head *head, const char *reason)
{
    head->reason = reason;
    return LARIO_EPROTO;
}

static bool span_is(const char *data, lario_http1_span what, const char *text, size_t len)
{
    return what.len == len && memcmp(data + what.at, text, len) == 0;
}

/* ":" and digits, or nothing when the port may be missing. */
static bool port_is_valid(const char *at, const char *end, bool needed)
{
    unsigned port = 0;

    if (at == end)
        return !needed;
    if (*at++ != ':' || (needed && at == end))
        return false;
    for (; at < end; at++) {
        if (!lario_char_is_digit(*at))
            return false;
        port = port * 10 + (unsigned)(*at - '0');
        if (port > 65535)
            return false;
    }
    return true;
}

/* Zone identifiers and the address formats of the future have no place in a request. */
static bool ipv6_is_valid(const char *at, const char *end)
{
    char text[INET6_ADDRSTRLEN];
    struct in6_addr address;
    size_t len = (size_t)(end - at);

    if (len >= sizeof text)
        return false;
    memcpy(text, at, len);
    text[len] = '\0';
    return strlen(text) == len && inet_pton(AF_INET6, text, &address) == 1;
}

/* The end of the registered name or IPv4 address at `at`; NULL for a bad percent escape. */
static const char *reg_name_end(const char *at, const char *end)
{
    for (;;) {
        while (at < end && lario_char_is_host(*at))
            at++;
        if (at == end || *at != '%')
            return at;
        if (end - at < 3 || lario_char_hex(at[1]) < 0 || lario_char_hex(at[2]) < 0)
            return NULL;
        at += 3;
    }
}

bool lario_http1_authority_is_valid(const char *text, size_t len, bool port_needed)
{
    const char *end = text + len;
    const char *host_end;

    if (len > 0 && *text == '[') {
        host_end = memchr(text, ']', len);
        if (!host_end || !ipv6_is_valid(text + 1, host_end))
            return false;
        host_end++;
    } else {
        host_end = reg_name_end(text, end);
        if (!host_end || host_end == text)
            return false;
    }
    return port_is_valid(host_end, end, port_needed);
}

static void split_query(lario_http1_head *head, const char *data, const char *path, const char *end)
{
    const char *mark = memchr(path, '?', (size_t)(end - path));

    head->path = span(data, path, mark ? mark : end);
    if (mark)
        head->query = span(data, mark + 1, end);
}

/* The length of "http://" or "https://" at the front of the target, or 0. */
static size_t scheme_len(const char *target, size_t len)
{
    if (len >= 7 && lario_ascii_equal_nocase(target, "http://", 7))
        return 7;
    if (len >= 8 && lario_ascii_equal_nocase(target, "https://", 8))
        return 8;
    return 0;
}

static int parse_absolute(lario_http1_head *head, const char *data, size_t scheme)
{
    const char *authority = data + head->target.at + scheme;
    const char *end = data + head->target.at + head->target.len;
    const char *authority_end = authority;

    while (authority_end < end && *authority_end != '/' && *authority_end != '?')
        authority_end++;
    if (!lario_http1_authority_is_valid(authority, (size_t)(authority_end - authority), false))
        return fail(head, "the authority of the target is not a host");
    head->host = span(data, authority, authority_end);
    split_query(head, data, authority_end, end);
    /* An empty path means "/" (RFC 9110 4.2.3), of which the "//" before the authority has one. */
    if (head->path.len == 0)
        head->path = span(data, authority - 1, authority);
    return 0;
}

int lario_http1_target_parse(lario_http1_head *head, const char *data)
{
    const char *target = data + head->target.at;
    size_t len = head->target.len;

    if (span_is(data, head->method, "CONNECT", 7)) {
        if (!lario_http1_authority_is_valid(target, len, true))
            return fail(head, "the target of CONNECT is not a host and port");
        head->host = head->target;
        return 0;
    }
    if (*target == '/') {
        split_query(head, data, target, target + len);
        return 0;
    }
    if (span_is(data, head->target, "*", 1)) {
        if (!span_is(data, head->method, "OPTIONS", 7))
            return fail(head, "the target * is only for OPTIONS");
        head->path = head->target;
        return 0;
    }
    size_t scheme = scheme_len(target, len);

    if (scheme == 0)
        return fail(head, "the target has no known form");
    return parse_absolute(head, data, scheme);
}
