/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_APP_APP_H
#define LARIO_APP_APP_H

#include "app/access_log.h"
#include "http/conn.h"
#include "lario/app.h"
#include "net/server.h"
#include "web/router.h"

#define LARIO_APP_DEFAULT_ADDRESS "127.0.0.1:8080"
#define LARIO_APP_OPTIONS_MAX 16
#define LARIO_APP_ERROR_BYTES 512

typedef struct lario_app_option_entry {
    const char *name;
    const char *placeholder;
    const char *help;
    const char **value;
} lario_app_option_entry;

/* A lario_app points to `router`. */
typedef struct lario_app_state {
    lario_router router; /* first */
    lario_server server;
    lario_http_handler http;
    lario_access_log *access_log; /* or NULL */
    lario_tcp_handler tcp;        /* not NULL: the listeners speak raw TCP */
    lario_tls_setup tls;
    lario_tls_set *tls_next;   /* during a reload */
    const char *cli_cert_file; /* on the command line, waits for its key */
    const char *cli_key_file;
    lario_runtime *runtime;
    unsigned loops;
    lario_log_fn log;
    void *log_arg;
    int (*setup)(lario_app *app, void *arg);
    void *setup_arg;
    lario_app_option_entry options[LARIO_APP_OPTIONS_MAX];
    unsigned options_count;
    struct lario_app_state *added; /* the next app that is served on these loops */
    bool is_added;
    bool is_running;
    bool is_held; /* a loop did not end when it was stopped: the runtime still runs */
    bool was_started;
    bool listens_by_default; /* the program gave no address */
    bool cli_listens;        /* the command line did */
    bool cli_has_certificate;
    int error;
    char error_text[LARIO_APP_ERROR_BYTES];
    char address_texts[LARIO_SERVER_ADDRESSES_MAX][LARIO_ADDRESS_TEXT_BYTES];
} lario_app_state;

static inline lario_app_state *lario_app_state_of(lario_app *app)
{
    return lario_container_of(app, lario_app_state, router);
}

/* Reads the certificates, if there are any, for the server that starts next; fails for people. */
int lario_app_tls_start(lario_app_state *state);

/* Whether the app, or one that was added to it, has a certificate. */
bool lario_app_tls_is_used(const lario_app_state *state);

/* Keeps the first failure, with a line for people. */
void lario_app_fail(lario_app_state *state, int rc, const char *format, ...) LARIO_PRINTF(3, 4);

/* Whether it does not run yet; otherwise fails, since `what` comes too late. */
bool lario_app_may_set_up(lario_app_state *state, const char *what);

/*
 * Reads the command line of `program`. 0; 1 when --help was printed; LARIO_EUSAGE after one line on
 * standard error.
 */
int lario_app_read_options(lario_app_state *state, const char *program, int argc, char **argv);

/* Starts the loops, unless they run already. */
int lario_app_start_runtime(lario_app_state *state);

#endif
