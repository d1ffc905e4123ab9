/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/proxy_header.h"

#include <string.h>

#include "lario/error.h"

static const uint8_t v2_signature[12] = {0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d,
                                         0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a};
static const char v1_signature[6] = {'P', 'R', 'O', 'X', 'Y', ' '};

enum { V2_FIXED_BYTES = 16, COMMAND_LOCAL = 0, COMMAND_PROXY = 1 };
enum { AF_UNSPECIFIED, AF_IP_4, AF_IP_6, AF_LOCAL_PATH };
enum { TRANSPORT_UNSPECIFIED, TRANSPORT_STREAM, TRANSPORT_DATAGRAM };
enum { TLV_CRC32C = 0x03, TLV_TLS = 0x20, TLS_CLIENT_BIT = 0x01 };

static int fail(lario_proxy_header *header, const char *reason)
{
    header->reason = reason;
    return LARIO_EPROTO;
}

void lario_proxy_header_init(lario_proxy_header *header)
{
    memset(header, 0, sizeof *header);
    header->crc = UINT32_MAX;
}

/* ---- Version 1 ---- */

/* The next word up to a space or the end of the line; false when there is none, or it is empty. */
static bool next_word(const char **at, const char *end, const char **ret_word, size_t *ret_len)
{
    const char *space = memchr(*at, ' ', (size_t)(end - *at));
    const char *word_end = space ? space : end;

    *ret_word = *at;
    *ret_len = (size_t)(word_end - *at);
    *at = space ? space + 1 : end;
    return *ret_len > 0;
}

static bool word_is(const char *word, size_t len, const char *text)
{
    return strlen(text) == len && memcmp(word, text, len) == 0;
}

/* "TCP4" takes dotted addresses only, "TCP6" those with colons. */
static bool next_ip(const char **at, const char *end, bool is_6, lario_ip *ret_ip)
{
    const char *word;
    size_t len;

    return next_word(at, end, &word, &len) && (memchr(word, ':', len) != NULL) == is_6 &&
           lario_ip_parse(ret_ip, word, len) == 0;
}

static bool next_port(const char **at, const char *end, uint16_t *ret_port)
{
    const char *word;
    size_t len;

    return next_word(at, end, &word, &len) && lario_ip_parse_port(ret_port, word, len) == 0;
}

/* The whole line is there, its CRLF at `end`. */
static int parse_v1_line(lario_proxy_header *header, const char *end)
{
    const char *at = header->kept + sizeof v1_signature;
    const char *word;
    size_t len;

    if (!next_word(&at, end, &word, &len))
        return fail(header, "a PROXY line without a protocol");
    if (word_is(word, len, "UNKNOWN"))
        return 1; /* whatever follows is to be ignored */
    bool is_6 = word_is(word, len, "TCP6");

    if (!is_6 && !word_is(word, len, "TCP4"))
        return fail(header, "an unknown protocol in a PROXY line");
    if (!next_ip(&at, end, is_6, &header->source.ip) ||
        !next_ip(&at, end, is_6, &header->destination.ip))
        return fail(header, "a bad address in a PROXY line");
    if (!next_port(&at, end, &header->source.port) || at == end ||
        !next_port(&at, end, &header->destination.port))
        return fail(header, "a bad port in a PROXY line");
    if (at != end || end[-1] == ' ')
        return fail(header, "more than two ports in a PROXY line");
    header->family = LARIO_PROXY_IP;
    return 1;
}

/* One more byte of a version 1 line. */
static int take_v1(lario_proxy_header *header, char byte)
{
    const char *last = header->kept + header->len;

    if (header->len >= LARIO_PROXY_V1_BYTES_MAX)
        return fail(header, "a PROXY line of more than 107 bytes");
    header->kept[header->len++] = byte;
    if (byte == '\n')
        return last[-1] == '\r' ? parse_v1_line(header, last - 1)
                                : fail(header, "a bare LF in a PROXY line");
    if (last[-1] == '\r')
        return fail(header, "a bare CR in a PROXY line");
    if (byte == '\0')
        return fail(header, "a NUL in a PROXY line");
    return 0;
}

/* ---- Version 2 ---- */

/* A bit at a time: a header has a few hundred bytes, and few have a checksum at all. */
static void add_to_crc(lario_proxy_header *header, uint8_t byte)
{
    uint32_t crc = header->crc ^ byte;

    for (int i = 0; i < 8; i++)
        crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78u : 0);
    header->crc = crc;
}

static unsigned byte_at(const lario_proxy_header *header, size_t at)
{
    return (uint8_t)header->kept[at];
}

static bool is_local(const lario_proxy_header *header)
{
    return (byte_at(header, 12) & 15) == COMMAND_LOCAL;
}

static unsigned address_family(const lario_proxy_header *header)
{
    return byte_at(header, 13) >> 4;
}

/* Of a command whose addresses mean nothing, all that follows is passed over. */
static bool is_unspecified(const lario_proxy_header *header)
{
    return is_local(header) || address_family(header) == AF_UNSPECIFIED ||
           (byte_at(header, 13) & 15) == TRANSPORT_UNSPECIFIED;
}

static uint32_t address_bytes(const lario_proxy_header *header)
{
    switch (address_family(header)) {
    case AF_IP_4:
        return 12;
    case AF_IP_6:
        return 36;
    default:
        return 2 * LARIO_PROXY_UNIX_BYTES;
    }
}

