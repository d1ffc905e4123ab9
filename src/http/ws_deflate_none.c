/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/ws_deflate.h"

#include "lario/error.h"

/* A build without zlib: permessage-deflate is never agreed on, so nothing here has work to do. */

bool lario_ws_deflate_is_known(void)
{
    return false;
}

int lario_ws_deflate_new(const lario_ws_deflate_agreed *agreed, lario_ws_deflate_state **ret_state)
{
    (void)agreed;
    (void)ret_state;
    return LARIO_ENOSYS;
}

void lario_ws_deflate_free(lario_ws_deflate_state *state)
{
    (void)state;
}

bool lario_ws_deflates(const lario_ws_deflate_state *state)
{
    (void)state;
    return false;
}

bool lario_ws_takes_shared(const lario_ws_deflate_state *state, unsigned bits)
{
    (void)state;
    (void)bits;
    return false;
}

int lario_ws_deflate(lario_ws *ws, const void *data, size_t len, lario_block **ret_packed)
{
    (void)ws;
    (void)data;
    (void)len;
    (void)ret_packed;
    return LARIO_ENOSYS;
}

int lario_ws_inflate(lario_ws *ws, const lario_block *packed, lario_block **ret_plain)
{
    (void)ws;
    (void)packed;
    (void)ret_plain;
    return LARIO_ENOSYS;
}

int lario_ws_deflate_alone(const void *data, size_t len, unsigned bits, char **ret_packed,
                           size_t *ret_len)
{
    (void)data;
    (void)len;
    (void)bits;
    (void)ret_packed;
    (void)ret_len;
    return LARIO_ENOSYS;
}

void lario_ws_coders_free(lario_ws_coders *coders)
{
    (void)coders;
}
