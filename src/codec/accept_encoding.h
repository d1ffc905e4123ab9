/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_ACCEPT_ENCODING_H
#define LARIO_CODEC_ACCEPT_ENCODING_H

#include <stddef.h>

/* Content codings (RFC 9110 8.4.1), the ones that cost a server more coming later. */
enum lario_coding {
    LARIO_CODING_IDENTITY,
    LARIO_CODING_GZIP,
    LARIO_CODING_DEFLATE, /* of requests only: too many mean different things by it */
    LARIO_CODING_BR,
    LARIO_CODINGS,
};

/* The name, such as "gzip". */
const char *lario_coding_name(enum lario_coding coding);

/* Which coding a token names (x-gzip is gzip), without regard to case; -1: none of these. */
int lario_coding_of(const char *name, size_t len);

/*
 * The best of the `offered` codings (bits 1 << coding) for the values of Accept-Encoding, joined by
 * commas (RFC 9110 12.5.3): the highest q, of equal ones br before gzip before identity. What the
 * client does not name it does not want, but for identity, which is always given when nothing else
 * fits. A malformed member is passed over. `value` NULL: no such field, identity.
 */
enum lario_coding lario_accept_encoding_choose(const char *value, size_t len, unsigned offered);

#endif
