/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "lario/lario.h"

/* Counts the visits of a browser in its cookie. */
static int count_visit(lario_req *req)
{
    const char *visits = lario_cookie(req, "visits");
    const char *next = lario_format(req, "%ld", visits ? strtol(visits, NULL, 10) + 1 : 1);
    int rc = next ? lario_set_cookie(req, "visits", next, NULL) : LARIO_ENOMEM;

    return rc < 0 ? rc : lario_replyf(req, 200, "text/plain", "Visit number %s.\n", next);
}

static int forget(lario_req *req)
{
    int rc = lario_delete_cookie(req, "visits", NULL);

    return rc < 0 ? rc : lario_reply(req, 200, "text/plain", "Forgotten.\n");
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_get(app, "/", count_visit);
    lario_get(app, "/forget", forget);
    return lario_app_main(app, argc, argv);
}
