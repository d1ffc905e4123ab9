/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWITCHBOARD_GROUPS_H
#define SWITCHBOARD_GROUPS_H

#include "lario/lario.h"

/* Adds the routes of groups; the app's data is the struct board. */
void groups_routes(lario_router *router);

#endif
