/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/conn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/loop.h"
#include "http/req.h"
#include "http/ws.h"
#include "proc/scheduler.h"

static void advance(lario_http_conn *conn);
static void finish(lario_http_conn *conn, bool linger);

/* ---- Deadlines ---- */

static void set_deadline_in(lario_http_conn *conn, uint32_t ms)
{
    lario_stream *stream = &conn->conn.stream;

    lario_stream_set_deadline(stream, ms ? lario_loop_now_ms(stream->loop) + ms : 0);
}

/* A request may have arrived while the decision to close was made; it is served then. */
static bool request_waits(const lario_http_conn *conn)
{
    return conn->conn.stream.in_len > 0 || lario_socket_has_input(conn->conn.stream.io.fd);
}

/*
 * A request may run without end, but not for a peer that has ended its direction; and in a server
 * that drains, a time comes when it may not wait for messages any more.
 */
static void set_busy_deadline(lario_http_conn *conn)
{
    lario_stream *stream = &conn->conn.stream;

    if (stream->has_eof)
        set_deadline_in(conn, lario_http_conn_limits(conn)->half_close_ms);
    else if (lario_conn_is_draining(&conn->conn))
        lario_stream_set_deadline(stream, lario_conn_drain_wait_until_ms(&conn->conn));
    else
        lario_stream_set_deadline(stream, 0);
}

static void on_busy_deadline(lario_http_conn *conn)
{
    if (conn->conn.stream.has_eof)
        lario_proc_kill(conn->proc, LARIO_ECLOSED);
    else if (lario_proc_waits_for_conn(conn->proc))
        lario_proc_wake(conn->proc, 0); /* lario_receive() finds that the server drains */
}

static void on_deadline(lario_stream *stream)
{
    lario_http_conn *conn = lario_http_conn_of(stream);

    if (conn->ws)
        lario_ws_on_deadline(conn->ws);
    else if (conn->phase == LARIO_HTTP_BUSY)
        on_busy_deadline(conn);
    else if (conn->partial)
        lario_http_reject(conn, 408, "the head did not arrive in time");
    else if (conn->phase == LARIO_HTTP_SKIP || !request_waits(conn))
        finish(conn, true);
}

/* ---- Ends ---- */

static void free_conn(lario_http_conn *conn)
{
    lario_task_cancel(&conn->next_task);
    lario_conn_done(&conn->conn);
    free(conn->partial);
    free(conn);
}

static void finish(lario_http_conn *conn, bool linger)
{
    lario_stream_finish(&conn->conn.stream, linger);
}

void lario_http_reject(lario_http_conn *conn, int status, const char *reason)
{
    char page[LARIO_ERROR_PAGE_BYTES_MAX];
    char head[512];
    lario_stream *stream = &conn->conn.stream;
    const char *type;
    size_t body = lario_http_error_page(lario_http_handler_of(&conn->conn), NULL, status, reason,
                                        page, &type);
    int len =
        snprintf(head, sizeof head,
                 "HTTP/1.1 %d %s\r\nDate: %s\r\nContent-Type: %s\r\n"
                 "Content-Length: %zu\r\nConnection: close\r\n\r\n",
                 status, lario_status_text(status), lario_http_date(stream->loop), type, body);

    /* Only the type is not ours; when it is absurdly long, the connection just ends. */
    if (len > 0 && (size_t)len < sizeof head && lario_stream_write(stream, head, (size_t)len) == 0)
        (void)lario_stream_write(stream, page, body);
    lario_http_tell_rejected(conn, status);
    finish(conn, true);
}

/* ---- The head ---- */

static lario_http1_limits head_limits(const lario_limits *limits)
{
    return (lario_http1_limits){
        .line_bytes_max = limits->request_line_bytes_max,
        .fields_max = limits->head_fields_max,
        .name_bytes_max = limits->field_name_bytes_max,
        .value_bytes_max = limits->field_value_bytes_max,
        .head_bytes_max = limits->head_bytes_max,
    };
}

