/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_MULTIPART_H
#define LARIO_CODEC_MULTIPART_H

#include <stddef.h>
#include <stdint.h>

/*
 * Bodies of the type multipart/form-data (RFC 7578, RFC 2046 5.1), parsed as they arrive:
 *
 *     [preamble CRLF] --boundary CRLF head CRLF CRLF data
 *                CRLF --boundary CRLF head CRLF CRLF data ...
 *                CRLF --boundary-- [epilogue]
 *
 * The data of a part is shown in place, whatever the cuts: what looked like a delimiter at the end
 * of one read and turns out to be data in the next one is shown out of the parser's own copy of the
 * delimiter, since the bytes are the same. A CR stands in a delimiter at its start only, so that no
 * byte is looked at more than twice.
 */

#define LARIO_MULTIPART_BOUNDARY_BYTES_MAX 70 /* RFC 2046 5.1.1 */

typedef struct lario_multipart_limits {
    uint32_t parts_max;           /* beyond: LARIO_ETOOBIG */
    uint32_t part_head_bytes_max; /* all its lines with their CRLF; beyond: LARIO_EPROTO */
} lario_multipart_limits;

typedef struct lario_multipart {
    char delimiter[4 + LARIO_MULTIPART_BOUNDARY_BYTES_MAX]; /* CRLF "--" boundary */
    uint8_t delimiter_len;
    uint8_t matched; /* bytes of the delimiter that the last bytes were */
    uint8_t owed;    /* the first of them that stood before the data: no part of it */
    uint8_t phase;
    uint32_t parts;
    uint32_t head_len;  /* of the part's head, or of the padding behind a delimiter */
    char *head;         /* the caller's, part_head_bytes_max bytes */
    const char *reason; /* after a failure, for the log (static storage) */
} lario_multipart;

enum lario_multipart_result {
    LARIO_MULTIPART_MORE = 0, /* all bytes are used; more are needed, or nothing after the end */
    LARIO_MULTIPART_PART = 1, /* a part begins: its head is whole, multipart->head has it */
    LARIO_MULTIPART_DATA = 2, /* *ret_data holds *ret_data_len (not 0) bytes of the part */
    LARIO_MULTIPART_PART_END = 3, /* the part is complete */
    LARIO_MULTIPART_END = 4,      /* no part follows; what does is dropped */
};

/*
 * Starts with the Content-Type of the body. `head` has room for limits->part_head_bytes_max bytes
 * and is the caller's. Returns 0; LARIO_EMEDIA for another type; LARIO_EPROTO without a boundary,
 * or with one that is not allowed (RFC 2046 5.1.1).
 */
int lario_multipart_init(lario_multipart *multipart, const char *type, size_t type_len, char *head);

/*
 * Takes up to `len` bytes; *ret_used says how many were used, which are not given again. Call it
 * repeatedly until it answers MORE. *ret_data is valid as long as `data` and the parser are.
 * Returns a lario_multipart_result, LARIO_ETOOBIG (parts_max), or LARIO_EPROTO with
 * multipart->reason; after a failure always LARIO_EPROTO.
 */
int lario_multipart_next(lario_multipart *multipart, const lario_multipart_limits *limits,
                         const char *data, size_t len, size_t *ret_used, const char **ret_data,
                         size_t *ret_data_len);

/* At the end of the body: 0, or LARIO_EPROTO when the closing delimiter is missing. */
int lario_multipart_finish(lario_multipart *multipart);

#endif
