/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_HTTP_CONN_H
#define LARIO_HTTP_CONN_H

#include "codec/http1_body.h"
#include "codec/http1_head.h"
#include "lario/hooks.h"
#include "lario/http.h"
#include "net/server.h"
#include "proc/process.h"

/*
 * An HTTP/1 connection. It serves one request after the other, so that pipelined answers keep their
 * order by themselves:
 *
 *     HEAD --head complete--> BUSY --handler ended, body left--> SKIP --body ended--> HEAD ...
 *
 * While it is in HEAD there is no process, and no buffer when no byte has come. In BUSY the process
 * owns the request; input that is not read waits in the window, and the socket's reading stops.
 */

typedef struct lario_ws lario_ws;

/* What a server of this protocol does with a request; its `context`. */
typedef struct lario_http_handler {
    int (*handle)(void *arg, lario_req *req);
    void *arg;
    lario_error_page_fn error_page; /* or NULL */
    void *error_page_arg;
    lario_access_fn access; /* or NULL */
    void *access_arg;
} lario_http_handler;

static inline const lario_http_handler *lario_http_handler_of(const lario_conn *conn)
{
    return (const lario_http_handler *)conn->home->server->context;
}

enum lario_http_phase {
    LARIO_HTTP_HEAD,
    LARIO_HTTP_BUSY,
    LARIO_HTTP_SKIP,
};

typedef struct lario_http_conn {
    lario_conn conn; /* first: a lario_conn is a lario_http_conn */
    lario_exit_hook hook;
    lario_task next_task;       /* goes on with pipelined requests in the next turn */
    lario_proc *proc;           /* BUSY */
    lario_ws *ws;               /* BUSY, once it is a WebSocket */
    lario_http1_head *partial;  /* HEAD: the parser's state, while a head is incomplete */
    lario_http1_head *starting; /* the head that the process being started copies */
    lario_http1_body body;
    uint64_t skipped;
    uint32_t turn; /* the turn that `served` counts in, modulo 2^32 */
    uint32_t served;
    uint32_t requests; /* of the connection, up to the one that runs */
    uint16_t head_len; /* of the head being started */
    uint8_t phase;
    bool is_advancing; /* inside of the loop over the window */
    bool is_closed;    /* the stream has ended; freed when the process has, too */
    bool body_ended;
    bool must_continue; /* the client waits for 100 Continue before it sends the body */
    bool keeps;         /* BUSY: the answer told the client that the connection goes on */
    bool is_cut;        /* BUSY: the answer could not be completed */
    bool peer_ends;     /* BUSY: the client said that this is its last request */
} lario_http_conn;

/* HTTP/1: a server's context is a lario_http_handler. */
extern const lario_protocol lario_http_protocol;

/* A connection of what arrived, which it owns; NULL when it could not be opened: then that is
 * dropped. */
lario_http_conn *lario_http_conn_open(lario_server_loop *home, lario_arrival *arrival);

/*
 * The server drains. An idle connection ends now; a request that is on its way or running is
 * answered with Connection: close; a WebSocket is told that the server goes away.
 */
void lario_http_conn_drain(lario_http_conn *conn);

/*
 * Shows the next bytes of the body, at most `max`, in the window. Returns what
 * lario_http1_body_next() does; the data is valid until lario_stream_consume() of *ret_used.
 */
int lario_http_conn_body_next(lario_http_conn *conn, size_t max, size_t *ret_used,
                              const char **ret_data, size_t *ret_len);

static inline lario_http_conn *lario_http_conn_of(lario_stream *stream)
{
    return lario_container_of(stream, lario_http_conn, conn.stream);
}

static inline const lario_limits *lario_http_conn_limits(const lario_http_conn *conn)
{
    return &conn->conn.home->server->limits;
}

#endif
