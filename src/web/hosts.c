/* SPDX-License-Identifier: BSD-3-Clause */
#include "web/hosts.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Routers by the name of the host. */

/* Without its port, and without the dot that may end a name of the DNS. */
static size_t name_len_of(const char *host)
{
    size_t len = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");

    return len > 1 && host[len - 1] == '.' ? len - 1 : len;
}

static bool fits(const lario_router_host *host, const char *name, size_t len)
{
    if (!host->is_pattern)
        return len == host->name_len && strncasecmp(name, host->name, len) == 0;
    return len > host->name_len &&
           strncasecmp(name + len - host->name_len, host->name, host->name_len) == 0;
}

lario_router *lario_hosts_find(const lario_router *router, const char *host)
{
    size_t len = name_len_of(host);

    for (const lario_router_host *at = router->hosts; at; at = at->next)
        if (fits(at, host, len))
            return at->router;
    return NULL;
}

void lario_hosts_done(lario_router *router)
{
    while (router->hosts) {
        lario_router_host *host = router->hosts;

        router->hosts = host->next;
        lario_router_done(host->router);
        free(host->router);
        free(host);
    }
}

/* ---- Set-up ---- */

/* Letters, digits, '-', '_' and dots between them, or an address in brackets. */
static bool is_valid(const char *name, size_t len)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

    if (len == 0 || len > 255 || name[0] == '.')
        return false;
    for (size_t i = 0; i < len; i++) {
        bool is_in_brackets = name[0] == '[' && strchr("[]:", name[i]);

        if (!name[i] || (!strchr(letters, name[i]) && !strchr("-_.", name[i]) && !is_in_brackets))
            return false;
    }
    return true;
}

/* Whether `a` is looked at before `b`: names before patterns, longer patterns before shorter. */
static bool is_before(const lario_router_host *a, const lario_router_host *b)
{
    if (a->is_pattern != b->is_pattern)
        return b->is_pattern;
    return a->is_pattern && a->name_len > b->name_len;
}

static lario_router_host *new_host(lario_router *parent, const char *name, size_t len,
                                   bool is_pattern)
{
    lario_router_host *host = calloc(1, sizeof *host + len + 1);
    lario_router *router = calloc(1, sizeof *router);

    if (!host || !router) {
        free(host);
        free(router);
        return NULL;
    }
    lario_router_init(router);
    router->parent = parent;
    host->router = router;
    host->is_pattern = is_pattern;
    host->name_len = len;
    memcpy(host->name, name, len);
    return host;
}

lario_router *lario_host_router(lario_router *router, const char *host)
{
    if (!router)
        return NULL;
    bool is_pattern = host && strncmp(host, "*.", 2) == 0;
    const char *name = is_pattern ? host + 1 : host; /* a pattern keeps its dot */

    if (!host || !is_valid(is_pattern ? host + 2 : host, strlen(is_pattern ? host + 2 : host)) ||
        router->parent) {
        lario_router_fail(router, LARIO_EROUTE, "host %.120s: %s", host ? host : "",
                          router->parent ? "a host has no hosts" : "it is no name of a host");
        return NULL;
    }
    size_t len = strlen(name);

    for (lario_router_host *at = router->hosts; at; at = at->next)
        if (at->is_pattern == is_pattern && at->name_len == len &&
            strncasecmp(at->name, name, len) == 0)
            return at->router;
    lario_router_host *added = new_host(router, name, len, is_pattern);

    if (!added) {
        lario_router_fail(router, LARIO_ENOMEM, "host %.120s: %s", host,
                          lario_strerror(LARIO_ENOMEM));
        return NULL;
    }
    lario_router_host **at = &router->hosts;

    while (*at && !is_before(added, *at))
        at = &(*at)->next;
    added->next = *at;
    *at = added;
    return added->router;
}
