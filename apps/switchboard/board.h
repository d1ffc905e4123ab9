/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWITCHBOARD_BOARD_H
#define SWITCHBOARD_BOARD_H

#include <jansson.h>
#include <stdbool.h>

#include "lario/lario.h"

/*
 * The board: who is connected and who is in which group. It holds nothing by itself. A device is
 * the process of its WebSocket, registered under its serial in the scope `devices` with the time
 * of its connection as meta; a group is a group of that scope, with the member's serial as meta; a
 * watcher is a process in the group "all" of the scope `watchers`. What a process leaves behind
 * when it ends, the library removes, so there is no table here that could go stale.
 */
struct board {
    lario_scope *devices;
    lario_scope *watchers;
};

/* Serials and names of groups: 1 to 64 characters of A-Z a-z 0-9 . _ - */
#define BOARD_NAME_BYTES_MAX 64

/* All groups together: enough for people to handle; beyond it a join fails with LARIO_EFULL. */
#define BOARD_GROUPS_MAX 1000

/* What processes of the board send each other: JSON text for the client behind the receiver. */
enum { BOARD_TEXT = LARIO_USER };

/* Opens the scopes in the runtime of the app. LARIO_ENOMEM. */
int board_open(struct board *board, lario_app *app);

bool board_name_ok(const char *name);

/*
 * Registers the calling process as the device, connected now. `ret_since` gets the time as the
 * other calls show it. Errors: LARIO_ETAKEN, and the other ones of lario_register().
 */
#define BOARD_TIME_BYTES 32
int board_enter(struct board *board, const char *serial, char ret_since[BOARD_TIME_BYTES]);

/* Takes the serial from the calling process before it ends, so that it can be told as free. */
void board_exit(struct board *board, const char *serial);

/*
 * Sends to one device. `from` is the serial of the sending device or NULL; `body` stays the
 * caller's. Errors: LARIO_ENOTFOUND, and those of lario_send().
 */
int board_send(struct board *board, const char *from, const char *serial, json_t *body);

/* Sends to every member of the group; returns how many there are. Errors: lario_publish()'s. */
int board_publish(struct board *board, const char *from, const char *group, json_t *body);

/* Errors: LARIO_ENOTFOUND (no such device), LARIO_ENOTMEMBER (leave), LARIO_EFULL (join). */
int board_join(struct board *board, const char *group, const char *serial);
int board_leave(struct board *board, const char *group, const char *serial);

/* Tells the watchers; takes `event` over, which may be NULL after a failed json_pack(). */
void board_tell(struct board *board, json_t *event);

/* What went wrong in one of the calls above, in words for the client. */
const char *board_error(int code);

#endif
