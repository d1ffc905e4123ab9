/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "http/compress.h"
#include "http/req.h"
#include "proc/scheduler.h"
#include "sys/clock.h"

/*
 * Reading a body. The process takes bytes out of the connection's window and parks when there are
 * none. Two limits hold while it waits: a whole time for lario_body(), and for both calls a least
 * rate, measured over the time spent waiting only, so that a slow handler is not the client's
 * fault.
 */

#define BODY_ROOM_FIRST 4096

/* What a compressed body is inflated by at once. */
#define INFLATED_STEP_BYTES 4096

/* How long this wait may last; 0 when the client has used up its time. */
static int wait_ms(lario_req *req, uint64_t deadline_ns)
{
    const lario_limits *limits = lario_http_conn_limits(req->conn);
    uint32_t left = limits->body_rate_window_ms - req->body_waited_ms;
    int window = left < INT_MAX ? (int)left : INT_MAX;
    int whole = lario_clock_left_ms(deadline_ns);

    return whole >= 0 && whole < window ? whole : window;
}

/* Accounts for a wait that is over; LARIO_ETIMEDOUT when the client sends too slowly. */
static int check_rate(lario_req *req, uint64_t waited_ns)
{
    const lario_limits *limits = lario_http_conn_limits(req->conn);
    uint64_t least = (uint64_t)limits->body_rate_bytes * limits->body_rate_window_ms / 1000;

    req->body_waited_ms += (uint32_t)(waited_ns / LARIO_NS_PER_MS);
    if (req->body_waited_ms < limits->body_rate_window_ms)
        return 0;
    if (req->body_window_len < least)
        return LARIO_ETIMEDOUT;
    req->body_waited_ms = 0;
    req->body_window_len = 0;
    return 0;
}

static int wait_for_body(lario_req *req, uint64_t deadline_ns)
{
    lario_stream *stream = &req->conn->conn.stream;
    uint64_t before = lario_clock_ns();
    int ms = wait_ms(req, deadline_ns);

    if (ms == 0)
        return LARIO_ETIMEDOUT;
    if (stream->in_drained)
        return LARIO_ECLOSED;
    int rc = lario_req_continue(req);

    if (rc < 0)
        return rc;
    lario_stream_read_start(stream);
    rc = lario_req_wait(req, ms);
    if (rc < 0 && rc != LARIO_ETIMEDOUT)
        return rc;
    return check_rate(req, lario_clock_ns() - before);
}

/* What holds for a reader besides the least rate. */
typedef struct body_reading {
    uint64_t deadline_ns;
    uint64_t bytes_left; /* of the limit */
} body_reading;

/* Whether the bytes at hand and those announced behind them are more than the reader may take. */
static bool is_too_big(const lario_req *req, const body_reading *reading, size_t at_hand)
{
    return at_hand > reading->bytes_left ||
           lario_http1_body_announced(&req->conn->body) > reading->bytes_left - at_hand;
}

/*
 * Shows the next bytes of the body, from 1 to `max`, in place; they are taken by
 * lario_stream_consume() of *ret_used. 0 at the end. A length or a chunk that is announced beyond
 * the limit is LARIO_ETOOBIG before a byte of it is waited for.
 */
static int next_part(lario_req *req, const body_reading *reading, size_t max, size_t *ret_used,
                     const char **ret_data, size_t *ret_len)
{
    lario_http_conn *conn = req->conn;
    lario_stream *stream = &conn->conn.stream;

    while (!conn->body_ended) {
        int rc = lario_http_conn_body_next(conn, max, ret_used, ret_data, ret_len);

        if (rc < 0)
            return rc;
        if (is_too_big(req, reading, rc == LARIO_HTTP1_BODY_DATA ? *ret_len : 0))
            return LARIO_ETOOBIG;
        if (rc == LARIO_HTTP1_BODY_DATA)
            return 1;
        lario_stream_consume(stream, *ret_used);
        if (rc == LARIO_HTTP1_BODY_MORE && stream->in_len == 0) {
            rc = wait_for_body(req, reading->deadline_ns);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

int lario_body_read_raw(lario_req *req, void *buffer, size_t size)
{
    static const body_reading reading = {UINT64_MAX, UINT64_MAX};
    const char *data;
    size_t used, len;
    int rc = next_part(req, &reading, size, &used, &data, &len);

    if (rc <= 0)
        return rc;
    memcpy(buffer, data, len);
    req->body_window_len += len;
    req->body_in += len;
    lario_stream_consume(&req->conn->conn.stream, used);
    return (int)len;
}

int lario_body_read(lario_req *req, void *buffer, size_t size)
{
    if (size == 0)
        return LARIO_EINVAL;
    if (req->body_read_whole)
        return LARIO_ESTATE;
    req->body_read_in_parts = true;
    if (size > INT_MAX)
        size = INT_MAX;
    return req->inflater ? lario_inflate_read(req, buffer, size)
                         : lario_body_read_raw(req, buffer, size);
}

static int grow_body(lario_req *req, size_t len, size_t *room)
{
    if (req->body_len + len + 1 <= *room)
        return 0;
    size_t wanted = *room ? *room * 2 : BODY_ROOM_FIRST;

    if (wanted < req->body_len + len + 1)
        wanted = req->body_len + len + 1;
    char *data = realloc(req->body_data, wanted);

    if (!data)
        return LARIO_ENOMEM;
    req->body_data = data;
    *room = wanted;
    return 0;
}

static int read_whole(lario_req *req)
{
    body_reading reading = {
        .deadline_ns = lario_clock_ns() + req->body_ms * LARIO_NS_PER_MS,
        .bytes_left = req->body_bytes_max,
    };
    const char *data;
    size_t used, len, room = 0;
    int rc;

    while ((rc = next_part(req, &reading, SIZE_MAX, &used, &data, &len)) > 0) {
        rc = grow_body(req, len, &room);
        if (rc < 0)
            return rc;
        memcpy(req->body_data + req->body_len, data, len);
        req->body_len += len;
        reading.bytes_left -= len;
        req->body_window_len += len;
        req->body_in += len;
        lario_stream_consume(&req->conn->conn.stream, used);
    }
    if (rc == 0 && req->body_data)
        req->body_data[req->body_len] = '\0';
    return rc;
}

/* The same for a compressed body: what is inflated counts. */
static int inflate_whole(lario_req *req)
{
    uint64_t deadline = lario_clock_ns() + req->body_ms * LARIO_NS_PER_MS;
    size_t room = 0;
    int rc;

    do {
        rc = grow_body(req, INFLATED_STEP_BYTES, &room);
        if (rc == 0)
            rc = lario_inflate_read(req, req->body_data + req->body_len, INFLATED_STEP_BYTES);
        if (rc > 0)
            req->body_len += (size_t)rc;
        if (req->body_len > req->body_bytes_max)
            return LARIO_ETOOBIG;
        if (lario_clock_ns() > deadline)
            return LARIO_ETIMEDOUT;
    } while (rc > 0);
    if (rc == 0)
        req->body_data[req->body_len] = '\0';
    return rc;
}

int lario_body(lario_req *req, const char **ret_data, size_t *ret_len)
{
    if (req->body_read_in_parts)
        return LARIO_ESTATE;
    if (!req->body_read_whole) {
        int rc = req->inflater ? inflate_whole(req) : read_whole(req);

        if (rc < 0)
            return rc;
        req->body_read_whole = true;
    }
    *ret_data = req->body_data ? req->body_data : "";
    if (ret_len)
        *ret_len = req->body_len;
    return 0;
}
