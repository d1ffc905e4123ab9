/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_PROXY_H
#define LARIO_PROXY_H

#include "lario/error.h"
#include "lario/export.h"
#include "lario/http.h"
#include "lario/router.h"

LARIO_BEGIN_DECLS

/*
 * Servers behind proxies: who the client is, and whether it came by TLS. What a proxy says is
 * believed only of those that the program names; without a call from here nothing is believed.
 *
 * Two kinds of proxies say it in two ways. A load balancer that passes bytes on sends a PROXY
 * header ahead of each connection; then lario_peer(), lario_local() and lario_tcp_peer() tell the
 * addresses of that header. A proxy that speaks HTTP adds a field to each request, which
 * lario_client() and lario_scheme() read.
 */

enum lario_proxy_protocol {
    LARIO_PROXY_OFF,      /* connections begin with the client's bytes */
    LARIO_PROXY_REQUIRED, /* they begin with a PROXY header, of version 1 or 2 */
};

/*
 * Whether the app's connections (HTTP or raw TCP) begin with a PROXY header, ahead of TLS. The
 * default is LARIO_PROXY_OFF; there is no mode that takes both, since then any client could send
 * one. A connection without a valid header within limits.proxy_header_ms is closed, as is one from
 * elsewhere than a trusted proxy, once there is one (lario_app_trust_proxy()). A header without
 * addresses (LOCAL, UNKNOWN: health checks) leaves the connection's own. Set-up: before the start,
 * from one thread; a wrong `mode` fails the start with LARIO_EINVAL.
 */
LARIO_API void lario_app_proxy_protocol(lario_app *app, enum lario_proxy_protocol mode);

/*
 * Trusts the proxies of an address ("192.0.2.7", "::1"), of a network ("10.0.0.0/8"), or all that
 * come by a unix socket ("unix:"); at most 64. Copied. Set-up: before the start, from one thread;
 * failures are kept for lario_app_start(): LARIO_EADDR (also for a network with bits behind its
 * prefix), LARIO_EFULL.
 */
LARIO_API void lario_app_trust_proxy(lario_app *app, const char *address);

enum lario_forwarded {
    LARIO_FORWARDED_X,       /* X-Forwarded-For and X-Forwarded-Proto */
    LARIO_FORWARDED_RFC7239, /* Forwarded */
};

/*
 * Which fields the trusted proxies write; the default is LARIO_FORWARDED_X. Only these are read: a
 * proxy passes on those that it does not know, so the others are the client's word. Set-up: before
 * the start, from one thread; a wrong `fields` fails the start with LARIO_EINVAL.
 */
LARIO_API void lario_app_forwarded(lario_app *app, enum lario_forwarded fields);

/*
 * The client's address without a port, as "192.0.2.7", "2001:db8::1" or "unix"; an IPv4 address
 * that is mapped into IPv6 reads as IPv4. The peer's (lario_peer()), unless that is a trusted
 * proxy: then the last address that is not a trusted proxy's in the fields of
 * lario_app_forwarded(), read from their end; what stands before it is not believed. Where an
 * element is malformed or tells no address (RFC 7239 6.2 and 6.3), or after 32 of them, the address
 * before it in this order holds. From the request's process; does not park. The request owns the
 * string. "" as for lario_peer().
 */
LARIO_API const char *lario_client(lario_req *req);

/*
 * "https" or "http": how the client came. By the connection itself (TLS, or a PROXY header that
 * says so), unless its peer is a trusted proxy that tells: in the element of Forwarded that gives
 * lario_client(), or in the last member of X-Forwarded-Proto, which a proxy must therefore write
 * anew. Static storage. From the request's process; does not park.
 */
LARIO_API const char *lario_scheme(lario_req *req);

LARIO_END_DECLS

#endif
