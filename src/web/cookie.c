/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/cookie.h"

#include <string.h>
#include <strings.h>

#include "codec/cookie.h"
#include "http/request.h"
#include "lario/proxy.h"

typedef struct cookie_pair {
    const char *name;
    const char *value;
} cookie_pair;

typedef struct cookie_jar {
    size_t count;
    cookie_pair pairs[];
} cookie_jar;

/* ---- Those of the request ---- */

/* Calls for each cookie of all lines, or only counts them when `jar` is NULL. */
static size_t walk(lario_req *req, cookie_jar *jar, char *text)
{
    const char *name, *value, *cookie, *cookie_value;
    size_t count = 0, name_len, value_len;

    for (size_t i = 0; lario_header_at(req, i, &name, &value) == 0; i++) {
        const char *at = value, *end = value + strlen(value);

        if (strcasecmp(name, "cookie") != 0)
            continue;
        while (lario_cookie_next(&at, end, &cookie, &name_len, &cookie_value, &value_len)) {
            if (jar) {
                if (value_len >= 2 && *cookie_value == '"' && cookie_value[value_len - 1] == '"') {
                    cookie_value++;
                    value_len -= 2;
                }
                jar->pairs[count].name = memcpy(text, cookie, name_len);
                text += name_len;
                *text++ = '\0';
                jar->pairs[count].value = memcpy(text, cookie_value, value_len);
                text += value_len;
                *text++ = '\0';
            }
            count++;
        }
    }
    return count;
}

/* Each cookie has its '=' and is followed by ';' or the end: room for two NULs. */
static size_t text_room(lario_req *req)
{
    const char *name, *value;
    size_t room = 0;

    for (size_t i = 0; lario_header_at(req, i, &name, &value) == 0; i++)
        if (strcasecmp(name, "cookie") == 0)
            room += strlen(value) + 1;
    return room;
}

static const cookie_jar *jar_of(lario_req *req)
{
    void **slot = lario_req_slot(req, LARIO_REQ_SLOT_COOKIES);

    if (*slot)
        return *slot;
    size_t count = walk(req, NULL, NULL);
    cookie_jar *jar = lario_alloc(req, sizeof *jar + count * sizeof jar->pairs[0]);
    char *text = lario_alloc(req, text_room(req));

    if (!jar || !text)
        return NULL;
    jar->count = walk(req, jar, text);
    *slot = jar;
    return jar;
}

const char *lario_cookie(lario_req *req, const char *name)
{
    const cookie_jar *jar = jar_of(req);

    for (size_t i = 0; jar && i < jar->count; i++)
        if (strcmp(jar->pairs[i].name, name) == 0)
            return jar->pairs[i].value;
    return NULL;
}

int lario_cookie_at(lario_req *req, size_t index, const char **ret_name, const char **ret_value)
{
    const cookie_jar *jar = jar_of(req);

    if (!jar)
        return LARIO_ENOMEM;
    if (index >= jar->count)
        return LARIO_ENOTFOUND;
    *ret_name = jar->pairs[index].name;
    *ret_value = jar->pairs[index].value;
    return 0;
}

/* ---- Those of the answer ---- */

static enum lario_set_cookie_site site_of(enum lario_same_site same_site)
{
    switch (same_site) {
    case LARIO_SAME_SITE_STRICT:
        return LARIO_SET_COOKIE_STRICT;
    case LARIO_SAME_SITE_NONE:
        return LARIO_SET_COOKIE_NONE;
    default:
        return LARIO_SET_COOKIE_LAX;
    }
}

int lario_set_cookie(lario_req *req, const char *name, const char *value,
                     const lario_cookie_options *options)
{
    static const lario_cookie_options by_default = LARIO_COOKIE_OPTIONS_INIT;

    if (!options)
        options = &by_default;
    const lario_set_cookie_text cookie = {
        .name = name,
        .value = value,
        .path = options->path ? options->path : "/",
        .domain = options->domain,
        .max_age_s = options->max_age_s,
        .has_max_age = options->max_age_s >= 0,
        .site = site_of(options->same_site),
        .secure = options->is_secure || strcmp(lario_scheme(req), "https") == 0,
        .http_only = !options->is_for_scripts,
    };
    int rc = lario_set_cookie_check(&cookie);

    if (rc < 0)
        return rc;
    char *text = lario_alloc(req, lario_set_cookie_room(&cookie));

    if (!text)
        return LARIO_ENOMEM;
    lario_set_cookie_write(&cookie, text);
    return lario_add_header(req, "Set-Cookie", text);
}

int lario_delete_cookie(lario_req *req, const char *name, const lario_cookie_options *options)
{
    lario_cookie_options deleting = LARIO_COOKIE_OPTIONS_INIT;

    if (options)
        deleting = *options;
    deleting.max_age_s = 0;
    return lario_set_cookie(req, name, "", &deleting);
}
