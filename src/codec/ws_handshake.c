/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/ws_handshake.h"

#include <stdint.h>
#include <string.h>

#include <sha1.h>

#define KEY_BYTES 24

/* The 64 digits of RFC 4648 4. */
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static bool is_digit(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/';
}

bool lario_ws_key_is_valid(const char *key, size_t len)
{
    if (len != KEY_BYTES || key[22] != '=' || key[23] != '=')
        return false;
    for (size_t i = 0; i < 22; i++) {
        if (!is_digit(key[i]))
            return false;
    }
    /* The last digit carries 2 bits of the 16 bytes; its other 4 are 0 in the canonical form. */
    return key[21] == 'A' || key[21] == 'Q' || key[21] == 'g' || key[21] == 'w';
}

/* Writes the 28 characters for the 20 bytes of a digest: six groups of three and one of two. */
static void encode_digest(const uint8_t in[SHA1_DIGEST_LENGTH], char out[LARIO_WS_ACCEPT_BYTES])
{
    for (size_t i = 0; i < SHA1_DIGEST_LENGTH; i += 3, out += 4) {
        bool whole = i + 2 < SHA1_DIGEST_LENGTH;
        uint32_t group = (uint32_t)in[i] << 16 | (uint32_t)in[i + 1] << 8;

        if (whole)
            group |= in[i + 2];
        out[0] = digits[group >> 18];
        out[1] = digits[group >> 12 & 63];
        out[2] = digits[group >> 6 & 63];
        out[3] = whole ? digits[group & 63] : '=';
    }
}

void lario_ws_accept_key(const char key[24], char ret_accept[LARIO_WS_ACCEPT_BYTES])
{
    static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    uint8_t digest[SHA1_DIGEST_LENGTH];
    SHA1_CTX sha1;

    SHA1Init(&sha1);
    SHA1Update(&sha1, (const uint8_t *)key, KEY_BYTES);
    SHA1Update(&sha1, (const uint8_t *)guid, sizeof(guid) - 1);
    SHA1Final(digest, &sha1);
    encode_digest(digest, ret_accept);
}
