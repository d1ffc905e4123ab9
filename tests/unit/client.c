/* SPDX-License-Identifier: BSD-3-Clause */
#include "client.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/socket.h"

/* ---- Connections ---- */

static void connect_to(test_client *self, const char *text, int receive_bytes)
{
    lario_address address;

    assert_int_equal(lario_address_parse(&address, text), 0);
    *self = (test_client){.fd = socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    assert_true(self->fd >= 0);
    if (receive_bytes)
        assert_int_equal(
            setsockopt(self->fd, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes), 0);
    assert_int_equal(connect(self->fd, (struct sockaddr *)&address.storage, address.len), 0);
    lario_socket_set_nodelay(self->fd);
}

void client_open(test_client *self, const char *address)
{
    connect_to(self, address, 0);
}

void client_open_narrow(test_client *self, const char *address, int receive_bytes)
{
    connect_to(self, address, receive_bytes);
}

void client_close(test_client *self)
{
    close(self->fd);
    free(self->bytes);
    *self = (test_client){.fd = -1};
}

void client_reset(test_client *self)
{
    lario_socket_reset_on_close(self->fd);
    client_close(self);
}

void client_half_close(test_client *self)
{
    assert_int_equal(shutdown(self->fd, SHUT_WR), 0);
}

static bool wait_for(test_client *self, short events, int ms)
{
    struct pollfd poll_fd = {.fd = self->fd, .events = events};
    int rc;

    do
        rc = poll(&poll_fd, 1, ms);
    while (rc < 0 && errno == EINTR);
    return rc > 0;
}

size_t client_try_send(test_client *self, const void *data, size_t len, int quiet_ms)
{
    size_t sent = 0;

    while (sent < len && wait_for(self, POLLOUT, quiet_ms)) {
        ssize_t rc =
            send(self->fd, (const char *)data + sent, len - sent, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (rc < 0 && errno != EAGAIN)
            break;
        if (rc > 0)
            sent += (size_t)rc;
    }
    return sent;
}

void client_send(test_client *self, const void *data, size_t len)
{
    assert_int_equal(client_try_send(self, data, len, CLIENT_PATIENCE_MS), len);
}

void client_puts(test_client *self, const char *text)
{
    client_send(self, text, strlen(text));
}

/* Receives some bytes: how many, 0 at the end, or -errno. */
static int receive_some(test_client *self)
{
    if (self->room - self->have < 65536) {
        self->room = 2 * self->room + 65536;
        self->bytes = realloc(self->bytes, self->room);
        assert_non_null(self->bytes);
    }
    if (!wait_for(self, POLLIN, CLIENT_PATIENCE_MS))
        fail_msg("the server says nothing; so far: %.*s", (int)self->have, self->bytes);
    ssize_t got = recv(self->fd, self->bytes + self->have, self->room - self->have, 0);

    if (got < 0)
        return -errno;
    self->have += (size_t)got;
    return (int)got;
}

bool client_fill(test_client *self, size_t count)
{
    while (self->have < count)
        if (receive_some(self) <= 0)
            return false;
    return true;
}

void client_take(test_client *self, size_t count)
{
    self->have -= count;
    memmove(self->bytes, self->bytes + count, self->have);
}

bool client_has_input(test_client *self, int ms)
{
    return self->have > 0 || wait_for(self, POLLIN, ms);
}

int client_read_end(test_client *self)
{
    int rc;

    while ((rc = receive_some(self)) > 0)
        continue;
    return rc;
}

/* ---- Answers ---- */

/* Waits for `mark` at or behind `from`; its offset. */
static size_t find(test_client *self, size_t from, const char *mark)
{
    size_t len = strlen(mark);

    for (;;) {
        if (self->have > from) {
            char *found = memmem(self->bytes + from, self->have - from, mark, len);

            if (found)
                return (size_t)(found - self->bytes);
        }
        if (receive_some(self) <= 0)
            fail_msg("the connection ended in: %.*s", (int)self->have, self->bytes);
    }
}

static const char *field(const test_answer *answer, const char *name)
{
    const char *at = strcasestr(answer->head, name);

    return at ? at + strlen(name) : NULL;
}

static void append(test_answer *answer, const char *data, size_t len)
{
    answer->body = realloc(answer->body, answer->body_len + len + 1);
    assert_non_null(answer->body);
    if (len > 0)
        memcpy(answer->body + answer->body_len, data, len);
    answer->body_len += len;
    answer->body[answer->body_len] = '\0';
}

static void read_chunks(test_client *self, test_answer *answer)
{
    size_t len;

    do {
        size_t line = find(self, 0, "\r\n");

        len = strtoul(self->bytes, NULL, 16);
        client_take(self, line + 2);
        assert_true(client_fill(self, len + 2));
        append(answer, self->bytes, len);
        assert_memory_equal(self->bytes + len, "\r\n", 2);
        client_take(self, len + 2);
    } while (len > 0);
}

void client_answer(test_client *self, test_answer *ret_answer, bool head_only)
{
    size_t end = find(self, 0, "\r\n\r\n") + 4;

    answer_done(ret_answer);
    assert_true(end < ANSWER_HEAD_BYTES);
    memcpy(ret_answer->head, self->bytes, end);
    client_take(self, end);
    assert_memory_equal(ret_answer->head, "HTTP/1.1 ", 9);
    ret_answer->status = atoi(ret_answer->head + 9);
    ret_answer->closes = strcasestr(ret_answer->head, "\r\nConnection: close\r\n") != NULL;
    append(ret_answer, "", 0);
    const char *length = field(ret_answer, "\r\nContent-Length: ");

    if (head_only || ret_answer->status < 200 || ret_answer->status == 204 ||
        ret_answer->status == 304)
        return;
    if (field(ret_answer, "\r\nTransfer-Encoding: chunked")) {
        read_chunks(self, ret_answer);
        return;
    }
    size_t len = length ? strtoul(length, NULL, 10) : 0;

    if (length)
        assert_true(client_fill(self, len));
    else
        assert_int_equal(client_read_end(self), 0);
    append(ret_answer, self->bytes, length ? len : self->have);
    client_take(self, length ? len : self->have);
}

void answer_done(test_answer *answer)
{
    free(answer->body);
    memset(answer, 0, sizeof *answer);
}

int client_status(test_client *self)
{
    test_answer got = {0};

    client_answer(self, &got, false);
    int status = got.status;

    answer_done(&got);
    return status;
}

void client_expect_last(test_client *self, int status)
{
    test_answer got = {0};

    client_answer(self, &got, false);
    assert_int_equal(got.status, status);
    assert_true(got.closes);
    answer_done(&got);
    assert_int_equal(client_read_end(self), 0);
    assert_int_equal(self->have, 0);
}

/* ---- WebSocket ---- */

size_t client_ws_frame(char *out, unsigned first_byte, const void *data, size_t len)
{
    static const unsigned char mask[4] = {0x12, 0x34, 0xa5, 0xf7};
    size_t at = 0;

    out[at++] = (char)first_byte;
    if (len < 126) {
        out[at++] = (char)(0x80 | len);
    } else if (len < 65536) {
        out[at++] = (char)(0x80 | 126);
        out[at++] = (char)(len >> 8);
        out[at++] = (char)len;
    } else {
        out[at++] = (char)(0x80 | 127);
        for (int shift = 56; shift >= 0; shift -= 8)
            out[at++] = (char)((uint64_t)len >> shift);
    }
    memcpy(out + at, mask, 4);
    at += 4;
    for (size_t i = 0; i < len; i++)
        out[at + i] = (char)(((const unsigned char *)data)[i] ^ mask[i % 4]);
    return at + len;
}

void client_ws_open(test_client *self, const char *address, const char *path)
{
    char request[512];
    test_answer got = {0};

    client_open(self, address);
    snprintf(request, sizeof request,
             "GET %s HTTP/1.1\r\nHost: test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
             path);
    client_puts(self, request);
    client_answer(self, &got, true);
    assert_int_equal(got.status, 101);
    answer_done(&got);
}

void client_ws_send(test_client *self, unsigned opcode, const void *data, size_t len)
{
    char *frame = malloc(len + CLIENT_WS_HEADER_MAX);

    assert_non_null(frame);
    client_send(self, frame, client_ws_frame(frame, 0x80 | opcode, data, len));
    free(frame);
}

unsigned client_ws_next(test_client *self, const char **ret_data, size_t *ret_len)
{
    static char payload[1 << 21];
    size_t header = 2, len;

    assert_true(client_fill(self, 2));
    unsigned first = (unsigned char)self->bytes[0];
    const unsigned char *at = (const unsigned char *)self->bytes;

    len = at[1];
    assert_true(len < 128); /* a server does not mask */
    if (len >= 126) {
        size_t more = len == 126 ? 2 : 8;

        assert_true(client_fill(self, 2 + more));
        at = (const unsigned char *)self->bytes;
        for (len = 0; header < 2 + more; header++)
            len = len << 8 | at[header];
    }
    assert_true(len <= sizeof payload);
    assert_true(client_fill(self, header + len));
    memcpy(payload, self->bytes + header, len);
    client_take(self, header + len);
    assert_true(first & 0x80);
    *ret_data = payload;
    *ret_len = len;
    return first & 0x7f;
}

void client_ws_expect(test_client *self, const char *text)
{
    const char *data;
    size_t len;

    assert_int_equal(client_ws_next(self, &data, &len), 1);
    assert_int_equal(len, strlen(text));
    assert_memory_equal(data, text, len);
}

void client_ws_expect_close(test_client *self, unsigned code)
{
    const char *data;
    size_t len;

    assert_int_equal(client_ws_next(self, &data, &len), 8);
    assert_true(len >= 2);
    assert_int_equal((unsigned char)data[0] << 8 | (unsigned char)data[1], code);
}
