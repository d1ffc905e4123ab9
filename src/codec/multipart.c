/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/multipart.h"

#include <stdbool.h>
#include <string.h>

#include "codec/char_class.h"
#include "codec/params.h"
#include "lario/error.h"

enum {
    PREAMBLE, /* up to the first delimiter; dropped */
    PADDING,  /* behind a delimiter: blanks, then CRLF; or "--" */
    DASH,     /* behind its first '-' */
    PADDING_LF,
    HEAD,
    DATA,
    DELIMITED, /* the delimiter behind the data is there, PART_END is not yet told */
    EPILOGUE,
    FAILED,
};

static int fail(lario_multipart *multipart, int rc, const char *reason)
{
    multipart->phase = FAILED;
    multipart->reason = reason;
    return rc;
}

/* ---- The boundary ---- */

static bool is_boundary_char(char c)
{
    return lario_char_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c != '\0' && strchr("'()+_,-./:=? ", c));
}

/* Copies the boundary behind the delimiter's CRLF "--"; false when it is not allowed. */
static bool take_boundary(lario_multipart *multipart, const lario_field_param *param)
{
    size_t len = 0;

    for (size_t i = 0; i < param->value_len; i++) {
        if (param->is_quoted && param->value[i] == '\\')
            i++;
        if (len == LARIO_MULTIPART_BOUNDARY_BYTES_MAX || !is_boundary_char(param->value[i]))
            return false;
        multipart->delimiter[4 + len++] = param->value[i];
    }
    if (len == 0 || multipart->delimiter[4 + len - 1] == ' ')
        return false;
    memcpy(multipart->delimiter, "\r\n--", 4);
    multipart->delimiter_len = (uint8_t)(4 + len);
    return true;
}

int lario_multipart_init(lario_multipart *multipart, const char *type, size_t type_len, char *head)
{
    const char *at = type, *end = type + type_len, *first;
    size_t first_len;
    lario_field_param param;
    int rc;

    /* The first delimiter needs no CRLF before it. */
    *multipart = (lario_multipart){.phase = PREAMBLE, .matched = 2, .owed = 2, .head = head};
    if (!lario_media_type_is(type, type_len, "multipart/form-data"))
        return fail(multipart, LARIO_EMEDIA, "not multipart/form-data");
    lario_field_params_start(&at, end, &first, &first_len);
    while ((rc = lario_field_params_next(&at, end, &param)) > 0) {
        if (!lario_field_param_is(&param, "boundary"))
            continue;
        if (multipart->delimiter_len > 0)
            return fail(multipart, LARIO_EPROTO, "two boundaries");
        if (!take_boundary(multipart, &param))
            return fail(multipart, LARIO_EPROTO, "a boundary that is not allowed");
    }
    if (rc < 0)
        return fail(multipart, rc, "bad parameters of the Content-Type");
    return multipart->delimiter_len > 0 ? 0 : fail(multipart, LARIO_EPROTO, "no boundary");
}

/* ---- Delimiters ---- */

/* How many of the bytes go on with a delimiter of which `matched` bytes are there. */
static size_t match(const lario_multipart *multipart, const char *data, size_t len)
{
    size_t left = (size_t)multipart->delimiter_len - multipart->matched, count = 0;

    while (count < left && count < len &&
           data[count] == multipart->delimiter[multipart->matched + count])
        count++;
    return count;
}

/*
 * The delimiter that earlier reads ended with goes on, or it was data: that is then shown out of
 * the delimiter itself. Returns whether there is such data.
 */
static bool resume_match(lario_multipart *multipart, const char *data, size_t len, size_t *ret_used,
                         const char **ret_data, size_t *ret_data_len)
{
    size_t count = match(multipart, data, len);
    size_t owed = multipart->owed, matched = multipart->matched + count;

    *ret_used = count;
    multipart->matched = (uint8_t)matched;
    if (matched == multipart->delimiter_len || count == len)
        return false;
    multipart->matched = multipart->owed = 0;
    *ret_data = multipart->delimiter + owed;
    *ret_data_len = matched - owed;
    return matched > owed;
}

/*
 * Looks for the delimiter in bytes of which none belongs to an earlier one. What stands before it,
 * or before what may become one, is *ret_data_len bytes from the first on.
 */
static void find_delimiter(lario_multipart *multipart, const char *data, size_t len,
                           size_t *ret_used, size_t *ret_data_len)
{
    const char *end = data + len, *at = data;

    while ((at = memchr(at, '\r', (size_t)(end - at)))) {
        size_t left = (size_t)(end - at), count = match(multipart, at, left);

        if (count == multipart->delimiter_len || count == left) {
            multipart->matched = (uint8_t)count;
            *ret_data_len = (size_t)(at - data);
            *ret_used = *ret_data_len + count;
            return;
        }
        at += count;
    }
    *ret_data_len = *ret_used = len;
}

