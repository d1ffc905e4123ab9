/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/etag.h"

#include <string.h>

#include "codec/char_class.h"
#include "lario/error.h"

/* Takes the tag that `at` starts with; its length, or 0 when there is none. */
static size_t scan(const char *at, const char *end)
{
    const char *first = at;

    if (end - at >= 2 && at[0] == 'W' && at[1] == '/')
        at += 2;
    if (at == end || *at++ != '"')
        return 0;
    /* Everything visible but the quote; no blank and no escape. */
    while (at < end && *at != '"') {
        unsigned char c = (unsigned char)*at++;

        if (c <= ' ' || c == 0x7f)
            return 0;
    }
    return at < end ? (size_t)(at + 1 - first) : 0;
}

bool lario_etag_is_valid(const char *tag, size_t len)
{
    return len > 0 && scan(tag, tag + len) == len;
}

bool lario_etag_is_equal(const char *a, size_t a_len, const char *b, size_t b_len,
                         enum lario_etag_comparison how)
{
    bool a_weak = a[0] == 'W', b_weak = b[0] == 'W';

    if (how == LARIO_ETAG_STRONG && (a_weak || b_weak))
        return false;
    if (a_weak)
        a += 2, a_len -= 2;
    if (b_weak)
        b += 2, b_len -= 2;
    return a_len == b_len && memcmp(a, b, a_len) == 0;
}

int lario_etag_list_has(const char *list, size_t len, const char *tag,
                        enum lario_etag_comparison how)
{
    const char *at = list, *end = list + len;
    size_t tag_len = tag ? strlen(tag) : 0;
    bool has = false, wants_comma = false, is_empty = true;

    if (len == 1 && *list == '*')
        return 1;
    /* A tag may have commas in it, so this is no list of tokens. */
    while (at < end) {
        if (lario_char_is_blank(*at) || *at == ',') {
            wants_comma = wants_comma && *at != ',';
            at++;
            continue;
        }
        size_t found = wants_comma ? 0 : scan(at, end);

        if (found == 0)
            return LARIO_EPROTO;
        has = has || (tag && lario_etag_is_equal(at, found, tag, tag_len, how));
        at += found;
        wants_comma = true;
        is_empty = false;
    }
    return is_empty ? LARIO_EPROTO : has;
}
