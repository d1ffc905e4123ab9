/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>

#include "http/req.h"
#include "http/ws.h"
#include "lario/log.h"

/* How a request ends: what a failed handler tells the client and the log. */

/*
 * Never a part of its callers: its page would then lie in the frame of every request's process, and
 * one that waits would hold a page of its stack more.
 */
__attribute__((noinline)) int lario_reply_error(lario_req *req, int status)
{
    char page[LARIO_ERROR_PAGE_BYTES_MAX];
    const char *type;
    size_t len = lario_http_error_page(lario_http_handler_of(&req->conn->conn), req, status, NULL,
                                       page, &type);

    return lario_reply_bytes(req, status, type, page, len);
}

/* What to tell the client of a handler that failed before it answered. */
static int status_of(int rc)
{
    switch (rc) {
    case LARIO_ETOOBIG:
        return 413;
    case LARIO_ETIMEDOUT:
        return 408;
    case LARIO_EINVAL:
    case LARIO_EPROTO:
        return 400;
    case LARIO_EMEDIA:
    case LARIO_ECODING:
        return 415;
    case -ENOSPC:
    case -EDQUOT:
    case -EFBIG:
        return 507;
    case LARIO_EDRAINING:
    case LARIO_ECANCELED:
        return 503;
    default:
        return 500;
    }
}

/* Whether the server is to blame, not the client. */
static bool is_own_fault(int rc)
{
    return status_of(rc) == 500 || status_of(rc) == 507;
}

static void log_failure(lario_req *req, int rc)
{
    lario_log_level level = is_own_fault(rc) ? LARIO_LOG_ERROR : LARIO_LOG_WARN;

    /* The client's faults, its leaving and our own stop are no failures of the handler. */
    if (!req->is_handled || rc == LARIO_ECLOSED || rc == LARIO_ECANCELED || rc == LARIO_EDRAINING)
        level = LARIO_LOG_DEBUG;
    lario_log(level, "handler_failed", "%s %s: %s (%s)", req->method, req->target,
              rc < 0 ? lario_strerror(rc) : "it returned without an answer",
              rc < 0 ? lario_errname(rc) : "no answer");
}

static int answer_failure(lario_req *req, int rc)
{
    int status = status_of(rc);

    /* Where the client's framing or its patience is in doubt, the connection ends with the answer.
     */
    if (status != 500)
        req->keep_asked = false;
    req->extra_len = req->kept_len;
    req->extra_count = req->kept_count;
    return lario_reply_error(req, status);
}

int lario_req_finish(lario_req *req, int rc)
{
    if (req->ws) {
        lario_ws_finish(req->ws, rc);
        return rc;
    }
    if (rc >= 0 && req->answer == LARIO_ANSWER_STARTED)
        rc = lario_reply_end(req);
    if ((rc < 0 && rc != LARIO_EUPGRADE) || req->answer == LARIO_ANSWER_NONE)
        log_failure(req, rc);
    if (req->conn->is_closed)
        return rc;
    if (req->answer == LARIO_ANSWER_NONE && answer_failure(req, rc) < 0)
        req->conn->is_cut = true;
    if (req->answer == LARIO_ANSWER_STARTED)
        req->conn->is_cut = true; /* the client must see that the answer is not whole */
    return rc;
}
