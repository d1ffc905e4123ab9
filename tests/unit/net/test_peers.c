/* SPDX-License-Identifier: BSD-3-Clause */
#include "net/peers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static lario_peers peers;

static int enter(const char *text, uint32_t max, lario_peer_entry **ret_peer, bool *ret_is_first)
{
    lario_ip ip;

    assert_int_equal(lario_ip_parse(&ip, text, strlen(text)), 0);
    return lario_peers_enter(&peers, &ip, max, ret_peer, ret_is_first);
}

static void address_at_its_limit_is_told_once(void **state)
{
    lario_peer_entry *first, *second, *third;
    bool is_news = false;
    (void)state;

    assert_int_equal(lario_peers_init(&peers), 0);
    assert_int_equal(enter("192.0.2.1", 2, &first, &is_news), 1);
    assert_int_equal(enter("192.0.2.1", 2, &second, &is_news), 1);
    assert_ptr_equal(first, second);
    assert_int_equal(enter("192.0.2.1", 2, &third, &is_news), 0);
    assert_true(is_news);
    assert_int_equal(enter("192.0.2.1", 2, &third, &is_news), 0);
    assert_false(is_news);
    lario_peers_leave(&peers, second);
    assert_int_equal(enter("192.0.2.1", 2, &second, &is_news), 1);
    assert_int_equal(enter("192.0.2.1", 2, &third, &is_news), 0);
    assert_true(is_news);
    lario_peers_leave(&peers, first);
    lario_peers_leave(&peers, second);
    lario_peers_leave(&peers, NULL);
    assert_int_equal(peers.count, 0);
    lario_peers_done(&peers);
}

static void ipv6_addresses_count_by_their_64(void **state)
{
    lario_peer_entry *first, *other, *none;
    bool is_news = false;
    (void)state;

    assert_int_equal(lario_peers_init(&peers), 0);
    assert_int_equal(enter("2001:db8:0:1::1", 1, &first, &is_news), 1);
    assert_int_equal(enter("2001:db8:0:1:ffff::2", 1, &none, &is_news), 0);
    assert_int_equal(enter("2001:db8:0:2::1", 1, &other, &is_news), 1);
    lario_peers_leave(&peers, first);
    lario_peers_leave(&peers, other);
    lario_peers_done(&peers);
}

static void many_addresses_are_counted_apart(void **state)
{
    enum { COUNT = 5000 };
    static lario_peer_entry *entries[COUNT];
    lario_peer_entry *none;
    bool is_news = false;
    char text[32];
    (void)state;

    assert_int_equal(lario_peers_init(&peers), 0);
    for (int i = 0; i < COUNT; i++) {
        snprintf(text, sizeof text, "10.0.%d.%d", i / 250, i % 250);
        assert_int_equal(enter(text, 1, &entries[i], &is_news), 1);
    }
    assert_int_equal(peers.count, COUNT);
    assert_int_equal(enter("10.0.7.7", 1, &none, &is_news), 0);
    for (int i = 0; i < COUNT; i++)
        lario_peers_leave(&peers, entries[i]);
    assert_int_equal(peers.count, 0);
    lario_peers_done(&peers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(address_at_its_limit_is_told_once),
        cmocka_unit_test(ipv6_addresses_count_by_their_64),
        cmocka_unit_test(many_addresses_are_counted_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
