/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "codec/uri.h"
#include "http/req.h"

/* The query's variables, decoded once, at the first question. */

static size_t count_vars(const char *at, const char *end)
{
    const char *name, *value;
    size_t name_len, value_len, count = 0;

    while (lario_uri_query_next(&at, end, &name, &name_len, &value, &value_len))
        count++;
    return count;
}

/* A decoded copy with its NUL, never longer than what it is made of; NULL when malformed. */
static const char *decode(const char *raw, size_t len, char **out)
{
    char *text = *out;
    int decoded = lario_uri_decode_form(raw, len, text);

    if (decoded < 0)
        return NULL;
    text[decoded] = '\0';
    *out = text + decoded + 1;
    return text;
}

static int parse_query(lario_req *req)
{
    const char *at = req->raw_query, *end = at + req->raw_query_len;
    const char *name, *value;
    size_t name_len, value_len;
    size_t count = count_vars(at, end);
    lario_query_var *vars = lario_arena_alloc(&req->arena, count * sizeof *vars);
    /* Each variable has two NULs and had at least one delimiter, but for the last. */
    char *out = lario_arena_alloc(&req->arena, req->raw_query_len + 2 * count + 1);

    if (!vars || !out)
        return LARIO_ENOMEM;
    req->query_parsed = true;
    for (size_t i = 0; lario_uri_query_next(&at, end, &name, &name_len, &value, &value_len); i++) {
        vars[i].name = decode(name, name_len, &out);
        vars[i].value = decode(value, value_len, &out);
        if (!vars[i].name || !vars[i].value)
            return LARIO_EPROTO; /* malformed: as if there were none */
    }
    req->query = vars;
    req->query_count = count;
    return 0;
}

static int need_query(lario_req *req)
{
    return req->query_parsed ? 0 : parse_query(req);
}

const char *lario_query(lario_req *req, const char *name)
{
    if (need_query(req) < 0)
        return NULL;
    for (size_t i = 0; i < req->query_count; i++)
        if (strcmp(req->query[i].name, name) == 0)
            return req->query[i].value;
    return NULL;
}

int lario_query_at(lario_req *req, size_t index, const char **ret_name, const char **ret_value)
{
    int rc = need_query(req);

    if (rc == LARIO_ENOMEM)
        return rc;
    if (index >= req->query_count)
        return LARIO_ENOTFOUND;
    *ret_name = req->query[index].name;
    *ret_value = req->query[index].value;
    return 0;
}
