/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "http/ws.h"
#include "proc/scheduler.h"

/* What a session sends. */

/* Longest text of lario_ws_printf(). */
#define FORMAT_BYTES_MAX 65536

/* ---- Frames ---- */

int lario_ws_put_frame(lario_ws *ws, uint8_t opcode, const void *data, size_t len)
{
    lario_stream *stream = lario_ws_stream(ws);

    if (!lario_stream_is_open(stream) || ws->close_sent)
        return LARIO_ECLOSED;
    char *at = lario_stream_reserve(stream, LARIO_WS_HEADER_BYTES_MAX + len);

    if (!at)
        return LARIO_ENOMEM;
    size_t header = lario_ws_header_write((uint8_t *)at, opcode, len);

    if (len > 0)
        memcpy(at + header, data, len);
    lario_stream_commit(stream, header + len);
    return 0;
}

int lario_ws_put_close(lario_ws *ws, uint16_t code, const char *reason)
{
    uint8_t payload[LARIO_WS_CONTROL_BYTES_MAX] = {(uint8_t)(code >> 8), (uint8_t)code};
    size_t len = reason ? strlen(reason) : 0;

    if (len > 0)
        memcpy(payload + 2, reason, len);
    int rc = lario_ws_put_frame(ws, LARIO_WS_OP_CLOSE, payload, code == 1005 ? 0 : 2 + len);

    if (rc < 0)
        return rc;
    ws->close_sent = true;
    lario_ws_set_deadline_in(ws, lario_http_conn_limits(ws->conn)->ws_close_ms);
    return 0;
}

/* ---- The public calls ---- */

const char *lario_ws_protocol(const lario_ws *ws)
{
    return ws->protocol;
}

int lario_ws_close_code(const lario_ws *ws)
{
    if (ws->close_received || ws->peer_code)
        return ws->peer_code;
    return lario_stream_is_open(&ws->conn->conn.stream) && !ws->conn->conn.stream.has_eof ? 0
                                                                                          : 1006;
}

static int check_write(lario_ws *ws, int kind)
{
    if (kind != LARIO_WS_TEXT && kind != LARIO_WS_BINARY)
        return LARIO_EINVAL;
    if (ws->req->proc != lario_proc_current())
        return LARIO_ENOTPROC;
    return ws->close_sent ? LARIO_ECLOSED : 0;
}

static uint8_t opcode_of(int kind)
{
    return kind == LARIO_WS_TEXT ? LARIO_WS_OP_TEXT : LARIO_WS_OP_BINARY;
}

/* A whole message, compressed when that was agreed on and it is long enough. */
static int put_message(lario_ws *ws, uint8_t opcode, const void *data, size_t len)
{
    if (!ws->deflate || len < ws->compress_bytes_min || !lario_ws_deflates(ws->deflate))
        return lario_ws_put_frame(ws, opcode, data, len);
    if (!lario_stream_is_open(lario_ws_stream(ws)) || ws->close_sent)
        return LARIO_ECLOSED; /* before the window takes it in */
    lario_block *packed;
    int rc = lario_ws_deflate(ws, data, len, &packed);

    if (rc < 0)
        return rc;
    rc = lario_ws_put_frame(ws, opcode | LARIO_WS_COMPRESSED, packed->bytes, packed->end);
    lario_block_put(lario_ws_pool(ws), packed);
    /* The peer must get what went into the window: without it nothing later can be read. */
    if (rc < 0)
        lario_stream_abort(lario_ws_stream(ws), rc);
    return rc;
}

int lario_ws_write(lario_ws *ws, int kind, const void *data, size_t len)
{
    int rc = check_write(ws, kind);

    if (rc == 0)
        rc = lario_req_wait_for_room(ws->req);
    return rc < 0 ? rc : put_message(ws, opcode_of(kind), data, len);
}

int lario_ws_try_write(lario_ws *ws, int kind, const void *data, size_t len)
{
    int rc = check_write(ws, kind);

    if (rc < 0)
        return rc;
    if (lario_stream_check_full(lario_ws_stream(ws)))
        return LARIO_EAGAIN;
    return put_message(ws, opcode_of(kind), data, len);
}

int lario_ws_puts(lario_ws *ws, const char *text)
{
    return lario_ws_write(ws, LARIO_WS_TEXT, text, strlen(text));
}

int lario_ws_printf(lario_ws *ws, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    int len = vsnprintf(NULL, 0, format, values);

    va_end(values);
    if (len < 0)
        return LARIO_EINVAL;
    if (len > FORMAT_BYTES_MAX)
        return LARIO_ETOOBIG;
    lario_block *block = lario_block_get(lario_ws_pool(ws), (size_t)len + 1);

    if (!block)
        return LARIO_ENOMEM;
    va_start(values, format);
    vsnprintf(block->bytes, (size_t)len + 1, format, values);
    va_end(values);
    int rc = lario_ws_write(ws, LARIO_WS_TEXT, block->bytes, (size_t)len);

    lario_block_put(lario_ws_pool(ws), block);
    return rc;
}

int lario_ws_close(lario_ws *ws, int code, const char *reason)
{
    size_t len = reason ? strlen(reason) : 0;

    if (code < 0 || !lario_ws_close_code_is_valid((unsigned)code) ||
        len > LARIO_WS_CONTROL_BYTES_MAX - 2 || !lario_utf8_is_valid(reason ? reason : "", len))
        return LARIO_EINVAL;
    return lario_ws_put_close(ws, (uint16_t)code, reason);
}
