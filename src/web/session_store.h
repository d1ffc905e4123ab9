/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_WEB_SESSION_STORE_H
#define LARIO_WEB_SESSION_STORE_H

#include <stdint.h>

#include "lario/session.h"

/*
 * The process that keeps sessions, and what it is asked. A question and its answer are one message
 * each (see lario_call()): this head, then the texts.
 *
 *     question   head, key NUL, value NUL          (SET, REMOVE)
 *     answer     head, key NUL value NUL ...       (LOAD: all of the session)
 */
enum lario_session_op {
    LARIO_SESSION_LOAD,
    LARIO_SESSION_SET,    /* begins a session when the id names none */
    LARIO_SESSION_REMOVE, /* a key */
    LARIO_SESSION_RENEW,
    LARIO_SESSION_END,
};

typedef struct lario_session_id {
    uint8_t bytes[16];
} lario_session_id;

typedef struct lario_session_question {
    enum lario_session_op op;
    lario_session_id id;
} lario_session_question;

typedef struct lario_session_answer {
    int rc;              /* LARIO_ENOTFOUND: no such session */
    lario_session_id id; /* SET, RENEW: the session's from now on */
} lario_session_answer;

/* The kind of the messages. */
#define LARIO_SESSION_KIND LARIO_USER

/* The process; `arg` is a copy of the options on the heap, which it frees. */
int lario_session_store_run(void *arg);

#endif
