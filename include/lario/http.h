/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_HTTP_H
#define LARIO_HTTP_H

#include <stddef.h>
#include <stdint.h>

#include "lario/error.h"
#include "lario/export.h"

LARIO_BEGIN_DECLS

/*
 * One HTTP request and its response. A handler runs in a process of its own and gets the request
 * as its argument; the request, and every string that these calls return, lives until the handler
 * returns. All calls are made from the handler's process. They do not park unless said so.
 */
typedef struct lario_req lario_req;

/*
 * Answers a request. Returns 0 or more when it answered. A negative result before anything was
 * answered gives the client an error page: 413 for LARIO_ETOOBIG, 408 for LARIO_ETIMEDOUT, 400 for
 * LARIO_EINVAL and LARIO_EPROTO, 415 for LARIO_EMEDIA and LARIO_ECODING, 507 for -ENOSPC, -EDQUOT
 * and -EFBIG, 503 for LARIO_EDRAINING and LARIO_ECANCELED, else 500, which is logged as
 * handler_failed; after the head was sent it cuts the connection, so that the client sees that the
 * answer is not whole. Returning 0 without having answered is a failure too.
 */
typedef int (*lario_handler)(lario_req *req);

/* ---- The request ---- */

/* The method as sent, such as "GET" (RFC 9110 9.1: case-sensitive). */
LARIO_API const char *lario_method(const lario_req *req);

/* The request target as sent (RFC 9112 3.2). */
LARIO_API const char *lario_target(const lario_req *req);

/* The path, percent-decoded once, always valid UTF-8 free of NUL, CR and LF; "*" for OPTIONS *. */
LARIO_API const char *lario_path(const lario_req *req);

/* The minor version: 0 for HTTP/1.0, 1 for HTTP/1.1. */
LARIO_API int lario_http_minor(const lario_req *req);

/* The authority: of an absolute-form target, else the Host field; "" in HTTP/1.0 without one. */
LARIO_API const char *lario_host(const lario_req *req);

/*
 * The peer's and the own address, as "127.0.0.1:40000", "[::1]:40000" or "unix"; "" when the first
 * call comes after the connection has ended, or memory is out. Behind a load balancer that sends
 * PROXY headers, the addresses that they tell (lario_app_proxy_protocol()); behind an HTTP proxy,
 * see lario_client().
 */
LARIO_API const char *lario_peer(lario_req *req);
LARIO_API const char *lario_local(lario_req *req);

/* The first header field of this name (case-insensitive), or NULL. */
LARIO_API const char *lario_header(lario_req *req, const char *name);

/* Field number `index`, from 0, in the order sent. LARIO_ENOTFOUND past the last. */
LARIO_API LARIO_MUST_USE int lario_header_at(lario_req *req, size_t index, const char **ret_name,
                                             const char **ret_value);

/*
 * The first query variable of this name, decoded ('+' is a space), or NULL. A name without '='
 * has the value "". Also NULL when memory is out or the query is malformed.
 */
LARIO_API const char *lario_query(lario_req *req, const char *name);

/* Variable number `index`, from 0. LARIO_ENOTFOUND past the last; LARIO_ENOMEM. */
LARIO_API LARIO_MUST_USE int lario_query_at(lario_req *req, size_t index, const char **ret_name,
                                            const char **ret_value);

/* What `:name` or `*name` of the route's pattern matched, percent-decoded; NULL if it has none. */
LARIO_API const char *lario_param(const lario_req *req, const char *name);

/* The pointer given to lario_app_set_data(), or NULL. */
LARIO_API void *lario_data(const lario_req *req);

/*
 * Reads the whole body into memory that the request owns; *ret_data gets a NUL behind it, which
 * *ret_len (may be NULL) does not count. Parks. A second call returns the same bytes.
 * Errors: LARIO_ETOOBIG (body_bytes_max; answered as 413), LARIO_ETIMEDOUT (408), LARIO_EPROTO
 * (bad chunks; 400), LARIO_ECLOSED, LARIO_ECANCELED, LARIO_ENOMEM, LARIO_ESTATE (after
 * lario_body_read()).
 */
LARIO_API LARIO_MUST_USE int lario_body(lario_req *req, const char **ret_data, size_t *ret_len);

/*
 * Reads the next part of the body into the caller's `buffer`: from 1 to `size` bytes, as soon as
 * some are there; 0 at its end. There is no limit on the whole. Parks; while the handler does not
 * read, the socket is not read either. The first read answers Expect: 100-continue (RFC 9110
 * 10.1.1). Errors: as for lario_body(), without LARIO_ETOOBIG; LARIO_EINVAL (size 0); LARIO_ESTATE
 * after lario_body().
 */
LARIO_API LARIO_MUST_USE int lario_body_read(lario_req *req, void *buffer, size_t size);

/*
 * Changes what this request's body may cost, before it is read: at most `bytes` for lario_body(),
 * within `ms`. From a handler or, for many routes, from middleware. The defaults are body_bytes_max
 * and body_ms of the limits.
 */
