/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/compress.h"

#include <string.h>
#include <strings.h>

#include "codec/token.h"
#include "http/loop.h"
#include "lario/compress.h"

/* Which answers are compressed, and what their heads say then. */

static const lario_compression by_default = LARIO_COMPRESSION_INIT;

int lario_compress(lario_req *req, const lario_compression *compression)
{
    if (!compression)
        compression = &by_default;
    if (compression->gzip_level < 0 || compression->gzip_level > 9 || compression->br_level < 0 ||
        compression->br_level > 11)
        return LARIO_EINVAL;
    req->compression = compression;
    return 0;
}

/* ---- Encoders, which are used again on their loop ---- */

/* Spare encoders that a loop keeps: answers in parts that are on their way at once, as a rule. */
#define SPARE_MAX 8

static lario_http_loop *loop_of(const lario_req *req)
{
    return lario_http_loop_of(req->conn->conn.stream.loop);
}

static lario_encoder *get_encoder(lario_req *req, enum lario_coding coding)
{
    lario_http_loop *loop = loop_of(req);
    int level =
        coding == LARIO_CODING_BR ? req->compression->br_level : req->compression->gzip_level;
    lario_encoder *spare = lario_encoder_take(&loop->spare_encoders, coding, level);

    loop->spare_count -= spare != NULL;
    return spare ? spare : lario_encoder_new(coding, level);
}

void lario_compress_put_back(lario_req *req, lario_encoder *encoder)
{
    lario_http_loop *loop = loop_of(req);

    if (!encoder)
        return;
    if (loop->spare_count < SPARE_MAX && lario_encoder_reuse(encoder, &loop->spare_encoders))
        loop->spare_count++;
    else
        lario_encoder_free(encoder);
}

/* ---- Whether ---- */

static bool starts_with(const char *text, size_t len, const char *prefix)
{
    size_t prefix_len = strlen(prefix);

    return len >= prefix_len && lario_ascii_equal_nocase(text, prefix, prefix_len);
}

static bool ends_with(const char *text, size_t len, const char *suffix)
{
    size_t suffix_len = strlen(suffix);

    return len >= suffix_len &&
           lario_ascii_equal_nocase(text + len - suffix_len, suffix, suffix_len);
}

static bool is_type(const char *type, size_t len, const char *name)
{
    size_t name_len = strlen(name);

    if (name_len > 0 && name[name_len - 1] == '/')
        return starts_with(type, len, name);
    return len == name_len && lario_ascii_equal_nocase(type, name, len);
}

static bool is_compressible(const lario_compression *compression, const char *type)
{
    static const char *const usual[] = {"text/", "application/json", "application/javascript",
                                        "application/xml", NULL};
    const char *const *types = compression->types ? compression->types : usual;
    size_t len = type ? strcspn(type, "; \t") : 0;

    /* Events are few bytes at a time, and each stream would hold an encoder for hours. */
    if (len == 0 || (!compression->types && is_type(type, len, "text/event-stream")))
        return false;
    for (; *types; types++)
        if (is_type(type, len, *types))
            return true;
    return !compression->types && (ends_with(type, len, "+json") || ends_with(type, len, "+xml"));
}

/* The value of a field that the handler added, up to its CRLF; NULL when there is none. */
static char *find_added(const lario_req *req, const char *name, size_t *ret_len)
{
    size_t name_len = strlen(name);
    char *at = req->extra, *end = req->extra + req->extra_len;

    while (at < end) {
        char *crlf = memmem(at, (size_t)(end - at), "\r\n", 2);

        if ((size_t)(crlf - at) > name_len && at[name_len] == ':' &&
            lario_ascii_equal_nocase(at, name, name_len)) {
            *ret_len = (size_t)(crlf - at) - name_len - 2;
            return at + name_len + 2;
        }
        at = crlf + 2;
    }
    return NULL;
}

static bool is_fixed(const lario_req *req)
{
    size_t len;
    const char *control = find_added(req, "Cache-Control", &len);

    return find_added(req, "Content-Encoding", &len) || find_added(req, "Content-Range", &len) ||
           (control && lario_token_list_has(control, len, "no-transform"));
}

