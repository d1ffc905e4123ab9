/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

/* The folder is known only after the command line is read, so its route is added then. */
static int serve_root(lario_app *app, void *arg)
{
    const char **root = arg;

    lario_static(app, "/", *root);
    return 0;
}

int main(int argc, char **argv)
{
    const char *root = ".";
    lario_app *app = lario_app_new();

    lario_app_option(app, "root", "DIR", "the folder to serve", &root);
    lario_app_setup(app, serve_root, (void *)&root);
    return lario_app_main(app, argc, argv);
}
