/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_APP_H
#define LARIO_APP_H

#include "lario/export.h"
#include "lario/limits.h"
#include "lario/log.h"
#include "lario/router.h"
#include "lario/runtime.h"
#include "lario/tcp.h"

LARIO_BEGIN_DECLS

/*
 * An app is a server: a router, its listening addresses, its limits and the runtime that runs it.
 * Set it up from one thread, then run it by lario_app_main() (a program that is a server) or by
 * lario_app_start() and lario_app_stop() (a server inside a program). Several apps may live in
 * one program; lario_app_add() lets them share one runtime. Set-up calls that return nothing keep
 * their first failure, which lario_app_start() returns.
 */

/* A new app, owned by the caller; NULL when memory is out. Any thread. */
LARIO_API lario_app *lario_app_new(void);

/*
 * Stops it if it runs and frees it with all apps added to it. NULL is allowed. When a handler holds
 * its loop, so that the runtime could not be stopped, the app is left as it is: what the handler
 * uses stays valid, and once it has given way the app can be freed by another call. From a thread
 * that is not a loop.
 */
LARIO_API void lario_app_free(lario_app *app);

/*
 * Adds an address to listen on: "IP:PORT", "[IP6]:PORT", ":PORT" (all addresses), "unix:PATH" or
 * "unix:@NAME" (an abstract one of Linux, without a file). Port 0 takes a free one. Without any, an
 * app listens on 127.0.0.1:8080. A stale unix socket file is replaced when nobody listens on it,
 * and removed at the end.
 */
LARIO_API void lario_app_listen(lario_app *app, const char *address);

/*
 * How many connections the kernel keeps for each listening socket until they are accepted (the
 * default is 4,096, and it cuts to its own limit), and the permissions of unix sockets' files, such
 * as 0660 (0, the default: as the umask has it).
 */
LARIO_API void lario_app_backlog(lario_app *app, int backlog);
LARIO_API void lario_app_unix_mode(lario_app *app, unsigned mode);

/* The number of loops, at most 256; 0 (the default): one a core. */
LARIO_API void lario_app_loops(lario_app *app, unsigned loops);

/* Copies the limits; see lario_limits_init(). */
LARIO_API void lario_app_limits(lario_app *app, const lario_limits *limits);

/* What lario_data() and lario_tcp_data() give the handlers; not owned. */
LARIO_API void lario_app_set_data(lario_app *app, void *data);

/* Where log records go; the default is lario_log_stderr(). NULL drops them. */
LARIO_API void lario_app_log(lario_app *app, lario_log_fn log, void *arg);

/* The app's listeners speak raw TCP instead of HTTP: each connection runs `handler`. */
LARIO_API void lario_app_tcp(lario_app *app, lario_tcp_handler handler);

/* Serves `other` (its own addresses, routes and limits) on the loops of `app`, which owns it. */
LARIO_API void lario_app_add(lario_app *app, lario_app *other);

/*
 * Adds the command line option `--name VALUE` for lario_app_main(); *value (the caller's, with
 * its default already in it) is set to the argument. `placeholder` and `help` are shown by
 * --help. All strings are kept, not copied.
 */
LARIO_API void lario_app_option(lario_app *app, const char *name, const char *placeholder,
                                const char *help, const char **value);

/*
 * The place for what needs the options or the runtime: lario_app_main() calls `setup` after it has
 * read the command line and started the loops, before it listens. Here a program opens its scopes
 * (lario_app_runtime() called earlier would fix the number of loops before --loops is read) and
 * starts its background processes by lario_runtime_spawn(). A negative result ends the program.
 */
LARIO_API void lario_app_setup(lario_app *app, int (*setup)(lario_app *app, void *arg), void *arg);

/*
 * The runtime of the app, for scopes and processes; made at the first call, with the number of
 * loops set until then. NULL when memory is out.
 */
LARIO_API lario_runtime *lario_app_runtime(lario_app *app);

/*
 * Binds all addresses and starts the threads; returns when it listens. From a thread that is not
 * a loop. On failure nothing runs and lario_app_error() has a line for people.
 * An app has one life: after a stop, or a start that failed, make a new one.
 * Errors: -EADDRINUSE, -EACCES and other system errors of socket and bind; LARIO_EADDR,
 * LARIO_EFULL (more than 16 addresses or options), LARIO_EROUTE, LARIO_ENOMEM, LARIO_ESTATE
 * (started before, or added to another app).
 */
LARIO_API LARIO_MUST_USE int lario_app_start(lario_app *app);

/* The text of the last failure of set-up or start, such as "cannot listen on ...". */
LARIO_API const char *lario_app_error(const lario_app *app);

/*
 * The bound address number `index`, with the real port; NULL past the last. After the start; valid
 * until the stop. Addresses of added apps follow the app's own.
 */
LARIO_API const char *lario_app_address(const lario_app *app, unsigned index);

/*
 * Drains: no new connections, idle ones are closed, running requests are finished with
 * Connection: close, WebSockets get close code 1001; after `timeout_ms` (-1: never) the rest is
 * killed. Returns 0, LARIO_ETIMEDOUT when something had to be killed, or LARIO_ESTATE when it does
 * not run. A handler that computes without ever parking holds its loop, and so the stop; the log
 * names it (loop_stalled). One that does so only after it was killed is given up after some seconds
 * (LARIO_ETIMEDOUT): its runtime then still runs, see lario_app_free(). From a thread that is not a
 * loop.
 */
LARIO_API int lario_app_stop(lario_app *app, int timeout_ms);

/*
 * The whole life of a server program, which a service manager may start: sockets that it hands over
 * (LISTEN_PID, LISTEN_FDS) are listened on instead of the app's own addresses, unless --listen is
 * given, and it is told by NOTIFY_SOCKET when the program is ready (READY=1) and when it stops
 * (STOPPING=1). Reads --listen ADDRESS (may be repeated), --loops N,
 * --tls-cert FILE with --tls-key FILE (may be repeated), --tls-client-ca FILE, --help and the added
 * options, starts, prints "listening on ADDRESS" for each address on
 * standard output, waits for SIGTERM or SIGINT (at SIGHUP it reads its certificates again), drains
 * (30 s; a second signal ends it now) and frees the app. Returns the exit code: 0 done, 1 failed
 * (one line on standard error), 2 usage. From the main thread; blocks those signals in it.
 */
LARIO_API LARIO_MUST_USE int lario_app_main(lario_app *app, int argc, char **argv);

LARIO_END_DECLS

#endif
