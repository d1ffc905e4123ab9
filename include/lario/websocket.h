/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_WEBSOCKET_H
#define LARIO_WEBSOCKET_H

#include <stddef.h>
#include <stdint.h>

#include "lario/error.h"
#include "lario/export.h"
#include "lario/http.h"
#include "lario/process.h"

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
} lario_ws_options;

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
