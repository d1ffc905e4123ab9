/* SPDX-License-Identifier: BSD-3-Clause */
#include "net/server.h"

#include <stdlib.h>

#include "lario/error.h"
#include "net/proxy_gate.h"
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

void lario_server_count(lario_server_loop *home)
{
    home->conns_count++;
    atomic_fetch_add_explicit(&home->server->conns, 1, memory_order_relaxed);
}

void lario_server_uncount(lario_server_loop *home)
{
    home->conns_count--;
    atomic_fetch_sub_explicit(&home->server->conns, 1, memory_order_release);
}

void lario_arrival_drop(lario_server_loop *home, lario_arrival *arrival)
{
    lario_fd_close(arrival->fd);
    lario_peers_leave(&home->server->peers, arrival->peer);
    free(arrival->origin);
}

int lario_conn_open(lario_conn *conn, lario_server_loop *home, lario_arrival *arrival,
                    const lario_stream_ops *ops)
{
    lario_socket_set_nodelay(arrival->fd);
    int rc = lario_stream_open(&conn->stream, home->loop, arrival->fd, ops, &home->server->limits);

    if (rc == 0 && home->tls) {
        rc = lario_tls_attach(&conn->stream, home->tls);
        if (rc < 0)
            lario_io_close(&conn->stream.io);
    }
    if (rc < 0) {
        arrival->fd = -1; /* closed by the failure */
        lario_arrival_drop(home, arrival);
        return rc;
    }
    conn->home = home;
    conn->origin = arrival->origin;
    conn->peer = arrival->peer;
    conn->is_refused = arrival->is_refused;
    home->refused_count += conn->is_refused;
    lario_list_push_back(&home->conns, &conn->link);
    lario_server_count(home);
    return 0;
}

void lario_conn_done(lario_conn *conn)
{
    lario_server_loop *home = conn->home;

    lario_stream_done(&conn->stream);
    lario_list_remove(&conn->link);
    lario_peers_leave(&home->server->peers, conn->peer);
    free(conn->origin);
    home->refused_count -= conn->is_refused;
    lario_server_uncount(home);
}

int lario_conn_peer(const lario_conn *conn, lario_address *ret_address)
{
    if (!conn->origin || !conn->origin->has_addresses)
        return lario_socket_peer(conn->stream.io.fd, ret_address);
    *ret_address = conn->origin->peer;
    return 0;
}

int lario_conn_local(const lario_conn *conn, lario_address *ret_address)
{
    if (!conn->origin || !conn->origin->has_addresses)
        return lario_socket_local(conn->stream.io.fd, ret_address);
    *ret_address = conn->origin->local;
    return 0;
}

