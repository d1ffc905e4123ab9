/* SPDX-License-Identifier: BSD-3-Clause */
#include "net/peers.h"

#include <stdlib.h>
#include <string.h>

#include "lario/error.h"
#include "sys/random.h"

#define CHAINS_FIRST 64

struct lario_peer_entry {
    lario_peer_entry *next;
    uint64_t key;
    uint8_t family;
    bool is_logged; /* that it is at its limit */
    uint32_t conns;
};

int lario_peers_init(lario_peers *peers)
{
    *peers = (lario_peers){0};
    int rc = lario_random_bytes(peers->seed, sizeof peers->seed);

    if (rc == 0)
        pthread_mutex_init(&peers->lock, NULL);
    return rc;
}

static uint64_t key_of(const lario_ip *ip)
{
    uint64_t key = 0;

    memcpy(&key, ip->bytes, ip->family == LARIO_IP_4 ? 4 : 8);
    return key;
}

/* Multiplied and folded: all bits of the key reach the low ones. The families share the keys. */
static lario_peer_entry **chain_of(const lario_peers *peers, uint64_t key)
{
    unsigned __int128 product = (unsigned __int128)(key ^ peers->seed[0]) * (peers->seed[1] | 1);
    uint64_t hash = (uint64_t)product ^ (uint64_t)(product >> 64);

    return &peers->chains[(hash ^ hash >> 32) & (peers->chains_count - 1)];
}

static void hang(lario_peers *peers, lario_peer_entry *peer)
{
    lario_peer_entry **chain = chain_of(peers, peer->key);

    peer->next = *chain;
    *chain = peer;
}

/* Doubles the table. When memory is out a table that is there stays, with longer chains. */
static bool grow(lario_peers *peers)
{
    size_t old_count = peers->chains_count;
    size_t count = old_count ? 2 * old_count : CHAINS_FIRST;
    lario_peer_entry **old = peers->chains;
    lario_peer_entry **chains = calloc(count, sizeof *chains);

    if (!chains)
        return old != NULL;
    peers->chains = chains;
    peers->chains_count = count;
    for (size_t i = 0; i < old_count; i++) {
        while (old[i]) {
            lario_peer_entry *peer = old[i];

            old[i] = peer->next;
            hang(peers, peer);
        }
    }
    free(old);
    return true;
}

/* The entry of an address, new where there was none; NULL: out of memory. */
static lario_peer_entry *find_or_add(lario_peers *peers, const lario_ip *ip)
{
    uint64_t key = key_of(ip);

    if (peers->count >= peers->chains_count && !grow(peers))
        return NULL;
    for (lario_peer_entry *peer = *chain_of(peers, key); peer; peer = peer->next)
        if (peer->key == key && peer->family == ip->family)
            return peer;
    lario_peer_entry *peer = calloc(1, sizeof *peer);

    if (!peer)
        return NULL;
    peer->key = key;
    peer->family = ip->family;
    hang(peers, peer);
    peers->count++;
    return peer;
}

int lario_peers_enter(lario_peers *peers, const lario_ip *ip, uint32_t max,
                      lario_peer_entry **ret_peer, bool *ret_is_first)
{
    int rc = LARIO_ENOMEM;

    pthread_mutex_lock(&peers->lock);
    lario_peer_entry *peer = find_or_add(peers, ip);

    if (peer && peer->conns < max) {
        peer->conns++;
        *ret_peer = peer;
        rc = 1;
    } else if (peer) {
        *ret_is_first = !peer->is_logged;
        peer->is_logged = true;
        rc = 0;
    }
    pthread_mutex_unlock(&peers->lock);
    return rc;
}

/* Takes the entry away if it has no connection. */
static void forget_unused(lario_peers *peers, lario_peer_entry *peer)
{
    if (peer->conns > 0)
        return;
    lario_peer_entry **at = chain_of(peers, peer->key);

    while (*at != peer)
        at = &(*at)->next;
    *at = peer->next;
    peers->count--;
    free(peer);
}

void lario_peers_leave(lario_peers *peers, lario_peer_entry *peer)
{
    if (!peer)
        return;
    pthread_mutex_lock(&peers->lock);
    peer->conns--;
    peer->is_logged = false;
    forget_unused(peers, peer);
    pthread_mutex_unlock(&peers->lock);
}

void lario_peers_done(lario_peers *peers)
{
    for (size_t i = 0; i < peers->chains_count; i++) {
        while (peers->chains[i]) {
            lario_peer_entry *peer = peers->chains[i];

            peers->chains[i] = peer->next;
            free(peer);
        }
    }
    free(peers->chains);
    pthread_mutex_destroy(&peers->lock);
}
