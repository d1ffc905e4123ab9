/* SPDX-License-Identifier: BSD-3-Clause */
#include "net/tls_set.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sessions that the server keeps when there are no tickets. */
#define SESSIONS_MAX 4096

/* Certificates of a chain that a client may send. */
#define CHAIN_MAX 10

/* Authenticated encryption with forward secrecy only (RFC 9325 4.2). */
#define CIPHERS "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL:!eNULL:!PSK"

static const unsigned char protocol_http[] = "\x08http/1.1";

struct lario_tls_set {
    atomic_size_t refs;
    BIO_METHOD *method;
    unsigned count;
    SSL_CTX *contexts[]; /* one a certificate; connections begin with the first */
};

/* ---- Callbacks of the handshake ---- */

/* The files must not ask the terminal for a password. */
static int no_password(char *buffer, int size, int is_writing, void *arg)
{
    (void)buffer;
    (void)size;
    (void)is_writing;
    (void)arg;
    return -1;
}

static int choose_certificate(SSL *ssl, int *alert, void *arg)
{
    const lario_tls_set *set = arg;
    const char *name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
    (void)alert;

    for (unsigned i = 0; name && i < set->count; i++) {
        X509 *certificate = SSL_CTX_get0_certificate(set->contexts[i]);

        if (X509_check_host(certificate, name, strlen(name), 0, NULL) != 1)
            continue;
        if (i > 0 && !SSL_set_SSL_CTX(ssl, set->contexts[i]))
            return SSL_TLSEXT_ERR_ALERT_FATAL;
        return SSL_TLSEXT_ERR_OK;
    }
    return SSL_TLSEXT_ERR_NOACK;
}

