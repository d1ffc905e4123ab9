/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/proxy_header.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lario/error.h"

#define SIGNATURE "\r\n\r\n\0\r\nQUIT\n"
#define IP4_BLOCK "\xc0\x00\x02\x07\xc6\x33\x64\x01\x9c\x40\x01\xbb"
#define REST "GET / HTTP/1.1\r\n"

/* ---- Every vector whole, byte by byte and split at every offset ---- */

static int parse_parts(lario_proxy_header *header, const char *data, size_t len, size_t part,
                       size_t first, size_t *ret_used)
{
    size_t at = 0;
    int rc = 0;

    lario_proxy_header_init(header);
    while (rc == 0 && at < len) {
        size_t wish = at == 0 && first > 0 ? first : part;
        size_t count = wish < len - at ? wish : len - at;
        size_t used = 0;
        /* In a block of its size, so that a sanitizer sees a read beyond. */
        char *copy = malloc(count);

        assert_non_null(copy);
        memcpy(copy, data + at, count);
        rc = lario_proxy_header_parse(header, copy, count, &used);
        free(copy);
        assert_in_range(used, 1, count);
        if (rc == 0)
            assert_int_equal(used, count);
        at += used;
    }
    *ret_used = at;
    return rc;
}

static char *text_of(const lario_proxy_header *header)
{
    static char text[600];
    char source[LARIO_IP_TEXT_BYTES], destination[LARIO_IP_TEXT_BYTES];

    if (header->family == LARIO_PROXY_NONE)
        return strcpy(text, "none");
    if (header->family == LARIO_PROXY_UNIX)
        snprintf(text, sizeof text, "%.108s > %.108s", header->source.path,
                 header->destination.path);
    else
        snprintf(text, sizeof text, "%s %u > %s %u", lario_ip_format(&header->source.ip, source),
                 header->source.port, lario_ip_format(&header->destination.ip, destination),
                 header->destination.port);
    return text;
}

/* Parsed to `expected` with `rest` bytes left over, or, with NULL, refused. */
static void check(const char *data, size_t len, const char *expected, size_t rest)
{
    for (size_t split = 0; split < len + 1; split++) {
        lario_proxy_header header;
        size_t used;
        int rc = parse_parts(&header, data, len, split == len ? 1 : len, split, &used);

        assert_int_equal(rc, expected ? 1 : LARIO_EPROTO);
        if (!expected) {
            assert_non_null(header.reason);
            continue;
        }
        assert_int_equal(used, len - rest);
        assert_string_equal(text_of(&header), expected);
    }
}

static void accepted(const char *line, const char *expected)
{
    char with_rest[256];
    int len = snprintf(with_rest, sizeof with_rest, "%s" REST, line);

    check(line, strlen(line), expected, 0);
    check(with_rest, (size_t)len, expected, strlen(REST));
}

static void refused(const char *line)
{
    check(line, strlen(line), NULL, 0);
}

/* ---- Version 1 ---- */

static void v1_tells_addresses_and_ports(void **state)
{
    (void)state;
    accepted("PROXY TCP4 192.0.2.7 198.51.100.1 40000 443\r\n",
             "192.0.2.7 40000 > 198.51.100.1 443");
    accepted("PROXY TCP6 2001:DB8::1 ::1 0 65535\r\n", "2001:db8::1 0 > ::1 65535");
    accepted("PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n",
             "255.255.255.255 65535 > 255.255.255.255 65535");
}

static void v1_unknown_tells_nothing(void **state)
{
    (void)state;
    accepted("PROXY UNKNOWN\r\n", "none");
    accepted("PROXY UNKNOWN whatever 1.2.3.4 comes\r\n", "none");
}

static void v1_longest_line_has_107_bytes(void **state)
{
    char line[128];
    (void)state;

    memset(line, 'x', sizeof line);
    memcpy(line, "PROXY UNKNOWN ", 14);
    strcpy(line + LARIO_PROXY_V1_BYTES_MAX - 2, "\r\n");
    assert_int_equal(strlen(line), 107);
    accepted(line, "none");
    memset(line + 105, 'x', 3);
    strcpy(line + LARIO_PROXY_V1_BYTES_MAX - 1, "\r\n");
    refused(line);
    /* Which is known before its end. */
    check(line, LARIO_PROXY_V1_BYTES_MAX + 1, NULL, 0);
}

