/* SPDX-License-Identifier: BSD-3-Clause */
#include "page.h"

#include "page_files.h"

/* Everything comes from this server, and nothing may be written into the page's source. */
static const char policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

static int send_file(lario_req *req, const char *type, const unsigned char *data, size_t len)
{
    int rc = lario_add_header(req, "Content-Security-Policy", policy);

    if (rc >= 0)
        rc = lario_add_header(req, "X-Content-Type-Options", "nosniff");
    if (rc >= 0)
        rc = lario_add_header(req, "Cache-Control", "no-cache");
    return rc < 0 ? rc : lario_reply_bytes(req, 200, type, data, len);
}

static int html(lario_req *req)
{
    return send_file(req, "text/html; charset=utf-8", page_index_html, page_index_html_len);
}

static int style(lario_req *req)
{
    return send_file(req, "text/css; charset=utf-8", page_style_css, page_style_css_len);
}

static int script(lario_req *req)
{
    return send_file(req, "text/javascript; charset=utf-8", page_script_js, page_script_js_len);
}

void page_routes(lario_router *router)
{
    lario_get(router, "/", html);
    lario_get(router, "/style.css", style);
    lario_get(router, "/script.js", script);
}
