/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_WS_EXTENSION_H
#define LARIO_CODEC_WS_EXTENSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What two endpoints agree on about permessage-deflate (RFC 7692 7.1), as a server sees it. A
 * client makes offers in Sec-WebSocket-Extensions, the one it likes best first; the server answers
 * the first one that it can keep. An offer that is not understood in full is declined and the next
 * one looked at: an extension is never a reason to refuse a handshake.
 */

#define LARIO_WS_WINDOW_BITS_MIN 8
#define LARIO_WS_WINDOW_BITS_MAX 15

/* What the server is ready for. */
typedef struct lario_ws_deflate_terms {
    uint8_t server_bits_max; /* 8 to 15: the largest window that it compresses with */
    uint8_t client_bits_max; /* 8 to 15: the largest window that it inflates with */
    bool server_keeps;       /* it would use the window of one message for the next one */
    bool client_keeps;       /* the client may do so */
} lario_ws_deflate_terms;

/* What was agreed on. */
typedef struct lario_ws_deflate_agreed {
    uint8_t server_bits; /* 8 to 15 */
    uint8_t client_bits;
    bool server_keeps;
    bool client_keeps;
    bool tells_server_bits; /* whether the answer has the parameter */
    bool tells_client_bits;
} lario_ws_deflate_agreed;

/*
 * Looks for the first offer in the value of one Sec-WebSocket-Extensions field that can be
 * accepted. Several fields are one list (RFC 6455 9.1): the caller shows them in their order until
 * one gives an agreement. True with *ret_agreed, which is untouched otherwise.
 *
 * Declined are an offer of another extension, one with a parameter that is unknown, comes twice,
 * lacks its value or has one that is not allowed (7.1, 7.1.2), one that breaks the grammar, and one
 * without client_max_window_bits when the server needs the client's window to be small.
 */
bool lario_ws_extension_choose(const char *value, size_t len, const lario_ws_deflate_terms *terms,
                               lario_ws_deflate_agreed *ret_agreed);

/* Room for the longest answer, with its NUL. */
#define LARIO_WS_EXTENSION_BYTES 160

/* Writes the value of the answer's field, with a NUL, and returns its length (7.1.1, 7.1.2). */
size_t lario_ws_extension_write(const lario_ws_deflate_agreed *agreed,
                                char text[LARIO_WS_EXTENSION_BYTES]);

#endif
