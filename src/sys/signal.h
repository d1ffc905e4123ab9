/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_SYS_SIGNAL_H
#define LARIO_SYS_SIGNAL_H

/* Blocks SIGTERM and SIGINT in the calling thread, so that they are waited for instead. */
void lario_signal_block_stops(void);

/* Waits for one of them, at most `timeout_ms` (-1: for ever). Its number, or 0 at the limit. */
int lario_signal_wait_stop(int timeout_ms);

/* Ends the program at once, without any clean-up. */
_Noreturn void lario_signal_exit_now(int code);

#endif
