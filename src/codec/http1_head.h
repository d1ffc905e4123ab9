/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_HTTP1_HEAD_H
#define LARIO_CODEC_HTTP1_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The head of an HTTP/1.x request (RFC 9112 2 to 6), parsed as the bytes arrive: each
 * byte is looked at once, whatever way the head is cut into reads. Nothing is copied; everything
 * is an offset from the head's first byte, so that the caller may move the bytes between calls.
 */

/* The most fields a head can have, whatever the limits say. */
#define LARIO_HTTP1_FIELDS_MAX 250

typedef struct lario_http1_limits {
    uint32_t line_bytes_max;  /* request line without CRLF; beyond: 414 */
    uint32_t fields_max;      /* beyond: 431; at most LARIO_HTTP1_FIELDS_MAX */
    uint32_t name_bytes_max;  /* beyond: 431 */
    uint32_t value_bytes_max; /* with the white space behind it; beyond: 431 */
    uint32_t head_bytes_max;  /* the whole, with its empty lines; beyond: 431; at most 65,535 */
} lario_http1_limits;

typedef struct lario_http1_span {
    uint16_t at;
    uint16_t len;
} lario_http1_span;

typedef struct lario_http1_field {
    lario_http1_span name;
    lario_http1_span value; /* without the white space around it */
} lario_http1_field;

typedef struct lario_http1_head {
    /* Progress; only the parser looks at these. */
    uint32_t line_at; /* where the request line starts */
    uint32_t scan_at; /* how far the head was looked at */
    uint16_t seen;    /* what the fields said so far that frame the message */
    uint8_t phase;

    /* After a failure: the status to answer, and why, for the log (static storage). */
    uint16_t status;
    const char *reason;

    /* The result, valid once the head is complete. */
    uint8_t minor;           /* 0 or 1; HTTP/1.2 and above count as 1 (RFC 9110 2.5) */
    bool keep_alive;         /* the connection may serve another request (RFC 9112 9.3) */
    bool keep_alive_said;    /* Connection has keep-alive */
    bool close_asked;        /* Connection: close was sent */
    bool chunked;            /* the body is chunked */
    bool has_length;         /* Content-Length was sent (and the body is not chunked) */
    bool expect_continue;    /* Expect: 100-continue in HTTP/1.1 */
    bool upgrade_asked;      /* Connection: upgrade and an Upgrade field, in HTTP/1.1 */
    uint64_t content_length; /* 0 without one */
    lario_http1_span method;
    lario_http1_span target; /* as sent */
    lario_http1_span path;   /* raw; "/" for an absolute form without one; "*"; CONNECT: empty */
    lario_http1_span query;  /* raw, without '?'; empty without one */
    lario_http1_span host;   /* authority of an absolute or authority form, else the Host field */

    uint16_t fields_count;
    lario_http1_field fields[LARIO_HTTP1_FIELDS_MAX]; /* last: copied only as far as used */
} lario_http1_head;

/* Makes `head` ready for a new request. Does not touch the fields array. */
void lario_http1_head_init(lario_http1_head *head);

/*
 * Goes on with the head that starts at data[0] and of which `len` bytes are there by now; the
 * bytes given to earlier calls must be the same. Empty lines before the request line (CRLF) are
 * skipped, and count towards head_bytes_max (RFC 9112 2.2).
 * Returns the length of the head, more than 0, with everything up to and including its empty
 * line; 0 when more bytes are needed; LARIO_EPROTO with head->status and head->reason set: 400,
 * 414, 417, 431, 501 or 505. A byte that may not stand where it is and a limit that is passed are
 * reported as soon as that byte is there; a line that means nothing (its target, its Host, its
 * Content-Length) at its end; fields that contradict each other at the end of the head.
 * After the end or a failure the same answer is given again.
 */
int lario_http1_head_parse(lario_http1_head *head, const lario_http1_limits *limits,
                           const char *data, size_t len);

/*
 * Copies a head, complete or not, as far as it is used: parsing can go on with either. `to` need
 * not be initialised.
 */
void lario_http1_head_copy(lario_http1_head *to, const lario_http1_head *from);

#endif
