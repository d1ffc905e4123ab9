/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_NET_SERVER_H
#define LARIO_NET_SERVER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "lario/limits.h"
#include "lario/runtime.h"
#include "net/stream.h"
#include "sys/socket.h"

/*
 * A server: addresses that every loop of a runtime listens on, and the connections accepted there.
 * What a connection speaks is a protocol's business.
 */
typedef struct lario_server lario_server;
typedef struct lario_server_loop lario_server_loop;
typedef struct lario_conn lario_conn;

/* What a protocol does with connections; all on the connection's loop. */
typedef struct lario_protocol {
    /* A new connection. Owns `fd`; makes a lario_conn and calls lario_conn_open(), or closes it. */
    void (*accept)(lario_server_loop *home, int fd);

    /* One too many: owns `fd`, says so in the protocol's words, if it has any, and closes it. */
    void (*refuse)(lario_server_loop *home, int fd);

    /* The server drains: the connection is to end as soon as it decently can. */
    void (*drain)(lario_conn *conn);
} lario_protocol;

/* A connection of a server; the first member of the protocol's own structure. */
struct lario_conn {
    lario_stream stream;
    lario_server_loop *home;
    lario_list_link link;
};

#define LARIO_SERVER_ADDRESSES_MAX 16

/* Refused connections that a loop may have open beyond its limit, until they have their answer. */
#define LARIO_SERVER_REFUSED_MAX 256

struct lario_server {
    lario_runtime *runtime;
    const lario_protocol *protocol;
    lario_limits limits;
    void *context; /* the protocol's: for HTTP the handler */
    void *data;    /* the user's, for lario_data() */
    unsigned addresses_count;
    lario_address addresses[LARIO_SERVER_ADDRESSES_MAX];
    lario_server_loop *loops;
    atomic_size_t conns;                  /* open ones on all loops */
    _Atomic uint64_t drain_wait_until_ms; /* when waits for messages end; set before: */
    atomic_bool is_draining;              /* set before any connection is told */
};

typedef struct lario_listener {
    lario_io io;
    lario_server_loop *home;
    lario_timer pause; /* after accept() failed for want of descriptors */
} lario_listener;

struct lario_server_loop {
    lario_server *server;
    lario_loop *loop;
    lario_list_link conns;
    unsigned conns_count;
    bool is_at_limit; /* already logged */
    lario_listener listeners[LARIO_SERVER_ADDRESSES_MAX];
};

/*
 * Binds the addresses and accepts on every loop of the running runtime. From a thread that is no
 * loop. On failure nothing is bound, and *ret_failed is the index of the address.
 */
int lario_server_start(lario_server *server, unsigned *ret_failed);

/* Accepts what waits, then stops listening and drains each connection. */
void lario_server_drain(lario_server *server);

/* Waits until all connections are closed; false at `deadline_ns`. */
bool lario_server_wait(lario_server *server, uint64_t deadline_ns);

/* Closes every connection at once, which kills its process. */
void lario_server_close_all(lario_server *server);

/* Frees; all connections must be closed, or their loops at an end. */
void lario_server_done(lario_server *server);

static inline bool lario_conn_is_draining(const lario_conn *conn)
{
    return atomic_load_explicit(&conn->home->server->is_draining, memory_order_acquire);
}

/* While it drains: until when a request may wait for messages, in the loop's time. */
static inline uint64_t lario_conn_drain_wait_until_ms(const lario_conn *conn)
{
    return atomic_load_explicit(&conn->home->server->drain_wait_until_ms, memory_order_relaxed);
}

/* Opens the stream of `conn` and counts it. On failure `fd` is closed and `conn` the caller's. */
int lario_conn_open(lario_conn *conn, lario_server_loop *home, int fd, const lario_stream_ops *ops);

/* Uncounts it and frees what the stream holds; after on_closed. `conn` itself is the caller's. */
void lario_conn_done(lario_conn *conn);

#endif
