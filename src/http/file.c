/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "codec/condition.h"
#include "codec/date.h"
#include "codec/mime.h"
#include "codec/range.h"
#include "http/req.h"
#include "net/block.h"
#include "sys/clock.h"
#include "sys/random.h"

/*
 * Files as answers: what is known of the file and what the client knows of it decide between the
 * whole, parts of it, and only a head.
 */

/* Up to here a file is read and leaves with the head in one piece, which is a system call less. */
#define SMALL_BYTES 16384

/* More ranges than this are never looked at; limits.ranges_max is below it as a rule. */
#define RANGES_MAX 64

#define BOUNDARY_CHARS 24
#define PART_HEAD_BYTES_MAX 320

typedef struct file_answer {
    lario_req *req;
    int fd; /* -1 once the stream has it */
    const lario_file_info *info;
    const char *type;
    char etag[48];
    uint32_t fields_len; /* those that were added before the file's */
    uint32_t fields_count;
} file_answer;

/* ---- The head ---- */

static void make_etag(file_answer *answer, const char *encoding)
{
    /* The time in nanoseconds: a file that was written twice within a second differs. */
    snprintf(answer->etag, sizeof answer->etag, "\"%" PRIx64 "-%" PRIx64 "%s%.4s\"",
             (uint64_t)answer->info->modified_ns, answer->info->bytes, encoding ? "-" : "",
             encoding ? encoding : "");
}

static bool is_plain_name_char(char c)
{
    return (unsigned char)c >= 0x20 && (unsigned char)c < 0x7f && c != '"' && c != '\\' && c != '%';
}

static bool is_attr_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("!#$&+-.^_`|~", c));
}

/* The name in ASCII for old clients, and as UTF-8 when that is not the same (RFC 6266 4.3). */
static int add_disposition(lario_req *req, const char *name)
{
    static const char hex[] = "0123456789ABCDEF";
    size_t len = strlen(name);
    char *value = lario_alloc(req, 64 + 4 * len), *at = value;
    bool is_plain = true;

    if (!value)
        return LARIO_ENOMEM;
    at = stpcpy(at, "attachment; filename=\"");
    for (size_t i = 0; i < len; i++) {
        is_plain = is_plain && is_plain_name_char(name[i]);
        *at++ = is_plain_name_char(name[i]) ? name[i] : '_';
    }
    at = stpcpy(at, "\"");
    if (!is_plain) {
        at = stpcpy(at, "; filename*=UTF-8''");
        for (size_t i = 0; i < len; i++) {
            if (is_attr_char(name[i])) {
                *at++ = name[i];
                continue;
            }
            *at++ = '%';
            *at++ = hex[(unsigned char)name[i] >> 4];
            *at++ = hex[(unsigned char)name[i] & 15];
        }
    }
    *at = '\0';
    return lario_add_header(req, "Content-Disposition", value);
}

/* The fields of every answer about the file, a 304 too (RFC 9110 15.4.5). */
static int add_fields(const file_answer *answer, const char *encoding,
                      const lario_file_options *options)
{
    lario_req *req = answer->req;
    char date[LARIO_DATE_BYTES + 1];
    int64_t now_s = (int64_t)lario_clock_wall_s();
    /* A date to come would be a lie (RFC 9110 8.8.2.1). */
    int64_t modified_s = answer->info->modified_s < now_s ? answer->info->modified_s : now_s;
    int rc = lario_add_header(req, "ETag", answer->etag);

    if (rc == 0 && lario_date_format(modified_s, date))
        rc = lario_add_header(req, "Last-Modified", date);
    if (rc == 0)
        rc = lario_req_add_header_if(req, "Cache-Control", options->cache_control);
    if (rc == 0)
        rc = lario_req_add_header_if(req, "Content-Encoding", encoding);
    if (rc == 0 && options->download_name)
        rc = add_disposition(req, options->download_name);
    return rc;
}

static int add_content_range(const file_answer *answer, const lario_range *range)
{
    char text[80];

    if (range)
        snprintf(text, sizeof text, "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, range->first,
                 range->last, answer->info->bytes);
    else
        snprintf(text, sizeof text, "bytes */%" PRIu64, answer->info->bytes);
    return lario_add_header(answer->req, "Content-Range", text);
}

