/* SPDX-License-Identifier: BSD-3-Clause */
#include "net/peers.h"

#include <stdlib.h>
#include <string.h>

#define CHAINS_FIRST 64

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

/* Doubles the table. When memory is out a table that is there stays, with longer chains. */
static bool grow(lario_peers *peers)
{
    lario_peers larger = *peers;

    larger.chains_count = peers->chains_count ? 2 * peers->chains_count : CHAINS_FIRST;
    larger.chains = calloc(larger.chains_count, sizeof(lario_peer_entry *));
    if (!larger.chains)
        return peers->chains != NULL;
    for (size_t i = 0; i < peers->chains_count; i++) {
        while (peers->chains[i]) {
            lario_peer_entry *peer = peers->chains[i];
            lario_peer_entry **chain = chain_of(&larger, peer->key);

            peers->chains[i] = peer->next;
            peer->next = *chain;
            *chain = peer;
        }
    }
    free(peers->chains);
    *peers = larger;
    return true;
}

lario_peer_entry *lario_peers_find_or_add(lario_peers *peers, const lario_ip *ip)
{
    uint64_t key = key_of(ip);

    if (peers->count >= peers->chains_count && !grow(peers))
        return NULL;
    lario_peer_entry **chain = chain_of(peers, key);

    for (lario_peer_entry *peer = *chain; peer; peer = peer->next)
        if (peer->key == key && peer->family == ip->family)
            return peer;
    lario_peer_entry *peer = calloc(1, sizeof *peer);

    if (!peer)
        return NULL;
    peer->key = key;
    peer->family = ip->family;
    peer->next = *chain;
    *chain = peer;
    peers->count++;
    return peer;
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
    peer->conns--;
    peer->is_logged = false;
    forget_unused(peers, peer);
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
    *peers = (lario_peers){0};
}
