/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/router.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/accept_encoding.h"
#include "http/file.h"
#include "http/request.h"
#include "sys/file.h"
#include "web/router.h"

/*
 * A path is judged before a file is opened: no segment is empty or starts with a dot, and none has
 * an encoded slash. The kernel then resolves it below the folder, which also holds for symbolic
 * links, and only what turns out to be a regular file is sent.
 */

typedef struct static_root {
    lario_router_owned owned;
    int folder;
    lario_static_options options;
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

/* "." or "..", whatever follows the segment. */
static bool is_dots(const char *segment)
{
    size_t len = strcspn(segment, "/");

    return len <= 2 && strspn(segment, ".") == len;
}

/* Whether each segment may be looked for; the last one may be empty: a folder. */
static bool is_clean(const char *path, bool shows_dot_files)
{
    for (const char *segment = path; *segment; segment += strcspn(segment, "/")) {
        if (segment > path)
            segment++;
        if (*segment == '/' || (*segment == '.' && (!shows_dot_files || is_dots(segment))))
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

/* ---- Finding the file ---- */

/* A file that was found, and how it is sent. */
typedef struct found_file {
    int fd;
    lario_file_info info;
    const char *name;     /* says the type: that of the file without .br or .gz */
    const char *encoding; /* NULL: as it is */
} found_file;

/* Opens a regular file below the root; -ENOENT for anything else, which is closed again. */
static int open_regular(const static_root *root, const char *path, found_file *ret_file)
{
    int fd = lario_file_open_below(root->folder, path);

    if (fd < 0)
        return fd;
    int rc = lario_file_stat(fd, &ret_file->info);

    if (rc == 0 && ret_file->info.is_regular) {
        ret_file->fd = fd;
        return 0;
    }
    lario_fd_close(fd);
    return rc < 0 ? rc : ret_file->info.is_folder ? -EISDIR : -ENOENT;
}

/* The compressed sibling that the client likes best, of those that are there. */
static int open_compressed(lario_req *req, const static_root *root, const char *path,
                           found_file *ret_file)
{
    static const char *const endings[LARIO_CODINGS] = {
        [LARIO_CODING_GZIP] = ".gz", [LARIO_CODING_BR] = ".br"};
    unsigned offered = 1u << LARIO_CODING_GZIP | 1u << LARIO_CODING_BR;
    const char *value = lario_header(req, "Accept-Encoding");

    while (true) {
        enum lario_coding coding =
            lario_accept_encoding_choose(value, value ? strlen(value) : 0, offered);
        size_t len = strlen(path);
        char *sibling = coding != LARIO_CODING_IDENTITY ? lario_alloc(req, len + 4) : NULL;

        if (!sibling)
            return coding == LARIO_CODING_IDENTITY ? -ENOENT : LARIO_ENOMEM;
        memcpy(sibling, path, len);
        strcpy(sibling + len, endings[coding]);
        ret_file->encoding = lario_coding_name(coding);
        if (open_regular(root, sibling, ret_file) == 0)
            return 0;
        offered &= ~(1u << coding);
    }
}

static int open_file(lario_req *req, const static_root *root, const char *path,
                     found_file *ret_file)
{
    *ret_file = (found_file){.name = path};
    int rc = open_regular(root, path, ret_file);

    if (rc < 0 || !root->options.has_compressed)
        return rc;
    found_file smaller = {.name = path};

    /* Caches must keep the answers apart, whatever this one is. */
    rc = lario_add_header(req, "Vary", "Accept-Encoding");
    if (rc == 0 && open_compressed(req, root, path, &smaller) == 0) {
        lario_fd_close(ret_file->fd);
        *ret_file = smaller;
    }
    if (rc < 0)
        lario_fd_close(ret_file->fd);
    return rc;
}

/* The index of the folder that `path`, with its slash, names below the root. */
static int open_index(lario_req *req, const static_root *root, const char *path,
                      found_file *ret_file)
{
    const char *name =
        root->options.index ? lario_format(req, "%s%s", path, root->options.index) : NULL;

    if (!name)
        return root->options.index ? LARIO_ENOMEM : -ENOENT;
    int rc = open_file(req, root, name, ret_file);

    return rc == -EISDIR ? -ENOENT : rc;
}

static int find_file(lario_req *req, const static_root *root, found_file *ret_file)
{
    const char *path = lario_param(req, "path");
    size_t raw_len = 0;
    const char *raw = lario_req_raw_path(req, &raw_len);

    if (!path || !is_clean(path, root->options.shows_dot_files) || has_encoded_slash(raw, raw_len))
        return -ENOENT;
    if (*path == '\0' || path[strlen(path) - 1] == '/')
        return open_index(req, root, path, ret_file);
    return open_file(req, root, path, ret_file);
}

static int serve(lario_req *req, void *data)
{
    const static_root *root = data;
    const lario_file_options options = {.cache_control = root->options.cache_control};
    found_file file;
    int rc = find_file(req, root, &file);

    if (rc == -EISDIR)
        return redirect_to_folder(req);
    if (rc < 0 && is_not_found(rc) && root->options.fallback)
        rc = open_file(req, root, root->options.fallback, &file);
    if (rc < 0)
        return is_not_found(rc) || rc == -EISDIR ? not_found(req) : rc;
    return lario_reply_open_file(req, file.fd, &file.info, file.name, file.encoding, &options);
}

static int serve_prefix(lario_req *req, void *data)
{
    (void)data;
    return redirect_to_folder(req);
}

/* ---- Set-up ---- */

static void free_root(lario_router_owned *owned)
{
    static_root *root = (static_root *)owned;

    lario_fd_close(root->folder);
    free(root);
}

/* The root of the files, owned by the router, or NULL with the failure kept there. */
static static_root *open_root(lario_router *router, const char *prefix, const char *dir,
                              const lario_static_options *options)
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
    root->options = *options;
    lario_router_own(router, &root->owned);
    return root;
}

void lario_static(lario_router *router, const char *prefix, const char *dir)
{
    lario_static_with(router, prefix, dir, NULL);
}

void lario_static_with(lario_router *router, const char *prefix, const char *dir,
                       const lario_static_options *options)
{
    static const lario_static_options by_default = LARIO_STATIC_OPTIONS_INIT;
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
    root = open_root(router, prefix, dir, options ? options : &by_default);
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
