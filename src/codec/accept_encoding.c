/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/accept_encoding.h"

#include <stdbool.h>
#include <string.h>

#include "codec/char_class.h"
#include "codec/token.h"

static const char *const names[LARIO_CODINGS] = {
    [LARIO_CODING_IDENTITY] = "identity",
    [LARIO_CODING_GZIP] = "gzip",
    [LARIO_CODING_DEFLATE] = "deflate",
    [LARIO_CODING_BR] = "br",
};

const char *lario_coding_name(enum lario_coding coding)
{
    return names[coding];
}

static bool is_name(const char *text, size_t len, const char *name)
{
    return strlen(name) == len && lario_ascii_equal_nocase(text, name, len);
}

int lario_coding_of(const char *name, size_t len)
{
    for (int coding = 0; coding < LARIO_CODINGS; coding++)
        if (is_name(name, len, names[coding]))
            return coding;
    return is_name(name, len, "x-gzip") ? LARIO_CODING_GZIP : -1;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && lario_char_is_blank(*at))
        at++;
    return at;
}

/* The weight in thousandths: "0.5" is 500 (RFC 9110 12.4.2); -1 when it is malformed. */
static int parse_qvalue(const char *at, const char *end)
{
    int value, digit = 100;

    if (at == end || (*at != '0' && *at != '1'))
        return -1;
    value = (*at++ - '0') * 1000;
    if (at == end)
        return value;
    if (*at++ != '.' || end - at > 3)
        return -1;
    for (; at < end; at++, digit /= 10) {
        if (!lario_char_is_digit(*at))
            return -1;
        value += (*at - '0') * digit;
    }
    return value <= 1000 ? value : -1;
}

/* Parts "gzip ; q=0.5"; false when it is malformed. */
static bool parse_member(const char *member, size_t len, size_t *ret_name_len, int *ret_q)
{
    const char *end = member + len;
    const char *semicolon = memchr(member, ';', len);
    const char *name_end = semicolon ? semicolon : end;

    while (name_end > member && lario_char_is_blank(name_end[-1]))
        name_end--;
    *ret_name_len = (size_t)(name_end - member);
    *ret_q = 1000;
    if (!lario_token_is_valid(member, *ret_name_len))
        return false;
    if (!semicolon)
        return true;
    const char *at = skip_blanks(semicolon + 1, end);

    if (end - at < 2 || (*at != 'q' && *at != 'Q') || at[1] != '=')
        return false;
    *ret_q = parse_qvalue(at + 2, end);
    return *ret_q >= 0;
}

enum lario_coding lario_accept_encoding_choose(const char *value, size_t len, unsigned offered)
{
    int weights[LARIO_CODINGS] = {-1, -1, -1, -1};
    const char *at = value, *end = value ? value + len : NULL, *member;
    size_t member_len, name_len;
    int q, others = -1;

    if (!value)
        return LARIO_CODING_IDENTITY;
    while (lario_token_list_next(&at, end, &member, &member_len)) {
        if (!parse_member(member, member_len, &name_len, &q))
            continue;
        int coding = lario_coding_of(member, name_len);

        if (is_name(member, name_len, "*"))
            others = q;
        else if (coding >= 0 && q > weights[coding])
            weights[coding] = q;
    }
    enum lario_coding best = LARIO_CODING_IDENTITY;
    int best_weight = weights[best] >= 0 ? weights[best] : 0;

    for (int coding = LARIO_CODING_GZIP; coding < LARIO_CODINGS; coding++) {
        int weight = weights[coding] >= 0 ? weights[coding] : others;

        if ((offered & 1u << coding) && weight > 0 && weight >= best_weight) {
            best = (enum lario_coding)coding;
            best_weight = weight;
        }
    }
    return best;
}
