/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_ETAG_H
#define LARIO_CODEC_ETAG_H

#include <stdbool.h>
#include <stddef.h>

/* Entity tags, "text" or W/"text" (RFC 9110 8.8.3). */

bool lario_etag_is_valid(const char *tag, size_t len);

enum lario_etag_comparison {
    LARIO_ETAG_STRONG, /* equal, and neither is weak */
    LARIO_ETAG_WEAK,   /* equal but for W/ */
};

/* Compares two valid tags (RFC 9110 8.8.3.2). */
bool lario_etag_is_equal(const char *a, size_t a_len, const char *b, size_t b_len,
                         enum lario_etag_comparison how);

/*
 * Whether a list of tags, or "*", has the valid tag `tag`; NULL: one that only "*" fits. 1, 0, or
 * LARIO_EPROTO when it is neither.
 */
int lario_etag_list_has(const char *list, size_t len, const char *tag,
                        enum lario_etag_comparison how);

#endif
