/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_NET_TLS_H
#define LARIO_NET_TLS_H

#include <stdbool.h>
#include <stddef.h>

#include "lario/tls.h"
#include "net/stream.h"

/*
 * TLS as a filter inside of a stream. It puts itself between the poller and the stream by taking
 * the place of the stream's lario_io_ops:
 *
 *     poller --ciphertext--> filter --plain bytes--> the stream's own on_data
 *     stream's blocks --> lario_tls_submit --records--> blocks of the filter --> poller
 *
 * Input: all that the poller delivers is decrypted at once, so nothing readable is ever left inside
 * of the TLS library, and a stopped stream is stopped by its socket alone. Output: a batch of the
 * stream's blocks becomes records; to the stream the batch is one write, whose bytes it drops as
 * the records leave. A plain stream pays one test of a pointer for each write.
 *
 * tls.c and tls_set.c are the only files that know OpenSSL; tls_none.c stands in for them.
 */
/* Certificates and settings, immutable and shared by the loops; a reload makes a new one. */
typedef struct lario_tls_set lario_tls_set;

/* What a set is made of. The strings are the owner's. */
typedef struct lario_tls_setup {
    struct {
        char *cert_file;
        char *key_file;
    } certificates[LARIO_TLS_CERTIFICATES_MAX];
    unsigned certificates_count;
    char *client_ca_file; /* NULL: clients are not asked */
    lario_tls_client client_mode;
    int version_min;
    bool no_tickets;
    bool is_http; /* ALPN gives http/1.1 */
    char *ciphers;
    char *suites;
} lario_tls_setup;

/* Frees the strings: all, or those of the certificates. */
void lario_tls_setup_done(lario_tls_setup *setup);
void lario_tls_setup_clear_certificates(lario_tls_setup *setup);

/*
 * Reads the files; the caller holds one reference. On failure `text` (`size` bytes) is a line for
 * people: LARIO_ECERT, LARIO_ENOMEM, LARIO_ENOSYS.
 */
int lario_tls_set_new(const lario_tls_setup *setup, char *text, size_t size,
                      lario_tls_set **ret_set);

/* From any thread. NULL is allowed. */
lario_tls_set *lario_tls_set_ref(lario_tls_set *set);
void lario_tls_set_unref(lario_tls_set *set);

/* Puts the filter into a stream that was just opened, and starts the handshake's time.
 * LARIO_ENOMEM. */
int lario_tls_attach(lario_stream *stream, lario_tls_set *set);

/* For the stream: whether something can be written now. */
bool lario_tls_has_output(const lario_stream *stream);

/* For the stream: writes the next batch of its blocks, when the handshake is done. */
void lario_tls_submit(lario_stream *stream);

/*
 * For the stream, when it has nothing more to write and is to end: queues close_notify. True when
 * it has left, or never will; otherwise the stream's task runs again when it has.
 */
bool lario_tls_close(lario_stream *stream);

/* For the stream: NULL is allowed. */
void lario_tls_free(lario_stream *stream);

/* What the handshake came to; of a stream with a filter. See lario/tls.h. */
const char *lario_tls_get_version(const lario_stream *stream);
const char *lario_tls_get_cipher(const lario_stream *stream);
const char *lario_tls_get_server_name(const lario_stream *stream);
bool lario_tls_get_resumed(const lario_stream *stream);

/* Not NUL-terminated. */
const char *lario_tls_get_protocol(const lario_stream *stream, size_t *ret_len);

/*
 * The peer's subject, or certificate as PEM, which goes to `put` in one piece, if there is one;
 * what `put` returns.
 */
typedef const char *(*lario_tls_put)(void *arg, const char *text, size_t len);
const char *lario_tls_get_peer_subject(const lario_stream *stream, lario_tls_put put, void *arg);
const char *lario_tls_get_peer_pem(const lario_stream *stream, lario_tls_put put, void *arg);

#endif
