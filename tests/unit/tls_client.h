/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_TESTS_TLS_CLIENT_H
#define LARIO_TESTS_TLS_CLIENT_H

#include <openssl/ssl.h>

#include "client.h"

/* TLS over a test_client's socket, for the test's own thread. */

/* Writes a self-signed certificate for localhost and its key to new files; at the end: removes. */
typedef struct tls_files {
    char folder[64];
    char cert[96];
    char key[96];
} tls_files;

void tls_files_make(tls_files *self);
void tls_files_remove(tls_files *self);

/* Connects; no handshake yet. `version` is TLS1_2_VERSION or TLS1_3_VERSION. */
SSL *tls_client_open(test_client *client, const char *address, int version);

/* The same with the handshake, which must succeed. */
SSL *tls_client_connect(test_client *client, const char *address, int version);

/* Frees the TLS side and closes the socket. */
void tls_client_close(SSL *ssl, test_client *client);

/* Reads exactly this text. */
void tls_client_expect(SSL *ssl, const char *text);

/* Reads to the end: the count; *ret_error is SSL_ERROR_ZERO_RETURN after close_notify. */
size_t tls_client_read_all(SSL *ssl, char *buffer, size_t size, int *ret_error);

#endif
