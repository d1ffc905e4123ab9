/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_WEB_ROUTER_H
#define LARIO_WEB_ROUTER_H

#include <stdbool.h>

#include "lario/router.h"
#include "web/route_tree.h"

/*
 * A router for the layers above: app/ embeds the root router as the first member of the app, so
 * that a lario_app is a lario_router.
 */

#define LARIO_ROUTER_ERROR_BYTES 256

/* Different methods in one router; the last bit of the 64 stands for any method. */
#define LARIO_ROUTER_METHODS_MAX 63

/* Something that lives as long as the router, such as the folder of lario_static(). */
typedef struct lario_router_owned {
    struct lario_router_owned *next;
    void (*free)(struct lario_router_owned *owned);
} lario_router_owned;

/* Middleware, in the order in which it runs. */
typedef struct lario_router_layer {
    struct lario_router_layer *next;
    lario_route_target target;
    size_t prefix_len; /* without a final slash */
    char prefix[];
} lario_router_layer;

typedef struct lario_router_host {
    struct lario_router_host *next; /* the more special ones first */
    lario_router *router;
    size_t name_len; /* of "*.example.org": ".example.org" */
    bool is_pattern;
    char name[];
} lario_router_host;

struct lario_router {
    lario_route_tree tree;
    lario_router *parent; /* of the router of a host */
    lario_router_layer *layers;
    lario_router_host *hosts;
    uint8_t slash;                           /* enum lario_slash */
    char *methods[LARIO_ROUTER_METHODS_MAX]; /* number i has the bit 1 << i in the tree */
    unsigned methods_count;
    lario_router_owned *owned;
    int error;                                 /* the first failure of set-up, or 0 */
    char error_text[LARIO_ROUTER_ERROR_BYTES]; /* a line for people, once error is set */
};

void lario_router_init(lario_router *router);
void lario_router_done(lario_router *router);

/*
 * Adds a route whose handler gets `data`; the router does not own it. `method` NULL: any. As with
 * lario_route(), a failure is kept in the router.
 */
void lario_router_bind(lario_router *router, const char *method, const char *pattern,
                       lario_route_handler handler, void *data);

/* The same for middleware: lario_use() with the data of the route. */
void lario_router_use(lario_router *router, const char *prefix, lario_route_handler handler,
                      void *data);

/* Makes the router free `owned` at its end. */
void lario_router_own(lario_router *router, lario_router_owned *owned);

/* Keeps a failure of set-up, unless there is one already. */
void lario_router_fail(lario_router *router, int error, const char *format, ...) LARIO_PRINTF(3, 4);

/*
 * Finds the route and runs its handler, or answers 404, 405 with Allow, or OPTIONS itself. Runs in
 * the request's process. Returns what the handler returns.
 */
int lario_router_handle(lario_router *router, lario_req *req);

#endif
