/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_HTTP_LOOP_H
#define LARIO_HTTP_LOOP_H

#include <stdint.h>

#include "codec/date.h"
#include "codec/http1_head.h"
#include "http/coder.h"
#include "http/ws_deflate.h"
#include "loop/loop.h"

/* What HTTP keeps on a loop. */
typedef struct lario_http_loop {
    lario_http1_head head; /* for heads that arrive whole, nearly all */
    uint64_t date_s;       /* what `date` is made of */
    char date[LARIO_DATE_BYTES + 1];
    lario_encoder *spare_encoders; /* of answers that have ended */
    unsigned spare_count;
    lario_ws_coders *ws_coders; /* shared by WebSockets that keep no window; or NULL */
} lario_http_loop;

/* Prepares the loop; harmless when repeated. 0 or LARIO_ENOMEM. */
int lario_http_loop_init(lario_loop *loop);
void lario_http_loop_done(lario_loop *loop);

static inline lario_http_loop *lario_http_loop_of(lario_loop *loop)
{
    return loop->slots[LARIO_LOOP_SLOT_HTTP];
}

/* The date of now, LARIO_DATE_BYTES long, from the loop's cache. */
const char *lario_http_date(lario_loop *loop);

#endif
