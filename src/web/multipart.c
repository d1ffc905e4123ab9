/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "codec/multipart.h"
#include "codec/multipart_head.h"
#include "http/request.h"
#include "lario/form.h"
#include "lario/log.h"
#include "lario/process.h"
#include "sys/file.h"

/*
 * Forms that come in parts. Bytes of the body are read into one buffer of the request's arena; the
 * parser shows the data of a part in place there.
 */

#define BUFFER_BYTES 32768

typedef struct multipart_reader {
    lario_multipart parser;
    char *buffer;
    size_t at; /* in the buffer: what the parser takes next */
    size_t end;
    const char *data; /* of the part, shown and not taken yet */
    size_t data_len;
    bool is_open;    /* a part is */
    bool is_done;    /* behind the last part */
    uint32_t fields; /* parts that are no files */
} multipart_reader;

static int start(lario_req *req, multipart_reader **ret_reader)
{
    void **slot = lario_req_slot(req, LARIO_REQ_SLOT_MULTIPART);
    const char *type = lario_header(req, "Content-Type");

    *ret_reader = *slot;
    if (*slot)
        return 0;
    multipart_reader *reader = lario_alloc(req, sizeof *reader);
    char *head = lario_alloc(req, lario_req_limits(req)->part_head_bytes_max + 1);
    char *buffer = lario_alloc(req, BUFFER_BYTES);

    if (!reader || !head || !buffer)
        return LARIO_ENOMEM;
    memset(reader, 0, sizeof *reader);
    int rc = type ? lario_multipart_init(&reader->parser, type, strlen(type), head) : LARIO_EMEDIA;

    if (rc < 0)
        return rc;
    reader->buffer = buffer;
    *slot = *ret_reader = reader;
    return 0;
}

/* The parser's next event; reads on when it needs more. */
static int next_event(lario_req *req, multipart_reader *reader)
{
    const lario_limits *limits = lario_req_limits(req);
    const lario_multipart_limits part_limits = {
        .parts_max = limits->parts_max,
        .part_head_bytes_max = limits->part_head_bytes_max,
    };

    while (true) {
        size_t used;
        int rc =
            lario_multipart_next(&reader->parser, &part_limits, reader->buffer + reader->at,
                                 reader->end - reader->at, &used, &reader->data, &reader->data_len);

        reader->at += used;
        if (rc != LARIO_MULTIPART_MORE)
            return rc;
        rc = lario_body_read(req, reader->buffer, BUFFER_BYTES);
        if (rc == 0)
            rc = lario_multipart_finish(&reader->parser) < 0 ? LARIO_EPROTO : LARIO_ESTATE;
        if (rc < 0)
            return rc;
        reader->at = 0;
        reader->end = (size_t)rc;
    }
}

/* What follows the last part is read too, so that the connection can go on; its end says whether
 * the body was whole. */
static int read_rest(lario_req *req, multipart_reader *reader)
{
    int rc;

    do
        rc = lario_body_read(req, reader->buffer, BUFFER_BYTES);
    while (rc > 0);
    reader->is_done = rc == 0;
    return rc;
}

static int open_part(lario_req *req, multipart_reader *reader, lario_part *ret_part)
{
    lario_multipart_head head;
    int rc = lario_multipart_head_read(reader->parser.head, reader->parser.head_len, &head);

    if (rc < 0)
        return rc;
    if (!head.file_name && ++reader->fields > lario_req_limits(req)->form_fields_max)
        return LARIO_ETOOBIG;
    reader->is_open = true;
    *ret_part = (lario_part){.name = head.name, .file_name = head.file_name, .type = head.type};
    return 1;
}

int lario_part_next(lario_req *req, lario_part *ret_part)
{
    multipart_reader *reader;
    int rc = start(req, &reader);

    while (rc == 0 && !reader->is_done) {
        rc = next_event(req, reader);
        reader->data_len = 0;
        reader->is_open = false;
        if (rc == LARIO_MULTIPART_PART)
            return open_part(req, reader, ret_part);
        if (rc == LARIO_MULTIPART_END)
            return read_rest(req, reader);
        rc = rc < 0 ? rc : 0; /* the rest of a part that was not read */
    }
    return rc;
}

