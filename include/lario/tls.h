/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_TLS_H
#define LARIO_TLS_H

#include <stdbool.h>
#include <stddef.h>

#include "lario/error.h"
#include "lario/export.h"
#include "lario/http.h"

LARIO_BEGIN_DECLS

typedef struct lario_router lario_app; /* as in lario/router.h */

/*
 * TLS 1.2 and 1.3 (RFC 5246, RFC 8446). An app that has a certificate speaks TLS on all of its
 * addresses, HTTP and raw TCP alike; for plain connections beside it, lario_app_add() another app.
 * ALPN (RFC 7301) gives "http/1.1" to clients that ask for a protocol, and refuses those that know
 * only others; raw TCP apps do not negotiate. Renegotiation and compression are refused. A client
 * must end with close_notify (RFC 8446 6.1): without it its end counts as a broken connection.
 *
 * The handshake has limits.tls_handshake_ms. In a library that was built without TLS the set-up
 * calls fail with LARIO_ENOSYS.
 */

/* Certificates that one app can have. */
#define LARIO_TLS_CERTIFICATES_MAX 64

/*
 * Adds a certificate: PEM files of the chain, leaf first, and of its key, which must not need a
 * password. May be called several times: the name that a client asks for (SNI, RFC 6066 3) chooses
 * the first certificate that is valid for it, and without a match, or a name, the first of all. The
 * files are read at the start and at each reload; the strings are copied. Set-up; a failure is kept
 * for lario_app_start(): LARIO_ECERT for files that cannot be used, LARIO_EFULL, LARIO_ENOMEM.
 */
LARIO_API void lario_app_tls_certificate(lario_app *app, const char *cert_file,
                                         const char *key_file);

typedef enum lario_tls_client {
    LARIO_TLS_CLIENT_OPTIONAL, /* a client may show a certificate; a bad one ends the handshake */
    LARIO_TLS_CLIENT_REQUIRED, /* no handshake without one */
} lario_tls_client;

/*
 * Asks clients for a certificate that the CAs of this PEM file vouch for. Set-up; the string is
 * copied. Failures as above.
 */
LARIO_API void lario_app_tls_client_ca(lario_app *app, const char *ca_file, lario_tls_client mode);

/* All zero are the defaults. */
typedef struct lario_tls_options {
    int version_min;     /* 12 (default) or 13, for TLS 1.2 or 1.3 */
    bool no_tickets;     /* sessions are kept by the server (4,096) in place of tickets */
    const char *ciphers; /* of TLS 1.2, as OpenSSL writes lists; NULL: AEAD with ECDHE only */
    const char *suites;  /* of TLS 1.3; NULL: OpenSSL's */
} lario_tls_options;

/* Set-up; strings are copied. LARIO_EINVAL (version), LARIO_ECERT (at the start: unknown ciphers).
 */
LARIO_API void lario_app_tls_options(lario_app *app, const lario_tls_options *options);

/*
 * Reads all files again, of added apps too. New handshakes use what they hold; connections go on
 * with what they began with. When one cannot be used, all stays as it was, the reason is logged as
 * tls_reload_failed and LARIO_ECERT returned. Sessions from before are not resumed. While the app
 * runs, from a thread that is not a loop, one call at a time; waits for the loops. lario_app_main()
 * does it at SIGHUP. LARIO_ECERT, LARIO_ENOMEM, LARIO_ESTATE (does not run, or has no certificate).
 */
LARIO_API LARIO_MUST_USE int lario_app_tls_reload(lario_app *app);

/* ---- The connection of a request; from its handler; none of them parks ---- */

/* Whether the request came by TLS to this server. */
LARIO_API bool lario_is_tls(const lario_req *req);

/* "TLSv1.2" or "TLSv1.3"; "" without TLS. Static storage. */
LARIO_API const char *lario_tls_version(const lario_req *req);

/* The cipher's name, such as "TLS_AES_256_GCM_SHA384"; "" without TLS. Static storage. */
LARIO_API const char *lario_tls_cipher(const lario_req *req);

/* The name that the client asked for by SNI; "" for none. Until the handler returns. */
LARIO_API const char *lario_tls_server_name(const lario_req *req);

/* What ALPN chose: "http/1.1" or "". */
LARIO_API const char *lario_tls_protocol(const lario_req *req);

/* Whether the session of an earlier connection was resumed. */
LARIO_API bool lario_tls_is_resumed(const lario_req *req);

/*
 * The verified certificate of the client: its subject as RFC 2253 writes it ("CN=Ann,O=Example"),
 * and the whole as PEM. "" when there is none, or memory is out. In the request's arena.
 */
LARIO_API const char *lario_tls_peer_subject(lario_req *req);
LARIO_API const char *lario_tls_peer_certificate(lario_req *req);

LARIO_END_DECLS

#endif
