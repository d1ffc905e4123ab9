/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_WEB_ROUTE_TREE_H
#define LARIO_WEB_ROUTE_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "lario/http.h"
#include "web/route_pattern.h"

/*
 * The patterns of a router as a radix tree: "/users", "/users/:id" and "/up/" with a rest are
 *
 *     root -- "/u" -+- "sers" (routes) -- "/" -- :param (routes)
 *                   `- "p/" -- *rest (routes)
 *
 * A node stands for one place, whatever its parameters are called: the names belong to the route.
 * Knows nothing of requests: methods are bits, and what a route runs is only stored.
 */

/* A handler that is given the data of its route. */
typedef int (*lario_route_handler)(lario_req *req, void *data);

/* What a route runs: `plain`, or `bound` with `data`. */
typedef struct lario_route_target {
    lario_handler plain;
    lario_route_handler bound;
    void *data;
} lario_route_target;

typedef struct lario_route_entry {
    struct lario_route_entry *next; /* of the same place, for another method */
    uint64_t method;                /* one bit */
    lario_route_target target;
    unsigned params_count;
    const char *params[]; /* their names, in the order of the pattern */
} lario_route_entry;

typedef struct lario_route_node lario_route_node;

typedef struct lario_route_tree {
    lario_route_node *root; /* NULL until the first route */
    lario_route_node *made; /* all nodes, for the end */
} lario_route_tree;

typedef struct lario_route_span {
    size_t at;
    size_t len;
} lario_route_span;

typedef struct lario_route_match {
    const lario_route_entry *routes; /* of the place that was found, or NULL */
    uint64_t methods;                /* of all places that fit the path, when none was found */
    lario_route_span values[LARIO_ROUTE_SEGMENTS_MAX]; /* of the parameters */
} lario_route_match;

/* Frees all routes. An all-zero tree is an empty one. */
void lario_route_tree_done(lario_route_tree *tree);

/*
 * Adds a route; `method` is one bit. Returns 0, LARIO_EROUTE with *ret_reason (static storage)
 * for a pattern that is bad or taken for this method, or LARIO_ENOMEM.
 */
int lario_route_tree_add(lario_route_tree *tree, uint64_t method, const char *pattern,
                         const lario_route_target *target, const char **ret_reason);

/*
 * Finds the first place, in the order text, `:name`, `*name` at each segment, that fits `path` and
 * has a route for one of the `methods`. Each node is visited at most once; nothing is allocated.
 */
void lario_route_tree_match(const lario_route_tree *tree, const char *path, size_t len,
                            uint64_t methods, lario_route_match *ret_match);

#endif
