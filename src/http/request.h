/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_HTTP_REQUEST_H
#define LARIO_HTTP_REQUEST_H

#include <stddef.h>

#include "lario/http.h"
#include "lario/limits.h"

/* What the layers above http/ see of a request beyond the public interface. */

typedef struct lario_req_param {
    const char *name;
    const char *value;
} lario_req_param;

/*
 * Places for what the layers above keep with a request, such as its parsed form; NULL at first. The
 * memory comes from lario_alloc(), and needs a cleanup only where it holds more than memory.
 */
enum lario_req_slot {
    LARIO_REQ_SLOT_FORM,
    LARIO_REQ_SLOT_MULTIPART,
    LARIO_REQ_SLOT_COOKIES,
    LARIO_REQ_SLOT_SESSION,
    LARIO_REQ_SLOT_EVENTS,
    LARIO_REQ_SLOT_ROUTE,
    LARIO_REQ_SLOTS,
};

void **lario_req_slot(lario_req *req, enum lario_req_slot slot);

/* Something to be done when the request ends, whatever its outcome: the last one added first. */
typedef struct lario_req_cleanup {
    struct lario_req_cleanup *next;
    void (*run)(struct lario_req_cleanup *cleanup);
} lario_req_cleanup;

/* `cleanup` is the caller's and lives as long as the request. */
void lario_req_add_cleanup(lario_req *req, lario_req_cleanup *cleanup);

/* The limits that hold for this request. */
const lario_limits *lario_req_limits(const lario_req *req);

/* As lario_add_header(); nothing for NULL. */
int lario_req_add_header_if(lario_req *req, const char *name, const char *value);

/* The fields added so far go out with the page of a handler that fails later, too. */
void lario_req_keep_headers(lario_req *req);

/* The path of the target as sent, not decoded, not NUL-terminated; "*" for OPTIONS *. */
const char *lario_req_raw_path(const lario_req *req, size_t *ret_len);

/* Sets what lario_param() finds. The array and its strings must live as long as the request. */
void lario_req_set_params(lario_req *req, const lario_req_param *params, size_t count);

#endif
