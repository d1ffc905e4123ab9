/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_WS_HANDSHAKE_H
#define LARIO_CODEC_WS_HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether `key` is the base64 form of 16 bytes (RFC 6455 4.1): 24 characters, canonical. */
bool lario_ws_key_is_valid(const char *key, size_t len);

/* Length of a Sec-WebSocket-Accept value, without a NUL. */
#define LARIO_WS_ACCEPT_BYTES 28

/* Computes the Sec-WebSocket-Accept value of a valid 24 character key (RFC 6455 4.2.2). */
void lario_ws_accept_key(const char key[24], char ret_accept[LARIO_WS_ACCEPT_BYTES]);

#endif