static int check_fixed(lario_proxy_header *header)
{
    unsigned length = byte_at(header, 14) << 8 | byte_at(header, 15);
    unsigned transport = byte_at(header, 13) & 15;

    header->total = V2_FIXED_BYTES + length;
    if (header->total > LARIO_PROXY_V2_BYTES_MAX)
        return fail(header, "a PROXY header of more than 4,096 bytes");
    if (is_local(header))
        return 0;
    if (address_family(header) > AF_LOCAL_PATH || transport > TRANSPORT_DATAGRAM)
        return fail(header, "an unknown address family or transport in a PROXY header");
    if (is_unspecified(header))
        return 0;
    if (transport == TRANSPORT_DATAGRAM)
        return fail(header, "a PROXY header for datagrams on a stream");
    if (length < address_bytes(header))
        return fail(header, "a PROXY header that is too short for its addresses");
    return 0;
}

static uint16_t port_at(const lario_proxy_header *header, size_t at)
{
    return (uint16_t)(byte_at(header, at) << 8 | byte_at(header, at + 1));
}

static void take_addresses(lario_proxy_header *header)
{
    const char *at = header->kept + V2_FIXED_BYTES;
    bool is_6 = address_family(header) == AF_IP_6;
    enum lario_ip_family family = is_6 ? LARIO_IP_6 : LARIO_IP_4;
    size_t size = is_6 ? 16 : 4;

    if (address_family(header) == AF_LOCAL_PATH) {
        header->family = LARIO_PROXY_UNIX;
        header->source.path = at;
        header->destination.path = at + LARIO_PROXY_UNIX_BYTES;
        return;
    }
    header->family = LARIO_PROXY_IP;
    header->source.ip = lario_ip_from_bytes(family, at);
    header->destination.ip = lario_ip_from_bytes(family, at + size);
    header->source.port = port_at(header, V2_FIXED_BYTES + 2 * size);
    header->destination.port = port_at(header, V2_FIXED_BYTES + 2 * size + 2);
}

static int begin_value(lario_proxy_header *header)
{
    unsigned type = header->tlv_head[0];

    header->value_left = (uint32_t)header->tlv_head[1] << 8 | header->tlv_head[2];
    header->value_at = 0;
    header->tlv_head_len = header->value_left > 0 ? 3 : 0;
    if (header->value_left > header->total - header->len)
        return fail(header, "a value that is longer than its PROXY header");
    if (type == TLV_CRC32C && (header->value_left != 4 || header->has_crc))
        return fail(header, "a checksum of the wrong length, or two, in a PROXY header");
    header->has_crc = header->has_crc || type == TLV_CRC32C;
    return 0;
}

/* One byte of the list of type, length and value behind the addresses. */
static int take_value_byte(lario_proxy_header *header, uint8_t byte)
{
    unsigned type = header->tlv_head[0];

    if (header->value_left == 0) {
        header->tlv_head[header->tlv_head_len++] = byte;
        add_to_crc(header, byte);
        return header->tlv_head_len == 3 ? begin_value(header) : 0;
    }
    if (type == TLV_CRC32C)
        header->crc_told = header->crc_told << 8 | byte;
    else if (type == TLV_TLS && header->value_at == 0)
        header->is_tls = byte & TLS_CLIENT_BIT;
    /* The checksum is that of the header with zeros in its own place. */
    add_to_crc(header, type == TLV_CRC32C ? 0 : byte);
    header->value_at++;
    if (--header->value_left == 0)
        header->tlv_head_len = 0;
    return 0;
}

static int end_v2(lario_proxy_header *header)
{
    if (header->tlv_head_len > 0)
        return fail(header, "a PROXY header that ends inside of a value");
    if (header->has_crc && header->crc_told != (header->crc ^ UINT32_MAX))
        return fail(header, "a PROXY header with a wrong checksum");
    return 1;
}

/* One more byte of a version 2 header. */
static int take_v2(lario_proxy_header *header, uint8_t byte)
{
    size_t at = header->len++;
    int rc = 0;

    if (at < V2_FIXED_BYTES) {
        header->kept[at] = (char)byte;
        add_to_crc(header, byte);
        if (at == 12 && (byte >> 4 != 2 || (byte & 15) > COMMAND_PROXY))
            return fail(header, "an unknown version or command in a PROXY header");
        if (at == V2_FIXED_BYTES - 1)
            rc = check_fixed(header);
        if (rc < 0 || at < V2_FIXED_BYTES - 1)
            return rc;
    } else if (is_unspecified(header)) {
        rc = 0;
    } else if (at < V2_FIXED_BYTES + address_bytes(header)) {
        header->kept[at] = (char)byte;
        add_to_crc(header, byte);
        if (at + 1 == V2_FIXED_BYTES + address_bytes(header))
            take_addresses(header);
    } else {
        rc = take_value_byte(header, byte);
    }
    if (rc == 0 && header->len == header->total)
        rc = end_v2(header);
    return rc;
}

/* ---- Both ---- */

static int take(lario_proxy_header *header, char byte)
{
    size_t at = header->len;
    bool is_v2 =
        at == 0 ? (uint8_t)byte == v2_signature[0] : (uint8_t)header->kept[0] == v2_signature[0];

    if (is_v2 && at < sizeof v2_signature && (uint8_t)byte != v2_signature[at])
        return fail(header, "no PROXY header");
    if (!is_v2 && at < sizeof v1_signature && byte != v1_signature[at])
        return fail(header, "no PROXY header");
    if (is_v2)
        return take_v2(header, (uint8_t)byte);
    if (at > 0)
        return take_v1(header, byte);
    header->kept[header->len++] = byte;
    return 0;
}

int lario_proxy_header_parse(lario_proxy_header *header, const void *data, size_t len,
                             size_t *ret_used)
{
    const char *bytes = data;
    size_t used = 0;
    int rc = 0;

    while (rc == 0 && used < len)
        rc = take(header, bytes[used++]);
    *ret_used = used;
    return rc;
}
