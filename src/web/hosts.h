/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_WEB_HOSTS_H
#define LARIO_WEB_HOSTS_H

#include "web/router.h"

/* The router for this value of Host, with or without a port; NULL: the router itself. */
lario_router *lario_hosts_find(const lario_router *router, const char *host);

/* Frees the routers of all hosts. */
void lario_hosts_done(lario_router *router);

#endif
