/* SPDX-License-Identifier: BSD-3-Clause */
#include "board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int board_open(struct board *board, lario_app *app)
{
    lario_runtime *runtime = lario_app_runtime(app);

    if (!runtime)
        return LARIO_ENOMEM;
    board->devices = lario_scope_open(runtime, "devices");
    board->watchers = lario_scope_open(runtime, "watchers");
    return board->devices && board->watchers ? 0 : LARIO_ENOMEM;
}

bool board_name_ok(const char *name)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t len = name ? strspn(name, allowed) : 0;

    return len >= 1 && len <= BOARD_NAME_BYTES_MAX && name[len] == '\0';
}

/* The time in UTC to the millisecond, by RFC 3339. */
static void format_now(char text[BOARD_TIME_BYTES])
{
    char day_time[24];
    struct timespec now;
    struct tm tm;

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &tm);
    strftime(day_time, sizeof day_time, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(text, BOARD_TIME_BYTES, "%s.%03uZ", day_time,
             (unsigned)(now.tv_nsec / 1000000) % 1000);
}

int board_enter(struct board *board, const char *serial, char ret_since[BOARD_TIME_BYTES])
{
    char since[BOARD_TIME_BYTES];
    int rc;

    format_now(since);
    rc = lario_register(board->devices, serial, lario_self(), since);
    if (rc >= 0)
        memcpy(ret_since, since, sizeof since);
    return rc;
}

/* A failure is of no concern: the name goes with the process at the latest. */
void board_exit(struct board *board, const char *serial)
{
    int rc = lario_unregister(board->devices, serial);

    if (rc < 0 && rc != LARIO_ECANCELED)
        lario_log(LARIO_LOG_WARN, "serial_kept", "%s: %s", serial, lario_strerror(rc));
}

/* The text of a message for a client; the caller frees it. NULL when memory is out. */
static char *message_text(const char *from, const char *group, json_t *body)
{
    json_t *message = json_pack("{s:s, s:s?, s:s*, s:O}", "type", "message", "from", from, "group",
                                group, "body", body);
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;

    json_decref(message);
    return text;
}

int board_send(struct board *board, const char *from, const char *serial, json_t *body)
{
    lario_pid pid;
    char *text;
    int rc = lario_whereis(board->devices, serial, &pid);

    if (rc < 0)
        return rc;
    text = message_text(from, NULL, body);
    rc = text ? lario_send(pid, BOARD_TEXT, text, strlen(text)) : LARIO_ENOMEM;
    free(text);
    return rc;
}

int board_publish(struct board *board, const char *from, const char *group, json_t *body)
{
    char *text = message_text(from, group, body);
    int rc = LARIO_ENOMEM;

    if (text)
        rc = lario_publish(board->devices, group, BOARD_TEXT, text, strlen(text));
    free(text);
    return rc;
}

static int count_group(void *arg, const char *name, lario_pid pid, const char *meta)
{
    size_t *count = arg;

    (void)name;
    (void)pid;
    (void)meta;
    *count += 1;
    return 0;
}

/* Whether the group exists or may still be made. */
static int check_room(struct board *board, const char *group)
{
    size_t count = 0;
    int rc;

    if (lario_member_count(board->devices, group) > 0)
        return 0;
    rc = lario_each_group(board->devices, count_group, &count);
    if (rc >= 0 && count >= BOARD_GROUPS_MAX)
        rc = LARIO_EFULL;
    return rc;
}

int board_join(struct board *board, const char *group, const char *serial)
{
    lario_pid pid;
    int rc = lario_whereis(board->devices, serial, &pid);

    if (rc >= 0)
        rc = check_room(board, group);
    if (rc >= 0)
        rc = lario_join(board->devices, group, pid, serial);
    if (rc >= 0)
        board_tell(board, json_pack("{s:s, s:s, s:s}", "type", "joined", "serial", serial, "group",
                                    group));
    return rc;
}

int board_leave(struct board *board, const char *group, const char *serial)
{
    lario_pid pid;
    int rc = lario_whereis(board->devices, serial, &pid);

    if (rc >= 0)
        rc = lario_leave(board->devices, group, pid);
    if (rc >= 0)
        board_tell(board,
                   json_pack("{s:s, s:s, s:s}", "type", "left", "serial", serial, "group", group));
    return rc;
}

void board_tell(struct board *board, json_t *event)
{
    char *text = event ? json_dumps(event, JSON_COMPACT) : NULL;
    int rc = LARIO_ENOMEM;

    if (text)
        rc = lario_publish(board->watchers, "all", BOARD_TEXT, text, strlen(text));
    if (rc < 0)
        lario_log(LARIO_LOG_WARN, "watchers_missed", "%s", lario_strerror(rc));
    free(text);
    json_decref(event);
}

const char *board_error(int code)
{
    switch (code) {
    case LARIO_ENOTFOUND:
    case LARIO_ENOPROC:
        return "no device with this serial is connected";
    case LARIO_ENOTMEMBER:
        return "the device is not in this group";
    case LARIO_EFULL:
        return "a limit is reached: the device does not keep up, or there are too many groups";
    default:
        return lario_strerror(code);
    }
}
