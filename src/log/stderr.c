/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <time.h>

#include "log/log.h"
#include "sys/clock.h"
#include "sys/fd.h"

static const char *const level_names[] = {"error", "warn", "info", "debug"};

/* Writes `text` with its control characters as \xNN, so that a record stays one line. */
static size_t escape(char *out, size_t size, const char *text)
{
    static const char hex[] = "0123456789abcdef";
    size_t len = 0;

    for (; *text && len + 5 < size; text++) {
        unsigned char byte = (unsigned char)*text;

        if (byte >= 0x20 && byte != 0x7f) {
            out[len++] = (char)byte;
            continue;
        }
        out[len++] = '\\';
        out[len++] = 'x';
        out[len++] = hex[byte >> 4];
        out[len++] = hex[byte & 15];
    }
    return len;
}

void lario_log_stderr(void *arg, lario_log_level level, const char *event, const char *text)
{
    char line[4 * LARIO_LOG_TEXT_BYTES + 128];
    struct tm utc;
    lario_log_level most = arg ? *(const lario_log_level *)arg : LARIO_LOG_INFO;

    if (level > most)
        return;
    uint64_t now_ns = lario_clock_wall_ns();
    time_t now_s = (time_t)(now_ns / LARIO_NS_PER_S);

    gmtime_r(&now_s, &utc);
    int head = snprintf(
        line, sizeof line, "%04d-%02d-%02dT%02d:%02d:%02d.%03uZ %-5s %s: ", utc.tm_year + 1900,
        utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
        (unsigned)(now_ns % LARIO_NS_PER_S / LARIO_NS_PER_MS), level_names[level], event);

    if (head < 0 || (size_t)head >= sizeof line - 2)
        return;
    size_t len = (size_t)head;

    len += escape(line + len, sizeof line - len - 1, text);
    line[len++] = '\n';
    /* One write, so that lines of several threads do not mix. If it fails nobody can be told. */
    (void)lario_fd_write(STDERR_FILENO, line, len);
}
