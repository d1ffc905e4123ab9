/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/head.h"

#include <string.h>

#include "base/cursor.h"
#include "codec/date.h"
#include "codec/token.h"
#include "http/loop.h"

/* How much sooner than the server a client should take an idle connection for closed. */
#define KEEP_ALIVE_LESS_MS 5000

char *lario_head_put_status(char *at, int status)
{
    const char *phrase = lario_status_text(status);

    if (status == 200)
        return LARIO_CURSOR_PUT(at, "HTTP/1.1 200 OK\r\n");
    at = LARIO_CURSOR_PUT(at, "HTTP/1.1 ");
    at = lario_cursor_put_number(at, (unsigned)status);
    *at++ = ' ';
    at = lario_cursor_put(at, phrase, strlen(phrase));
    return LARIO_CURSOR_PUT(at, "\r\n");
}

/* Whether the connection can serve another request after this answer. */
static bool may_keep(const lario_req *req)
{
    const lario_http_conn *conn = req->conn;
    uint32_t requests_max = lario_http_conn_limits(conn)->requests_a_conn_max;

    if (!req->keep_asked || lario_conn_is_draining(&conn->conn))
        return false;
    if (requests_max > 0 && conn->requests >= requests_max)
        return false;
    if (conn->conn.stream.in_drained && conn->conn.stream.in_len == 0)
        return false;
    if (conn->body_ended)
        return true;
    /* A client that waits for 100 may send the body or not: where the next request begins is not
     * known. And a body that is too long to be skipped is not waited for. */
    return !conn->must_continue &&
           conn->body.left <= lario_http_conn_limits(conn)->body_skip_bytes_max;
}

/*
 * For a client that asks to be told (RFC 2068 19.7.1): the time is shorter than ours, so that it
 * does not send a request just when we close.
 */
static char *put_keep_alive(char *at, uint32_t idle_ms)
{
    at = LARIO_CURSOR_PUT(at, "Connection: keep-alive\r\n");
    if (idle_ms <= KEEP_ALIVE_LESS_MS)
        return at;
    at = LARIO_CURSOR_PUT(at, "Keep-Alive: timeout=");
    at = lario_cursor_put_number(at, (idle_ms - KEEP_ALIVE_LESS_MS) / 1000);
    return LARIO_CURSOR_PUT(at, "\r\n");
}

static char *put_connection(char *at, const lario_req *req)
{
    if (!req->conn->keeps)
        return LARIO_CURSOR_PUT(at, "Connection: close\r\n");
    return req->keep_told ? put_keep_alive(at, lario_http_conn_limits(req->conn)->idle_ms) : at;
}

static char *put_framing(char *at, const lario_req *req, int status, uint64_t length)
{
    if (status == 204 || (status == 304 && length == 0))
        return at; /* RFC 9110 8.6: no length where there can be no content */
    if (req->chunked)
        return LARIO_CURSOR_PUT(at, "Transfer-Encoding: chunked\r\n");
    if (length == UINT64_MAX)
        return at; /* ends with the connection */
    at = LARIO_CURSOR_PUT(at, "Content-Length: ");
    at = lario_cursor_put_number(at, length);
    return LARIO_CURSOR_PUT(at, "\r\n");
}

int lario_head_begin(lario_req *req, int status, const char *type)
{
    if (req->answer != LARIO_ANSWER_NONE)
        return LARIO_ESTATE;
    if (status < 200 || status > 599)
        return LARIO_EINVAL;
    if (type && !lario_field_value_is_valid(type, strlen(type)))
        return LARIO_EHEADER;
    if (req->conn->is_closed)
        return LARIO_ECLOSED;
    if (status == 204 || status == 304)
        req->head_only = true;
    req->conn->keeps = may_keep(req);
    req->status = (uint16_t)status;
    return 0;
}

int lario_head_put(lario_req *req, int status, const char *type, uint64_t length, size_t body_len,
                   char **ret_start, char **ret_at)
{
    lario_stream *stream = &req->conn->conn.stream;
    size_t type_len = type ? strlen(type) : 0;
    char *at =
        lario_stream_reserve(stream, LARIO_HEAD_BYTES_MAX + type_len + req->extra_len + body_len);

    if (!at)
        return LARIO_ENOMEM;
    *ret_start = at;
    at = lario_head_put_status(at, status);
    at = LARIO_CURSOR_PUT(at, "Date: ");
    at = lario_cursor_put(at, lario_http_date(stream->loop), LARIO_DATE_BYTES);
    at = LARIO_CURSOR_PUT(at, "\r\n");
    if (type) {
        at = LARIO_CURSOR_PUT(at, "Content-Type: ");
        at = lario_cursor_put(at, type, type_len);
        at = LARIO_CURSOR_PUT(at, "\r\n");
    }
    at = put_framing(at, req, status, length);
    at = put_connection(at, req);
    if (req->extra_len > 0)
        at = lario_cursor_put(at, req->extra, req->extra_len);
    *ret_at = LARIO_CURSOR_PUT(at, "\r\n");
    return 0;
}
