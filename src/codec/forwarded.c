/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/forwarded.h"

#include <string.h>

#include "codec/token.h"

/* A quoted value that is longer names no address and no protocol. */
#define VALUE_BYTES_MAX 64

typedef struct span {
    const char *at;
    size_t len;
} span;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static span trimmed(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    while (at < end && is_blank(end[-1]))
        end--;
    return (span){at, (size_t)(end - at)};
}

static bool span_is(span text, const char *word)
{
    return strlen(word) == text.len && lario_ascii_equal_nocase(word, text.at, text.len);
}

/* Whether an odd number of backslashes stands before value[at]. */
static bool is_escaped(const char *value, size_t at)
{
    size_t count = 0;

    while (count < at && value[at - 1 - count] == '\\')
        count++;
    return count % 2 == 1;
}

/*
 * Where the last element begins. Quotes are counted from the end, so that one that an earlier
 * writer left open does not swallow what comes behind it.
 */
static size_t find_last_element(const char *value, size_t len, bool has_quotes)
{
    bool is_quoted = false;

    while (len > 0) {
        char c = value[len - 1];

        if (has_quotes && c == '"' && !(is_quoted && is_escaped(value, len - 1)))
            is_quoted = !is_quoted;
        else if (c == ',' && !is_quoted)
            break;
        len--;
    }
    return len;
}

static bool take_last_element(const char *value, size_t *len, bool has_quotes, span *ret_element)
{
    while (*len > 0) {
        size_t begin = find_last_element(value, *len, has_quotes);
        span element = trimmed(value + begin, value + *len);

        *len = begin > 0 ? begin - 1 : 0;
        if (element.len > 0) {
            *ret_element = element;
            return true;
        }
    }
    return false;
}

static enum lario_forwarded_proto proto_of(span text)
{
    if (span_is(text, "https"))
        return LARIO_FORWARDED_PROTO_HTTPS;
    return span_is(text, "http") ? LARIO_FORWARDED_PROTO_HTTP : LARIO_FORWARDED_PROTO_NONE;
}

/* ---- Nodes (RFC 7239 6) ---- */

static bool is_obfuscated(span text)
{
    if (text.len < 2 || text.at[0] != '_')
        return false;
    for (size_t i = 1; i < text.len; i++) {
        char c = text.at[i], lower = (char)(c | 0x20);

        if (!(lower >= 'a' && lower <= 'z') && !(c >= '0' && c <= '9') && c != '.' && c != '_' &&
            c != '-')
            return false;
    }
    return true;
}

static bool is_port(span text)
{
    uint16_t port;

    return lario_ip_parse_port(&port, text.at, text.len) == 0 || is_obfuscated(text);
}

/* What stands behind an address is nothing, or a colon and a port. */
static bool ends_with_port(const char *at, const char *end)
{
    return at == end || (*at == ':' && is_port((span){at + 1, (size_t)(end - at - 1)}));
}

/* "192.0.2.7", "192.0.2.7:80", "[2001:db8::1]", "[2001:db8::1]:80"; bare IPv6 where asked. */
static bool parse_node(span text, bool allows_bare_6, lario_ip *ret_ip)
{
    const char *end = text.at + text.len;

    if (text.len > 0 && text.at[0] == '[') {
        const char *bracket = memchr(text.at, ']', text.len);

        return bracket && memchr(text.at, ':', (size_t)(bracket - text.at)) &&
               lario_ip_parse(ret_ip, text.at + 1, (size_t)(bracket - text.at - 1)) == 0 &&
               ends_with_port(bracket + 1, end);
    }
    const char *colon = memchr(text.at, ':', text.len);

    if (colon && memchr(colon + 1, ':', (size_t)(end - colon - 1)))
        return allows_bare_6 && lario_ip_parse(ret_ip, text.at, text.len) == 0;
    const char *host_end = colon ? colon : end;

    return lario_ip_parse(ret_ip, text.at, (size_t)(host_end - text.at)) == 0 &&
           ends_with_port(host_end, end);
}