static void v1_grammar_is_exact(void **state)
{
    static const char *const bad[] = {
        "PROXY \r\n",
        "PROXY  TCP4 1.1.1.1 2.2.2.2 1 2\r\n",
        "PROXY TCP4  1.1.1.1 2.2.2.2 1 2\r\n",
        "PROXY TCP4 1.1.1.1 2.2.2.2 1  2\r\n",
        "PROXY TCP4 1.1.1.1 2.2.2.2 1 2 \r\n",
        "PROXY TCP4 1.1.1.1 2.2.2.2 1 2 3\r\n",
        "PROXY TCP4 1.1.1.1 2.2.2.2 1\r\n",
        "PROXY TCP4 1.1.1.1 2.2.2.2 1 \r\n",
        "PROXY TCP4 1.1.1.1 2.2.2.2\r\n",
        "PROXY TCP4 1.1.1.1\r\n",
        "PROXY TCP4\r\n",
        "PROXY TCP4 1.1.1.1 2.2.2.2 01 2\r\n",
        "PROXY TCP4 1.1.1.1 2.2.2.2 1 02\r\n",
        "PROXY TCP4 1.1.1.1 2.2.2.2 00 2\r\n",
        "PROXY TCP4 1.1.1.1 2.2.2.2 1 65536\r\n",
        "PROXY TCP4 1.1.1.1 2.2.2.2 -1 2\r\n",
        "PROXY TCP4 1.1.1.1 2.2.2.2 +1 2\r\n",
        "PROXY TCP4 01.1.1.1 2.2.2.2 1 2\r\n",
        "PROXY TCP4 1.1.1 2.2.2.2 1 2\r\n",
        "PROXY TCP4 ::1 ::2 1 2\r\n",
        "PROXY TCP4 ::ffff:1.1.1.1 2.2.2.2 1 2\r\n",
        "PROXY TCP6 1.1.1.1 2.2.2.2 1 2\r\n",
        "PROXY TCP6 [::1] ::2 1 2\r\n",
        "PROXY TCP6 ::1%lo ::2 1 2\r\n",
        "PROXY tcp4 1.1.1.1 2.2.2.2 1 2\r\n",
        "PROXY UDP4 1.1.1.1 2.2.2.2 1 2\r\n",
        "PROXY UNKNOWNS\r\n",
        "PROXY\tTCP4 1.1.1.1 2.2.2.2 1 2\r\n",
        "proxy TCP4 1.1.1.1 2.2.2.2 1 2\r\n",
        "PROXY TCP4 1.1.1.1 2.2.2.2 1 2\n",
        "PROXY TCP4 1.1.1.1 2.2.2.2 1 2\rx",
        "PROXY TCP4 1.1.1.1 2.2.2.2 1 2\r\r\n",
        " PROXY TCP4 1.1.1.1 2.2.2.2 1 2\r\n",
        "GET / HTTP/1.1\r\n",
        "\x16\x03\x01",
    };
    (void)state;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refused(bad[i]);
    check("PROXY TCP4 1.1.1.1\0 2.2.2.2 1 2\r\n", 33, NULL, 0);
}

/* The first byte that is wrong is enough. */
static void other_protocols_are_refused_at_once(void **state)
{
    (void)state;
    check("G", 1, NULL, 0);
    check("PROXX", 5, NULL, 0);
    check("\r\n\r\n\r", 5, NULL, 0);
    check("\0", 1, NULL, 0);
}

/* ---- Version 2 ---- */

typedef struct vector {
    char data[LARIO_PROXY_V2_BYTES_MAX + 64];
    size_t len;
} vector;

static void begin(vector *self, unsigned version_and_command, unsigned family, const void *block,
                  size_t len)
{
    memcpy(self->data, SIGNATURE, 12);
    self->data[12] = (char)version_and_command;
    self->data[13] = (char)family;
    self->len = 16 + len;
    if (len > 0)
        memcpy(self->data + 16, block, len);
}

static void add_value(vector *self, unsigned type, const void *value, size_t len)
{
    self->data[self->len++] = (char)type;
    self->data[self->len++] = (char)(len >> 8);
    self->data[self->len++] = (char)len;
    if (len > 0)
        memcpy(self->data + self->len, value, len);
    self->len += len;
}

static void end(vector *self)
{
    self->data[14] = (char)((self->len - 16) >> 8);
    self->data[15] = (char)(self->len - 16);
}

static void v2_check(vector *self, const char *expected)
{
    end(self);
    check(self->data, self->len, expected, 0);
    if (!expected)
        return;
    memcpy(self->data + self->len, REST, strlen(REST));
    check(self->data, self->len + strlen(REST), expected, strlen(REST));
}

