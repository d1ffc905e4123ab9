/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

/* The smallest server: one handler, one route. */
static int hello(lario_req *req)
{
    return lario_reply(req, 200, "text/plain", "Hello World.");
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_get(app, "/", hello);
    return lario_app_main(app, argc, argv);
}
