/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

/* Writes a line about each request to a file, or to the terminal. */
static const char *path = "-";

static int hello(lario_req *req)
{
    return lario_reply(req, 200, "text/plain", "Hello World.\n");
}

static int open_log(lario_app *app, void *arg)
{
    (void)arg;
    lario_app_access_log(app, path);
    return 0;
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_get(app, "/", hello);
    lario_app_option(app, "file", "PATH", "the file for accesses; - is the terminal", &path);
    lario_app_setup(app, open_log, NULL);
    return lario_app_main(app, argc, argv);
}