/* Data up to a delimiter. Whether there is some; at a delimiter the phase changes. */
static bool next_data(lario_multipart *multipart, const char *data, size_t len, size_t *ret_used,
                      const char **ret_data, size_t *ret_data_len)
{
    *ret_data_len = 0;
    bool has_data = multipart->matched > 0 &&
                    resume_match(multipart, data, len, ret_used, ret_data, ret_data_len);

    if (!has_data && multipart->matched == 0 && *ret_used < len) {
        size_t used;

        *ret_data = data + *ret_used;
        find_delimiter(multipart, *ret_data, len - *ret_used, &used, ret_data_len);
        *ret_used += used;
        has_data = *ret_data_len > 0;
    }
    if (multipart->matched == multipart->delimiter_len) {
        multipart->matched = multipart->owed = 0;
        multipart->head_len = 0;
        multipart->phase = multipart->phase == DATA ? DELIMITED : PADDING;
    }
    return has_data;
}

/* ---- Behind a delimiter ---- */

static int next_padding(lario_multipart *multipart, const lario_multipart_limits *limits, char c)
{
    if (multipart->phase == PADDING && c == '-' && multipart->head_len == 0) {
        multipart->phase = DASH;
    } else if (multipart->phase == DASH && c == '-') {
        multipart->phase = EPILOGUE;
        return LARIO_MULTIPART_END;
    } else if (multipart->phase == PADDING && lario_char_is_blank(c)) {
        /* RFC 2046 5.1.1: what transports may add; nobody adds much. */
        if (++multipart->head_len > limits->part_head_bytes_max)
            return fail(multipart, LARIO_EPROTO, "a delimiter line that is too long");
    } else if (multipart->phase == PADDING && c == '\r') {
        multipart->phase = PADDING_LF;
    } else if (multipart->phase == PADDING_LF && c == '\n') {
        if (multipart->parts == limits->parts_max)
            return fail(multipart, LARIO_ETOOBIG, "too many parts");
        multipart->parts++;
        multipart->head_len = 0;
        multipart->phase = HEAD;
    } else {
        return fail(multipart, LARIO_EPROTO, "bytes behind a boundary");
    }
    return LARIO_MULTIPART_MORE;
}

/* Takes bytes of the part's head up to the next LF; PART behind the empty line. */
static int next_head(lario_multipart *multipart, const lario_multipart_limits *limits,
                     const char *data, size_t len, size_t *ret_used)
{
    const char *feed = memchr(data, '\n', len);
    size_t take = feed ? (size_t)(feed + 1 - data) : len;

    if (take > limits->part_head_bytes_max - multipart->head_len)
        return fail(multipart, LARIO_EPROTO, "a part's head that is too long");
    memcpy(multipart->head + multipart->head_len, data, take);
    multipart->head_len += (uint32_t)take;
    *ret_used += take;
    const char *end = multipart->head + multipart->head_len;

    if (!feed || multipart->head_len < 2 || end[-2] != '\r')
        return LARIO_MULTIPART_MORE; /* a bare LF is refused when the head is read */
    if (multipart->head_len > 2 && (multipart->head_len < 4 || end[-3] != '\n' || end[-4] != '\r'))
        return LARIO_MULTIPART_MORE;
    /* The CRLF of the empty line may be that of the next delimiter (RFC 2046 5.1.1). */
    multipart->matched = multipart->owed = 2;
    multipart->phase = DATA;
    return LARIO_MULTIPART_PART;
}

/* One step in the phase; MORE when it only went on. */
static int step(lario_multipart *multipart, const lario_multipart_limits *limits, const char *data,
                size_t len, size_t *ret_used, const char **ret_data, size_t *ret_data_len)
{
    size_t used = 0;
    bool has_data;
    int rc;

    switch (multipart->phase) {
    case PREAMBLE:
    case DATA:
        has_data = next_data(multipart, data, len, &used, ret_data, ret_data_len);
        *ret_used += used;
        return has_data && multipart->phase != PREAMBLE && multipart->phase != PADDING
                   ? LARIO_MULTIPART_DATA
                   : LARIO_MULTIPART_MORE;
    case HEAD:
        rc = next_head(multipart, limits, data, len, &used);
        *ret_used += used;
        return rc;
    case EPILOGUE:
        *ret_used += len;
        return LARIO_MULTIPART_MORE;
    default:
        rc = next_padding(multipart, limits, *data);
        *ret_used += 1;
        return rc;
    }
}

int lario_multipart_next(lario_multipart *multipart, const lario_multipart_limits *limits,
                         const char *data, size_t len, size_t *ret_used, const char **ret_data,
                         size_t *ret_data_len)
{
    int rc = LARIO_MULTIPART_MORE;

    *ret_used = 0;
    if (multipart->phase == FAILED)
        return LARIO_EPROTO;
    while (rc == LARIO_MULTIPART_MORE) {
        if (multipart->phase == DELIMITED) {
            multipart->phase = PADDING;
            return LARIO_MULTIPART_PART_END;
        }
        if (*ret_used == len)
            break;
        rc = step(multipart, limits, data + *ret_used, len - *ret_used, ret_used, ret_data,
                  ret_data_len);
    }
    return rc;
}

int lario_multipart_finish(lario_multipart *multipart)
{
    if (multipart->phase == EPILOGUE)
        return 0;
    return fail(multipart, LARIO_EPROTO, "the closing delimiter is missing");
}
