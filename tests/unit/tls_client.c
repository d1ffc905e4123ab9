/* SPDX-License-Identifier: BSD-3-Clause */
#include "tls_client.h"

#include <openssl/pem.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- Files ---- */

static void write_pem(const char *path, X509 *certificate, EVP_PKEY *key)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    if (certificate)
        assert_int_equal(PEM_write_X509(file, certificate), 1);
    else
        assert_int_equal(PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL), 1);
    assert_int_equal(fclose(file), 0);
}

void tls_files_make(tls_files *self)
{
    static const unsigned char name[] = "localhost";
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();

    assert_true(key && certificate);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 86400);
    X509_set_pubkey(certificate, key);
    X509_NAME *subject = X509_get_subject_name(certificate);

    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, name, -1, -1, 0);
    X509_set_issuer_name(certificate, subject);
    assert_true(X509_sign(certificate, key, EVP_sha256()) > 0);
    strcpy(self->folder, "/tmp/lario_tls_XXXXXX");
    assert_non_null(mkdtemp(self->folder));
    snprintf(self->cert, sizeof self->cert, "%s/cert.pem", self->folder);
    snprintf(self->key, sizeof self->key, "%s/key.pem", self->folder);
    write_pem(self->cert, certificate, NULL);
    write_pem(self->key, NULL, key);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

void tls_files_remove(tls_files *self)
{
    unlink(self->cert);
    unlink(self->key);
    rmdir(self->folder);
}

/* ---- Connections ---- */

SSL *tls_client_open(test_client *client, const char *address, int version)
{
    struct timeval patience = {.tv_sec = CLIENT_PATIENCE_MS / 1000};
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());

    assert_non_null(context);
    SSL_CTX_set_min_proto_version(context, version);
    SSL_CTX_set_max_proto_version(context, version);
    SSL *ssl = SSL_new(context);

    SSL_CTX_free(context);
    assert_non_null(ssl);
    client_open(client, address);
    setsockopt(client->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    assert_int_equal(SSL_set_fd(ssl, client->fd), 1);
    SSL_set_connect_state(ssl);
    return ssl;
}

SSL *tls_client_connect(test_client *client, const char *address, int version)
{
    SSL *ssl = tls_client_open(client, address, version);

    assert_int_equal(SSL_connect(ssl), 1);
    return ssl;
}

void tls_client_close(SSL *ssl, test_client *client)
{
    SSL_free(ssl);
    client_close(client);
}

void tls_client_expect(SSL *ssl, const char *text)
{
    char buffer[256];
    size_t len = strlen(text), have = 0, got;

    assert_true(len <= sizeof buffer);
    while (have < len) {
        assert_int_equal(SSL_read_ex(ssl, buffer + have, len - have, &got), 1);
        have += got;
    }
    assert_memory_equal(buffer, text, len);
}

size_t tls_client_read_all(SSL *ssl, char *buffer, size_t size, int *ret_error)
{
    size_t have = 0, got;
    int ok;

    while ((ok = SSL_read_ex(ssl, buffer + have, size - have, &got)) == 1) {
        have += got;
        assert_true(have < size);
    }
    *ret_error = SSL_get_error(ssl, ok);
    return have;
}
