/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_LOG_LOG_H
#define LARIO_LOG_LOG_H

#include <stdarg.h>

#include "lario/log.h"

/* Longest text of a record with its NUL; the rest is cut. */
#define LARIO_LOG_TEXT_BYTES 1024

/* Where the records of a runtime go. */
typedef struct lario_log_target {
    lario_log_fn fn; /* NULL: dropped */
    void *arg;
} lario_log_target;

void lario_log_write(const lario_log_target *target, lario_log_level level, const char *event,
                     const char *format, va_list values) LARIO_PRINTF(4, 0);

void lario_log_to(const lario_log_target *target, lario_log_level level, const char *event,
                  const char *format, ...) LARIO_PRINTF(4, 5);

#endif
