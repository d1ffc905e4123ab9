/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_SYS_DATAGRAM_H
#define LARIO_SYS_DATAGRAM_H

#include <stddef.h>

/* Sends one datagram to the unix socket `path` ("@NAME": an abstract one). 0 or -errno. */
int lario_datagram_send(const char *path, const void *data, size_t len);

/* The number of this operating-system process. */
long lario_process_number(void);

#endif
