/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/app.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/loop.h"
#include "net/tcp.h"
#include "proc/runtime.h"
#include "sys/clock.h"

/* What is killed at the end of a drain has this long to unwind. */
#define UNWIND_MS 2000

/* ---- Set-up ---- */

void lario_app_fail(lario_app_state *state, int rc, const char *format, ...)
{
    va_list values;

    if (state->error < 0)
        return;
    state->error = rc;
    va_start(values, format);
    vsnprintf(state->error_text, sizeof state->error_text, format, values);
    va_end(values);
}

static int handle_request(void *arg, lario_req *req)
{
    return lario_router_handle(arg, req);
}

lario_app *lario_app_new(void)
{
    lario_app_state *state = calloc(1, sizeof *state);

    if (!state)
        return NULL;
    lario_router_init(&state->router);
    lario_limits_init(&state->server.limits);
    state->http = (lario_http_handler){.handle = handle_request, .arg = &state->router};
    state->log = lario_log_stderr;
    state->listens_by_default = true;
    return &state->router;
}

bool lario_app_may_set_up(lario_app_state *state, const char *what)
{
    if (state->is_running)
        lario_app_fail(state, LARIO_ESTATE, "%s must come before the start", what);
    return !state->is_running;
}

static void add_address(lario_app_state *state, const char *text)
{
    lario_server *server = &state->server;

    if (server->addresses_count == LARIO_SERVER_ADDRESSES_MAX)
        lario_app_fail(state, LARIO_EFULL, "more than %d addresses to listen on",
                       LARIO_SERVER_ADDRESSES_MAX);
    else if (lario_address_parse(&server->addresses[server->addresses_count], text) < 0)
        lario_app_fail(state, LARIO_EADDR,
                       "'%s' is no address to listen on (IP:PORT, [IP6]:PORT, :PORT or unix:PATH)",
                       text);
    else
        server->addresses_count++;
}

void lario_app_listen(lario_app *app, const char *address)
{
    lario_app_state *state = lario_app_state_of(app);

    if (!lario_app_may_set_up(state, "an address"))
        return;
    state->listens_by_default = false;
    add_address(state, address);
}

void lario_app_backlog(lario_app *app, int backlog)
{
    lario_app_state *state = lario_app_state_of(app);

    if (!lario_app_may_set_up(state, "the backlog"))
        return;
    if (backlog < 1)
        lario_app_fail(state, LARIO_EINVAL, "a backlog of %d", backlog);
    state->server.backlog = backlog;
}

void lario_app_unix_mode(lario_app *app, unsigned mode)
{
    lario_app_state *state = lario_app_state_of(app);

    if (!lario_app_may_set_up(state, "the mode of unix sockets"))
        return;
    if (mode > 0777)
        lario_app_fail(state, LARIO_EINVAL, "%o are no permissions", mode);
    state->server.unix_mode = mode;
}

void lario_app_loops(lario_app *app, unsigned loops)
{
    lario_app_state *state = lario_app_state_of(app);

    if (state->runtime)
        lario_app_fail(state, LARIO_ESTATE,
                       "the number of loops is fixed: the program has made its runtime already");
    state->loops = loops;
}

void lario_app_limits(lario_app *app, const lario_limits *limits)
{
    lario_app_state *state = lario_app_state_of(app);

    if (lario_app_may_set_up(state, "limits"))
        state->server.limits = *limits;
}

void lario_app_set_data(lario_app *app, void *data)
{
    lario_app_state_of(app)->server.data = data;
}

void lario_app_log(lario_app *app, lario_log_fn log, void *arg)
{
    lario_app_state *state = lario_app_state_of(app);

    if (!lario_app_may_set_up(state, "a log"))
        return;
    state->log = log;
    state->log_arg = arg;
    if (state->runtime)
        lario_runtime_set_log(state->runtime, log, arg);
}

void lario_app_tcp(lario_app *app, lario_tcp_handler handler)
{
    lario_app_state_of(app)->tcp = handler;
}

