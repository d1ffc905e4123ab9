/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWITCHBOARD_WATCH_H
#define SWITCHBOARD_WATCH_H

#include "lario/lario.h"

/* WS /watch: the list of devices, then each change of it. The app's data is the struct board. */
int watch(lario_req *req);

#endif
