/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/client.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/tcp.h"

#define WAIT_MS 10000
#define ANSWER_BYTES_MAX 4096

/* Whether the answer so far is whole: a head, and as much body as it announces. */
static bool is_whole(const char *answer, size_t len)
{
    const char *end = strstr(answer, "\r\n\r\n");
    const char *length = strcasestr(answer, "\r\nContent-Length:");

    if (!end)
        return false;
    size_t head_len = (size_t)(end + 4 - answer);
    size_t body_len = length && length < end ? strtoul(length + 17, NULL, 10) : 0;
    return len - head_len >= body_len;
}

/* Reads one answer into `answer`, NUL-terminated. Returns 0 or a negative errno. */
static int read_answer(int fd, char answer[ANSWER_BYTES_MAX])
{
    size_t len = 0;

    while (len < ANSWER_BYTES_MAX - 1) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};

        if (poll(&wait, 1, WAIT_MS) != 1)
            return -ETIMEDOUT;
        ssize_t n = recv(fd, answer + len, ANSWER_BYTES_MAX - 1 - len, 0);
        if (n <= 0)
            return n < 0 ? -errno : -ECONNRESET;
        len += (size_t)n;
        answer[len] = '\0';
        if (is_whole(answer, len))
            return 0;
    }
    return -EMSGSIZE;
}

/* Sends `request` and requires that the answer starts with `status` and holds `text`. */
static int ask(int fd, const char *request, const char *status, const char *text)
{
    char answer[ANSWER_BYTES_MAX];
    size_t len = strlen(request);

    if (send(fd, request, len, MSG_NOSIGNAL) != (ssize_t)len)
        return -EIO;
    int rc = read_answer(fd, answer);
    if (rc < 0)
        return rc;
    return strncmp(answer, status, strlen(status)) == 0 && strstr(answer, text) ? 0 : -EPROTO;
}

static int open_with(uint16_t port, uint8_t source, const char *request, const char *status,
                     const char *text)
{
    int fd = tcp_connect(port, source);

    if (fd < 0)
        return fd;
    int rc = ask(fd, request, status, text);
    if (rc < 0) {
        close(fd);
        return rc;
    }
    return fd;
}

int client_open_websocket(uint16_t port, uint8_t source, const char *path)
{
    char request[1024];
    int len = snprintf(request, sizeof request,
                       "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nUpgrade: websocket\r\n"
                       "Connection: Upgrade\r\nSec-WebSocket-Key: " CLIENT_WS_KEY "\r\n"
                       "Sec-WebSocket-Version: 13\r\n\r\n",
                       path, port);

    if (len < 0 || (size_t)len >= sizeof request)
        return -EMSGSIZE;
    return open_with(port, source, request, "HTTP/1.1 101", CLIENT_WS_ACCEPT);
}

int client_open_http(uint16_t port, uint8_t source, const char *path)
{
    char request[1024];
    int len = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n\r\n",
                       path, port);

    if (len < 0 || (size_t)len >= sizeof request)
        return -EMSGSIZE;
    return open_with(port, source, request, "HTTP/1.1 200", "\r\n\r\n");
}
