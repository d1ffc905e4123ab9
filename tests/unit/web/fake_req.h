/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_TESTS_FAKE_REQ_H
#define LARIO_TESTS_FAKE_REQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/request.h"

/*
 * A request without a connection: stands in for http/ in the tests of web/. It has a method and a
 * target and records the answer, as the rules of lario/http.h have it.
 */

#define FAKE_BLOCKS_MAX 64
#define FAKE_HEADERS_MAX 8

struct lario_req {
    const char *method;
    const char *target;
    const char *host;
    const char *accept_encoding;
    void *slots[LARIO_REQ_SLOTS];

    const lario_req_param *params;
    size_t params_count;

    int status; /* 0: not answered */
    char type[128];
    char *body; /* with a NUL behind it */
    size_t body_len;
    uint64_t announced;   /* Content-Length */
    size_t write_len_max; /* of one lario_reply_write() */
    int write_result;     /* what lario_reply_write() answers; 0 unless a test changes it */
    char headers[FAKE_HEADERS_MAX][512]; /* "Name: value" */
    size_t headers_count;

    void *blocks[FAKE_BLOCKS_MAX];
    size_t blocks_count;
    size_t blocks_allowed; /* lario_alloc() fails beyond */
};

void fake_req_init(lario_req *req, const char *method, const char *target);
void fake_req_done(lario_req *req);

/* The value of a field of the answer, or NULL. */
const char *fake_req_answer_header(const lario_req *req, const char *name);

#endif
