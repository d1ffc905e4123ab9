/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_HTTP_REQUEST_H
#define LARIO_HTTP_REQUEST_H

#include <stddef.h>

#include "lario/http.h"

/* What the layers above http/ see of a request beyond the public interface. */

typedef struct lario_req_param {
    const char *name;
    const char *value;
} lario_req_param;

/* The path of the target as sent, not decoded, not NUL-terminated; "*" for OPTIONS *. */
const char *lario_req_raw_path(const lario_req *req, size_t *ret_len);

/* Sets what lario_param() finds. The array and its strings must live as long as the request. */
void lario_req_set_params(lario_req *req, const lario_req_param *params, size_t count);

#endif
