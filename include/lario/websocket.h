/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_WEBSOCKET_H
#define LARIO_WEBSOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lario/error.h"
#include "lario/export.h"
#include "lario/http.h"
#include "lario/process.h"
#include "lario/scope.h"

LARIO_BEGIN_DECLS

/*
 * A WebSocket (RFC 6455) is something that a handler does: it accepts and goes on in its process.
 * Messages of the peer arrive through lario_receive() as LARIO_WS_TEXT and LARIO_WS_BINARY,
 * whole, beside the messages of other processes. A process that does not receive stops the
 * socket's reading. Pings are answered and the closing handshake is done by the library; it is
 * flushed and closed when the handler returns; that it returns LARIO_ECLOSED, since its peer left,
 * is no failure. The request and its strings stay valid. All calls are made from the handler's
 * process.
 *
 *     int rc = lario_ws_accept(req, NULL, &ws);
 *     while (rc >= 0 && (rc = lario_receive(&msg, -1)) >= 0)
 *         rc = lario_ws_write(ws, rc, msg.data, msg.len);
 *     return rc;
 */
typedef struct lario_ws lario_ws;

typedef struct lario_ws_options {
    const char *protocols;      /* space-separated subprotocols, the preferred first; NULL: none */
    const char *origins;        /* space-separated origins that may connect; NULL: any */
    uint64_t message_bytes_max; /* 0: limits.ws_message_bytes_max */
    uint32_t ping_ms;           /* 0: limits.ws_ping_ms */
    bool compresses;            /* permessage-deflate (RFC 7692), when the client offers it */
    unsigned window_bits;       /* of both directions at most, 9 to 15; 0: 12 */
    bool keeps_window;          /* from message to message: smaller messages, more memory */
    size_t compress_bytes_min;  /* shorter messages are sent as they are; 0: 64 */
} lario_ws_options;

/*
 * What permessage-deflate costs: nothing for a session that has not agreed on it. Without
 * keeps_window all sessions of a loop share the coders, and one costs 50 bytes. With it each
 * session has its own, made when the first message is sent or comes: for sending 4 << window_bits
 * bytes and 16 KiB, for receiving 1 << window_bits and 10 KiB. A client that does not understand a
 * limit on its window has one of 15 bits. A message inflates to at most its limit, and to at most
 * limits.inflate_ratio_max times the bytes that came (1009).
 */
#define LARIO_WS_BITS_DEFAULT 12

/*
 * Answers the handshake (RFC 6455 4.2). `opts` may be NULL. Does not park. On failure the client
 * has its answer: 400 (no proper handshake, RFC 6455 4.2.1), 426 with Sec-WebSocket-Version (RFC
 * 6455 4.2.2, 4.4), 403 (Origin), and the code is LARIO_EUPGRADE, which a handler can return.
 * Other errors: LARIO_ESTATE (answered before), LARIO_ECLOSED, LARIO_ENOMEM.
 */
LARIO_API LARIO_MUST_USE int lario_ws_accept(lario_req *req, const lario_ws_options *opts,
                                             lario_ws **ret_ws);

/* The subprotocol agreed on, or "". */
LARIO_API const char *lario_ws_protocol(const lario_ws *ws);

/*
 * Sends one whole message; `kind` is LARIO_WS_TEXT (the caller sees to UTF-8) or LARIO_WS_BINARY.
 * The bytes are copied and leave at the end of this loop turn. Parks while more than
 * limits.output_bytes_max wait.
 * Errors: LARIO_ECLOSED (after either side's close), LARIO_ECANCELED, LARIO_ETIMEDOUT (write
 * stall), LARIO_EINVAL (kind), LARIO_ENOMEM.
 */
LARIO_API LARIO_MUST_USE int lario_ws_write(lario_ws *ws, int kind, const void *data, size_t len);

/* The same without parking: LARIO_EAGAIN when the output is over its limit, nothing is sent. */
LARIO_API LARIO_MUST_USE int lario_ws_try_write(lario_ws *ws, int kind, const void *data,
                                                size_t len);

/* A C string as a text message. */
LARIO_API LARIO_MUST_USE int lario_ws_puts(lario_ws *ws, const char *text);

/* A formatted text message of at most 64 KiB; LARIO_ETOOBIG. */
LARIO_API LARIO_MUST_USE int lario_ws_printf(lario_ws *ws, const char *format, ...)
    LARIO_PRINTF(2, 3);

/* ---- Messages for many ---- */

/*
 * A message that is framed, and compressed if asked to, once for any number of sockets, which share
 * its bytes: a broadcast to thousands takes the memory of one message.
 */
typedef struct lario_ws_frame lario_ws_frame;

/*
 * Makes a frame of a message (`kind` as for lario_ws_write(), at most 16 MiB, copied). With
 * `compresses` it also has a compressed form, for the sessions that agreed on permessage-deflate
 * without keeps_window; the others get the plain one. NULL when memory is out or an argument is
 * wrong. Any thread. The caller owns it.
 */
LARIO_API lario_ws_frame *lario_ws_frame_new(int kind, const void *data, size_t len,
                                             bool compresses);

/* Gives it back; what was sent is still sent. NULL is allowed. Any thread. */
LARIO_API void lario_ws_frame_free(lario_ws_frame *frame);

/* Sends it on the own socket. Parks; errors as for lario_ws_write(). */
LARIO_API LARIO_MUST_USE int lario_ws_write_frame(lario_ws *ws, lario_ws_frame *frame);

/*
 * Sends it on the socket of the process `to`, on any loop, without its handler seeing it: it goes
 * out, in the order of the process' other messages, as soon as the handler is in lario_receive()
 * (for any kind). A receiver whose client does not read waits there; its mailbox then fills up to
 * its limit, and more is dropped and counted as for any message. Dropped too when `to` has no
 * WebSocket. From a process; does not park. Errors: those of lario_send().
 */
LARIO_API int lario_ws_send(lario_pid to, lario_ws_frame *frame);

/*
 * The same to every member of the group. Returns the number of intended receivers, or an error of
 * lario_publish().
 */
LARIO_API int lario_ws_publish(lario_scope *scope, const char *group, lario_ws_frame *frame);

/*
 * Starts the closing handshake: `code` 1000 to 1003, 1007 to 1011 or 3000 to 4999 (RFC 6455 7.4),
 * `reason` UTF-8 of at most 123 bytes, or NULL. What was written before is sent first. Then
 * lario_receive() answers LARIO_ECLOSED. Does not park. Errors: LARIO_EINVAL, LARIO_ECLOSED.
 */
LARIO_API int lario_ws_close(lario_ws *ws, int code, const char *reason);

/* The peer's close code once it has closed: 1005 without one, 1006 without a close frame, else 0.
 */
LARIO_API int lario_ws_close_code(const lario_ws *ws);

LARIO_END_DECLS

#endif
