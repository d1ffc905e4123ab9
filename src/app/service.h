/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_APP_SERVICE_H
#define LARIO_APP_SERVICE_H

#include "app/app.h"

/* What a service manager and a program tell each other, by the environment and a datagram socket.
 */

/*
 * Takes the sockets that were handed over in the place of the app's addresses, unless the command
 * line gave some. Before any thread is started: it takes the variables out of the environment. 0,
 * or a failure of the app.
 */
int lario_service_take_sockets(lario_app_state *state);

/* Tells the manager, if there is one; what it does not take is no reason to fail. */
void lario_service_notify(const char *text);

#endif