/* An error page is not the file: what was said of that does not hold for it. */
static int refuse(const file_answer *answer, int status)
{
    lario_req *req = answer->req;

    req->extra_len = answer->fields_len;
    req->extra_count = answer->fields_count;
    int rc = status == 416 ? add_content_range(answer, NULL) : 0;

    return rc < 0 ? rc : lario_reply_error(req, status);
}

/* ---- What the client knows ---- */

static bool is_get(const lario_req *req)
{
    return strcmp(lario_method(req), "GET") == 0 || strcmp(lario_method(req), "HEAD") == 0;
}

/* Whether any field is there that a file cares for: most requests have none. */
static bool has_conditions(const lario_req *req)
{
    for (unsigned i = 0; i < req->fields_count; i++) {
        const char *name = req->head + req->fields[i].name.at;

        if (((name[0] | 0x20) == 'i' && (name[1] | 0x20) == 'f' && name[2] == '-') ||
            strcasecmp(name, "range") == 0)
            return true;
    }
    return false;
}

/* ---- The body ---- */

/* Queues a piece of the file; the stream closes it. */
static int write_piece(file_answer *answer, lario_block_file *file, uint64_t offset, uint64_t len)
{
    lario_req *req = answer->req;
    lario_stream *stream = &req->conn->conn.stream;
    int rc = lario_req_wait_for_room(req);

    if (rc < 0)
        return rc;
    if (req->conn->is_closed || !lario_stream_is_open(stream))
        return LARIO_ECLOSED;
    if (len > 0 && !req->head_only) {
        rc = lario_stream_write_file(stream, file, offset, len);
        req->body_out += rc == 0 ? len : 0;
    }
    if (rc == 0)
        req->size_left -= len;
    return rc;
}

static lario_block_file *take_file(file_answer *answer)
{
    lario_block_file *file = lario_block_file_new(answer->fd);

    if (file)
        answer->fd = -1;
    return file;
}

static int send_small(file_answer *answer, int status, uint64_t offset, size_t len)
{
    char buffer[SMALL_BYTES];
    int got = lario_file_read_at(answer->fd, buffer, len, offset);

    if (got >= 0 && (size_t)got < len)
        return -ENODATA; /* it has become shorter since it was looked at */
    return got < 0 ? got : lario_reply_bytes(answer->req, status, answer->type, buffer, len);
}

static int send_piece(file_answer *answer, int status, uint64_t offset, uint64_t len)
{
    lario_req *req = answer->req;

    if (len <= SMALL_BYTES && !req->head_only)
        return send_small(answer, status, offset, (size_t)len);
    lario_block_file *file = take_file(answer);

    if (!file)
        return LARIO_ENOMEM;
    int rc = lario_reply_start_sized(req, status, answer->type, len);

    if (rc == 0)
        rc = write_piece(answer, file, offset, len);
    lario_block_file_unref(file);
    return rc;
}

/* ---- Ranges ---- */

static int send_range(file_answer *answer, const lario_range *range)
{
    int rc = add_content_range(answer, range);

    return rc < 0 ? rc : send_piece(answer, 206, range->first, range->last - range->first + 1);
}

static int make_boundary(char text[BOUNDARY_CHARS + 1])
{
    static const char chars[] = "0123456789abcdefghijklmnopqrstuv";
    uint8_t bytes[BOUNDARY_CHARS];
    int rc = lario_random_bytes(bytes, sizeof bytes);

    for (size_t i = 0; i < BOUNDARY_CHARS; i++)
        text[i] = chars[bytes[i] & 31];
    text[BOUNDARY_CHARS] = '\0';
    return rc;
}

static size_t put_part_head(const file_answer *answer, const char *boundary,
                            const lario_range *range, char head[PART_HEAD_BYTES_MAX])
{
    return (size_t)snprintf(head, PART_HEAD_BYTES_MAX,
                            "\r\n--%s\r\nContent-Type: %.160s\r\n"
                            "Content-Range: bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64 "\r\n\r\n",
                            boundary, answer->type, range->first, range->last, answer->info->bytes);
}

