/* SPDX-License-Identifier: BSD-3-Clause */
#include "net/stream.h"

#include <stdlib.h>
#include <string.h>

#include "lario/error.h"
#include "net/block.h"
#include "net/tls.h"
#include "sys/socket.h"

/* Parts of one write: blocks are filled, so few are needed for what a socket takes at once. */
#define PARTS_MAX 32

/* Writes of one turn. */
#define TRIES_MAX 3

static void run_task(lario_task *task);
static void on_timer(lario_timer *timer);

static lario_block_pool *pool_of(lario_stream *stream)
{
    return stream->loop->slots[LARIO_LOOP_SLOT_NET];
}

int lario_stream_loop_init(lario_loop *loop)
{
    if (!loop->slots[LARIO_LOOP_SLOT_NET])
        loop->slots[LARIO_LOOP_SLOT_NET] = calloc(1, sizeof(lario_block_pool));
    return loop->slots[LARIO_LOOP_SLOT_NET] ? 0 : LARIO_ENOMEM;
}

void lario_stream_loop_done(lario_loop *loop)
{
    lario_block_pool *pool = loop->slots[LARIO_LOOP_SLOT_NET];

    if (pool)
        lario_block_pool_done(pool);
    free(pool);
    loop->slots[LARIO_LOOP_SLOT_NET] = NULL;
}

/* ---- Time ---- */

/* The timer may be early, since moving a deadline back does not touch it; it looks again then. */
static void start_timer(lario_stream *stream, uint64_t at_ms)
{
    if (!lario_timer_is_started(&stream->timer) || stream->timer.due_ms > at_ms)
        lario_wheel_start(&stream->loop->wheel, &stream->timer, at_ms);
}

void lario_stream_set_deadline(lario_stream *stream, uint64_t at_ms)
{
    stream->deadline_ms = at_ms;
    if (at_ms != 0 && stream->state != LARIO_STREAM_CLOSED)
        start_timer(stream, at_ms);
}

static void on_timer(lario_timer *timer)
{
    lario_stream *stream = lario_container_of(timer, lario_stream, timer);
    uint64_t now = lario_loop_now_ms(stream->loop);

    if (stream->stall_ms != 0 && stream->stall_ms <= now) {
        lario_stream_abort(stream, LARIO_ETIMEDOUT);
        return;
    }
    if (stream->deadline_ms != 0 && stream->deadline_ms <= now) {
        stream->deadline_ms = 0;
        if (stream->state == LARIO_STREAM_LINGERING)
            lario_stream_abort(stream, 0);
        else
            stream->ops->on_deadline(stream);
    }
    if (stream->state == LARIO_STREAM_CLOSED)
        return;
    if (stream->deadline_ms != 0)
        start_timer(stream, stream->deadline_ms);
    if (stream->stall_ms != 0)
        start_timer(stream, stream->stall_ms);
}

/* ---- Input ---- */

static void free_buffer(lario_stream *stream)
{
    free(stream->in_buffer);
    stream->in_buffer = NULL;
    stream->in_room = 0;
}

void lario_stream_consume(lario_stream *stream, size_t count)
{
    stream->in += count;
    stream->in_len -= count;
    if (stream->in_len == 0 && stream->in_buffer)
        free_buffer(stream);
}

/* Puts what arrived behind what is in the stream's own buffer already. */
static int append(lario_stream *stream, const char *data, size_t len)
{
    size_t before = stream->in_buffer ? (size_t)(stream->in - stream->in_buffer) : 0;

    if (before + stream->in_len + len > stream->in_room) {
        size_t room = (stream->in_len + len) * 2;
        char *buffer = malloc(room);

        if (!buffer)
            return LARIO_ENOMEM;
        memcpy(buffer, stream->in, stream->in_len);
        free(stream->in_buffer);
        stream->in_buffer = stream->in = buffer;
        stream->in_room = room;
    }
    memcpy(stream->in + stream->in_len, data, len);
    stream->in_len += len;
    return 0;
}

/* The poller's buffer is about to be used for others: what is left moves to an own one. */
static int keep_rest(lario_stream *stream)
{
    char *buffer = malloc(stream->in_len);

    if (!buffer)
        return LARIO_ENOMEM;
    memcpy(buffer, stream->in, stream->in_len);
    stream->in = stream->in_buffer = buffer;
    stream->in_room = stream->in_len;
    return 0;
}

