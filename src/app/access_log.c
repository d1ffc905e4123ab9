/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/access_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "codec/date.h"
#include "lario/log.h"
#include "proc/scheduler.h"
#include "sys/clock.h"
#include "sys/file.h"

#define BUFFER_BYTES 65536
#define LINE_BYTES_MAX 4096
#define LOOPS_MAX 256
#define PAUSE_MS 1000
#define RETRY_MS 20 /* when all workers have their hands full */

/* The lines of one loop. */
typedef struct loop_lines {
    lario_access_log *log;
    char *gathered;
    size_t gathered_len;
    char *writing; /* the other buffer; a worker may be reading it */
    size_t writing_len;
    uint64_t dropped;
    lario_pid writer; /* set while it lives */
    uint64_t date_s;
    char date[sizeof "06/Nov/1994:08:49:37 +0000"];
} loop_lines;

struct lario_access_log {
    int fd;
    loop_lines *loops[LOOPS_MAX];
};

int lario_access_log_open(const char *path, lario_access_log **ret_log)
{
    lario_access_log *log = calloc(1, sizeof *log);

    if (!log)
        return LARIO_ENOMEM;
    log->fd = lario_file_open_append(path);
    if (log->fd < 0) {
        int rc = log->fd;

        free(log);
        return rc;
    }
    *ret_log = log;
    return 0;
}

void lario_access_log_close(lario_access_log *log)
{
    if (!log)
        return;
    for (unsigned i = 0; i < LOOPS_MAX; i++) {
        if (!log->loops[i])
            continue;
        free(log->loops[i]->gathered);
        free(log->loops[i]->writing);
        free(log->loops[i]);
    }
    lario_fd_close(log->fd);
    free(log);
}

/* ---- Writing ---- */

/* On a worker, or on the loop when it ends. */
static int write_out(void *arg)
{
    loop_lines *lines = arg;

    return lario_file_write(lines->log->fd, lines->writing, lines->writing_len);
}

static void swap(loop_lines *lines)
{
    char *empty = lines->writing;

    lines->writing = lines->gathered;
    lines->writing_len = lines->gathered_len;
    lines->gathered = empty;
    lines->gathered_len = 0;
}

static void report(loop_lines *lines, int rc)
{
    if (rc < 0)
        lario_log(LARIO_LOG_ERROR, "access_log_failed", "%s, lines are lost", lario_strerror(rc));
    if (lines->dropped > 0)
        lario_log(LARIO_LOG_WARN, "access_log_dropped",
                  "%llu lines, since the file could not keep up",
                  (unsigned long long)lines->dropped);
    lines->dropped = 0;
}

/* While no worker has time, lines gather on, and what finds no room is counted. */
static int write_by_worker(loop_lines *lines)
{
    int rc = lario_offload(write_out, lines);

    while (rc == LARIO_EFULL)
        rc = lario_sleep(RETRY_MS) < 0 ? LARIO_ECANCELED : lario_offload(write_out, lines);
    return rc == LARIO_ECANCELED ? write_out(lines) : rc; /* the loop ends */
}

/* The process that sees to it that lines are written. */
static int run_writer(void *arg)
{
    loop_lines *lines = arg;
    lario_msg msg;
    int rc;

    do {
        /* A message means that the buffer is full. */
        rc = lario_receive(&msg, PAUSE_MS);
        if (lines->gathered_len == 0)
            break;
        swap(lines);
        report(lines, write_by_worker(lines));
    } while (rc != LARIO_ECANCELED);
    lines->writer = (lario_pid){0};
    return 0;
}

static void wake_writer(loop_lines *lines)
{
    static const lario_spawn_options opts = {.label = "access_log", .loop = -1};
    lario_sched *sched = lario_sched_current();
    lario_proc *writer;

    if (lario_pid_is_set(lines->writer)) {
        if (lines->gathered_len > BUFFER_BYTES - LINE_BYTES_MAX)
            (void)lario_send(lines->writer, LARIO_USER, NULL, 0);
        return;
    }
    if (lario_sched_spawn(sched, run_writer, lines, &opts, NULL, &writer) == 0) {
        lines->writer = lario_proc_pid(writer);
        return;
    }
    /* The loop takes no new processes: it is ending. */
    swap(lines);
    report(lines, write_out(lines));
}

