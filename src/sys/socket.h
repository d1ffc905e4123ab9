/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_SYS_SOCKET_H
#define LARIO_SYS_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

#include "sys/address.h"
#include "sys/fd.h"

/* Sockets that listen, and what is asked of those that are connected. lario_fd_close() closes one.
 */

/*
 * Opens `count` listening sockets on the address, which share its connections (SO_REUSEPORT);
 * a unix socket is opened once and duplicated. Port 0 takes a free port, the same for all, and
 * `address` is updated with it. Fails with -EADDRINUSE when anybody else listens there, also a
 * program that shares. A unix socket file that nobody listens on is replaced.
 * Returns 0 or -errno: then none is open.
 */
int lario_socket_listen(lario_address *address, int backlog, int *ret_fds, unsigned count);

/*
 * The same for a listening socket that was inherited as descriptor `fd`: it is duplicated for each
 * loop. `address` becomes its own. -ENOTSOCK and others when it is none; then all are closed but
 * `fd`.
 */
int lario_socket_listen_inherited(int fd, lario_address *address, int *ret_fds, unsigned count);

/* Sets the permissions of the file of a unix address; nothing for others. 0 or -errno. */
int lario_address_chmod(const lario_address *address, unsigned mode);

/* Removes the file of a unix address; nothing for others. */
void lario_address_unlink(const lario_address *address);

/* Answers at once instead of waiting for more (TCP_NODELAY); nothing for unix sockets. */
void lario_socket_set_nodelay(int fd);

/* The address of the peer or of the own end. Returns 0 or -errno. */
int lario_socket_peer(int fd, lario_address *ret_address);
int lario_socket_local(int fd, lario_address *ret_address);

/* Ends the sending direction. Returns 0 or -errno. */
int lario_socket_shutdown_write(int fd);

/* Whether bytes, or the peer's end, wait to be read. */
bool lario_socket_has_input(int fd);

/* The next close resets the connection instead of ending it in order. */
void lario_socket_reset_on_close(int fd);

#endif
