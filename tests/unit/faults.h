/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_TESTS_FAULTS_H
#define LARIO_TESTS_FAULTS_H

#include <stddef.h>

/*
 * Faults of the kernel: the linker leads the server's system calls here (see CMakeLists.txt), and
 * those that the loops' threads make go wrong as asked. The test's own calls are never touched.
 */

typedef struct fault_plan {
    size_t bytes_max;    /* a send or a receive takes at most so many; 0: all */
    unsigned eagain_nth; /* every nth send or receive is told to come again; 0: none */
    unsigned eintr_nth;  /* every nth call of any kind is interrupted; 0: none */
    int accept_error;    /* what accepting fails with, `accept_fails` times */
    int accept_fails;
} fault_plan;

/* From now on; NULL: no more faults. */
void faults_set(const fault_plan *plan);

/* Call number `nth` from now fails with the errno `error`; 0: none. */
void faults_fail_call(int nth, int error);

/* Whether that call was made; it is forgotten then. */
int faults_call_was_made(void);

/* How many faults there were since the last faults_set(). */
unsigned faults_count(void);

#endif