/* ---- Lines ---- */

/* What a client sent, so that it can neither end the line nor a quoted text. */
static char *put_text(char *at, const char *end, const char *text)
{
    static const char hex[] = "0123456789ABCDEF";

    if (!text || !*text)
        text = "-";
    for (; *text && at + 4 <= end; text++) {
        unsigned char byte = (unsigned char)*text;

        if (byte < 0x20 || byte > 0x7e || byte == '"' || byte == '\\') {
            at = LARIO_CURSOR_PUT(at, "\\x");
            *at++ = hex[byte >> 4];
            *at++ = hex[byte & 15];
        } else {
            *at++ = (char)byte;
        }
    }
    return at;
}

static const char *date_of(loop_lines *lines)
{
    uint64_t now_s = lario_clock_wall_s();
    char date[LARIO_DATE_BYTES + 1]; /* Sun, 06 Nov 1994 08:49:37 GMT */

    if (now_s != lines->date_s && lario_date_format((int64_t)now_s, date)) {
        snprintf(lines->date, sizeof lines->date, "%.2s/%.3s/%.4s:%.8s +0000", date + 5, date + 8,
                 date + 12, date + 17);
        lines->date_s = now_s;
    }
    return lines->date;
}

static char *put_request_line(char *at, const char *end, lario_req *req)
{
    if (!req)
        return LARIO_CURSOR_PUT(at, "-");
    at = put_text(at, end, lario_method(req));
    *at++ = ' ';
    at = put_text(at, end, lario_target(req));
    at = LARIO_CURSOR_PUT(at, " HTTP/1.");
    *at++ = (char)('0' + lario_http_minor(req));
    return at;
}

/* Each text is cut so that what follows it still has room. */
static char *put_line(char *at, loop_lines *lines, const lario_access *access)
{
    const char *start = at;
    const char *date = date_of(lines);

    at = put_text(at, start + 128, access->client);
    at = LARIO_CURSOR_PUT(at, " - - [");
    at = lario_cursor_put(at, date, strlen(date));
    at = LARIO_CURSOR_PUT(at, "] \"");
    at = put_request_line(at, start + 2200, access->req);
    at = LARIO_CURSOR_PUT(at, "\" ");
    if (access->status)
        at = lario_cursor_put_number(at, (unsigned)access->status);
    else
        at = LARIO_CURSOR_PUT(at, "-");
    *at++ = ' ';
    at = lario_cursor_put_number(at, access->bytes_out);
    at = LARIO_CURSOR_PUT(at, " \"");
    at = put_text(at, start + 3200, access->req ? lario_header(access->req, "Referer") : NULL);
    at = LARIO_CURSOR_PUT(at, "\" \"");
    at = put_text(at, start + LINE_BYTES_MAX - 8,
                  access->req ? lario_header(access->req, "User-Agent") : NULL);
    return LARIO_CURSOR_PUT(at, "\"\n");
}

/* The buffers of this loop, made at its first line; NULL when memory is out. */
static loop_lines *lines_here(lario_access_log *log)
{
    loop_lines **at = &log->loops[lario_loop_current->index];

    if (*at)
        return *at;
    loop_lines *lines = calloc(1, sizeof *lines);

    if (!lines)
        return NULL;
    lines->gathered = malloc(BUFFER_BYTES);
    lines->writing = malloc(BUFFER_BYTES);
    if (!lines->gathered || !lines->writing) {
        free(lines->gathered);
        free(lines->writing);
        free(lines);
        return NULL;
    }
    lines->log = log;
    *at = lines;
    return lines;
}

void lario_access_log_write(void *arg, const lario_access *access)
{
    loop_lines *lines = lines_here(arg);

    if (!lines)
        return; /* memory is out: the request's own trouble is in the log */
    if (BUFFER_BYTES - lines->gathered_len < LINE_BYTES_MAX) {
        lines->dropped++;
        return;
    }
    char *at = lines->gathered + lines->gathered_len;

    lines->gathered_len += (size_t)(put_line(at, lines, access) - at);
    wake_writer(lines);
}
