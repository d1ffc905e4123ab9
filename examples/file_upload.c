/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdatomic.h>

#include "lario/lario.h"

/* Takes files of any size, up to a limit, and keeps them in a folder under names of its own. */

#define FILE_BYTES_MAX ((uint64_t)1 << 30)

static const char *folder = "/tmp";
static atomic_uint uploads;

static int page(lario_req *req)
{
    return lario_reply(req, 200, "text/html",
                       "<form method=post enctype=multipart/form-data>"
                       "<input type=file name=file multiple><button>Send</button></form>\n");
}

/* Never under the client's name: that says what it likes. */
static int save(lario_req *req)
{
    const char *path = lario_format(req, "%s/upload-%u", folder, atomic_fetch_add(&uploads, 1));

    return path ? lario_part_save(req, path, FILE_BYTES_MAX, NULL) : LARIO_ENOMEM;
}

static int upload(lario_req *req)
{
    lario_part part;
    unsigned files = 0;
    int rc;

    while ((rc = lario_part_next(req, &part)) > 0) {
        if (!part.file_name || !*part.file_name)
            continue; /* another field, or no file was chosen */
        rc = save(req);
        if (rc < 0)
            return rc;
        files++;
    }
    return rc < 0 ? rc : lario_replyf(req, 200, "text/plain", "%u files saved.\n", files);
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_get(app, "/", page);
    lario_post(app, "/", upload);
    lario_app_option(app, "folder", "DIR", "where files are kept", &folder);
    return lario_app_main(app, argc, argv);
}
