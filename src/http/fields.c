/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "codec/token.h"
#include "http/req.h"

/* Fields that a handler adds: checked here, so that no value can part a response. */

#define EXTRA_COUNT_MAX 64
#define EXTRA_BYTES_MAX 16384
#define EXTRA_ROOM_FIRST 256

/* Fields that follow from how the answer is framed; a handler must not contradict it. */
static bool is_servers_own(const char *name, size_t len)
{
    static const char *const names[] = {"content-length", "transfer-encoding", "connection", "date",
                                        "upgrade"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == len && lario_ascii_equal_nocase(names[i], name, len))
            return true;
    return false;
}

int lario_req_make_extra_room(lario_req *req, size_t len)
{
    if (req->extra_len + len <= req->extra_room)
        return 0;
    size_t room = req->extra_room ? 2 * (size_t)req->extra_room : EXTRA_ROOM_FIRST;

    if (room < req->extra_len + len)
        room = req->extra_len + len;
    char *extra = lario_arena_alloc(&req->arena, room);

    if (!extra)
        return LARIO_ENOMEM;
    if (req->extra_len > 0)
        memcpy(extra, req->extra, req->extra_len);
    req->extra = extra;
    req->extra_room = (uint32_t)room;
    return 0;
}

int lario_add_header(lario_req *req, const char *name, const char *value)
{
    size_t name_len = strlen(name), value_len = strlen(value);
    size_t len = name_len + 2 + value_len + 2;

    if (req->answer != LARIO_ANSWER_NONE)
        return LARIO_ESTATE;
    if (!lario_token_is_valid(name, name_len) || is_servers_own(name, name_len) ||
        !lario_field_value_is_valid(value, value_len))
        return LARIO_EHEADER;
    if (req->extra_count >= EXTRA_COUNT_MAX || value_len > EXTRA_BYTES_MAX ||
        len > EXTRA_BYTES_MAX - req->extra_len)
        return LARIO_ETOOBIG;
    int rc = lario_req_make_extra_room(req, len);

    if (rc < 0)
        return rc;
    char *at = req->extra + req->extra_len;

    memcpy(at, name, name_len);
    memcpy(at + name_len, ": ", 2);
    memcpy(at + name_len + 2, value, value_len);
    memcpy(at + name_len + 2 + value_len, "\r\n", 2);
    req->extra_len += (uint32_t)len;
    req->extra_count++;
    return 0;
}

int lario_req_add_header_if(lario_req *req, const char *name, const char *value)
{
    return value ? lario_add_header(req, name, value) : 0;
}
