/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/service.h"

#include <stdlib.h>
#include <string.h>

#include "lario/log.h"
#include "sys/datagram.h"

/* A number of the environment; -1 when there is none, or it is no number. */
static long number_of(const char *name)
{
    const char *text = getenv(name);
    char *end;
    long number = text && *text ? strtol(text, &end, 10) : -1;

    return text && *text && !*end ? number : -1;
}

int lario_service_take_sockets(lario_app_state *state)
{
    long pid = number_of("LISTEN_PID"), count = number_of("LISTEN_FDS");

    /* They are for this program alone, not for those that it starts. */
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    if (pid != lario_process_number() || count <= 0 || state->cli_listens)
        return 0;
    if (count > LARIO_SERVER_ADDRESSES_MAX) {
        lario_app_fail(state, LARIO_EFULL, "more than %d sockets were handed over",
                       LARIO_SERVER_ADDRESSES_MAX);
        return LARIO_EFULL;
    }
    state->server.inherited_count = (unsigned)count;
    state->server.addresses_count = (unsigned)count;
    state->listens_by_default = false;
    return 0;
}

void lario_service_notify(const char *text)
{
    const char *socket = getenv("NOTIFY_SOCKET");
    int rc = socket && *socket ? lario_datagram_send(socket, text, strlen(text)) : 0;

    if (rc < 0)
        lario_log(LARIO_LOG_WARN, "notify_failed", "%s: %s", socket, lario_strerror(rc));
}