static void on_data(lario_io *io, char *data, size_t len)
{
    lario_stream *stream = lario_container_of(io, lario_stream, io);
    int rc = 0;

    if (stream->state != LARIO_STREAM_OPEN)
        return;
    if (stream->in_len > 0) {
        rc = append(stream, data, len);
    } else {
        stream->in = data;
        stream->in_len = len;
    }
    if (rc == 0) {
        stream->ops->on_input(stream);
        if (stream->in_len > 0 && !stream->in_buffer && stream->state == LARIO_STREAM_OPEN)
            rc = keep_rest(stream);
    }
    if (rc < 0) {
        /* The poller's buffer is not the stream's any more, and is not to be looked at. */
        if (!stream->in_buffer)
            stream->in_len = 0;
        lario_stream_abort(stream, rc);
    }
}

void lario_stream_feed(lario_stream *stream, char *data, size_t len)
{
    stream->io.ops->on_data(&stream->io, data, len); /* the filter's, if there is one */
}

static void on_eof(lario_io *io, bool drained)
{
    lario_stream *stream = lario_container_of(io, lario_stream, io);

    stream->has_eof = true;
    stream->in_drained = drained;
    if (stream->state == LARIO_STREAM_LINGERING && drained)
        lario_stream_abort(stream, 0);
    else if (stream->state == LARIO_STREAM_OPEN)
        stream->ops->on_eof(stream);
}

void lario_stream_read_start(lario_stream *stream)
{
    int rc = stream->in_drained ? 0 : lario_io_read_start(&stream->io);

    if (rc < 0)
        lario_stream_abort(stream, rc);
}

void lario_stream_read_stop(lario_stream *stream)
{
    lario_io_read_stop(&stream->io);
}

/* ---- Output ---- */

/*
 * What a block counts for in out_bytes as long as it waits: the memory that it holds, however few
 * bytes are in it. Else many small pieces, each in a block of its own, would cost a multiple of the
 * limit.
 */
static size_t weight(const lario_block *block)
{
    if (block->kind == LARIO_BLOCK_FILE)
        return LARIO_STREAM_FILE_BYTES;
    return sizeof *block +
           (block->kind == LARIO_BLOCK_BYTES ? block->room : lario_block_len(block));
}

/* Puts a block, if it is not NULL, behind the others, and returns it. */
static lario_block *append_block(lario_stream *stream, lario_block *block)
{
    if (!block)
        return NULL;
    stream->out_bytes += weight(block);
    if (stream->out_last)
        stream->out_last->next = block;
    else
        stream->out_first = block;
    stream->out_last = block;
    return block;
}

char *lario_stream_reserve(lario_stream *stream, size_t count)
{
    lario_block *block = stream->out_last;

    if (!block || block->kind != LARIO_BLOCK_BYTES || block->room - block->end < count)
        block = append_block(stream, lario_block_get(pool_of(stream), count));
    return block ? block->bytes + block->end : NULL;
}

/* There is more to be sent than before, by the end of the turn. */
static void has_grown(lario_stream *stream)
{
    if (!stream->is_writing)
        lario_loop_defer(stream->loop, &stream->task);
}

void lario_stream_commit(lario_stream *stream, size_t count)
{
    stream->out_last->end += count;
    has_grown(stream);
}

int lario_stream_write(lario_stream *stream, const void *data, size_t len)
{
    if (stream->state != LARIO_STREAM_OPEN)
        return LARIO_ECLOSED;
    if (len == 0)
        return 0;
    /* First what fits the block at hand, then the rest in one piece; all or nothing, so that a
     * caller that goes on after a failure has not sent a part. */
    lario_block *block = stream->out_last;
    size_t fits = block ? lario_block_left(block) : 0;

    if (fits > len)
        fits = len;
    lario_block *last =
        fits < len ? append_block(stream, lario_block_get(pool_of(stream), len - fits)) : block;

    if (!last)
        return LARIO_ENOMEM;
    if (fits > 0) {
        memcpy(block->bytes + block->end, data, fits);
        block->end += fits;
    }
    if (fits < len)
        memcpy(last->bytes, (const char *)data + fits, len - fits);
    lario_stream_commit(stream, len - fits);
    return 0;
}

