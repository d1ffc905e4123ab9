/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/ws.h"

#include <string.h>

#include "proc/scheduler.h"
#include "sys/clock.h"

static lario_stream *stream_of(lario_ws *ws)
{
    return lario_ws_stream(ws);
}

static lario_block_pool *pool_of(lario_ws *ws)
{
    return lario_ws_pool(ws);
}

static void drop_block(lario_ws *ws, lario_block **block)
{
    if (*block)
        lario_block_put(pool_of(ws), *block);
    *block = NULL;
}

void lario_ws_set_deadline_in(lario_ws *ws, uint32_t ms)
{
    lario_stream *stream = stream_of(ws);

    lario_stream_set_deadline(stream, ms ? lario_loop_now_ms(stream->loop) + ms : 0);
}

/* ---- Failures ---- */

/* Both sides have said goodbye, or one broke the rules: the server ends the connection first. */
static void end_connection(lario_ws *ws)
{
    lario_stream_finish(stream_of(ws), true);
}

static void fail(lario_ws *ws, uint16_t code, int failure)
{
    (void)lario_ws_put_close(ws, code, NULL);
    ws->failure = failure;
    drop_block(ws, &ws->building);
    end_connection(ws);
}

/* ---- Receiving frames ---- */

/* The message is whole and compressed: what it says takes its place. */
static int inflate_message(lario_ws *ws)
{
    lario_block *plain = NULL;
    int rc = lario_ws_inflate(ws, ws->building, &plain);

    if (rc == 0 && ws->building_opcode == LARIO_WS_OP_TEXT &&
        !lario_utf8_is_valid(plain->bytes, plain->end))
        rc = LARIO_EUTF8;
    drop_block(ws, &ws->building);
    ws->building = plain;
    return rc;
}

static int append_piece(lario_ws *ws, const lario_ws_event *event)
{
    lario_block *block = ws->building;
    size_t needed = (block ? block->end : 0) + event->len;

    if (!block || needed > block->room) {
        /* Doubling keeps the copying linear; the parser keeps the whole within its limit. */
        lario_block *larger = lario_block_get(pool_of(ws), block ? 2 * needed : needed);

        if (!larger)
            return LARIO_ENOMEM;
        if (block) {
            memcpy(larger->bytes, block->bytes, block->end);
            larger->end = block->end;
            drop_block(ws, &ws->building);
        }
        ws->building = block = larger;
    }
    memcpy(block->bytes + block->end, event->data, event->len);
    block->end += event->len;
    ws->building_opcode = event->opcode;
    ws->is_ready = event->last;
    return event->last && event->compressed ? inflate_message(ws) : 0;
}

static void take_piece(lario_ws *ws, const lario_ws_event *event)
{
    int rc = append_piece(ws, event);

    if (rc == 0)
        return;
    ws->is_ready = false;
    fail(ws,
         rc == LARIO_EUTF8     ? 1007
         : rc == LARIO_ETOOBIG ? 1009
         : rc == LARIO_EPROTO  ? 1007
                               : 1011,
         rc);
}

static void on_close_frame(lario_ws *ws, const lario_ws_event *event)
{
    uint16_t code;
    int rc = lario_ws_close_parse(event->data, event->len, &code);

    if (rc < 0) {
        fail(ws, rc == LARIO_EUTF8 ? 1007 : 1002, rc);
        return;
    }
    ws->close_received = true;
    ws->peer_code = code;
    if (!ws->close_sent)
        (void)lario_ws_put_close(ws, code, NULL);
    end_connection(ws);
}

static void on_event(lario_ws *ws, const lario_ws_event *event)
{
    switch (event->opcode) {
    case LARIO_WS_OP_PING:
        (void)lario_ws_put_frame(ws, LARIO_WS_OP_PONG, event->data, event->len);
        break;
    case LARIO_WS_OP_PONG:
        break; /* that something came is noted already */
    case LARIO_WS_OP_CLOSE:
        on_close_frame(ws, event);
        break;
    default:
        /* Data after our close is read on only to find the peer's close. */
        if (!ws->close_sent)
            take_piece(ws, event);
    }
}

