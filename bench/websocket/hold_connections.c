/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens many connections to a server and holds them idle, so that the server's memory for them can
 * be read. Prints a line when all are open, waits for the end of standard input, then prints how
 * many of them are still open.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/args.h"
#include "lib/client.h"

/* Each source address has about 28,000 ports; some may still wait from an earlier run. */
#define A_SOURCE 5000

static int open_all(int *fds, long count, uint16_t port, const char *path, bool websocket)
{
    for (long i = 0; i < count; i++) {
        uint8_t source = (uint8_t)(1 + i / A_SOURCE);

        fds[i] = websocket ? client_open_websocket(port, source, path)
                           : client_open_http(port, source, path);
        if (fds[i] < 0)
            return fds[i];
    }
    return 0;
}

static long count_open(const int *fds, long count)
{
    long open = 0;

    for (long i = 0; i < count; i++) {
        char byte;
        ssize_t n = recv(fds[i], &byte, 1, MSG_PEEK | MSG_DONTWAIT);

        open += n > 0 || (n < 0 && errno == EAGAIN);
    }
    return open;
}

static void wait_for_end_of_input(void)
{
    char byte;

    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
}

int main(int argc, char **argv)
{
    long port = 8080, count = 10000, websocket = 1;
    const char *path = "/";
    const args_option options[] = {{"port", 1, 65535, &port, NULL},
                                   {"connections", 1, 19000, &count, NULL},
                                   {"websocket", 0, 1, &websocket, NULL},
                                   {"path", 0, 0, NULL, &path},
                                   {0}};
    args_parse(argc, argv, options);

    int *fds = calloc((size_t)count, sizeof *fds);
    if (!fds)
        return 1;
    int rc = open_all(fds, count, (uint16_t)port, path, websocket);
    if (rc < 0) {
        fprintf(stderr, "hold_connections: cannot open all: %s\n", strerror(-rc));
        return 1;
    }
    printf("open\n");
    fflush(stdout);
    wait_for_end_of_input();
    printf("%ld\n", count_open(fds, count));
    return 0;
}
