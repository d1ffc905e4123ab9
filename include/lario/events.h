/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_EVENTS_H
#define LARIO_EVENTS_H

#include "lario/error.h"
#include "lario/export.h"
#include "lario/http.h"

LARIO_BEGIN_DECLS

/*
 * Server-Sent Events (WHATWG HTML 9.2): an answer that goes on, which a browser reads by
 * EventSource and asks for again, by itself, when it breaks. The handler waits for messages, from
 * processes of any loop, and passes them on:
 *
 *     int rc = lario_events_start(req);
 *
 *     while (rc == 0) {
 *         rc = lario_receive(&msg, 15000);
 *         if (rc == LARIO_USER)
 *             rc = lario_event_send(req, &(lario_event){.data = msg.data});
 *         else if (rc == LARIO_ETIMEDOUT)
 *             rc = lario_event_comment(req, "");       // shows that both ends still live
 *     }
 *     return rc;                                       // LARIO_ECLOSED: the browser left
 *
 * All calls are made from the request's process. While the client does not read, a call parks once
 * output_bytes_max wait, and after a write stall it fails.
 */

/*
 * Starts the answer: text/event-stream, not to be cached. Errors: those of lario_reply_start().
 */
LARIO_API LARIO_MUST_USE int lario_events_start(lario_req *req);

/* The id of the last event that the browser has seen before it lost the connection; "" for none. */
LARIO_API const char *lario_events_last_id(lario_req *req);

typedef struct lario_event {
    const char *data; /* text in UTF-8, of any number of lines; NULL: only what follows */
    const char *name; /* NULL: "message" */
    const char *id;   /* what lario_events_last_id() will say; NULL: as before, "": none */
    int retry_ms;     /* how long a browser waits before it connects again; 0: as before */
} lario_event;

/*
 * Sends an event; it leaves at the end of this loop turn at the latest. Lines end by LF, CR or
 * CRLF; all of them arrive as LF. Errors: LARIO_EINVAL (a line end in name or id, retry_ms below
 * 0), LARIO_ENOMEM, and those of lario_reply_write().
 */
LARIO_API LARIO_MUST_USE int lario_event_send(lario_req *req, const lario_event *event);

/* Sends a line of at most 200 bytes (LARIO_ETOOBIG) that browsers ignore. Errors: as above. */
LARIO_API LARIO_MUST_USE int lario_event_comment(lario_req *req, const char *text);

LARIO_END_DECLS

#endif