static void v2_tells_ipv4_addresses(void **state)
{
    vector header;
    (void)state;

    begin(&header, 0x21, 0x11, IP4_BLOCK, 12);
    v2_check(&header, "192.0.2.7 40000 > 198.51.100.1 443");
}

static void v2_tells_ipv6_addresses(void **state)
{
    static const char block[36] = "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1"
                                  "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\x9c\x40\x01\xbb";
    vector header;
    (void)state;

    begin(&header, 0x21, 0x21, block, sizeof block);
    v2_check(&header, "2001:db8::1 40000 > ::1 443");
}

static void v2_tells_unix_paths(void **state)
{
    char block[216] = {0};
    vector header;
    (void)state;

    memcpy(block, "/run/a", 6);
    memset(block + 108, 'b', 108);
    begin(&header, 0x21, 0x31, block, sizeof block);
    char expected[200] = "/run/a > ";

    memset(expected + 9, 'b', 108);
    v2_check(&header, expected);
}

static void v2_local_holds_whatever_follows(void **state)
{
    vector header;
    (void)state;

    begin(&header, 0x20, 0x00, NULL, 0);
    v2_check(&header, "none");
    begin(&header, 0x20, 0x11, IP4_BLOCK, 12);
    v2_check(&header, "none");
    begin(&header, 0x20, 0xff, "xyz", 3);
    v2_check(&header, "none");
}

static void v2_unspecified_tells_nothing(void **state)
{
    vector header;
    (void)state;

    begin(&header, 0x21, 0x00, NULL, 0);
    v2_check(&header, "none");
    begin(&header, 0x21, 0x00, "anything", 8);
    v2_check(&header, "none");
    begin(&header, 0x21, 0x10, "x", 1);
    v2_check(&header, "none");
    begin(&header, 0x21, 0x01, "x", 1);
    v2_check(&header, "none");
}

static void v2_unknown_numbers_are_refused(void **state)
{
    static const unsigned char bad[][2] = {{0x11, 0x11}, {0x31, 0x11}, {0x22, 0x11}, {0x2f, 0x11},
                                           {0x01, 0x11}, {0x21, 0x41}, {0x21, 0xf1}, {0x21, 0x13},
                                           {0x21, 0x1f}, {0x21, 0x12}, {0x21, 0x22}, {0x21, 0x32}};
    vector header;
    (void)state;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        begin(&header, bad[i][0], bad[i][1], IP4_BLOCK, 12);
        v2_check(&header, NULL);
    }
}

static void v2_too_short_for_its_addresses_is_refused(void **state)
{
    static const char block[216];
    vector header;
    (void)state;

    begin(&header, 0x21, 0x11, block, 11);
    v2_check(&header, NULL);
    begin(&header, 0x21, 0x21, block, 35);
    v2_check(&header, NULL);
    begin(&header, 0x21, 0x31, block, 215);
    v2_check(&header, NULL);
    begin(&header, 0x21, 0x11, block, 0);
    v2_check(&header, NULL);
}

static void v2_values_are_passed_over(void **state)
{
    vector header;
    (void)state;

    begin(&header, 0x21, 0x11, IP4_BLOCK, 12);
    add_value(&header, 0x01, "h2", 2);
    add_value(&header, 0x04, "", 0);
    add_value(&header, 0xea, "\x01vpce-1234", 10);
    v2_check(&header, "192.0.2.7 40000 > 198.51.100.1 443");
}

static void v2_values_beyond_the_header_are_refused(void **state)
{
    vector header;
    (void)state;

    for (size_t cut = 1; cut < 5; cut++) {
        begin(&header, 0x21, 0x11, IP4_BLOCK, 12);
        add_value(&header, 0x01, "h2", 2);
        header.len -= cut;
        v2_check(&header, NULL);
    }
    begin(&header, 0x21, 0x11, IP4_BLOCK, 12);
    add_value(&header, 0x01, "", 0);
    header.data[header.len - 2] = (char)0xff;
    v2_check(&header, NULL);
}

static bool tells_tls(unsigned client)
{
    char value[5] = {(char)client, 0, 0, 0, 0};
    lario_proxy_header parsed;
    vector header;
    size_t used;

    begin(&header, 0x21, 0x11, IP4_BLOCK, 12);
    add_value(&header, 0x20, value, sizeof value);
    end(&header);
    assert_int_equal(parse_parts(&parsed, header.data, header.len, 1, 0, &used), 1);
    return parsed.is_tls;
}

