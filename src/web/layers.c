/* SPDX-License-Identifier: BSD-3-Clause */
#include "web/layers.h"

#include <stdlib.h>
#include <string.h>

#include "http/request.h"
#include "lario/middleware.h"

/*
 * Middleware. While a request runs through a router's layers, a chain on the stack of its process
 * says which comes next; the request's slot leads to it. The chain of a host's router lies inside
 * of that of the app.
 */
typedef struct layer_chain {
    lario_router *router;
    const lario_router_layer *next;
    lario_route_path path;
    lario_layers_end end;
    bool has_run; /* what is inside has, and does not again */
} layer_chain;

static bool is_for(const lario_router_layer *layer, lario_route_path path)
{
    return path.len >= layer->prefix_len &&
           memcmp(path.text, layer->prefix, layer->prefix_len) == 0 &&
           (path.len == layer->prefix_len || path.text[layer->prefix_len] == '/');
}

static int run_target(const lario_route_target *target, lario_req *req)
{
    return target->plain ? target->plain(req) : target->bound(req, target->data);
}

int lario_next(lario_req *req)
{
    void **slot = lario_req_slot(req, LARIO_REQ_SLOT_ROUTE);
    layer_chain *chain = *slot;
    int rc;

    if (!chain || chain->has_run)
        return LARIO_ESTATE;
    const lario_router_layer *layer = chain->next;

    while (layer && !is_for(layer, chain->path))
        layer = layer->next;
    if (layer) {
        chain->next = layer->next;
        rc = run_target(&layer->target, req);
    } else {
        *slot = NULL; /* a route's handler is not middleware */
        rc = chain->end(chain->router, req, chain->path);
    }
    *slot = chain;
    chain->has_run = true;
    return rc;
}

int lario_layers_run(lario_router *router, lario_req *req, lario_route_path path,
                     lario_layers_end end)
{
    void **slot = lario_req_slot(req, LARIO_REQ_SLOT_ROUTE);
    layer_chain chain = {.router = router, .next = router->layers, .path = path, .end = end};

    *slot = &chain;
    int rc = lario_next(req);

    *slot = NULL;
    return rc;
}

void lario_layers_done(lario_router *router)
{
    while (router->layers) {
        lario_router_layer *layer = router->layers;

        router->layers = layer->next;
        free(layer);
    }
}

/* ---- Set-up ---- */

static void add_layer(lario_router *router, const char *prefix, lario_route_target target)
{
    if (!router)
        return;
    if (!prefix || prefix[0] != '/' || (!target.plain && !target.bound)) {
        lario_router_fail(router, LARIO_EROUTE, "middleware %.120s: %s", prefix ? prefix : "",
                          prefix && prefix[0] == '/' ? "there is no handler"
                                                     : "the prefix does not start with a slash");
        return;
    }
    size_t len = strlen(prefix);

    while (len > 0 && prefix[len - 1] == '/')
        len--;
    lario_router_layer *layer = calloc(1, sizeof *layer + len + 1);

    if (!layer) {
        lario_router_fail(router, LARIO_ENOMEM, "middleware %.120s: %s", prefix,
                          lario_strerror(LARIO_ENOMEM));
        return;
    }
    layer->target = target;
    layer->prefix_len = len;
    memcpy(layer->prefix, prefix, len);
    lario_router_layer **at = &router->layers;

    while (*at)
        at = &(*at)->next;
    *at = layer;
}

void lario_use(lario_router *router, const char *prefix, lario_handler middleware)
{
    add_layer(router, prefix, (lario_route_target){.plain = middleware});
}

void lario_router_use(lario_router *router, const char *prefix, lario_route_handler handler,
                      void *data)
{
    add_layer(router, prefix, (lario_route_target){.bound = handler, .data = data});
}
