/* SPDX-License-Identifier: BSD-3-Clause */
#include "sys/socket.h"

#include <arpa/inet.h>
#include <errno.h>
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

static int parse_unix(lario_address *address, const char *path)
{
    struct sockaddr_un *un = (struct sockaddr_un *)&address->storage;
    size_t len = strlen(path);

    if (len == 0 || len >= sizeof un->sun_path)
        return LARIO_EADDR;
    un->sun_family = AF_UNIX;
    memcpy(un->sun_path, path, len + 1);
    address->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + 1);
    return 0;
}

static int parse_port(const char *text, uint16_t *ret_port)
{
    unsigned port = 0;

    if (*text == '\0' || strlen(text) > 5)
        return LARIO_EADDR;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return LARIO_EADDR;
        port = port * 10 + (unsigned)(*text - '0');
    }
    if (port > UINT16_MAX)
        return LARIO_EADDR;
    *ret_port = htons((uint16_t)port);
    return 0;
}

static int parse_host(lario_address *address, const char *host, uint16_t port)
{
    struct sockaddr_in *in4 = (struct sockaddr_in *)&address->storage;
    struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&address->storage;

    if (host[0] != '[' && host[0] != '\0') {
        in4->sin_family = AF_INET;
        in4->sin_port = port;
        address->len = sizeof *in4;
        return inet_pton(AF_INET, host, &in4->sin_addr) == 1 ? 0 : LARIO_EADDR;
    }
    in6->sin6_family = AF_INET6;
    in6->sin6_port = port;
    address->len = sizeof *in6;
    if (host[0] == '\0') {
        in6->sin6_addr = in6addr_any;
        return 0;
    }
    char inner[INET6_ADDRSTRLEN];
    size_t len = strlen(host);

    if (len < 3 || host[len - 1] != ']' || len - 2 >= sizeof inner)
        return LARIO_EADDR;
    memcpy(inner, host + 1, len - 2);
    inner[len - 2] = '\0';
    return inet_pton(AF_INET6, inner, &in6->sin6_addr) == 1 ? 0 : LARIO_EADDR;
}

int lario_address_parse(lario_address *address, const char *text)
{
    char host[INET6_ADDRSTRLEN + 2];
    const char *colon = strrchr(text, ':');
    uint16_t port;

    memset(address, 0, sizeof *address);
    if (strncmp(text, "unix:", 5) == 0)
        return parse_unix(address, text + 5);
    if (!colon || (size_t)(colon - text) >= sizeof host)
        return LARIO_EADDR;
    memcpy(host, text, (size_t)(colon - text));
    host[colon - text] = '\0';
    int rc = parse_port(colon + 1, &port);

    return rc < 0 ? rc : parse_host(address, host, port);
}

bool lario_address_is_unix(const lario_address *address)
{
    return address->storage.ss_family == AF_UNIX;
}

static const char *unix_path(const lario_address *address)
{
    const struct sockaddr_un *un = (const struct sockaddr_un *)&address->storage;

    return address->len > offsetof(struct sockaddr_un, sun_path) ? un->sun_path : "";
}

const char *lario_address_format(const lario_address *address, char text[LARIO_ADDRESS_TEXT_BYTES])
{
    const struct sockaddr_in *in4 = (const struct sockaddr_in *)&address->storage;
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&address->storage;
    char host[INET6_ADDRSTRLEN];

    if (address->storage.ss_family == AF_INET) {
        inet_ntop(AF_INET, &in4->sin_addr, host, sizeof host);
        snprintf(text, LARIO_ADDRESS_TEXT_BYTES, "%s:%u", host, ntohs(in4->sin_port));
    } else if (address->storage.ss_family == AF_INET6) {
        inet_ntop(AF_INET6, &in6->sin6_addr, host, sizeof host);
        snprintf(text, LARIO_ADDRESS_TEXT_BYTES, "[%s]:%u", host, ntohs(in6->sin6_port));
    } else {
        const char *path = unix_path(address);

        snprintf(text, LARIO_ADDRESS_TEXT_BYTES, path[0] ? "unix:%s" : "unix%s", path);
    }
    return text;
}

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

static int listen_unix(const lario_address *address, int backlog, int *ret_fds, unsigned count)
{
    struct stat status;
    int fd = open_bound(address, false);

    /* Whatever else is there is not ours to replace. */
    if (fd == -EADDRINUSE && lstat(unix_path(address), &status) == 0 && !S_ISSOCK(status.st_mode))
        return -EEXIST;
    if (fd == -EADDRINUSE && !somebody_listens(address)) {
        unlink(unix_path(address));
        fd = open_bound(address, false);
    }
    if (fd < 0)
        return fd;
    unsigned opened = 0;
    int rc = listen(fd, backlog) < 0 ? -errno : 0;

    ret_fds[opened++] = fd;
    while (rc == 0 && opened < count) {
        int copy = dup(fd);

        if (copy < 0)
            rc = -errno;
        else
            ret_fds[opened++] = copy;
    }
    while (rc < 0 && opened > 0)
        close(ret_fds[--opened]);
    return rc;
}

int lario_socket_listen(lario_address *address, int backlog, int *ret_fds, unsigned count)
{
    if (lario_address_is_unix(address))
        return listen_unix(address, backlog, ret_fds, count);
    return listen_shared(address, backlog, ret_fds, count);
}

void lario_address_unlink(const lario_address *address)
{
    if (lario_address_is_unix(address))
        unlink(unix_path(address));
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
