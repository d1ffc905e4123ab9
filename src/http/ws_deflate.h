/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_HTTP_WS_DEFLATE_H
#define LARIO_HTTP_WS_DEFLATE_H

#include "codec/ws_extension.h"
#include "lario/websocket.h"
#include "net/block.h"

/*
 * permessage-deflate (RFC 7692) of a session. A direction whose window is kept from message to
 * message has a coder of its own, made with its first message; the others share one a loop for each
 * size of window. ws_deflate_none.c stands in without zlib: nothing is ever agreed on.
 */
typedef struct lario_ws_deflate_state lario_ws_deflate_state;

/* Whether this build can do it. */
bool lario_ws_deflate_is_known(void);

/* LARIO_ENOMEM. */
int lario_ws_deflate_new(const lario_ws_deflate_agreed *agreed, lario_ws_deflate_state **ret_state);
void lario_ws_deflate_free(lario_ws_deflate_state *state);

/*
 * Whether messages to the peer are compressed at all: zlib has no window of 256 bytes, so that to a
 * peer that wants it they go as they are.
 */
bool lario_ws_deflates(const lario_ws_deflate_state *state);

/* Whether a message that was compressed by itself, with a window of these bits, may be sent. */
bool lario_ws_takes_shared(const lario_ws_deflate_state *state, unsigned bits);

/* Compresses a message into a block of the pool, which the caller puts back. LARIO_ENOMEM. */
int lario_ws_deflate(lario_ws *ws, const void *data, size_t len, lario_block **ret_packed);

/*
 * Inflates the bytes of a message into a block of the pool. LARIO_ETOOBIG (over the message's limit
 * or that of the ratio), LARIO_EPROTO (it cannot be inflated), LARIO_ENOMEM.
 */
int lario_ws_inflate(lario_ws *ws, const lario_block *packed, lario_block **ret_plain);

/* Compresses by itself, with a window of `bits`, into memory of malloc(). LARIO_ENOMEM. */
int lario_ws_deflate_alone(const void *data, size_t len, unsigned bits, char **ret_packed,
                           size_t *ret_len);

/* Frees the shared coders of a loop; NULL is allowed. */
typedef struct lario_ws_coders lario_ws_coders;
void lario_ws_coders_free(lario_ws_coders *coders);

#endif
