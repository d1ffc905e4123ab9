/* SPDX-License-Identifier: BSD-3-Clause */
#include "sys/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lario/error.h"

static int open_bound(const lario_address *address, bool share)
{
    int on = 1, off = 0;
    int fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -errno;
    if (!lario_address_is_unix(address)) {
        if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0)
            goto fail;
        if (share && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) < 0)
            goto fail;
    }
    if (address->storage.ss_family == AF_INET6 &&
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) < 0)
        goto fail;
    if (bind(fd, (const struct sockaddr *)&address->storage, address->len) < 0)
        goto fail;
    return fd;
fail:;
    int rc = -errno;

    close(fd);
    return rc;
}

/*
 * SO_REUSEPORT lets any program of the same user share the port, so a second server started by
 * mistake would silently take half of the connections. The first socket therefore binds and
 * listens without sharing, which fails when anybody is there, and its port is then reopened.
 */
static int claim_port(lario_address *address)
{
    int fd = open_bound(address, false);

    if (fd < 0)
        return fd;
    int rc = listen(fd, 1) < 0 ? -errno : lario_socket_local(fd, address);

    close(fd);
    return rc;
}

static int listen_shared(lario_address *address, int backlog, int *ret_fds, unsigned count)
{
    int rc = claim_port(address);
    unsigned opened = 0;

    while (rc == 0 && opened < count) {
        int fd = open_bound(address, true);

        if (fd < 0) {
            rc = fd;
            break;
        }
        ret_fds[opened++] = fd;
        if (listen(fd, backlog) < 0)
            rc = -errno;
    }
    while (rc < 0 && opened > 0)
        close(ret_fds[--opened]);
    return rc;
}

static bool somebody_listens(const lario_address *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return true;
    bool refused = connect(fd, (const struct sockaddr *)&address->storage, address->len) < 0 &&
                   errno == ECONNREFUSED;

    close(fd);
    return !refused;
}

/* Fills up the descriptors with copies of the first. 0 or -errno: then all are closed. */
static int duplicate(int *fds, unsigned count)
{
    unsigned opened = 1;
    int rc = 0;

    while (rc == 0 && opened < count) {
        int copy = fcntl(fds[0], F_DUPFD_CLOEXEC, 0);

        if (copy < 0)
            rc = -errno;
        else
            fds[opened++] = copy;
    }
    while (rc < 0 && opened > 0)
        close(fds[--opened]);
    return rc;
}

int lario_socket_listen_inherited(int fd, lario_address *address, int *ret_fds, unsigned count)
{
    int listens = 0, flags = fcntl(fd, F_GETFL);
    socklen_t len = sizeof listens;

    if (flags < 0 || getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) < 0)
        return -errno;
    if (!listens)
        return -EINVAL;
    int rc = lario_socket_local(fd, address);

    if (rc < 0)
        return rc;
    if (fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
        return -errno;
    ret_fds[0] = fd;
    return duplicate(ret_fds, count);
}

static int listen_unix(const lario_address *address, int backlog, int *ret_fds, unsigned count)
{
    struct stat status;
    int fd = open_bound(address, false);

    /* Whatever else is there is not ours to replace. */
    if (fd == -EADDRINUSE && lstat(lario_address_path(address), &status) == 0 &&
        !S_ISSOCK(status.st_mode))
        return -EEXIST;
    if (fd == -EADDRINUSE && !somebody_listens(address)) {
        unlink(lario_address_path(address));
        fd = open_bound(address, false);
    }
    if (fd < 0)
        return fd;
    if (listen(fd, backlog) < 0) {
        int rc = -errno;

        close(fd);
        return rc;
    }
    ret_fds[0] = fd;
    return duplicate(ret_fds, count);
}

int lario_socket_listen(lario_address *address, int backlog, int *ret_fds, unsigned count)
{
    if (lario_address_is_unix(address))
        return listen_unix(address, backlog, ret_fds, count);
    return listen_shared(address, backlog, ret_fds, count);
}

int lario_address_chmod(const lario_address *address, unsigned mode)
{
    const char *path = lario_address_is_unix(address) ? lario_address_path(address) : "";

    return *path && chmod(path, (mode_t)mode) < 0 ? -errno : 0;
}

void lario_address_unlink(const lario_address *address)
{
    if (lario_address_is_unix(address))
        unlink(lario_address_path(address));
}

void lario_socket_set_nodelay(int fd)
{
    int on = 1;

    /* Fails on a unix socket, where there is nothing to switch off. */
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

int lario_socket_peer(int fd, lario_address *ret_address)
{
    ret_address->len = sizeof ret_address->storage;
    return getpeername(fd, (struct sockaddr *)&ret_address->storage, &ret_address->len) < 0 ? -errno
                                                                                            : 0;
}

int lario_socket_local(int fd, lario_address *ret_address)
{
    ret_address->len = sizeof ret_address->storage;
    return getsockname(fd, (struct sockaddr *)&ret_address->storage, &ret_address->len) < 0 ? -errno
                                                                                            : 0;
}

int lario_socket_shutdown_write(int fd)
{
    return shutdown(fd, SHUT_WR) < 0 ? -errno : 0;
}

bool lario_socket_has_input(int fd)
{
    char byte;

    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
}

void lario_socket_reset_on_close(int fd)
{
    struct linger linger = {.l_onoff = 1, .l_linger = 0};

    (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}
