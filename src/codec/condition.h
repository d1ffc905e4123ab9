/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_CONDITION_H
#define LARIO_CODEC_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

/* Conditional requests (RFC 9110 13). */

/* The fields of a request as they came, repeated ones joined by commas; NULL: not there. */
typedef struct lario_conditions {
    const char *if_match;
    const char *if_unmodified_since;
    const char *if_none_match;
    const char *if_modified_since;
    const char *if_range;
} lario_conditions;

/* What is known of the selected representation. */
typedef struct lario_validators {
    const char *etag;   /* valid, or NULL: none */
    int64_t modified_s; /* since 1970; LARIO_MODIFIED_UNKNOWN */
    bool is_missing;    /* there is none: what "*" asks for */
} lario_validators;

#define LARIO_MODIFIED_UNKNOWN INT64_MIN

enum lario_condition_result {
    LARIO_CONDITION_MET,          /* answer as if there were no conditions */
    LARIO_CONDITION_NOT_MODIFIED, /* 304; only of GET and HEAD */
    LARIO_CONDITION_FAILED,       /* 412 */
};

/*
 * Judges the conditions in their order (RFC 9110 13.2.2). A field that is malformed is ignored, but
 * still keeps the one that it goes before from being looked at, as the RFC wants it. `is_get`: the
 * method is GET or HEAD. `now_s` is for dates with a year of two digits.
 */
enum lario_condition_result lario_condition_check(const lario_conditions *conditions,
                                                  const lario_validators *of, bool is_get,
                                                  int64_t now_s);

/*
 * Whether a Range field is to be honoured: there is no If-Range, or it names the very same
 * representation (RFC 9110 13.1.5). A date does only when it is strong: a second before `now_s`.
 */
bool lario_condition_allows_range(const lario_conditions *conditions, const lario_validators *of,
                                  int64_t now_s);

#endif
