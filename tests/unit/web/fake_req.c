/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake_req.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fake_req_init(lario_req *req, const char *method, const char *target)
{
    *req = (lario_req){.method = method, .target = target, .blocks_allowed = FAKE_BLOCKS_MAX};
}

void fake_req_done(lario_req *req)
{
    for (size_t i = 0; i < req->blocks_count; i++)
        free(req->blocks[i]);
    free(req->body);
    *req = (lario_req){0};
}

const char *fake_req_answer_header(const lario_req *req, const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < req->headers_count; i++) {
        if (strncmp(req->headers[i], name, len) == 0 &&
            strncmp(req->headers[i] + len, ": ", 2) == 0)
            return req->headers[i] + len + 2;
    }
    return NULL;
}

const char *lario_method(const lario_req *req)
{
    return req->method;
}

const char *lario_target(const lario_req *req)
{
    return req->target;
}

const char *lario_host(const lario_req *req)
{
    return req->host ? req->host : "";
}

const char *lario_header(lario_req *req, const char *name)
{
    return strcmp(name, "Accept-Encoding") == 0 ? req->accept_encoding : NULL;
}

void **lario_req_slot(lario_req *req, enum lario_req_slot slot)
{
    return &req->slots[slot];
}

const char *lario_req_raw_path(const lario_req *req, size_t *ret_len)
{
    *ret_len = strcspn(req->target, "?");
    return req->target;
}

void lario_req_set_params(lario_req *req, const lario_req_param *params, size_t count)
{
    req->params = params;
    req->params_count = count;
}

const char *lario_param(const lario_req *req, const char *name)
{
    for (size_t i = 0; i < req->params_count; i++) {
        if (strcmp(req->params[i].name, name) == 0)
            return req->params[i].value;
    }
    return NULL;
}

void *lario_alloc(lario_req *req, size_t size)
{
    void *block;

    if (req->blocks_count >= req->blocks_allowed || req->blocks_count == FAKE_BLOCKS_MAX)
        return NULL;
    block = malloc(size > 0 ? size : 1);
    if (block)
        req->blocks[req->blocks_count++] = block;
    return block;
}

char *lario_format(lario_req *req, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    char *copy = lario_alloc(req, strlen(text) + 1);

    return copy ? strcpy(copy, text) : NULL;
}

int lario_add_header(lario_req *req, const char *name, const char *value)
{
    if (req->status)
        return LARIO_ESTATE;
    if (req->headers_count == FAKE_HEADERS_MAX)
        return LARIO_ETOOBIG;
    if (strpbrk(value, "\r\n"))
        return LARIO_EHEADER;
    snprintf(req->headers[req->headers_count], sizeof(req->headers[0]), "%s: %s", name, value);
    req->headers_count++;
    return 0;
}

int lario_reply_start_sized(lario_req *req, int status, const char *type, uint64_t bytes)
{
    if (req->status)
        return LARIO_ESTATE;
    req->status = status;
    snprintf(req->type, sizeof(req->type), "%s", type ? type : "");
    req->announced = bytes;
    return 0;
}

int lario_reply_write(lario_req *req, const void *data, size_t len)
{
    char *body;

    if (!req->status)
        return LARIO_ESTATE;
    if (req->write_result < 0)
        return req->write_result;
    if (len > req->announced - req->body_len)
        return LARIO_EINVAL;
    body = realloc(req->body, req->body_len + len + 1);
    if (!body)
        return LARIO_ENOMEM;
    memcpy(body + req->body_len, data, len);
    req->body = body;
    req->body_len += len;
    req->body[req->body_len] = '\0';
    if (len > req->write_len_max)
        req->write_len_max = len;
    return 0;
}

int lario_reply_bytes(lario_req *req, int status, const char *type, const void *body, size_t len)
{
    int rc = lario_reply_start_sized(req, status, type, len);

    if (rc < 0 || strcmp(req->method, "HEAD") == 0 || status == 204 || status == 304)
        return rc;
    return lario_reply_write(req, body, len);
}

int lario_reply_error(lario_req *req, int status)
{
    return lario_reply(req, status, "text/plain", status == 404 ? "Not Found" : "Error");
}

int lario_redirect(lario_req *req, int status, const char *location)
{
    int rc = lario_add_header(req, "Location", location);

    return rc < 0 ? rc : lario_reply(req, status, "text/plain", location);
}

int lario_reply(lario_req *req, int status, const char *type, const char *body)
{
    return lario_reply_bytes(req, status, type, body ? body : "", body ? strlen(body) : 0);
}
