/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_TESTS_FUZZ_TARGET_H
#define LARIO_TESTS_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* What libFuzzer calls with each input, and replay_main.c with each file. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Like assert(), but also in builds with NDEBUG: a fuzz target that checks nothing is none. */
#define FUZZ_CHECK(condition)                                                                      \
    ((condition) ? (void)0 : fuzz_check_failed(#condition, __FILE__, __LINE__))

static inline void fuzz_check_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: check failed: %s\n", file, line, condition);
    abort();
}

#endif
