/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_TCP_H
#define BENCH_TCP_H

#include <stdint.h>

/* Sockets of the benchmark programs: always IPv4 loopback, non-blocking, without Nagle's delay. */

/* Listens on 127.0.0.1:`port`. Returns the descriptor, or -errno. */
int tcp_listen(uint16_t port);

/* Takes one waiting connection. Returns the descriptor, or -errno (-EAGAIN: none waits). */
int tcp_accept(int listener);

/*
 * Connects to 127.0.0.1:`port` from 127.0.0.`source` and waits until it is connected. Several
 * sources give more connections than one address has ports. Returns the descriptor, or -errno.
 */
int tcp_connect(uint16_t port, uint8_t source);

#endif
