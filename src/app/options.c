/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "lario/proxy.h"
#include "proc/runtime.h"

/* The command line of a server program: --name VALUE, --name=VALUE, or --name for a switch. */

static void print_option(const char *name, const char *placeholder, const char *help,
                         const char *by_default)
{
    char left[40];

    snprintf(left, sizeof left, "--%s %s", name, placeholder);
    printf("  %-22s %s", left, help);
    if (by_default)
        printf(" (default: %s)", by_default);
    printf("\n");
}

static void print_help(const lario_app_state *state, const char *program)
{
    printf("Usage: %s [OPTIONS]\n\nOptions:\n", program);
    print_option("listen", "ADDRESS", "IP:PORT, [IP6]:PORT, :PORT or unix:PATH; may be repeated",
                 LARIO_APP_DEFAULT_ADDRESS);
    print_option("loops", "N", "threads that serve", "one a core");
    print_option("proxy-protocol", "", "connections begin with a PROXY header", NULL);
    print_option("trust-proxy", "ADDRESS", "ADDRESS, ADDRESS/BITS or unix:; may be repeated", NULL);
    print_option("tls-cert", "FILE", "speak TLS with this certificate (PEM); may be repeated",
                 NULL);
    print_option("tls-key", "FILE", "the key of --tls-cert (PEM)", NULL);
    print_option("tls-client-ca", "FILE", "require client certificates of these CAs (PEM)", NULL);
    for (unsigned i = 0; i < state->options_count; i++) {
        const lario_app_option_entry *option = &state->options[i];

        print_option(option->name, option->placeholder, option->help, *option->value);
    }
    print_option("help", "", "print this and exit", NULL);
}

static int usage(const char *program, const char *what, const char *argument)
{
    fprintf(stderr, "%s: %s '%s'; try --help\n", program, what, argument);
    return LARIO_EUSAGE;
}

static int set_loops(lario_app *app, const char *program, const char *value)
{
    char *end;
    unsigned long loops = strtoul(value, &end, 10);

    if (value[0] < '0' || value[0] > '9' || *end || loops < 1 || loops > LARIO_LOOPS_MAX)
        return usage(program, "--loops takes a number from 1 to 256, not", value);
    lario_app_loops(app, (unsigned)loops);
    return 0;
}

static int set_listen(lario_app_state *state, const char *program, const char *value)
{
    lario_address address;

    if (lario_address_parse(&address, value) < 0)
        return usage(program, "--listen takes IP:PORT, [IP6]:PORT, :PORT or unix:PATH, not", value);
    /* The command line's addresses stand in place of the program's own. */
    if (!state->listens_by_default && !state->cli_listens)
        state->server.addresses_count = 0;
    state->cli_listens = true;
    lario_app_listen(&state->router, value);
    return 0;
}

static int trust_proxy(lario_app_state *state, const char *program, const char *value)
{
    lario_trust trust = {0};

    if (lario_trust_add(&trust, value) < 0)
        return usage(program, "--trust-proxy takes ADDRESS, ADDRESS/BITS or unix:, not", value);
    lario_app_trust_proxy(&state->router, value);
    return 0;
}

/* A certificate and its key, in either order, are a pair; the first in place of the program's own.
 */
static void set_tls_file(lario_app_state *state, const char **at, const char *value)
{
    *at = value;
    if (!state->cli_cert_file || !state->cli_key_file)
        return;
    if (!state->cli_has_certificate)
        lario_tls_setup_clear_certificates(&state->tls);
    state->cli_has_certificate = true;
    lario_app_tls_certificate(&state->router, state->cli_cert_file, state->cli_key_file);
    state->cli_cert_file = NULL;
    state->cli_key_file = NULL;
}

static bool is_named(const char *name, size_t len, const char *option)
{
    return strlen(option) == len && strncmp(option, name, len) == 0;
}

/* The program's own option of this name, or NULL. */
static const lario_app_option_entry *find_option(const lario_app_state *state, const char *name,
                                                 size_t len)
{
    for (unsigned i = 0; i < state->options_count; i++)
        if (is_named(name, len, state->options[i].name))
            return &state->options[i];
    return NULL;
}

static bool is_option(const lario_app_state *state, const char *name, size_t len)
{
    static const char *const own[] = {"listen",        "loops",   "tls-cert",
                                      "tls-client-ca", "tls-key", "trust-proxy"};

    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (is_named(name, len, own[i]))
            return true;
    return find_option(state, name, len) != NULL;
}

static int set_option(lario_app_state *state, const char *program, const char *name, size_t len,
                      const char *value)
{
    if (is_named(name, len, "listen"))
        return set_listen(state, program, value);
    if (is_named(name, len, "loops"))
        return set_loops(&state->router, program, value);
    if (is_named(name, len, "trust-proxy"))
        return trust_proxy(state, program, value);
    if (is_named(name, len, "tls-cert"))
        set_tls_file(state, &state->cli_cert_file, value);
    else if (is_named(name, len, "tls-key"))
        set_tls_file(state, &state->cli_key_file, value);
    else if (is_named(name, len, "tls-client-ca"))
        lario_app_tls_client_ca(&state->router, value, LARIO_TLS_CLIENT_REQUIRED);
    else
        *find_option(state, name, len)->value = value;
    return 0;
}

int lario_app_read_options(lario_app_state *state, const char *program, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *argument = argv[i];

        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            print_help(state, program);
            return 1;
        }
        if (strcmp(argument, "--proxy-protocol") == 0) {
            lario_app_proxy_protocol(&state->router, LARIO_PROXY_REQUIRED);
            continue;
        }
        if (strncmp(argument, "--", 2) != 0)
            return usage(program, "unexpected argument", argument);
        size_t len = strcspn(argument + 2, "=");
        bool is_joined = argument[2 + len] == '=';
        const char *value = is_joined ? argument + 2 + len + 1 : i + 1 < argc ? argv[i + 1] : NULL;

        if (!is_option(state, argument + 2, len))
            return usage(program, "unknown option", argument);
        if (!value)
            return usage(program, "a value is missing after", argument);
        int rc = set_option(state, program, argument + 2, len, value);

        if (rc < 0)
            return rc;
        i += !is_joined;
    }
    if (state->cli_cert_file)
        return usage(program, "--tls-key is missing for --tls-cert", state->cli_cert_file);
    if (state->cli_key_file)
        return usage(program, "--tls-cert is missing for --tls-key", state->cli_key_file);
    return 0;
}
