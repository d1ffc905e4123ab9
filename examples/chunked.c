/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

enum { PAUSE_MS = 100 };

/* Each part reaches the client before the pause that follows it: only this process waits. */
static int count(lario_req *req)
{
    int rc = lario_reply_start(req, 200, "text/plain");

    for (int i = 1; rc >= 0 && i <= 5; i++) {
        const char *part = lario_format(req, "part %d\n", i);

        rc = part ? lario_reply_puts(req, part) : LARIO_ENOMEM;
        if (rc >= 0)
            rc = lario_sleep(PAUSE_MS);
    }
    return rc < 0 ? rc : lario_reply_puts(req, "done\n");
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_get(app, "/", count);
    return lario_app_main(app, argc, argv);
}
