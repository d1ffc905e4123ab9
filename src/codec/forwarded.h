/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_FORWARDED_H
#define LARIO_CODEC_FORWARDED_H

#include <stdbool.h>
#include <stddef.h>

#include "codec/ip.h"

/*
 * What proxies say of the hops before them, in Forwarded (RFC 7239) or X-Forwarded-For: each adds
 * its own view at the end of the list. So a list is read from its end, as far as whoever wrote the
 * next element can be believed; what an earlier, perhaps hostile writer left in front of it cannot
 * change how it is read.
 */

enum lario_forwarded_proto {
    LARIO_FORWARDED_PROTO_NONE,
    LARIO_FORWARDED_PROTO_HTTP,
    LARIO_FORWARDED_PROTO_HTTPS,
};

typedef struct lario_forwarded_hop {
    lario_ip ip;       /* LARIO_IP_NONE: not told (unknown, hidden), or the element is malformed */
    bool is_malformed; /* then nothing of it is given */
    enum lario_forwarded_proto proto;
} lario_forwarded_hop;

/*
 * Takes the last element off the end of the list: *len gets smaller. Empty elements are skipped.
 * False when there is none.
 */
bool lario_forwarded_last(const char *value, size_t *len, lario_forwarded_hop *ret_hop);

/* The same for X-Forwarded-For, whose elements are addresses, perhaps with a port. */
bool lario_x_forwarded_for_last(const char *value, size_t *len, lario_forwarded_hop *ret_hop);

/* The last member of X-Forwarded-Proto. */
enum lario_forwarded_proto lario_x_forwarded_proto(const char *value, size_t len);

#endif
