/* SPDX-License-Identifier: BSD-3-Clause */
#include "net/tcp.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lario/process.h"
#include "proc/scheduler.h"
#include "sys/clock.h"

/* Bytes that one LARIO_TCP_DATA message holds at most. */
#define RECEIVE_BYTES_MAX 65536

struct lario_tcp {
    lario_conn conn; /* first: a lario_conn is a lario_tcp */
    lario_exit_hook hook;
    lario_source source;
    lario_proc *proc;
    char *received; /* the bytes of the message that the handler looks at */
    bool is_closed;
    bool wants_input; /* parked until more comes, though some may be in the window */
    char peer[LARIO_ADDRESS_TEXT_BYTES];
};

static lario_tcp *tcp_of(lario_stream *stream)
{
    return lario_container_of(stream, lario_tcp, conn.stream);
}

static void free_tcp(lario_tcp *tcp)
{
    lario_conn_done(&tcp->conn);
    free(tcp->received);
    free(tcp);
}

/* ---- Reading ---- */

/* Why nothing will come any more, or LARIO_EAGAIN while something may. */
static int end_of_input(const lario_tcp *tcp)
{
    if (tcp->is_closed || tcp->conn.stream.in_drained || lario_conn_is_draining(&tcp->conn))
        return LARIO_ECLOSED;
    return LARIO_EAGAIN;
}

/*
 * Parks until the connection says something. The end of the connection also kills the process; to
 * the call that waits for the connection it is told as what it is.
 */
static int wait_for_conn(lario_tcp *tcp, int timeout_ms)
{
    int rc = lario_proc_park(tcp->proc, LARIO_WAIT_CONN, timeout_ms);

    if (rc != LARIO_ECANCELED || !tcp->is_closed)
        return rc;
    return tcp->conn.stream.close_rc == LARIO_ETIMEDOUT ? LARIO_ETIMEDOUT : LARIO_ECLOSED;
}

/* Waits until the window has more than `have` bytes. */
static int wait_for_input(lario_tcp *tcp, size_t have, uint64_t deadline_ns)
{
    if (lario_proc_current() != tcp->proc)
        return LARIO_ENOTPROC;
    while (tcp->conn.stream.in_len <= have) {
        int rc = end_of_input(tcp);
        int left_ms = lario_clock_left_ms(deadline_ns);

        if (rc != LARIO_EAGAIN)
            return rc;
        /* Also for a caller that only looks: what it did not take before is read next time. */
        lario_stream_read_start(&tcp->conn.stream);
        if (left_ms == 0)
            return LARIO_ETIMEDOUT;
        tcp->wants_input = true;
        rc = wait_for_conn(tcp, left_ms);
        tcp->wants_input = false;
        if (rc < 0 && rc != LARIO_ETIMEDOUT)
            return rc;
    }
    return 0;
}

int lario_tcp_read(lario_tcp *tcp, void *buffer, size_t size, int timeout_ms)
{
    lario_stream *stream = &tcp->conn.stream;

    if (size == 0)
        return LARIO_EINVAL;
    int rc = wait_for_input(tcp, 0, lario_clock_deadline_ns(timeout_ms));

    if (rc < 0)
        return rc;
    size_t count = stream->in_len < size ? stream->in_len : size;

    if (count > INT_MAX)
        count = INT_MAX;
    memcpy(buffer, stream->in, count);
    lario_stream_consume(stream, count);
    return (int)count;
}

int lario_tcp_read_line(lario_tcp *tcp, char *line, size_t size, int timeout_ms)
{
    lario_stream *stream = &tcp->conn.stream;
    size_t max = stream->limits->tcp_line_bytes_max;
    uint64_t deadline = lario_clock_deadline_ns(timeout_ms);
    size_t looked = 0;
    char *end;

    if (size == 0)
        return LARIO_EINVAL;
    /* Each byte is looked at once, however slowly the line comes. */
    while (!(end = stream->in_len > looked
                       ? memchr(stream->in + looked, '\n', stream->in_len - looked)
                       : NULL)) {
        looked = stream->in_len;
        if (looked > max || looked > size)
            return LARIO_ETOOBIG;
        int rc = wait_for_input(tcp, looked, deadline);

        if (rc < 0)
            return rc;
    }
    size_t taken = (size_t)(end - stream->in) + 1;
    size_t len = taken - 1;

    if (len > 0 && stream->in[len - 1] == '\r')
        len--;
    if (len >= size || len > max)
        return LARIO_ETOOBIG;
    memcpy(line, stream->in, len);
    line[len] = '\0';
    lario_stream_consume(stream, taken);
    return (int)len;
}

/* ---- Receiving beside the mailbox ---- */

static int source_receive(lario_source *source, int kind, lario_msg *ret_msg)
{
    lario_tcp *tcp = lario_container_of(source, lario_tcp, source);
    lario_stream *stream = &tcp->conn.stream;

    if (stream->in_len == 0) {
        if (end_of_input(tcp) == LARIO_EAGAIN)
            lario_stream_read_start(stream);
        return end_of_input(tcp);
    }
    if (kind != 0 && kind != LARIO_TCP_DATA)
        return LARIO_EAGAIN;
    size_t count = stream->in_len < RECEIVE_BYTES_MAX ? stream->in_len : RECEIVE_BYTES_MAX;

    tcp->received = malloc(count);
    if (!tcp->received)
        return LARIO_ENOMEM;
    memcpy(tcp->received, stream->in, count);
    lario_stream_consume(stream, count);
    *ret_msg = (lario_msg){.kind = LARIO_TCP_DATA, .data = tcp->received, .len = count};
    return LARIO_TCP_DATA;
}

