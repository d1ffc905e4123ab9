/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

/* Tells each client who it is, however many load balancers and proxies stand between. */
static int who(lario_req *req)
{
    return lario_replyf(req, 200, "text/plain", "client %s, peer %s, %s\n", lario_client(req),
                        lario_peer(req), lario_scheme(req));
}

/* Run it with --proxy-protocol behind a load balancer, with --trust-proxy behind an HTTP proxy. */
int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_get(app, "/", who);
    return lario_app_main(app, argc, argv);
}
