/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

/* One file: shown at /, saved by the browser at /download. Clients may go on where they stopped. */
static const char *path = "README.md";

static int show(lario_req *req)
{
    return lario_reply_file(req, path, NULL);
}

static int download(lario_req *req)
{
    const lario_file_options options = {.type = "application/octet-stream",
                                        .download_name = "Grüße.bin"};

    return lario_reply_file(req, path, &options);
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_get(app, "/", show);
    lario_get(app, "/download", download);
    lario_app_option(app, "file", "PATH", "the file", &path);
    return lario_app_main(app, argc, argv);
}
