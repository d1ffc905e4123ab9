/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWITCHBOARD_REPLY_H
#define SWITCHBOARD_REPLY_H

#include <jansson.h>
#include <stdbool.h>

#include "lario/lario.h"

/* Answers with `value`, which it takes over; NULL is LARIO_ENOMEM. */
int reply_json(lario_req *req, int status, json_t *value);

/* Answers {"error": ...}. */
int reply_error(lario_req *req, int status, const char *error);

/* Answers for a negative result of the board or of reading the body, or passes a fatal one on. */
int reply_failure(lario_req *req, int code);

/* Answers 405, or an OPTIONS request, with the methods that the resource has. */
int reply_allow(lario_req *req, const char *methods);

/* The same as handlers, for resources that have GET alone, or POST alone. */
int reply_allow_get(lario_req *req);
int reply_allow_post(lario_req *req);

/*
 * Whether the request may change something or open a socket: it comes from a page of this server,
 * or from no browser at all. Another site's page that a user has open can send requests here, but
 * it cannot leave out or change its Origin (RFC 6455 10.2). When not, *ret_rc is the result of the
 * answer.
 */
bool reply_is_own_origin(lario_req *req, int *ret_rc);

/*
 * Whether parameter `name` of the route is a good serial or group name, given as *ret_value. When
 * not, *ret_rc is the result of the answer.
 */
bool reply_has_name(lario_req *req, const char *name, const char **ret_value, int *ret_rc);

/*
 * The message in the body of the request: the member "body" of a JSON object, or plain text.
 * NULL when there is none: then *ret_rc is the result of the answer.
 */
json_t *reply_read_message(lario_req *req, int *ret_rc);

#endif
