/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_NET_TRUST_H
#define LARIO_NET_TRUST_H

#include <stdbool.h>

#include "codec/ip.h"
#include "sys/address.h"

/* The proxies whose word on a client is taken: networks, and perhaps all peers of unix sockets. */

#define LARIO_TRUST_NETS_MAX 64

typedef struct lario_trust {
    unsigned nets_count;
    bool has_unix;
    lario_ip_net nets[LARIO_TRUST_NETS_MAX];
} lario_trust;

/* Adds "ADDRESS", "ADDRESS/BITS" or "unix:". LARIO_EADDR; LARIO_EFULL. */
int lario_trust_add(lario_trust *trust, const char *text);

static inline bool lario_trust_is_empty(const lario_trust *trust)
{
    return trust->nets_count == 0 && !trust->has_unix;
}

bool lario_trust_has_ip(const lario_trust *trust, const lario_ip *ip);
bool lario_trust_has(const lario_trust *trust, const lario_address *address);

#endif
