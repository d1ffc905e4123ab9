/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The floor that servers are compared with: one thread, a level-triggered epoll loop, one read and
 * one send for what has arrived. It does not parse. It counts the ends of heads, so that pipelined
 * requests get one answer each, and looks whether a head ends with "Connection: close", as the
 * load script writes it. The answer is as large as that of a real server, with a right Date.
 *
 * No server that does its job can cost less on this kernel interface; what it costs more is its
 * own work.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/args.h"
#include "lib/clock.h"
#include "lib/tcp.h"

#define FDS_MAX 65536
#define EVENTS_MAX 512
#define BATCH_MAX 64
#define READ_BYTES 65536

#define HEAD_END "\r\n\r\n"
#define CLOSE_LINE "Connection: close" HEAD_END
/* What is kept of an unfinished head: enough to find both texts when they are split. */
#define TAIL_MAX (sizeof CLOSE_LINE - 2)

#define BODY "<http_test><value>benchmarks</value></http_test>"
#define ANSWER_REST "\r\nContent-Type: text/xml; charset=utf-8\r\nContent-Length: 48\r\n\r\n" BODY

typedef struct tail {
    unsigned char len;
    char bytes[TAIL_MAX];
} tail;

typedef struct server {
    int poller;
    int listener;
    time_t second; /* of the Date in `answers` */
    size_t answer_len;
    char answers[BATCH_MAX * 256]; /* the same answer BATCH_MAX times, to send n with one call */
    char input[TAIL_MAX + READ_BYTES];
    tail tails[FDS_MAX]; /* by descriptor */
} server;

static const char closing_answer[] =
    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/xml; charset=utf-8\r\n"
    "Content-Length: 48\r\n\r\n" BODY;

/* Writes the answers anew when the second has changed. */
static void refresh_date(server *s)
{
    struct timespec now;
    struct tm parts;

    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (now.tv_sec == s->second)
        return;
    s->second = now.tv_sec;
    gmtime_r(&now.tv_sec, &parts);
    s->answer_len = strftime(
        s->answers, 256, "HTTP/1.1 200 OK\r\nDate: %a, %d %b %Y %H:%M:%S GMT" ANSWER_REST, &parts);
    for (size_t i = 1; i < BATCH_MAX; i++)
        memcpy(s->answers + i * s->answer_len, s->answers, s->answer_len);
}

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
        s->tails[fd].len = 0;
    }
}

static bool send_all(int fd, const char *data, size_t len)
{
    return send(fd, data, len, MSG_NOSIGNAL) == (ssize_t)len;
}

/* Sends `count` answers. False: the client does not read them, which no load tool does. */
static bool answer(const server *s, int fd, size_t count)
{
    while (count > 0) {
        size_t batch = count < BATCH_MAX ? count : BATCH_MAX;

        if (!send_all(fd, s->answers, batch * s->answer_len))
            return false;
        count -= batch;
    }
    return true;
}

static bool says_close(const char *start, const char *end)
{
    size_t len = sizeof CLOSE_LINE - 1;

    return (size_t)(end - start) >= len && memcmp(end - len, CLOSE_LINE, len) == 0;
}

/* Answers every head of the `len` bytes of input. False: the connection is to be closed. */
static bool serve_input(server *s, int fd, size_t len)
{
    const char *at = s->input;
    const char *end = s->input + len;
    const char *found;
    size_t count = 0;

    while ((found = memmem(at, (size_t)(end - at), HEAD_END, 4))) {
        if (says_close(at, found + 4)) {
            (void)(answer(s, fd, count) && send_all(fd, closing_answer, sizeof closing_answer - 1));
            return false;
        }
        at = found + 4;
        count++;
    }

    size_t rest = (size_t)(end - at);
    size_t kept = rest < TAIL_MAX ? rest : TAIL_MAX;
    memcpy(s->tails[fd].bytes, end - kept, kept);
    s->tails[fd].len = (unsigned char)kept;
    return answer(s, fd, count);
}

static void serve(server *s, int fd)
{
    size_t kept = s->tails[fd].len;

    memcpy(s->input, s->tails[fd].bytes, kept);
    ssize_t n = recv(fd, s->input + kept, READ_BYTES, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0 || !serve_input(s, fd, kept + (size_t)n))
        close(fd);
}

static void run(server *s)
{
    struct epoll_event events[EVENTS_MAX];

    for (;;) {
        int count = epoll_wait(s->poller, events, EVENTS_MAX, -1);

        refresh_date(s);
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
        fprintf(stderr, "floor_epoll: cannot listen on port %ld\n", port);
        return 1;
    }
    run(s);
}
