/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_WEB_LAYERS_H
#define LARIO_WEB_LAYERS_H

#include "web/router.h"

/* A path as routes see it: decoded, but an encoded slash is LARIO_URI_ENCODED_SLASH. */
typedef struct lario_route_path {
    const char *text;
    size_t len;
} lario_route_path;

typedef int (*lario_layers_end)(lario_router *router, lario_req *req, lario_route_path path);

/* Runs the middleware of the router that is for this path, around `end`. */
int lario_layers_run(lario_router *router, lario_req *req, lario_route_path path,
                     lario_layers_end end);

void lario_layers_done(lario_router *router);

#endif
