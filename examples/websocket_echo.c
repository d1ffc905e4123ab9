/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

/* Sends each message back as it came, text or binary; compressed, to clients that know how. */
static int echo(lario_req *req)
{
    const lario_ws_options options = {.compresses = true};
    lario_ws *ws;
    lario_msg msg;
    int rc = lario_ws_accept(req, &options, &ws);

    while (rc >= 0 && (rc = lario_receive(&msg, -1)) >= 0)
        rc = lario_ws_write(ws, rc, msg.data, msg.len);
    return rc;
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_get(app, "/", echo);
    return lario_app_main(app, argc, argv);
}
