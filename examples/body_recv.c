/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

/* Reads a body of any size in pieces, and keeps none of them. */
static int sum(lario_req *req)
{
    unsigned char piece[8192];
    unsigned long long bytes = 0;
    unsigned checksum = 0;
    int rc;

    /* While we do not read, the client cannot send: nothing piles up. */
    while ((rc = lario_body_read(req, piece, sizeof piece)) > 0) {
        bytes += (unsigned)rc;
        for (int i = 0; i < rc; i++)
            checksum = (checksum + piece[i]) & 0xffff;
    }
    return rc < 0 ? rc
                  : lario_replyf(req, 200, "text/plain", "%llu bytes, sum %u\n", bytes, checksum);
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_post(app, "/", sum);
    return lario_app_main(app, argc, argv);
}
