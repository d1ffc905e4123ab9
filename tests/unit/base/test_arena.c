/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool is_inside(const void *at, const char *first, size_t size)
{
    return (const char *)at >= first && (const char *)at < first + size;
}

static void every_allocation_is_aligned_and_apart(void **state)
{
    static char first[256];
    lario_arena arena;
    char *last = NULL;

    (void)state;
    for (size_t off = 0; off < 16; off++) {
        lario_arena_init(&arena, first + off, sizeof first - off, 100000);
        for (size_t size = 1; size < 100; size++) {
            char *at = lario_arena_alloc(&arena, size);

            assert_non_null(at);
            assert_int_equal((uintptr_t)at % _Alignof(max_align_t), 0);
            memset(at, (int)size, size);
            if (last)
                assert_int_equal(last[0], (int)size - 1);
            last = at;
        }
        last = NULL;
        lario_arena_done(&arena);
    }
}

static void first_storage_is_used_before_the_heap(void **state)
{
    static _Alignas(max_align_t) char first[128];
    lario_arena arena;

    (void)state;
    lario_arena_init(&arena, first, sizeof first, 1000);
    assert_true(is_inside(lario_arena_alloc(&arena, 128), first, sizeof first));
    assert_int_equal(arena.left, 1000);
    assert_false(is_inside(lario_arena_alloc(&arena, 1), first, sizeof first));
    lario_arena_done(&arena);
}

static void cap_is_exact_and_holds_for_the_sum(void **state)
{
    lario_arena arena;

    (void)state;
    lario_arena_init(&arena, NULL, 0, 5000);
    assert_null(lario_arena_alloc(&arena, 5001));
    assert_non_null(lario_arena_alloc(&arena, 3000));
    assert_non_null(lario_arena_alloc(&arena, 2000));
    assert_null(lario_arena_alloc(&arena, 1));
    assert_null(lario_arena_alloc(&arena, SIZE_MAX));
    lario_arena_done(&arena);
    lario_arena_init(&arena, NULL, 0, 0);
    assert_null(lario_arena_alloc(&arena, 1));
    lario_arena_done(&arena);
}

static void copy_ends_with_a_nul(void **state)
{
    char first[16];
    lario_arena arena;

    (void)state;
    lario_arena_init(&arena, first, sizeof first, 1000);
    assert_memory_equal(lario_arena_copy(&arena, "a\0bc", 4), "a\0bc", 5);
    assert_string_equal(lario_arena_copy(&arena, "x", 0), "");
    assert_string_equal(lario_arena_copy(&arena, "longer than the first storage", 29),
                        "longer than the first storage");
    lario_arena_done(&arena);
}

LARIO_PRINTF(3, 4)
static char *format(lario_arena *arena, size_t *ret_len, const char *text, ...)
{
    va_list values;

    va_start(values, text);
    char *made = lario_arena_vformat(arena, ret_len, text, values);

    va_end(values);
    return made;
}

static void format_grows_when_the_room_is_short(void **state)
{
    char first[8];
    size_t len = 99;
    lario_arena arena;

    (void)state;
    for (size_t room = 0; room <= sizeof first; room++) {
        lario_arena_init(&arena, first, room, 1000);
        assert_string_equal(format(&arena, &len, "%d-%s", 12, "abc"), "12-abc");
        assert_int_equal(len, 6);
        assert_string_equal(format(&arena, NULL, "%s", "next"), "next");
        lario_arena_done(&arena);
    }
    lario_arena_init(&arena, first, sizeof first, 0);
    assert_null(format(&arena, NULL, "%s", "far too long"));
    assert_string_equal(format(&arena, NULL, "%s", "short"), "short");
    lario_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_is_aligned_and_apart),
        cmocka_unit_test(first_storage_is_used_before_the_heap),
        cmocka_unit_test(cap_is_exact_and_holds_for_the_sum),
        cmocka_unit_test(copy_ends_with_a_nul),
        cmocka_unit_test(format_grows_when_the_room_is_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
