/* SPDX-License-Identifier: BSD-3-Clause */
#include "web/router.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/token.h"
#include "codec/uri.h"
#include "http/request.h"
#include "web/hosts.h"
#include "web/layers.h"

#define METHOD_ANY (UINT64_C(1) << LARIO_ROUTER_METHODS_MAX)

void lario_router_init(lario_router *router)
{
    *router = (lario_router){0};
}

void lario_router_done(lario_router *router)
{
    lario_router_owned *next;

    lario_route_tree_done(&router->tree);
    for (unsigned i = 0; i < router->methods_count; i++)
        free(router->methods[i]);
    for (lario_router_owned *owned = router->owned; owned; owned = next) {
        next = owned->next;
        owned->free(owned);
    }
    lario_layers_done(router);
    lario_hosts_done(router);
    *router = (lario_router){0};
}

void lario_router_own(lario_router *router, lario_router_owned *owned)
{
    owned->next = router->owned;
    router->owned = owned;
}

void lario_router_fail(lario_router *router, int error, const char *format, ...)
{
    va_list args;

    if (router->parent)
        router = router->parent;
    if (router->error)
        return;
    router->error = error;
    va_start(args, format);
    (void)vsnprintf(router->error_text, sizeof(router->error_text), format, args);
    va_end(args);
}

/* The bit of a method that some route has, or 0. */
static uint64_t find_method(const lario_router *router, const char *method)
{
    for (unsigned i = 0; i < router->methods_count; i++) {
        if (strcmp(router->methods[i], method) == 0)
            return UINT64_C(1) << i;
    }
    return 0;
}

/* The bit of a method, which is added to the table if it is new. */
static int add_method(lario_router *router, const char *method, uint64_t *ret_bit,
                      const char **ret_reason)
{
    uint64_t bit = method ? find_method(router, method) : METHOD_ANY;
    char *copy;

    if (!bit) {
        if (!lario_token_is_valid(method, strlen(method))) {
            *ret_reason = "the method is not a token";
            return LARIO_EROUTE;
        }
        if (router->methods_count == LARIO_ROUTER_METHODS_MAX) {
            *ret_reason = "there are more than 63 methods";
            return LARIO_EROUTE;
        }
        copy = strdup(method);
        if (!copy)
            return LARIO_ENOMEM;
        bit = UINT64_C(1) << router->methods_count;
        router->methods[router->methods_count++] = copy;
    }
    *ret_bit = bit;
    return 0;
}

/* `router` may be NULL: the app could not be made, and its start will say so. */
static void add_route(lario_router *router, const char *method, const char *pattern,
                      const lario_route_target *target)
{
    const char *reason = NULL;
    uint64_t bit = 0;
    int rc;

    if (!router)
        return;
    if (!pattern || (!target->plain && !target->bound)) {
        reason = pattern ? "there is no handler" : "there is no pattern";
        rc = LARIO_EROUTE;
    } else {
        rc = add_method(router, method, &bit, &reason);
        if (rc >= 0)
            rc = lario_route_tree_add(&router->tree, bit, pattern, target, &reason);
    }
    if (rc < 0)
        lario_router_fail(router, rc, "route %.32s %.120s: %s", method ? method : "*",
                          pattern ? pattern : "", reason ? reason : lario_strerror(rc));
}

void lario_router_bind(lario_router *router, const char *method, const char *pattern,
                       lario_route_handler handler, void *data)
{
    const lario_route_target target = {.bound = handler, .data = data};

    add_route(router, method, pattern, &target);
}

void lario_route(lario_router *router, const char *method, const char *pattern,
                 lario_handler handler)
{
    const lario_route_target target = {.plain = handler};

    add_route(router, method ? method : "", pattern, &target);
}

void lario_get(lario_router *router, const char *pattern, lario_handler handler)
{
    lario_route(router, "GET", pattern, handler);
}

void lario_post(lario_router *router, const char *pattern, lario_handler handler)
{
    lario_route(router, "POST", pattern, handler);
}

void lario_put(lario_router *router, const char *pattern, lario_handler handler)
{
    lario_route(router, "PUT", pattern, handler);
}

void lario_patch(lario_router *router, const char *pattern, lario_handler handler)
{
    lario_route(router, "PATCH", pattern, handler);
}

