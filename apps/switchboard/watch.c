/* SPDX-License-Identifier: BSD-3-Clause */
#include "watch.h"

#include <stdlib.h>

#include "board.h"
#include "reply.h"
#include "roster.h"

static int send_list(struct board *board, lario_ws *ws)
{
    json_t *devices = roster_devices(board);
    json_t *list = devices ? json_pack("{s:s, s:o}", "type", "devices", "devices", devices) : NULL;
    char *text = list ? json_dumps(list, JSON_COMPACT) : NULL;
    int rc = text ? lario_ws_puts(ws, text) : LARIO_ENOMEM;

    free(text);
    json_decref(list);
    return rc;
}

/*
 * The watcher joins before it reads the list: a change in between is told twice rather than never,
 * and telling it twice does no harm.
 */
int watch(lario_req *req)
{
    struct board *board = lario_data(req);
    lario_msg msg;
    lario_ws *ws;
    int rc;

    if (!reply_is_own_origin(req, &rc))
        return rc;
    rc = lario_ws_accept(req, NULL, &ws);
    if (rc >= 0)
        rc = lario_join(board->watchers, "all", lario_self(), NULL);
    if (rc >= 0)
        rc = send_list(board, ws);
    while (rc >= 0) {
        rc = lario_receive(&msg, -1);
        if (rc == BOARD_TEXT)
            rc = lario_ws_write(ws, LARIO_WS_TEXT, msg.data, msg.len);
    }
    return rc;
}
