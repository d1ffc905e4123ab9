/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "lario/lario.h"

#define BYTES_DEFAULT 1048576ull
#define BYTES_MAX 1073741824ull
#define LINE "All work and no play makes a dull server.\n"

/* Reads ?bytes=N. Returns false for anything but a number from 0 to BYTES_MAX. */
static bool wanted_bytes(lario_req *req, unsigned long long *ret_bytes)
{
    const char *text = lario_query(req, "bytes");
    char *end;

    if (!text) {
        *ret_bytes = BYTES_DEFAULT;
        return true;
    }
    if (*text < '0' || *text > '9')
        return false;
    *ret_bytes = strtoull(text, &end, 10);
    return *end == '\0' && *ret_bytes <= BYTES_MAX;
}

/*
 * GET /?bytes=N: a body of known length, larger than memory would hold for every client. A write
 * parks while the client does not read, so a slow one costs a buffer and nothing more.
 */
static int stream(lario_req *req)
{
    const size_t line_len = sizeof LINE - 1;
    unsigned long long left;
    int rc;

    if (!wanted_bytes(req, &left))
        return lario_reply(req, 400, "text/plain", "bytes must be a number up to 1073741824\n");
    rc = lario_reply_start_sized(req, 200, "text/plain", left);
    while (rc >= 0 && left > 0) {
        size_t len = left < line_len ? (size_t)left : line_len;

        rc = lario_reply_write(req, LINE, len);
        left -= len;
    }
    return rc;
}

/* GET /ticks: a body without a known end; the handler ends when the client leaves. */
static int ticks(lario_req *req)
{
    int rc = lario_reply_start(req, 200, "text/plain");

    while (rc >= 0) {
        rc = lario_reply_puts(req, "tick\n");
        if (rc >= 0)
            rc = lario_sleep(100);
    }
    return rc == LARIO_ECLOSED ? 0 : rc;
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_get(app, "/", stream);
    lario_get(app, "/ticks", ticks);
    return lario_app_main(app, argc, argv);
}
