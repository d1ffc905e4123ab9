/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

/* A WebSocket that knows who is logged in: it has the cookie of the page that opened it. */
static lario_sessions sessions;

static int log_in(lario_req *req)
{
    const char *name = lario_param(req, "name");
    int rc = lario_session_set(&sessions, req, "name", name);

    if (rc < 0)
        return rc;
    return lario_reply(req, 200, "text/html",
                       "<pre id=log></pre><script>\n"
                       "const socket = new WebSocket(`ws://${location.host}/service`);\n"
                       "socket.onopen = () => socket.send('who am I?');\n"
                       "socket.onmessage = e => log.textContent += e.data + '\\n';\n"
                       "</script>\n");
}

static int service(lario_req *req)
{
    const char *name;
    lario_ws *ws;
    lario_msg msg;
    int rc = lario_session_get(&sessions, req, "name", &name);

    if (rc == LARIO_ENOTFOUND)
        return lario_reply_error(req, 403);
    if (rc == 0)
        rc = lario_ws_accept(req, NULL, &ws);
    while (rc >= 0 && (rc = lario_receive(&msg, -1)) >= 0)
        if (rc == LARIO_WS_TEXT)
            rc = lario_ws_printf(ws, "%s says: %.*s", name, (int)msg.len, (const char *)msg.data);
    return rc;
}

static int start_sessions(lario_app *app, void *arg)
{
    (void)arg;
    return lario_sessions_start(lario_app_runtime(app), NULL, &sessions);
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_get(app, "/login/:name", log_in);
    lario_get(app, "/service", service);
    lario_app_setup(app, start_sessions, NULL);
    return lario_app_main(app, argc, argv);
}
