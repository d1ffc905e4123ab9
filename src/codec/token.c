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

/* RFC 9110 5.6.2 for the tchars; '#' is one, but starts a fragment in a target. */
const uint8_t lario_char_class[256] = {
    ['!'] = B, ['"'] = R, ['#'] = T, ['$'] = B,  ['%'] = B, ['&'] = B, ['\''] = B, ['('] = R,
    [')'] = R, ['*'] = B, ['+'] = B, [','] = R,  ['-'] = B, ['.'] = B, ['/'] = R,  ['0'] = B,
    ['1'] = B, ['2'] = B, ['3'] = B, ['4'] = B,  ['5'] = B, ['6'] = B, ['7'] = B,  ['8'] = B,
    ['9'] = B, [':'] = R, [';'] = R, ['<'] = R,  ['='] = R, ['>'] = R, ['?'] = R,  ['@'] = R,
    ['A'] = B, ['B'] = B, ['C'] = B, ['D'] = B,  ['E'] = B, ['F'] = B, ['G'] = B,  ['H'] = B,
    ['I'] = B, ['J'] = B, ['K'] = B, ['L'] = B,  ['M'] = B, ['N'] = B, ['O'] = B,  ['P'] = B,
    ['Q'] = B, ['R'] = B, ['S'] = B, ['T'] = B,  ['U'] = B, ['V'] = B, ['W'] = B,  ['X'] = B,
    ['Y'] = B, ['Z'] = B, ['['] = R, ['\\'] = R, [']'] = R, ['^'] = B, ['_'] = B,  ['`'] = B,
    ['a'] = B, ['b'] = B, ['c'] = B, ['d'] = B,  ['e'] = B, ['f'] = B, ['g'] = B,  ['h'] = B,
    ['i'] = B, ['j'] = B, ['k'] = B, ['l'] = B,  ['m'] = B, ['n'] = B, ['o'] = B,  ['p'] = B,
    ['q'] = B, ['r'] = B, ['s'] = B, ['t'] = B,  ['u'] = B, ['v'] = B, ['w'] = B,  ['x'] = B,
    ['y'] = B, ['z'] = B, ['{'] = R, ['|'] = B,  ['}'] = R, ['~'] = B,
};

#undef T
#undef R
#undef B

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

/* Skips whole blocks of 16 bytes without a bad one, or up to the first bad byte. */
static const char *scan_blocks(const char *at, const char *end)
{
    const __m128i highest_control = _mm_set1_epi8(0x1f);
    const __m128i tab = _mm_set1_epi8('\t');
    const __m128i del = _mm_set1_epi8(0x7f);

    for (; end - at >= 16; at += 16) {
        __m128i block = _mm_loadu_si128((const __m128i *)(const void *)at);
        __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(block, highest_control), block);
        __m128i bad = _mm_or_si128(_mm_andnot_si128(_mm_cmpeq_epi8(block, tab), control),
                                   _mm_cmpeq_epi8(block, del));
        int mask = _mm_movemask_epi8(bad);

        if (mask != 0)
            return at + __builtin_ctz((unsigned)mask);
    }
    return at;
}

#elif defined(__ARM_NEON) && defined(__aarch64__)

/* Skips whole blocks of 16 bytes without a bad one, or up to the first bad byte. */
static const char *scan_blocks(const char *at, const char *end)
{
    for (; end - at >= 16; at += 16) {
        uint8x16_t block = vld1q_u8((const uint8_t *)at);
        uint8x16_t control = vcltq_u8(block, vdupq_n_u8(0x20));
        uint8x16_t bad = vorrq_u8(vbicq_u8(control, vceqq_u8(block, vdupq_n_u8('\t'))),
                                  vceqq_u8(block, vdupq_n_u8(0x7f)));
        /* Narrowing leaves four bits of each byte: the nearest thing to a mask of bits. */
        uint8x8_t nibbles = vshrn_n_u16(vreinterpretq_u16_u8(bad), 4);
        uint64_t mask = vget_lane_u64(vreinterpret_u64_u8(nibbles), 0);

        if (mask != 0)
            return at + __builtin_ctzll(mask) / 4;
    }
    return at;
}

#else

static const char *scan_blocks(const char *at, const char *end)
{
    (void)end;
    return at;
}

#endif

const char *lario_field_value_scan(const char *at, const char *end)
{
    at = scan_blocks(at, end);
    while (at < end && !lario_char_is_control(*at))
        at++;
    return at;
}
