/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/hooks.h"

#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "http/req.h"
#include "lario/proxy.h"
#include "sys/clock.h"

/* What the program's hooks are told, and what stands in for those that it does not set. */

/* ---- Pages of errors ---- */

static size_t plain_page(const lario_error_info *info, char *buffer, size_t size)
{
    int len = info->detail ? snprintf(buffer, size, "%s: %s\n", info->title, info->detail)
                           : snprintf(buffer, size, "%s\n", info->title);

    /* Both are short texts of our own. */
    return len > 0 && (size_t)len < size ? (size_t)len : 0;
}

size_t lario_http_error_page(const lario_http_handler *handler, lario_req *req, int status,
                             const char *detail, char page[LARIO_ERROR_PAGE_BYTES_MAX],
                             const char **ret_type)
{
    lario_error_info info = {
        .req = req,
        .status = status,
        .title = lario_status_text(status),
        .detail = detail,
    };
    const char *type = NULL;

    if (handler->error_page) {
        size_t len = handler->error_page(handler->error_page_arg, &info, page,
                                         LARIO_ERROR_PAGE_BYTES_MAX, &type);

        if (len > 0 && len <= LARIO_ERROR_PAGE_BYTES_MAX && type) {
            *ret_type = type;
            return len;
        }
    }
    *ret_type = "text/plain";
    return plain_page(&info, page, LARIO_ERROR_PAGE_BYTES_MAX);
}

size_t lario_error_page_json(void *arg, const lario_error_info *info, char *buffer, size_t size,
                             const char **ret_type)
{
    const char *detail = info->detail ? info->detail : "";
    size_t detail_len = strlen(detail);
    int len = snprintf(buffer, size, "{\"type\":\"about:blank\",\"title\":\"%s\",\"status\":%d",
                       info->title, info->status);
    size_t rest = sizeof ",\"detail\":\"\"}\n" + lario_http_put_json(NULL, detail, detail_len);
    (void)arg;

    *ret_type = "application/problem+json";
    if (len < 0 || (size_t)len + rest > size)
        return 0;
    char *at = buffer + len;

    if (detail_len > 0) {
        at = LARIO_CURSOR_PUT(at, ",\"detail\":\"");
        at += lario_http_put_json(at, detail, detail_len);
        *at++ = '"';
    }
    at = LARIO_CURSOR_PUT(at, "}\n");
    return (size_t)(at - buffer);
}

/* ---- Accesses ---- */

void lario_req_note_start(lario_req *req)
{
    req->started_ns = lario_clock_ns();
    (void)lario_client(req); /* it cannot be asked for when the connection has ended */
}

void lario_req_tell_access(lario_req *req)
{
    const lario_http_handler *handler = lario_http_handler_of(&req->conn->conn);
    lario_access access = {
        .req = req,
        .status = req->status,
        .bytes_in = req->body_in,
        .bytes_out = req->body_out,
        .duration_us = (lario_clock_ns() - req->started_ns) / 1000,
        .client = lario_client(req),
    };

    handler->access(handler->access_arg, &access);
}

void lario_http_tell_rejected(lario_http_conn *conn, int status)
{
    const lario_http_handler *handler = lario_http_handler_of(&conn->conn);
    char text[LARIO_ADDRESS_TEXT_BYTES] = "";
    lario_access access = {.status = status, .client = text};
    lario_address address;

    if (!handler->access)
        return;
    if (lario_conn_peer(&conn->conn, &address) == 0) {
        lario_ip ip = lario_address_ip(&address);

        if (ip.family == LARIO_IP_NONE)
            access.client = "unix";
        else
            lario_ip_format(&ip, text);
    }
    handler->access(handler->access_arg, &access);
}
