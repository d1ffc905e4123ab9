/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_HTTP_WS_H
#define LARIO_HTTP_WS_H

#include "codec/ws_frame.h"
#include "http/req.h"
#include "lario/websocket.h"
#include "net/block.h"

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
};

/* Starts the session after the 101 was queued. */
void lario_ws_start(lario_ws *ws, lario_req *req, uint64_t message_bytes_max, uint32_t ping_ms);

/* From the connection. */
void lario_ws_on_input(lario_ws *ws);
void lario_ws_on_room(lario_ws *ws);
void lario_ws_on_deadline(lario_ws *ws);
void lario_ws_drain(lario_ws *ws);

/* The handler returned `rc`: closes, and waits for the peer's part of it. In the process. */
void lario_ws_finish(lario_ws *ws, int rc);

#endif