/* Several ranges, each as a part (RFC 9110 14.6). */
static int send_ranges(file_answer *answer, const lario_range *ranges, int count)
{
    lario_req *req = answer->req;
    char boundary[BOUNDARY_CHARS + 1], head[PART_HEAD_BYTES_MAX], end[BOUNDARY_CHARS + 16];
    size_t end_len;
    uint64_t bytes = 0;
    int rc = make_boundary(boundary);
    lario_block_file *file = rc == 0 ? take_file(answer) : NULL;

    if (!file)
        return rc < 0 ? rc : LARIO_ENOMEM;
    end_len = (size_t)snprintf(end, sizeof end, "\r\n--%s--\r\n", boundary);
    for (int i = 0; i < count; i++)
        bytes += put_part_head(answer, boundary, &ranges[i], head) + ranges[i].last -
                 ranges[i].first + 1;
    const char *type = lario_format(req, "multipart/byteranges; boundary=%s", boundary);

    rc = type ? lario_reply_start_sized(req, 206, type, bytes + end_len) : LARIO_ENOMEM;
    for (int i = 0; rc == 0 && i < count; i++) {
        rc = lario_reply_write(req, head, put_part_head(answer, boundary, &ranges[i], head));
        if (rc == 0)
            rc = write_piece(answer, file, ranges[i].first, ranges[i].last - ranges[i].first + 1);
    }
    if (rc == 0)
        rc = lario_reply_write(req, end, end_len);
    lario_block_file_unref(file);
    return rc;
}

/* ---- The decision ---- */

static int send_whole(file_answer *answer)
{
    return send_piece(answer, 200, 0, answer->info->bytes);
}

static int answer_range(file_answer *answer, const lario_conditions *conditions,
                        const lario_validators *validators, int64_t now_s)
{
    lario_req *req = answer->req;
    lario_range ranges[RANGES_MAX];
    uint32_t max = lario_req_limits(req)->ranges_max;
    const char *value =
        strcmp(lario_method(req), "GET") == 0 ? lario_req_joined(req, "Range") : NULL;
    int count = value && lario_condition_allows_range(conditions, validators, now_s)
                    ? lario_range_parse(value, strlen(value), answer->info->bytes, ranges,
                                        max < RANGES_MAX ? max : RANGES_MAX)
                    : 0;

    if (count == LARIO_RANGE_UNSATISFIABLE)
        return refuse(answer, 416);
    if (count == 0)
        return send_whole(answer);
    return count == 1 ? send_range(answer, &ranges[0]) : send_ranges(answer, ranges, count);
}

static int answer_conditions(file_answer *answer)
{
    lario_req *req = answer->req;
    const lario_conditions conditions = {
        .if_match = lario_req_joined(req, "If-Match"),
        .if_unmodified_since = lario_req_joined(req, "If-Unmodified-Since"),
        .if_none_match = lario_req_joined(req, "If-None-Match"),
        .if_modified_since = lario_req_joined(req, "If-Modified-Since"),
        .if_range = lario_req_joined(req, "If-Range"),
    };
    const lario_validators validators = {
        .etag = answer->etag,
        .modified_s = answer->info->modified_s,
    };
    int64_t now_s = (int64_t)lario_clock_wall_s();

    switch (lario_condition_check(&conditions, &validators, true, now_s)) {
    case LARIO_CONDITION_NOT_MODIFIED:
        return lario_reply(req, 304, NULL, NULL);
    case LARIO_CONDITION_FAILED:
        return refuse(answer, 412);
    default:
        return answer_range(answer, &conditions, &validators, now_s);
    }
}

int lario_reply_open_file(lario_req *req, int fd, const lario_file_info *info, const char *name,
                          const char *encoding, const lario_file_options *options)
{
    file_answer answer = {
        .req = req,
        .fd = fd,
        .info = info,
        .type = options->type ? options->type : lario_mime_type(name),
        .fields_len = req->extra_len,
        .fields_count = req->extra_count,
    };

    make_etag(&answer, encoding);
    int rc = add_fields(&answer, encoding, options);

    if (rc == 0 && is_get(req))
        rc = lario_add_header(req, "Accept-Ranges", "bytes");
    if (rc == 0)
        rc = is_get(req) && has_conditions(req) ? answer_conditions(&answer) : send_whole(&answer);
    if (answer.fd >= 0)
        lario_fd_close(answer.fd);
    return rc;
}

int lario_reply_file(lario_req *req, const char *path, const lario_file_options *options)
{
    static const lario_file_options by_default = {0};
    lario_file_info info;
    int fd = lario_file_open(path);
    int rc = fd < 0 ? fd : lario_file_stat(fd, &info);

    if (rc == 0 && !info.is_regular)
        rc = LARIO_EINVAL;
    if (rc < 0) {
        if (fd >= 0)
            lario_fd_close(fd);
        return rc;
    }
    return lario_reply_open_file(req, fd, &info, path, NULL, options ? options : &by_default);
}
