/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWITCHBOARD_DEVICES_H
#define SWITCHBOARD_DEVICES_H

#include "lario/lario.h"

/* Adds the routes of devices and their sockets; the app's data is the struct board. */
void devices_routes(lario_router *router);

#endif