/* A node that does not want to be known, in the words of RFC 7239 6.2 and 6.3. */
static bool is_hidden_node(span text)
{
    const char *colon = memchr(text.at, ':', text.len);
    span name = {text.at, colon ? (size_t)(colon - text.at) : text.len};

    return (span_is(name, "unknown") || is_obfuscated(name)) &&
           (!colon || ends_with_port(colon, text.at + text.len));
}

/* ---- Forwarded (RFC 7239 4) ---- */

/* Takes a quoted string at *at (its opening quote); false when it does not end. */
static bool take_quoted(const char **at, const char *end, char *out, size_t *ret_len)
{
    size_t len = 0;

    for (const char *c = *at + 1; c < end; c++) {
        if (*c == '"') {
            *at = c + 1;
            *ret_len = len;
            return true;
        }
        if (*c == '\\' && ++c == end)
            return false;
        if (len == VALUE_BYTES_MAX)
            return false;
        out[len++] = *c;
    }
    return false;
}

/* Takes a token or a quoted string, without the quotes. */
static bool take_value(const char **at, const char *end, char *space, span *ret_value)
{
    const char *begin = *at;

    ret_value->at = space;
    if (begin < end && *begin == '"')
        return take_quoted(at, end, space, &ret_value->len);
    while (*at < end && **at != ';' && !is_blank(**at))
        (*at)++;
    *ret_value = (span){begin, (size_t)(*at - begin)};
    return ret_value->len > 0 && lario_token_is_valid(begin, ret_value->len);
}

static void skip_blanks(const char **at, const char *end)
{
    while (*at < end && is_blank(**at))
        (*at)++;
}

/* One name and value; false when it is malformed, or says again what was said. */
static bool take_pair(const char **at, const char *end, bool *has_for, lario_forwarded_hop *hop)
{
    char space[VALUE_BYTES_MAX];
    const char *equals = memchr(*at, '=', (size_t)(end - *at));
    span name = {*at, equals ? (size_t)(equals - *at) : 0};
    span value;

    if (name.len == 0 || !lario_token_is_valid(name.at, name.len))
        return false;
    *at = equals + 1;
    if (!take_value(at, end, space, &value))
        return false;
    if (span_is(name, "proto")) {
        bool is_first = hop->proto == LARIO_FORWARDED_PROTO_NONE;

        hop->proto = proto_of(value);
        return is_first;
    }
    if (!span_is(name, "for"))
        return true;
    if (*has_for)
        return false;
    *has_for = true;
    return parse_node(value, false, &hop->ip) || is_hidden_node(value);
}

static bool parse_element(span element, lario_forwarded_hop *hop)
{
    const char *at = element.at, *end = element.at + element.len;
    bool has_for = false;

    while (at < end) {
        if (*at != ';' && !take_pair(&at, end, &has_for, hop))
            return false;
        skip_blanks(&at, end);
        if (at < end && *at++ != ';')
            return false;
        skip_blanks(&at, end);
    }
    return true;
}

bool lario_forwarded_last(const char *value, size_t *len, lario_forwarded_hop *ret_hop)
{
    lario_forwarded_hop hop = {.ip.family = LARIO_IP_NONE};
    span element;

    if (!take_last_element(value, len, true, &element))
        return false;
    if (!parse_element(element, &hop))
        hop = (lario_forwarded_hop){.is_malformed = true};
    *ret_hop = hop;
    return true;
}

/* ---- X-Forwarded-For and X-Forwarded-Proto ---- */

bool lario_x_forwarded_for_last(const char *value, size_t *len, lario_forwarded_hop *ret_hop)
{
    lario_forwarded_hop hop = {.ip.family = LARIO_IP_NONE};
    span element;

    if (!take_last_element(value, len, false, &element))
        return false;
    if (!parse_node(element, true, &hop.ip))
        hop = (lario_forwarded_hop){.is_malformed = !span_is(element, "unknown")};
    *ret_hop = hop;
    return true;
}

enum lario_forwarded_proto lario_x_forwarded_proto(const char *value, size_t len)
{
    span member;

    return take_last_element(value, &len, false, &member) ? proto_of(member)
                                                          : LARIO_FORWARDED_PROTO_NONE;
}
