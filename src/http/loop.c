/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/loop.h"

#include <stdlib.h>

#include "lario/error.h"
#include "sys/clock.h"

int lario_http_loop_init(lario_loop *loop)
{
    if (!loop->slots[LARIO_LOOP_SLOT_HTTP])
        loop->slots[LARIO_LOOP_SLOT_HTTP] = calloc(1, sizeof(lario_http_loop));
    return loop->slots[LARIO_LOOP_SLOT_HTTP] ? 0 : LARIO_ENOMEM;
}

void lario_http_loop_done(lario_loop *loop)
{
    lario_http_loop *state = lario_http_loop_of(loop);

    if (state) {
        lario_encoders_free(state->spare_encoders);
        lario_ws_coders_free(state->ws_coders);
    }
    free(state);
    loop->slots[LARIO_LOOP_SLOT_HTTP] = NULL;
}

const char *lario_http_date(lario_loop *loop)
{
    lario_http_loop *state = lario_http_loop_of(loop);
    uint64_t now = lario_clock_wall_s();

    if (state->date_s != now) {
        (void)lario_date_format((int64_t)now, state->date);
        state->date_s = now;
    }
    return state->date;
}
