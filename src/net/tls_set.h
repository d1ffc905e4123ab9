/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_NET_TLS_SET_H
#define LARIO_NET_TLS_SET_H

#include <openssl/ssl.h>

#include "net/tls.h"

/* Between tls.c and tls_set.c. */

/* A server's side of a new connection, which holds no reference to the set; NULL: out of memory. */
SSL *lario_tls_set_open(lario_tls_set *set);

/* What such a connection reads from and writes to, of lario_tls_bio_method_new(); or NULL. */
BIO *lario_tls_set_bio(lario_tls_set *set);
BIO_METHOD *lario_tls_bio_method_new(void);

#endif
