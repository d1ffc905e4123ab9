/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_NET_PROXY_GATE_H
#define LARIO_NET_PROXY_GATE_H

#include "codec/proxy_header.h"
#include "net/server.h"

/*
 * The place where a connection waits for its PROXY header, before it is one of a protocol:
 *
 *     accept --> gate --header is whole--> lario_server_admit(rest of the bytes) --> [TLS] --> ...
 *                  \--bad, late or gone--> closed
 *
 * So nothing above knows of the header, and a connection of a server that expects none has no part
 * of this. While it waits it counts as one of the server's connections.
 */
typedef struct lario_proxy_gate {
    lario_io io;
    lario_timer timer;
    lario_task task; /* frees it at the end of the turn */
    lario_server_loop *home;
    lario_list_link link;
    lario_proxy_header header;
} lario_proxy_gate;

/* Takes over an accepted connection. When memory is out, or its peer may not send a header, it is
 * closed. */
void lario_proxy_gate_enter(lario_server_loop *home, int fd);

/* The server drains: those of which nothing has come are closed, the others still have their time.
 */
void lario_proxy_gates_drain(lario_server_loop *home);

/* Closes all. */
void lario_proxy_gates_close(lario_server_loop *home);

#endif
