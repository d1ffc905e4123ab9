/* SPDX-License-Identifier: BSD-3-Clause */
#include "cluster/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ITEMS 20000

typedef struct named {
    lario_table_item item;
    char name[16];
} named;

static lario_table table;
static named items[ITEMS];

static int set_up(void **state)
{
    (void)state;
    assert_int_equal(lario_table_init(&table), 0);
    for (int i = 0; i < ITEMS; i++) {
        snprintf(items[i].name, sizeof items[i].name, "name/%d", i);
        items[i].item.name = items[i].name;
        items[i].item.hash = lario_table_hash(&table, items[i].name);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lario_table_done(&table);
    return 0;
}

static lario_table_shard *shard_of(const named *at)
{
    return lario_table_shard_of(&table, at->item.hash);
}

static lario_table_item *find(const char *name)
{
    uint64_t hash = lario_table_hash(&table, name);

    return lario_table_find(lario_table_shard_of(&table, hash), hash, name);
}

static void items_are_found_until_they_are_removed(void **state)
{
    (void)state;
    assert_null(find("name/0"));
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal(lario_table_insert(&table, shard_of(&items[i]), &items[i].item), 0);
    assert_int_equal(table.count, ITEMS);
    for (int i = 0; i < ITEMS; i++)
        assert_ptr_equal(find(items[i].name), &items[i].item);
    assert_null(find("name/"));
    assert_null(find("name/20000"));
    for (int i = 0; i < ITEMS; i += 2)
        lario_table_remove(&table, shard_of(&items[i]), &items[i].item);
    assert_int_equal(table.count, ITEMS / 2);
    for (int i = 0; i < ITEMS; i++)
        assert_ptr_equal(find(items[i].name), i % 2 ? &items[i].item : NULL);
}

static void items_spread_over_the_shards(void **state)
{
    unsigned counts[LARIO_TABLE_SHARDS] = {0};
    const unsigned mean = ITEMS / LARIO_TABLE_SHARDS;

    (void)state;
    for (int i = 0; i < ITEMS; i++)
        counts[shard_of(&items[i]) - table.shards]++;
    /* Ten standard deviations of an even spread, which no fair key will ever exceed. */
    for (unsigned i = 0; i < LARIO_TABLE_SHARDS; i++)
        assert_in_range(counts[i], mean - 180, mean + 180);
}

static void chains_grow_with_the_items(void **state)
{
    (void)state;
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal(lario_table_insert(&table, shard_of(&items[i]), &items[i].item), 0);
    for (unsigned i = 0; i < LARIO_TABLE_SHARDS; i++)
        assert_true(table.shards[i].chains_count >= table.shards[i].items_count);
}

/* A name's hash must not be known beforehand: each table has a key of its own. */
static void tables_hash_by_keys_of_their_own(void **state)
{
    lario_table other;

    (void)state;
    assert_int_equal(lario_table_init(&other), 0);
    assert_true(lario_table_hash(&table, "name") != lario_table_hash(&other, "name"));
    lario_table_done(&other);
}

static void hash_depends_on_every_byte_and_the_length(void **state)
{
    char name[40];

    (void)state;
    for (size_t len = 1; len < sizeof name; len++) {
        memset(name, 'a', len);
        name[len] = '\0';
        uint64_t whole = lario_table_hash(&table, name);

        for (size_t at = 0; at < len; at++) {
            name[at] = 'b';
            assert_true(lario_table_hash(&table, name) != whole);
            name[at] = 'a';
        }
        name[len - 1] = '\0';
        assert_true(lario_table_hash(&table, name) != whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(items_are_found_until_they_are_removed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(items_spread_over_the_shards, set_up, tear_down),
        cmocka_unit_test_setup_teardown(chains_grow_with_the_items, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tables_hash_by_keys_of_their_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hash_depends_on_every_byte_and_the_length, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
