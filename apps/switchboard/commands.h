/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWITCHBOARD_COMMANDS_H
#define SWITCHBOARD_COMMANDS_H

#include "board.h"

/*
 * Runs one command that the device `serial` sent over its socket and answers it there. A command
 * that cannot be carried out is answered with an error; the result is negative only when the
 * socket cannot go on.
 */
int commands_run(struct board *board, lario_ws *ws, const char *serial, const char *text,
                 size_t len);

/* Answers {"type": "error", "error": ...}. */
int commands_refuse(lario_ws *ws, const char *error);

#endif