/* The head is not whole: its parser's state moves from the loop to the connection. */
static int keep_partial(lario_http_conn *conn, const lario_http1_head *head)
{
    if (conn->partial)
        return 0;
    conn->partial = malloc(sizeof *conn->partial);
    if (!conn->partial)
        return LARIO_ENOMEM;
    lario_http1_head_copy(conn->partial, head);
    set_deadline_in(conn, lario_http_conn_limits(conn)->head_ms);
    return 0;
}

/* The head's length and where it was parsed to; 0 when more is needed; a failure ends the stream.
 */
static int parse_head(lario_http_conn *conn, lario_http1_head **ret_head)
{
    lario_stream *stream = &conn->conn.stream;
    lario_http1_limits limits = head_limits(lario_http_conn_limits(conn));
    lario_http1_head *head = conn->partial;

    if (!head) {
        head = &lario_http_loop_of(stream->loop)->head;
        lario_http1_head_init(head);
    }
    int rc = lario_http1_head_parse(head, &limits, stream->in, stream->in_len);

    if (rc == 0)
        rc = keep_partial(conn, head);
    else if (rc < 0)
        lario_http_reject(conn, head->status, head->reason);
    if (rc == LARIO_ENOMEM)
        lario_stream_abort(stream, rc);
    *ret_head = head;
    return rc;
}

/* ---- The request's process ---- */

static int run_request(void *arg)
{
    lario_http_conn *conn = arg;
    const lario_http_handler *handler = lario_http_handler_of(&conn->conn);
    _Alignas(max_align_t) char space[LARIO_REQ_SPACE_BYTES];
    lario_req req;
    int rc = lario_req_init(&req, conn, space, sizeof space);

    req.is_handled = rc == 0;
    if (handler->access)
        lario_req_note_start(&req);
    if (rc == 0)
        rc = handler->handle(handler->arg, &req);
    rc = lario_req_finish(&req, rc);
    if (handler->access)
        lario_req_tell_access(&req);
    lario_req_done(&req);
    return rc;
}

static void start_request(lario_http_conn *conn, lario_http1_head *head, int head_len)
{
    static const lario_spawn_options opts = {.label = "request", .loop = -1};
    lario_stream *stream = &conn->conn.stream;

    conn->phase = LARIO_HTTP_BUSY;
    conn->starting = head;
    conn->head_len = (uint16_t)head_len;
    conn->keeps = false;
    conn->is_cut = false;
    conn->peer_ends = !head->keep_alive;
    conn->body_ended = !head->chunked && head->content_length == 0;
    conn->must_continue = head->expect_continue && !conn->body_ended;
    if (!conn->body_ended)
        lario_http1_body_init(&conn->body, head);
    set_busy_deadline(conn);
    conn->served++;
    conn->requests++;
    int rc = lario_sched_start(stream->loop->slots[LARIO_LOOP_SLOT_PROC], run_request, conn, &opts,
                               &conn->hook, &conn->proc);

    if (rc < 0) {
        lario_log_to(stream->loop->log, LARIO_LOG_ERROR, "spawn_failed", "%s", lario_strerror(rc));
        conn->proc = NULL;
        lario_http_reject(conn, 503, "too many requests are running");
    }
}

/* The process has ended: what the connection does next follows from how it answered. */
static void on_exit_of_request(lario_exit_hook *hook, lario_proc *proc, int reason)
{
    lario_http_conn *conn = lario_container_of(hook, lario_http_conn, hook);
    lario_stream *stream = &conn->conn.stream;
    (void)proc;
    (void)reason;

    conn->proc = NULL;
    conn->ws = NULL;
    conn->starting = NULL;
    if (conn->is_closed) {
        free_conn(conn);
        return;
    }
    if (conn->is_cut) {
        /* To HTTP/1.0 an end in order would say that the answer is whole. */
        if (lario_stream_is_open(stream))
            lario_socket_reset_on_close(stream->io.fd);
        lario_stream_abort(stream, LARIO_ECLOSED);
        return;
    }
    if (!conn->keeps) {
        /* Without the peer's word that it sends no more, its bytes must not meet a closed socket.
         */
        finish(conn, !conn->peer_ends || !conn->body_ended || stream->in_len > 0);
        return;
    }
    conn->phase = conn->body_ended ? LARIO_HTTP_HEAD : LARIO_HTTP_SKIP;
    conn->skipped = 0;
    /* Once for the whole rest of the body: a trickle does not move it. */
    if (conn->phase == LARIO_HTTP_SKIP)
        set_deadline_in(conn, lario_http_conn_limits(conn)->body_ms);
    if (!conn->is_advancing)
        advance(conn);
}