void lario_delete(lario_router *router, const char *pattern, lario_handler handler)
{
    lario_route(router, "DELETE", pattern, handler);
}

void lario_any(lario_router *router, const char *pattern, lario_handler handler)
{
    const lario_route_target target = {.plain = handler};

    add_route(router, NULL, pattern, &target);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Adds Allow with these methods, sorted. GET brings HEAD with it; OPTIONS is always answered. */
static int add_allow(const lario_router *router, lario_req *req, uint64_t methods)
{
    const char *names[LARIO_ROUTER_METHODS_MAX + 2];
    size_t count = 0, bytes = 1;
    char *allow, *at;

    for (unsigned i = 0; i < router->methods_count; i++) {
        if (methods & UINT64_C(1) << i)
            names[count++] = router->methods[i];
    }
    if ((methods & find_method(router, "GET")) && !(methods & find_method(router, "HEAD")))
        names[count++] = "HEAD";
    if (!(methods & find_method(router, "OPTIONS")))
        names[count++] = "OPTIONS";
    qsort(names, count, sizeof(names[0]), compare_names);
    for (size_t i = 0; i < count; i++)
        bytes += strlen(names[i]) + strlen(", ");
    allow = at = lario_alloc(req, bytes);
    if (!allow)
        return LARIO_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            at = stpcpy(at, ", ");
        at = stpcpy(at, names[i]);
    }
    return lario_add_header(req, "Allow", allow);
}

/* The answer to a method that no route of the path takes; `methods` are those that some takes. */
static int answer_alone(const lario_router *router, lario_req *req, uint64_t methods)
{
    bool is_options = strcmp(lario_method(req), "OPTIONS") == 0;
    int rc = add_allow(router, req, methods);

    if (rc < 0)
        return rc;
    if (is_options)
        return lario_reply(req, 204, NULL, NULL);
    return lario_reply_error(req, 405);
}

/* The routes that take a request, the better ones first: bits, or 0 where there is none. */
typedef struct wanted {
    uint64_t own; /* for the method itself */
    uint64_t get; /* GET for HEAD */
} wanted;

static wanted wanted_by(const lario_router *router, const char *method)
{
    return (wanted){
        .own = find_method(router, method),
        .get = strcmp(method, "HEAD") == 0 ? find_method(router, "GET") : 0,
    };
}

/* The best of the routes of a place that has one. */
static const lario_route_entry *choose(const lario_route_entry *routes, wanted by)
{
    const lario_route_entry *get = NULL, *any = NULL;

    for (const lario_route_entry *route = routes; route; route = route->next) {
        if (route->method == by.own)
            return route;
        if (route->method == by.get)
            get = route;
        else if (route->method == METHOD_ANY)
            any = route;
    }
    return get ? get : any;
}

/* Copies the values of the parameters, each with its NUL, for lario_param(). */
static int set_params(lario_req *req, const lario_route_entry *route, const char *path,
                      const lario_route_match *match)
{
    size_t count = route->params_count, bytes = count * sizeof(lario_req_param);
    lario_req_param *params;
    char *at;

    for (size_t i = 0; i < count; i++)
        bytes += match->values[i].len + 1;
    params = lario_alloc(req, bytes);
    if (!params)
        return LARIO_ENOMEM;
    at = (char *)(params + count);
    for (size_t i = 0; i < count; i++) {
        size_t len = match->values[i].len;

        params[i] = (lario_req_param){.name = route->params[i], .value = at};
        for (size_t j = 0; j < len; j++) {
            char c = path[match->values[i].at + j];

            *at++ = c == LARIO_URI_ENCODED_SLASH ? '/' : c;
        }
        *at++ = '\0';
    }
    lario_req_set_params(req, params, count);
    return 0;
}

static int run(lario_req *req, const lario_route_entry *route, const char *path,
               const lario_route_match *match)
{
    int rc = route->params_count > 0 ? set_params(req, route, path, match) : 0;

    if (rc < 0)
        return rc;
    if (route->target.plain)
        return route->target.plain(req);
    return route->target.bound(req, route->target.data);
}

/* ---- The same path with a slash at its end, or without ---- */