/* The client's choice among what this server gives; its lines are one list. */
static enum lario_coding choose(lario_req *req)
{
    const lario_compression *compression = req->compression;
    unsigned offered = (compression->gzip_level ? 1u << LARIO_CODING_GZIP : 0) |
                       (compression->br_level ? 1u << LARIO_CODING_BR : 0);
    const char *value = lario_req_joined(req, "Accept-Encoding");

    return lario_accept_encoding_choose(value, value ? strlen(value) : 0,
                                        offered & lario_coder_known());
}

/* ---- The head ---- */

/* What was the same bytes for everybody is now only the same content (RFC 9110 8.8.3). */
static int weaken_etag(lario_req *req)
{
    size_t len;
    char *value = find_added(req, "ETag", &len);

    if (!value || len < 2 || value[0] != '"')
        return 0;
    size_t at = (size_t)(value - req->extra);
    int rc = lario_req_make_extra_room(req, 2);

    if (rc < 0)
        return rc;
    memmove(req->extra + at + 2, req->extra + at, req->extra_len - at);
    memcpy(req->extra + at, "W/", 2);
    req->extra_len += 2;
    return 0;
}

static int put_headers(lario_req *req, enum lario_coding coding)
{
    int rc = lario_add_header(req, "Content-Encoding", lario_coding_name(coding));

    return rc < 0 ? rc : weaken_etag(req);
}

/* Whether and how this answer is compressed; caches are told that it depends on the client. */
static int decide(lario_req *req, int status, const char *type, enum lario_coding *ret_coding)
{
    *ret_coding = LARIO_CODING_IDENTITY;
    if (status == 204 || status == 206 || !is_compressible(req->compression, type) || is_fixed(req))
        return 0;
    int rc = lario_add_header(req, "Vary", "Accept-Encoding");

    if (rc == 0)
        *ret_coding = choose(req);
    return rc;
}

/* A 304 says of the answer that it stands for what that would (RFC 9110 15.4.5). */
static int describe_not_modified(lario_req *req)
{
    int rc = lario_add_header(req, "Vary", "Accept-Encoding");

    return rc == 0 && choose(req) != LARIO_CODING_IDENTITY ? weaken_etag(req) : rc;
}

/* ---- Whole bodies ---- */

typedef struct growing_body {
    char *bytes;
    size_t len;
    size_t room;
} growing_body;

static int grow(void *arg, const void *data, size_t len)
{
    growing_body *body = arg;

    if (len > body->room - body->len)
        return LARIO_ETOOBIG; /* not smaller: it is sent as it is */
    memcpy(body->bytes + body->len, data, len);
    body->len += len;
    return 0;
}

int lario_compress_whole(lario_req *req, int status, const char *type, const void **body,
                         size_t *len)
{
    enum lario_coding coding;

    if (status == 304)
        return describe_not_modified(req);
    if (*len < req->compression->bytes_min)
        return 0;
    int rc = decide(req, status, type, &coding);

    if (rc < 0 || coding == LARIO_CODING_IDENTITY)
        return rc;
    growing_body smaller = {.bytes = lario_alloc(req, *len), .room = *len};
    lario_encoder *encoder = smaller.bytes ? get_encoder(req, coding) : NULL;

    /* Without the memory to make it smaller it is still an answer. */
    if (!encoder)
        return 0;
    rc = lario_encoder_run(encoder, LARIO_ENCODE_END, *body, *len, grow, &smaller);
    lario_compress_put_back(req, encoder);
    if (rc < 0)
        return rc == LARIO_ETOOBIG || rc == LARIO_ENOMEM ? 0 : rc;
    rc = put_headers(req, coding);
    if (rc < 0)
        return rc;
    *body = smaller.bytes;
    *len = smaller.len;
    return 0;
}

/* ---- Bodies in parts ---- */

int lario_compress_start(lario_req *req, int status, const char *type)
{
    enum lario_coding coding;
    int rc = decide(req, status, type, &coding);

    if (rc < 0 || coding == LARIO_CODING_IDENTITY || req->head_only)
        return rc < 0 || coding == LARIO_CODING_IDENTITY ? rc : put_headers(req, coding);
    req->encoder = get_encoder(req, coding);
    return req->encoder ? put_headers(req, coding) : 0;
}
