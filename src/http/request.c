/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "codec/uri.h"
#include "http/compress.h"
#include "http/req.h"
#include "proc/scheduler.h"
#include "sys/socket.h"

/* The request: what came, as strings of its own arena. */

/* ---- Making one ---- */

/* The end of the client is the one thing that a request's connection says in lario_receive(). */
static int source_receive(lario_source *source, int kind, lario_msg *ret_msg)
{
    lario_req *req = lario_container_of(source, lario_req, source);
    (void)kind;
    (void)ret_msg;

    if (req->conn->is_closed || req->conn->conn.stream.has_eof)
        return LARIO_ECLOSED;
    const lario_conn *conn = &req->conn->conn;

    /* What the request waits for may well come while the server drains; a long poll's may not. */
    if (lario_conn_is_draining(conn) &&
        lario_loop_now_ms(conn->stream.loop) >= lario_conn_drain_wait_until_ms(conn))
        return LARIO_EDRAINING;
    return LARIO_EAGAIN;
}

static void source_released(lario_source *source)
{
    (void)source;
}

static const char *terminate(char *head, lario_http1_span span)
{
    head[span.at + span.len] = '\0';
    return head + span.at;
}

/*
 * What follows a method, target, name or value is a delimiter that has done its work, so each can
 * get its NUL in place. The path ends where the query begins, so it stays a span.
 */
static void take_strings(lario_req *req, const lario_http1_head *head)
{
    for (unsigned i = 0; i < req->fields_count; i++) {
        terminate(req->head, req->fields[i].name);
        terminate(req->head, req->fields[i].value);
    }
    req->method = terminate(req->head, head->method);
    req->target = terminate(req->head, head->target);
    req->raw_path = req->head + head->path.at;
    req->raw_path_len = head->path.len;
    req->raw_query = req->head + head->query.at;
    req->raw_query_len = head->query.len;
}

/* Decodes the path once, for everybody; LARIO_EPROTO when it cannot be decoded. */
static int decode_path(lario_req *req)
{
    char *path = lario_arena_alloc(&req->arena, req->raw_path_len + 1);

    if (!path)
        return LARIO_ENOMEM;
    int len = lario_uri_decode_path(req->raw_path, req->raw_path_len, path, '/');

    path[len < 0 ? 0 : len] = '\0';
    req->path = path;
    return len < 0 ? len : 0;
}

/* RFC 6265 sets no limit; whoever sends many makes each look at them costly. */
static bool has_too_many_cookies(const lario_req *req)
{
    uint32_t max = lario_http_conn_limits(req->conn)->cookies_max, count = 0;

    for (unsigned i = 0; i < req->fields_count; i++) {
        const lario_http1_field *field = &req->fields[i];

        if (field->name.len != 6 || strcasecmp(req->head + field->name.at, "cookie") != 0)
            continue;
        count++;
        for (const char *at = req->head + field->value.at; (at = strchr(at, ';')); at++)
            count++;
    }
    return count > max;
}

static int copy_head(lario_req *req, const lario_http1_head *head, const char *data, size_t len)
{
    size_t fields_bytes = head->fields_count * sizeof head->fields[0];
    lario_http1_span host = head->host;

    req->fields = lario_arena_alloc(&req->arena, fields_bytes);
    req->head = lario_arena_alloc(&req->arena, len + 1);
    if (!req->fields || !req->head)
        return LARIO_ENOMEM;
    memcpy(req->fields, head->fields, fields_bytes);
    memcpy(req->head, data, len);
    req->fields_count = head->fields_count;
    /* The host may be a part of the target: it is copied before a NUL is put anywhere. */
    req->host = lario_arena_copy(&req->arena, req->head + host.at, host.len);
    take_strings(req, head);
    if (has_too_many_cookies(req))
        return LARIO_EPROTO;
    return req->host ? decode_path(req) : LARIO_ENOMEM;
}

int lario_req_init(lario_req *req, lario_http_conn *conn, void *space, size_t space_size)
{
    const lario_http1_head *head = conn->starting;
    lario_stream *stream = &conn->conn.stream;

    memset(req, 0, sizeof *req);
    req->conn = conn;
    req->proc = lario_proc_current();
    req->source = (lario_source){.receive = source_receive, .released = source_released};
    req->proc->source = &req->source;
    req->minor = head->minor;
    req->keep_asked = head->keep_alive;
    req->keep_told = head->keep_alive_said;
    req->upgrade_asked = head->upgrade_asked;
    req->has_body = !conn->body_ended;
    req->body_bytes_max = lario_http_conn_limits(conn)->body_bytes_max;
    req->body_ms = lario_http_conn_limits(conn)->body_ms;
    req->method = req->target = req->host = req->path = req->raw_path = "";
    lario_arena_init(&req->arena, space, space_size, LARIO_REQ_ARENA_BYTES_MAX);
    int rc = copy_head(req, head, stream->in, conn->head_len);

    req->head_only = strcmp(req->method, "HEAD") == 0;
    free(conn->partial);
    conn->partial = NULL;
    lario_stream_consume(stream, conn->head_len);
    return rc;
}

