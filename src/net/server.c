/* SPDX-License-Identifier: BSD-3-Clause */
#include "net/server.h"

#include <stdlib.h>

#include "lario/error.h"
#include "proc/runtime.h"
#include "sys/clock.h"
#include "sys/thread.h"

/* Connections that wait to be accepted, for each listening socket. The kernel cuts it to
 * net.core.somaxconn, 4,096 by default. */
#define BACKLOG 4096

/* Without descriptors accepting again at once would only burn the processor. */
#define ACCEPT_PAUSE_MS 100

/* How often a wait looks whether the last connection is closed. */
#define WAIT_LOOK_MS 2

/* ---- Connections ---- */

int lario_conn_open(lario_conn *conn, lario_server_loop *home, int fd, const lario_stream_ops *ops)
{
    lario_socket_set_nodelay(fd);
    int rc = lario_stream_open(&conn->stream, home->loop, fd, ops, &home->server->limits);

    if (rc < 0)
        return rc;
    conn->home = home;
    lario_list_push_back(&home->conns, &conn->link);
    home->conns_count++;
    atomic_fetch_add_explicit(&home->server->conns, 1, memory_order_relaxed);
    return 0;
}

void lario_conn_done(lario_conn *conn)
{
    lario_stream_done(&conn->stream);
    lario_list_remove(&conn->link);
    conn->home->conns_count--;
    atomic_fetch_sub_explicit(&conn->home->server->conns, 1, memory_order_release);
}

/* ---- Accepting ---- */

static void accepting_failed(lario_listener *listener, int rc)
{
    lario_server_loop *home = listener->home;

    lario_log_to(home->loop->log, LARIO_LOG_ERROR, "accept_failed",
                 "%s; trying again in %d ms, %u connections are open on loop %u",
                 lario_strerror(rc), ACCEPT_PAUSE_MS, home->conns_count, home->loop->index);
    lario_io_read_stop(&listener->io);
    lario_loop_timer_start(home->loop, &listener->pause, ACCEPT_PAUSE_MS);
}

static void on_pause_over(lario_timer *timer)
{
    lario_listener *listener = lario_container_of(timer, lario_listener, pause);

    if (lario_io_read_start(&listener->io) < 0)
        lario_loop_timer_start(listener->home->loop, timer, ACCEPT_PAUSE_MS);
}

static void on_accept(lario_io *io, int fd)
{
    lario_listener *listener = lario_container_of(io, lario_listener, io);
    lario_server_loop *home = listener->home;
    lario_server *server = home->server;

    if (fd < 0) {
        accepting_failed(listener, fd);
        return;
    }
    if (home->conns_count < server->limits.connections_a_loop_max) {
        home->is_at_limit = false;
        server->protocol->accept(home, fd);
        return;
    }
    if (!home->is_at_limit)
        lario_log_to(home->loop->log, LARIO_LOG_WARN, "connections_limit",
                     "more than %u connections on loop %u, new ones are turned away",
                     server->limits.connections_a_loop_max, home->loop->index);
    home->is_at_limit = true;
    server->protocol->refuse(home, fd);
}

static const lario_io_ops listener_ops = {.on_accept = on_accept};

/* ---- Start ---- */

typedef struct start_request {
    lario_server *server;
    const int *fds; /* addresses_count rows of one descriptor for each loop */
    int rc;
} start_request;

static void start_on_loop(lario_loop *loop, void *arg)
{
    start_request *request = arg;
    lario_server *server = request->server;
    lario_server_loop *home = &server->loops[loop->index];
    unsigned loops = lario_runtime_loops(server->runtime);

    home->server = server;
    home->loop = loop;
    lario_list_init(&home->conns);
    int rc = lario_stream_loop_init(loop);

    for (unsigned i = 0; i < server->addresses_count; i++) {
        lario_listener *listener = &home->listeners[i];
        int fd = request->fds[i * loops + loop->index];

        listener->home = home;
        lario_timer_init(&listener->pause, on_pause_over);
        if (rc == 0)
            rc = lario_io_open(&listener->io, loop->poller, fd, &listener_ops, true);
        else
            listener->io.fd = -1;
        if (rc == 0)
            rc = lario_io_read_start(&listener->io);
        else
            lario_fd_close(fd);
    }
    if (rc < 0)
        request->rc = rc;
}

