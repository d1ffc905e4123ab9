/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_HTTP_HEAD_H
#define LARIO_HTTP_HEAD_H

#include "http/req.h"

/* The head of an answer. */

/* Status line, Date, Connection and a length, without what the handler gives. */
#define LARIO_HEAD_BYTES_MAX 256

/* Writes the status line at `at`, which has that room; returns where it ends. */
char *lario_head_put_status(char *at, int status);

/*
 * Checks what an answer needs before its head; its status decides whether it has a body, and
 * whether the connection goes on after it. Errors: as for lario_reply().
 */
int lario_head_begin(lario_req *req, int status, const char *type);

/*
 * Writes the head into the connection's output, with room behind it for `body_len` bytes that the
 * caller writes at *ret_at; then it commits from *ret_start up to its end. `length` UINT64_MAX: not
 * known. LARIO_ENOMEM.
 */
int lario_head_put(lario_req *req, int status, const char *type, uint64_t length, size_t body_len,
                   char **ret_start, char **ret_at);

#endif
