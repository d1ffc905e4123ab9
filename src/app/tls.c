/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/tls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"

/* The certificates of an app: set-up, start and reload. */

/* Replaces *at by a copy of `text`, which may be NULL. */
static void keep(lario_app_state *state, char **at, const char *text)
{
    char *copy = text ? strdup(text) : NULL;

    if (text && !copy) {
        lario_app_fail(state, LARIO_ENOMEM, "%s", lario_strerror(LARIO_ENOMEM));
        return;
    }
    free(*at);
    *at = copy;
}

void lario_app_tls_certificate(lario_app *app, const char *cert_file, const char *key_file)
{
    lario_app_state *state = lario_app_state_of(app);
    lario_tls_setup *tls = &state->tls;

    if (!lario_app_may_set_up(state, "a certificate"))
        return;
    if (tls->certificates_count == LARIO_TLS_CERTIFICATES_MAX) {
        lario_app_fail(state, LARIO_EFULL, "more than %d certificates", LARIO_TLS_CERTIFICATES_MAX);
        return;
    }
    unsigned i = tls->certificates_count++;

    keep(state, &tls->certificates[i].cert_file, cert_file);
    keep(state, &tls->certificates[i].key_file, key_file);
}

void lario_app_tls_client_ca(lario_app *app, const char *ca_file, lario_tls_client mode)
{
    lario_app_state *state = lario_app_state_of(app);

    if (!lario_app_may_set_up(state, "a client CA"))
        return;
    keep(state, &state->tls.client_ca_file, ca_file);
    state->tls.client_mode = mode;
}

void lario_app_tls_options(lario_app *app, const lario_tls_options *options)
{
    lario_app_state *state = lario_app_state_of(app);

    if (!lario_app_may_set_up(state, "TLS options"))
        return;
    if (options->version_min != 0 && options->version_min != 12 && options->version_min != 13) {
        lario_app_fail(state, LARIO_EINVAL, "TLS 1.2 (12) and 1.3 (13) are there, not %d",
                       options->version_min);
        return;
    }
    state->tls.version_min = options->version_min;
    state->tls.no_tickets = options->no_tickets;
    keep(state, &state->tls.ciphers, options->ciphers);
    keep(state, &state->tls.suites, options->suites);
}

/* Reads the files; without a certificate there is no set. */
static int make_set(lario_app_state *state, char *text, size_t size, lario_tls_set **ret_set)
{
    lario_tls_setup *tls = &state->tls;

    *ret_set = NULL;
    tls->is_http = !state->tcp;
    if (tls->certificates_count > 0)
        return lario_tls_set_new(tls, text, size, ret_set);
    if (!tls->client_ca_file)
        return 0;
    snprintf(text, size, "a client CA needs a certificate of the server");
    return LARIO_ECERT;
}

int lario_app_tls_start(lario_app_state *state)
{
    char text[LARIO_APP_ERROR_BYTES];
    lario_tls_set *set;
    int rc = make_set(state, text, sizeof text, &set);

    if (rc < 0) {
        lario_app_fail(state, rc, "%s", text);
        return rc;
    }
    lario_server_set_tls(&state->server, set);
    lario_tls_set_unref(set);
    return 0;
}

bool lario_app_tls_is_used(const lario_app_state *state)
{
    for (; state; state = state->added)
        if (state->tls.certificates_count > 0)
            return true;
    return false;
}

int lario_app_tls_reload(lario_app *app)
{
    lario_app_state *state = lario_app_state_of(app);
    char text[LARIO_APP_ERROR_BYTES];
    lario_tls_set *set;
    int rc = 0;

    if (!state->is_running || !lario_app_tls_is_used(state))
        return LARIO_ESTATE;
    /* All are read before the first is used, so that a bad one changes nothing. */
    for (lario_app_state *at = state; rc == 0 && at; at = at->added) {
        rc = make_set(at, text, sizeof text, &at->tls_next);
    }
    if (rc < 0 && state->log)
        state->log(state->log_arg, LARIO_LOG_ERROR, "tls_reload_failed", text);
    for (lario_app_state *at = state; at; at = at->added) {
        set = at->tls_next;
        at->tls_next = NULL;
        if (rc == 0 && set)
            lario_server_set_tls(&at->server, set);
        lario_tls_set_unref(set);
    }
    if (rc == 0 && state->log)
        state->log(state->log_arg, LARIO_LOG_INFO, "tls_reloaded",
                   "new connections use the certificates as they are now");
    return rc;
}
