/*
 * The command starts in under 5 ms and 6 MB: scripts call it in loops (performance: W15). The best
 * of many runs is taken, because the machine may be busy with something else.
 */
#include "harness.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 50, TIME_MAX_US = 5000, RESIDENT_MAX_KB = 6 * 1024 };

static int64_t now_us(void)
{
    struct timespec now;
    CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int64_t time_one_run(void)
{
    char *const arguments[] = {(char[]){"frazil"}, (char[]){"--version"}, NULL};
    char *const environment[] = {NULL};
    posix_spawn_file_actions_t quiet;
    pid_t child = 0;
    int state = 0;
    CHECK(posix_spawn_file_actions_init(&quiet) == 0);
    CHECK(posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) == 0);
    const int64_t start = now_us();
    CHECK(posix_spawn(&child, FRZ_COMMAND, &quiet, NULL, arguments, environment) == 0);
    CHECK(waitpid(child, &state, 0) == child);
    const int64_t spent = now_us() - start;
    CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0);
    CHECK(posix_spawn_file_actions_destroy(&quiet) == 0);
    return spent;
}

static void the_command_starts_fast_and_small(void **state)
{
    (void)state;
    int64_t best = INT64_MAX;
    for (int i = 0; i < RUNS; i++) {
        const int64_t spent = time_one_run();
        if (spent < best)
            best = spent;
    }
    struct rusage usage; /* of the largest child */
    CHECK(getrusage(RUSAGE_CHILDREN, &usage) == 0);
    print_message("frazil --version: %lld us, %ld kB resident\n", (long long)best, usage.ru_maxrss);
    CHECK(best < TIME_MAX_US);
    CHECK(usage.ru_maxrss < RESIDENT_MAX_KB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_command_starts_fast_and_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
