/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/ws_frame.h"

#include <string.h>

#include "lario/error.h"

/*
 * A frame is a header of 6, 8 or 14 bytes and its payload:
 *
 *     byte 0     FIN, three reserved bits, opcode
 *     byte 1     MASK, length 0 to 125; 126: two bytes follow; 127: eight bytes follow
 *     ...        the longer length, big-endian
 *     4 bytes    the mask
 *
 * A header that lies whole in the caller's bytes is read there; one that is cut is gathered in
 * parser->header. Both are judged by check_header(), which is given the bytes that are there and
 * looks at them in their order. So a fault is found at the same byte however the stream is cut.
 */

#define FIN 0x80u
#define RESERVED 0x70u
#define COMPRESSED 0x40u /* RSV1 */
#define OPCODE 0x0fu
#define CONTROL 0x08u
#define MASKED 0x80u
#define LENGTH 0x7fu
#define LENGTH_16 126u
#define LENGTH_64 127u

/* Compilers turn this into one register of SSE2 or NEON. */
typedef uint64_t vector __attribute__((vector_size(16)));

static int fail(lario_ws_parser *parser, uint16_t close_code, const char *reason)
{
    parser->close_code = close_code;
    parser->reason = reason;
    return LARIO_EPROTO;
}

/* The mask from its byte `mask_at` on, twice, in the order of memory. */
static uint64_t mask_word(const uint8_t mask[4], unsigned mask_at)
{
    uint8_t turned[4];
    uint32_t half;

    if (mask_at == 0) {
        memcpy(&half, mask, sizeof(half));
    } else {
        for (unsigned i = 0; i < 4; i++)
            turned[i] = mask[(mask_at + i) & 3];
        memcpy(&half, turned, sizeof(half));
    }
    return (uint64_t)half << 32 | half;
}

/* Unmasks in place; returns the bits that are set in any byte, to tell text that is all ASCII. */
static uint64_t unmask(char *data, size_t len, const uint8_t mask[4], unsigned mask_at)
{
    uint64_t word_mask = mask_word(mask, mask_at), word, bits;
    vector wide_mask = {word_mask, word_mask}, seen = {0, 0}, piece;
    size_t at = 0;

    for (; len - at >= sizeof(piece); at += sizeof(piece)) {
        memcpy(&piece, data + at, sizeof(piece));
        piece ^= wide_mask;
        seen |= piece;
        memcpy(data + at, &piece, sizeof(piece));
    }
    bits = seen[0] | seen[1];
    if (len - at >= sizeof(word)) {
        memcpy(&word, data + at, sizeof(word));
        word ^= word_mask;
        bits |= word;
        memcpy(data + at, &word, sizeof(word));
        at += sizeof(word);
    }
    for (; at < len; at++) {
        data[at] = (char)((uint8_t)data[at] ^ mask[(mask_at + at) & 3]);
        bits |= (uint8_t)data[at];
    }
    return bits;
}

void lario_ws_mask(char *data, size_t len, const uint8_t mask[4], unsigned mask_at)
{
    (void)unmask(data, len, mask, mask_at);
}

void lario_ws_parser_init(lario_ws_parser *parser, uint64_t message_bytes_max)
{
    memset(parser, 0, offsetof(lario_ws_parser, control));
    parser->message_bytes_max = message_bytes_max;
}

static size_t header_bytes(uint8_t second)
{
    unsigned length = second & LENGTH;

    return length < LENGTH_16 ? 6 : length == LENGTH_16 ? 8 : 14;
}

static int check_first_byte(lario_ws_parser *parser, uint8_t first)
{
    unsigned opcode = first & OPCODE;
    bool starts = opcode == LARIO_WS_OP_TEXT || opcode == LARIO_WS_OP_BINARY;
    unsigned allowed = parser->deflates && starts ? COMPRESSED : 0;

    if (first & RESERVED & ~allowed)
        return fail(parser, 1002, "a reserved bit is set");
    switch (opcode) {
    case LARIO_WS_OP_CONTINUATION:
        if (!parser->message_opcode)
            return fail(parser, 1002, "a continuation frame without a message");
        return 0;
    case LARIO_WS_OP_TEXT:
    case LARIO_WS_OP_BINARY:
        if (parser->message_opcode)
            return fail(parser, 1002, "a new message inside of a fragmented one");
        return 0;
    case LARIO_WS_OP_CLOSE:
    case LARIO_WS_OP_PING:
    case LARIO_WS_OP_PONG:
        if (!(first & FIN))
            return fail(parser, 1002, "a fragmented control frame");
        return 0;
    default:
        return fail(parser, 1002, "a reserved opcode");
    }
}

