/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Load for a WebSocket echo server: each of C connections keeps D messages in flight for some
 * seconds. One thread, one epoll loop.
 *
 * What goes out is one masked frame again and again, and what must come back is the same frame
 * unmasked again and again. So both directions are positions in a periodic stream: a block of
 * repeated frames is written or compared from the position on, whatever the sizes of the reads
 * are. Each byte that comes back is verified this way.
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
#include "lib/clock.h"

#define EVENTS_MAX 512
#define BLOCK_BYTES 65536
#define HEADER_MAX 14

/* Frames of one kind in a row: at least BLOCK_BYTES beyond any position within the first. */
typedef struct stream {
    size_t frame_len;
    size_t len;
    char *bytes;
} stream;

typedef struct conn {
    int fd;
    bool waits_to_write;
    size_t out_at;   /* position within the frame to send next */
    size_t out_left; /* bytes that are due */
    size_t in_at;    /* position within the frame that is received */
} conn;

typedef struct load {
    long port, connections, depth, size, seconds;
    const char *path;
    int poller;
    uint64_t messages;
    uint64_t errors;
    stream out, in;
    char input[BLOCK_BYTES];
    conn *conns;
} load;

/* Writes the header of a text frame (RFC 6455 5.2) and returns its length. */
static size_t put_header(char *to, size_t size, bool masked)
{
    unsigned char mask_bit = masked ? 0x80 : 0;
    size_t len = size < 126 ? 0 : size < 65536 ? 2 : 8;

    to[0] = (char)0x81;
    to[1] = (char)(mask_bit | (len == 0 ? size : len == 2 ? 126 : 127));
    for (size_t i = 0; i < len; i++)
        to[2 + i] = (char)(size >> (8 * (len - 1 - i)));
    return 2 + len;
}

static int stream_init(stream *s, size_t size, bool masked)
{
    static const char mask[4] = {0x37, (char)0xfa, 0x21, 0x3d};
    char header[HEADER_MAX];
    size_t header_len = put_header(header, size, masked);

    if (masked) {
        memcpy(header + header_len, mask, 4);
        header_len += 4;
    }
    s->frame_len = header_len + size;
    s->len = (BLOCK_BYTES / s->frame_len + 2) * s->frame_len;
    s->bytes = malloc(s->len);
    if (!s->bytes)
        return -ENOMEM;
    memcpy(s->bytes, header, header_len);
    for (size_t i = 0; i < size; i++)
        s->bytes[header_len + i] =
            (char)(('a' + i % 26) ^ (masked ? (unsigned char)mask[i % 4] : 0));
    for (size_t at = s->frame_len; at < s->len; at += s->frame_len)
        memcpy(s->bytes + at, s->bytes, s->frame_len);
    return 0;
}

static void fail(load *l, conn *c)
{
    l->errors++;
    close(c->fd);
    c->fd = -1;
}

/* Asks the poller for room to write when, and only as long as, something is due. */
static void watch_write(load *l, conn *c)
{
    bool due = c->out_left > 0;
    struct epoll_event event = {.events = EPOLLIN | (due ? EPOLLOUT : 0u), .data.ptr = c};

    if (due == c->waits_to_write)
        return;
    c->waits_to_write = due;
    if (epoll_ctl(l->poller, EPOLL_CTL_MOD, c->fd, &event) < 0)
        fail(l, c);
}

static void flush(load *l, conn *c)
{
    while (c->out_left > 0) {
        size_t room = l->out.len - c->out_at;
        size_t len = c->out_left < room ? c->out_left : room;
        ssize_t n = send(c->fd, l->out.bytes + c->out_at, len, MSG_NOSIGNAL);

        if (n < 0 && errno == EAGAIN)
            break;
        if (n < 0) {
            fail(l, c);
            return;
        }
        c->out_left -= (size_t)n;
        c->out_at = (c->out_at + (size_t)n) % l->out.frame_len;
    }
    watch_write(l, c);
}

static void receive(load *l, conn *c)
{
    ssize_t n = recv(c->fd, l->input, BLOCK_BYTES, 0);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0 || memcmp(l->input, l->in.bytes + c->in_at, (size_t)n) != 0) {
        fail(l, c);
        return;
    }
    size_t end = c->in_at + (size_t)n;
    size_t messages = end / l->in.frame_len;
    c->in_at = end % l->in.frame_len;
    l->messages += messages;
    c->out_left += messages * l->out.frame_len;
    flush(l, c);
}

static int open_all(load *l)
{
    for (long i = 0; i < l->connections; i++) {
        conn *c = &l->conns[i];
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};

        c->fd = client_open_websocket((uint16_t)l->port, 1, l->path);
        if (c->fd < 0)
            return c->fd;
        if (epoll_ctl(l->poller, EPOLL_CTL_ADD, c->fd, &event) < 0)
            return -errno;
    }
    return 0;
}

/* Runs for the set time and returns how long it was, in nanoseconds. */
static uint64_t run(load *l)
{
    struct epoll_event events[EVENTS_MAX];
    uint64_t start = clock_ns(CLOCK_MONOTONIC);
    uint64_t end = start + (uint64_t)l->seconds * 1000000000u;
    uint64_t now = start;

    for (long i = 0; i < l->connections; i++) {
        l->conns[i].out_left = (size_t)l->depth * l->out.frame_len;
        flush(l, &l->conns[i]);
    }
    while (now < end && l->errors < (uint64_t)l->connections) {
        int count = epoll_wait(l->poller, events, EVENTS_MAX, 100);

        for (int i = 0; i < count; i++) {
            conn *c = events[i].data.ptr;

            if (events[i].events & EPOLLOUT)
                flush(l, c);
            if (c->fd >= 0 && events[i].events & ~(uint32_t)EPOLLOUT)
                receive(l, c);
        }
        now = clock_ns(CLOCK_MONOTONIC);
    }
    return now - start;
}

int main(int argc, char **argv)
{
    load *l = calloc(1, sizeof *l);
    if (!l)
        return 1;
    *l =
        (load){.port = 8080, .connections = 100, .depth = 1, .size = 64, .seconds = 5, .path = "/"};
    const args_option options[] = {{"port", 1, 65535, &l->port, NULL},
                                   {"connections", 1, 19000, &l->connections, NULL},
                                   {"depth", 1, 1000, &l->depth, NULL},
                                   {"size", 1, 1 << 20, &l->size, NULL},
                                   {"seconds", 1, 600, &l->seconds, NULL},
                                   {"path", 0, 0, NULL, &l->path},
                                   {0}};
    args_parse(argc, argv, options);

    l->poller = epoll_create1(EPOLL_CLOEXEC);
    l->conns = calloc((size_t)l->connections, sizeof *l->conns);
    if (l->poller < 0 || !l->conns || stream_init(&l->out, (size_t)l->size, true) < 0 ||
        stream_init(&l->in, (size_t)l->size, false) < 0)
        return 1;
    int rc = open_all(l);
    if (rc < 0) {
        fprintf(stderr, "load_ws: cannot open the connections: %s\n", strerror(-rc));
        return 1;
    }
    uint64_t ns = run(l);
    printf("{\"messages\": %llu, \"us\": %llu, \"errors\": %llu}\n",
           (unsigned long long)l->messages, (unsigned long long)(ns / 1000),
           (unsigned long long)l->errors);
    return 0;
}
