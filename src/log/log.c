/* SPDX-License-Identifier: BSD-3-Clause */
#include "log/log.h"

#include <stdio.h>

void lario_log_write(const lario_log_target *target, lario_log_level level, const char *event,
                     const char *format, va_list values)
{
    char text[LARIO_LOG_TEXT_BYTES];

    if (!target->fn)
        return;
    if (vsnprintf(text, sizeof text, format, values) < 0)
        text[0] = '\0';
    target->fn(target->arg, level, event, text);
}

void lario_log_to(const lario_log_target *target, lario_log_level level, const char *event,
                  const char *format, ...)
{
    va_list values;

    va_start(values, format);
    lario_log_write(target, level, event, format, values);
    va_end(values);
}
