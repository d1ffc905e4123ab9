/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "codec/token.h"
#include "codec/ws_handshake.h"
#include "http/ws.h"

/* The opening handshake (RFC 6455 4.2), from the server's side. */

/* Shorter messages do not become much smaller. */
#define COMPRESS_BYTES_MIN 64

/* Answers a handshake that is refused; the handler is told by LARIO_EUPGRADE. */
static int refuse(lario_req *req, int status, const char *why)
{
    int rc = lario_replyf(req, status, "text/plain", "%s: %s\n", lario_status_text(status), why);

    return rc < 0 ? rc : LARIO_EUPGRADE;
}

static int refuse_version(lario_req *req)
{
    int rc = lario_add_header(req, "Sec-WebSocket-Version", "13");

    return rc < 0 ? rc : refuse(req, 426, "WebSocket version 13 is needed");
}

/* The value of a field that must come exactly once, or NULL. */
static const char *single_field(const lario_req *req, const char *name)
{
    size_t len = strlen(name);
    const char *found = NULL;

    for (unsigned i = 0; i < req->fields_count; i++) {
        const lario_http1_field *field = &req->fields[i];

        if (field->name.len != len ||
            !lario_ascii_equal_nocase(req->head + field->name.at, name, len))
            continue;
        if (found)
            return NULL;
        found = req->head + field->value.at;
    }
    return found;
}

/* Whether one of the fields called `name` has the token. */
static bool any_field_has(const lario_req *req, const char *name, const char *token)
{
    size_t len = strlen(name);

    for (unsigned i = 0; i < req->fields_count; i++) {
        const lario_http1_field *field = &req->fields[i];

        if (field->name.len == len &&
            lario_ascii_equal_nocase(req->head + field->name.at, name, len) &&
            lario_token_list_has(req->head + field->value.at, field->value.len, token))
            return true;
    }
    return false;
}

/* Whether the space-separated `list` has `word` of `len` bytes. */
static bool list_has_word(const char *list, const char *word, size_t len)
{
    while (*list) {
        size_t here = strcspn(list, " ");

        if (here == len && memcmp(list, word, len) == 0)
            return true;
        list += here;
        list += strspn(list, " ");
    }
    return false;
}

/* Whether a comma-separated list has exactly this word: subprotocols are case-sensitive. */
static bool list_offers(const char *value, size_t len, const char *word, size_t word_len)
{
    const char *at = value, *end = value + len, *member;
    size_t member_len;

    while (lario_token_list_next(&at, end, &member, &member_len))
        if (member_len == word_len && memcmp(member, word, word_len) == 0)
            return true;
    return false;
}

/* The first of our protocols that the client offers too (RFC 6455 4.2.2), copied; "" for none. */
static const char *choose_protocol(lario_req *req, const char *ours)
{
    while (ours && *ours) {
        size_t len = strcspn(ours, " ");
        char *word = lario_arena_copy(&req->arena, ours, len);

        if (!word)
            return NULL;
        for (unsigned i = 0; len > 0 && i < req->fields_count; i++) {
            const lario_http1_field *field = &req->fields[i];
            const char *name = "sec-websocket-protocol";

            if (field->name.len == strlen(name) &&
                lario_ascii_equal_nocase(req->head + field->name.at, name, field->name.len) &&
                list_offers(req->head + field->value.at, field->value.len, word, len))
                return word;
        }
        ours += len;
        ours += strspn(ours, " ");
    }
    return "";
}

/* 0 when the request is a proper handshake; else it has been answered. */
static int check_handshake(lario_req *req, const lario_ws_options *opts)
{
    const char *key = single_field(req, "sec-websocket-key");
    const char *version = single_field(req, "sec-websocket-version");
    const char *origin = single_field(req, "origin");

    if (strcmp(req->method, "GET") != 0 || req->minor < 1)
        return refuse(req, 400, "a WebSocket handshake is a GET request of HTTP/1.1");
    if (!req->upgrade_asked || !any_field_has(req, "upgrade", "websocket"))
        return refuse(req, 400, "this resource speaks WebSocket only");
    if (req->has_body)
        return refuse(req, 400, "a WebSocket handshake has no body");
    if (!version || strcmp(version, "13") != 0)
        return refuse_version(req);
    if (!key || !lario_ws_key_is_valid(key, strlen(key)))
        return refuse(req, 400, "Sec-WebSocket-Key must be 16 bytes in base64, once");
    if (opts && opts->origins && (!origin || !list_has_word(opts->origins, origin, strlen(origin))))
        return refuse(req, 403, "this origin may not connect");
    return 0;
}

/* ---- permessage-deflate (RFC 7692) ---- */

