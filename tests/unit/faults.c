/* SPDX-License-Identifier: BSD-3-Clause */
#include "faults.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

#include "lario/runtime.h"

/* Larger than any count of buffers that the server gives to one sendmsg(). */
#define PARTS_MAX 64

/* The plan, field by field: loops read it while a test sets the next. */
static atomic_size_t bytes_max;
static atomic_uint eagain_nth;
static atomic_uint eintr_nth;
static atomic_int accept_error;
static atomic_uint transfers; /* sends and receives */
static atomic_uint calls;     /* of any kind */
static atomic_uint faults;
static atomic_int accepts_left; /* to fail */
static atomic_int fails_at;     /* calls from now; 0 or less: none */
static atomic_int failure;

ssize_t __real_recv(int fd, void *buffer, size_t len, int flags);
ssize_t __real_send(int fd, const void *data, size_t len, int flags);
ssize_t __real_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __real_sendfile(int out, int in, off_t *offset, size_t count);
int __real_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags);
int __real_epoll_wait(int fd, struct epoll_event *events, int max, int timeout_ms);
int __real_epoll_ctl(int fd, int operation, int target, struct epoll_event *event);
ssize_t __wrap_recv(int fd, void *buffer, size_t len, int flags);
ssize_t __wrap_send(int fd, const void *data, size_t len, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __wrap_sendfile(int out, int in, off_t *offset, size_t count);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags);
int __wrap_epoll_wait(int fd, struct epoll_event *events, int max, int timeout_ms);
int __wrap_epoll_ctl(int fd, int operation, int target, struct epoll_event *event);

void faults_set(const fault_plan *plan)
{
    const fault_plan next = plan ? *plan : (fault_plan){0};

    atomic_store(&faults, 0);
    atomic_store(&bytes_max, next.bytes_max);
    atomic_store(&eagain_nth, next.eagain_nth);
    atomic_store(&eintr_nth, next.eintr_nth);
    atomic_store(&accept_error, next.accept_error);
    atomic_store(&accepts_left, next.accept_fails);
}

void faults_fail_call(int nth, int error)
{
    atomic_store(&failure, error);
    atomic_store(&fails_at, nth);
}

int faults_call_was_made(void)
{
    return atomic_exchange(&fails_at, 0) <= 0;
}

unsigned faults_count(void)
{
    return atomic_load(&faults);
}

static int fail(int error)
{
    atomic_fetch_add(&faults, 1);
    errno = error;
    return -1;
}

static bool is_nth(atomic_uint *count, const atomic_uint *every)
{
    unsigned nth = atomic_load(every);

    return nth > 0 && (atomic_fetch_add(count, 1) + 1) % nth == 0;
}

/* Whether this call of a loop's thread goes wrong; errno is set then. */
static bool goes_wrong(bool is_transfer)
{
    if (!lario_runtime_here())
        return false;
    if (atomic_load(&fails_at) > 0 && atomic_fetch_sub(&fails_at, 1) == 1)
        return fail(atomic_load(&failure)) < 0;
    if (is_nth(&calls, &eintr_nth))
        return fail(EINTR) < 0;
    return is_transfer && is_nth(&transfers, &eagain_nth) && fail(EAGAIN) < 0;
}

static size_t at_most(size_t len)
{
    size_t most = atomic_load(&bytes_max);

    if (!lario_runtime_here() || most == 0 || len <= most)
        return len;
    atomic_fetch_add(&faults, 1);
    return most;
}

ssize_t __wrap_recv(int fd, void *buffer, size_t len, int flags)
{
    /* A look at what is there is not how bytes are read. */
    if (flags & MSG_PEEK)
        return __real_recv(fd, buffer, len, flags);
    return goes_wrong(true) ? -1 : __real_recv(fd, buffer, at_most(len), flags);
}

ssize_t __wrap_send(int fd, const void *data, size_t len, int flags)
{
    return goes_wrong(true) ? -1 : __real_send(fd, data, at_most(len), flags);
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
    struct iovec parts[PARTS_MAX];
    struct msghdr cut = *message;
    size_t count = message->msg_iovlen, len = 0;

    if (goes_wrong(true))
        return -1;
    for (size_t i = 0; i < count; i++)
        len += message->msg_iov[i].iov_len;
    size_t left = at_most(len);

    if (left == len || count > PARTS_MAX)
        return __real_sendmsg(fd, message, flags);
    memcpy(parts, message->msg_iov, count * sizeof *parts);
    for (size_t i = 0; i < count; i++) {
        if (parts[i].iov_len > left)
            parts[i].iov_len = left;
        left -= parts[i].iov_len;
    }
    cut.msg_iov = parts;
    return __real_sendmsg(fd, &cut, flags);
}

ssize_t __wrap_sendfile(int out, int in, off_t *offset, size_t count)
{
    return goes_wrong(true) ? -1 : __real_sendfile(out, in, offset, at_most(count));
}

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
    if (goes_wrong(false))
        return -1;
    if (lario_runtime_here() && atomic_load(&accepts_left) > 0) {
        atomic_fetch_sub(&accepts_left, 1);
        return fail(atomic_load(&accept_error));
    }
    return __real_accept4(fd, address, len, flags);
}

int __wrap_epoll_wait(int fd, struct epoll_event *events, int max, int timeout_ms)
{
    /* Only interruptions: no other failure of a wait can be survived. */
    if (lario_runtime_here() && is_nth(&calls, &eintr_nth))
        return fail(EINTR);
    return __real_epoll_wait(fd, events, max, timeout_ms);
}

int __wrap_epoll_ctl(int fd, int operation, int target, struct epoll_event *event)
{
    if (lario_runtime_here() && atomic_load(&fails_at) > 0 && atomic_fetch_sub(&fails_at, 1) == 1)
        return fail(ENOMEM);
    return __real_epoll_ctl(fd, operation, target, event);
}
