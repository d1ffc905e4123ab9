/* SPDX-License-Identifier: BSD-3-Clause */
#include "board.h"
#include "devices.h"
#include "groups.h"
#include "page.h"
#include "reply.h"
#include "watch.h"

static int not_found(lario_req *req)
{
    return reply_error(req, 404, "there is no such resource");
}

/* The scopes belong to the runtime, which exists once the options are read. */
static int set_up(lario_app *app, void *arg)
{
    return board_open(arg, app);
}

int main(int argc, char **argv)
{
    struct board board = {NULL, NULL};
    lario_app *app = lario_app_new();

    lario_app_set_data(app, &board);
    lario_app_setup(app, set_up, &board);
    page_routes(app);
    devices_routes(app);
    groups_routes(app);
    lario_get(app, "/watch", watch);
    lario_any(app, "/watch", reply_allow_get);
    lario_any(app, "/*rest", not_found);
    return lario_app_main(app, argc, argv);
}