static void source_released(lario_source *source)
{
    lario_tcp *tcp = lario_container_of(source, lario_tcp, source);

    free(tcp->received);
    tcp->received = NULL;
}

/* ---- Writing ---- */

int lario_tcp_write(lario_tcp *tcp, const void *data, size_t len)
{
    lario_proc *self = lario_proc_current();

    if (self != tcp->proc)
        return LARIO_ENOTPROC;
    while (!tcp->is_closed && lario_stream_check_full(&tcp->conn.stream)) {
        int rc = wait_for_conn(tcp, -1);

        if (rc < 0)
            return rc;
    }
    if (self->is_killed)
        return LARIO_ECANCELED;
    if (tcp->is_closed)
        return tcp->conn.stream.close_rc == LARIO_ETIMEDOUT ? LARIO_ETIMEDOUT : LARIO_ECLOSED;
    return lario_stream_write(&tcp->conn.stream, data, len);
}

int lario_tcp_puts(lario_tcp *tcp, const char *text)
{
    return lario_tcp_write(tcp, text, strlen(text));
}

/* ---- What the stream tells ---- */

static void wake(lario_tcp *tcp)
{
    if (lario_proc_waits_for_conn(tcp->proc))
        lario_proc_wake(tcp->proc, 0);
}

static void on_input(lario_stream *stream)
{
    lario_tcp *tcp = tcp_of(stream);

    if (lario_proc_waits_for_conn(tcp->proc))
        lario_proc_resume(tcp->proc, 0);
    /* Beyond what it did not take, all stays in the kernel, unless that is a part of a line whose
     * rest it waits for. */
    if (stream->in_len > 0 && !tcp->wants_input)
        lario_stream_read_stop(stream);
}

static void on_eof(lario_stream *stream)
{
    wake(tcp_of(stream));
}

static void on_room(lario_stream *stream)
{
    wake(tcp_of(stream));
}

static void on_deadline(lario_stream *stream)
{
    (void)stream; /* none is set: the handler's calls have their own time limits */
}

static void on_closed(lario_stream *stream, int rc)
{
    lario_tcp *tcp = tcp_of(stream);

    tcp->is_closed = true;
    if (!tcp->proc)
        free_tcp(tcp);
    else if (rc < 0)
        lario_proc_kill(tcp->proc, rc);
}

static const lario_stream_ops stream_ops = {
    .on_input = on_input,
    .on_eof = on_eof,
    .on_room = on_room,
    .on_deadline = on_deadline,
    .on_closed = on_closed,
};

/* ---- The life of a connection ---- */

static int run_handler(void *arg)
{
    lario_tcp *tcp = arg;
    lario_tcp_handler handler = *(lario_tcp_handler *)tcp->conn.home->server->context;

    return handler(tcp);
}

static void on_exit_of_handler(lario_exit_hook *hook, lario_proc *proc, int reason)
{
    lario_tcp *tcp = lario_container_of(hook, lario_tcp, hook);
    (void)proc;

    tcp->proc = NULL;
    if (reason < 0 && reason != LARIO_ECLOSED && reason != LARIO_ECANCELED)
        lario_log_to(tcp->conn.home->loop->log, LARIO_LOG_WARN, "handler_failed", "TCP handler: %s",
                     lario_strerror(reason));
    if (tcp->is_closed)
        free_tcp(tcp);
    else
        lario_stream_finish(&tcp->conn.stream, true);
}

static lario_conn *accept_tcp(lario_server_loop *home, lario_arrival *arrival)
{
    static const lario_spawn_options opts = {.label = "tcp", .loop = -1};
    lario_sched *sched = home->loop->slots[LARIO_LOOP_SLOT_PROC];
    lario_tcp *tcp = calloc(1, sizeof *tcp);

    if (!tcp) {
        lario_arrival_drop(home, arrival);
        return NULL;
    }
    if (lario_conn_open(&tcp->conn, home, arrival, &stream_ops) < 0) {
        free(tcp);
        return NULL;
    }
    lario_address address;

    if (lario_conn_peer(&tcp->conn, &address) == 0)
        lario_address_format(&address, tcp->peer);
    tcp->source = (lario_source){.receive = source_receive, .released = source_released};
    tcp->hook.fn = on_exit_of_handler;
    int rc = lario_sched_spawn(sched, run_handler, tcp, &opts, &tcp->hook, &tcp->proc);

    if (rc < 0) {
        lario_log_to(home->loop->log, LARIO_LOG_ERROR, "spawn_failed", "%s", lario_strerror(rc));
        lario_stream_abort(&tcp->conn.stream, 0);
        return NULL;
    }
    tcp->proc->source = &tcp->source;
    return &tcp->conn;
}

static lario_conn *refuse_tcp(lario_server_loop *home, lario_arrival *arrival)
{
    lario_arrival_drop(home, arrival); /* raw TCP has no words */
    return NULL;
}

static void drain_tcp(lario_conn *conn)
{
    wake(tcp_of(&conn->stream));
}

const lario_protocol lario_tcp_protocol = {
    .accept = accept_tcp,
    .refuse = refuse_tcp,
    .drain = drain_tcp,
};

const char *lario_tcp_peer(lario_tcp *tcp)
{
    return tcp->peer;
}

void *lario_tcp_data(const lario_tcp *tcp)
{
    return tcp->conn.home->server->data;
}
