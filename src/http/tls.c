/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/tls.h"

#include <string.h>

#include "http/req.h"
#include "net/tls.h"

/* What TLS knows of a request's connection. */

static const lario_stream *stream_of(const lario_req *req)
{
    return &req->conn->conn.stream;
}

bool lario_is_tls(const lario_req *req)
{
    return stream_of(req)->tls != NULL;
}

const char *lario_tls_version(const lario_req *req)
{
    return lario_is_tls(req) ? lario_tls_get_version(stream_of(req)) : "";
}

const char *lario_tls_cipher(const lario_req *req)
{
    return lario_is_tls(req) ? lario_tls_get_cipher(stream_of(req)) : "";
}

const char *lario_tls_server_name(const lario_req *req)
{
    return lario_is_tls(req) ? lario_tls_get_server_name(stream_of(req)) : "";
}

/* The server gives one name only. */
const char *lario_tls_protocol(const lario_req *req)
{
    size_t len = 0;

    if (lario_is_tls(req))
        lario_tls_get_protocol(stream_of(req), &len);
    return len > 0 ? "http/1.1" : "";
}

bool lario_tls_is_resumed(const lario_req *req)
{
    return lario_is_tls(req) && lario_tls_get_resumed(stream_of(req));
}

static const char *copy(void *arg, const char *text, size_t len)
{
    char *told = lario_alloc(arg, len + 1);

    if (!told)
        return NULL;
    memcpy(told, text, len);
    told[len] = '\0';
    return told;
}

const char *lario_tls_peer_subject(lario_req *req)
{
    const char *told =
        lario_is_tls(req) ? lario_tls_get_peer_subject(stream_of(req), copy, req) : NULL;

    return told ? told : "";
}

const char *lario_tls_peer_certificate(lario_req *req)
{
    const char *told = lario_is_tls(req) ? lario_tls_get_peer_pem(stream_of(req), copy, req) : NULL;

    return told ? told : "";
}
