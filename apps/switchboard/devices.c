/* SPDX-License-Identifier: BSD-3-Clause */
#include "devices.h"

#include "board.h"
#include "commands.h"
#include "reply.h"
#include "roster.h"

static int list(lario_req *req)
{
    json_t *devices = roster_devices(lario_data(req));

    return reply_json(req, 200, devices ? json_pack("{s:o}", "devices", devices) : NULL);
}

static int show(lario_req *req)
{
    const char *serial;
    json_t *device;
    int rc;

    if (!reply_has_name(req, "serial", &serial, &rc))
        return rc;
    device = roster_device(lario_data(req), serial, &rc);
    return device ? reply_json(req, 200, device) : reply_failure(req, rc);
}

static int post_message(lario_req *req)
{
    const char *serial;
    json_t *body;
    int rc;

    if (!reply_is_own_origin(req, &rc) || !reply_has_name(req, "serial", &serial, &rc))
        return rc;
    body = reply_read_message(req, &rc);
    if (!body)
        return rc;
    rc = board_send(lario_data(req), NULL, serial, body);
    json_decref(body);
    if (rc < 0)
        return reply_failure(req, rc);
    return reply_json(req, 202, json_pack("{s:i}", "delivered", 1));
}

/* Commands of the device and messages for it, until one side leaves. */
static int converse(struct board *board, lario_ws *ws, const char *serial)
{
    lario_msg msg;
    int rc;

    do {
        rc = lario_receive(&msg, -1);
        if (rc == BOARD_TEXT)
            rc = lario_ws_write(ws, LARIO_WS_TEXT, msg.data, msg.len);
        else if (rc == LARIO_WS_TEXT)
            rc = commands_run(board, ws, serial, msg.data, msg.len);
        else if (rc == LARIO_WS_BINARY)
            rc = commands_refuse(ws, "commands are text messages");
    } while (rc >= 0);
    return rc;
}

/*
 * The serial is taken before the handshake is answered, so that a second connection under it gets
 * a plain HTTP answer. When the handshake fails the serial is given back at once; in every other
 * case the end of the process would do it too, but the watchers shall only be told when the serial
 * is free again.
 */
static int connect_device(lario_req *req)
{
    struct board *board = lario_data(req);
    char since[BOARD_TIME_BYTES];
    const char *serial;
    lario_ws *ws;
    int rc;

    if (!reply_is_own_origin(req, &rc) || !reply_has_name(req, "serial", &serial, &rc))
        return rc;
    rc = board_enter(board, serial, since);
    if (rc == LARIO_ETAKEN)
        return reply_error(req, 409,
                           lario_format(req, "the serial %s is connected already", serial));
    if (rc < 0)
        return reply_failure(req, rc);
    rc = lario_ws_accept(req, NULL, &ws);
    if (rc < 0) {
        board_exit(board, serial);
        return rc;
    }
    board_tell(board, json_pack("{s:s, s:s, s:s, s:[]}", "type", "connected", "serial", serial,
                                "since", since, "groups"));
    rc = converse(board, ws, serial);
    board_exit(board, serial);
    board_tell(board, json_pack("{s:s, s:s, s:s}", "type", "disconnected", "serial", serial,
                                "since", since));
    return rc;
}

void devices_routes(lario_router *router)
{
    lario_get(router, "/devices", list);
    lario_any(router, "/devices", reply_allow_get);
    lario_get(router, "/devices/:serial", show);
    lario_any(router, "/devices/:serial", reply_allow_get);
    lario_get(router, "/devices/:serial/connect", connect_device);
    lario_any(router, "/devices/:serial/connect", reply_allow_get);
    lario_post(router, "/devices/:serial/messages", post_message);
    lario_any(router, "/devices/:serial/messages", reply_allow_post);
}