static void v2_tells_whether_the_client_came_by_tls(void **state)
{
    (void)state;
    assert_true(tells_tls(0x01));
    assert_true(tells_tls(0x07));
    assert_false(tells_tls(0x00));
    assert_false(tells_tls(0x06));
}

/* CRC-32C from its definition, apart from the code under test. */
static uint32_t crc32c(const char *data, size_t len)
{
    uint32_t crc = 0xffffffff;

    for (size_t bit = 0; bit < 8 * len; bit++) {
        unsigned in = (unsigned char)data[bit / 8] >> (bit % 8) & 1;
        unsigned out = crc & 1;

        crc >>= 1;
        if (in != out)
            crc ^= 0x82f63b78;
    }
    return ~crc;
}

static void checksum_vector(vector *header, uint32_t wrong_by)
{
    begin(header, 0x21, 0x11, IP4_BLOCK, 12);
    add_value(header, 0x01, "h2", 2);
    add_value(header, 0x03, "\0\0\0\0", 4);
    add_value(header, 0x02, "example.com", 11);
    end(header);
    uint32_t crc = crc32c(header->data, header->len) ^ wrong_by;

    for (int i = 0; i < 4; i++)
        header->data[16 + 12 + 5 + 3 + i] = (char)(crc >> (24 - 8 * i));
}

static void v2_checksum_must_be_right(void **state)
{
    vector header;
    (void)state;

    assert_int_equal(crc32c("123456789", 9), 0xe3069283);
    checksum_vector(&header, 0);
    v2_check(&header, "192.0.2.7 40000 > 198.51.100.1 443");
    checksum_vector(&header, 1);
    v2_check(&header, NULL);
    checksum_vector(&header, 0);
    header.data[20] ^= 1;
    v2_check(&header, NULL);
    checksum_vector(&header, 0);
    add_value(&header, 0x03, "\0\0\0\0", 4);
    v2_check(&header, NULL);
    begin(&header, 0x21, 0x11, IP4_BLOCK, 12);
    add_value(&header, 0x03, "\0\0\0", 3);
    v2_check(&header, NULL);
}

static void v2_longest_header_has_4096_bytes(void **state)
{
    static char value[LARIO_PROXY_V2_BYTES_MAX];
    lario_proxy_header parsed;
    vector header;
    size_t used;
    (void)state;

    begin(&header, 0x21, 0x11, IP4_BLOCK, 12);
    add_value(&header, 0x04, value, LARIO_PROXY_V2_BYTES_MAX - 28 - 3);
    end(&header);
    assert_int_equal(header.len, LARIO_PROXY_V2_BYTES_MAX);
    assert_int_equal(parse_parts(&parsed, header.data, header.len, 1, 0, &used), 1);
    header.len++;
    end(&header);
    /* Known as soon as the length is. */
    assert_int_equal(parse_parts(&parsed, header.data, 16, 1, 0, &used), LARIO_EPROTO);
    begin(&header, 0x20, 0x00, NULL, 0);
    header.data[14] = header.data[15] = (char)0xff;
    assert_int_equal(parse_parts(&parsed, header.data, 16, 1, 0, &used), LARIO_EPROTO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(v1_tells_addresses_and_ports),
        cmocka_unit_test(v1_unknown_tells_nothing),
        cmocka_unit_test(v1_longest_line_has_107_bytes),
        cmocka_unit_test(v1_grammar_is_exact),
        cmocka_unit_test(other_protocols_are_refused_at_once),
        cmocka_unit_test(v2_tells_ipv4_addresses),
        cmocka_unit_test(v2_tells_ipv6_addresses),
        cmocka_unit_test(v2_tells_unix_paths),
        cmocka_unit_test(v2_local_holds_whatever_follows),
        cmocka_unit_test(v2_unspecified_tells_nothing),
        cmocka_unit_test(v2_unknown_numbers_are_refused),
        cmocka_unit_test(v2_too_short_for_its_addresses_is_refused),
        cmocka_unit_test(v2_values_are_passed_over),
        cmocka_unit_test(v2_values_beyond_the_header_are_refused),
        cmocka_unit_test(v2_tells_whether_the_client_came_by_tls),
        cmocka_unit_test(v2_checksum_must_be_right),
        cmocka_unit_test(v2_longest_header_has_4096_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
