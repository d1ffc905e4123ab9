/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_NET_PEERS_H
#define LARIO_NET_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/ip.h"

/*
 * How many connections each peer address has on a loop, for limits.connections_a_peer_max; there is
 * no table while that is not set. IPv6 addresses count by their /64, which is what one customer of
 * a provider has at least: counted one by one they would be no limit.
 *
 * A table of chains that doubles when it is full. Peers choose their addresses to a degree, so the
 * hash is seeded: nobody outside can aim at one chain.
 */
typedef struct lario_peer_entry {
    struct lario_peer_entry *next;
    uint64_t key;
    uint8_t family;
    bool is_logged; /* that it is at its limit */
    uint32_t conns;
} lario_peer_entry;

typedef struct lario_peers {
    lario_peer_entry **chains;
    size_t chains_count; /* a power of two, or 0 */
    size_t count;
    uint64_t seed[2];
} lario_peers;

/* The entry of an address, new (without connections) where there was none; NULL: out of memory. */
lario_peer_entry *lario_peers_find_or_add(lario_peers *peers, const lario_ip *ip);

/* Counts one connection less, which was counted in peer->conns; NULL is allowed. */
void lario_peers_leave(lario_peers *peers, lario_peer_entry *peer);

void lario_peers_done(lario_peers *peers);

#endif
