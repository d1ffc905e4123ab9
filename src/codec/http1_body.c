/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/http1_body.h"

#include <string.h>

#include "codec/char_class.h"
#include "lario/error.h"

/*
 * A chunked body (RFC 9112 7.1) is data between lines. The data is handed out as it lies in the
 * caller's bytes; of the lines each byte moves a state machine, of which a phase is what the next
 * byte may be:
 *
 *   chunk line    SIZE_FIRST SIZE (; name = value)* CR LF   then DATA CR LF, or the trailers
 *   trailer line  LINE NAME BLANKS VALUE CR LF              until an empty line
 *
 * White space is allowed in an extension where the grammar says BWS, never behind the size or an
 * extension that ends the line.
 */
enum phase {
    PHASE_LENGTH, /* a body of a known length */
    PHASE_DATA,
    PHASE_DATA_CR,
    PHASE_DATA_LF,
    PHASE_SIZE_FIRST,
    PHASE_SIZE,
    PHASE_EXT_NEXT,  /* behind white space: another extension must follow */
    PHASE_EXT_START, /* behind ';' */
    PHASE_EXT_NAME,
    PHASE_EXT_EQUALS, /* white space behind a name */
    PHASE_EXT_VALUE_START,
    PHASE_EXT_VALUE,
    PHASE_EXT_QUOTED,
    PHASE_EXT_QUOTED_PAIR,
    PHASE_EXT_QUOTED_END,
    PHASE_CHUNK_LF,
    PHASE_TRAILER_LINE,
    PHASE_TRAILER_NAME,
    PHASE_TRAILER_BLANKS,
    PHASE_TRAILER_VALUE,
    PHASE_TRAILER_LF,
    PHASE_END_LF,
    PHASE_END,
    PHASE_FAILED,
};

#define TINY_CHUNK_BYTES 16

static enum phase fail(lario_http1_body *body, const char *reason)
{
    body->reason = reason;
    return PHASE_FAILED;
}

static enum phase size_byte(lario_http1_body *body, char c)
{
    int digit = lario_char_hex(c);

    if (digit >= 0) {
        if (body->left > UINT64_MAX >> 4)
            return fail(body, "a chunk size that does not fit 64 bits");
        body->left = body->left << 4 | (unsigned)digit;
        return PHASE_SIZE;
    }
    if (body->phase == PHASE_SIZE_FIRST)
        return fail(body, "a chunk line without a size");
    if (c == ';')
        return PHASE_EXT_START;
    if (c == '\r')
        return PHASE_CHUNK_LF;
    return lario_char_is_blank(c) ? PHASE_EXT_NEXT : fail(body, "a chunk size that is no number");
}

/* What may follow a name, a value or white space, when it is no more of the same. */
static enum phase ext_end(lario_http1_body *body, char c)
{
    bool after_blank = body->phase == PHASE_EXT_NEXT || body->phase == PHASE_EXT_EQUALS;
    bool after_name = body->phase == PHASE_EXT_NAME || body->phase == PHASE_EXT_EQUALS;

    if (c == ';')
        return PHASE_EXT_START;
    if (c == '=' && after_name)
        return PHASE_EXT_VALUE_START;
    if (c == '\r' && !after_blank)
        return PHASE_CHUNK_LF;
    if (lario_char_is_blank(c))
        return after_name ? PHASE_EXT_EQUALS : PHASE_EXT_NEXT;
    return fail(body, "a chunk extension that breaks the grammar");
}

static enum phase quoted_byte(lario_http1_body *body, char c)
{
    if (lario_char_is_control(c))
        return fail(body, "a control character in a chunk extension");
    if (body->phase == PHASE_EXT_QUOTED && c == '"')
        return PHASE_EXT_QUOTED_END;
    if (body->phase == PHASE_EXT_QUOTED && c == '\\')
        return PHASE_EXT_QUOTED_PAIR;
    return PHASE_EXT_QUOTED;
}

static enum phase ext_byte(lario_http1_body *body, char c)
{
    bool is_tchar = lario_char_is_tchar(c);

    switch ((enum phase)body->phase) {
    case PHASE_EXT_START:
        if (lario_char_is_blank(c))
            return PHASE_EXT_START;
        return is_tchar ? PHASE_EXT_NAME : fail(body, "a chunk extension without a name");
    case PHASE_EXT_NAME:
        return is_tchar ? PHASE_EXT_NAME : ext_end(body, c);
    case PHASE_EXT_VALUE_START:
        if (lario_char_is_blank(c))
            return PHASE_EXT_VALUE_START;
        if (c == '"')
            return PHASE_EXT_QUOTED;
        return is_tchar ? PHASE_EXT_VALUE : fail(body, "a chunk extension without its value");
    case PHASE_EXT_VALUE:
        return is_tchar ? PHASE_EXT_VALUE : ext_end(body, c);
    case PHASE_EXT_QUOTED:
    case PHASE_EXT_QUOTED_PAIR:
        return quoted_byte(body, c);
    default:
        return ext_end(body, c);
    }
}

/* The chunk line is complete: data follows, or the trailers. */
static enum phase chunk_start(lario_http1_body *body, const lario_http1_body_limits *limits)
{
    if (body->left == 0)
        return PHASE_TRAILER_LINE;
    if (body->left >= TINY_CHUNK_BYTES)
        body->tiny = 0;
    else if (body->tiny++ >= limits->tiny_chunks_max)
        return fail(body, "too many tiny chunks in a row");
    return PHASE_DATA;
}