/* How long the message may be whose next frame begins with the byte `first`. */
static uint64_t message_limit(const lario_ws_parser *parser, uint8_t first)
{
    bool compressed = first & OPCODE ? first & COMPRESSED : parser->compressed;
    uint64_t max = parser->message_bytes_max;
    /* Codes of 9 bits for each byte, and the heads of blocks, however small these are. */
    uint64_t growth = max / 8 + max / 64 + 1024;

    if (!compressed)
        return max;
    return max < UINT64_MAX - growth ? max + growth : UINT64_MAX;
}

/*
 * Judges the length as far as its bytes are known: `least` and `most` are what it can still turn
 * out to be. A length that is not minimal is found before one that is too large, since zeros,
 * which prove the former, prove nothing about the latter.
 */
static int check_length(lario_ws_parser *parser, const uint8_t *header, size_t have)
{
    size_t width = header_bytes(header[1]) - 6;
    size_t known = have - 2 < width ? have - 2 : width;
    uint64_t least = 0, most, shortest = 0;
    uint64_t message_bytes = header[0] & OPCODE ? 0 : parser->message_bytes;

    if (width == 0) {
        least = most = header[1] & LENGTH;
    } else if (known == 0) {
        return 0;
    } else {
        unsigned open_bits = (unsigned)(8 * (width - known));

        for (size_t i = 0; i < known; i++)
            least = least << 8 | header[2 + i];
        least <<= open_bits;
        most = least | ((UINT64_C(1) << open_bits) - 1);
        shortest = width == 2 ? LENGTH_16 : UINT64_C(65536);
    }
    if (least >> 63)
        return fail(parser, 1002, "the top bit of the length is set");
    if (most < shortest)
        return fail(parser, 1002, "the length is not in its shortest form");
    if (!(header[0] & CONTROL) && least > message_limit(parser, header[0]) - message_bytes)
        return fail(parser, 1009, "the message is larger than its limit");
    return 0;
}

static int check_header(lario_ws_parser *parser, const uint8_t *header, size_t have)
{
    int rc = check_first_byte(parser, header[0]);

    if (rc < 0 || have < 2)
        return rc;
    if (!(header[1] & MASKED))
        return fail(parser, 1002, "a frame without a mask");
    if ((header[0] & CONTROL) && (header[1] & LENGTH) > LARIO_WS_CONTROL_BYTES_MAX)
        return fail(parser, 1002, "a control frame over 125 bytes");
    return check_length(parser, header, have);
}

/* Starts the frame whose header is whole and was checked. */
static void start_frame(lario_ws_parser *parser, const uint8_t *header, size_t bytes)
{
    uint64_t left = bytes == 6 ? header[1] & LENGTH : 0;

    for (size_t i = 2; i < bytes - 4; i++)
        left = left << 8 | header[i];
    parser->left = left;
    parser->opcode = header[0] & OPCODE;
    parser->fin = header[0] & FIN;
    memcpy(parser->mask, header + bytes - 4, 4);
    parser->mask_at = 0;
    parser->control_len = 0;
    parser->header_len = 0;
    parser->in_payload = true;
    if (parser->opcode == LARIO_WS_OP_TEXT || parser->opcode == LARIO_WS_OP_BINARY) {
        parser->message_opcode = parser->opcode;
        parser->message_bytes = 0;
        parser->compressed = header[0] & COMPRESSED;
        parser->fresh = true;
        parser->utf8 = 0;
    }
}

/* Gathers a header that came in parts. Returns 1 when it is whole, 0 when more is needed. */
static int gather_header(lario_ws_parser *parser, const char *data, size_t len, size_t *ret_used)
{
    size_t used = 0, need = 2;
    int rc;

    for (;;) {
        if (parser->header_len >= 2)
            need = header_bytes(parser->header[1]);
        if (parser->header_len == need)
            break;
        if (used == len) {
            *ret_used = used;
            return 0;
        }
        parser->header[parser->header_len++] = (uint8_t)data[used++];
        rc = check_header(parser, parser->header, parser->header_len);
        if (rc < 0)
            return rc;
    }
    start_frame(parser, parser->header, need);
    *ret_used = used;
    return 1;
}

static int take_header(lario_ws_parser *parser, const char *data, size_t len, size_t *ret_used)
{
    const uint8_t *header = (const uint8_t *)data;
    int rc;

    if (parser->header_len > 0 || len < 2 || len < header_bytes(header[1]))
        return gather_header(parser, data, len, ret_used);
    *ret_used = header_bytes(header[1]);
    rc = check_header(parser, header, *ret_used);
    if (rc < 0)
        return rc;
    start_frame(parser, header, *ret_used);
    return 1;
}