/* The first offer of the client that we take; false: none, or we do not want it. */
static bool choose_deflate(const lario_req *req, const lario_ws_options *opts,
                           lario_ws_deflate_agreed *ret_agreed)
{
    static const char name[] = "sec-websocket-extensions";
    unsigned bits = opts && opts->window_bits ? opts->window_bits : LARIO_WS_BITS_DEFAULT;
    const lario_ws_deflate_terms terms = {
        .server_bits_max = (uint8_t)bits,
        .client_bits_max = LARIO_WS_WINDOW_BITS_MAX,
        .server_keeps = opts && opts->keeps_window,
        .client_keeps = opts && opts->keeps_window,
    };
    lario_ws_deflate_terms small = terms;

    if (!opts || !opts->compresses || !lario_ws_deflate_is_known())
        return false;
    /* A client that can limit its window is asked to; another one is taken as it is. */
    small.client_bits_max = (uint8_t)bits;
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < req->fields_count; i++) {
            const lario_http1_field *field = &req->fields[i];

            if (field->name.len == sizeof name - 1 &&
                lario_ascii_equal_nocase(req->head + field->name.at, name, sizeof name - 1) &&
                lario_ws_extension_choose(req->head + field->value.at, field->value.len,
                                          pass == 0 ? &small : &terms, ret_agreed))
                return true;
        }
    return false;
}

/*
 * Put together by hand: printf needs more stack than all the rest of a session, and the page that
 * it touches would stay with the session for life.
 */
static int answer_handshake(lario_req *req, const char *protocol, const char *extension)
{
    static const char upgrade[] =
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ";
    static const char protocol_name[] = "\r\nSec-WebSocket-Protocol: ";
    static const char extension_name[] = "\r\nSec-WebSocket-Extensions: ";
    char *fields = lario_arena_alloc(
        &req->arena, sizeof upgrade + LARIO_WS_ACCEPT_BYTES + sizeof protocol_name +
                         strlen(protocol) + sizeof extension_name + strlen(extension) + 3);

    if (!fields)
        return LARIO_ENOMEM;
    char *at = stpcpy(fields, upgrade);

    lario_ws_accept_key(single_field(req, "sec-websocket-key"), at);
    at += LARIO_WS_ACCEPT_BYTES;
    if (*protocol)
        at = stpcpy(stpcpy(at, protocol_name), protocol);
    if (*extension)
        at = stpcpy(stpcpy(at, extension_name), extension);
    memcpy(at, "\r\n", sizeof "\r\n");
    return lario_req_switch_protocols(req, fields);
}

/* Answers with what was agreed on. */
static int agree(lario_req *req, const lario_ws_options *opts, lario_ws *ws)
{
    char extension[LARIO_WS_EXTENSION_BYTES] = "";
    lario_ws_deflate_agreed agreed;
    int rc = 0;

    if (choose_deflate(req, opts, &agreed)) {
        lario_ws_extension_write(&agreed, extension);
        rc = lario_ws_deflate_new(&agreed, &ws->deflate);
        ws->compress_bytes_min =
            opts->compress_bytes_min ? opts->compress_bytes_min : COMPRESS_BYTES_MIN;
    }
    if (rc == 0)
        rc = answer_handshake(req, ws->protocol, extension);
    if (rc < 0)
        lario_ws_deflate_free(ws->deflate);
    return rc;
}

int lario_ws_accept(lario_req *req, const lario_ws_options *opts, lario_ws **ret_ws)
{
    const lario_limits *limits = lario_http_conn_limits(req->conn);
    uint64_t max =
        opts && opts->message_bytes_max ? opts->message_bytes_max : limits->ws_message_bytes_max;
    uint32_t ping_ms = opts && opts->ping_ms ? opts->ping_ms : limits->ws_ping_ms;

    if (req->answer != LARIO_ANSWER_NONE)
        return LARIO_ESTATE;
    if (req->conn->is_closed)
        return LARIO_ECLOSED;
    if (opts && opts->window_bits && (opts->window_bits < 9 || opts->window_bits > 15))
        return LARIO_EINVAL;
    int rc = check_handshake(req, opts);

    if (rc < 0)
        return rc;
    lario_ws *ws = lario_arena_alloc(&req->arena, sizeof *ws);
    const char *protocol = choose_protocol(req, opts ? opts->protocols : NULL);

    if (!ws || !protocol)
        return LARIO_ENOMEM;
    memset(ws, 0, sizeof *ws);
    ws->protocol = protocol;
    rc = agree(req, opts, ws);
    if (rc < 0)
        return rc;
    lario_ws_start(ws, req, max, ping_ms);
    *ret_ws = ws;
    return 0;
}
