/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct item {
    int value;
    lario_list_link link;
} item;

static lario_list_link head;
static item items[4];

static int set_up(void **state)
{
    (void)state;
    lario_list_init(&head);
    for (int i = 0; i < 4; i++) {
        items[i].value = i;
        lario_list_init(&items[i].link);
        lario_list_push_back(&head, &items[i].link);
    }
    return 0;
}

static int pop(lario_list_link *from)
{
    lario_list_link *link = lario_list_pop_front(from);

    return link ? lario_container_of(link, item, link)->value : -1;
}

static void items_come_in_the_order_they_were_pushed(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pop(&head), i);
    assert_int_equal(pop(&head), -1);
    assert_true(lario_list_is_empty(&head));
}

static void remove_is_harmless_when_repeated(void **state)
{
    (void)state;
    assert_true(lario_list_is_linked(&items[1].link));
    lario_list_remove(&items[1].link);
    lario_list_remove(&items[1].link);
    assert_false(lario_list_is_linked(&items[1].link));
    assert_int_equal(pop(&head), 0);
    assert_int_equal(pop(&head), 2);
    assert_int_equal(pop(&head), 3);
}

static void take_moves_all_and_leaves_nothing(void **state)
{
    lario_list_link to;

    (void)state;
    lario_list_take(&to, &head);
    assert_true(lario_list_is_empty(&head));
    for (int i = 0; i < 4; i++)
        assert_int_equal(pop(&to), i);
    lario_list_take(&to, &head);
    assert_true(lario_list_is_empty(&to));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(items_come_in_the_order_they_were_pushed, set_up),
        cmocka_unit_test_setup(remove_is_harmless_when_repeated, set_up),
        cmocka_unit_test_setup(take_moves_all_and_leaves_nothing, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