/*
 * Whether the client has to take its answers first. Without this, one that only sends pings and
 * never reads would have us queue pongs without end.
 */
static bool is_held(lario_ws *ws)
{
    return !ws->close_sent && lario_stream_check_full(stream_of(ws));
}

/* Parses what is there, up to the end of a message. */
static void pump(lario_ws *ws)
{
    lario_stream *stream = stream_of(ws);
    lario_ws_event event;
    size_t used;

    while (stream->in_len > 0 && !ws->is_ready && lario_stream_is_open(stream) && !is_held(ws)) {
        int rc = lario_ws_parser_next(&ws->parser, stream->in, stream->in_len, &used, &event);

        if (rc < 0) {
            int failure = ws->parser.close_code == 1009   ? LARIO_ETOOBIG
                          : ws->parser.close_code == 1007 ? LARIO_EUTF8
                                                          : LARIO_EPROTO;

            lario_log_to(stream->loop->log, LARIO_LOG_DEBUG, "websocket_failed", "%s: %s",
                         lario_strerror(failure), ws->parser.reason);
            fail(ws, ws->parser.close_code, failure);
            return;
        }
        if (rc > 0)
            on_event(ws, &event);
        if (lario_stream_is_open(stream))
            lario_stream_consume(stream, used);
    }
}

/* Reads on while the process can take more, and the client takes what it is sent. */
static void regulate(lario_ws *ws)
{
    lario_stream *stream = stream_of(ws);

    if (!lario_stream_is_open(stream))
        return;
    if ((ws->is_ready && stream->in_len > 0) || is_held(ws))
        lario_stream_read_stop(stream);
    else if (!stream->io.reading)
        lario_stream_read_start(stream);
}

static int end_of_input(lario_ws *ws)
{
    if (ws->failure < 0)
        return ws->failure;
    if (ws->close_sent || ws->close_received || !lario_stream_is_open(stream_of(ws)) ||
        (stream_of(ws)->in_drained && stream_of(ws)->in_len == 0))
        return LARIO_ECLOSED;
    return LARIO_EAGAIN;
}

static int source_receive(lario_source *source, int kind, lario_msg *ret_msg)
{
    lario_ws *ws = lario_container_of(source, lario_ws, source);

    pump(ws);
    if (!ws->is_ready || ws->failure < 0) {
        regulate(ws);
        return end_of_input(ws);
    }
    int found = ws->building_opcode == LARIO_WS_OP_TEXT ? LARIO_WS_TEXT : LARIO_WS_BINARY;

    if (kind != 0 && kind != found)
        return LARIO_EAGAIN;
    ws->held = ws->building;
    ws->building = NULL;
    ws->is_ready = false;
    *ret_msg = (lario_msg){.kind = found, .data = ws->held->bytes, .len = ws->held->end};
    return found;
}

static void source_released(lario_source *source)
{
    lario_ws *ws = lario_container_of(source, lario_ws, source);

    drop_block(ws, &ws->held);
}

static bool has_news(lario_ws *ws)
{
    return ws->is_ready || ws->failure < 0 || ws->close_received ||
           !lario_stream_is_open(stream_of(ws));
}

void lario_ws_on_input(lario_ws *ws)
{
    lario_http_conn *conn = ws->conn;

    ws->input_ms = lario_loop_now_ms(stream_of(ws)->loop);
    pump(ws);
    if (has_news(ws) && lario_proc_waits_for_conn(conn->proc))
        lario_proc_resume(conn->proc, 0);
    /* The process may have ended meanwhile, and the session with it. */
    if (conn->ws)
        regulate(ws);
}

void lario_ws_on_room(lario_ws *ws)
{
    pump(ws);
    if ((has_news(ws) || stream_of(ws)->in_drained) && lario_proc_waits_for_conn(ws->conn->proc))
        lario_proc_wake(ws->conn->proc, 0);
    regulate(ws);
}

/* ---- Time ---- */