bool lario_conn_is_tls(const lario_conn *conn)
{
    return conn->stream.tls || (conn->origin && conn->origin->is_tls);
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

/* Says why a connection is turned away, if it can be said to so many more. */
static lario_conn *refuse(lario_server_loop *home, lario_arrival *arrival)
{
    arrival->is_refused = true;
    if (home->refused_count < LARIO_SERVER_REFUSED_MAX)
        return home->server->protocol->refuse(home, arrival);
    lario_arrival_drop(home, arrival);
    return NULL;
}

/* The address of what arrived; LARIO_IP_NONE where there is none, as for unix sockets. */
static lario_ip arrival_ip(const lario_arrival *arrival)
{
    lario_address address;

    if (arrival->origin && arrival->origin->has_addresses)
        return lario_address_ip(&arrival->origin->peer);
    if (lario_socket_peer(arrival->fd, &address) < 0)
        return (lario_ip){.family = LARIO_IP_NONE};
    return lario_address_ip(&address);
}

/* Counts it for its address. 1; 0: one too many; or LARIO_ENOMEM. */
static int count_for_peer(lario_server_loop *home, lario_arrival *arrival)
{
    uint32_t max = home->server->limits.connections_a_peer_max;
    lario_ip ip = arrival_ip(arrival);
    char text[LARIO_IP_TEXT_BYTES];
    bool is_first = false;
    int rc;

    if (ip.family == LARIO_IP_NONE)
        return 1;
    rc = lario_peers_enter(&home->server->peers, &ip, max, &arrival->peer, &is_first);
    if (rc == 0 && is_first)
        lario_log_to(home->loop->log, LARIO_LOG_WARN, "peer_connections_limit",
                     "more than %u connections of %s, new ones are turned away", max,
                     lario_ip_format(&ip, text));
    return rc;
}

void lario_server_admit(lario_server_loop *home, lario_arrival *arrival, char *data, size_t len)
{
    const lario_protocol *protocol = home->server->protocol;
    int rc = home->server->limits.connections_a_peer_max ? count_for_peer(home, arrival) : 1;

    if (rc < 0) {
        lario_arrival_drop(home, arrival);
        return;
    }
    lario_conn *conn = rc ? protocol->accept(home, arrival) : refuse(home, arrival);

    if (conn && len > 0)
        lario_stream_feed(&conn->stream, data, len);
    /* Those that waited at the gate when the drain began were not told. */
    if (conn && data && lario_conn_is_draining(conn))
        protocol->drain(conn);
}

static void on_accept(lario_io *io, int fd)
{
    lario_listener *listener = lario_container_of(io, lario_listener, io);
    lario_server_loop *home = listener->home;
    lario_server *server = home->server;
    lario_arrival arrival = {.fd = fd};

    if (fd < 0) {
        accepting_failed(listener, fd);
        return;
    }
    if (home->conns_count < server->limits.connections_a_loop_max) {
        home->is_at_limit = false;
        if (server->expects_proxy_header)
            lario_proxy_gate_enter(home, fd);
        else
            lario_server_admit(home, &arrival, NULL, 0);
        return;
    }
    if (!home->is_at_limit)
        lario_log_to(home->loop->log, LARIO_LOG_WARN, "connections_limit",
                     "more than %u connections on loop %u, new ones are turned away",
                     server->limits.connections_a_loop_max, home->loop->index);
    home->is_at_limit = true;
    (void)refuse(home, &arrival);
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
    home->tls = lario_tls_set_ref(server->tls);
    lario_list_init(&home->conns);
    lario_list_init(&home->gates);
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

static int bind_one(lario_server *server, unsigned i, int *fds, unsigned loops)
{
    lario_address *address = &server->addresses[i];

    if (i < server->inherited_count)
        return lario_socket_listen_inherited(LARIO_SERVER_INHERITED_FIRST + (int)i, address, fds,
                                             loops);
    int rc = lario_socket_listen(address, server->backlog ? server->backlog : BACKLOG, fds, loops);

    if (rc < 0 || server->unix_mode == 0)
        return rc;
    rc = lario_address_chmod(address, server->unix_mode);
    for (unsigned k = 0; rc < 0 && k < loops; k++)
        lario_fd_close(fds[k]);
    if (rc < 0)
        lario_address_unlink(address);
    return rc;
}

/* Removes the files of the unix sockets that are our own. */
static void unlink_all(const lario_server *server)
{
    for (unsigned i = server->inherited_count; i < server->addresses_count; i++)
        lario_address_unlink(&server->addresses[i]);
}

static int bind_all(lario_server *server, int *fds, unsigned loops, unsigned *ret_failed)
{
    for (unsigned i = 0; i < server->addresses_count; i++) {
        int rc = bind_one(server, i, &fds[(size_t)i * loops], loops);

        if (rc == 0)
            continue;
        *ret_failed = i;
        for (unsigned k = 0; k < i * loops; k++)
            lario_fd_close(fds[k]);
        while (i-- > server->inherited_count)
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
    rc = lario_peers_init(&server->peers);
    if (rc < 0)
        goto fail;
    rc = bind_all(server, fds, loops, ret_failed);
    if (rc < 0)
        goto fail_bind;
    start_request request = {.server = server, .fds = fds};

    lario_runtime_call_all(server->runtime, start_on_loop, &request);
    rc = request.rc;
    free(fds);
    if (rc < 0) {
        /* What was accepted meanwhile ends with the drain, and needs its loop's state until then.
         */
        lario_runtime_call_all(server->runtime, stop_on_loop, server);
        unlink_all(server);
    }
    return rc;
fail_bind:
    lario_peers_done(&server->peers);
fail:
    free(fds);
    free(server->loops);
    server->loops = NULL;
    return rc;
}

static void set_tls_on_loop(lario_loop *loop, void *arg)
{
    lario_server *server = arg;
    lario_server_loop *home = &server->loops[loop->index];

    lario_tls_set_unref(home->tls);
    home->tls = lario_tls_set_ref(server->tls);
}

void lario_server_set_tls(lario_server *server, lario_tls_set *set)
{
    lario_tls_set *before = server->tls;

    server->tls = lario_tls_set_ref(set);
    if (server->loops)
        lario_runtime_call_all(server->runtime, set_tls_on_loop, server);
    lario_tls_set_unref(before);
}

/* ---- Drain and end ---- */

static void stop_accepting_on_loop(lario_loop *loop, void *arg)
{
    lario_server *server = arg;
    lario_server_loop *home = &server->loops[loop->index];

    /* Whoever is in the backlog has connected, and closing it would reset them. */
    for (unsigned i = 0; i < server->addresses_count; i++)
        lario_io_accept_pending(&home->listeners[i].io,
                                home->server->backlog ? (unsigned)home->server->backlog : BACKLOG);
    stop_listening(home);
}

static void drain_on_loop(lario_loop *loop, void *arg)
{
    lario_server *server = arg;
    lario_server_loop *home = &server->loops[loop->index];

    /* A drained connection is taken off the list later, at the end of a turn. */
    for (lario_list_link *link = home->conns.next; link != &home->conns; link = link->next)
        server->protocol->drain(lario_container_of(link, lario_conn, link));
    lario_proxy_gates_drain(home);
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
    unlink_all(server);
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
    lario_proxy_gates_close(home);
}

void lario_server_close_all(lario_server *server)
{
    if (server->loops)
        lario_runtime_call_all(server->runtime, close_on_loop, server);
}

void lario_server_done(lario_server *server)
{
    for (unsigned i = 0; server->loops && i < lario_runtime_loops(server->runtime); i++) {
        lario_tls_set_unref(server->loops[i].tls);
    }
    if (server->loops)
        lario_peers_done(&server->peers);
    lario_tls_set_unref(server->tls);
    server->tls = NULL;
    free(server->loops);
    server->loops = NULL;
}