LARIO_API void lario_limit_body(lario_req *req, uint64_t bytes, uint32_t ms);

/* ---- The response ---- */

/*
 * Adds a field to the response that is not sent yet; the values are copied. Content-Length,
 * Transfer-Encoding, Connection, Date and Upgrade are the server's.
 * Errors: LARIO_EHEADER (bad name, a control character in the value, or one of those five),
 * LARIO_ESTATE (head sent), LARIO_ETOOBIG (more than 64 fields or 16 KiB), LARIO_ENOMEM.
 */
LARIO_API LARIO_MUST_USE int lario_add_header(lario_req *req, const char *name, const char *value);

/*
 * Answers with `status` (200 to 599), Content-Type `type` (NULL: none) and the C string `body`
 * (NULL: empty). The body is copied. For HEAD, 204 and 304 the body is not sent (RFC 9110 8.6).
 * May park when the connection's output is over its limit.
 * Errors: LARIO_ESTATE (answered before), LARIO_EINVAL (status), LARIO_EHEADER (type),
 * LARIO_ENOMEM, LARIO_ECLOSED, LARIO_ECANCELED, LARIO_ETIMEDOUT (write stall).
 */
LARIO_API LARIO_MUST_USE int lario_reply(lario_req *req, int status, const char *type,
                                         const char *body);

/* The same for any bytes. */
LARIO_API LARIO_MUST_USE int lario_reply_bytes(lario_req *req, int status, const char *type,
                                               const void *body, size_t len);

/* The same with a formatted body, of at most 1 MiB; beyond: LARIO_ETOOBIG. */
LARIO_API LARIO_MUST_USE int lario_replyf(lario_req *req, int status, const char *type,
                                          const char *format, ...) LARIO_PRINTF(4, 5);

/*
 * Answers with the server's page for an error status (400 to 599): its reason phrase as text.
 * Errors: as for lario_reply().
 */
LARIO_API LARIO_MUST_USE int lario_reply_error(lario_req *req, int status);

/*
 * Answers with a redirect to `location`, a URI reference (RFC 9110 10.2.2): absolute, or relative
 * to the request's target. Bytes that a URI may not hold are percent-encoded, what is encoded
 * already stays. `status` is 301, 302, 303, 307 or 308 (RFC 9110 15.4). A location that a client
 * chose can lead anywhere: "//elsewhere" is absolute, so check what you do not write yourself.
 * Errors: LARIO_EINVAL (another status, an empty location), LARIO_EHEADER (a control character),
 * and those of lario_reply().
 */
LARIO_API LARIO_MUST_USE int lario_redirect(lario_req *req, int status, const char *location);

/*
 * Starts an answer whose body comes in parts: chunked in HTTP/1.1 (RFC 9112 7.1), ended by the
 * closing of the connection in HTTP/1.0. Errors: as for lario_reply().
 */
LARIO_API LARIO_MUST_USE int lario_reply_start(lario_req *req, int status, const char *type);

/*
 * The same for a body whose length is known: Content-Length is sent, and exactly `bytes` bytes must
 * follow. More is LARIO_EINVAL at the write; a handler that ends with less cuts the connection.
 */
LARIO_API LARIO_MUST_USE int lario_reply_start_sized(lario_req *req, int status, const char *type,
                                                     uint64_t bytes);

/*
 * Sends a part; it leaves at the end of this loop turn at the latest. `len` 0 sends nothing.
 * Parks while more than output_bytes_max wait. Errors: LARIO_ESTATE (not started), LARIO_ECLOSED,
 * LARIO_ECANCELED, LARIO_ETIMEDOUT (write stall), LARIO_ENOMEM.
 */
LARIO_API LARIO_MUST_USE int lario_reply_write(lario_req *req, const void *data, size_t len);

/* The same for a C string. */
LARIO_API LARIO_MUST_USE int lario_reply_puts(lario_req *req, const char *text);

/* Ends the body. Done by itself when a handler returns 0 or more. Errors: as for the write. */
LARIO_API LARIO_MUST_USE int lario_reply_end(lario_req *req);

/* ---- Memory and text of the request ---- */

/*
 * `size` bytes from the request's arena, aligned for any type, freed with the request. NULL when
 * memory is out or the arena's cap of 4 MiB is reached.
 */
LARIO_API void *lario_alloc(lario_req *req, size_t size);

/* A formatted C string from the arena, or NULL. */
LARIO_API char *lario_format(lario_req *req, const char *format, ...) LARIO_PRINTF(2, 3);

/*
 * `text` with & < > " ' replaced, for XML and HTML content and attribute values; characters that
 * XML 1.0 forbids become U+FFFD. "" when memory is out or `text` is NULL.
 */
LARIO_API const char *lario_escape_xml(lario_req *req, const char *text);

/*
 * `text` (len bytes) as a JSON string with its quotes (RFC 8259 7); bytes that are not UTF-8
 * become U+FFFD. "\"\"" when memory is out or `text` is NULL.
 */
LARIO_API const char *lario_escape_json(lario_req *req, const char *text, size_t len);

LARIO_END_DECLS

#endif