/* Shows the next bytes of the part: 1, or 0 at its end. */
static int next_data(lario_req *req, multipart_reader *reader)
{
    if (!reader || (!reader->is_open && reader->data_len == 0))
        return LARIO_ESTATE;
    if (reader->data_len > 0)
        return 1;
    int rc = next_event(req, reader);

    if (rc == LARIO_MULTIPART_DATA)
        return 1;
    reader->data_len = 0;
    reader->is_open = rc < 0;
    return rc < 0 ? rc : 0;
}

int lario_part_read(lario_req *req, void *buffer, size_t size)
{
    multipart_reader *reader = *lario_req_slot(req, LARIO_REQ_SLOT_MULTIPART);

    if (size == 0)
        return LARIO_EINVAL;
    int rc = next_data(req, reader);

    if (rc <= 0)
        return rc;
    size_t len = reader->data_len < size ? reader->data_len : size;

    memcpy(buffer, reader->data, len);
    reader->data += len;
    reader->data_len -= len;
    return (int)len;
}

int lario_part_text(lario_req *req, size_t max, const char **ret_text, size_t *ret_len)
{
    multipart_reader *reader = *lario_req_slot(req, LARIO_REQ_SLOT_MULTIPART);
    size_t len = 0, room = 0;
    char *text = NULL;
    int rc;

    while ((rc = next_data(req, reader)) > 0) {
        if (reader->data_len > max - len)
            return LARIO_ETOOBIG;
        if (len + reader->data_len + 1 > room) {
            size_t larger = 2 * (len + reader->data_len + 1);
            char *grown = lario_alloc(req, larger);

            if (!grown)
                return LARIO_ENOMEM;
            if (len > 0)
                memcpy(grown, text, len);
            text = grown;
            room = larger;
        }
        memcpy(text + len, reader->data, reader->data_len);
        len += reader->data_len;
        reader->data_len = 0;
    }
    if (rc < 0)
        return rc;
    if (text)
        text[len] = '\0';
    *ret_text = text ? text : "";
    if (ret_len)
        *ret_len = len;
    return 0;
}

/* ---- Files ---- */

typedef struct saving {
    const char *path;
    int fd;
    const char *data;
    size_t len;
} saving;

static int create(void *arg)
{
    saving *file = arg;

    file->fd = lario_file_create(file->path);
    return file->fd < 0 ? file->fd : 0;
}

static int write_some(void *arg)
{
    const saving *file = arg;

    return lario_file_write(file->fd, file->data, file->len);
}

/* Closing tells what the disk could not take. */
static int close_file(void *arg)
{
    saving *file = arg;
    int rc = lario_file_close(file->fd);

    file->fd = -1;
    return rc;
}

static int remove_file(void *arg)
{
    return lario_file_remove(((const saving *)arg)->path);
}

static int save_all(lario_req *req, multipart_reader *reader, saving *file, uint64_t max,
                    uint64_t *ret_bytes)
{
    uint64_t bytes = 0;
    int rc;

    while ((rc = next_data(req, reader)) > 0) {
        if (reader->data_len > max - bytes)
            return LARIO_ETOOBIG;
        bytes += reader->data_len;
        file->data = reader->data;
        file->len = reader->data_len;
        rc = lario_offload(write_some, file);
        if (rc < 0)
            return rc;
        reader->data_len = 0;
    }
    if (rc == 0)
        rc = lario_offload(close_file, file);
    if (rc == 0 && ret_bytes)
        *ret_bytes = bytes;
    return rc;
}

int lario_part_save(lario_req *req, const char *path, uint64_t max, uint64_t *ret_bytes)
{
    multipart_reader *reader = *lario_req_slot(req, LARIO_REQ_SLOT_MULTIPART);
    saving file = {.path = path, .fd = -1};

    if (!reader || (!reader->is_open && reader->data_len == 0))
        return LARIO_ESTATE;
    int rc = lario_offload(create, &file);

    if (rc < 0)
        return rc;
    rc = save_all(req, reader, &file, max, ret_bytes);
    if (rc == 0)
        return 0;
    if (file.fd >= 0)
        (void)close_file(&file); /* why it failed is known already */
    /* A process that was killed cannot wait for a worker any more. */
    int removed = lario_offload(remove_file, &file);

    if (removed == LARIO_ECANCELED || removed == LARIO_EFULL)
        removed = remove_file(&file);
    if (removed < 0)
        lario_log(LARIO_LOG_ERROR, "upload_not_removed", "%s: %s", path, lario_strerror(removed));
    return rc;
}
