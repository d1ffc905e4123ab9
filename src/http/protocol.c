/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/conn.h"
#include "http/req.h"

/* HTTP/1 as the protocol of a server: what becomes of an accepted connection. */

static void accept_http(lario_server_loop *home, int fd)
{
    (void)lario_http_conn_open(home, fd);
}

/* Says so and lingers, as other ends do: a request that is on its way must not reset the answer. */
static void refuse_http(lario_server_loop *home, int fd)
{
    const lario_limits *limits = &home->server->limits;

    if (home->conns_count - limits->connections_a_loop_max >= LARIO_SERVER_REFUSED_MAX) {
        lario_fd_close(fd);
        return;
    }
    lario_http_conn *conn = lario_http_conn_open(home, fd);

    if (conn)
        lario_http_reject(conn, 503, "too many connections");
}

static void drain_http(lario_conn *conn)
{
    lario_http_conn_drain(lario_http_conn_of(&conn->stream));
}

const lario_protocol lario_http_protocol = {
    .accept = accept_http,
    .refuse = refuse_http,
    .drain = drain_http,
};
