/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/report.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/clock.h"

stopwatch stopwatch_start(void)
{
    return (stopwatch){clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_PROCESS_CPUTIME_ID)};
}

void report_begin(bool csv)
{
    if (csv)
        printf("measure,count,seconds,per_s,ns_each,cpu_ns_each,value,unit\n");
    else
        printf("%-30s %10s %9s %12s %10s %12s\n", "measure", "count", "seconds", "per second",
               "ns each", "CPU ns each");
    fflush(stdout);
}

void report_time(bool csv, const char *name, uint64_t count, stopwatch start)
{
    stopwatch now = stopwatch_start();
    double wall_ns = (double)(now.wall_ns - start.wall_ns);
    double cpu_ns = (double)(now.cpu_ns - start.cpu_ns);
    double n = (double)count;

    if (csv)
        printf("%s,%" PRIu64 ",%.4f,%.0f,%.1f,%.1f,,\n", name, count, wall_ns / 1e9,
               n * 1e9 / wall_ns, wall_ns / n, cpu_ns / n);
    else
        printf("%-30s %10" PRIu64 " %9.3f %12.0f %10.1f %12.1f\n", name, count, wall_ns / 1e9,
               n * 1e9 / wall_ns, wall_ns / n, cpu_ns / n);
    fflush(stdout);
}

void report_value(bool csv, const char *name, double value, const char *unit)
{
    if (csv)
        printf("%s,,,,,,%.1f,%s\n", name, value, unit);
    else
        printf("%-30s %10.1f %s\n", name, value, unit);
    fflush(stdout);
}
