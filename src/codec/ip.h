/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_IP_H
#define LARIO_CODEC_IP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * IP addresses and networks as values. An IPv6 address that maps an IPv4 one (::ffff:1.2.3.4, as
 * a dual-stack socket shows it) is that IPv4 address here, so that it is found under its own name.
 */

enum lario_ip_family { LARIO_IP_NONE, LARIO_IP_4 = 4, LARIO_IP_6 = 6 };

typedef struct lario_ip {
    uint8_t family;    /* enum lario_ip_family */
    uint8_t bytes[16]; /* the first 4 for IPv4, and zeros */
} lario_ip;

/* With NUL: the longest IPv6 text has 45. */
#define LARIO_IP_TEXT_BYTES 46

/* An address of `family` from 4 or 16 bytes in network order. */
lario_ip lario_ip_from_bytes(enum lario_ip_family family, const void *bytes);

/* A numeric address without brackets, port or zone. LARIO_EADDR. */
int lario_ip_parse(lario_ip *ret_ip, const char *text, size_t len);

/* The reverse (RFC 5952 for IPv6); "" for LARIO_IP_NONE. Returns `text`. */
const char *lario_ip_format(const lario_ip *ip, char text[LARIO_IP_TEXT_BYTES]);

/* A port: 1 to 5 digits without a leading zero, at most 65,535. LARIO_EADDR. */
int lario_ip_parse_port(uint16_t *ret_port, const char *text, size_t len);

/* All addresses whose first `bits` bits are those of `ip`. */
typedef struct lario_ip_net {
    lario_ip ip;
    uint8_t bits;
} lario_ip_net;

/*
 * "10.0.0.0/8", "2001:db8::/32", or an address for itself alone. Bits behind the prefix must be
 * zero: "10.1.2.3/8" is a mistake rather than a network. LARIO_EADDR.
 */
int lario_ip_net_parse(lario_ip_net *ret_net, const char *text);

bool lario_ip_net_has(const lario_ip_net *net, const lario_ip *ip);

#endif
