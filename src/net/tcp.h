/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_NET_TCP_H
#define LARIO_NET_TCP_H

#include "lario/tcp.h"
#include "net/server.h"

/* Raw TCP: a server's context points to a lario_tcp_handler. */
extern const lario_protocol lario_tcp_protocol;

#endif
