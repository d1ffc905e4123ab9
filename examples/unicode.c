/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

/* Text of any script, in the path, the query, a form and the answer: all of it is UTF-8. */
static int show(lario_req *req)
{
    const char *text = lario_query(req, "text");

    return lario_replyf(req, 200, "text/html; charset=utf-8",
                        "<p>%s</p><p>%s</p><form method=post accept-charset=utf-8>"
                        "<input name=text><button>Grüße</button></form>\n",
                        lario_escape_xml(req, lario_path(req)),
                        lario_escape_xml(req, text ? text : "日本語, Ελληνικά, עברית"));
}

static int echo(lario_req *req)
{
    int rc = lario_form_read(req);
    const char *text = rc == 0 ? lario_form(req, "text") : NULL;

    return rc < 0 ? rc
                  : lario_replyf(req, 200, "text/html; charset=utf-8", "<p>%s</p>\n",
                                 lario_escape_xml(req, text));
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_get(app, "/*path", show);
    lario_post(app, "/*path", echo);
    return lario_app_main(app, argc, argv);
}
