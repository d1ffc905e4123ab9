/* SPDX-License-Identifier: BSD-3-Clause */
#include "commands.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"

/* Takes `answer` over. */
static int answer(lario_ws *ws, json_t *value)
{
    char *text = value ? json_dumps(value, JSON_COMPACT) : NULL;
    int rc = text ? lario_ws_puts(ws, text) : LARIO_ENOMEM;

    free(text);
    json_decref(value);
    return rc;
}

int commands_refuse(lario_ws *ws, const char *error)
{
    return answer(ws, json_pack("{s:s, s:s}", "type", "error", "error", error));
}

/* The board's result as the answer; `counted` names the number in it, NULL when it has none. */
static int conclude(lario_ws *ws, const char *command, const char *counted, int rc)
{
    json_t *value;

    if (rc < 0)
        return commands_refuse(ws, board_error(rc));
    value = json_pack("{s:s, s:s}", "type", "ok", "command", command);
    if (value && counted && json_object_set_new(value, counted, json_integer(rc)) < 0) {
        json_decref(value);
        value = NULL;
    }
    return answer(ws, value);
}

static int run_send(struct board *board, lario_ws *ws, const char *serial, const json_t *command)
{
    const char *to = json_member(command, "to");
    json_t *body = json_object_get(command, "body");
    int rc;

    if (!board_name_ok(to) || !body)
        return commands_refuse(ws, "send needs \"to\", a serial, and \"body\"");
    rc = board_send(board, serial, to, body);
    return conclude(ws, "send", "delivered", rc < 0 ? rc : 1);
}

static int run_publish(struct board *board, lario_ws *ws, const char *serial, const json_t *command)
{
    const char *group = json_member(command, "group");
    json_t *body = json_object_get(command, "body");

    if (!board_name_ok(group) || !body)
        return commands_refuse(ws, "publish needs \"group\", a name, and \"body\"");
    return conclude(ws, "publish", "receivers", board_publish(board, serial, group, body));
}

static int run_join(struct board *board, lario_ws *ws, const char *serial, const json_t *command)
{
    const char *group = json_member(command, "group");

    if (!board_name_ok(group))
        return commands_refuse(ws, "join needs \"group\", a name");
    return conclude(ws, "join", NULL, board_join(board, group, serial));
}

static int run_leave(struct board *board, lario_ws *ws, const char *serial, const json_t *command)
{
    const char *group = json_member(command, "group");

    if (!board_name_ok(group))
        return commands_refuse(ws, "leave needs \"group\", a name");
    return conclude(ws, "leave", NULL, board_leave(board, group, serial));
}

static const struct {
    const char *type;
    int (*run)(struct board *board, lario_ws *ws, const char *serial, const json_t *command);
} commands[] = {
    {"send", run_send},
    {"publish", run_publish},
    {"join", run_join},
    {"leave", run_leave},
};

int commands_run(struct board *board, lario_ws *ws, const char *serial, const char *text,
                 size_t len)
{
    char error[JSON_ERROR_BYTES];
    json_t *command = json_parse(text, len, error);
    const char *type = json_member(command, "type");
    int rc;

    for (size_t i = 0; type && i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(type, commands[i].type) == 0) {
            rc = commands[i].run(board, ws, serial, command);
            json_decref(command);
            return rc;
        }
    }
    rc = commands_refuse(
        ws, command ? "\"type\" must be \"send\", \"publish\", \"join\" or \"leave\"" : error);
    json_decref(command);
    return rc;
}
