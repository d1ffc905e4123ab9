/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

/* Sends visitors of the old address on to the new one. */
static int old_address(lario_req *req)
{
    return lario_redirect(req, 301, "/new");
}

static int new_address(lario_req *req)
{
    return lario_reply(req, 200, "text/plain", "Here it is.\n");
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_get(app, "/", old_address);
    lario_get(app, "/new", new_address);
    return lario_app_main(app, argc, argv);
}
