/* SPDX-License-Identifier: BSD-3-Clause */
#include "sys/poller.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * epoll, level-triggered: one read a wake-up is enough, since what is left wakes again. An idle
 * descriptor costs nothing, and the interest only changes when reading stops or a write must wait,
 * so that serving a small request takes epoll_wait, recv and send.
 */

#define READ_BYTES 65536
#define EVENTS_MAX 256

/* Connections accepted in one go; the others wait for the next turn, so that clients that are
 * served already are not held up by a flood of new ones. */
#define ACCEPT_MAX 64

/* Most of a file in one call: what a fast connection takes in about a millisecond. */
#define SEND_FILE_MAX ((size_t)1 << 20)

/* Of a file that must be copied, in one call; on the stack of the loop's thread. */
#define COPY_BYTES 16384

struct lario_poller {
    int epoll_fd;
    int wake_fd;
    int events_count; /* waited for, not delivered yet */
    struct epoll_event events[EVENTS_MAX];
    char buffer[READ_BYTES];
};

lario_poller *lario_poller_new(void)
{
    lario_poller *poller = malloc(sizeof *poller);

    if (!poller)
        return NULL;
    poller->events_count = 0;
    poller->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (poller->epoll_fd < 0)
        goto fail;
    poller->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (poller->wake_fd < 0)
        goto fail_epoll;
    /* Edge-triggered: each write wakes once, and nobody has to read the counter back. */
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = NULL};

    if (epoll_ctl(poller->epoll_fd, EPOLL_CTL_ADD, poller->wake_fd, &event) < 0)
        goto fail_wake;
    return poller;
fail_wake:
    close(poller->wake_fd);
fail_epoll:
    close(poller->epoll_fd);
fail:
    free(poller);
    return NULL;
}

void lario_poller_free(lario_poller *poller)
{
    if (!poller)
        return;
    close(poller->wake_fd);
    close(poller->epoll_fd);
    free(poller);
}

void lario_poller_wake(lario_poller *poller)
{
    uint64_t one = 1;
    ssize_t written;

    /* EAGAIN means that the counter is full, so the loop is being woken anyway. */
    do
        written = write(poller->wake_fd, &one, sizeof one);
    while (written < 0 && errno == EINTR);
}

static int set_interest(lario_io *io, uint32_t interest)
{
    struct epoll_event event = {.events = interest, .data.ptr = io};

    if (interest == io->interest)
        return 0;
    if (epoll_ctl(io->poller->epoll_fd, EPOLL_CTL_MOD, io->fd, &event) < 0)
        return -errno;
    io->interest = interest;
    return 0;
}

/* Reading also reports the peer's end; when reading is stopped that is reported once. */
static int update_interest(lario_io *io)
{
    uint32_t interest = io->reading ? EPOLLIN : 0;

    if (!io->is_listener && !io->eof_told)
        interest |= EPOLLRDHUP;
    if (io->write_waits)
        interest |= EPOLLOUT;
    return set_interest(io, interest);
}

static void broken(lario_io *io, int rc)
{
    if (io->is_broken)
        return;
    io->is_broken = true;
    io->ops->on_error(io, rc);
}

int lario_io_open(lario_io *io, lario_poller *poller, int fd, const lario_io_ops *ops,
                  bool is_listener)
{
    *io = (lario_io){.ops = ops, .poller = poller, .fd = fd, .is_listener = is_listener};
    io->interest = is_listener ? 0 : EPOLLIN | EPOLLRDHUP;
    io->reading = !is_listener;
    struct epoll_event event = {.events = io->interest, .data.ptr = io};

    if (epoll_ctl(poller->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0) {
        io->fd = -1;
        return -errno;
    }
    return 0;
}

void lario_io_close(lario_io *io)
{
    if (io->fd < 0)
        return;
    close(io->fd);
    io->fd = -1;
}

int lario_io_release(lario_io *io)
{
    int fd = io->fd;

    if (epoll_ctl(io->poller->epoll_fd, EPOLL_CTL_DEL, fd, NULL) < 0) {
        int rc = -errno;

        lario_io_close(io);
        return rc;
    }
    io->fd = -1;
    return fd;
}

int lario_io_read_start(lario_io *io)
{
    if (io->fd < 0 || io->reading)
        return 0;
    io->reading = true;
    return update_interest(io);
}

void lario_io_read_stop(lario_io *io)
{
    if (io->fd < 0 || !io->reading)
        return;
    io->reading = false;
    int rc = update_interest(io);

    if (rc < 0)
        broken(io, rc);
}

void lario_io_accept_pending(lario_io *io, unsigned max)
{
    while (max-- > 0 && io->fd >= 0) {
        int fd = accept4(io->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd >= 0) {
            io->ops->on_accept(io, fd);
            continue;
        }
        if (errno == EINTR || errno == ECONNABORTED)
            continue;
        if (errno != EAGAIN)
            io->ops->on_accept(io, -errno);
        return;
    }
}

/* Tells of a write that took `taken` bytes, or -errno; one that must wait is told of later. */
static void written(lario_io *io, ssize_t taken)
{
    if (taken >= 0) {
        io->ops->on_written(io, (size_t)taken);
        return;
    }
    if (taken != -EAGAIN) {
        broken(io, (int)taken);
        return;
    }
    io->write_waits = true;
    int rc = update_interest(io);

    if (rc < 0)
        broken(io, rc);
}

void lario_io_write(lario_io *io, const struct iovec *parts, int count, bool more)
{
    struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = (size_t)count};
    int flags = more ? MSG_NOSIGNAL | MSG_MORE : MSG_NOSIGNAL;
    ssize_t taken;

    do
        taken = count == 1 ? send(io->fd, parts->iov_base, parts->iov_len, flags)
                           : sendmsg(io->fd, &message, flags);
    while (taken < 0 && errno == EINTR);
    written(io, taken < 0 ? -errno : taken);
}

