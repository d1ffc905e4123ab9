/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_HTTP_WS_H
#define LARIO_HTTP_WS_H

#include "codec/ws_frame.h"
#include "http/req.h"
#include "http/ws_deflate.h"
#include "lario/websocket.h"
#include "net/block.h"
#include "proc/mailbox.h"

/*
 * A WebSocket session (RFC 6455) on a connection whose request was answered by 101. It lies in the
 * arena of its request, and its process is the request's.
 *
 * The parser runs when bytes arrive and whenever the process receives, and stops at each whole
 * message: so control frames are answered at once, at most one message waits here, and the rest
 * waits in the window and then in the kernel. Two blocks hold messages, the one that the process
 * looks at and the one that is being put together; an idle session holds none.
 */
struct lario_ws {
    lario_http_conn *conn;
    lario_req *req;
    lario_source source;
    lario_ws_parser parser;
    lario_block *held;     /* the message that the process looks at */
    lario_block *building; /* the message that is coming in */
    uint64_t input_ms;     /* when the peer was heard last */
    uint64_t ping_sent_ms; /* 0: no answer is awaited */
    uint32_t ping_ms;
    uint8_t building_opcode;
    bool is_ready; /* `building` is whole */
    bool close_sent;
    bool close_received;
    int failure; /* what lario_receive() answers from now on: a rule was broken; or 0 */
    uint16_t peer_code;
    const char *protocol;
    lario_ws_deflate_state *deflate; /* NULL: permessage-deflate was not agreed on */
    size_t compress_bytes_min;
};

/* RSV1 beside the opcode of a compressed message's first frame (RFC 7692 6). */
#define LARIO_WS_COMPRESSED 0x40u

static inline lario_stream *lario_ws_stream(lario_ws *ws)
{
    return &ws->conn->conn.stream;
}

static inline lario_block_pool *lario_ws_pool(lario_ws *ws)
{
    return lario_ws_stream(ws)->loop->slots[LARIO_LOOP_SLOT_NET];
}

/* Starts the session after the 101 was queued. */
void lario_ws_start(lario_ws *ws, lario_req *req, uint64_t message_bytes_max, uint32_t ping_ms);

/* From the connection. */
void lario_ws_on_input(lario_ws *ws);
void lario_ws_on_room(lario_ws *ws);
void lario_ws_on_deadline(lario_ws *ws);
void lario_ws_drain(lario_ws *ws);

void lario_ws_set_deadline_in(lario_ws *ws, uint32_t ms);

/* ---- ws_send.c ---- */

/* Queues a frame; `opcode` with LARIO_WS_COMPRESSED for a compressed one. */
int lario_ws_put_frame(lario_ws *ws, uint8_t opcode, const void *data, size_t len);
int lario_ws_put_close(lario_ws *ws, uint16_t code, const char *reason);

/* ---- ws_shared.c ---- */

/* The shared bytes of a frame, for messages of LARIO_KIND_FOR_SOURCE. */
lario_shared *lario_ws_frame_shared(lario_ws_frame *frame);

/* A frame that another process sent to this one's socket; from inside of lario_receive(). */
int lario_ws_forward(lario_source *source, lario_message *message);

/* The handler returned `rc`: closes, and waits for the peer's part of it. In the process. */
void lario_ws_finish(lario_ws *ws, int rc);

#endif
