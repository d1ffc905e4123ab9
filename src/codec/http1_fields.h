/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_HTTP1_FIELDS_H
#define LARIO_CODEC_HTTP1_FIELDS_H

#include "codec/http1_head.h"

/*
 * What the fields of a head mean for the message as such: Host, Content-Length,
 * Transfer-Encoding, Connection, Expect and Upgrade. Part of the head parser.
 */

/*
 * Takes note of a field whose line is complete. Returns 0, or LARIO_EPROTO with head->status and
 * head->reason when the field is wrong whatever else the head says.
 */
int lario_http1_field_take(lario_http1_head *head, const char *data,
                           const lario_http1_field *field);

/* Judges all fields together at the end of the head, and fills in its result. Returns as above. */
int lario_http1_fields_judge(lario_http1_head *head);

#endif
