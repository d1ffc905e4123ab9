/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_HTTP1_TARGET_H
#define LARIO_CODEC_HTTP1_TARGET_H

#include "codec/http1_head.h"

/* Request targets and authorities (RFC 9112 3.2). Part of the head parser. */

/*
 * Finds the form of head->target, fit for head->method, and sets path, query and host (which stays
 * empty for the origin and asterisk forms). Returns 0, or LARIO_EPROTO with head->reason; the
 * status is 400.
 */
int lario_http1_target_parse(lario_http1_head *head, const char *data);

/*
 * Whether the bytes are `host [":" port]` (RFC 3986 3.2.2): a name without userinfo, list, space or
 * path, an IPv4 address or a bracketed IPv6 address; a port of at most 65535, which may be empty
 * unless `port_needed`. The host must not be empty.
 */
bool lario_http1_authority_is_valid(const char *text, size_t len, bool port_needed);

#endif
