/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdbool.h>
#include <stdint.h>

/* Wall time and CPU time of all threads, at one instant. */
typedef struct stopwatch {
    uint64_t wall_ns;
    uint64_t cpu_ns;
} stopwatch;

stopwatch stopwatch_start(void);

/* Prints the heading of the table, or of the CSV file. */
void report_begin(bool csv);

/* Prints how long `count` of something took since `start`. */
void report_time(bool csv, const char *name, uint64_t count, stopwatch start);

/* Prints a single figure. */
void report_value(bool csv, const char *name, double value, const char *unit);

#endif
