/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_NET_ARRIVAL_H
#define LARIO_NET_ARRIVAL_H

#include <stdbool.h>

#include "net/peers.h"
#include "sys/address.h"

/* What a PROXY header said of a connection; on the heap, since few connections have one. */
typedef struct lario_origin {
    bool has_addresses; /* otherwise the connection's own hold */
    bool is_tls;        /* the client came to the proxy by TLS */
    lario_address peer;
    lario_address local;
} lario_origin;

/*
 * A connection that was accepted and is not opened yet. Whoever gets one owns all that is in it:
 * lario_conn_open() takes it over, lario_arrival_drop() closes it.
 */
typedef struct lario_arrival {
    int fd;
    lario_origin *origin;   /* or NULL */
    lario_peer_entry *peer; /* counted there, or NULL */
    bool is_refused;        /* over a limit: opened only to say so */
} lario_arrival;

#endif
