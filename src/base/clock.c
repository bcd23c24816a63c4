#include "base/clock.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static frz_clock_ops replaced;

void frz_clock_replace(const frz_clock_ops *ops)
{
    replaced = ops ? *ops : (frz_clock_ops){0};
}

static struct timespec read_clock(clockid_t id)
{
    struct timespec now = {0};
    (void)clock_gettime(id, &now); /* cannot fail for the two clocks that POSIX requires */
    return now;
}

int64_t frz_clock_now_ms(void)
{
    if (replaced.now_ms)
        return replaced.now_ms(replaced.self);
    const struct timespec now = read_clock(CLOCK_REALTIME);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t frz_clock_monotonic_ns(void)
{
    const struct timespec now = read_clock(CLOCK_MONOTONIC);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void frz_clock_sleep_ms(int64_t ms)
{
    if (replaced.sleep_ms) {
        replaced.sleep_ms(replaced.self, ms);
        return;
    }
    if (ms <= 0)
        return;
    struct timespec left = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = ms % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

/* For systems whose random source is out of reach: not secret, but different for each process and
 * call. */
static void fill_from_clock(uint8_t *out, size_t size)
{
    static _Atomic uint64_t calls;
    uint64_t state = (uint64_t)frz_clock_monotonic_ns() ^ (uint64_t)frz_clock_now_ms() << 20 ^
                     (uint64_t)getpid() << 44 ^ ++calls << 56;
    for (size_t i = 0; i < size; i++) {
        /* splitmix64 */
        uint64_t mixed = state += UINT64_C(0x9e3779b97f4a7c15);
        mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
        out[i] = (uint8_t)(mixed >> 31);
    }
}

void frz_random_bytes(void *out, size_t size)
{
    if (replaced.random_bytes) {
        replaced.random_bytes(replaced.self, out, size);
        return;
    }
    uint8_t *at = out;
    while (size > 0) {
        const ssize_t got = getrandom(at, size, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            fill_from_clock(at, size);
            return;
        }
        at += got;
        size -= (size_t)got;
    }
}

int64_t frz_random_i63(void)
{
    uint64_t bits = 0;
    do {
        frz_random_bytes(&bits, sizeof bits);
        bits &= INT64_MAX;
    } while (bits == 0);
    return (int64_t)bits;
}
