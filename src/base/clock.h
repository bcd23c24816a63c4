/*
 * Time and randomness, replaceable by tests (one of the five seams of the library).
 */
#ifndef FRZ_BASE_CLOCK_H
#define FRZ_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Milliseconds since the epoch, UTC: what metadata records. */
int64_t frz_clock_now_ms(void);

/* Monotonic nanoseconds, for durations. */
int64_t frz_clock_monotonic_ns(void);

void frz_clock_sleep_ms(int64_t ms);

/* Fills with bytes from the system's random source. */
void frz_random_bytes(void *out, size_t size);

/* A positive random 63-bit number, for snapshot ids. */
int64_t frz_random_i63(void);

/* Test hook: NULL members keep the real ones. Not thread-safe against running calls. */
typedef struct frz_clock_ops {
    int64_t (*now_ms)(void *self);
    void (*sleep_ms)(void *self, int64_t ms);
    void (*random_bytes)(void *self, void *out, size_t size);
    void *self;
} frz_clock_ops;
void frz_clock_replace(const frz_clock_ops *ops);

#endif
