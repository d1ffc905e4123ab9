/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_TCP_H
#define LARIO_TCP_H

#include <stddef.h>

#include "lario/error.h"
#include "lario/export.h"

LARIO_BEGIN_DECLS

/*
 * A raw TCP (or unix socket) connection with a process of its own. All calls are made from that
 * process. Bytes can be read by the calls below, or received as LARIO_TCP_DATA by lario_receive()
 * beside the messages of other processes. What is not read stays in the kernel: the peer waits.
 */
typedef struct lario_tcp lario_tcp;

/* Serves one connection, which is flushed and closed when it returns. Failures are logged. */
typedef int (*lario_tcp_handler)(lario_tcp *tcp);

/*
 * Reads from 1 to `size` bytes as soon as some are there. Parks for at most `timeout_ms` (-1: for
 * ever). Returns the count. Errors: LARIO_ECLOSED (end of the stream, or reset), LARIO_ETIMEDOUT,
 * LARIO_ECANCELED, LARIO_EINVAL (size 0).
 */
LARIO_API LARIO_MUST_USE int lario_tcp_read(lario_tcp *tcp, void *buffer, size_t size,
                                            int timeout_ms);

/*
 * Reads up to the next LF into `line` without its LF or CRLF, with a NUL. Parks. Returns the
 * length. Errors: as above; LARIO_ETOOBIG when no LF comes within size - 1 bytes or
 * limits.tcp_line_bytes_max; LARIO_ECLOSED also for a last line without LF.
 */
LARIO_API LARIO_MUST_USE int lario_tcp_read_line(lario_tcp *tcp, char *line, size_t size,
                                                 int timeout_ms);

/*
 * Writes all bytes (copied; they leave at the end of this loop turn). Parks while more than
 * limits.output_bytes_max wait. Errors: LARIO_ECLOSED, LARIO_ETIMEDOUT (write stall),
 * LARIO_ECANCELED, LARIO_ENOMEM.
 */
LARIO_API LARIO_MUST_USE int lario_tcp_write(lario_tcp *tcp, const void *data, size_t len);

/* The same for a C string. */
LARIO_API LARIO_MUST_USE int lario_tcp_puts(lario_tcp *tcp, const char *text);

/* The peer's address, as for lario_peer(); valid until the handler returns. */
LARIO_API const char *lario_tcp_peer(lario_tcp *tcp);

/* The pointer given to lario_app_set_data(), or NULL. */
LARIO_API void *lario_tcp_data(const lario_tcp *tcp);

LARIO_END_DECLS

#endif
