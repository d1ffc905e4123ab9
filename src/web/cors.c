/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/request.h"
#include "lario/middleware.h"
#include "web/router.h"

/* Cross-origin requests (Fetch Standard 3.2). */

typedef struct cors_layer {
    lario_router_owned owned;
    lario_cors cors;
    bool is_any; /* every origin */
    char max_age[16];
} cors_layer;

/* What the answer says of the origin; NULL when it is not on the list. */
static const char *allowed(const cors_layer *layer, const char *origin)
{
    if (layer->is_any)
        return "*";
    for (const char *const *at = layer->cors.origins; *at; at++)
        if (strcmp(*at, origin) == 0)
            return origin;
    return NULL;
}

/* The fields of every answer, also of a preflight's. */
static int add_origin(lario_req *req, const cors_layer *layer, const char *allow)
{
    /* Caches must not give the answer for one origin to another. */
    int rc = layer->is_any ? 0 : lario_add_header(req, "Vary", "Origin");

    if (rc == 0)
        rc = lario_req_add_header_if(req, "Access-Control-Allow-Origin", allow);
    if (rc == 0 && allow && layer->cors.has_credentials)
        rc = lario_add_header(req, "Access-Control-Allow-Credentials", "true");
    return rc;
}

static int answer_preflight(lario_req *req, const cors_layer *layer, const char *method)
{
    const lario_cors *cors = &layer->cors;
    const char *headers =
        cors->headers ? cors->headers : lario_header(req, "Access-Control-Request-Headers");
    int rc = lario_add_header(req, "Access-Control-Allow-Methods",
                              cors->methods ? cors->methods : method);

    /* What is not listed was allowed for what was asked. */
    if (rc == 0 && !cors->methods)
        rc = lario_add_header(req, "Vary", "Access-Control-Request-Method");
    if (rc == 0 && !cors->headers)
        rc = lario_add_header(req, "Vary", "Access-Control-Request-Headers");
    if (rc == 0)
        rc = lario_req_add_header_if(req, "Access-Control-Allow-Headers", headers);
    if (rc == 0)
        rc = lario_req_add_header_if(req, "Access-Control-Max-Age",
                                     cors->max_age_seconds ? layer->max_age : NULL);
    return rc < 0 ? rc : lario_reply(req, 204, NULL, NULL);
}

static int with_cors(lario_req *req, void *data)
{
    const cors_layer *layer = data;
    const char *origin = lario_header(req, "Origin");
    const char *asked = lario_header(req, "Access-Control-Request-Method");
    const char *allow = origin ? allowed(layer, origin) : NULL;
    int rc = add_origin(req, layer, allow);

    if (rc < 0)
        return rc;
    if (allow && asked && strcmp(lario_method(req), "OPTIONS") == 0)
        return answer_preflight(req, layer, asked);
    if (allow)
        rc = lario_req_add_header_if(req, "Access-Control-Expose-Headers", layer->cors.exposed);
    if (rc < 0)
        return rc;
    lario_req_keep_headers(req);
    return lario_next(req);
}

static void free_layer(lario_router_owned *owned)
{
    free(owned);
}

/* What is wrong with the options, or NULL. */
static const char *fault_of(const lario_cors *cors, bool is_any)
{
    if (!cors || !cors->origins || !cors->origins[0])
        return "there are no origins";
    for (const char *const *at = cors->origins; *at; at++)
        if (strcmp(*at, "*") == 0 && (at > cors->origins || at[1]))
            return "* stands alone";
    if (is_any && cors->has_credentials)
        return "credentials need a list of origins";
    return NULL;
}

void lario_use_cors(lario_router *router, const char *prefix, const lario_cors *cors)
{
    bool is_any = cors && cors->origins && cors->origins[0] && strcmp(cors->origins[0], "*") == 0;
    const char *fault = fault_of(cors, is_any);
    cors_layer *layer;

    if (!router)
        return;
    if (fault) {
        lario_router_fail(router, LARIO_EINVAL, "cross-origin requests: %s", fault);
        return;
    }
    layer = calloc(1, sizeof *layer);
    if (!layer) {
        lario_router_fail(router, LARIO_ENOMEM, "cross-origin requests: %s",
                          lario_strerror(LARIO_ENOMEM));
        return;
    }
    layer->owned.free = free_layer;
    layer->cors = *cors;
    layer->is_any = is_any;
    snprintf(layer->max_age, sizeof layer->max_age, "%u", cors->max_age_seconds);
    lario_router_own(router, &layer->owned);
    lario_router_use(router, prefix, with_cors, layer);
}