/* Returns 1 with the event once the control frame is whole. One that is cut is copied. */
static int take_control(lario_ws_parser *parser, char *data, size_t len, size_t *ret_used,
                        lario_ws_event *ret_event)
{
    size_t take = parser->left < len ? (size_t)parser->left : len;
    char *payload = data;

    unmask(data, take, parser->mask, parser->mask_at);
    if (parser->control_len > 0 || take < parser->left) {
        memcpy(parser->control + parser->control_len, data, take);
        payload = parser->control;
    }
    parser->mask_at = (parser->mask_at + take) & 3;
    parser->control_len = (uint8_t)(parser->control_len + take);
    parser->left -= take;
    *ret_used = take;
    if (parser->left > 0)
        return 0;
    parser->in_payload = false;
    *ret_event = (lario_ws_event){
        .opcode = parser->opcode,
        .first = true,
        .last = true,
        .data = payload,
        .len = parser->control_len,
    };
    return 1;
}

/* Checks a piece of text that was unmasked; `bits` are those set in any of its bytes. */
static int check_text(lario_ws_parser *parser, const char *data, size_t len, uint64_t bits,
                      bool last)
{
    bool ascii = (bits & UINT64_C(0x8080808080808080)) == 0;

    if (parser->utf8 == 0 && ascii)
        return 0;
    if (!lario_utf8_next(&parser->utf8, data, len))
        return fail(parser, 1007, "text that is not UTF-8");
    if (last && parser->utf8 != 0)
        return fail(parser, 1007, "text that ends inside of a character");
    return 0;
}

/* Returns 1 with a piece of the message, or 0 when there is nothing to report. */
static int take_data(lario_ws_parser *parser, char *data, size_t len, size_t *ret_used,
                     lario_ws_event *ret_event)
{
    size_t take = parser->left < len ? (size_t)parser->left : len;
    uint64_t bits = unmask(data, take, parser->mask, parser->mask_at);
    bool frame_ends = take == parser->left;
    bool last = frame_ends && parser->fin;
    bool first = parser->fresh;
    uint8_t opcode = parser->message_opcode;

    if (opcode == LARIO_WS_OP_TEXT && !parser->compressed) {
        int rc = check_text(parser, data, take, bits, last);

        if (rc < 0)
            return rc;
    }
    parser->mask_at = (parser->mask_at + take) & 3;
    parser->message_bytes += take;
    parser->left -= take;
    *ret_used = take;
    if (frame_ends)
        parser->in_payload = false;
    if (last)
        parser->message_opcode = 0;
    if (take == 0 && !frame_ends)
        return 0;
    if (take == 0 && !first && !last)
        return 0;
    parser->fresh = false;
    *ret_event = (lario_ws_event){
        .opcode = opcode,
        .first = first,
        .last = last,
        .compressed = parser->compressed,
        .data = data,
        .len = take,
    };
    return 1;
}

int lario_ws_parser_next(lario_ws_parser *parser, char *data, size_t len, size_t *ret_used,
                         lario_ws_event *ret_event)
{
    size_t at = 0, used = 0;
    int rc;

    /* Goes round again only for an empty frame that is nothing to report. */
    do {
        if (!parser->in_payload) {
            rc = take_header(parser, data + at, len - at, &used);
            if (rc < 0)
                return rc;
            at += used;
            if (rc == 0)
                break;
        }
        if (parser->opcode & CONTROL)
            rc = take_control(parser, data + at, len - at, &used, ret_event);
        else
            rc = take_data(parser, data + at, len - at, &used, ret_event);
        if (rc < 0)
            return rc;
        at += used;
    } while (rc == 0 && at < len);
    *ret_used = at;
    return rc;
}

bool lario_ws_close_code_is_valid(unsigned code)
{
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1011) ||
           (code >= 3000 && code <= 4999);
}

int lario_ws_close_parse(const char *data, size_t len, uint16_t *ret_code)
{
    unsigned code;

    if (len == 0) {
        *ret_code = 1005;
        return 0;
    }
    if (len == 1)
        return LARIO_EPROTO;
    code = (unsigned)(uint8_t)data[0] << 8 | (uint8_t)data[1];
    if (!lario_ws_close_code_is_valid(code))
        return LARIO_EPROTO;
    if (!lario_utf8_is_valid(data + 2, len - 2))
        return LARIO_EUTF8;
    *ret_code = (uint16_t)code;
    return 0;
}

size_t lario_ws_header_write(uint8_t header[LARIO_WS_HEADER_BYTES_MAX], uint8_t opcode,
                             uint64_t len)
{
    size_t width = len < LENGTH_16 ? 0 : len <= UINT16_MAX ? 2 : 8;

    header[0] = (uint8_t)(FIN | opcode);
    header[1] = (uint8_t)(width == 0 ? len : width == 2 ? LENGTH_16 : LENGTH_64);
    for (size_t i = 0; i < width; i++)
        header[2 + i] = (uint8_t)(len >> (8 * (width - 1 - i)));
    return 2 + width;
}
