/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "app/service.h"
#include "sys/signal.h"
#include "sys/thread.h"

/* The life of a server program. */

#define DRAIN_MS 30000

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* A second signal during the drain ends the program at once. */
static void *wait_for_second_signal(void *arg)
{
    (void)arg;
    if (lario_signal_wait_stop(-1) > 0)
        lario_signal_exit_now(EXIT_FAILED);
    return NULL;
}

static int fail(const char *program, const char *text)
{
    fprintf(stderr, "%s: %s\n", program, text);
    return EXIT_FAILED;
}

/* The loops run before the program's own set-up, so that it can start processes. */
static int set_up(lario_app_state *state)
{
    if (!state->setup)
        return 0;
    int rc = lario_app_start_runtime(state);

    if (rc == 0)
        rc = state->setup(&state->router, state->setup_arg);
    if (rc < 0)
        lario_app_fail(state, rc, "the set-up failed: %s", lario_strerror(rc));
    return rc;
}

/* Serves until a signal ends it; SIGHUP, for a program with certificates, reads them again. */
static void wait_for_stop(lario_app *app)
{
    if (!lario_app_tls_is_used(lario_app_state_of(app))) {
        lario_signal_wait_stop(-1);
        return;
    }
    while (lario_signal_wait_stop_or_hangup()) {
        int rc = lario_app_tls_reload(app);

        (void)rc; /* logged; what was there goes on */
    }
}

static int serve(lario_app *app, const char *program)
{
    const char *address;
    lario_thread impatient;

    if (lario_app_start(app) < 0)
        return fail(program, lario_app_error(app));
    for (unsigned i = 0; (address = lario_app_address(app, i)); i++)
        printf("listening on %s\n", address);
    /* Whoever waits for this line reads a pipe as a rule. */
    if (fflush(stdout) != 0)
        return fail(program, "cannot write to standard output");
    lario_service_notify("READY=1");
    wait_for_stop(app);
    lario_service_notify("STOPPING=1");
    if (lario_thread_start(&impatient, "lario-signal", wait_for_second_signal, NULL) < 0)
        fail(program, "cannot watch for a second signal");
    if (lario_app_stop(app, DRAIN_MS) < 0)
        return fail(program, "some work did not end in time and was stopped");
    return EXIT_DONE;
}

int lario_app_main(lario_app *app, int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *program = slash ? slash + 1 : argc > 0 ? argv[0] : "lario";

    if (!app)
        return fail(program, lario_strerror(LARIO_ENOMEM));
    lario_app_state *state = lario_app_state_of(app);
    int rc = lario_app_read_options(state, program, argc, argv);
    int code = rc == LARIO_EUSAGE ? EXIT_USAGE : EXIT_DONE;

    /* A signal that comes from here on is waited for, however early. */
    if (rc == 0)
        lario_signal_block_stops();
    if (rc == 0 && lario_app_tls_is_used(state))
        lario_signal_block_hangup();
    if (rc == 0)
        rc = lario_service_take_sockets(state);
    if (rc == 0)
        rc = set_up(state);
    if (rc < 0 && code == EXIT_DONE)
        code = fail(program, lario_app_error(app));
    if (rc == 0)
        code = serve(app, program);
    lario_app_free(app);
    return code;
}
