/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWITCHBOARD_ROSTER_H
#define SWITCHBOARD_ROSTER_H

#include <jansson.h>

#include "board.h"

/* New arrays, sorted by name; NULL when memory is out. */

/* Every device: [{"serial": ..., "since": ..., "groups": [...]}]. */
json_t *roster_devices(struct board *board);

/* Every group: [{"group": ..., "members": [...]}]. */
json_t *roster_groups(struct board *board);

/* One device as in the list. `*ret_rc` tells why there is none: LARIO_ENOTFOUND, LARIO_ENOMEM. */
json_t *roster_device(struct board *board, const char *serial, int *ret_rc);

#endif
