/* SPDX-License-Identifier: BSD-3-Clause */
#include "reply.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "board.h"
#include "json.h"

int reply_json(lario_req *req, int status, json_t *value)
{
    char *text = value ? json_dumps(value, JSON_COMPACT) : NULL;
    int rc = text ? lario_add_header(req, "Cache-Control", "no-store") : LARIO_ENOMEM;

    if (rc >= 0)
        rc = lario_reply(req, status, "application/json", text);
    free(text);
    json_decref(value);
    return rc;
}

int reply_error(lario_req *req, int status, const char *error)
{
    return reply_json(req, status, json_pack("{s:s}", "error", error));
}

int reply_failure(lario_req *req, int code)
{
    switch (code) {
    case LARIO_ECLOSED:
    case LARIO_ECANCELED:
        return code;
    case LARIO_ENOTFOUND:
    case LARIO_ENOPROC:
    case LARIO_ENOTMEMBER:
        return reply_error(req, 404, board_error(code));
    case LARIO_EFULL:
        return reply_error(req, 503, board_error(code));
    case LARIO_ETOOBIG:
        return reply_error(req, 413, "the body is too large");
    case LARIO_ETIMEDOUT:
        return reply_error(req, 408, "the body did not arrive in time");
    case LARIO_EPROTO:
        return reply_error(req, 400, "the body is not framed as HTTP demands");
    default:
        lario_log(LARIO_LOG_ERROR, "request_failed", "%s: %s", lario_target(req),
                  lario_strerror(code));
        return reply_error(req, 500, "the server failed, its log tells more");
    }
}

int reply_allow(lario_req *req, const char *methods)
{
    int rc = lario_add_header(req, "Allow", methods);

    if (rc < 0)
        return rc;
    if (strcmp(lario_method(req), "OPTIONS") == 0)
        return lario_reply(req, 204, NULL, NULL);
    return reply_error(req, 405, "this resource does not have this method");
}

bool reply_is_own_origin(lario_req *req, int *ret_rc)
{
    const char *origin = lario_header(req, "Origin");
    const char *authority = origin ? strstr(origin, "://") : NULL;

    if (!origin || (authority && strcasecmp(authority + 3, lario_host(req)) == 0))
        return true;
    *ret_rc = reply_error(req, 403, "pages of another origin may not do this");
    return false;
}

bool reply_has_name(lario_req *req, const char *name, const char **ret_value, int *ret_rc)
{
    const char *value = lario_param(req, name);

    if (board_name_ok(value)) {
        *ret_value = value;
        return true;
    }
    *ret_rc = reply_error(req, 400,
                          "serials and group names have 1 to 64 characters of A-Z a-z 0-9 . _ -");
    return false;
}

/* Compares the media type, without its parameters and without regard to case (RFC 9110 8.3.1). */
static bool is_type(const char *field, const char *type)
{
    size_t len = strlen(type);

    return field && strncasecmp(field, type, len) == 0 &&
           (field[len] == '\0' || strchr("; \t", field[len]));
}

static json_t *message_of_json(lario_req *req, const char *text, size_t len, int *ret_rc)
{
    char error[JSON_ERROR_BYTES];
    json_t *value = json_parse(text, len, error);
    json_t *body = json_incref(json_object_get(value, "body"));

    if (!value)
        *ret_rc = reply_error(req, 400, error);
    else if (!body)
        *ret_rc = reply_error(req, 400, "the JSON text must be an object with a member \"body\"");
    json_decref(value);
    return body;
}

json_t *reply_read_message(lario_req *req, int *ret_rc)
{
    const char *type = lario_header(req, "Content-Type");
    const char *text;
    json_t *body;
    size_t len;
    int rc = lario_body(req, &text, &len);

    if (rc < 0) {
        *ret_rc = reply_failure(req, rc);
        return NULL;
    }
    if (is_type(type, "application/json"))
        return message_of_json(req, text, len, ret_rc);
    if (!is_type(type, "text/plain")) {
        *ret_rc = reply_error(req, 415, "send application/json or text/plain");
        return NULL;
    }
    body = json_stringn(text, len);
    if (!body)
        *ret_rc = reply_error(req, 400, "the text is not UTF-8");
    return body;
}

int reply_allow_get(lario_req *req)
{
    return reply_allow(req, "GET, HEAD, OPTIONS");
}

int reply_allow_post(lario_req *req)
{
    return reply_allow(req, "POST, OPTIONS");
}
