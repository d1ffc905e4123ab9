/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_TESTS_ALLOCATIONS_H
#define LARIO_TESTS_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The server's allocations: the linker leads all calls here (see CMakeLists.txt); those of the
 * loops' threads are counted, and fail as asked. The test's own are never touched.
 */

/* Allocation number `nth` from now fails; 0: none. */
void allocations_fail(int nth);

/* Whether the one that was to fail was reached; no other fails from now on. */
bool allocations_failed(void);

/* How many there were in all. */
int allocations_count(void);

#endif