static void on_close_timeout(lario_ws *ws)
{
    lario_stream_abort(stream_of(ws), LARIO_ECLOSED);
}

void lario_ws_on_deadline(lario_ws *ws)
{
    const lario_limits *limits = lario_http_conn_limits(ws->conn);
    uint64_t now = lario_loop_now_ms(stream_of(ws)->loop);

    if (ws->close_sent) {
        on_close_timeout(ws);
        return;
    }
    if (ws->ping_sent_ms != 0 && ws->input_ms < ws->ping_sent_ms) {
        ws->peer_code = 1006;
        lario_stream_abort(stream_of(ws), LARIO_ECLOSED);
        return;
    }
    ws->ping_sent_ms = 0;
    if (now < ws->input_ms + ws->ping_ms) {
        lario_stream_set_deadline(stream_of(ws), ws->input_ms + ws->ping_ms);
        return;
    }
    /* A socket that is not read, since the process does not receive, cannot bring the answer. */
    if (!stream_of(ws)->io.reading) {
        lario_ws_set_deadline_in(ws, ws->ping_ms);
        return;
    }
    if (lario_ws_put_frame(ws, LARIO_WS_OP_PING, NULL, 0) == 0)
        ws->ping_sent_ms = now;
    lario_ws_set_deadline_in(ws, limits->ws_pong_ms);
}

/* ---- Begin and end ---- */

void lario_ws_start(lario_ws *ws, lario_req *req, uint64_t message_bytes_max, uint32_t ping_ms)
{
    ws->conn = req->conn;
    ws->req = req;
    ws->source = (lario_source){
        .receive = source_receive,
        .released = source_released,
        .forward = lario_ws_forward,
    };
    ws->ping_ms = ping_ms;
    ws->input_ms = lario_loop_now_ms(stream_of(ws)->loop);
    lario_ws_parser_init(&ws->parser, message_bytes_max);
    ws->parser.deflates = ws->deflate != NULL;
    req->ws = ws;
    req->conn->ws = ws;
    req->proc->source = &ws->source;
    lario_ws_set_deadline_in(ws, ping_ms);
}

void lario_ws_drain(lario_ws *ws)
{
    (void)lario_ws_put_close(ws, 1001, NULL);
    if (lario_proc_waits_for_conn(ws->conn->proc))
        lario_proc_wake(ws->conn->proc, 0);
}

/* Waits for the peer's close frame, which the deadline of our own bounds. */
static void wait_for_close(lario_ws *ws)
{
    while (!ws->close_received && lario_stream_is_open(stream_of(ws)) &&
           !stream_of(ws)->in_drained) {
        ws->is_ready = false;
        drop_block(ws, &ws->building);
        pump(ws);
        regulate(ws);
        if (ws->close_received || !lario_stream_is_open(stream_of(ws)))
            break;
        if (lario_req_wait(ws->req, -1) < 0)
            break;
    }
}

void lario_ws_finish(lario_ws *ws, int rc)
{
    if (!ws->close_sent && lario_stream_is_open(stream_of(ws))) {
        uint16_t code = lario_conn_is_draining(&ws->conn->conn) ? 1001 : rc >= 0 ? 1000 : 1011;

        /* A handler that ends since its peer did, did not fail. */
        if (rc == LARIO_ECLOSED)
            code = 1000;
        (void)lario_ws_put_close(ws, code, NULL);
    }
    if (rc < 0 && rc != LARIO_ECLOSED && rc != LARIO_ECANCELED)
        lario_log(LARIO_LOG_WARN, "websocket_ended", "%s: %s (%s)", ws->req->target,
                  lario_strerror(rc), lario_errname(rc));
    wait_for_close(ws);
    drop_block(ws, &ws->building);
    /* What the process received last is released before the session goes. */
    if (ws->req->proc->source_msg) {
        ws->req->proc->source_msg = false;
        source_released(&ws->source);
    }
    ws->req->proc->source = NULL;
    ws->conn->ws = NULL;
    lario_ws_deflate_free(ws->deflate);
}
