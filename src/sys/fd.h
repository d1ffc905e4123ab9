/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_SYS_FD_H
#define LARIO_SYS_FD_H

#include <unistd.h>

/* What holds for any descriptor: a socket, a file or a folder. */

/* Closes a descriptor that no poller has. -1 is allowed. */
static inline void lario_fd_close(int fd)
{
    if (fd >= 0)
        (void)close(fd);
}

#endif
