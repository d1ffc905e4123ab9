/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ceiling for WebSocket echo: one thread, a level-triggered epoll loop, one read and one send
 * for the frames that have arrived. It reads only length and mask of a frame and trusts the rest.
 * Its handshake knows the one key that the load programs send. Messages are at most 4 KB less
 * the header; a larger one closes the connection.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/args.h"
#include "lib/client.h"
#include "lib/tcp.h"

#define FDS_MAX 20000
#define EVENTS_MAX 512
#define READ_BYTES 65536
#define REST_BYTES 4096

typedef struct conn {
    bool upgraded;
    size_t rest_len; /* of an unfinished head or frame */
} conn;

typedef struct server {
    int poller;
    int listener;
    char input[REST_BYTES + READ_BYTES];
    char output[REST_BYTES + READ_BYTES];
    conn conns[FDS_MAX];             /* by descriptor */
    char rests[FDS_MAX][REST_BYTES]; /* the same; touched only when a head or frame was split */
} server;

/* One whole frame of the input. */
typedef struct frame {
    const char *mask;
    size_t payload_len;
    size_t len;
} frame;

static int watch(const server *s, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

    return epoll_ctl(s->poller, EPOLL_CTL_ADD, fd, &event);
}

static void accept_all(server *s)
{
    int fd;

    while ((fd = tcp_accept(s->listener)) >= 0) {
        if (fd >= FDS_MAX || watch(s, fd) < 0) {
            close(fd);
            continue;
        }
        s->conns[fd].upgraded = false;
        s->conns[fd].rest_len = 0;
    }
}

static bool send_all(int fd, const char *data, size_t len)
{
    return len == 0 || send(fd, data, len, MSG_NOSIGNAL) == (ssize_t)len;
}

/* Reads a masked frame of at most 64 KB from `at`. False: it is not whole yet. */
static bool read_frame(const char *at, size_t len, frame *ret_frame)
{
    if (len < 2)
        return false;
    size_t short_len = (unsigned char)at[1] & 0x7f;
    size_t header_len = short_len < 126 ? 6 : 8;
    if (len < header_len)
        return false;
    size_t payload_len =
        short_len < 126 ? short_len : (size_t)((unsigned char)at[2] << 8 | (unsigned char)at[3]);

    *ret_frame = (frame){at + header_len - 4, payload_len, header_len + payload_len};
    return len >= ret_frame->len;
}

static void unmask(char *to, const frame *f)
{
    const char *from = f->mask + 4;
    uint64_t mask, word;
    size_t i = 0;

    memcpy(&mask, f->mask, 4);
    memcpy((char *)&mask + 4, f->mask, 4);
    for (; i + 8 <= f->payload_len; i += 8) {
        memcpy(&word, from + i, 8);
        word ^= mask;
        memcpy(to + i, &word, 8);
    }
    for (; i < f->payload_len; i++)
        to[i] = (char)(from[i] ^ f->mask[i % 4]);
}

/* Writes the echo of the frame that starts at `from` and returns its length. */
static size_t echo(char *to, const char *from, const frame *f)
{
    size_t header_len = f->payload_len < 126 ? 2 : 4;

    memcpy(to, from, header_len);
    to[1] = (char)(from[1] & 0x7f);
    unmask(to + header_len, f);
    return header_len + f->payload_len;
}

static bool keep_rest(server *s, int fd, const char *rest, size_t len)
{
    if (len > REST_BYTES)
        return false;
    memcpy(s->rests[fd], rest, len);
    s->conns[fd].rest_len = len;
    return true;
}

static bool serve_frames(server *s, int fd, size_t len)
{
    const char *at = s->input;
    size_t out_len = 0;
    frame f;

    while (read_frame(at, len, &f)) {
        out_len += echo(s->output + out_len, at, &f);
        at += f.len;
        len -= f.len;
    }
    return keep_rest(s, fd, at, len) && send_all(fd, s->output, out_len);
}

/* Clients wait for the answer, so a head ends the input. */
static bool serve_handshake(server *s, int fd, size_t len)
{
    static const char answer[] =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Accept: " CLIENT_WS_ACCEPT "\r\n\r\n";

    if (len < 4 || memcmp(s->input + len - 4, "\r\n\r\n", 4) != 0)
        return keep_rest(s, fd, s->input, len);
    s->conns[fd].upgraded = true;
    s->conns[fd].rest_len = 0;
    return send_all(fd, answer, sizeof answer - 1);
}

static void serve(server *s, int fd)
{
    conn *c = &s->conns[fd];

    memcpy(s->input, s->rests[fd], c->rest_len);
    ssize_t n = recv(fd, s->input + c->rest_len, READ_BYTES, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    size_t len = n > 0 ? c->rest_len + (size_t)n : 0;
    if (n <= 0 || !(c->upgraded ? serve_frames(s, fd, len) : serve_handshake(s, fd, len)))
        close(fd);
}

static void run(server *s)
{
    struct epoll_event events[EVENTS_MAX];

    for (;;) {
        int count = epoll_wait(s->poller, events, EVENTS_MAX, -1);

        for (int i = 0; i < count; i++) {
            if (events[i].data.fd == s->listener)
                accept_all(s);
            else
                serve(s, events[i].data.fd);
        }
    }
}

int main(int argc, char **argv)
{
    long port = 8080;
    const args_option options[] = {{"port", 1, 65535, &port, NULL}, {0}};
    args_parse(argc, argv, options);

    server *s = calloc(1, sizeof *s);
    if (!s)
        return 1;
    s->listener = tcp_listen((uint16_t)port);
    s->poller = epoll_create1(EPOLL_CLOEXEC);
    if (s->listener < 0 || s->poller < 0 || watch(s, s->listener) < 0) {
        fprintf(stderr, "floor_ws_epoll: cannot listen on port %ld\n", port);
        return 1;
    }
    run(s);
}