void lario_app_add(lario_app *app, lario_app *other)
{
    lario_app_state *state = lario_app_state_of(app);
    lario_app_state *added = lario_app_state_of(other);

    if (!lario_app_may_set_up(state, "an added app"))
        return;
    if (added == state || added->is_added || added->runtime) {
        lario_app_fail(state, LARIO_ESTATE, "an app can be added once, and not after its start");
        return;
    }
    added->is_added = true;
    lario_app_state **at = &state->added;

    while (*at)
        at = &(*at)->added;
    *at = added;
}

void lario_app_option(lario_app *app, const char *name, const char *placeholder, const char *help,
                      const char **value)
{
    lario_app_state *state = lario_app_state_of(app);

    if (state->options_count == LARIO_APP_OPTIONS_MAX) {
        lario_app_fail(state, LARIO_EFULL, "more than %d options", LARIO_APP_OPTIONS_MAX);
        return;
    }
    state->options[state->options_count++] =
        (lario_app_option_entry){name, placeholder, help, value};
}

void lario_app_setup(lario_app *app, int (*setup)(lario_app *app, void *arg), void *arg)
{
    lario_app_state *state = lario_app_state_of(app);

    state->setup = setup;
    state->setup_arg = arg;
}

lario_runtime *lario_app_runtime(lario_app *app)
{
    lario_app_state *state = lario_app_state_of(app);

    if (!state->runtime) {
        lario_runtime_opts opts = {
            .loops = state->loops, .log = state->log, .log_arg = state->log_arg};

        state->runtime = lario_runtime_new(&opts);
    }
    return state->runtime;
}

/* ---- Start ---- */

static int check(lario_app_state *state)
{
    if (state->error == 0 && state->router.error < 0)
        lario_app_fail(state, state->router.error, "%s", state->router.error_text);
    if (state->error == 0 && state->server.addresses_count == 0)
        add_address(state, LARIO_APP_DEFAULT_ADDRESS);
    return state->error;
}

static int start_server(lario_app_state *state, lario_runtime *runtime)
{
    lario_server *server = &state->server;
    char text[LARIO_ADDRESS_TEXT_BYTES];
    unsigned failed;

    server->runtime = runtime;
    server->protocol = state->tcp ? &lario_tcp_protocol : &lario_http_protocol;
    server->context = state->tcp ? (void *)&state->tcp : (void *)&state->http;
    int rc = lario_app_tls_start(state);

    if (rc < 0)
        return rc;
    rc = lario_server_start(server, &failed);
    if (rc < 0)
        lario_app_fail(state, rc, "cannot listen on %s: %s",
                       lario_address_format(&server->addresses[failed], text), lario_strerror(rc));
    return rc;
}

static void drain_servers(lario_app_state *state)
{
    for (; state; state = state->added)
        lario_server_drain(&state->server);
}

static void end_servers(lario_app_state *state)
{
    for (; state; state = state->added)
        lario_server_done(&state->server);
}

static bool wait_for_servers(lario_app_state *state, uint64_t deadline_ns)
{
    bool all_closed = true;

    for (; state; state = state->added)
        all_closed = lario_server_wait(&state->server, deadline_ns) && all_closed;
    return all_closed;
}

static void free_loop_state(lario_loop *loop, void *arg)
{
    (void)arg;
    lario_http_loop_done(loop);
    lario_stream_loop_done(loop);
}

/*
 * Ends the runtime, once its connections have had their time to unwind, and then the servers. A
 * loop that is held keeps the runtime running, and with it all that its handlers may use.
 */
static int end_runtime(lario_app_state *state)
{
    /* A connection that is left would use what is freed here: then it is not freed. */
    if (wait_for_servers(state, lario_clock_deadline_ns(UNWIND_MS)))
        lario_runtime_call_all(state->runtime, free_loop_state, NULL);
    int rc = lario_runtime_stop(state->runtime, UNWIND_MS);

    state->is_held = lario_runtime_is_running(state->runtime);
    if (!state->is_held)
        end_servers(state);
    return rc;
}

