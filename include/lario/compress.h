/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_COMPRESS_H
#define LARIO_COMPRESS_H

#include <stddef.h>

#include "lario/error.h"
#include "lario/export.h"
#include "lario/http.h"
#include "lario/router.h"

LARIO_BEGIN_DECLS

/*
 * Content codings (RFC 9110 8.4): answers are compressed by gzip or Brotli as the client accepts,
 * and compressed bodies of requests are inflated.
 *
 * An answer that reflects what a client sent next to a secret lets an attacker guess the secret
 * from the compressed length (BREACH): do not compress such answers. Each answer that is compressed
 * in parts holds up to 270 KiB (gzip) or 1.5 MiB (br) until it ends.
 */

typedef struct lario_compression {
    const char *const
        *types;       /* NULL-terminated; "text/" is all that start so; NULL: the defaults */
    size_t bytes_min; /* shorter whole bodies stay as they are */
    int gzip_level;   /* 1 (fast) to 9 (small); 0: gzip is not offered */
    int br_level;     /* 1 to 11; 0: Brotli is not offered */
} lario_compression;

/* The types are text/... (but for event streams), JSON, JavaScript, XML, SVG and what is built on
 * them. */
#define LARIO_COMPRESSION_INIT                                                                     \
    {                                                                                              \
        NULL, 256, 5, 4                                                                            \
    }

/*
 * The answer to this request is compressed when the client accepts it, its type is listed, and
 * nothing speaks against it: a Content-Encoding that the handler sets, Cache-Control: no-transform,
 * a Content-Range, or a length that was announced (lario_reply_start_sized()). It gets
 * Content-Encoding and Vary, and a strong ETag becomes weak (RFC 9110 8.8.3). Answers in parts are
 * flushed with each part, so that each can be read at once: write large ones. Before the answer,
 * from the request's process. `compression` NULL: the defaults; it is kept, not copied.
 * Bodies in one piece over 4 MiB stay as they are: write them in parts. LARIO_EINVAL: a level that
 * does not exist.
 */
LARIO_API LARIO_MUST_USE int lario_compress(lario_req *req, const lario_compression *compression);

/* The same as middleware, for all answers below `prefix`; copied but for the types. */
LARIO_API void lario_use_compression(lario_router *router, const char *prefix,
                                     const lario_compression *compression);

/*
 * From now on the body of this request is read inflated, by all calls that read bodies: gzip,
 * deflate (zlib) and br, one coding. Nothing happens when it has none. Its limits hold for the
 * inflated bytes, and beyond limits.inflate_ratio_max times the bytes that came it is refused
 * (LARIO_ETOOBIG; 413). Malformed or cut bodies are LARIO_EPROTO at the read (400). Before the body
 * is read. Errors: LARIO_ECODING (another coding; answered as 415, with Accept-Encoding),
 * LARIO_ESTATE (the body was read), LARIO_ENOMEM.
 */
LARIO_API LARIO_MUST_USE int lario_inflate_body(lario_req *req);

LARIO_END_DECLS

#endif
