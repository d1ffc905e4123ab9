/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/events.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Server-Sent Events: lines of fields, an empty line behind each event. */

/* Comments only show that both ends live. */
#define COMMENT_BYTES_MAX 200

int lario_events_start(lario_req *req)
{
    int rc = lario_add_header(req, "Cache-Control", "no-cache");

    return rc < 0 ? rc : lario_reply_start(req, 200, "text/event-stream");
}

const char *lario_events_last_id(lario_req *req)
{
    const char *id = lario_header(req, "Last-Event-ID");

    return id ? id : "";
}

/* What is written before it is known whether all of it fits: an event is sent in one piece. */
typedef struct text {
    char *bytes;
    size_t len;
} text;

static void put(text *to, const char *bytes, size_t len)
{
    if (to->bytes)
        memcpy(to->bytes + to->len, bytes, len);
    to->len += len;
}

static void put_line(text *to, const char *field, const char *value, size_t len)
{
    put(to, field, strlen(field));
    put(to, ": ", 2);
    put(to, value, len);
    put(to, "\n", 1);
}

/* A field for each line of the data (WHATWG HTML 9.2.6). */
static void put_data(text *to, const char *data)
{
    while (true) {
        size_t len = strcspn(data, "\r\n");

        put_line(to, "data", data, len);
        data += len;
        if (!*data)
            return;
        data += data[0] == '\r' && data[1] == '\n' ? 2 : 1;
    }
}

static void put_event(text *to, const lario_event *event)
{
    char retry[16];

    if (event->name)
        put_line(to, "event", event->name, strlen(event->name));
    if (event->id)
        put_line(to, "id", event->id, strlen(event->id));
    if (event->retry_ms > 0)
        put_line(to, "retry", retry, (size_t)snprintf(retry, sizeof retry, "%d", event->retry_ms));
    if (event->data)
        put_data(to, event->data);
    put(to, "\n", 1);
}

static bool has_line_end(const char *value)
{
    return value && strpbrk(value, "\r\n");
}

int lario_event_send(lario_req *req, const lario_event *event)
{
    char small[512];
    text to = {0};

    if (has_line_end(event->name) || has_line_end(event->id) || event->retry_ms < 0)
        return LARIO_EINVAL;
    put_event(&to, event); /* measures */
    to.bytes = to.len <= sizeof small ? small : malloc(to.len);
    if (!to.bytes)
        return LARIO_ENOMEM;
    to.len = 0;
    put_event(&to, event);
    int rc = lario_reply_write(req, to.bytes, to.len);

    if (to.bytes != small)
        free(to.bytes);
    return rc;
}

int lario_event_comment(lario_req *req, const char *comment)
{
    char line[COMMENT_BYTES_MAX + 4];

    if (has_line_end(comment))
        return LARIO_EINVAL;
    if (strlen(comment) > COMMENT_BYTES_MAX)
        return LARIO_ETOOBIG;
    int len = snprintf(line, sizeof line, ":%s\n\n", comment);

    return lario_reply_write(req, line, (size_t)len);
}
