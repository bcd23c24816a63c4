/*
 * Paired measurement: ours and the floor take turns, and the median of their ratios counts.
 */
#ifndef FRZ_BENCH_MEASURE_H
#define FRZ_BENCH_MEASURE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "frazil/error.h"

enum { BENCH_PAIRS = 15, BENCH_WARM_UPS = 2 };

/* Ends the program with the error's message. */
static inline void bench_must(frz_status status, const frz_error *err)
{
    if (status == FRZ_OK)
        return;
    (void)fprintf(stderr, "%s: %s\n", frz_status_name(status), frz_error_message(err));
    exit(1);
}

typedef void (*bench_work)(void *context);

static inline double bench_time(bench_work work, void *context)
{
    const int64_t start = frz_clock_monotonic_ns();
    work(context);
    return (double)(frz_clock_monotonic_ns() - start);
}

static inline int bench_order(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Prints one line; `bytes` are what both pass over, for the throughput. */
static inline void bench_pair(const char *name, bench_work ours, bench_work floor, void *context,
                              double bytes)
{
    double ratios[BENCH_PAIRS];
    double times[BENCH_PAIRS];
    double floors[BENCH_PAIRS];
    for (int i = -BENCH_WARM_UPS; i < BENCH_PAIRS; i++) {
        const double a = bench_time(ours, context);
        const double b = bench_time(floor, context);
        if (i < 0)
            continue;
        times[i] = a;
        floors[i] = b;
        ratios[i] = a / b;
    }
    qsort(ratios, BENCH_PAIRS, sizeof *ratios, bench_order);
    qsort(times, BENCH_PAIRS, sizeof *times, bench_order);
    qsort(floors, BENCH_PAIRS, sizeof *floors, bench_order);
    const int middle = BENCH_PAIRS / 2;
    (void)printf("%-34s ours %9.3f ms (%6.2f GB/s)  floor %9.3f ms  ratio %.2f (%.2f to %.2f)\n",
                 name, times[middle] / 1e6, bytes / times[middle], floors[middle] / 1e6,
                 ratios[middle], ratios[0], ratios[BENCH_PAIRS - 1]);
}

#endif
