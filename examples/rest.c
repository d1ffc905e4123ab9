/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

/* Resources by path. What no route matches is answered 404 by the server itself. */
static int home(lario_req *req)
{
    return lario_reply(req, 200, "text/plain", "Main home page.");
}

static int users(lario_req *req)
{
    return lario_reply(req, 200, "text/plain", "Main users root.");
}

static int user(lario_req *req)
{
    return lario_replyf(req, 200, "text/plain", "This is %s's page.", lario_param(req, "name"));
}

static int photos(lario_req *req)
{
    return lario_replyf(req, 200, "text/plain", "This is %s's photos page.",
                        lario_param(req, "name"));
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_get(app, "/", home);
    lario_get(app, "/users", users);
    lario_get(app, "/users/:name", user);
    lario_get(app, "/users/:name/photos", photos);
    return lario_app_main(app, argc, argv);
}
