/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_WEB_ROUTER_H
#define LARIO_WEB_ROUTER_H

#include "lario/router.h"

/*
 * A router for the layers above: app/ embeds the root router as the first member of the app, so
 * that a lario_app is a lario_router.
 */
typedef struct lario_router_node lario_router_node;

#define LARIO_ROUTER_ERROR_BYTES 256

struct lario_router {
    lario_router_node *root;                   /* radix tree of the patterns */
    int error;                                 /* the first failure of set-up, or 0 */
    char error_text[LARIO_ROUTER_ERROR_BYTES]; /* a line for people, once error is set */
};

void lario_router_init(lario_router *router);
void lario_router_done(lario_router *router);

/*
 * Finds the route and runs its handler, or answers 404, 405 with Allow, or OPTIONS itself. Runs in
 * the request's process. Returns what the handler returns.
 */
int lario_router_handle(lario_router *router, lario_req *req);

#endif