static void stop_listening(lario_server_loop *home)
{
    for (unsigned i = 0; i < home->server->addresses_count; i++) {
        lario_timer_stop(&home->listeners[i].pause);
        lario_io_close(&home->listeners[i].io);
    }
}

static void stop_on_loop(lario_loop *loop, void *arg)
{
    lario_server *server = arg;

    stop_listening(&server->loops[loop->index]);
}

static int bind_all(lario_server *server, int *fds, unsigned loops, unsigned *ret_failed)
{
    for (unsigned i = 0; i < server->addresses_count; i++) {
        int rc =
            lario_socket_listen(&server->addresses[i], BACKLOG, &fds[(size_t)i * loops], loops);

        if (rc == 0)
            continue;
        *ret_failed = i;
        for (unsigned k = 0; k < i * loops; k++)
            lario_fd_close(fds[k]);
        while (i-- > 0)
            lario_address_unlink(&server->addresses[i]);
        return rc;
    }
    return 0;
}

int lario_server_start(lario_server *server, unsigned *ret_failed)
{
    unsigned loops = lario_runtime_loops(server->runtime);
    int *fds = malloc((size_t)server->addresses_count * loops * sizeof *fds);
    int rc = LARIO_ENOMEM;

    *ret_failed = 0;
    atomic_store(&server->is_draining, false);
    server->loops = calloc(loops, sizeof *server->loops);
    if (!fds || !server->loops)
        goto fail;
    rc = bind_all(server, fds, loops, ret_failed);
    if (rc < 0)
        goto fail;
    start_request request = {.server = server, .fds = fds};

    lario_runtime_call_all(server->runtime, start_on_loop, &request);
    rc = request.rc;
    free(fds);
    if (rc < 0) {
        /* What was accepted meanwhile ends with the drain, and needs its loop's state until then.
         */
        lario_runtime_call_all(server->runtime, stop_on_loop, server);
        for (unsigned i = 0; i < server->addresses_count; i++)
            lario_address_unlink(&server->addresses[i]);
    }
    return rc;
fail:
    free(fds);
    free(server->loops);
    server->loops = NULL;
    return rc;
}

/* ---- Drain and end ---- */

static void stop_accepting_on_loop(lario_loop *loop, void *arg)
{
    lario_server *server = arg;
    lario_server_loop *home = &server->loops[loop->index];

    /* Whoever is in the backlog has connected, and closing it would reset them. */
    for (unsigned i = 0; i < server->addresses_count; i++)
        lario_io_accept_pending(&home->listeners[i].io, BACKLOG);
    stop_listening(home);
}

static void drain_on_loop(lario_loop *loop, void *arg)
{
    lario_server *server = arg;
    lario_server_loop *home = &server->loops[loop->index];

    /* A drained connection is taken off the list later, at the end of a turn. */
    for (lario_list_link *link = home->conns.next; link != &home->conns; link = link->next)
        server->protocol->drain(lario_container_of(link, lario_conn, link));
}

void lario_server_drain(lario_server *server)
{
    if (!server->loops)
        return;
    atomic_store(&server->drain_wait_until_ms,
                 lario_clock_ns() / LARIO_NS_PER_MS + server->limits.drain_wait_ms);
    atomic_store(&server->is_draining, true);
    /* On all loops first: nobody whose connection was closed can come back by another loop. */
    lario_runtime_call_all(server->runtime, stop_accepting_on_loop, server);
    lario_runtime_call_all(server->runtime, drain_on_loop, server);
    for (unsigned i = 0; i < server->addresses_count; i++)
        lario_address_unlink(&server->addresses[i]);
}

bool lario_server_wait(lario_server *server, uint64_t deadline_ns)
{
    while (atomic_load_explicit(&server->conns, memory_order_acquire) > 0) {
        if (lario_clock_ns() >= deadline_ns)
            return false;
        lario_thread_sleep_ms(WAIT_LOOK_MS);
    }
    return true;
}

static void close_on_loop(lario_loop *loop, void *arg)
{
    lario_server *server = arg;
    lario_server_loop *home = &server->loops[loop->index];

    for (lario_list_link *link = home->conns.next; link != &home->conns; link = link->next)
        lario_stream_abort(&lario_container_of(link, lario_conn, link)->stream, LARIO_ECLOSED);
}

void lario_server_close_all(lario_server *server)
{
    if (server->loops)
        lario_runtime_call_all(server->runtime, close_on_loop, server);
}

void lario_server_done(lario_server *server)
{
    free(server->loops);
    server->loops = NULL;
}
