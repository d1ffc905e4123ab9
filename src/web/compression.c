/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "lario/compress.h"
#include "lario/middleware.h"
#include "web/router.h"

/* Compression as middleware. */

typedef struct compression_layer {
    lario_router_owned owned;
    lario_compression compression;
} compression_layer;

static int with_compression(lario_req *req, void *data)
{
    const compression_layer *layer = data;

    int rc = lario_compress(req, &layer->compression);

    return rc < 0 ? rc : lario_next(req);
}

static void free_layer(lario_router_owned *owned)
{
    free(owned);
}

static bool is_sensible(const lario_compression *compression)
{
    return compression->gzip_level >= 0 && compression->gzip_level <= 9 &&
           compression->br_level >= 0 && compression->br_level <= 11;
}

void lario_use_compression(lario_router *router, const char *prefix,
                           const lario_compression *compression)
{
    static const lario_compression by_default = LARIO_COMPRESSION_INIT;
    compression_layer *layer;

    if (!router)
        return;
    if (!compression)
        compression = &by_default;
    if (!is_sensible(compression)) {
        lario_router_fail(router, LARIO_EINVAL, "compression: a level that does not exist");
        return;
    }
    layer = calloc(1, sizeof *layer);
    if (!layer) {
        lario_router_fail(router, LARIO_ENOMEM, "compression: %s", lario_strerror(LARIO_ENOMEM));
        return;
    }
    layer->owned.free = free_layer;
    layer->compression = *compression;
    lario_router_own(router, &layer->owned);
    lario_router_use(router, prefix, with_compression, layer);
}
