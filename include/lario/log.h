/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_LOG_H
#define LARIO_LOG_H

#include "lario/export.h"

LARIO_BEGIN_DECLS

typedef enum lario_log_level {
    LARIO_LOG_ERROR,
    LARIO_LOG_WARN,
    LARIO_LOG_INFO,
    LARIO_LOG_DEBUG,
} lario_log_level;

/*
 * Receives each record: `event` is a short fixed name ("handler_failed"), `text` the detail. Both
 * are valid during the call only. Called on the thread that logs, several at once are possible.
 */
typedef void (*lario_log_fn)(void *arg, lario_log_level level, const char *event, const char *text);

/*
 * Writes a record to the log of the runtime that the calling thread belongs to; outside a loop of
 * Lario it does nothing, since the library has no globals. The text is cut at 1,024 bytes. Never
 * fails; does not park.
 */
LARIO_API void lario_log(lario_log_level level, const char *event, const char *format, ...)
    LARIO_PRINTF(3, 4);

/*
 * A lario_log_fn that writes one line to standard error: time, level, event, text. Control
 * characters of the text are escaped, so that a peer cannot forge lines. `arg` points to the most
 * detailed level to be written (a lario_log_level that outlives the log), or is NULL for
 * LARIO_LOG_INFO.
 */
LARIO_API void lario_log_stderr(void *arg, lario_log_level level, const char *event,
                                const char *text);

LARIO_END_DECLS

#endif
