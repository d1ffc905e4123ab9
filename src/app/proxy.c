/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/proxy.h"

#include "app/app.h"

/* The set-up of a server behind proxies. */

void lario_app_proxy_protocol(lario_app *app, enum lario_proxy_protocol mode)
{
    lario_app_state *state = lario_app_state_of(app);

    if (!lario_app_may_set_up(state, "the PROXY protocol"))
        return;
    if (mode != LARIO_PROXY_OFF && mode != LARIO_PROXY_REQUIRED)
        lario_app_fail(state, LARIO_EINVAL, "%d is no mode of the PROXY protocol", (int)mode);
    state->server.expects_proxy_header = mode == LARIO_PROXY_REQUIRED;
}

void lario_app_trust_proxy(lario_app *app, const char *address)
{
    lario_app_state *state = lario_app_state_of(app);

    if (!lario_app_may_set_up(state, "a trusted proxy"))
        return;
    int rc = lario_trust_add(&state->server.trust, address);

    if (rc == LARIO_EFULL)
        lario_app_fail(state, rc, "more than %d trusted proxies", LARIO_TRUST_NETS_MAX);
    else if (rc < 0)
        lario_app_fail(state, rc, "'%s' is no proxy to trust (ADDRESS, ADDRESS/BITS or unix:)",
                       address);
}

void lario_app_forwarded(lario_app *app, enum lario_forwarded fields)
{
    lario_app_state *state = lario_app_state_of(app);

    if (!lario_app_may_set_up(state, "the fields of proxies"))
        return;
    if (fields != LARIO_FORWARDED_X && fields != LARIO_FORWARDED_RFC7239)
        lario_app_fail(state, LARIO_EINVAL, "%d is no kind of fields of proxies", (int)fields);
    state->server.forwarded = (uint8_t)fields;
}
