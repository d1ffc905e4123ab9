/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_SYS_SIGNAL_H
#define LARIO_SYS_SIGNAL_H

#include <stdbool.h>

/* Blocks SIGTERM and SIGINT in the calling thread, so that they are waited for instead. */
void lario_signal_block_stops(void);

/* The same for SIGHUP, which lario_signal_wait_stop_or_hangup() waits for. */
void lario_signal_block_hangup(void);

/* Waits for one of them, at most `timeout_ms` (-1: for ever). Its number, or 0 at the limit. */
int lario_signal_wait_stop(int timeout_ms);

/* Waits for SIGTERM, SIGINT or SIGHUP, which were blocked; true: it was SIGHUP. */
bool lario_signal_wait_stop_or_hangup(void);

/* Ends the program at once, without any clean-up. */
_Noreturn void lario_signal_exit_now(int code);

#endif
