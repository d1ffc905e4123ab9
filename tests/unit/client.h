/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_TESTS_CLIENT_H
#define LARIO_TESTS_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A client of plain blocking sockets, for the test's own thread. Every call has a time limit, so
 * that a server that says nothing fails the test instead of hanging it. What must not fail is
 * checked by cmocka's asserts.
 */

#define CLIENT_PATIENCE_MS 10000

typedef struct test_client {
    int fd;
    char *bytes; /* received, not taken */
    size_t have;
    size_t room;
} test_client;

#define ANSWER_HEAD_BYTES 4096

typedef struct test_answer {
    int status;
    bool closes; /* Connection: close */
    char head[ANSWER_HEAD_BYTES];
    char *body; /* with a NUL behind it; freed by the next client_answer() or answer_done() */
    size_t body_len;
} test_answer;

/* "ADDR:PORT" or "unix:PATH". */
void client_open(test_client *self, const char *address);
void client_close(test_client *self);

/* Closes with a reset. */
void client_reset(test_client *self);
void client_half_close(test_client *self);

/* A small receive buffer, so that a client that does not read is felt soon; before any traffic. */
void client_open_narrow(test_client *self, const char *address, int receive_bytes);

void client_send(test_client *self, const void *data, size_t len);
void client_puts(test_client *self, const char *text);

/* Sends until the socket takes no more for `quiet_ms`; how much was sent, at most `len`. */
size_t client_try_send(test_client *self, const void *data, size_t len, int quiet_ms);

/* Waits until `count` bytes are in self->bytes; false when the connection ends first. */
bool client_fill(test_client *self, size_t count);
void client_take(test_client *self, size_t count);

/* Whether something (or the end) comes within `ms`. */
bool client_has_input(test_client *self, int ms);

/* Reads one answer; `head_only` when its request was HEAD. Zero-initialise the answer first. */
void client_answer(test_client *self, test_answer *ret_answer, bool head_only);
void answer_done(test_answer *answer);

/* The status of the next answer. */
int client_status(test_client *self);

/* One answer with this status, then the orderly end of the connection and nothing else. */
void client_expect_last(test_client *self, int status);

/* How the connection ends: 0 in order, -errno; what comes before is added to self->bytes. */
int client_read_end(test_client *self);

/* ---- WebSocket ---- */

#define CLIENT_WS_HEADER_MAX 14

/* Writes a masked frame to `out`; its length. */
size_t client_ws_frame(char *out, unsigned first_byte, const void *data, size_t len);

/* Connects and shakes hands. */
void client_ws_open(test_client *self, const char *address, const char *path);
void client_ws_send(test_client *self, unsigned opcode, const void *data, size_t len);

/* The next frame: its opcode with its reserved bits, and its payload at *ret_data until the next call on the client. */
unsigned client_ws_next(test_client *self, const char **ret_data, size_t *ret_len);

/* The next frame is this text. */
void client_ws_expect(test_client *self, const char *text);

/* The next frame is a close frame with this code. */
void client_ws_expect_close(test_client *self, unsigned code);

#endif
