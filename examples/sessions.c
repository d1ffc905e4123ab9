/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

/* A login that the server remembers; the browser only has a random id. */
static lario_sessions sessions;

static int greet(lario_req *req)
{
    const char *name;
    int rc = lario_session_get(&sessions, req, "name", &name);

    if (rc == LARIO_ENOTFOUND)
        return lario_reply(req, 200, "text/html",
                           "<form method=post><input name=name autofocus><button>Log in</button>"
                           "</form>\n");
    if (rc < 0)
        return rc;
    return lario_replyf(req, 200, "text/html", "<p>Hello, %s.</p><a href=/logout>Log out</a>\n",
                        lario_escape_xml(req, name));
}

static int log_in(lario_req *req)
{
    int rc = lario_form_read(req);
    const char *name = rc == 0 ? lario_form(req, "name") : NULL;

    if (rc < 0)
        return rc;
    if (!name || !*name)
        return lario_reply(req, 400, "text/plain", "Who are you?\n");
    rc = lario_session_set(&sessions, req, "name", name);
    if (rc == 0)
        rc = lario_session_renew(&sessions, req); /* an id that was planted is worth nothing now */
    return rc < 0 ? rc : lario_redirect(req, 303, "/");
}

static int log_out(lario_req *req)
{
    int rc = lario_session_end(&sessions, req);

    return rc < 0 ? rc : lario_redirect(req, 303, "/");
}

static int start_sessions(lario_app *app, void *arg)
{
    (void)arg;
    return lario_sessions_start(lario_app_runtime(app), NULL, &sessions);
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_get(app, "/", greet);
    lario_post(app, "/", log_in);
    lario_get(app, "/logout", log_out);
    lario_app_setup(app, start_sessions, NULL);
    return lario_app_main(app, argc, argv);
}
