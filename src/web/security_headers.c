/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/request.h"
#include "lario/middleware.h"
#include "lario/proxy.h"
#include "web/router.h"

/* Headers that tell browsers what they must not do with an answer. */

typedef struct security_layer {
    lario_router_owned owned;
    lario_security_headers headers;
    char strict_transport[64];
} security_layer;

static int add_headers(lario_req *req, const security_layer *layer)
{
    const lario_security_headers *headers = &layer->headers;
    bool is_secure =
        headers->strict_transport_seconds > 0 && strcmp(lario_scheme(req), "https") == 0;
    int rc = lario_req_add_header_if(req, "X-Content-Type-Options",
                                     headers->no_sniff ? "nosniff" : NULL);

    if (rc == 0)
        rc = lario_req_add_header_if(req, "X-Frame-Options", headers->frame_options);
    if (rc == 0)
        rc = lario_req_add_header_if(req, "Referrer-Policy", headers->referrer_policy);
    if (rc == 0)
        rc = lario_req_add_header_if(req, "Content-Security-Policy", headers->content_security);
    if (rc == 0)
        rc = lario_req_add_header_if(req, "Strict-Transport-Security",
                                     is_secure ? layer->strict_transport : NULL);
    return rc;
}

static int with_headers(lario_req *req, void *data)
{
    int rc = add_headers(req, data);

    if (rc < 0)
        return rc;
    lario_req_keep_headers(req);
    return lario_next(req);
}

static void free_layer(lario_router_owned *owned)
{
    free(owned);
}

void lario_use_security_headers(lario_router *router, const char *prefix,
                                const lario_security_headers *headers)
{
    static const lario_security_headers by_default = LARIO_SECURITY_HEADERS_INIT;
    security_layer *layer = router ? calloc(1, sizeof *layer) : NULL;

    if (!layer) {
        if (router)
            lario_router_fail(router, LARIO_ENOMEM, "security headers: %s",
                              lario_strerror(LARIO_ENOMEM));
        return;
    }
    layer->owned.free = free_layer;
    layer->headers = headers ? *headers : by_default;
    snprintf(layer->strict_transport, sizeof layer->strict_transport, "max-age=%u%s",
             layer->headers.strict_transport_seconds,
             layer->headers.strict_transport_subdomains ? "; includeSubDomains" : "");
    lario_router_own(router, &layer->owned);
    lario_router_use(router, prefix, with_headers, layer);
}
