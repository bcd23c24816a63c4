/*
 * Paired measurement: ours and its rivals (a floor that the machine sets, peers that other people
 * wrote) take turns, and the median of the ratios of the pairs counts.
 *
 * Work is timed by the processor time that the process spends, children and threads of a peer
 * included, so that other programs on the machine disturb the figures little; what waits for the
 * disk or starts processes is timed by the clock on the wall.
 */
#ifndef FRZ_BENCH_MEASURE_H
#define FRZ_BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frazil/error.h"

enum { BENCH_PAIRS = 9, BENCH_WARM_UPS = 2, BENCH_RIVALS_MAX = 4 };

/* Ends the program with the error's message. */
void bench_must(frz_status status, const frz_error *err);

/* One run of a side; returns nanoseconds. */
typedef double (*bench_run)(void *context);

typedef struct bench_side {
    const char *name;
    bench_run run;
    void *context;
    double target; /* ours may take at most this times the side's time; 0 = none is stated */
} bench_side;

/* Prints the versions, the load of the machine and the head of the table. */
void bench_begin(const char *title);

/* Runs all sides in turns and prints a line per rival. Rivals without `run` are left out. */
void bench_compare(const char *row, bench_side ours, const bench_side *rivals, size_t rival_count);

/* A line for one figure that has a fixed limit (0 = none): memory, time. */
void bench_figure(const char *row, double figure, double limit, const char *unit);

/* The load after, and whether every stated target was met: the program's exit status. */
int bench_end(void);

double bench_processor_ns(void);
double bench_wall_ns(void);

/* `work` timed by processor time. */
typedef void (*bench_work)(void *context);
double bench_time(bench_work work, void *context);

/* Numbers that are the same in every run. */
uint64_t bench_random(void);

#endif
