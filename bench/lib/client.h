/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_CLIENT_H
#define BENCH_CLIENT_H

#include <stdint.h>

/* The one handshake key that the load programs send, and its answer (RFC 6455 1.3). */
#define CLIENT_WS_KEY "dGhlIHNhbXBsZSBub25jZQ=="
#define CLIENT_WS_ACCEPT "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

/*
 * Connects from 127.0.0.`source` to `port` and asks for `path`: upgrades to a WebSocket, or takes
 * one answer with Content-Length and keeps the connection. Returns the non-blocking descriptor
 * with nothing left to read, or a negative errno; -EPROTO when the server answered otherwise.
 */
int client_open_websocket(uint16_t port, uint8_t source, const char *path);
int client_open_http(uint16_t port, uint8_t source, const char *path);

#endif
