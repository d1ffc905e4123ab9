/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <string.h>

#include "codec/date.h"
#include "codec/token.h"
#include "http/req.h"

/*
 * Answers are written straight into the connection's output block: the head by a cursor over room
 * that is known to suffice, a small body behind it, so that an ordinary answer is one piece.
 */

/* Status line, Date, Connection and a length, without what the handler gives. */
#define HEAD_BYTES_MAX 256

/* Bodies up to this size go into the same block as the head. */
#define BODY_INLINE_MAX 2048

/* Largest formatted body; what is larger should be written in parts. */
#define FORMAT_BYTES_MAX (1u << 20)

static char *put(char *at, const char *text, size_t len)
{
    memcpy(at, text, len);
    return at + len;
}

#define PUT_LITERAL(at, text) put(at, text, sizeof(text) - 1)

static char *put_number(char *at, uint64_t number)
{
    char digits[20];
    size_t len = 0;

    do
        digits[sizeof digits - ++len] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    return put(at, digits + sizeof digits - len, len);
}

static char *put_status_line(char *at, int status)
{
    const char *phrase = lario_status_text(status);

    if (status == 200)
        return PUT_LITERAL(at, "HTTP/1.1 200 OK\r\n");
    at = PUT_LITERAL(at, "HTTP/1.1 ");
    at = put_number(at, (unsigned)status);
    *at++ = ' ';
    at = put(at, phrase, strlen(phrase));
    return PUT_LITERAL(at, "\r\n");
}

/* Whether the connection can serve another request after this answer. */
static bool may_keep(const lario_req *req)
{
    const lario_http_conn *conn = req->conn;

    if (!req->keep_asked || lario_conn_is_draining(&conn->conn))
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

static char *put_connection(char *at, const lario_req *req)
{
    if (!req->conn->keeps)
        return PUT_LITERAL(at, "Connection: close\r\n");
    return req->minor == 0 ? PUT_LITERAL(at, "Connection: keep-alive\r\n") : at;
}

static char *put_framing(char *at, const lario_req *req, int status, uint64_t length)
{
    if (status == 204 || (status == 304 && length == 0))
        return at; /* RFC 9110 8.6: no length where there can be no content */
    if (req->chunked)
        return PUT_LITERAL(at, "Transfer-Encoding: chunked\r\n");
    if (length == UINT64_MAX)
        return at; /* ends with the connection */
    at = PUT_LITERAL(at, "Content-Length: ");
    at = put_number(at, length);
    return PUT_LITERAL(at, "\r\n");
}

/* Checks what an answer needs before its head; the answer's status decides whether it has a body.
 */
static int begin(lario_req *req, int status, const char *type)
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
    return 0;
}

/*
 * Writes the head, with room behind it for `body_len` bytes that the caller writes at *ret_at and
 * then commits up to its end.
 */
static int put_head(lario_req *req, int status, const char *type, uint64_t length, size_t body_len,
                    char **ret_start, char **ret_at)
{
    lario_stream *stream = &req->conn->conn.stream;
    size_t type_len = type ? strlen(type) : 0;
    char *at = lario_stream_reserve(stream, HEAD_BYTES_MAX + type_len + req->extra_len + body_len);

    if (!at)
        return LARIO_ENOMEM;
    *ret_start = at;
    at = put_status_line(at, status);
    at = PUT_LITERAL(at, "Date: ");
    at = put(at, lario_http_date(stream->loop), LARIO_DATE_BYTES);
    at = PUT_LITERAL(at, "\r\n");
    if (type) {
        at = PUT_LITERAL(at, "Content-Type: ");
        at = put(at, type, type_len);
        at = PUT_LITERAL(at, "\r\n");
    }
    at = put_framing(at, req, status, length);
    at = put_connection(at, req);
    if (req->extra_len > 0)
        at = put(at, req->extra, req->extra_len);
    *ret_at = PUT_LITERAL(at, "\r\n");
    return 0;
}

/* ---- Whole answers ---- */

int lario_reply_bytes(lario_req *req, int status, const char *type, const void *body, size_t len)
{
    lario_stream *stream = &req->conn->conn.stream;
    char *start, *at;
    int rc = begin(req, status, type);

    if (rc < 0)
        return rc;
    size_t body_len = req->head_only ? 0 : len;
    size_t inline_len = body_len <= BODY_INLINE_MAX ? body_len : 0;

    rc = put_head(req, status, type, len, inline_len, &start, &at);
    if (rc < 0)
        return rc;
    if (inline_len > 0)
        at = put(at, body, inline_len);
    lario_stream_commit(stream, (size_t)(at - start));
    req->answer = LARIO_ANSWER_STARTED;
    if (body_len > inline_len)
        rc = lario_stream_write(stream, body, body_len);
    if (rc < 0)
        return rc;
    req->answer = LARIO_ANSWER_DONE;
    return lario_req_wait_for_room(req);
}

int lario_reply(lario_req *req, int status, const char *type, const char *body)
{
    return lario_reply_bytes(req, status, type, body, body ? strlen(body) : 0);
}