/* For the file systems that sendfile() cannot read from: through memory. */
static ssize_t copy_file(int fd, int file, off_t offset, size_t len)
{
    char bytes[COPY_BYTES];
    ssize_t got, taken;

    do
        got = pread(file, bytes, len < sizeof bytes ? len : sizeof bytes, offset);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        return got;
    do
        taken = send(fd, bytes, (size_t)got, MSG_NOSIGNAL);
    while (taken < 0 && errno == EINTR);
    return taken;
}

void lario_io_send_file(lario_io *io, int file, uint64_t offset, size_t len)
{
    off_t at = (off_t)offset;
    ssize_t taken;

    do
        taken = sendfile(io->fd, file, &at, len < SEND_FILE_MAX ? len : SEND_FILE_MAX);
    while (taken < 0 && errno == EINTR);
    if (taken < 0 && (errno == EINVAL || errno == ESPIPE || errno == ENOSYS))
        taken = copy_file(io->fd, file, (off_t)offset, len);
    if (taken == 0)
        broken(io, -ENODATA); /* nothing can be left of a file that has become shorter */
    else
        written(io, taken < 0 ? -errno : taken);
}

static int socket_error(int fd)
{
    int error = 0;
    socklen_t len = sizeof error;

    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
        return -errno;
    return error ? -error : -ECONNRESET;
}

static void deliver_data(lario_io *io)
{
    lario_poller *poller = io->poller;
    ssize_t got;

    do
        got = recv(io->fd, poller->buffer, sizeof poller->buffer, 0);
    while (got < 0 && errno == EINTR);
    if (got > 0) {
        io->ops->on_data(io, poller->buffer, (size_t)got);
    } else if (got == 0) {
        io->eof_told = true;
        io->reading = false;
        int rc = update_interest(io);

        if (rc < 0)
            broken(io, rc);
        else
            io->ops->on_eof(io, true);
    } else if (errno != EAGAIN) {
        broken(io, -errno);
    }
}

/* The peer ended while reading is stopped: tell it once, and no more, since it stays true. */
static void deliver_early_eof(lario_io *io)
{
    io->eof_told = true;
    int rc = update_interest(io);

    if (rc < 0)
        broken(io, rc);
    else
        io->ops->on_eof(io, false);
}

static void deliver(lario_io *io, uint32_t events)
{
    if (io->is_listener) {
        lario_io_accept_pending(io, ACCEPT_MAX);
        return;
    }
    if (events & EPOLLOUT) {
        io->write_waits = false;
        int rc = update_interest(io);

        if (rc < 0)
            broken(io, rc);
        else
            io->ops->on_written(io, 0);
    }
    if ((events & (EPOLLIN | EPOLLRDHUP)) && io->fd >= 0) {
        if (io->reading)
            deliver_data(io);
        else if ((events & EPOLLRDHUP) && !io->eof_told)
            deliver_early_eof(io);
    }
    if ((events & EPOLLERR) && io->fd >= 0)
        broken(io, socket_error(io->fd));
    else if ((events & EPOLLHUP) && io->fd >= 0 && !io->reading)
        broken(io, socket_error(io->fd)); /* both directions are gone, nobody reads */
}

int lario_poller_wait(lario_poller *poller, int timeout_ms)
{
    int count = epoll_wait(poller->epoll_fd, poller->events, EVENTS_MAX, timeout_ms);

    poller->events_count = count < 0 ? 0 : count;
    return count < 0 && errno != EINTR ? -errno : 0;
}

void lario_poller_deliver(lario_poller *poller)
{
    for (int i = 0; i < poller->events_count; i++) {
        lario_io *io = poller->events[i].data.ptr;

        /* An earlier event of this batch may have closed it. */
        if (io && io->fd >= 0)
            deliver(io, poller->events[i].events);
    }
    poller->events_count = 0;
}
