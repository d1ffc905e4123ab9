/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_SYS_FD_H
#define LARIO_SYS_FD_H

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

/* What holds for any descriptor: a socket, a file or a folder. */

/* Closes a descriptor that no poller has. -1 is allowed. */
static inline void lario_fd_close(int fd)
{
    if (fd >= 0)
        (void)close(fd);
}

/* One write(2). Returns how many bytes were taken, or -errno. */
static inline ptrdiff_t lario_fd_write(int fd, const void *data, size_t len)
{
    ssize_t written = write(fd, data, len);

    return written < 0 ? -errno : written;
}

#endif
