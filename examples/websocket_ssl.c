/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

/*
 * A WebSocket over TLS (wss://): nothing in the handler knows of it. Start it with --tls-cert FILE
 * --tls-key FILE.
 */
static int service(lario_req *req)
{
    lario_ws *ws;
    lario_msg msg;
    int rc = lario_ws_accept(req, NULL, &ws);

    while (rc >= 0 && (rc = lario_receive(&msg, -1)) >= 0) {
        if (rc == LARIO_WS_TEXT)
            rc = lario_ws_printf(ws, "received '%.*s'", (int)msg.len, msg.data);
    }
    return rc;
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_get(app, "/service", service);
    return lario_app_main(app, argc, argv);
}