static int choose_protocol(SSL *ssl, const unsigned char **ret, unsigned char *ret_len,
                           const unsigned char *offered, unsigned offered_len, void *arg)
{
    unsigned char *chosen;
    (void)ssl;
    (void)arg;

    /* RFC 7301 3.2: who knows nothing that we know is told so. */
    if (SSL_select_next_proto(&chosen, ret_len, protocol_http, sizeof protocol_http - 1, offered,
                              offered_len) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *ret = chosen;
    return SSL_TLSEXT_ERR_OK;
}

/* ---- Making one ---- */

/* A line for people about `what`, with the first reason that OpenSSL has. */
static int failed(char *text, size_t size, const char *what, const char *file)
{
    unsigned long code = ERR_get_error();
    const char *reason =
        ERR_SYSTEM_ERROR(code) ? strerror(ERR_GET_REASON(code)) : ERR_reason_error_string(code);

    snprintf(text, size, "cannot use %s '%s': %s", what, file, reason ? reason : "unknown reason");
    ERR_clear_error();
    return ERR_GET_REASON(code) == ERR_R_MALLOC_FAILURE ? LARIO_ENOMEM : LARIO_ECERT;
}

static int set_client_ca(SSL_CTX *context, const lario_tls_setup *setup, char *text, size_t size)
{
    if (!setup->client_ca_file)
        return 0;
    STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(setup->client_ca_file);

    if (names)
        SSL_CTX_set_client_CA_list(context, names); /* takes them over */
    if (!names || !SSL_CTX_load_verify_file(context, setup->client_ca_file))
        return failed(text, size, "client CA", setup->client_ca_file);
    SSL_CTX_set_verify(context,
                       setup->client_mode == LARIO_TLS_CLIENT_REQUIRED
                           ? SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT
                           : SSL_VERIFY_PEER,
                       NULL);
    SSL_CTX_set_verify_depth(context, CHAIN_MAX);
    return 0;
}

static int set_ciphers(SSL_CTX *context, const lario_tls_setup *setup, char *text, size_t size)
{
    const char *ciphers = setup->ciphers ? setup->ciphers : CIPHERS;

    if (!SSL_CTX_set_cipher_list(context, ciphers))
        return failed(text, size, "the ciphers", ciphers);
    if (setup->suites && !SSL_CTX_set_ciphersuites(context, setup->suites))
        return failed(text, size, "the cipher suites", setup->suites);
    return 0;
}

static int set_certificate(SSL_CTX *context, const char *cert_file, const char *key_file,
                           char *text, size_t size)
{
    SSL_CTX_set_default_passwd_cb(context, no_password);
    if (SSL_CTX_use_certificate_chain_file(context, cert_file) != 1)
        return failed(text, size, "certificate", cert_file);
    if (SSL_CTX_use_PrivateKey_file(context, key_file, SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_check_private_key(context) != 1)
        return failed(text, size, "key", key_file);
    return 0;
}

static int set_sessions(SSL_CTX *context, bool no_tickets)
{
    static const unsigned char id[] = "lario";

    if (no_tickets) {
        SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
        SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_SERVER);
        SSL_CTX_sess_set_cache_size(context, SESSIONS_MAX);
    } else {
        SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    }
    /* Without it a session of a client with a certificate cannot be resumed. */
    return SSL_CTX_set_session_id_context(context, id, sizeof id - 1) ? 0 : LARIO_ENOMEM;
}

static int set_up(lario_tls_set *set, SSL_CTX *context, const lario_tls_setup *setup, unsigned i,
                  char *text, size_t size)
{
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                     SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_tlsext_servername_callback(context, choose_certificate);
    SSL_CTX_set_tlsext_servername_arg(context, set);
    if (setup->is_http)
        SSL_CTX_set_alpn_select_cb(context, choose_protocol, NULL);
    int version = setup->version_min == 13 ? TLS1_3_VERSION : TLS1_2_VERSION;

    if (!SSL_CTX_set_min_proto_version(context, version))
        return failed(text, size, "TLS version", version == TLS1_3_VERSION ? "1.3" : "1.2");
    int rc = set_sessions(context, setup->no_tickets);

    if (rc == 0)
        rc = set_ciphers(context, setup, text, size);
    if (rc == 0)
        rc = set_client_ca(context, setup, text, size);
    if (rc == 0)
        rc = set_certificate(context, setup->certificates[i].cert_file,
                             setup->certificates[i].key_file, text, size);
    return rc;
}

int lario_tls_set_new(const lario_tls_setup *setup, char *text, size_t size,
                      lario_tls_set **ret_set)
{
    unsigned count = setup->certificates_count;
    lario_tls_set *set = calloc(1, sizeof *set + count * sizeof(SSL_CTX *));
    int rc;

    snprintf(text, size, "%s", lario_strerror(LARIO_ENOMEM));
    if (!set)
        return LARIO_ENOMEM;
    atomic_init(&set->refs, 1);
    set->method = lario_tls_bio_method_new();
    rc = set->method ? 0 : LARIO_ENOMEM;
    ERR_clear_error();
    for (unsigned i = 0; rc == 0 && i < count; i++) {
        set->contexts[i] = SSL_CTX_new(TLS_server_method());
        set->count++;
        rc = set->contexts[i] ? set_up(set, set->contexts[i], setup, i, text, size) : LARIO_ENOMEM;
    }
    ERR_clear_error();
    if (rc < 0)
        lario_tls_set_unref(set);
    else
        *ret_set = set;
    return rc;
}

lario_tls_set *lario_tls_set_ref(lario_tls_set *set)
{
    if (set)
        atomic_fetch_add_explicit(&set->refs, 1, memory_order_relaxed);
    return set;
}

void lario_tls_set_unref(lario_tls_set *set)
{
    if (!set || atomic_fetch_sub_explicit(&set->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (unsigned i = 0; i < set->count; i++)
        SSL_CTX_free(set->contexts[i]);
    BIO_meth_free(set->method);
    free(set);
}

SSL *lario_tls_set_open(lario_tls_set *set)
{
    return SSL_new(set->contexts[0]);
}

BIO *lario_tls_set_bio(lario_tls_set *set)
{
    return BIO_new(set->method);
}
