/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/tcp.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 4096

static struct sockaddr_in loopback(uint8_t last, uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};

    address.sin_addr.s_addr = htonl(0x7f000000u | last);
    return address;
}

static int set_option(int fd, int level, int name)
{
    int on = 1;

    return setsockopt(fd, level, name, &on, sizeof on);
}

/* Closes `fd` and returns the error that was current before. */
static int fail(int fd)
{
    int error = errno;

    if (fd >= 0)
        close(fd);
    return -error;
}

int tcp_listen(uint16_t port)
{
    struct sockaddr_in address = loopback(1, port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0 || set_option(fd, SOL_SOCKET, SO_REUSEADDR) < 0)
        return fail(fd);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, BACKLOG) < 0)
        return fail(fd);
    return fd;
}

int tcp_accept(int listener)
{
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

    if (fd < 0 || set_option(fd, IPPROTO_TCP, TCP_NODELAY) < 0)
        return fail(fd);
    return fd;
}

int tcp_connect(uint16_t port, uint8_t source)
{
    struct sockaddr_in from = loopback(source, 0);
    struct sockaddr_in to = loopback(1, port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    /* The port is chosen at connect time, so that each destination has the whole range of ports. */
    if (fd < 0 || set_option(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT) < 0)
        return fail(fd);
    if (bind(fd, (struct sockaddr *)&from, sizeof from) < 0 ||
        connect(fd, (struct sockaddr *)&to, sizeof to) < 0)
        return fail(fd);
    if (set_option(fd, IPPROTO_TCP, TCP_NODELAY) < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
        return fail(fd);
    return fd;
}
