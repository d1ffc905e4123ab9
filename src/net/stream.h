/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_NET_STREAM_H
#define LARIO_NET_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/shared.h"
#include "lario/limits.h"
#include "loop/loop.h"
#include "sys/poller.h"

/*
 * A connection as a stream of bytes, on the loop's thread.
 *
 * Input is a window: bytes that have arrived and that nobody has consumed. While the poller
 * delivers, the window is the poller's own buffer, and nothing is copied; what is left over when
 * on_input returns is copied to a buffer of the stream, which goes away when the window is empty.
 * So an idle stream holds none.
 *
 * Output is queued in blocks (see net/block.h) and leaves at the end of the turn, in one system
 * call as long as it is bytes, with one more for each part of a file.
 *
 * The end is told once, by on_closed, at the end of a turn and never from inside of a call; until
 * then the stream's memory must stay.
 */
typedef struct lario_stream lario_stream;
typedef struct lario_block lario_block;
typedef struct lario_block_file lario_block_file;
typedef struct lario_tls lario_tls;

typedef struct lario_stream_ops {
    void (*on_input)(lario_stream *stream);    /* the window has grown */
    void (*on_eof)(lario_stream *stream);      /* has_eof or in_drained has become true */
    void (*on_room)(lario_stream *stream);     /* was full, has room again */
    void (*on_deadline)(lario_stream *stream); /* the time of lario_stream_set_deadline() */

    /*
     * The descriptor is closed. 0: as asked. LARIO_ECLOSED, LARIO_ETIMEDOUT (write stall) or
     * another code: it broke. The callee may free the stream.
     */
    void (*on_closed)(lario_stream *stream, int rc);
} lario_stream_ops;

enum lario_stream_state {
    LARIO_STREAM_OPEN,
    LARIO_STREAM_FINISHING, /* the output is leaving, input is dropped */
    LARIO_STREAM_LINGERING, /* the output has left, waits for the peer to take it */
    LARIO_STREAM_CLOSED,
};

struct lario_stream {
    lario_io io;
    const lario_stream_ops *ops;
    lario_loop *loop;
    const lario_limits *limits;

    /* The window. */
    char *in;
    size_t in_len;
    char *in_buffer; /* owned; NULL while the window is the poller's buffer or empty */
    size_t in_room;

    /* Queued output. */
    lario_block *out_first;
    lario_block *out_last;
    size_t out_bytes; /* what the queue holds of memory, see lario_stream_check_full(); 0: empty */

    lario_tls *tls; /* the filter of net/tls.h, or NULL */

    lario_task task; /* flush, or tell of the end */
    lario_timer timer;
    uint64_t deadline_ms; /* 0: none */
    uint64_t stall_ms;    /* when output that makes no progress ends the stream; 0: none waits */
    int close_rc;

    uint8_t state;
    bool has_eof;    /* the peer has ended its direction, though bytes of it may be unread */
    bool in_drained; /* and all that it sent has been in the window */
    bool is_writing; /* the poller has a write that is not done */
    bool is_full;    /* on_room is owed */
    bool lingers;    /* see lario_stream_finish() */
};

/* Takes over the connected, non-blocking `fd`. 0, or a failure: then `fd` is closed. */
int lario_stream_open(lario_stream *stream, lario_loop *loop, int fd, const lario_stream_ops *ops,
                      const lario_limits *limits);

/* ---- Input ---- */

/*
 * Delivers bytes that were read of the descriptor before the stream was opened, as if they arrived
 * now: before anything else does. They are valid only during the call.
 */
void lario_stream_feed(lario_stream *stream, char *data, size_t len);

/* Takes `count` bytes off the front of the window. */
void lario_stream_consume(lario_stream *stream, size_t count);

/* Whether more is read into the window. What is there stays. */
void lario_stream_read_start(lario_stream *stream);
void lario_stream_read_stop(lario_stream *stream);

/* ---- Output ---- */

/*
 * Room for `count` bytes in one piece at the end of the output, or NULL when memory is out; then
 * lario_stream_commit() of as many as were written there.
 */
char *lario_stream_reserve(lario_stream *stream, size_t count);
void lario_stream_commit(lario_stream *stream, size_t count);

/* Queues a copy of all or nothing. LARIO_ECLOSED when the stream has ended or is finishing;
 * LARIO_ENOMEM. */
int lario_stream_write(lario_stream *stream, const void *data, size_t len);

/*
 * Queues `len` bytes of `shared` from `at` on without a copy; takes a reference of its own, on any
 * failure none. They count like bytes of the connection, since a peer that does not read holds them
 * all the same. LARIO_ECLOSED, LARIO_ENOMEM.
 */
int lario_stream_write_shared(lario_stream *stream, lario_shared *shared, size_t at, size_t len);

/*
 * What a queued part of a file counts for, however long it is: it takes no memory, but a
 * descriptor, and with the default limit a connection has 16 of them before its writer parks.
 */
#define LARIO_STREAM_FILE_BYTES ((size_t)65536)

/*
 * Queues `len` bytes of a file from `offset` on, which are read when it is their turn to be sent;
 * takes a reference of its own, on any failure none. A file that turns out to be shorter ends the
 * stream as broken. LARIO_EINVAL (beyond what an offset can be), LARIO_ECLOSED, LARIO_ENOMEM.
 */
int lario_stream_write_file(lario_stream *stream, lario_block_file *file, uint64_t offset,
                            uint64_t len);

/*
 * Whether what waits holds more memory than limits->output_bytes_max; on_room comes when it is
 * over. A block counts whole, with its header and the room that no bytes fill, until the last of
 * it has left; a part of a file counts LARIO_STREAM_FILE_BYTES.
 */
bool lario_stream_check_full(lario_stream *stream);

/* ---- The end ---- */

/* Whether it can still be written to. */
static inline bool lario_stream_is_open(const lario_stream *stream)
{
    return stream->state == LARIO_STREAM_OPEN;
}

/*
 * Lets the output leave, then closes. With `linger` the sending direction is ended first and the
 * peer's end awaited (up to limits->linger_ms), dropping what it sends: closing with unread input
 * would reset the connection, and the peer might lose the answer (RFC 9112 9.6).
 */
void lario_stream_finish(lario_stream *stream, bool linger);

/* Closes now. `rc` is what on_closed tells. The peer sees a reset when output was left. */
void lario_stream_abort(lario_stream *stream, int rc);

/* on_deadline at `at_ms` of the loop's time; 0: never. Moving it forth and back is cheap. */
void lario_stream_set_deadline(lario_stream *stream, uint64_t at_ms);

/* Frees what the stream holds; after on_closed. */
void lario_stream_done(lario_stream *stream);

/* ---- The blocks of a loop ---- */

/* Prepares the loop for streams; 0 or LARIO_ENOMEM. Harmless when repeated. */
int lario_stream_loop_init(lario_loop *loop);
void lario_stream_loop_done(lario_loop *loop);

#endif