/* Ends the servers and the runtime; true when nothing had to be killed. */
static bool stop_everything(lario_app_state *state, int timeout_ms)
{
    uint64_t deadline = lario_clock_deadline_ns(timeout_ms);

    drain_servers(state);
    bool clean = wait_for_servers(state, deadline);

    if (!clean)
        for (lario_app_state *at = state; at; at = at->added)
            lario_server_close_all(&at->server);
    return end_runtime(state) == 0 && clean;
}

/* Whether all is set up well, of the added apps too. */
static int check_all(lario_app_state *state)
{
    int rc = 0;

    if (state->was_started || state->is_added) {
        /* Said, but not kept: what was set up is as good as before. */
        if (state->error == 0)
            snprintf(state->error_text, sizeof state->error_text, "%s",
                     state->is_added ? "an added app starts with the one it was added to"
                                     : "an app can be started once");
        return LARIO_ESTATE;
    }
    for (lario_app_state *at = state; rc == 0 && at; at = at->added) {
        rc = check(at);
        if (rc < 0 && at != state)
            lario_app_fail(state, rc, "%s", at->error_text);
    }
    return rc;
}

int lario_app_start_runtime(lario_app_state *state)
{
    lario_runtime *runtime = lario_app_runtime(&state->router);

    if (runtime && lario_runtime_is_running(runtime))
        return 0;
    int rc = runtime ? lario_runtime_start(runtime) : -errno;

    if (rc < 0)
        lario_app_fail(state, rc, "cannot start the loops: %s", lario_strerror(rc));
    return rc;
}

int lario_app_start(lario_app *app)
{
    lario_app_state *state = lario_app_state_of(app);
    int rc = check_all(state);

    if (rc < 0)
        return rc;
    state->was_started = true;
    rc = lario_app_start_runtime(state);
    if (rc < 0)
        return rc;
    for (lario_app_state *at = state; rc == 0 && at; at = at->added) {
        rc = start_server(at, state->runtime);
        if (rc < 0 && at != state)
            lario_app_fail(state, rc, "%s", at->error_text);
    }
    if (rc < 0)
        stop_everything(state, 0);
    else
        state->is_running = true;
    return rc;
}

const char *lario_app_error(const lario_app *app)
{
    const lario_app_state *state = lario_app_state_of((lario_app *)app);

    return state->error_text;
}

const char *lario_app_address(const lario_app *app, unsigned index)
{
    lario_app_state *state = lario_app_state_of((lario_app *)app);

    for (; state; state = state->added) {
        if (index < state->server.addresses_count)
            return lario_address_format(&state->server.addresses[index],
                                        state->address_texts[index]);
        index -= state->server.addresses_count;
    }
    return NULL;
}

/* ---- End ---- */

int lario_app_stop(lario_app *app, int timeout_ms)
{
    lario_app_state *state = lario_app_state_of(app);

    if (!state->is_running)
        return LARIO_ESTATE;
    state->is_running = false;
    return stop_everything(state, timeout_ms) ? 0 : LARIO_ETIMEDOUT;
}

void lario_app_free(lario_app *app)
{
    if (!app)
        return;
    lario_app_state *state = lario_app_state_of(app);

    if (state->is_running)
        (void)lario_app_stop(app, 0);
    else if (state->runtime && lario_runtime_is_running(state->runtime))
        (void)end_runtime(state); /* held at the stop before, or never served */
    if (state->is_held)
        return;
    lario_runtime_free(state->runtime);
    while (state) {
        lario_app_state *next = state->added;

        lario_server_set_tls(&state->server, NULL); /* of a start that failed */
        lario_tls_setup_done(&state->tls);
        lario_router_done(&state->router);
        lario_access_log_close(state->access_log);
        free(state);
        state = next;
    }
}