/* ---- The body ---- */

int lario_http_conn_body_next(lario_http_conn *conn, size_t max, size_t *ret_used,
                              const char **ret_data, size_t *ret_len)
{
    const lario_limits *limits = lario_http_conn_limits(conn);
    lario_http1_body_limits body_limits = {
        .chunk_line_bytes_max = limits->chunk_line_bytes_max,
        .tiny_chunks_max = limits->tiny_chunks_max,
        .trailers_max = limits->head_fields_max,
        .trailer_bytes_max = limits->head_bytes_max,
        .trailer_name_bytes_max = limits->field_name_bytes_max,
        .trailer_value_bytes_max = limits->field_value_bytes_max,
    };
    lario_stream *stream = &conn->conn.stream;
    size_t len = stream->in_len < max ? stream->in_len : max;
    int rc = lario_http1_body_next(&conn->body, &body_limits, stream->in, len, ret_used, ret_data,
                                   ret_len);

    if (rc == LARIO_HTTP1_BODY_END)
        conn->body_ended = true;
    return rc;
}

/* Drops what the handler left of the body, within the limit; true when the body has ended. */
static bool skip_body(lario_http_conn *conn)
{
    lario_stream *stream = &conn->conn.stream;
    const char *data;
    size_t used, len;

    while (!conn->body_ended) {
        int rc = lario_http_conn_body_next(conn, SIZE_MAX, &used, &data, &len);

        conn->skipped += used;
        if (rc < 0 || conn->skipped > lario_http_conn_limits(conn)->body_skip_bytes_max) {
            finish(conn, true);
            return false;
        }
        lario_stream_consume(stream, used);
        if (rc == LARIO_HTTP1_BODY_MORE)
            return false;
    }
    conn->phase = LARIO_HTTP_HEAD;
    return true;
}

/* ---- What comes next ---- */

/* One step over the window; false when it needs more bytes, or the stream is ending. */
static bool step(lario_http_conn *conn)
{
    lario_http1_head *head;

    if (conn->phase == LARIO_HTTP_SKIP && !skip_body(conn))
        return false;
    if (conn->conn.stream.in_len == 0)
        return false;
    if (conn->served >= lario_http_conn_limits(conn)->pipelined_a_turn_max) {
        lario_loop_defer(conn->conn.stream.loop, &conn->next_task);
        return false;
    }
    int len = parse_head(conn, &head);

    if (len <= 0)
        return false;
    start_request(conn, head, len);
    return true;
}

/* Nothing more can be done with the window for now: how long may the peer take? */
static void rest(lario_http_conn *conn)
{
    lario_stream *stream = &conn->conn.stream;

    if (lario_list_is_linked(&conn->next_task.link)) {
        /* Requests wait for the next turn: reading on, the window would grow without end. */
        lario_stream_read_stop(stream);
        return;
    }
    if (stream->in_drained) {
        /* Whatever is left will never be whole. */
        finish(conn, false);
        return;
    }
    if (lario_conn_is_draining(&conn->conn) && conn->phase == LARIO_HTTP_HEAD && !conn->partial) {
        finish(conn, true);
        return;
    }
    if (conn->phase == LARIO_HTTP_HEAD && !conn->partial)
        set_deadline_in(conn, lario_http_conn_limits(conn)->idle_ms);
    if (!stream->io.reading)
        lario_stream_read_start(stream);
}

static void advance(lario_http_conn *conn)
{
    lario_stream *stream = &conn->conn.stream;

    if (conn->turn != (uint32_t)stream->loop->turn) {
        conn->turn = (uint32_t)stream->loop->turn;
        conn->served = 0;
    }
    conn->is_advancing = true;
    while (lario_stream_is_open(stream) && conn->phase != LARIO_HTTP_BUSY && step(conn))
        continue;
    conn->is_advancing = false;
    if (!lario_stream_is_open(stream))
        return;
    if (conn->phase != LARIO_HTTP_BUSY)
        rest(conn);
    else if (stream->in_len > 0)
        lario_stream_read_stop(stream);
}