int lario_replyf(lario_req *req, int status, const char *type, const char *format, ...)
{
    va_list values;
    size_t len;

    va_start(values, format);
    char *body = lario_arena_vformat(&req->arena, &len, format, values);

    va_end(values);
    if (len > FORMAT_BYTES_MAX)
        return LARIO_ETOOBIG;
    return body ? lario_reply_bytes(req, status, type, body, len) : LARIO_ENOMEM;
}

/* ---- Answers in parts ---- */

static int start(lario_req *req, int status, const char *type, uint64_t length)
{
    char *head_start, *at;
    int rc = begin(req, status, type);

    if (rc < 0)
        return rc;
    req->sized = length != UINT64_MAX;
    req->size_left = length;
    if (!req->sized && req->minor == 0)
        req->conn->keeps = false;
    req->chunked = !req->sized && req->minor > 0 && status != 204 && status != 304;
    rc = put_head(req, status, type, length, 0, &head_start, &at);
    if (rc < 0)
        return rc;
    lario_stream_commit(&req->conn->conn.stream, (size_t)(at - head_start));
    req->answer = LARIO_ANSWER_STARTED;
    return 0;
}

int lario_reply_start(lario_req *req, int status, const char *type)
{
    return start(req, status, type, UINT64_MAX);
}

int lario_reply_start_sized(lario_req *req, int status, const char *type, uint64_t bytes)
{
    return bytes == UINT64_MAX ? LARIO_EINVAL : start(req, status, type, bytes);
}

static char *put_chunk_size(char *at, size_t len)
{
    static const char hex[] = "0123456789abcdef";
    char digits[16];
    size_t count = 0;

    do
        digits[sizeof digits - ++count] = hex[len & 15];
    while ((len >>= 4) > 0);
    at = put(at, digits + sizeof digits - count, count);
    return PUT_LITERAL(at, "\r\n");
}

#define CHUNK_FRAME_BYTES_MAX 22 /* 16 digits, CRLF, and the CRLF behind the data */

static int write_chunk(lario_stream *stream, const void *data, size_t len)
{
    char *start_at = lario_stream_reserve(stream, CHUNK_FRAME_BYTES_MAX + len);

    if (!start_at)
        return LARIO_ENOMEM;
    char *at = put_chunk_size(start_at, len);

    at = put(at, data, len);
    at = PUT_LITERAL(at, "\r\n");
    lario_stream_commit(stream, (size_t)(at - start_at));
    return 0;
}

int lario_reply_write(lario_req *req, const void *data, size_t len)
{
    lario_stream *stream = &req->conn->conn.stream;

    if (req->answer != LARIO_ANSWER_STARTED)
        return LARIO_ESTATE;
    if (req->sized && len > req->size_left)
        return LARIO_EINVAL;
    int rc = lario_req_wait_for_room(req);

    if (rc < 0)
        return rc;
    if (req->conn->is_closed || !lario_stream_is_open(stream))
        return LARIO_ECLOSED;
    if (len > 0 && !req->head_only)
        rc = req->chunked ? write_chunk(stream, data, len) : lario_stream_write(stream, data, len);
    if (rc == 0 && req->sized)
        req->size_left -= len;
    return rc;
}

int lario_reply_puts(lario_req *req, const char *text)
{
    return lario_reply_write(req, text, strlen(text));
}

int lario_reply_end(lario_req *req)
{
    if (req->answer == LARIO_ANSWER_DONE)
        return 0;
    if (req->answer == LARIO_ANSWER_NONE)
        return LARIO_ESTATE;
    /* A HEAD handler may well leave out the body that it announces. */
    if (req->sized && req->size_left > 0 && !req->head_only)
        return LARIO_ESTATE;
    if (req->conn->is_closed)
        return LARIO_ECLOSED;
    int rc = 0;

    if (req->chunked && !req->head_only)
        rc = lario_stream_write(&req->conn->conn.stream, "0\r\n\r\n", 5);
    if (rc == 0)
        req->answer = LARIO_ANSWER_DONE;
    return rc;
}

/* ---- Interim answers ---- */

int lario_req_continue(lario_req *req)
{
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";

    if (!req->conn->must_continue || req->answer != LARIO_ANSWER_NONE)
        return 0;
    req->conn->must_continue = false;
    return lario_stream_write(&req->conn->conn.stream, text, sizeof text - 1);
}

int lario_req_switch_protocols(lario_req *req, const char *fields)
{
    lario_stream *stream = &req->conn->conn.stream;
    size_t fields_len = strlen(fields);
    char *start_at = lario_stream_reserve(stream, HEAD_BYTES_MAX + fields_len + req->extra_len);

    if (!start_at)
        return LARIO_ENOMEM;
    char *at = put_status_line(start_at, 101);

    at = put(at, fields, fields_len);
    if (req->extra_len > 0)
        at = put(at, req->extra, req->extra_len);
    at = PUT_LITERAL(at, "\r\n");
    lario_stream_commit(stream, (size_t)(at - start_at));
    req->answer = LARIO_ANSWER_DONE;
    return 0;
}
