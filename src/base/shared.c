/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/shared.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

lario_shared *lario_shared_new(const void *data, size_t len)
{
    lario_shared *shared = len < SIZE_MAX - sizeof *shared ? malloc(sizeof *shared + len) : NULL;

    if (!shared)
        return NULL;
    atomic_init(&shared->refs, 1);
    shared->len = len;
    if (data && len > 0)
        memcpy(shared->bytes, data, len);
    return shared;
}

void lario_shared_unref(lario_shared *shared)
{
    if (shared && atomic_fetch_sub_explicit(&shared->refs, 1, memory_order_acq_rel) == 1)
        free(shared);
}
