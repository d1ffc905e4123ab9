/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_FILE_H
#define LARIO_FILE_H

#include <stdbool.h>

#include "lario/error.h"
#include "lario/export.h"
#include "lario/http.h"
#include "lario/router.h"

LARIO_BEGIN_DECLS

/*
 * Files as answers. The kernel moves them to the socket (sendfile), as fast as the client reads;
 * they never take memory. Each has Last-Modified and an ETag made of its time and length, so that a
 * client may ask whether its copy is still good (If-None-Match, If-Modified-Since, If-Match,
 * If-Unmodified-Since: 304 or 412; RFC 9110 13.2.2), and for parts of it (Range, If-Range: 206 or
 * 416, several as multipart/byteranges; RFC 9110 14). Malformed conditions and ranges are ignored,
 * as are more ranges than limits.ranges_max.
 *
 * A file must not be changed in place while it is served: write a new one and rename it. One that
 * becomes shorter cuts the connection, so that nobody takes the rest for whole.
 */
typedef struct lario_file_options {
    const char *type;          /* Content-Type; NULL: by the extension */
    const char *download_name; /* the browser saves it under this name; NULL: it shows it */
    const char *cache_control; /* Cache-Control; NULL: none */
} lario_file_options;

/*
 * Answers with the file at `path`, for any method (conditions and ranges only for GET and HEAD).
 * `options` may be NULL. The path is the program's: one that a client chose leads anywhere; see
 * lario_static(). Errors: the system's of open, such as -ENOENT (before anything is answered, so
 * that the handler may); LARIO_EINVAL for what is no regular file; those of lario_reply().
 */
LARIO_API LARIO_MUST_USE int lario_reply_file(lario_req *req, const char *path,
                                              const lario_file_options *options);

/* ---- Folders ---- */

typedef struct lario_static_options {
    const char *index;         /* for folders; NULL: they are 404 */
    const char *fallback;      /* this file of the folder is given where none is found; NULL: 404 */
    const char *cache_control; /* Cache-Control of all files; NULL: none */
    bool has_compressed;  /* FILE.br and FILE.gz are given for FILE to clients that accept it */
    bool shows_dot_files; /* segments that start with a dot are found, too */
} lario_static_options;

#define LARIO_STATIC_OPTIONS_INIT                                                                  \
    {                                                                                              \
        "index.html", NULL, NULL, false, false                                                     \
    }

/* lario_static() with options, which are copied but for their strings; NULL: the defaults. */
LARIO_API void lario_static_with(lario_router *router, const char *prefix, const char *dir,
                                 const lario_static_options *options);

LARIO_END_DECLS

#endif
