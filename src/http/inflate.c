/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "http/compress.h"
#include "lario/compress.h"

/* Compressed bodies of requests. */

#define RAW_BYTES 4096

/* A small body may well inflate to more than its share. */
#define RATIO_FREE_BYTES 65536

struct lario_inflater {
    lario_decoder *decoder;
    const char *raw; /* read and not decoded yet */
    size_t raw_len;
    uint64_t bytes_in;
    uint64_t bytes_out;
    char buffer[RAW_BYTES];
};

/* The answer will say what is understood (RFC 9110 15.5.16). */
static int refuse(lario_req *req)
{
    int rc = lario_add_header(req, "Accept-Encoding",
                              lario_coder_known() ? "gzip, deflate, br" : "identity");

    lario_req_keep_headers(req);
    return rc < 0 ? rc : LARIO_ECODING;
}

int lario_inflate_body(lario_req *req)
{
    const char *value = lario_req_joined(req, "Content-Encoding");
    int coding = value && *value ? lario_coding_of(value, strlen(value)) : LARIO_CODING_IDENTITY;

    if (req->body_read_whole || req->body_read_in_parts)
        return LARIO_ESTATE;
    if (req->inflater || coding == LARIO_CODING_IDENTITY)
        return 0;
    if (coding < 0 || !(lario_coder_known() & 1u << coding))
        return refuse(req);
    lario_inflater *inflater = lario_alloc(req, sizeof *inflater);

    if (!inflater)
        return LARIO_ENOMEM;
    *inflater = (lario_inflater){.decoder = lario_decoder_new((enum lario_coding)coding)};
    if (!inflater->decoder)
        return LARIO_ENOMEM;
    req->inflater = inflater;
    return 0;
}

void lario_inflater_done(lario_inflater *inflater)
{
    if (inflater)
        lario_decoder_free(inflater->decoder);
}

static int check_ratio(const lario_req *req, const lario_inflater *inflater)
{
    uint64_t allowed = inflater->bytes_in * lario_http_conn_limits(req->conn)->inflate_ratio_max;

    return inflater->bytes_out > RATIO_FREE_BYTES && inflater->bytes_out > allowed ? LARIO_ETOOBIG
                                                                                   : 0;
}

int lario_inflate_read(lario_req *req, void *buffer, size_t size)
{
    lario_inflater *inflater = req->inflater;
    int rc;

    do {
        /* It may hold output back that needs no more input. */
        rc = lario_decoder_run(inflater->decoder, &inflater->raw, &inflater->raw_len, buffer, size);
        if (rc != 0)
            break;
        rc = lario_body_read_raw(req, inflater->buffer, sizeof inflater->buffer);
        if (rc == 0)
            return lario_decoder_is_done(inflater->decoder) || inflater->bytes_in == 0
                       ? 0
                       : LARIO_EPROTO;
        if (rc < 0)
            return rc;
        inflater->raw = inflater->buffer;
        inflater->raw_len = (size_t)rc;
        inflater->bytes_in += (size_t)rc;
    } while (true);
    if (rc < 0)
        return rc;
    inflater->bytes_out += (size_t)rc;
    int over = check_ratio(req, inflater);

    return over < 0 ? over : rc;
}
