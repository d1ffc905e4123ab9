/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

/*
 * Long polling: GET / waits until somebody posts to /notify, then answers what was posted. The
 * waiting processes are a group; one that ends, because its client left, is out of it by itself.
 */
enum { NOTE = LARIO_USER };
enum { WAIT_MS = 60000 };

static int wait_for_note(lario_req *req)
{
    lario_scope *scope = lario_data(req);
    lario_msg msg;
    int rc = lario_join(scope, "waiting", lario_self(), NULL);

    if (rc >= 0)
        rc = lario_receive(&msg, WAIT_MS);
    if (rc == NOTE)
        return lario_reply_bytes(req, 200, "text/plain", msg.data, msg.len);
    if (rc == LARIO_ETIMEDOUT)
        return lario_reply(req, 204, NULL, NULL);
    return rc;
}

static int notify(lario_req *req)
{
    const char *body;
    size_t len;
    int rc = lario_body(req, &body, &len);

    if (rc >= 0)
        rc = lario_publish(lario_data(req), "waiting", NOTE, body, len);
    if (rc < 0)
        return rc;
    return lario_replyf(req, 200, "text/plain", "notified %d\n", rc);
}

static int waiting(lario_req *req)
{
    return lario_replyf(req, 200, "text/plain", "%zu\n",
                        lario_member_count(lario_data(req), "waiting"));
}

/* The runtime exists once the options are read; the scope belongs to it. */
static int open_scope(lario_app *app, void *arg)
{
    lario_scope *scope = lario_scope_open(lario_app_runtime(app), "comet");

    (void)arg;
    lario_app_set_data(app, scope);
    return scope ? 0 : LARIO_ENOMEM;
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_get(app, "/", wait_for_note);
    lario_get(app, "/waiting", waiting);
    lario_post(app, "/notify", notify);
    lario_app_setup(app, open_scope, NULL);
    return lario_app_main(app, argc, argv);
}
