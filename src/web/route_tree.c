/* SPDX-License-Identifier: BSD-3-Clause */
#include "web/route_tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lario/error.h"

/* Each segment start leaves at most two ways to try later: its `:name` and its `*name`. */
#define CHOICES_MAX (2 * LARIO_ROUTE_SEGMENTS_MAX)

enum node_kind { NODE_TEXT, NODE_PARAM, NODE_REST };

/* A text child, beside the byte that its text starts with: no two of a node share it. */
typedef struct edge {
    lario_route_node *node;
    char first;
} edge;

struct lario_route_node {
    char *text; /* of NODE_TEXT, else NULL */
    size_t text_len;
    edge *edges;
    size_t edges_count;
    lario_route_node *param; /* behind a '/' only, as `rest` */
    lario_route_node *rest;
    lario_route_entry *routes;
    uint64_t methods; /* of the routes */
    lario_route_node *made_next;
    enum node_kind kind;
};

typedef struct choice {
    const lario_route_node *node; /* a NODE_PARAM or NODE_REST to try */
    size_t at;                    /* where its value starts */
    unsigned values;              /* parameters before it */
} choice;

void lario_route_tree_done(lario_route_tree *tree)
{
    lario_route_node *next;

    for (lario_route_node *node = tree->made; node; node = next) {
        lario_route_entry *route_next;

        for (lario_route_entry *route = node->routes; route; route = route_next) {
            route_next = route->next;
            free(route);
        }
        next = node->made_next;
        free(node->text);
        free(node->edges);
        free(node);
    }
    *tree = (lario_route_tree){0};
}

static lario_route_node *new_node(lario_route_tree *tree, enum node_kind kind, const char *text,
                                  size_t len)
{
    lario_route_node *node = calloc(1, sizeof(*node));

    if (!node)
        return NULL;
    if (kind == NODE_TEXT) {
        node->text = malloc(len + 1);
        if (!node->text) {
            free(node);
            return NULL;
        }
        memcpy(node->text, text, len);
        node->text[len] = '\0';
        node->text_len = len;
    }
    node->kind = kind;
    node->made_next = tree->made;
    tree->made = node;
    return node;
}

static edge *find_edge(const lario_route_node *node, char first)
{
    for (size_t i = 0; i < node->edges_count; i++) {
        if (node->edges[i].first == first)
            return &node->edges[i];
    }
    return NULL;
}

static lario_route_node *add_child(lario_route_tree *tree, lario_route_node *node, const char *text,
                                   size_t len)
{
    edge *edges = realloc(node->edges, (node->edges_count + 1) * sizeof(*edges));
    lario_route_node *child;

    if (!edges)
        return NULL;
    node->edges = edges;
    child = new_node(tree, NODE_TEXT, text, len);
    if (child)
        edges[node->edges_count++] = (edge){.node = child, .first = text[0]};
    return child;
}

/* Puts a node with the first `len` bytes of the text of `at` between it and its parent. */
static lario_route_node *split(lario_route_tree *tree, edge *at, size_t len)
{
    lario_route_node *lower = at->node;
    lario_route_node *upper = new_node(tree, NODE_TEXT, lower->text, len);

    if (!upper)
        return NULL;
    upper->edges = malloc(sizeof(*upper->edges));
    if (!upper->edges)
        return NULL;
    upper->edges[0] = (edge){.node = lower, .first = lower->text[len]};
    upper->edges_count = 1;
    lower->text_len -= len;
    memmove(lower->text, lower->text + len, lower->text_len + 1);
    at->node = upper;
    return upper;
}

/* The node at the end of `text` below `node`, made where it is missing. */
static lario_route_node *extend(lario_route_tree *tree, lario_route_node *node, const char *text,
                                size_t len)
{
    while (node && len > 0) {
        edge *next = find_edge(node, text[0]);
        size_t same = 0;

        if (!next)
            return add_child(tree, node, text, len);
        while (same < len && same < next->node->text_len && text[same] == next->node->text[same])
            same++;
        node = same < next->node->text_len ? split(tree, next, same) : next->node;
        text += same;
        len -= same;
    }
    return node;
}

static lario_route_node *extend_variable(lario_route_tree *tree, lario_route_node *node, char sign)
{
    lario_route_node **slot = sign == ':' ? &node->param : &node->rest;

    if (!*slot)
        *slot = new_node(tree, sign == ':' ? NODE_PARAM : NODE_REST, NULL, 0);
    return *slot;
}

