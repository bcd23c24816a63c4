/* Other programs, run to their end: how long they took on the wall, and how much memory they had.
 */
#ifndef FRZ_BENCH_PROCESS_H
#define FRZ_BENCH_PROCESS_H

typedef struct bench_process {
    const char *arguments[10]; /* the program first; NULL ends them */
    double processor_ns;       /* of the last run */
    double resident_mb;        /* at most, of the last run */
} bench_process;

/* Begins `main`: returns at once, except in the process that bench_process_run starts to measure.
 */
int bench_process_measure(int argument_count, char **arguments);

/* A side of a comparison. Output goes nowhere; a program that fails ends this one. */
double bench_process_run(void *context);

/* The command that was built beside this benchmark ($FRAZIL). */
const char *bench_command(void);

#endif
