/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

/*
 * HTTPS: start it with --tls-cert FILE --tls-key FILE, and perhaps --tls-client-ca FILE. SIGHUP
 * reads the files again.
 */
static int show(lario_req *req)
{
    if (!lario_is_tls(req))
        return lario_reply(req, 200, "text/plain", "not encrypted\n");
    return lario_replyf(req, 200, "text/plain",
                        "version: %s\ncipher: %s\nserver name: %s\nprotocol: %s\nresumed: %s\n"
                        "client: %s\n",
                        lario_tls_version(req), lario_tls_cipher(req), lario_tls_server_name(req),
                        lario_tls_protocol(req), lario_tls_is_resumed(req) ? "yes" : "no",
                        lario_tls_peer_subject(req));
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_get(app, "/", show);
    return lario_app_main(app, argc, argv);
}
