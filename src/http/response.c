/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <string.h>

#include "base/cursor.h"
#include "http/compress.h"
#include "http/head.h"
#include "http/req.h"

/*
 * Answers are written straight into the connection's output block: the head by a cursor over room
 * that is known to suffice, a small body behind it, so that an ordinary answer is one piece.
 */

/* Bodies up to this size go into the same block as the head. */
#define BODY_INLINE_MAX 2048

/* Largest formatted body; what is larger should be written in parts. */
#define FORMAT_BYTES_MAX (1u << 20)

/* ---- Whole answers ---- */

/* The answer did not begin: what was added for its coding must not go out with another one. */
static int forget_fields(lario_req *req, uint32_t extra_len, uint32_t extra_count, int rc)
{
    req->extra_len = extra_len;
    req->extra_count = extra_count;
    lario_compress_put_back(req, req->encoder);
    req->encoder = NULL;
    return rc;
}

int lario_reply_bytes(lario_req *req, int status, const char *type, const void *body, size_t len)
{
    lario_stream *stream = &req->conn->conn.stream;
    char *start, *at;
    uint32_t extra_len = req->extra_len, extra_count = req->extra_count;
    int rc = lario_head_begin(req, status, type);

    if (rc == 0 && req->compression)
        rc = lario_compress_whole(req, status, type, &body, &len);
    if (rc < 0)
        return forget_fields(req, extra_len, extra_count, rc);
    size_t body_len = req->head_only ? 0 : len;
    size_t inline_len = body_len <= BODY_INLINE_MAX ? body_len : 0;

    rc = lario_head_put(req, status, type, len, inline_len, &start, &at);
    if (rc < 0)
        return forget_fields(req, extra_len, extra_count, rc);
    if (inline_len > 0)
        at = lario_cursor_put(at, body, inline_len);
    lario_stream_commit(stream, (size_t)(at - start));
    req->answer = LARIO_ANSWER_STARTED;
    if (body_len > inline_len)
        rc = lario_stream_write(stream, body, body_len);
    if (rc < 0)
        return rc;
    req->answer = LARIO_ANSWER_DONE;
    req->body_out = body_len;
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
    uint32_t extra_len = req->extra_len, extra_count = req->extra_count;
    int rc = lario_head_begin(req, status, type);

    if (rc == 0 && req->compression && length == UINT64_MAX)
        rc = lario_compress_start(req, status, type);
    if (rc < 0)
        return forget_fields(req, extra_len, extra_count, rc);
    req->sized = length != UINT64_MAX;
    req->size_left = length;
    if (!req->sized && req->minor == 0)
        req->conn->keeps = false;
    req->chunked = !req->sized && req->minor > 0 && status != 204 && status != 304;
    rc = lario_head_put(req, status, type, length, 0, &head_start, &at);
    if (rc < 0)
        return forget_fields(req, extra_len, extra_count, rc);
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
    at = lario_cursor_put(at, digits + sizeof digits - count, count);
    return LARIO_CURSOR_PUT(at, "\r\n");
}

#define CHUNK_FRAME_BYTES_MAX 22 /* 16 digits, CRLF, and the CRLF behind the data */

static int write_chunk(lario_stream *stream, const void *data, size_t len)
{
    char *start_at = lario_stream_reserve(stream, CHUNK_FRAME_BYTES_MAX + len);

    if (!start_at)
        return LARIO_ENOMEM;
    char *at = put_chunk_size(start_at, len);

    at = lario_cursor_put(at, data, len);
    at = LARIO_CURSOR_PUT(at, "\r\n");
    lario_stream_commit(stream, (size_t)(at - start_at));
    return 0;
}

/* Sends a part as it goes out: compressed already, if it is to be. */
static int write_part(void *arg, const void *data, size_t len)
{
    lario_req *req = arg;
    lario_stream *stream = &req->conn->conn.stream;
    int rc = lario_req_wait_for_room(req);

    if (rc < 0)
        return rc;
    if (req->conn->is_closed || !lario_stream_is_open(stream))
        return LARIO_ECLOSED;
    if (len > 0 && !req->head_only)
        rc = req->chunked ? write_chunk(stream, data, len) : lario_stream_write(stream, data, len);
    if (rc == 0 && req->sized)
        req->size_left -= len;
    if (rc == 0 && !req->head_only)
        req->body_out += len;
    return rc;
}

int lario_reply_write(lario_req *req, const void *data, size_t len)
{
    if (req->answer != LARIO_ANSWER_STARTED)
        return LARIO_ESTATE;
    if (req->sized && len > req->size_left)
        return LARIO_EINVAL;
    if (req->encoder && len > 0)
        return lario_encoder_run(req->encoder, LARIO_ENCODE_FLUSH, data, len, write_part, req);
    return write_part(req, data, len);
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
    int rc = req->encoder
                 ? lario_encoder_run(req->encoder, LARIO_ENCODE_END, NULL, 0, write_part, req)
                 : 0;

    if (rc == 0 && req->chunked && !req->head_only)
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
    char *start_at =
        lario_stream_reserve(stream, LARIO_HEAD_BYTES_MAX + fields_len + req->extra_len);

    if (!start_at)
        return LARIO_ENOMEM;
    char *at = lario_head_put_status(start_at, 101);

    at = lario_cursor_put(at, fields, fields_len);
    if (req->extra_len > 0)
        at = lario_cursor_put(at, req->extra, req->extra_len);
    at = LARIO_CURSOR_PUT(at, "\r\n");
    lario_stream_commit(stream, (size_t)(at - start_at));
    req->answer = LARIO_ANSWER_DONE;
    req->status = 101;
    return 0;
}
