/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/ip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lario/error.h"

static void check_text(const char *in, const char *out)
{
    char text[LARIO_IP_TEXT_BYTES];
    lario_ip ip;

    assert_int_equal(lario_ip_parse(&ip, in, strlen(in)), 0);
    assert_string_equal(lario_ip_format(&ip, text), out);
}

static void addresses_are_parsed_and_written(void **state)
{
    (void)state;
    check_text("0.0.0.0", "0.0.0.0");
    check_text("255.255.255.255", "255.255.255.255");
    check_text("2001:DB8:0:0:0:0:0:1", "2001:db8::1");
    check_text("::", "::");
    check_text("2001:db8:1111:2222:3333:4444:5555:6666", "2001:db8:1111:2222:3333:4444:5555:6666");
}

static void mapped_address_is_the_ipv4_one(void **state)
{
    (void)state;
    check_text("::ffff:192.0.2.7", "192.0.2.7");
    check_text("::ffff:c000:207", "192.0.2.7");
    check_text("::fffe:c000:207", "::fffe:c000:207");
}

static void none_is_an_empty_text(void **state)
{
    lario_ip none = {.family = LARIO_IP_NONE};
    char text[LARIO_IP_TEXT_BYTES];
    (void)state;

    assert_string_equal(lario_ip_format(&none, text), "");
}

static void malformed_addresses_are_refused(void **state)
{
    static const char *const bad[] = {"",
                                      "1",
                                      "1.2.3",
                                      "1.2.3.4.5",
                                      "1.2.3.256",
                                      "01.2.3.4",
                                      "1.2.3.04",
                                      " 1.2.3.4",
                                      "1.2.3.4 ",
                                      "1.2.3.x",
                                      "[::1]",
                                      "::1%lo",
                                      ":::",
                                      "1::2::3",
                                      "12345::",
                                      "0x7f.0.0.1",
                                      "1:2:3:4:5:6:7:8:9",
                                      "0000:0000:0000:0000:0000:ffff:255.255.255.2555"};
    lario_ip ip;
    (void)state;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(lario_ip_parse(&ip, bad[i], strlen(bad[i])), LARIO_EADDR);
    assert_int_equal(lario_ip_parse(&ip, "1.2.3.4\0", 8), LARIO_EADDR);
}

static void ports_are_exact(void **state)
{
    static const char *const bad[] = {"", "00", "080", "65536", "100000", "-1", "+1", " 1", "1x"};
    uint16_t port = 1;
    (void)state;

    assert_int_equal(lario_ip_parse_port(&port, "0", 1), 0);
    assert_int_equal(port, 0);
    assert_int_equal(lario_ip_parse_port(&port, "65535", 5), 0);
    assert_int_equal(port, 65535);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(lario_ip_parse_port(&port, bad[i], strlen(bad[i])), LARIO_EADDR);
}

static bool net_has(const char *net_text, const char *ip_text)
{
    lario_ip_net net;
    lario_ip ip;

    assert_int_equal(lario_ip_net_parse(&net, net_text), 0);
    assert_int_equal(lario_ip_parse(&ip, ip_text, strlen(ip_text)), 0);
    return lario_ip_net_has(&net, &ip);
}

static void net_has_what_shares_its_prefix(void **state)
{
    (void)state;
    assert_true(net_has("10.0.0.0/8", "10.255.0.1"));
    assert_false(net_has("10.0.0.0/8", "11.0.0.0"));
    assert_true(net_has("192.0.2.128/25", "192.0.2.128"));
    assert_true(net_has("192.0.2.128/25", "192.0.2.255"));
    assert_false(net_has("192.0.2.128/25", "192.0.2.127"));
    assert_true(net_has("192.0.2.7", "192.0.2.7"));
    assert_false(net_has("192.0.2.7", "192.0.2.6"));
    assert_true(net_has("2001:db8::/33", "2001:db8:7fff::1"));
    assert_false(net_has("2001:db8::/33", "2001:db8:8000::1"));
    assert_false(net_has("::1/128", "::2"));
}

static void net_of_everything_is_of_one_family(void **state)
{
    lario_ip none = {.family = LARIO_IP_NONE};
    lario_ip_net net;
    (void)state;

    assert_true(net_has("0.0.0.0/0", "255.1.2.3"));
    assert_false(net_has("0.0.0.0/0", "::1"));
    assert_true(net_has("::/0", "2001:db8::1"));
    assert_false(net_has("::/0", "1.2.3.4"));
    assert_int_equal(lario_ip_net_parse(&net, "::/0"), 0);
    assert_false(lario_ip_net_has(&net, &none));
}

static void mapped_net_is_the_ipv4_one(void **state)
{
    (void)state;
    assert_true(net_has("::ffff:10.0.0.0/104", "10.1.2.3"));
    assert_false(net_has("::ffff:10.0.0.0/104", "11.1.2.3"));
    assert_true(net_has("10.0.0.0/8", "::ffff:10.1.2.3"));
}

static void malformed_nets_are_refused(void **state)
{
    static const char *const bad[] = {
        "",           "/8",          "10.0.0.0/",   "10.0.0.0/33",
        "10.0.0.0/x", "10.0.0.0/08", "10.0.0.1/8",  "10.0.0.0/8/8",
        "::/129",     "::1/64",      "10.0.0/8",    "::ffff:0.0.0.0/95",
        "localhost",  "10.0.0.0 /8", "10.0.0.0/-1", "1.2.3.4/31x"};
    lario_ip_net net;
    (void)state;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (lario_ip_net_parse(&net, bad[i]) != LARIO_EADDR)
            fail_msg("'%s' is taken", bad[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_parsed_and_written),
        cmocka_unit_test(mapped_address_is_the_ipv4_one),
        cmocka_unit_test(none_is_an_empty_text),
        cmocka_unit_test(malformed_addresses_are_refused),
        cmocka_unit_test(ports_are_exact),
        cmocka_unit_test(net_has_what_shares_its_prefix),
        cmocka_unit_test(net_of_everything_is_of_one_family),
        cmocka_unit_test(mapped_net_is_the_ipv4_one),
        cmocka_unit_test(malformed_nets_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