static enum phase chunk_line_byte(lario_http1_body *body, const lario_http1_body_limits *limits,
                                  char c)
{
    if (body->phase == PHASE_CHUNK_LF)
        return c == '\n' ? chunk_start(body, limits) : fail(body, "a CR without its LF");
    if (c != '\r' && body->line++ >= limits->chunk_line_bytes_max)
        return fail(body, "a chunk line is too long");
    return body->phase <= PHASE_SIZE ? size_byte(body, c) : ext_byte(body, c);
}

/* The CRLF behind the data of a chunk. */
static enum phase data_end_byte(lario_http1_body *body, char c)
{
    if (body->phase == PHASE_DATA_CR)
        return c == '\r' ? PHASE_DATA_LF : fail(body, "no CRLF behind the data of a chunk");
    if (c != '\n')
        return fail(body, "no CRLF behind the data of a chunk");
    body->line = 0;
    return PHASE_SIZE_FIRST;
}

static enum phase trailer_name_byte(lario_http1_body *body, const lario_http1_body_limits *limits,
                                    char c)
{
    if (body->phase == PHASE_TRAILER_LINE) {
        if (c == '\r')
            return PHASE_END_LF;
        if (lario_char_is_tchar(c) && body->trailers++ >= limits->trailers_max)
            return fail(body, "too many trailer fields");
        body->line = 0;
    } else if (c == ':') {
        body->line = 0;
        return PHASE_TRAILER_BLANKS;
    }
    if (!lario_char_is_tchar(c))
        return fail(body, "a byte that may not stand in a trailer name");
    if (body->line++ >= limits->trailer_name_bytes_max)
        return fail(body, "a trailer name is too long");
    return PHASE_TRAILER_NAME;
}

static enum phase trailer_value_byte(lario_http1_body *body, const lario_http1_body_limits *limits,
                                     char c)
{
    if (c == '\r')
        return PHASE_TRAILER_LF;
    if (lario_char_is_control(c))
        return fail(body, "a control character in a trailer value");
    if (body->phase == PHASE_TRAILER_BLANKS && lario_char_is_blank(c))
        return PHASE_TRAILER_BLANKS;
    if (body->line++ >= limits->trailer_value_bytes_max)
        return fail(body, "a trailer value is too long");
    return PHASE_TRAILER_VALUE;
}

static enum phase trailer_byte(lario_http1_body *body, const lario_http1_body_limits *limits,
                               char c)
{
    enum phase phase = (enum phase)body->phase;

    if (phase == PHASE_END_LF)
        return c == '\n' ? PHASE_END : fail(body, "a CR without its LF");
    /* The empty line at the end is not one of the trailers. */
    if ((phase != PHASE_TRAILER_LINE || c != '\r') &&
        body->trailer_bytes++ >= limits->trailer_bytes_max)
        return fail(body, "the trailers are too large");
    if (phase == PHASE_TRAILER_LF)
        return c == '\n' ? PHASE_TRAILER_LINE : fail(body, "a CR without its LF");
    if (phase <= PHASE_TRAILER_NAME)
        return trailer_name_byte(body, limits, c);
    return trailer_value_byte(body, limits, c);
}

static enum phase line_byte(lario_http1_body *body, const lario_http1_body_limits *limits, char c)
{
    if (body->phase <= PHASE_DATA_LF)
        return data_end_byte(body, c);
    if (body->phase <= PHASE_CHUNK_LF)
        return chunk_line_byte(body, limits, c);
    return trailer_byte(body, limits, c);
}

void lario_http1_body_init(lario_http1_body *body, const lario_http1_head *head)
{
    *body = (lario_http1_body){.phase = PHASE_END};
    if (head->chunked) {
        body->phase = PHASE_SIZE_FIRST;
    } else if (head->content_length > 0) {
        body->phase = PHASE_LENGTH;
        body->left = head->content_length;
    }
}

uint64_t lario_http1_body_announced(const lario_http1_body *body)
{
    /* While a chunk's size is being read, `left` is not yet what it will be. */
    return body->phase <= PHASE_DATA ? body->left : 0;
}

int lario_http1_body_next(lario_http1_body *body, const lario_http1_body_limits *limits,
                          const char *data, size_t len, size_t *ret_used, const char **ret_data,
                          size_t *ret_data_len)
{
    size_t used = 0;

    while (used < len && body->phase > PHASE_DATA && body->phase < PHASE_END)
        body->phase = (uint8_t)line_byte(body, limits, data[used++]);
    if (body->phase == PHASE_FAILED)
        return LARIO_EPROTO;
    if (body->phase == PHASE_END || used == len) {
        *ret_used = used;
        return body->phase == PHASE_END ? LARIO_HTTP1_BODY_END : LARIO_HTTP1_BODY_MORE;
    }
    size_t here = body->left < len - used ? (size_t)body->left : len - used;

    *ret_data = data + used;
    *ret_data_len = here;
    *ret_used = used + here;
    body->left -= here;
    if (body->left == 0)
        body->phase = body->phase == PHASE_LENGTH ? PHASE_END : PHASE_DATA_CR;
    return LARIO_HTTP1_BODY_DATA;
}
