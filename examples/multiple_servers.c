/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

struct second {
    lario_app *app;
    const char *address;
};

static int first_page(lario_req *req)
{
    return lario_reply(req, 200, "text/plain", "This is the first server.");
}

static int second_page(lario_req *req)
{
    return lario_reply(req, 200, "text/plain", "This is the second server.");
}

static int listen_second(lario_app *app, void *arg)
{
    struct second *second = arg;

    (void)app;
    lario_app_listen(second->app, second->address);
    return 0;
}

/* Two servers with their own addresses and routes share one program and its loops. */
int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();
    struct second second = {lario_app_new(), "127.0.0.1:8081"};

    lario_get(app, "/", first_page);
    lario_get(second.app, "/", second_page);
    lario_app_add(app, second.app);
    lario_app_option(app, "second", "ADDRESS", "where the second server listens", &second.address);
    lario_app_setup(app, listen_second, &second);
    return lario_app_main(app, argc, argv);
}
