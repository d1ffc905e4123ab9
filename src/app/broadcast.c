/* SPDX-License-Identifier: BSD-3-Clause */
#include "cluster/entry.h"
#include "http/ws.h"

/* WebSocket frames for the members of a group: where scopes and sockets meet. */
int lario_ws_publish(lario_scope *scope, const char *group, lario_ws_frame *frame)
{
    return lario_scope_publish_shared(scope, group, LARIO_KIND_FOR_SOURCE,
                                      lario_ws_frame_shared(frame));
}
