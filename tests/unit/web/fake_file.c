/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "codec/date.h"
#include "codec/mime.h"
#include "fake_req.h"
#include "http/file.h"

/* Stands in for http/file.c: the whole file, without conditions and ranges. */
int lario_reply_open_file(lario_req *req, int fd, const lario_file_info *info, const char *name,
                          const char *encoding, const lario_file_options *options)
{
    char date[LARIO_DATE_BYTES + 1];
    char *bytes = malloc(info->bytes + 1);
    int rc = bytes ? lario_file_read(fd, bytes, info->bytes) : LARIO_ENOMEM;

    if (rc >= 0 && lario_date_format(info->modified_s, date) &&
        lario_add_header(req, "Last-Modified", date) < 0)
        rc = LARIO_ETOOBIG;
    if (rc >= 0 && encoding && lario_add_header(req, "Content-Encoding", encoding) < 0)
        rc = LARIO_ETOOBIG;
    if (rc >= 0 && options->cache_control &&
        lario_add_header(req, "Cache-Control", options->cache_control) < 0)
        rc = LARIO_ETOOBIG;
    if (rc >= 0)
        rc = lario_reply_bytes(req, 200, lario_mime_type(name), bytes, (size_t)rc);
    lario_fd_close(fd);
    free(bytes);
    return rc;
}
