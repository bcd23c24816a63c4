#include "peer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 16 };

struct bench_peer {
    pid_t process;
    FILE *to;
    FILE *from;
    char name[64];
    char answer[4096];
};

const char *bench_peer_interpreter(void)
{
    static const char installed[] = "test/interop/.peers/python/bin/python";
    const char *chosen = getenv("FRAZIL_PEERS_PYTHON");
    if (chosen && *chosen)
        return chosen;
    return access(installed, X_OK) == 0 ? installed : NULL;
}

static void run_child(const char *interpreter, char **arguments, int in, int out)
{
    (void)dup2(in, STDIN_FILENO);
    (void)dup2(out, STDOUT_FILENO);
    for (int i = 3; i < 64; i++)
        (void)close(i);
    (void)execv(interpreter, arguments);
    _exit(127);
}

static bool read_line(FILE *file, char *line, size_t size)
{
    if (!fgets(line, (int)size, file))
        return false;
    line[strcspn(line, "\n")] = 0;
    return true;
}

/* The first line is its name and version, or why it cannot; the second what it answers. */
static bench_peer *greet(bench_peer *peer)
{
    if (read_line(peer->from, peer->name, sizeof peer->name) &&
        read_line(peer->from, peer->answer, sizeof peer->answer))
        return peer;
    (void)fprintf(stderr, "no peer: %s\n",
                  *peer->name ? peer->name : "the interpreter does not run bench/peers.py");
    bench_peer_stop(peer);
    return NULL;
}

bench_peer *bench_peer_start(const char *work, ...)
{
    static const char script[] = "bench/peers.py";
    const char *interpreter = bench_peer_interpreter();
    char *arguments[ARGUMENTS_MAX] = {(char *)(uintptr_t)interpreter, (char *)(uintptr_t)script};
    size_t count = 2;
    int to[2];
    int from[2];
    va_list more;
    if (!interpreter)
        return NULL;
    va_start(more, work);
    for (const char *next = work; next && count + 1 < ARGUMENTS_MAX;
         next = va_arg(more, const char *))
        arguments[count++] = (char *)(uintptr_t)next;
    va_end(more);
    bench_peer *peer = calloc(1, sizeof *peer);
    if (!peer || pipe(to) != 0 || pipe(from) != 0)
        exit(1);
    (void)fflush(stdout);
    peer->process = fork();
    if (peer->process == 0)
        run_child(interpreter, arguments, to[0], from[1]);
    (void)close(to[0]);
    (void)close(from[1]);
    peer->to = fdopen(to[1], "w");
    peer->from = fdopen(from[0], "r");
    if (peer->process < 0 || !peer->to || !peer->from)
        exit(1);
    return greet(peer);
}

void bench_peer_stop(bench_peer *peer)
{
    if (!peer)
        return;
    (void)fclose(peer->to);
    (void)fclose(peer->from);
    (void)waitpid(peer->process, NULL, 0);
    free(peer);
}

static double run_peer(void *context)
{
    bench_peer *peer = context;
    char line[64];
    (void)fputs("run\n", peer->to);
    (void)fflush(peer->to);
    if (read_line(peer->from, line, sizeof line))
        return strtod(line, NULL);
    (void)fprintf(stderr, "%s ended\n", peer->name);
    exit(1);
}

bench_side bench_peer_side(bench_peer *peer, double target)
{
    return (bench_side){.name = peer ? peer->name : "",
                        .run = peer ? run_peer : NULL,
                        .context = peer,
                        .target = target};
}

const char *bench_peer_answer(const bench_peer *peer)
{
    return peer->answer;
}
