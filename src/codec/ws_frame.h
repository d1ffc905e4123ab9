/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_WS_FRAME_H
#define LARIO_CODEC_WS_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/utf8.h"

/*
 * WebSocket frames as a server sees them (RFC 6455 5). The parser works on whatever bytes are
 * there, unmasks them in place, checks text as it comes (8.1) and enforces every rule of 5.2 to
 * 5.5: masks, reserved bits and opcodes, minimal lengths, control frames, fragmentation.
 */

enum lario_ws_opcode {
    LARIO_WS_OP_CONTINUATION = 0,
    LARIO_WS_OP_TEXT = 1,
    LARIO_WS_OP_BINARY = 2,
    LARIO_WS_OP_CLOSE = 8,
    LARIO_WS_OP_PING = 9,
    LARIO_WS_OP_PONG = 10,
};

#define LARIO_WS_CONTROL_BYTES_MAX 125
#define LARIO_WS_HEADER_BYTES_MAX 10 /* of a frame that a server sends: no mask */

/* What the parser found next. */
typedef struct lario_ws_event {
    uint8_t opcode; /* TEXT or BINARY for a piece of a message (also of its continuation frames);
                       CLOSE, PING or PONG for a whole control frame */
    bool first;     /* the piece starts a message */
    bool last;      /* the piece ends it: text is then known to be valid UTF-8, if not compressed */
    bool compressed; /* the message has RSV1: its bytes are to be inflated, and not checked yet */
    char *data;      /* unmasked; in the caller's bytes, or in the parser for a control frame */
    size_t len;      /* may be 0 only when `first` or `last` */
} lario_ws_event;

typedef struct lario_ws_parser {
    uint64_t message_bytes_max; /* set by the caller; beyond it: 1009. See also below */
    uint64_t left;              /* payload bytes of the current frame still to come */
    uint64_t message_bytes;     /* payload bytes of the current message so far */
    uint8_t header[14];         /* of the frame whose header is not complete */
    uint8_t header_len;
    uint8_t opcode;         /* of the current frame */
    uint8_t message_opcode; /* of the unfinished message, or 0 */
    bool in_payload;
    bool fin;
    bool deflates;   /* set by the caller: permessage-deflate was agreed on (RFC 7692) */
    bool compressed; /* the current message is */
    bool fresh;      /* no piece of the current message was reported yet */
    uint8_t mask[4];
    uint8_t mask_at; /* offset into the mask of the next payload byte */
    uint8_t control_len;
    lario_utf8_state utf8;
    uint16_t close_code; /* after a failure: the code to close with */
    const char *reason;  /* after a failure, for the log (static storage) */
    char control[LARIO_WS_CONTROL_BYTES_MAX];
} lario_ws_parser;

void lario_ws_parser_init(lario_ws_parser *parser, uint64_t message_bytes_max);

/*
 * With parser->deflates RSV1 is allowed in the first frame of a message (RFC 7692 6). How much such
 * a message inflates to is the caller's to watch; here it may be as much larger than the limit as
 * data grows that cannot be compressed at all.
 */

/*
 * Takes up to `len` bytes, which it may change; *ret_used says how many were used. Returns 1 with
 * *ret_event, 0 when all bytes are used and more are needed, or LARIO_EPROTO with
 * parser->close_code (1002, 1007, 1009) and parser->reason. A frame that is whole in `data` gives
 * one event. A fault is reported as soon as the byte that proves it is there: a bad header before
 * its payload, bad text in the middle of a fragment. After a failure it must not be called again.
 */
int lario_ws_parser_next(lario_ws_parser *parser, char *data, size_t len, size_t *ret_used,
                         lario_ws_event *ret_event);

/*
 * Checks the payload of a close frame (RFC 6455 5.5.1, 7.4): *ret_code is its code, or 1005 when
 * it is empty. LARIO_EPROTO for a payload of one byte or a code that may not be sent, LARIO_EUTF8
 * for a reason that is not UTF-8.
 */
int lario_ws_close_parse(const char *data, size_t len, uint16_t *ret_code);

/* Whether an endpoint may send this close code: 1000-1003, 1007-1011, 3000-4999. */
bool lario_ws_close_code_is_valid(unsigned code);

/* Writes the header of an unfragmented, unmasked frame and returns its length, 2, 4 or 10. */
size_t lario_ws_header_write(uint8_t header[LARIO_WS_HEADER_BYTES_MAX], uint8_t opcode,
                             uint64_t len);

/* XORs `len` bytes with the mask, starting at mask byte `mask_at` (0 to 3). Vectorised. */
void lario_ws_mask(char *data, size_t len, const uint8_t mask[4], unsigned mask_at);

#endif
