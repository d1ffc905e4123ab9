/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "lario/lario.h"

/* The oldest way to push: a page in a frame that never ends, made of scripts that run as they come.
 */
static int page(lario_req *req)
{
    return lario_reply(req, 200, "text/html",
                       "<p id=clock>waiting</p>\n"
                       "<script>function tick(n) { clock.textContent = 'tick ' + n; }</script>\n"
                       "<iframe src=/comet hidden></iframe>\n");
}

static int comet(lario_req *req)
{
    int rc = lario_reply_start(req, 200, "text/html");

    if (rc == 0)
        rc = lario_reply_puts(req, "<!doctype html><title>comet</title>\n");
    for (int n = 1; rc == 0; n++) {
        char script[64]; /* not of the request's memory, which is freed only with it */

        snprintf(script, sizeof script, "<script>parent.tick(%d)</script>\n", n);
        rc = lario_reply_puts(req, script);
        if (rc == 0)
            rc = lario_sleep(500);
    }
    return rc;
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_get(app, "/", page);
    lario_get(app, "/comet", comet);
    return lario_app_main(app, argc, argv);
}
