/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <strings.h>

#include "codec/forwarded.h"
#include "http/req.h"
#include "lario/proxy.h"

/* Who the client is, behind the proxies that the server trusts. */

/* Proxies in a row; there are two or three. A list of thousands would be a client's invention. */
#define HOPS_MAX 32

typedef struct told {
    lario_ip ip; /* LARIO_IP_NONE: a unix socket's */
    enum lario_forwarded_proto proto;
} told;

/* Looks at the lines of a field from the last one to the first. */
typedef struct lines {
    const lario_req *req;
    const char *name;
    unsigned left; /* fields not looked at yet */
    const char *value;
    size_t value_len; /* not looked at yet */
} lines;

/* The next line upwards; false when there is none. */
static bool line_before(lines *self)
{
    size_t len = strlen(self->name);

    while (self->left > 0) {
        const lario_http1_field *field = &self->req->fields[--self->left];

        if (field->name.len != len || strcasecmp(self->req->head + field->name.at, self->name) != 0)
            continue;
        self->value = self->req->head + field->value.at;
        self->value_len = field->value.len;
        return true;
    }
    return false;
}

static lines lines_of(const lario_req *req, const char *name)
{
    return (lines){.req = req, .name = name, .left = req->fields_count};
}

/* The hop before those that were looked at; false at the beginning of all lists. */
static bool hop_before(lines *self, bool is_rfc7239, lario_forwarded_hop *ret_hop)
{
    do {
        if (is_rfc7239 ? lario_forwarded_last(self->value, &self->value_len, ret_hop)
                       : lario_x_forwarded_for_last(self->value, &self->value_len, ret_hop))
            return true;
    } while (line_before(self));
    return false;
}

/* Goes from the trusted peer back to the first that is not trusted. */
static void follow(const lario_req *req, const lario_server *server, told *client)
{
    bool is_rfc7239 = server->forwarded == LARIO_FORWARDED_RFC7239;
    lines at = lines_of(req, is_rfc7239 ? "forwarded" : "x-forwarded-for");
    lines protos = lines_of(req, "x-forwarded-proto");
    lario_forwarded_hop hop;

    if (!is_rfc7239 && line_before(&protos))
        client->proto = lario_x_forwarded_proto(protos.value, protos.value_len);
    for (int hops = 0; hops < HOPS_MAX && hop_before(&at, is_rfc7239, &hop); hops++) {
        if (hop.is_malformed)
            return;
        if (is_rfc7239)
            client->proto = hop.proto;
        if (hop.ip.family == LARIO_IP_NONE)
            return;
        client->ip = hop.ip;
        if (!lario_trust_has_ip(&server->trust, &hop.ip))
            return;
    }
}

/* False when the connection has ended, so that nothing is known of its peer. */
static bool find_client(const lario_req *req, told *ret_client)
{
    const lario_server *server = req->conn->conn.home->server;
    lario_address peer;

    if (req->conn->is_closed || lario_conn_peer(&req->conn->conn, &peer) < 0)
        return false;
    *ret_client = (told){.ip = lario_address_ip(&peer)};
    if (!lario_trust_is_empty(&server->trust) && lario_trust_has(&server->trust, &peer))
        follow(req, server, ret_client);
    return true;
}

static const char *client_text(lario_req *req)
{
    char text[LARIO_IP_TEXT_BYTES];
    told found;

    if (!find_client(req, &found))
        return "";
    if (found.ip.family == LARIO_IP_NONE)
        return "unix";
    lario_ip_format(&found.ip, text);
    const char *copy = lario_arena_copy(&req->arena, text, strlen(text));

    return copy ? copy : "";
}

const char *lario_client(lario_req *req)
{
    if (!req->client)
        req->client = client_text(req);
    return req->client;
}

const char *lario_scheme(lario_req *req)
{
    told found;

    if (find_client(req, &found) && found.proto != LARIO_FORWARDED_PROTO_NONE)
        return found.proto == LARIO_FORWARDED_PROTO_HTTPS ? "https" : "http";
    return lario_conn_is_tls(&req->conn->conn) ? "https" : "http";
}
