/* SPDX-License-Identifier: BSD-3-Clause */
#include "groups.h"

#include "board.h"
#include "reply.h"
#include "roster.h"

static int list(lario_req *req)
{
    json_t *groups = roster_groups(lario_data(req));

    return reply_json(req, 200, groups ? json_pack("{s:o}", "groups", groups) : NULL);
}

static int post_message(lario_req *req)
{
    const char *group;
    json_t *body;
    int rc;

    if (!reply_is_own_origin(req, &rc) || !reply_has_name(req, "group", &group, &rc))
        return rc;
    body = reply_read_message(req, &rc);
    if (!body)
        return rc;
    rc = board_publish(lario_data(req), NULL, group, body);
    json_decref(body);
    if (rc < 0)
        return reply_failure(req, rc);
    return reply_json(req, 202, json_pack("{s:i}", "receivers", rc));
}

/* Makes or ends the membership that the path names, by `change`. */
static int change_member(lario_req *req,
                         int (*change)(struct board *board, const char *group, const char *serial))
{
    const char *group;
    const char *serial;
    int rc;

    if (!reply_is_own_origin(req, &rc) || !reply_has_name(req, "group", &group, &rc) ||
        !reply_has_name(req, "serial", &serial, &rc))
        return rc;
    rc = change(lario_data(req), group, serial);
    return rc < 0 ? reply_failure(req, rc) : lario_reply(req, 204, NULL, NULL);
}

static int put_member(lario_req *req)
{
    return change_member(req, board_join);
}

static int delete_member(lario_req *req)
{
    return change_member(req, board_leave);
}

static int allow_member(lario_req *req)
{
    return reply_allow(req, "PUT, DELETE, OPTIONS");
}

void groups_routes(lario_router *router)
{
    lario_get(router, "/groups", list);
    lario_any(router, "/groups", reply_allow_get);
    lario_post(router, "/groups/:group/messages", post_message);
    lario_any(router, "/groups/:group/messages", reply_allow_post);
    lario_put(router, "/groups/:group/members/:serial", put_member);
    lario_delete(router, "/groups/:group/members/:serial", delete_member);
    lario_any(router, "/groups/:group/members/:serial", allow_member);
}
