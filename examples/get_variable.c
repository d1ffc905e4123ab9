/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/lario.h"

/* Shows a variable of the query. It comes from the client, so it is escaped before it enters XML.
 */
static int show(lario_req *req)
{
    const char *value = lario_query(req, "value");

    if (!value)
        return lario_reply(req, 200, "text/xml",
                           "<http_test><error>no value specified</error></http_test>");
    return lario_replyf(req, 200, "text/xml", "<http_test><value>%s</value></http_test>",
                        lario_escape_xml(req, value));
}

int main(int argc, char **argv)
{
    lario_app *app = lario_app_new();

    lario_get(app, "/", show);
    return lario_app_main(app, argc, argv);
}
