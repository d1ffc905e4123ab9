/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_ARGS_H
#define BENCH_ARGS_H

/*
 * One option of a benchmark program: "--name NUMBER" with its limits, or "--name TEXT" when `text`
 * is set. What `value` or `text` points to holds the default before.
 */
typedef struct args_option {
    const char *name;
    long min;
    long max;
    long *value;
    const char **text;
} args_option;

/*
 * Reads the command line. `options` ends with a NULL name. Anything that is not understood prints
 * the list of options on stderr and ends the program with status 2.
 */
void args_parse(int argc, char **argv, const args_option *options);

#endif
