/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_NET_PEERS_H
#define LARIO_NET_PEERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/ip.h"

/*
 * How many connections each peer address has with a server, for limits.connections_a_peer_max;
 * nothing is counted while that is not set. IPv6 addresses count by their /64, which is what one
 * customer of a provider has at least: counted one by one they would be no limit.
 *
 * A table of chains that doubles when it is full, with one lock for all loops: beside the system
 * calls that open and close a connection its wait is nothing. Peers choose their addresses to a
 * degree, so the hash is seeded: nobody outside can aim at one chain.
 */
typedef struct lario_peer_entry lario_peer_entry;

typedef struct lario_peers {
    pthread_mutex_t lock;
    lario_peer_entry **chains;
    size_t chains_count; /* a power of two, or 0 */
    size_t count;
    uint64_t seed[2];
} lario_peers;

/* 0, or -errno when there is no randomness. */
int lario_peers_init(lario_peers *peers);
void lario_peers_done(lario_peers *peers);

/*
 * Counts a connection of an address that has less than `max`. Returns 1 with *ret_peer set; 0 when
 * the address is at the limit, and *ret_is_first tells whether that is news; or LARIO_ENOMEM.
 */
int lario_peers_enter(lario_peers *peers, const lario_ip *ip, uint32_t max,
                      lario_peer_entry **ret_peer, bool *ret_is_first);

/* Counts one connection less, from any thread; NULL is allowed. */
void lario_peers_leave(lario_peers *peers, lario_peer_entry *peer);

#endif
