/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/hooks.h"

#include "app/access_log.h"
#include "app/app.h"

/* The set-up of hooks. */

void lario_app_error_page(lario_app *app, lario_error_page_fn page, void *arg)
{
    lario_app_state *state = lario_app_state_of(app);

    if (!lario_app_may_set_up(state, "an error page"))
        return;
    state->http.error_page = page;
    state->http.error_page_arg = arg;
}

void lario_app_access(lario_app *app, lario_access_fn access, void *arg)
{
    lario_app_state *state = lario_app_state_of(app);

    if (!lario_app_may_set_up(state, "an access hook"))
        return;
    state->http.access = access;
    state->http.access_arg = arg;
}

void lario_app_access_log(lario_app *app, const char *path)
{
    lario_app_state *state = lario_app_state_of(app);
    lario_access_log *log;

    if (!lario_app_may_set_up(state, "an access log"))
        return;
    int rc = lario_access_log_open(path, &log);

    if (rc < 0) {
        lario_app_fail(state, rc, "cannot open the access log %s: %s", path, lario_strerror(rc));
        return;
    }
    lario_access_log_close(state->access_log);
    state->access_log = log;
    lario_app_access(app, lario_access_log_write, log);
}
