/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/conn.h"
#include "http/req.h"

/* HTTP/1 as the protocol of a server: what becomes of an accepted connection. */

static lario_conn *accept_http(lario_server_loop *home, lario_arrival *arrival)
{
    lario_http_conn *conn = lario_http_conn_open(home, arrival);

    return conn ? &conn->conn : NULL;
}

/* Says so and lingers, as other ends do: a request that is on its way must not reset the answer. */
static lario_conn *refuse_http(lario_server_loop *home, lario_arrival *arrival)
{
    lario_http_conn *conn = lario_http_conn_open(home, arrival);

    if (!conn)
        return NULL;
    lario_http_reject(conn, 503, "too many connections");
    return &conn->conn;
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
