/* SPDX-License-Identifier: BSD-3-Clause */
#include "sys/random.h"

#include <errno.h>
#include <sys/random.h>

int lario_random_bytes(void *out, size_t len)
{
    ssize_t got;

    /* Up to 256 bytes are never cut short once the kernel's pool is ready (getrandom(2)). */
    do
        got = getrandom(out, len, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return -errno;
    return (size_t)got == len ? 0 : -EIO;
}
