/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

static const char page_html[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head><meta charset=\"utf-8\"><title>WebSocket</title></head>\n"
    "<body>\n"
    "<h1>WebSocket</h1>\n"
    "<form><label>Message <input id=\"text\" autocomplete=\"off\"></label> "
    "<button>Send</button></form>\n"
    "<p id=\"state\" role=\"status\">Connecting.</p>\n"
    "<ol id=\"log\" aria-live=\"polite\"></ol>\n"
    "<script>\n"
    "const show = (id, text) => { document.getElementById(id).textContent = text; };\n"
    "const scheme = location.protocol === 'https:' ? 'wss://' : 'ws://';\n"
    "const ws = new WebSocket(scheme + location.host + '/service');\n"
    "ws.onopen = () => show('state', 'Connected.');\n"
    "ws.onclose = () => show('state', 'Disconnected.');\n"
    "ws.onmessage = (event) => {\n"
    "  const item = document.createElement('li');\n"
    "  item.textContent = event.data;\n"
    "  document.getElementById('log').append(item);\n"
    "};\n"
    "document.forms[0].onsubmit = (event) => {\n"
    "  event.preventDefault();\n"
    "  ws.send(document.getElementById('text').value);\n"
    "};\n"
    "</script>\n"
    "</body>\n"
    "</html>\n";

static int page(lario_req *req)
{
    return lario_reply(req, 200, "text/html; charset=utf-8", page_html);
}

/* Answers each message, and pushes one of its own after five silent seconds. */
static int service(lario_req *req)
{
    lario_ws *ws;
    lario_msg msg;
    int rc = lario_ws_accept(req, NULL, &ws);

    while (rc >= 0) {
        rc = lario_receive(&msg, 5000);
        if (rc == LARIO_WS_TEXT)
            rc = lario_ws_printf(ws, "received '%.*s'", (int)msg.len, msg.data);
        else if (rc == LARIO_ETIMEDOUT)
            rc = lario_ws_puts(ws, "pushing!");
    }
    return rc;
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_get(app, "/", page);
    lario_get(app, "/service", service);
    return lario_app_main(app, argc, argv);
}
