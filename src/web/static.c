/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/router.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/date.h"
#include "codec/mime.h"
#include "http/request.h"
#include "sys/file.h"
#include "web/router.h"

/*
 * A path is judged before a file is opened: no segment is empty or starts with a dot, and none has
 * an encoded slash. The kernel then resolves it below the folder, which also holds for symbolic
 * links, and only what turns out to be a regular file is sent.
 */

/* Smaller files are read at once and leave with the head; larger ones go in steps of this size. */
#define STEP_BYTES ((size_t)65536)

typedef struct static_root {
    lario_router_owned owned;
    int folder;
} static_root;

static int not_found(lario_req *req)
{
    return lario_reply_error(req, 404);
}

/* What a client may learn as 404; the rest is our trouble (such as too many open files). */
static bool is_not_found(int error)
{
    switch (-error) {
    case ENOENT:
    case ENOTDIR:
    case EXDEV:
    case ELOOP:
    case EACCES:
    case EPERM:
    case ENAMETOOLONG:
    case ENXIO:
    case ENODEV:
    case EINVAL:
        return true;
    default:
        return false;
    }
}

/* Whether each segment may be looked for; the last one may be empty: a folder. */
static bool is_clean(const char *path)
{
    for (const char *segment = path; *segment; segment += strcspn(segment, "/")) {
        if (segment > path)
            segment++;
        if (*segment == '.' || *segment == '/')
            return false;
    }
    return true;
}

static bool has_encoded_slash(const char *path, size_t len)
{
    for (size_t i = 0; i + 2 < len; i++) {
        if (path[i] == '%' && path[i + 1] == '2' && (path[i + 2] == 'f' || path[i + 2] == 'F'))
            return true;
    }
    return false;
}

/* Sends the client to the same path with a slash behind it, and keeps the query. */
static int redirect_to_folder(lario_req *req)
{
    size_t len = 0;
    const char *path = lario_req_raw_path(req, &len);
    const char *query = strchr(lario_target(req), '?');
    size_t query_len = query ? strlen(query) : 0;
    char *location;
    int rc;

    /* A browser takes "//host/" and "/\host/" for another server. */
    if (len == 0 || path[0] != '/' || (len > 1 && (path[1] == '/' || path[1] == '\\')))
        return not_found(req);
    location = lario_alloc(req, len + 1 + query_len + 1);
    if (!location)
        return LARIO_ENOMEM;
    memcpy(location, path, len);
    location[len] = '/';
    memcpy(location + len + 1, query ? query : "", query_len + 1);
    rc = lario_add_header(req, "Location", location);
    if (rc < 0)
        return rc;
    return lario_reply(req, 301, "text/plain", "Moved Permanently");
}

/* Last-Modified (RFC 9110 8.8.2), unless the time is beyond what the form can say. */
static int add_last_modified(lario_req *req, int64_t modified_s)
{
    char text[LARIO_DATE_BYTES + 1];

    return lario_date_format(modified_s, text) ? lario_add_header(req, "Last-Modified", text) : 0;
}

static int send_small(lario_req *req, int fd, const char *type, size_t bytes)
{
    char *buffer = lario_alloc(req, bytes + 1); /* not 0 */
    int got = buffer ? lario_file_read(fd, buffer, bytes) : LARIO_ENOMEM;

    return got < 0 ? got : lario_reply_bytes(req, 200, type, buffer, (size_t)got);
}

static int send_large(lario_req *req, int fd, const char *type, uint64_t bytes)
{
    char *buffer = lario_alloc(req, STEP_BYTES);
    int rc = buffer ? lario_reply_start_sized(req, 200, type, bytes) : LARIO_ENOMEM;

    while (rc >= 0 && bytes > 0) {
        size_t step = bytes < STEP_BYTES ? (size_t)bytes : STEP_BYTES;
        int got = lario_file_read(fd, buffer, step);

        /* A file that became shorter cannot be what was announced: the connection is cut. */
        if (got <= 0)
            return got < 0 ? got : -EIO;
        rc = lario_reply_write(req, buffer, (size_t)got);
        bytes -= (uint64_t)got;
    }
    return rc;
}

