/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

/* Answers as small as the client can read them. */
static int list(lario_req *req)
{
    int rc = lario_reply_start(req, 200, "text/plain");

    for (int i = 1; rc == 0 && i <= 10; i++)
        rc = lario_reply_puts(req, lario_format(req, "%0100d\n", i));
    return rc;
}

/* Bodies that came compressed, too. */
static int count(lario_req *req)
{
    const char *body;
    size_t len;
    int rc = lario_inflate_body(req);

    if (rc == 0)
        rc = lario_body(req, &body, &len);
    return rc < 0 ? rc : lario_replyf(req, 200, "text/plain", "%zu bytes\n", len);
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_use_compression(app, "/", NULL);
    lario_get(app, "/", list);
    lario_post(app, "/", count);
    return lario_app_main(app, argc, argv);
}