static void run_next_task(lario_task *task)
{
    lario_http_conn *conn = lario_container_of(task, lario_http_conn, next_task);

    if (conn->phase == LARIO_HTTP_BUSY || !lario_stream_is_open(&conn->conn.stream))
        return;
    if (conn->turn == (uint32_t)conn->conn.stream.loop->turn)
        lario_loop_defer(conn->conn.stream.loop, task); /* this is still the end of that turn */
    else
        advance(conn);
}

/* ---- What the stream tells ---- */

static void on_input(lario_stream *stream)
{
    lario_http_conn *conn = lario_http_conn_of(stream);

    if (conn->ws) {
        lario_ws_on_input(conn->ws);
        return;
    }
    if (conn->phase != LARIO_HTTP_BUSY) {
        if (!lario_list_is_linked(&conn->next_task.link))
            advance(conn);
        return;
    }
    if (conn->proc->state == LARIO_PROC_PARKED && conn->proc->wait == LARIO_WAIT_CONN)
        lario_proc_resume(conn->proc, 0);
    /* The handler does not read now, or this belongs to the next request: the rest has to wait. */
    if (stream->in_len > 0 && lario_stream_is_open(stream))
        lario_stream_read_stop(stream);
}

static void on_eof(lario_stream *stream)
{
    lario_http_conn *conn = lario_http_conn_of(stream);

    if (conn->phase != LARIO_HTTP_BUSY) {
        if (stream->in_drained && !lario_list_is_linked(&conn->next_task.link))
            finish(conn, false);
        return;
    }
    /* Half closed: the answer still goes out, but nobody can wait for ever for such a client. */
    if (!conn->ws)
        set_busy_deadline(conn);
    if (lario_proc_waits_for_conn(conn->proc))
        lario_proc_wake(conn->proc, 0);
}

static void on_room(lario_stream *stream)
{
    lario_http_conn *conn = lario_http_conn_of(stream);

    if (conn->proc && conn->proc->wait == LARIO_WAIT_CONN)
        lario_proc_wake(conn->proc, 0);
    if (conn->ws)
        lario_ws_on_room(conn->ws);
}

static void on_closed(lario_stream *stream, int rc)
{
    lario_http_conn *conn = lario_http_conn_of(stream);

    conn->is_closed = true;
    if (!conn->proc)
        free_conn(conn);
    else if (rc < 0)
        lario_proc_kill(conn->proc, rc);
    else if (lario_proc_waits_for_conn(conn->proc))
        lario_proc_wake(conn->proc, 0);
}

static const lario_stream_ops stream_ops = {
    .on_input = on_input,
    .on_eof = on_eof,
    .on_room = on_room,
    .on_deadline = on_deadline,
    .on_closed = on_closed,
};

lario_http_conn *lario_http_conn_open(lario_server_loop *home, lario_arrival *arrival)
{
    lario_http_conn *conn = calloc(1, sizeof *conn);

    if (!conn || lario_http_loop_init(home->loop) < 0) {
        free(conn);
        lario_arrival_drop(home, arrival);
        return NULL;
    }
    conn->hook.fn = on_exit_of_request;
    lario_list_init(&conn->hook.link);
    lario_task_init(&conn->next_task, run_next_task);
    int rc = lario_conn_open(&conn->conn, home, arrival, &stream_ops);

    if (rc < 0) {
        lario_log_to(home->loop->log, LARIO_LOG_ERROR, "open_failed", "%s", lario_strerror(rc));
        free(conn);
        return NULL;
    }
    set_deadline_in(conn, lario_http_conn_limits(conn)->idle_ms);
    return conn;
}

void lario_http_conn_drain(lario_http_conn *conn)
{
    if (conn->ws)
        lario_ws_drain(conn->ws);
    else if (conn->phase == LARIO_HTTP_BUSY)
        set_busy_deadline(conn);
    else if (conn->phase == LARIO_HTTP_HEAD && !conn->partial && !request_waits(conn))
        finish(conn, true);
}
