/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWITCHBOARD_PAGE_H
#define SWITCHBOARD_PAGE_H

#include "lario/lario.h"

/* Adds the routes of the page, whose files are part of the program. */
void page_routes(lario_router *router);

#endif
