/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

/* Raw TCP: every connection runs this function; it ends when the peer does. */
static int echo(lario_tcp *tcp)
{
    char buffer[4096];
    int rc;

    do {
        rc = lario_tcp_read(tcp, buffer, sizeof buffer, -1);
        if (rc > 0)
            rc = lario_tcp_write(tcp, buffer, (size_t)rc);
    } while (rc >= 0);
    return rc == LARIO_ECLOSED ? 0 : rc;
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_app_tcp(app, echo);
    return lario_app_main(app, argc, argv);
}
