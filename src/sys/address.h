/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_SYS_ADDRESS_H
#define LARIO_SYS_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "codec/ip.h"

/* Addresses of sockets: as text, and as the values that codecs know. */

typedef struct lario_address {
    struct sockaddr_storage storage;
    socklen_t len;
} lario_address;

/* "unix:" and a path of 107 bytes, or an IPv6 address with brackets, zone and port; with NUL. */
#define LARIO_ADDRESS_TEXT_BYTES 120

/*
 * Parses "ADDR:PORT", "[ADDR6]:PORT", ":PORT" (all IPv6 and IPv4 addresses), "unix:PATH" or
 * "unix:@NAME" (abstract, without a file). Only numeric addresses: nothing is looked up.
 * LARIO_EADDR.
 */
int lario_address_parse(lario_address *address, const char *text);

/* The reverse. A unix socket without a path reads "unix". Returns `text`. */
const char *lario_address_format(const lario_address *address, char text[LARIO_ADDRESS_TEXT_BYTES]);

bool lario_address_is_unix(const lario_address *address);

/* The path of a unix address, "" for one without. */
const char *lario_address_path(const lario_address *address);

/* Its IP address; LARIO_IP_NONE for a unix address. */
lario_ip lario_address_ip(const lario_address *address);

/* An address from `ip`, which is one, and `port`. */
void lario_address_from_ip(lario_address *address, const lario_ip *ip, uint16_t port);

/* A unix address from a path of `len` bytes, which ends at its first NUL. */
void lario_address_from_path(lario_address *address, const char *path, size_t len);

#endif