/* A route with the names of its parameters, which lie behind the pointers to them. */
static lario_route_entry *new_route(const char *pattern, unsigned params)
{
    size_t len = strlen(pattern);
    size_t head = sizeof(lario_route_entry) + params * sizeof(const char *);
    lario_route_entry *route = calloc(1, head + len + 1);
    char *at;

    if (!route)
        return NULL;
    at = (char *)route + head;
    memcpy(at, pattern, len);
    at += lario_route_pattern_text(at);
    while (route->params_count < params) {
        char *end = at + lario_route_pattern_param(at);

        route->params[route->params_count++] = at + 1;
        at = end + lario_route_pattern_text(end);
        *end = '\0';
    }
    return route;
}

/* The node for a pattern that was checked, made where it is missing. */
static lario_route_node *place_of(lario_route_tree *tree, const char *pattern)
{
    lario_route_node *node = tree->root;
    const char *at = pattern;

    if (!node)
        node = tree->root = new_node(tree, NODE_TEXT, "", 0);
    while (node && *at) {
        size_t text_len = lario_route_pattern_text(at);

        node = extend(tree, node, at, text_len);
        at += text_len;
        if (node && *at) {
            node = extend_variable(tree, node, *at);
            at += lario_route_pattern_param(at);
        }
    }
    return node;
}

int lario_route_tree_add(lario_route_tree *tree, uint64_t method, const char *pattern,
                         const lario_route_target *target, const char **ret_reason)
{
    lario_route_node *node;
    lario_route_entry *route;
    unsigned params = 0;
    const char *fault = lario_route_pattern_check(pattern, &params);

    if (fault) {
        *ret_reason = fault;
        return LARIO_EROUTE;
    }
    node = place_of(tree, pattern);
    if (!node)
        return LARIO_ENOMEM;
    if (node->methods & method) {
        *ret_reason = "the method has a route at this place already";
        return LARIO_EROUTE;
    }
    route = new_route(pattern, params);
    if (!route)
        return LARIO_ENOMEM;
    route->method = method;
    route->target = *target;
    route->next = node->routes;
    node->routes = route;
    node->methods |= method;
    return 0;
}

/* The text child that goes on with the path, or NULL. */
static const lario_route_node *next_text(const lario_route_node *node, const char *path, size_t len)
{
    const edge *found = len > 0 ? find_edge(node, path[0]) : NULL;

    if (!found || found->node->text_len > len ||
        memcmp(found->node->text, path, found->node->text_len) != 0)
        return NULL;
    return found->node;
}

/*
 * Takes back the choice made last whose variable fits, and notes its value. A match then goes on
 * behind the value. Returns NULL when there is none.
 */
static const lario_route_node *next_variable(choice *choices, unsigned *choices_count,
                                             const char *path, size_t len, lario_route_match *match,
                                             size_t *at, unsigned *values)
{
    while (*choices_count > 0) {
        const choice *taken = &choices[--*choices_count];
        const char *slash = NULL;
        size_t end = len;

        if (taken->node->kind == NODE_PARAM && taken->at < len)
            slash = memchr(path + taken->at, '/', len - taken->at);
        if (slash)
            end = (size_t)(slash - path);
        if (taken->node->kind == NODE_PARAM && end == taken->at)
            continue;
        match->values[taken->values] = (lario_route_span){taken->at, end - taken->at};
        *values = taken->values + 1;
        *at = end;
        return taken->node;
    }
    return NULL;
}

void lario_route_tree_match(const lario_route_tree *tree, const char *path, size_t len,
                            uint64_t methods, lario_route_match *ret_match)
{
    const lario_route_node *node = tree->root, *next;
    choice choices[CHOICES_MAX];
    unsigned choices_count = 0, values = 0;
    size_t at = 0;

    ret_match->routes = NULL;
    ret_match->methods = 0;
    while (node) {
        if (at == len && (node->methods & methods)) {
            ret_match->routes = node->routes;
            return;
        }
        if (at == len)
            ret_match->methods |= node->methods;
        assert(choices_count + 2 <= CHOICES_MAX || (!node->rest && !node->param));
        if (node->rest)
            choices[choices_count++] = (choice){node->rest, at, values};
        if (node->param)
            choices[choices_count++] = (choice){node->param, at, values};
        next = next_text(node, path + at, len - at);
        if (next)
            at += next->text_len;
        else
            next = next_variable(choices, &choices_count, path, len, ret_match, &at, &values);
        node = next;
    }
}
