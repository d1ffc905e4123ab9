/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/http1_head.h"

#include <string.h>

#include "codec/char_class.h"
#include "codec/http1_fields.h"
#include "codec/http1_target.h"
#include "codec/token.h"
#include "lario/error.h"

/*
 * A state machine over the grammar of RFC 9112 2.1. A phase is what the next byte may be:
 *
 *   START -> METHOD -> TARGET -> VERSION -> LINE_LF -> LINE
 *     ^-- START_LF                                      | ^
 *                           END_LF <--------------------+ |
 *                             |       NAME -> BLANKS -> VALUE -> FIELD_LF (back to LINE)
 *                           DONE
 *
 * Each phase is a function that eats as many bytes as it can in a tight loop and leaves `at` at
 * the first byte it did not look at. It answers true to go on with the phase that is set then, or
 * false when the bytes are used up or the head has failed. Since that place and the phase are all
 * the state there is, it does not matter how the head is cut into reads.
 *
 * Spans in progress keep their start in head->line_at (request line) or in the field that is next
 * in the array; lengths are filled in when the end is seen.
 */
enum phase {
    PHASE_START,    /* the request line, or an empty line before it */
    PHASE_START_LF, /* the LF of an empty line */
    PHASE_METHOD,
    PHASE_TARGET,
    PHASE_VERSION,
    PHASE_LINE_LF,
    PHASE_LINE, /* a field, or the empty line that ends the head */
    PHASE_NAME,
    PHASE_BLANKS, /* the white space before a value */
    PHASE_VALUE,
    PHASE_FIELD_LF,
    PHASE_END_LF,
    PHASE_DONE,
    PHASE_FAILED,
};

#define VERSION_LEN 8 /* of "HTTP/1.1" */

typedef struct parse {
    lario_http1_head *head;
    const lario_http1_limits *limits;
    const char *data;
    const char *at;
    const char *end;
} parse;

static bool fail(parse *p, uint16_t status, const char *reason)
{
    p->head->phase = PHASE_FAILED;
    p->head->status = status;
    p->head->reason = reason;
    return false;
}

static uint16_t offset(const parse *p, const char *at)
{
    return (uint16_t)(at - p->data);
}

static lario_http1_field *current_field(const parse *p)
{
    return &p->head->fields[p->head->fields_count];
}

/* The earlier of p->end and `len` bytes after the offset `from`. */
static const char *stop_at(const parse *p, uint32_t from, uint32_t len)
{
    const char *first = p->data + from;

    return (size_t)(p->end - first) > len ? first + len : p->end;
}

/* The LF that the CR before promised. */
static bool line_feed(parse *p, enum phase next)
{
    if (*p->at != '\n')
        return fail(p, 400, "a CR without its LF");
    p->at++;
    p->head->phase = (uint8_t)next;
    return true;
}

static bool start(parse *p)
{
    char first = *p->at;

    if (first == '\r') {
        p->at++;
        p->head->phase = PHASE_START_LF;
        return true;
    }
    if (!lario_char_is_tchar(first))
        return fail(p, 400, "the request line does not start with a method");
    p->head->line_at = offset(p, p->at);
    p->head->phase = PHASE_METHOD;
    return true;
}

static bool method(parse *p)
{
    lario_http1_head *head = p->head;
    const char *stop = stop_at(p, head->line_at, p->limits->line_bytes_max);
    const char *at = p->at;

    while (at < stop && lario_char_is_tchar(*at))
        at++;
    p->at = at;
    if (at == p->end)
        return false;
    if (at == stop)
        return fail(p, 414, "the request line is too long");
    if (*at != ' ')
        return fail(p, 400, "a byte that may not stand in a method");
    head->method.at = (uint16_t)head->line_at;
    head->method.len = (uint16_t)(offset(p, at) - head->line_at);
    p->at++;
    head->target.at = offset(p, p->at);
    head->phase = PHASE_TARGET;
    return true;
}

static bool target(parse *p)
{
    lario_http1_head *head = p->head;
    const char *stop = stop_at(p, head->line_at, p->limits->line_bytes_max);
    const char *at = p->at;

    while (at < stop && lario_char_is_target(*at))
        at++;
    p->at = at;
    if (at == p->end)
        return false;
    if (at == stop)
        return fail(p, 414, "the request line is too long");
    if (*at != ' ')
        return fail(p, 400, "a byte that may not stand in a target");
    head->target.len = (uint16_t)(offset(p, at) - head->target.at);
    if (head->target.len == 0)
        return fail(p, 400, "an empty target");
    p->at++;
    head->phase = PHASE_VERSION;
    return true;
}

/* RFC 9112 2.3. The whole version is read before it is judged: HTTP/2.0 is a version, HTTP/2 not.
 */
static bool version(parse *p)
{
    static const char form[VERSION_LEN + 1] = "HTTP/0.0";
    lario_http1_head *head = p->head;
    const char *first = p->data + head->target.at + head->target.len + 1;

    for (; p->at < p->end && p->at - first < VERSION_LEN; p->at++) {
        char wanted = form[p->at - first];

        if (offset(p, p->at) - head->line_at >= p->limits->line_bytes_max)
            return fail(p, 414, "the request line is too long");
        if (wanted == '0' ? !lario_char_is_digit(*p->at) : *p->at != wanted)
            return fail(p, 400, "the version is not HTTP/ and two digits");
    }
    if (p->at == p->end)
        return false;
    if (*p->at != '\r')
        return fail(p, 400, "a byte that may not stand behind the version");
    if (first[5] != '1')
        return fail(p, 505, "not a version of HTTP/1");
    head->minor = first[7] > '0';
    p->at++;
    head->phase = PHASE_LINE_LF;
    return true;
}

