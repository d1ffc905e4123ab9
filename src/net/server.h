/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_NET_SERVER_H
#define LARIO_NET_SERVER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "lario/limits.h"
#include "lario/runtime.h"
#include "net/arrival.h"
#include "net/peers.h"
#include "net/stream.h"
#include "net/tls.h"
#include "net/trust.h"
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
    /* A new connection. Owns what arrived: makes a lario_conn and calls lario_conn_open(), or drops
     * it and returns NULL. */
    lario_conn *(*accept)(lario_server_loop *home, lario_arrival *arrival);

    /* The same for one too many: says so in the protocol's words, if it has any, and closes it. */
    lario_conn *(*refuse)(lario_server_loop *home, lario_arrival *arrival);

    /* The server drains: the connection is to end as soon as it decently can. */
    void (*drain)(lario_conn *conn);
} lario_protocol;

/* A connection of a server; the first member of the protocol's own structure. */
struct lario_conn {
    lario_stream stream;
    lario_server_loop *home;
    lario_list_link link;
    lario_origin
        *origin; /* what a PROXY header said; owned; NULL: the socket's own addresses hold */
    lario_peer_entry *peer; /* what counts the connections of its address; NULL without a limit */
    bool is_refused;
};

#define LARIO_SERVER_ADDRESSES_MAX 16

/* Refused connections that a loop may have open, until they have their answer. */
#define LARIO_SERVER_REFUSED_MAX 256

struct lario_server {
    lario_runtime *runtime;
    const lario_protocol *protocol;
    lario_limits limits;
    void *context;      /* the protocol's: for HTTP the handler */
    lario_tls_set *tls; /* NULL: plain connections; the server holds a reference from its start */
    void *data;         /* the user's, for lario_data() */
    bool expects_proxy_header;
    uint8_t forwarded; /* enum lario_forwarded: the fields of trusted proxies */
    lario_trust trust;
    int backlog;              /* 0: the default */
    unsigned unix_mode;       /* of unix sockets' files; 0: as the umask has it */
    unsigned inherited_count; /* the first addresses are of the descriptors from 3 on */
    unsigned addresses_count;
    lario_address addresses[LARIO_SERVER_ADDRESSES_MAX];
    lario_server_loop *loops;
    lario_peers peers;
    atomic_size_t conns;                  /* open ones on all loops */
    _Atomic uint64_t drain_wait_until_ms; /* when waits for messages end; set before: */
    atomic_bool is_draining;              /* set before any connection is told */
};

/* Descriptors that a service manager hands over begin here. */
#define LARIO_SERVER_INHERITED_FIRST 3

typedef struct lario_listener {
    lario_io io;
    lario_server_loop *home;
    lario_timer pause; /* after accept() failed for want of descriptors */
} lario_listener;

struct lario_server_loop {
    lario_server *server;
    lario_loop *loop;
    lario_tls_set *tls; /* of new connections; NULL: plain */
    lario_list_link conns;
    lario_list_link gates; /* connections that wait for their PROXY header */
    unsigned conns_count;  /* of both */
    unsigned refused_count;
    bool is_at_limit;  /* already logged */
    bool is_proxy_bad; /* already logged */
    lario_listener listeners[LARIO_SERVER_ADDRESSES_MAX];
};

/*
 * Binds the addresses and accepts on every loop of the running runtime. From a thread that is no
 * loop. On failure nothing is bound, and *ret_failed is the index of the address.
 */
int lario_server_start(lario_server *server, unsigned *ret_failed);

/* Uses `set` for new connections; it takes a reference. From a thread that is no loop. */
void lario_server_set_tls(lario_server *server, lario_tls_set *set);

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

/*
 * Gives a connection that has arrived to the protocol, or refuses it when its peer has too many.
 * `len` bytes at `data` that were read of it already are its first input; NULL when it comes
 * straight from the listener. Owns `arrival`.
 */
void lario_server_admit(lario_server_loop *home, lario_arrival *arrival, char *data, size_t len);

/* One connection more or less of the server. */
void lario_server_count(lario_server_loop *home);
void lario_server_uncount(lario_server_loop *home);

/* Closes what arrived. */
void lario_arrival_drop(lario_server_loop *home, lario_arrival *arrival);

/*
 * Opens the stream of `conn` and counts it; `conn` takes over what arrived. On failure that is
 * dropped, and `conn` the caller's.
 */
int lario_conn_open(lario_conn *conn, lario_server_loop *home, lario_arrival *arrival,
                    const lario_stream_ops *ops);

/* Uncounts it and frees what the stream holds; after on_closed. `conn` itself is the caller's. */
void lario_conn_done(lario_conn *conn);

/* The two ends: as a PROXY header told, else as the socket has them. 0 or -errno. */
int lario_conn_peer(const lario_conn *conn, lario_address *ret_address);
int lario_conn_local(const lario_conn *conn, lario_address *ret_address);

/* Whether the client's side is encrypted, as far as this connection itself knows. */
bool lario_conn_is_tls(const lario_conn *conn);

#endif
