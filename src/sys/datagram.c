/* SPDX-License-Identifier: BSD-3-Clause */
#include "sys/datagram.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int lario_datagram_send(const char *path, const void *data, size_t len)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t path_len = strlen(path);
    int rc = 0;

    if (path_len < 2 || path_len >= sizeof to.sun_path)
        return -EINVAL;
    memcpy(to.sun_path, path, path_len);
    if (path[0] == '@')
        to.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -errno;
    if (sendto(fd, data, len, MSG_NOSIGNAL, (const struct sockaddr *)&to,
               (socklen_t)(offsetof(struct sockaddr_un, sun_path) + path_len)) < 0)
        rc = -errno;
    close(fd);
    return rc;
}

long lario_process_number(void)
{
    return getpid();
}
