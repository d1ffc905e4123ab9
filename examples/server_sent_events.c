/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

/* News for every browser that listens: POST /news sends to all, whatever loop they are on. */
static lario_scope *scope;

static int page(lario_req *req)
{
    return lario_reply(req, 200, "text/html",
                       "<ul id=news></ul><script>\n"
                       "new EventSource('/events').onmessage = e => {\n"
                       "  const item = document.createElement('li');\n"
                       "  item.textContent = e.data;\n"
                       "  news.append(item);\n"
                       "};\n"
                       "</script>\n");
}

static int events(lario_req *req)
{
    lario_msg msg;
    int rc = lario_join(scope, "listeners", lario_self(), NULL);

    if (rc == 0)
        rc = lario_events_start(req);
    if (rc == 0)
        rc = lario_event_send(req, &(lario_event){.data = "You are listening."});
    while (rc >= 0) {
        rc = lario_receive(&msg, 15000);
        if (rc == LARIO_USER)
            rc = lario_event_send(req, &(lario_event){.data = msg.data});
        else if (rc == LARIO_ETIMEDOUT)
            rc = lario_event_comment(req, "still here");
    }
    return rc;
}

static int publish(lario_req *req)
{
    const char *news;
    size_t len;
    int rc = lario_body(req, &news, &len);

    if (rc == 0)
        rc = lario_publish(scope, "listeners", LARIO_USER, news, len + 1); /* with its NUL */
    return rc < 0 ? rc : lario_replyf(req, 200, "text/plain", "%d listeners\n", rc);
}

static int open_scope(lario_app *app, void *arg)
{
    (void)arg;
    scope = lario_scope_open(lario_app_runtime(app), "news");
    return scope ? 0 : LARIO_ENOMEM;
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_get(app, "/", page);
    lario_get(app, "/events", events);
    lario_post(app, "/news", publish);
    lario_app_setup(app, open_scope, NULL);
    return lario_app_main(app, argc, argv);
}
