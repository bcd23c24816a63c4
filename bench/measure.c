#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "frazil/frazil.h"

static int missed;

void bench_must(frz_status status, const frz_error *err)
{
    if (status == FRZ_OK)
        return;
    (void)fprintf(stderr, "%s: %s\n", frz_status_name(status), frz_error_message(err));
    exit(1);
}

static double read_clock(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

double bench_processor_ns(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

double bench_wall_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double bench_time(bench_work work, void *context)
{
    const double start = bench_processor_ns();
    work(context);
    return bench_processor_ns() - start;
}

uint64_t bench_random(void)
{
    static uint64_t state = 42;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state >> 33;
}

static void print_load(const char *when)
{
    char line[128] = "unknown\n";
    FILE *file = fopen("/proc/loadavg", "r");
    if (file) {
        (void)fgets(line, sizeof line, file);
        (void)fclose(file);
    }
    (void)printf("load %s: %s", when, line);
}

void bench_begin(const char *title)
{
    (void)printf("%s\nfrazil %s, compiler %s\n", title, frz_version(), __VERSION__);
    print_load("before");
    (void)printf("%-34s %10s  %-28s %10s  %-22s %s\n", "", "ours ms", "against", "its ms",
                 "ratio (min to max)", "target");
    (void)fflush(stdout);
}

static int order(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, BENCH_PAIRS, sizeof *values, order);
    return values[BENCH_PAIRS / 2];
}

static const char *verdict(double figure, double limit)
{
    if (limit <= 0)
        return "";
    if (figure <= limit)
        return "met";
    missed++;
    return "MISSED";
}

static void print_rival(const char *row, double ours, const bench_side *rival, double *times,
                        double *ratios)
{
    char range[64];
    char target[64] = "";
    const double ratio = median(ratios);
    (void)snprintf(range, sizeof range, "%.2f (%.2f to %.2f)", ratio, ratios[0],
                   ratios[BENCH_PAIRS - 1]);
    if (rival->target > 0)
        (void)snprintf(target, sizeof target, "<= %.2f ", rival->target);
    (void)printf("%-34s %10.3f  %-28s %10.3f  %-22s %s%s\n", row, ours / 1e6, rival->name,
                 median(times) / 1e6, range, target, verdict(ratio, rival->target));
}

void bench_compare(const char *row, bench_side ours, const bench_side *rivals, size_t rival_count)
{
    double own[BENCH_PAIRS] = {0};
    double times[BENCH_RIVALS_MAX][BENCH_PAIRS] = {0};
    double ratios[BENCH_RIVALS_MAX][BENCH_PAIRS] = {0};
    for (int i = -BENCH_WARM_UPS; i < BENCH_PAIRS; i++) {
        const int at = i < 0 ? 0 : i;
        own[at] = ours.run(ours.context);
        for (size_t k = 0; k < rival_count; k++) {
            if (!rivals[k].run)
                continue;
            times[k][at] = rivals[k].run(rivals[k].context);
            ratios[k][at] = own[at] / times[k][at];
        }
    }
    const double middle = median(own);
    for (size_t k = 0; k < rival_count; k++)
        if (rivals[k].run)
            print_rival(row, middle, &rivals[k], times[k], ratios[k]);
    (void)fflush(stdout);
}

void bench_figure(const char *row, double figure, double limit, const char *unit)
{
    char target[64] = "";
    if (limit > 0)
        (void)snprintf(target, sizeof target, "<= %.0f %s ", limit, unit);
    (void)printf("%-34s %10.2f %-3s %66s%s%s\n", row, figure, unit, "", target,
                 verdict(figure, limit));
    (void)fflush(stdout);
}

int bench_end(void)
{
    print_load("after");
    return missed ? 1 : 0;
}
