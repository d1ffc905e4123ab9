/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_SYS_POLLER_H
#define LARIO_SYS_POLLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/*
 * The seam between Lario and the kernel's I/O. It speaks of completed work: bytes that have
 * arrived, bytes that were taken, connections that were accepted. epoll fits below it (the poller
 * reads and writes itself), and so does io_uring (the kernel does).
 *
 * All data is read into one buffer of the poller, so a connection that is idle holds none. Only
 * the poller's thread makes these calls, but for lario_poller_wake().
 */
typedef struct lario_poller lario_poller;
typedef struct lario_io lario_io;

typedef struct lario_io_ops {
    /* Listener: `fd` is a new connection (now the callee's), or -errno when accepting failed. */
    void (*on_accept)(lario_io *io, int fd);

    /* Bytes have arrived. They may be changed, and are valid only during the call. */
    void (*on_data)(lario_io *io, char *data, size_t len);

    /*
     * The peer will send no more. `drained` tells that all its bytes were delivered; otherwise
     * reading was stopped, and when started again it delivers the rest and says it once more.
     */
    void (*on_eof)(lario_io *io, bool drained);

    /* The connection is broken (-errno). Nothing else will be reported but this. */
    void (*on_error)(lario_io *io, int rc);

    /*
     * A write is done: `count` bytes were taken, perhaps fewer than given, perhaps none; the
     * caller submits the rest again. Also called from inside lario_io_write() and
     * lario_io_send_file().
     */
    void (*on_written)(lario_io *io, size_t count);
} lario_io_ops;

/* One descriptor under a poller; embedded in what it belongs to. */
struct lario_io {
    const lario_io_ops *ops;
    lario_poller *poller;
    int fd; /* -1: closed */
    uint32_t interest;
    bool is_listener;
    bool reading;
    bool write_waits;
    bool eof_told;
    bool is_broken;
};

/* NULL: out of memory or descriptors; errno tells. */
lario_poller *lario_poller_new(void);
void lario_poller_free(lario_poller *poller);

/*
 * Waits up to `timeout_ms` (-1: for ever, 0: not at all). Returns 0 or -errno. What happened is
 * called back by lario_poller_deliver(), which follows each wait: in between the caller looks at
 * the clock.
 */
int lario_poller_wait(lario_poller *poller, int timeout_ms);
void lario_poller_deliver(lario_poller *poller);

/* Ends the current or next wait at once. Any thread. */
void lario_poller_wake(lario_poller *poller);

/* Puts the non-blocking `fd` under the poller, which owns it from then on; 0 or -errno. */
int lario_io_open(lario_io *io, lario_poller *poller, int fd, const lario_io_ops *ops,
                  bool is_listener);

/*
 * Closes the descriptor; no callback comes any more. Harmless when it is closed. The memory of
 * `io` must stay until the lario_poller_deliver() that may be calling back has returned.
 */
void lario_io_close(lario_io *io);

/* Takes the descriptor away from the poller and gives it back to the caller, open, or -errno: then
 * it is closed. For the memory of `io`, as above. */
int lario_io_release(lario_io *io);

/* Starts or stops delivering data, or accepted connections. 0 or -errno. */
int lario_io_read_start(lario_io *io);
void lario_io_read_stop(lario_io *io);

/* Accepts what waits in the backlog now, up to `max` connections. */
void lario_io_accept_pending(lario_io *io, unsigned max);

/*
 * Submits a write; ops->on_written comes once, now or later, or ops->on_error. The bytes must stay
 * until then; the array itself need not. One write at a time. `more` tells that the caller goes on
 * at once with another one, so that the kernel may wait for it to fill a packet.
 */
void lario_io_write(lario_io *io, const struct iovec *parts, int count, bool more);

/*
 * The same for `len` (at least 1) bytes of the regular file `file` from `offset` on, which the
 * kernel takes without a copy where it can. The descriptor must stay open until ops->on_written,
 * and is not closed. A file that ends before is ops->on_error with -ENODATA. Reading waits for the
 * disk when the bytes are not in memory. One call takes a bounded part of a large file, so that
 * other connections have their turn.
 */
void lario_io_send_file(lario_io *io, int file, uint64_t offset, size_t len);

#endif
