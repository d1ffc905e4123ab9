/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

static int message(lario_req *req)
{
    return lario_reply(req, 200, "application/json", "{\"message\":\"Hello, World!\"}");
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_get(app, "/json", message);
    return lario_app_main(app, argc, argv);
}
