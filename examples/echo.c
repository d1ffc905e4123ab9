/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

/*
 * GET shows the request as the server understood it, one field a line. It is sent in parts, so
 * that no buffer has to hold it as a whole.
 */
static int echo_head(lario_req *req)
{
    const char *name;
    const char *value;
    const char *line = lario_format(req, "%s %s HTTP/1.%d\n", lario_method(req), lario_target(req),
                                    lario_http_minor(req));
    int rc = lario_reply_start(req, 200, "text/plain");

    for (size_t i = 0; rc >= 0; i++) {
        rc = line ? lario_reply_puts(req, line) : LARIO_ENOMEM;
        if (rc < 0 || lario_header_at(req, i, &name, &value) < 0)
            break;
        line = lario_format(req, "%s: %s\n", name, value);
    }
    return rc;
}

/* POST gives the body back, as the type that the client gave it. */
static int echo_body(lario_req *req)
{
    const char *type = lario_header(req, "Content-Type");
    const char *body;
    size_t len;
    int rc = lario_body(req, &body, &len);

    if (rc < 0)
        return rc;
    return lario_reply_bytes(req, 200, type ? type : "application/octet-stream", body, len);
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_get(app, "/", echo_head);
    lario_post(app, "/", echo_body);
    lario_get(app, "/echo", echo_head);
    lario_post(app, "/echo", echo_body);
    return lario_app_main(app, argc, argv);
}