void **lario_req_slot(lario_req *req, enum lario_req_slot slot)
{
    return &req->slots[slot];
}

void lario_req_add_cleanup(lario_req *req, lario_req_cleanup *cleanup)
{
    cleanup->next = req->cleanups;
    req->cleanups = cleanup;
}

const lario_limits *lario_req_limits(const lario_req *req)
{
    return lario_http_conn_limits(req->conn);
}

void lario_req_done(lario_req *req)
{
    while (req->cleanups) {
        lario_req_cleanup *cleanup = req->cleanups;

        req->cleanups = cleanup->next;
        cleanup->run(cleanup);
    }
    req->proc->source = NULL;
    lario_compress_put_back(req, req->encoder);
    lario_inflater_done(req->inflater);
    free(req->body_data);
    lario_arena_done(&req->arena);
}

/* ---- Reading it ---- */

const char *lario_method(const lario_req *req)
{
    return req->method;
}

const char *lario_target(const lario_req *req)
{
    return req->target;
}

int lario_http_minor(const lario_req *req)
{
    return req->minor;
}

const char *lario_host(const lario_req *req)
{
    return req->host;
}

const char *lario_path(const lario_req *req)
{
    return req->path;
}

const char *lario_req_joined(lario_req *req, const char *name)
{
    const char *field, *value, *all = NULL;

    for (size_t i = 0; lario_header_at(req, i, &field, &value) == 0; i++) {
        if (strcasecmp(field, name) != 0)
            continue;
        all = all ? lario_format(req, "%s, %s", all, value) : value;
    }
    return all;
}

void lario_req_keep_headers(lario_req *req)
{
    req->kept_len = req->extra_len;
    req->kept_count = req->extra_count;
}

void lario_limit_body(lario_req *req, uint64_t bytes, uint32_t ms)
{
    req->body_bytes_max = bytes;
    req->body_ms = ms;
}

const char *lario_req_raw_path(const lario_req *req, size_t *ret_len)
{
    *ret_len = req->raw_path_len;
    return req->raw_path;
}

static const char *address_text(lario_req *req,
                                int (*get)(const lario_conn *conn, lario_address *ret_address))
{
    char text[LARIO_ADDRESS_TEXT_BYTES];
    lario_address address;

    if (req->conn->is_closed || get(&req->conn->conn, &address) < 0)
        return "";
    lario_address_format(&address, text);
    const char *copy = lario_arena_copy(&req->arena, text, strlen(text));

    return copy ? copy : "";
}

const char *lario_peer(lario_req *req)
{
    if (!req->peer)
        req->peer = address_text(req, lario_conn_peer);
    return req->peer;
}

const char *lario_local(lario_req *req)
{
    if (!req->local)
        req->local = address_text(req, lario_conn_local);
    return req->local;
}

const char *lario_req_field(const lario_req *req, const char *name, size_t len)
{
    for (unsigned i = 0; i < req->fields_count; i++) {
        const lario_http1_field *field = &req->fields[i];

        if (field->name.len == len && strncasecmp(req->head + field->name.at, name, len) == 0)
            return req->head + field->value.at;
    }
    return NULL;
}

const char *lario_header(lario_req *req, const char *name)
{
    return lario_req_field(req, name, strlen(name));
}

int lario_header_at(lario_req *req, size_t index, const char **ret_name, const char **ret_value)
{
    if (index >= req->fields_count)
        return LARIO_ENOTFOUND;
    *ret_name = req->head + req->fields[index].name.at;
    *ret_value = req->head + req->fields[index].value.at;
    return 0;
}

void lario_req_set_params(lario_req *req, const lario_req_param *params, size_t count)
{
    req->params = params;
    req->params_count = count;
}

const char *lario_param(const lario_req *req, const char *name)
{
    for (size_t i = 0; i < req->params_count; i++)
        if (strcmp(req->params[i].name, name) == 0)
            return req->params[i].value;
    return NULL;
}

void *lario_data(const lario_req *req)
{
    return req->conn->conn.home->server->data;
}

void *lario_alloc(lario_req *req, size_t size)
{
    return lario_arena_alloc(&req->arena, size);
}

char *lario_format(lario_req *req, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    char *text = lario_arena_vformat(&req->arena, NULL, format, values);

    va_end(values);
    return text;
}

/* ---- Waiting for the connection ---- */

/* Of a connection that has ended: a client that takes nothing any more, or one that left. */
static int why_closed(const lario_req *req)
{
    return req->conn->conn.stream.close_rc == LARIO_ETIMEDOUT ? LARIO_ETIMEDOUT : LARIO_ECLOSED;
}

int lario_req_wait(lario_req *req, int timeout_ms)
{
    if (req->conn->is_closed)
        return why_closed(req);
    int rc = lario_proc_park(req->proc, LARIO_WAIT_CONN, timeout_ms);

    return rc == LARIO_ECANCELED && req->conn->is_closed ? why_closed(req) : rc;
}

int lario_req_wait_for_room(lario_req *req)
{
    while (lario_stream_check_full(&req->conn->conn.stream)) {
        int rc = lario_req_wait(req, -1);

        if (rc < 0)
            return rc;
    }
    return 0;
}
