/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/args.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void usage(const char *program, const args_option *options)
{
    fprintf(stderr, "usage: %s [--OPTION VALUE]...\n", program);
    for (const args_option *option = options; option->name; option++) {
        if (option->text)
            fprintf(stderr, "  --%-12s text, default %s\n", option->name, *option->text);
        else
            fprintf(stderr, "  --%-12s %ld to %ld, default %ld\n", option->name, option->min,
                    option->max, *option->value);
    }
    exit(2);
}

static const args_option *find(const args_option *options, const char *text)
{
    if (strncmp(text, "--", 2) != 0)
        return NULL;
    for (; options->name; options++) {
        if (strcmp(options->name, text + 2) == 0)
            return options;
    }
    return NULL;
}

/* Stores `text` in the option. Returns 0, or -1 when it should be a number within the limits. */
static int store(const args_option *option, const char *text)
{
    char *end;

    if (option->text) {
        *option->text = text;
        return 0;
    }
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < option->min || value > option->max)
        return -1;
    *option->value = value;
    return 0;
}

void args_parse(int argc, char **argv, const args_option *options)
{
    for (int i = 1; i < argc; i += 2) {
        const args_option *option = find(options, argv[i]);

        if (!option || i + 1 == argc || store(option, argv[i + 1]) < 0)
            usage(argv[0], options);
    }
}
