/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "net/tls.h"

/* A library without TLS: no set can be made, so no stream ever has a filter. */

int lario_tls_set_new(const lario_tls_setup *setup, char *text, size_t size,
                      lario_tls_set **ret_set)
{
    (void)setup;
    (void)ret_set;
    snprintf(text, size, "cannot use TLS: %s", lario_strerror(LARIO_ENOSYS));
    return LARIO_ENOSYS;
}

lario_tls_set *lario_tls_set_ref(lario_tls_set *set)
{
    return set;
}

void lario_tls_set_unref(lario_tls_set *set)
{
    (void)set;
}

int lario_tls_attach(lario_stream *stream, lario_tls_set *set)
{
    (void)stream;
    (void)set;
    return LARIO_ENOSYS;
}

bool lario_tls_has_output(const lario_stream *stream)
{
    return stream->out_bytes > 0;
}

void lario_tls_submit(lario_stream *stream)
{
    (void)stream;
}

bool lario_tls_close(lario_stream *stream)
{
    (void)stream;
    return true;
}

void lario_tls_free(lario_stream *stream)
{
    (void)stream;
}

const char *lario_tls_get_version(const lario_stream *stream)
{
    (void)stream;
    return "";
}

const char *lario_tls_get_cipher(const lario_stream *stream)
{
    (void)stream;
    return "";
}

const char *lario_tls_get_server_name(const lario_stream *stream)
{
    (void)stream;
    return "";
}

bool lario_tls_get_resumed(const lario_stream *stream)
{
    (void)stream;
    return false;
}

const char *lario_tls_get_protocol(const lario_stream *stream, size_t *ret_len)
{
    (void)stream;
    *ret_len = 0;
    return "";
}

const char *lario_tls_get_peer_subject(const lario_stream *stream, lario_tls_put put, void *arg)
{
    (void)stream;
    (void)put;
    (void)arg;
    return NULL;
}

const char *lario_tls_get_peer_pem(const lario_stream *stream, lario_tls_put put, void *arg)
{
    (void)stream;
    (void)put;
    (void)arg;
    return NULL;
}
