/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "http/ws.h"
#include "proc/runtime.h"
#include "proc/scheduler.h"

/*
 * Messages that are framed once, for any number of sockets: shared bytes that hold a head of ours,
 * the frame, and the compressed frame if there is one.
 */
typedef struct frame_head {
    uint32_t plain_at;
    uint32_t plain_len;
    uint32_t packed_at;
    uint32_t packed_len; /* 0: none */
} frame_head;

/* The window of the compressed frame: what every session with the default options takes. */
#define SHARED_BITS LARIO_WS_BITS_DEFAULT

#define FRAME_BYTES_MAX (16u << 20)

static const frame_head *head_of(const lario_shared *shared)
{
    return (const frame_head *)(const void *)shared->bytes;
}

/* The public name of such shared bytes. */
static lario_shared *shared_of(lario_ws_frame *frame)
{
    return (lario_shared *)(void *)frame;
}

static size_t put_frame(char *at, uint8_t opcode, const void *data, size_t len)
{
    uint8_t header[LARIO_WS_HEADER_BYTES_MAX];
    size_t header_len = lario_ws_header_write(header, opcode, len);

    memcpy(at, header, header_len);
    if (len > 0)
        memcpy(at + header_len, data, len);
    return header_len + len;
}

/* The bytes of both frames behind the head. */
static lario_shared *make_shared(uint8_t opcode, const void *data, size_t len, const char *packed,
                                 size_t packed_len)
{
    size_t room = sizeof(frame_head) + 2 * LARIO_WS_HEADER_BYTES_MAX + len + packed_len;
    lario_shared *shared = lario_shared_new(NULL, room);
    frame_head head = {.plain_at = sizeof head};

    if (!shared)
        return NULL;
    head.plain_len = (uint32_t)put_frame(shared->bytes + head.plain_at, opcode, data, len);
    head.packed_at = head.plain_at + head.plain_len;
    if (packed)
        head.packed_len = (uint32_t)put_frame(shared->bytes + head.packed_at,
                                              opcode | LARIO_WS_COMPRESSED, packed, packed_len);
    memcpy(shared->bytes, &head, sizeof head);
    return shared;
}

lario_ws_frame *lario_ws_frame_new(int kind, const void *data, size_t len, bool compresses)
{
    char *packed = NULL;
    size_t packed_len = 0;

    if ((kind != LARIO_WS_TEXT && kind != LARIO_WS_BINARY) || len > FRAME_BYTES_MAX)
        return NULL;
    if (compresses && lario_ws_deflate_is_known() &&
        lario_ws_deflate_alone(data, len, SHARED_BITS, &packed, &packed_len) < 0)
        return NULL;
    lario_shared *shared =
        make_shared(kind == LARIO_WS_TEXT ? LARIO_WS_OP_TEXT : LARIO_WS_OP_BINARY, data, len,
                    packed, packed_len);

    free(packed);
    return (lario_ws_frame *)(void *)shared;
}

void lario_ws_frame_free(lario_ws_frame *frame)
{
    lario_shared_unref(shared_of(frame));
}

/* Queues the frame that this session can read. */
static int put_shared(lario_ws *ws, lario_shared *shared)
{
    const frame_head *head = head_of(shared);
    bool is_packed = head->packed_len > 0 && lario_ws_takes_shared(ws->deflate, SHARED_BITS);

    if (ws->close_sent)
        return LARIO_ECLOSED;
    return lario_stream_write_shared(lario_ws_stream(ws), shared,
                                     is_packed ? head->packed_at : head->plain_at,
                                     is_packed ? head->packed_len : head->plain_len);
}

int lario_ws_write_frame(lario_ws *ws, lario_ws_frame *frame)
{
    if (ws->req->proc != lario_proc_current())
        return LARIO_ENOTPROC;
    int rc = ws->close_sent ? LARIO_ECLOSED : lario_req_wait_for_room(ws->req);

    return rc < 0 ? rc : put_shared(ws, shared_of(frame));
}

int lario_ws_send(lario_pid to, lario_ws_frame *frame)
{
    return lario_sched_current() ? lario_send_shared(to, LARIO_KIND_FOR_SOURCE, shared_of(frame))
                                 : LARIO_ENOTPROC;
}

lario_shared *lario_ws_frame_shared(lario_ws_frame *frame)
{
    return shared_of(frame);
}

int lario_ws_forward(lario_source *source, lario_message *message)
{
    lario_ws *ws = lario_container_of(source, lario_ws, source);
    int rc = lario_req_wait_for_room(ws->req);

    if (rc == 0)
        rc = put_shared(ws, message->shared);
    /* A socket that is closing says so to lario_receive() by itself. */
    return rc == LARIO_ECLOSED ? 0 : rc;
}
