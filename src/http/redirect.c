/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>
#include <string.h>

#include "lario/error.h"
#include "lario/http.h"

/* Redirects (RFC 9110 15.4). */

static bool is_redirect(int status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* Whether a byte may stand in a URI reference, with the '%' of what is encoded (RFC 3986 2). */
static bool is_uri_byte(unsigned char byte)
{
    return byte > 0x20 && byte < 0x7f && !strchr("\"<>\\^`{|}", byte);
}

/* The location as it may be sent; NULL when memory is out, or it holds a control character. */
static int encode(lario_req *req, const char *location, char **ret_encoded)
{
    static const char hex[] = "0123456789ABCDEF";
    size_t bytes = 1;

    for (const char *at = location; *at; at++) {
        unsigned char byte = (unsigned char)*at;

        if (byte < 0x20 || byte == 0x7f)
            return LARIO_EHEADER;
        bytes += is_uri_byte(byte) ? 1 : 3;
    }
    char *encoded = lario_alloc(req, bytes), *to = encoded;

    if (!encoded)
        return LARIO_ENOMEM;
    for (const char *at = location; *at; at++) {
        unsigned char byte = (unsigned char)*at;

        if (is_uri_byte(byte)) {
            *to++ = (char)byte;
        } else {
            *to++ = '%';
            *to++ = hex[byte >> 4];
            *to++ = hex[byte & 15];
        }
    }
    *to = '\0';
    *ret_encoded = encoded;
    return 0;
}

int lario_redirect(lario_req *req, int status, const char *location)
{
    char *encoded;

    if (!is_redirect(status) || !location || !*location)
        return LARIO_EINVAL;
    int rc = encode(req, location, &encoded);

    if (rc == 0)
        rc = lario_add_header(req, "Location", encoded);
    return rc < 0 ? rc : lario_replyf(req, status, "text/plain", "See %s\n", encoded);
}