int lario_stream_write_shared(lario_stream *stream, lario_shared *shared, size_t at, size_t len)
{
    if (stream->state != LARIO_STREAM_OPEN)
        return LARIO_ECLOSED;
    if (len == 0)
        return 0;
    if (!append_block(stream, lario_block_get_shared(pool_of(stream), shared, at, len)))
        return LARIO_ENOMEM;
    has_grown(stream);
    return 0;
}

int lario_stream_write_file(lario_stream *stream, lario_block_file *file, uint64_t offset,
                            uint64_t len)
{
    if (stream->state != LARIO_STREAM_OPEN)
        return LARIO_ECLOSED;
    if (offset > INT64_MAX || len > INT64_MAX - offset || offset + len > SIZE_MAX)
        return LARIO_EINVAL;
    if (len == 0)
        return 0;
    if (!append_block(stream,
                      lario_block_get_file(pool_of(stream), file, (size_t)offset, (size_t)len)))
        return LARIO_ENOMEM;
    has_grown(stream);
    return 0;
}

bool lario_stream_check_full(lario_stream *stream)
{
    if (stream->out_bytes > stream->limits->output_bytes_max)
        stream->is_full = true;
    return stream->is_full;
}

/* Drops `count` bytes that have left. */
static void drop_output(lario_stream *stream, size_t count)
{
    while (stream->out_first) {
        lario_block *block = stream->out_first;
        size_t here = lario_block_len(block);

        if (count < here) {
            block->at += count;
            if (block->kind == LARIO_BLOCK_SHARED)
                stream->out_bytes -= count;
            return;
        }
        count -= here;
        stream->out_bytes -= weight(block);
        stream->out_first = block->next;
        lario_block_put(pool_of(stream), block);
    }
    stream->out_last = NULL;
}

static void submit(lario_stream *stream)
{
    struct iovec parts[PARTS_MAX];
    lario_block *block = stream->out_first;
    int count = 0;

    if (stream->tls) {
        lario_tls_submit(stream);
        return;
    }
    stream->is_writing = true;
    if (block->kind == LARIO_BLOCK_FILE) {
        lario_io_send_file(&stream->io, block->file->fd, block->at, lario_block_len(block));
        return;
    }
    for (; block && block->kind != LARIO_BLOCK_FILE && count < PARTS_MAX; block = block->next)
        parts[count++] = (struct iovec){lario_block_data(block), lario_block_len(block)};
    lario_io_write(&stream->io, parts, count, block != NULL);
}

static void all_written(lario_stream *stream)
{
    stream->stall_ms = 0;
    if (stream->state != LARIO_STREAM_FINISHING || (stream->tls && !lario_tls_close(stream)))
        return;
    /* Not before all that the peer sent is taken: closing over it would reset the connection. */
    if (!stream->lingers || stream->in_drained) {
        lario_stream_abort(stream, 0);
        return;
    }
    stream->state = LARIO_STREAM_LINGERING;
    if (lario_socket_shutdown_write(stream->io.fd) < 0) {
        lario_stream_abort(stream, 0);
        return;
    }
    lario_stream_set_deadline(stream, lario_loop_now_ms(stream->loop) + stream->limits->linger_ms);
}

/* Called by the poller from inside of submit(), or later when the socket has room again. */
static void on_written(lario_io *io, size_t count)
{
    lario_stream *stream = lario_container_of(io, lario_stream, io);

    stream->is_writing = false;
    drop_output(stream, count);
    if (count > 0)
        stream->stall_ms = lario_loop_now_ms(stream->loop) + stream->limits->write_stall_ms;
    if (stream->is_full && stream->out_bytes <= stream->limits->output_bytes_max / 2) {
        stream->is_full = false;
        if (stream->state == LARIO_STREAM_OPEN)
            stream->ops->on_room(stream);
    }
    if (stream->out_bytes > 0 && stream->state != LARIO_STREAM_CLOSED)
        lario_loop_defer(stream->loop, &stream->task);
}

static bool has_output(const lario_stream *stream)
{
    return stream->tls ? lario_tls_has_output(stream) : stream->out_bytes > 0;
}

