/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_TESTS_SERVING_H
#define LARIO_TESTS_SERVING_H

#include <stdbool.h>

#include "lario/lario.h"

/*
 * A server inside of the test: an app with one loop on a free port of 127.0.0.1, small deadlines
 * never unless asked for, and a log that is counted. One at a time. Handlers run on the loop's
 * thread, where cmocka's asserts must not be used: they tell the test what they saw by note().
 */

typedef struct serving {
    lario_app *app;
    lario_limits limits;
    const char *address;
} serving;

/* A new app with the default limits; add routes and change self->limits, then start it. */
void serving_init(serving *self);
void serving_start(serving *self);

/* Drains and checks that nothing had to be killed. */
void serving_stop(serving *self);

/* Stops and kills what is left. */
void serving_end(serving *self);

/* From a handler: a number for the test. */
void note(int number);

/* The next number noted, in their order. */
int next_note(void);

/* Whether a number is noted within `ms`. */
bool note_comes(int ms);

/* Blocks a handler without the loop's knowledge of it, until the test releases it. */
void release_handler(void);
int wait_in_handler(void);

/* How many records of this event were logged since serving_init(). */
int logged(const char *event);

#endif
