/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_PROXY_HEADER_H
#define LARIO_CODEC_PROXY_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/ip.h"

/*
 * The PROXY protocol, versions 1 and 2: what a load balancer says of the connection that it passes
 * on, ahead of the connection's own bytes.
 *
 *     v1  PROXY TCP4 192.0.2.7 198.51.100.1 40000 443 CRLF        at most 107 bytes
 *     v2  0D 0A 0D 0A 00 0D 0A 51 55 49 54 0A | version, command | family, transport | length
 *         | addresses and ports | type, length, value | ...       at most 4,096 bytes
 *
 * Strict: what the grammar does not have ends the connection. Values of types that are not known
 * are passed over, in checked lengths; a CRC32C among them must be right. The state does not grow
 * with the header: only its addresses are kept.
 */

/* The longest version 1 line, which the protocol fixes. */
#define LARIO_PROXY_V1_BYTES_MAX 107

/* The longest header of version 2. Those that carry a certificate's names take some hundreds. */
#define LARIO_PROXY_V2_BYTES_MAX 4096

/* The fixed part of version 2 and the largest addresses, those of unix sockets. */
#define LARIO_PROXY_KEPT_BYTES (16 + 216)
#define LARIO_PROXY_UNIX_BYTES 108

enum lario_proxy_family {
    LARIO_PROXY_NONE, /* LOCAL, UNKNOWN or UNSPEC: the connection's own addresses hold */
    LARIO_PROXY_IP,
    LARIO_PROXY_UNIX,
};

typedef struct lario_proxy_end {
    lario_ip ip;
    uint16_t port;
    const char *path; /* LARIO_PROXY_UNIX: LARIO_PROXY_UNIX_BYTES bytes of the header, or NULL */
} lario_proxy_end;

/* A header, while it is parsed and afterwards. */
typedef struct lario_proxy_header {
    /* The result; valid after the end. */
    uint8_t family; /* enum lario_proxy_family */
    bool is_tls;    /* version 2 says that the client came by TLS */
    lario_proxy_end source;
    lario_proxy_end destination;
    const char *reason; /* of a failure */

    /* The parser's own. */
    uint32_t len;   /* bytes taken */
    uint32_t total; /* of the header, as far as it is known; 0: version 1 */
    uint32_t value_left;
    uint32_t value_at;
    uint32_t crc;
    uint32_t crc_told;
    uint8_t tlv_head[3];
    uint8_t tlv_head_len;
    bool has_crc;
    char kept[LARIO_PROXY_KEPT_BYTES];
} lario_proxy_header;

void lario_proxy_header_init(lario_proxy_header *header);

/*
 * Goes on with the header: `len` bytes follow those of earlier calls. 1 when it is complete, with
 * how many of these bytes belong to it in *ret_used (at least 1); the rest is the connection's. 0
 * when all of them were taken and more are needed. LARIO_EPROTO with header->reason: the first
 * byte that is wrong is reported as soon as it is there. Not to be called after the end.
 */
int lario_proxy_header_parse(lario_proxy_header *header, const void *data, size_t len,
                             size_t *ret_used);

#endif