static bool toggle_slash(lario_req *req, lario_route_path path, lario_route_path *ret_path)
{
    char *text;

    if (path.len > 1 && path.text[path.len - 1] == '/') {
        *ret_path = (lario_route_path){.text = path.text, .len = path.len - 1};
        return true;
    }
    text = path.len > 1 ? lario_alloc(req, path.len + 1) : NULL;
    if (!text)
        return false;
    memcpy(text, path.text, path.len);
    text[path.len] = '/';
    *ret_path = (lario_route_path){.text = text, .len = path.len + 1};
    return true;
}

/* Sends the client to the target with its path's last slash added or taken away. */
static int redirect_slash(lario_req *req)
{
    size_t len = 0;
    const char *raw = lario_req_raw_path(req, &len);
    const char *query = strchr(lario_target(req), '?');
    bool has_slash = raw[len - 1] == '/';

    /* A browser takes "//host/" and "/\\host/" for another server. */
    if (len > 1 && (raw[1] == '/' || raw[1] == '\\'))
        return lario_reply_error(req, 404);
    const char *location = lario_format(req, "%.*s%s%s", (int)(has_slash ? len - 1 : len), raw,
                                        has_slash ? "" : "/", query ? query : "");

    return location ? lario_redirect(req, 308, location) : LARIO_ENOMEM;
}

/* ---- The way of a request ---- */

static int route_in(lario_router *router, lario_req *req, lario_route_path path, bool is_twin);

/* The path fits no route: perhaps its twin does. */
__attribute__((noinline)) static int try_slash(lario_router *router, lario_req *req,
                                               lario_route_path path)
{
    lario_route_path other;

    if (router->slash == LARIO_SLASH_STRICT || !toggle_slash(req, path, &other))
        return lario_reply_error(req, 404);
    return route_in(router, req, other, true);
}

/*
 * The only place that looks for a route, so that the compiler can put the looking into it: its
 * frame stays on the stack of every handler, and an idle one has to do with a page.
 */
static int route_in(lario_router *router, lario_req *req, lario_route_path path, bool is_twin)
{
    wanted by = wanted_by(router, lario_method(req));
    lario_route_match match;

    if (path.len == 1 && path.text[0] == '*')
        return answer_alone(router, req, ~METHOD_ANY);
    lario_route_tree_match(&router->tree, path.text, path.len, by.own | by.get | METHOD_ANY,
                           &match);
    bool fits = match.routes || match.methods != 0;

    if (is_twin && fits && router->slash == LARIO_SLASH_REDIRECT)
        return redirect_slash(req);
    if (match.routes)
        return run(req, choose(match.routes, by), path.text, &match);
    if (fits)
        return answer_alone(router, req, match.methods);
    return is_twin ? lario_reply_error(req, 404) : try_slash(router, req, path);
}

static int route_to(lario_router *router, lario_req *req, lario_route_path path)
{
    return route_in(router, req, path, false);
}

/* Inside of the middleware: another host's routes, or the router's own. */
static int dispatch(lario_router *router, lario_req *req, lario_route_path path)
{
    lario_router *host = router->hosts ? lario_hosts_find(router, lario_host(req)) : NULL;

    if (!host)
        return route_to(router, req, path);
    return host->layers ? lario_layers_run(host, req, path, route_to) : route_to(host, req, path);
}

int lario_router_handle(lario_router *router, lario_req *req)
{
    lario_route_path path = {0};

    path.text = lario_req_raw_path(req, &path.len);
    if (path.len > 0 && memchr(path.text, '%', path.len)) {
        char *decoded = lario_alloc(req, path.len);
        int rc;

        if (!decoded)
            return LARIO_ENOMEM;
        rc = lario_uri_decode_path(path.text, path.len, decoded, LARIO_URI_ENCODED_SLASH);
        if (rc < 0)
            return lario_reply_error(req, 400);
        path = (lario_route_path){.text = decoded, .len = (size_t)rc};
    }
    if (router->layers)
        return lario_layers_run(router, req, path, dispatch);
    return router->hosts ? dispatch(router, req, path) : route_to(router, req, path);
}

void lario_slashes(lario_router *router, enum lario_slash policy)
{
    if (!router)
        return;
    if (policy > LARIO_SLASH_IGNORE)
        lario_router_fail(router, LARIO_EINVAL, "%d is no policy for slashes", (int)policy);
    router->slash = (uint8_t)policy;
}
