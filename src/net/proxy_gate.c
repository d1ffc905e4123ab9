/* SPDX-License-Identifier: BSD-3-Clause */
#include "net/proxy_gate.h"

#include <stdlib.h>
#include <string.h>

#include "lario/error.h"

static void free_gate(lario_task *task)
{
    free(lario_container_of(task, lario_proxy_gate, task));
}

/* Takes it off the server. The memory stays until the poller has come back from its call. */
static void leave(lario_proxy_gate *gate)
{
    lario_io_close(&gate->io);
    lario_timer_stop(&gate->timer);
    lario_list_remove(&gate->link);
    lario_server_uncount(gate->home);
    lario_loop_defer(gate->home->loop, &gate->task);
}

/* The first of a row is worth a line: more likely than an attack is a load balancer that is not set
 * up to send the header. */
static void log_bad(lario_server_loop *home, const char *reason)
{
    if (!home->is_proxy_bad)
        lario_log_to(home->loop->log, LARIO_LOG_WARN, "proxy_header_bad",
                     "%s; closed, and more of this are not logged until one is good", reason);
    home->is_proxy_bad = true;
}

static void take_end(lario_address *address, const lario_proxy_header *header,
                     const lario_proxy_end *end)
{
    if (header->family == LARIO_PROXY_IP)
        lario_address_from_ip(address, &end->ip, end->port);
    else
        lario_address_from_path(address, end->path, strnlen(end->path, LARIO_PROXY_UNIX_BYTES));
}

/* What the header said that is worth keeping, NULL when there is nothing; LARIO_ENOMEM. */
static int make_origin(const lario_proxy_header *header, lario_origin **ret_origin)
{
    *ret_origin = NULL;
    if (header->family == LARIO_PROXY_NONE && !header->is_tls)
        return 0;
    lario_origin *origin = calloc(1, sizeof *origin);

    if (!origin)
        return LARIO_ENOMEM;
    origin->is_tls = header->is_tls;
    origin->has_addresses = header->family != LARIO_PROXY_NONE;
    if (origin->has_addresses) {
        take_end(&origin->peer, header, &header->source);
        take_end(&origin->local, header, &header->destination);
    }
    *ret_origin = origin;
    return 0;
}

/* The header is whole: the connection goes on with the bytes behind it. */
static void pass(lario_proxy_gate *gate, char *rest, size_t len)
{
    lario_server_loop *home = gate->home;
    lario_arrival arrival = {.fd = -1};

    home->is_proxy_bad = false;
    if (make_origin(&gate->header, &arrival.origin) == 0) {
        arrival.fd = lario_io_release(&gate->io);
        if (arrival.fd >= 0)
            lario_server_admit(home, &arrival, rest, len);
        else
            lario_arrival_drop(home, &arrival);
    }
    /* Last, so that a drain that waits for the server's connections never sees none. */
    leave(gate);
}

static void on_data(lario_io *io, char *data, size_t len)
{
    lario_proxy_gate *gate = lario_container_of(io, lario_proxy_gate, io);
    size_t used;
    int rc = lario_proxy_header_parse(&gate->header, data, len, &used);

    if (rc > 0) {
        pass(gate, data + used, len - used);
    } else if (rc < 0) {
        log_bad(gate->home, gate->header.reason);
        leave(gate);
    }
}

static void on_eof(lario_io *io, bool drained)
{
    (void)drained;
    leave(lario_container_of(io, lario_proxy_gate, io));
}

static void on_error(lario_io *io, int rc)
{
    (void)rc;
    leave(lario_container_of(io, lario_proxy_gate, io));
}

static void on_late(lario_timer *timer)
{
    lario_proxy_gate *gate = lario_container_of(timer, lario_proxy_gate, timer);

    log_bad(gate->home, "a PROXY header did not arrive in time");
    leave(gate);
}

static const lario_io_ops io_ops = {
    .on_data = on_data,
    .on_eof = on_eof,
    .on_error = on_error,
};

/* Without a list of trusted proxies everybody who reaches the port may send the header. */
static bool may_send(const lario_server *server, int fd)
{
    lario_address peer;

    return lario_trust_is_empty(&server->trust) ||
           (lario_socket_peer(fd, &peer) == 0 && lario_trust_has(&server->trust, &peer));
}

void lario_proxy_gate_enter(lario_server_loop *home, int fd)
{
    lario_proxy_gate *gate;

    if (!may_send(home->server, fd)) {
        log_bad(home, "a peer that is no trusted proxy");
        lario_fd_close(fd);
        return;
    }
    gate = calloc(1, sizeof *gate);
    if (!gate || lario_io_open(&gate->io, home->loop->poller, fd, &io_ops, false) < 0) {
        free(gate);
        lario_fd_close(fd);
        return;
    }
    gate->home = home;
    lario_timer_init(&gate->timer, on_late);
    lario_task_init(&gate->task, free_gate);
    lario_proxy_header_init(&gate->header);
    lario_list_push_back(&home->gates, &gate->link);
    lario_server_count(home);
    lario_loop_timer_start(home->loop, &gate->timer, home->server->limits.proxy_header_ms);
}

static lario_proxy_gate *gate_at(lario_list_link *link)
{
    return lario_container_of(link, lario_proxy_gate, link);
}

void lario_proxy_gates_drain(lario_server_loop *home)
{
    for (lario_list_link *link = home->gates.next, *next; link != &home->gates; link = next) {
        lario_proxy_gate *gate = gate_at(link);

        next = link->next;
        if (gate->header.len == 0 && !lario_socket_has_input(gate->io.fd))
            leave(gate);
    }
}

void lario_proxy_gates_close(lario_server_loop *home)
{
    while (!lario_list_is_empty(&home->gates))
        leave(gate_at(home->gates.next));
}
