/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/token.h"

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "codec/char_class.h"

/* Bits of lario_char_class. */
#define T LARIO_CHAR_TCHAR
#define R LARIO_CHAR_TARGET
#define B (LARIO_CHAR_TCHAR | LARIO_CHAR_TARGET)
#define D (LARIO_CHAR_TARGET | LARIO_CHAR_HOST)
#define C LARIO_CHAR_CONTROL
#define A (LARIO_CHAR_TCHAR | LARIO_CHAR_TARGET | LARIO_CHAR_HOST)

/* RFC 9110 5.6.2 for the tchars; '#' is one, but starts a fragment in a target. */
const uint8_t lario_char_class[256] = {
    [0x00] = C, [0x01] = C, [0x02] = C, [0x03] = C, [0x04] = C, [0x05] = C, [0x06] = C, [0x07] = C,
    [0x08] = C, [0x0a] = C, [0x0b] = C, [0x0c] = C, [0x0d] = C, [0x0e] = C, [0x0f] = C, [0x10] = C,
    [0x11] = C, [0x12] = C, [0x13] = C, [0x14] = C, [0x15] = C, [0x16] = C, [0x17] = C, [0x18] = C,
    [0x19] = C, [0x1a] = C, [0x1b] = C, [0x1c] = C, [0x1d] = C, [0x1e] = C, [0x1f] = C, [0x7f] = C,
    ['!'] = A,  ['"'] = R,  ['#'] = T,  ['$'] = A,  ['%'] = B,  ['&'] = A,  ['\''] = A, ['('] = D,
    [')'] = D,  ['*'] = A,  ['+'] = A,  [','] = R,  ['-'] = A,  ['.'] = A,  ['/'] = R,  ['0'] = A,
    ['1'] = A,  ['2'] = A,  ['3'] = A,  ['4'] = A,  ['5'] = A,  ['6'] = A,  ['7'] = A,  ['8'] = A,
    ['9'] = A,  [':'] = R,  [';'] = D,  ['<'] = R,  ['='] = D,  ['>'] = R,  ['?'] = R,  ['@'] = R,
    ['A'] = A,  ['B'] = A,  ['C'] = A,  ['D'] = A,  ['E'] = A,  ['F'] = A,  ['G'] = A,  ['H'] = A,
    ['I'] = A,  ['J'] = A,  ['K'] = A,  ['L'] = A,  ['M'] = A,  ['N'] = A,  ['O'] = A,  ['P'] = A,
    ['Q'] = A,  ['R'] = A,  ['S'] = A,  ['T'] = A,  ['U'] = A,  ['V'] = A,  ['W'] = A,  ['X'] = A,
    ['Y'] = A,  ['Z'] = A,  ['['] = R,  ['\\'] = R, [']'] = R,  ['^'] = B,  ['_'] = A,  ['`'] = B,
    ['a'] = A,  ['b'] = A,  ['c'] = A,  ['d'] = A,  ['e'] = A,  ['f'] = A,  ['g'] = A,  ['h'] = A,
    ['i'] = A,  ['j'] = A,  ['k'] = A,  ['l'] = A,  ['m'] = A,  ['n'] = A,  ['o'] = A,  ['p'] = A,
    ['q'] = A,  ['r'] = A,  ['s'] = A,  ['t'] = A,  ['u'] = A,  ['v'] = A,  ['w'] = A,  ['x'] = A,
    ['y'] = A,  ['z'] = A,  ['{'] = R,  ['|'] = B,  ['}'] = R,  ['~'] = A,
};

#undef T
#undef R
#undef B
#undef D
#undef C
#undef A

bool lario_token_is_valid(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!lario_char_is_tchar(text[i]))
            return false;
    }
    return len > 0;
}

bool lario_field_value_is_valid(const char *text, size_t len)
{
    return lario_field_value_scan(text, text + len) == text + len;
}

bool lario_token_list_next(const char **at, const char *end, const char **ret_member,
                           size_t *ret_len)
{
    while (*at < end) {
        const char *first = *at;
        const char *comma = memchr(first, ',', (size_t)(end - first));
        const char *last = comma ? comma : end;

        *at = comma ? comma + 1 : end;
        while (first < last && lario_char_is_blank(*first))
            first++;
        while (last > first && lario_char_is_blank(last[-1]))
            last--;
        if (first < last) {
            *ret_member = first;
            *ret_len = (size_t)(last - first);
            return true;
        }
    }
    return false;
}

bool lario_token_list_has(const char *value, size_t len, const char *token)
{
    const char *end = value + len;
    const char *member;
    size_t member_len;
    size_t token_len = strlen(token);

    while (lario_token_list_next(&value, end, &member, &member_len)) {
        if (member_len == token_len && lario_ascii_equal_nocase(member, token, token_len))
            return true;
    }
    return false;
}

bool lario_ascii_equal_nocase(const char *a, const char *b, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char x = (unsigned char)a[i];
        unsigned char y = (unsigned char)b[i];

        /* Bytes that differ in the case bit alone are equal only when they are letters. */
        if (x != y && ((x ^ y) != 0x20 || (x | 0x20) < 'a' || (x | 0x20) > 'z'))
            return false;
    }
    return true;
}

#if defined(__SSE2__)

/* The offset of the first bad one of 16 bytes, or 16. */
static unsigned bad_of_block(const char *at)
{
    __m128i block = _mm_loadu_si128((const __m128i *)(const void *)at);
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);
    __m128i bad =
        _mm_or_si128(_mm_andnot_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('\t')), control),
                     _mm_cmpeq_epi8(block, _mm_set1_epi8(0x7f)));

    return (unsigned)__builtin_ctz((unsigned)_mm_movemask_epi8(bad) | 1u << 16);
}

#elif defined(__ARM_NEON) && defined(__aarch64__)

/* The offset of the first bad one of 16 bytes, or 16. */
static unsigned bad_of_block(const char *at)
{
    uint8x16_t block = vld1q_u8((const uint8_t *)at);
    uint8x16_t control = vcltq_u8(block, vdupq_n_u8(0x20));
    uint8x16_t bad = vorrq_u8(vbicq_u8(control, vceqq_u8(block, vdupq_n_u8('\t'))),
                              vceqq_u8(block, vdupq_n_u8(0x7f)));
    /* Narrowing leaves four bits of each byte: the nearest thing to a mask of bits. */
    uint8x8_t nibbles = vshrn_n_u16(vreinterpretq_u16_u8(bad), 4);
    uint64_t mask = vget_lane_u64(vreinterpret_u64_u8(nibbles), 0);

    return mask != 0 ? (unsigned)__builtin_ctzll(mask) / 4 : 16;
}

#else

static unsigned bad_of_block(const char *at)
{
    unsigned i = 0;

    while (i < 16 && !lario_char_is_control(at[i]))
        i++;
    return i;
}

#endif

const char *lario_field_value_scan(const char *at, const char *end)
{
    const char *last = end - at >= 16 ? end - 16 : NULL;

    if (!last) {
        while (at < end && !lario_char_is_control(*at))
            at++;
        return at;
    }
    /* The last block may begin inside of the one before, whose bytes are known to be good. */
    for (;;) {
        unsigned bad = bad_of_block(at);

        if (bad < 16 || at == last)
            return at + bad;
        at = last - at > 16 ? at + 16 : last;
    }
}