static void flush(lario_stream *stream)
{
    /* Most output leaves at once; a rest means that the socket is full, and the next try, in the
     * same breath, arms the poller. The head of a file and the file are one try each. */
    for (int tries = 0; tries < TRIES_MAX && has_output(stream) && !stream->is_writing; tries++) {
        submit(stream);
        if (stream->state == LARIO_STREAM_CLOSED)
            return;
    }
    if (!has_output(stream)) {
        all_written(stream);
        return;
    }
    if (stream->stall_ms == 0)
        stream->stall_ms = lario_loop_now_ms(stream->loop) + stream->limits->write_stall_ms;
    start_timer(stream, stream->stall_ms);
}

static void run_task(lario_task *task)
{
    lario_stream *stream = lario_container_of(task, lario_stream, task);

    if (stream->state == LARIO_STREAM_CLOSED)
        stream->ops->on_closed(stream, stream->close_rc);
    else
        flush(stream);
}

/* ---- Begin and end ---- */

/* Of a connection that ends while a file is being sent: by the file's fault, or a timeout. */
static void log_cut_file(lario_stream *stream, int rc)
{
    if (rc == -ENODATA)
        lario_log_to(stream->loop->log, LARIO_LOG_WARN, "file_cut",
                     "a file became shorter while it was sent");
    else
        lario_log_to(stream->loop->log, LARIO_LOG_WARN, "file_cut",
                     "a file could not be sent to its end: %s", lario_strerror(rc));
}

static void on_error(lario_io *io, int rc)
{
    lario_stream *stream = lario_container_of(io, lario_stream, io);

    /* How exactly the peer went away makes no difference to anybody. */
    if (rc == -ECONNRESET || rc == -EPIPE)
        rc = LARIO_ECLOSED;
    else if (stream->out_first && stream->out_first->kind == LARIO_BLOCK_FILE)
        log_cut_file(stream, rc);
    lario_stream_abort(stream, stream->state == LARIO_STREAM_OPEN ? rc : 0);
}

static const lario_io_ops io_ops = {
    .on_data = on_data,
    .on_eof = on_eof,
    .on_error = on_error,
    .on_written = on_written,
};

int lario_stream_open(lario_stream *stream, lario_loop *loop, int fd, const lario_stream_ops *ops,
                      const lario_limits *limits)
{
    memset(stream, 0, sizeof *stream);
    stream->ops = ops;
    stream->loop = loop;
    stream->limits = limits;
    lario_task_init(&stream->task, run_task);
    lario_timer_init(&stream->timer, on_timer);
    int rc = lario_io_open(&stream->io, loop->poller, fd, &io_ops, false);

    if (rc < 0)
        lario_fd_close(fd);
    return rc;
}

void lario_stream_finish(lario_stream *stream, bool linger)
{
    if (stream->state != LARIO_STREAM_OPEN)
        return;
    stream->state = LARIO_STREAM_FINISHING;
    stream->lingers = linger;
    stream->in_len = 0;
    free_buffer(stream);
    lario_stream_set_deadline(stream, 0);
    if (linger)
        lario_stream_read_start(stream);
    if (!stream->is_writing && stream->state == LARIO_STREAM_FINISHING)
        lario_loop_defer(stream->loop, &stream->task);
}

void lario_stream_abort(lario_stream *stream, int rc)
{
    if (stream->state == LARIO_STREAM_CLOSED)
        return;
    if (stream->out_bytes > 0 && stream->io.fd >= 0)
        lario_socket_reset_on_close(stream->io.fd);
    lario_io_close(&stream->io);
    stream->state = LARIO_STREAM_CLOSED;
    stream->close_rc = rc;
    lario_timer_stop(&stream->timer);
    lario_loop_defer(stream->loop, &stream->task);
}

void lario_stream_done(lario_stream *stream)
{
    lario_timer_stop(&stream->timer);
    lario_task_cancel(&stream->task);
    lario_tls_free(stream);
    free_buffer(stream);
    while (stream->out_first) {
        lario_block *block = stream->out_first;

        stream->out_first = block->next;
        lario_block_put(pool_of(stream), block);
    }
    stream->out_last = NULL;
}
