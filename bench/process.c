#define _DEFAULT_SOURCE /* wait4 */
#include "process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

static const char measure_flag[] = "--measure";

static void become(const bench_process *process)
{
    const int nowhere = open("/dev/null", O_WRONLY);
    (void)dup2(nowhere, STDOUT_FILENO);
    (void)execvp(process->arguments[0], (char **)(uintptr_t)process->arguments);
    _exit(127);
}

static double nanoseconds(struct timeval time)
{
    return (double)time.tv_sec * 1e9 + (double)time.tv_usec * 1e3;
}

/* The kernel counts to a process's memory what the one had that started it: so it is started, and
 * waited for, by a small process that does nothing else. */
int bench_process_measure(int argument_count, char **arguments)
{
    bench_process process = {0};
    struct rusage usage;
    int status = 0;
    const int most = (int)(sizeof process.arguments / sizeof *process.arguments) - 1;
    if (argument_count < 3 || strcmp(arguments[1], measure_flag) != 0)
        return 0;
    for (int i = 2; i < argument_count && i - 2 < most; i++)
        process.arguments[i - 2] = arguments[i];
    const double start = bench_wall_ns();
    const pid_t child = vfork();
    if (child == 0)
        become(&process);
    if (child < 0 || wait4(child, &status, 0, &usage) != child)
        exit(1);
    const double wall = bench_wall_ns() - start;
    (void)printf("%d %.0f %.0f %ld\n", status, wall,
                 nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime), usage.ru_maxrss);
    exit(0);
}

static void become_measure(const bench_process *process, int out)
{
    const char *arguments[16] = {"/proc/self/exe", measure_flag};
    for (size_t i = 0; process->arguments[i]; i++)
        arguments[i + 2] = process->arguments[i];
    (void)dup2(out, STDOUT_FILENO);
    (void)execv(arguments[0], (char **)(uintptr_t)arguments);
    _exit(127);
}

double bench_process_run(void *context)
{
    bench_process *process = context;
    int ends[2];
    int status = -1;
    double time = 0;
    long resident = 0;
    if (pipe(ends) != 0)
        exit(1);
    const pid_t child = fork();
    if (child == 0)
        become_measure(process, ends[1]);
    (void)close(ends[1]);
    FILE *answer = fdopen(ends[0], "r");
    if (child < 0 || !answer ||
        fscanf(answer, "%d %lf %lf %ld", &status, &time, &process->processor_ns, &resident) != 4 ||
        status != 0) {
        (void)fprintf(stderr, "%s: status %d\n", process->arguments[0], status);
        exit(1);
    }
    (void)fclose(answer);
    (void)waitpid(child, NULL, 0);
    process->resident_mb = (double)resident / 1024;
    return time;
}

const char *bench_command(void)
{
    const char *chosen = getenv("FRAZIL");
    return chosen && *chosen ? chosen : "build/release/frazil";
}
