/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_SYS_RANDOM_H
#define LARIO_SYS_RANDOM_H

#include <stddef.h>

/* Fills `out` with unpredictable bytes, at most 256. Returns 0 or -errno. */
int lario_random_bytes(void *out, size_t len);

#endif