static int send_file(lario_req *req, int fd, const lario_file_info *info, const char *name)
{
    const char *type = lario_mime_type(name);
    int rc = add_last_modified(req, info->modified_s);

    if (rc < 0)
        return rc;
    if (strcmp(lario_method(req), "HEAD") == 0)
        return lario_reply_start_sized(req, 200, type, info->bytes);
    if (info->bytes < STEP_BYTES)
        return send_small(req, fd, type, (size_t)info->bytes);
    return send_large(req, fd, type, info->bytes);
}

/* Opens index.html of the folder that `path`, with its slash, names below the root. */
static int open_index(lario_req *req, const static_root *root, const char *path)
{
    static const char index[] = "index.html";
    size_t len = strlen(path);
    char *name = lario_alloc(req, len + sizeof(index));

    if (!name)
        return LARIO_ENOMEM;
    memcpy(name, path, len);
    memcpy(name + len, index, sizeof(index));
    return lario_file_open_below(root->folder, name);
}

static int serve(lario_req *req, void *data)
{
    const static_root *root = data;
    const char *path = lario_param(req, "path"), *name = path;
    size_t raw_len = 0;
    const char *raw = lario_req_raw_path(req, &raw_len);
    lario_file_info info = {0};
    bool names_folder;
    int fd, rc;

    if (!path || !is_clean(path) || has_encoded_slash(raw, raw_len))
        return not_found(req);
    names_folder = *path == '\0' || path[strlen(path) - 1] == '/';
    if (names_folder)
        name = "index.html";
    fd = names_folder ? open_index(req, root, path) : lario_file_open_below(root->folder, path);
    if (fd < 0)
        return is_not_found(fd) ? not_found(req) : fd;
    rc = lario_file_stat(fd, &info);
    if (rc >= 0 && info.is_regular)
        rc = send_file(req, fd, &info, name);
    else if (rc >= 0)
        rc = info.is_folder && !names_folder ? redirect_to_folder(req) : not_found(req);
    lario_fd_close(fd);
    return rc;
}

static int serve_prefix(lario_req *req, void *data)
{
    (void)data;
    return redirect_to_folder(req);
}

static void free_root(lario_router_owned *owned)
{
    static_root *root = (static_root *)owned;

    lario_fd_close(root->folder);
    free(root);
}

/* The root of the files, owned by the router, or NULL with the failure kept there. */
static static_root *open_root(lario_router *router, const char *prefix, const char *dir)
{
    int folder = lario_file_open_folder(dir);
    static_root *root;

    if (folder < 0) {
        lario_router_fail(router, LARIO_EROUTE, "static %.80s: cannot open %.120s: %s", prefix, dir,
                          lario_strerror(folder));
        return NULL;
    }
    root = calloc(1, sizeof(*root));
    if (!root) {
        lario_fd_close(folder);
        lario_router_fail(router, LARIO_ENOMEM, "static %.80s: %s", prefix,
                          lario_strerror(LARIO_ENOMEM));
        return NULL;
    }
    root->owned.free = free_root;
    root->folder = folder;
    lario_router_own(router, &root->owned);
    return root;
}

void lario_static(lario_router *router, const char *prefix, const char *dir)
{
    static const char rest[] = "/*path";
    static_root *root;
    size_t len;
    char *pattern;

    if (!router)
        return;
    if (!prefix || !dir) {
        lario_router_fail(router, LARIO_EROUTE, "static: the prefix or the folder is missing");
        return;
    }
    root = open_root(router, prefix, dir);
    if (!root)
        return;
    len = strlen(prefix);
    while (len > 0 && prefix[len - 1] == '/')
        len--;
    pattern = malloc(len + sizeof(rest));
    if (!pattern) {
        lario_router_fail(router, LARIO_ENOMEM, "static %.80s: %s", prefix,
                          lario_strerror(LARIO_ENOMEM));
        return;
    }
    memcpy(pattern, prefix, len);
    memcpy(pattern + len, rest, sizeof(rest));
    lario_router_bind(router, "GET", pattern, serve, root);
    pattern[len] = '\0';
    if (len > 0)
        lario_router_bind(router, "GET", pattern, serve_prefix, NULL);
    free(pattern);
}
