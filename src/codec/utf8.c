/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/utf8.h"

#include <string.h>

/*
 * The state inside of a character says what the next byte must be: in its lowest byte how many
 * continuation bytes are missing, in the next two the lowest and the highest value allowed for the
 * first of them. Only the byte after the lead has bounds of its own: they are what keeps overlong
 * forms (E0, F0), surrogates (ED) and everything past U+10FFFF (F4) out (RFC 3629 4).
 */
#define STATE(missing, low, high)                                                                  \
    ((lario_utf8_state)(missing) | (lario_utf8_state)(low) << 8 | (lario_utf8_state)(high) << 16)

/* The state after a lead byte; 0 for a byte that cannot be one. */
static lario_utf8_state after_lead(uint8_t lead)
{
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    if (lead < 0xe0)
        return STATE(1, 0x80, 0xbf);
    switch (lead) {
    case 0xe0:
        return STATE(2, 0xa0, 0xbf);
    case 0xed:
        return STATE(2, 0x80, 0x9f);
    case 0xf0:
        return STATE(3, 0x90, 0xbf);
    case 0xf4:
        return STATE(3, 0x80, 0x8f);
    }
    return lead < 0xf0 ? STATE(2, 0x80, 0xbf) : STATE(3, 0x80, 0xbf);
}

/* The state after a continuation byte, which must be allowed. */
static lario_utf8_state after_continuation(lario_utf8_state state)
{
    uint32_t missing = (state & 0xff) - 1;

    return missing > 0 ? STATE(missing, 0x80, 0xbf) : 0;
}

/* The number of ASCII bytes at the front, or somewhat less. */
static size_t ascii_run(const char *data, size_t len)
{
    const uint64_t high_bits = 0x8080808080808080u;
    size_t at = 0;

    for (; len - at >= 16; at += 16) {
        uint64_t words[2];

        memcpy(words, data + at, sizeof words);
        if ((words[0] | words[1]) & high_bits)
            break;
    }
    return at;
}

bool lario_utf8_next(lario_utf8_state *state, const char *data, size_t len)
{
    lario_utf8_state now = *state;

    for (size_t at = 0; at < len; at++) {
        uint8_t byte = (uint8_t)data[at];

        if (now != 0) {
            if (byte < (now >> 8 & 0xff) || byte > (now >> 16 & 0xff))
                return false;
            now = after_continuation(now);
        } else if (byte >= 0x80) {
            now = after_lead(byte);
            if (now == 0)
                return false;
        } else if (len - at >= 16) {
            size_t run = ascii_run(data + at, len - at);
            at += run > 0 ? run - 1 : 0;
        }
    }
    *state = now;
    return true;
}