static bool request_line_end(parse *p)
{
    if (!line_feed(p, PHASE_LINE))
        return false;
    if (lario_http1_target_parse(p->head, p->data) < 0)
        return fail(p, 400, p->head->reason);
    return true;
}

static bool line(parse *p)
{
    lario_http1_head *head = p->head;
    char first = *p->at;

    if (first == '\r') {
        p->at++;
        head->phase = PHASE_END_LF;
        return true;
    }
    if (!lario_char_is_tchar(first))
        return fail(p, 400,
                    lario_char_is_blank(first) ? "a folded line"
                    : first == ':'             ? "an empty field name"
                                               : "a byte that may not stand in a field name");
    if (head->fields_count >= p->limits->fields_max || head->fields_count >= LARIO_HTTP1_FIELDS_MAX)
        return fail(p, 431, "too many fields");
    current_field(p)->name.at = offset(p, p->at);
    head->phase = PHASE_NAME;
    return true;
}

static bool name(parse *p)
{
    lario_http1_field *field = current_field(p);
    const char *stop = stop_at(p, field->name.at, p->limits->name_bytes_max);
    const char *at = p->at;

    while (at < stop && lario_char_is_tchar(*at))
        at++;
    p->at = at;
    if (at == p->end)
        return false;
    if (*at != ':') {
        if (lario_char_is_tchar(*at))
            return fail(p, 431, "a field name is too long");
        return fail(p, 400, "a byte that may not stand in a field name");
    }
    field->name.len = (uint16_t)(offset(p, at) - field->name.at);
    p->at++;
    p->head->phase = PHASE_BLANKS;
    return true;
}

static bool blanks(parse *p)
{
    while (p->at < p->end && lario_char_is_blank(*p->at))
        p->at++;
    if (p->at == p->end)
        return false;
    current_field(p)->value.at = offset(p, p->at);
    p->head->phase = PHASE_VALUE;
    return true;
}

static bool value(parse *p)
{
    lario_http1_field *field = current_field(p);
    const char *first = p->data + field->value.at;
    const char *stop = stop_at(p, field->value.at, p->limits->value_bytes_max);
    const char *at = lario_field_value_scan(p->at, stop);

    p->at = at;
    if (at == p->end)
        return false;
    if (*at != '\r') {
        if (!lario_char_is_control(*at))
            return fail(p, 431, "a field value is too long");
        return fail(p, 400, "a control character in a field value");
    }
    while (at > first && lario_char_is_blank(at[-1]))
        at--;
    field->value.len = (uint16_t)(at - first);
    p->at++;
    p->head->phase = PHASE_FIELD_LF;
    return true;
}

static bool field_end(parse *p)
{
    lario_http1_field *field = current_field(p);

    if (!line_feed(p, PHASE_LINE))
        return false;
    p->head->fields_count++;
    if (lario_http1_field_take(p->head, p->data, field) < 0)
        return fail(p, p->head->status, p->head->reason);
    return true;
}

static bool head_end(parse *p)
{
    if (!line_feed(p, PHASE_DONE))
        return false;
    if (lario_http1_fields_judge(p->head) < 0)
        return fail(p, p->head->status, p->head->reason);
    return false;
}

static bool step(parse *p)
{
    switch ((enum phase)p->head->phase) {
    case PHASE_START:
        return start(p);
    case PHASE_START_LF:
        return line_feed(p, PHASE_START);
    case PHASE_METHOD:
        return method(p);
    case PHASE_TARGET:
        return target(p);
    case PHASE_VERSION:
        return version(p);
    case PHASE_LINE_LF:
        return request_line_end(p);
    case PHASE_LINE:
        return line(p);
    case PHASE_NAME:
        return name(p);
    case PHASE_BLANKS:
        return blanks(p);
    case PHASE_VALUE:
        return value(p);
    case PHASE_FIELD_LF:
        return field_end(p);
    case PHASE_END_LF:
        return head_end(p);
    case PHASE_DONE:
    case PHASE_FAILED:
        break;
    }
    return false;
}

void lario_http1_head_init(lario_http1_head *head)
{
    memset(head, 0, offsetof(lario_http1_head, fields));
}

int lario_http1_head_parse(lario_http1_head *head, const lario_http1_limits *limits,
                           const char *data, size_t len)
{
    /* Offsets have 16 bits, whatever the limits say. */
    size_t max = limits->head_bytes_max < UINT16_MAX ? limits->head_bytes_max : UINT16_MAX;
    parse p = {
        .head = head,
        .limits = limits,
        .data = data,
        .at = data + head->scan_at,
        .end = data + (len < max ? len : max),
    };

    while (p.at < p.end && step(&p))
        continue;
    head->scan_at = offset(&p, p.at);
    if (head->phase == PHASE_DONE)
        return (int)head->scan_at;
    /* What is not complete with its last byte but one will not be. */
    if (head->phase != PHASE_FAILED && len >= max)
        fail(&p, 431, "the head is too large");
    return head->phase == PHASE_FAILED ? LARIO_EPROTO : 0;
}

void lario_http1_head_copy(lario_http1_head *to, const lario_http1_head *from)
{
    /* The field behind the last one holds the spans in progress. */
    size_t fields = from->fields_count < LARIO_HTTP1_FIELDS_MAX ? from->fields_count + 1u
                                                                : LARIO_HTTP1_FIELDS_MAX;

    memcpy(to, from, offsetof(lario_http1_head, fields) + fields * sizeof from->fields[0]);
}
