#include "spec/tape.h"

#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"

enum { CAPACITY_MIN = 256 };

struct frz_tape {
    atomic_size_t references;
    atomic_size_t taken; /* bytes that belong to somebody */
    size_t capacity;
    _Alignas(16) uint8_t bytes[];
};

frz_tape *frz_tape_ref(frz_tape *tape)
{
    if (tape)
        (void)atomic_fetch_add_explicit(&tape->references, 1, memory_order_relaxed);
    return tape;
}

void frz_tape_unref(frz_tape *tape)
{
    if (tape && atomic_fetch_sub_explicit(&tape->references, 1, memory_order_acq_rel) == 1)
        frz_free(tape);
}

const void *frz_tape_bytes(const frz_tape *tape)
{
    return tape ? tape->bytes : NULL;
}

static frz_tape *copy(const frz_tape *from, size_t size, size_t taken)
{
    size_t capacity = 0;
    size_t total = 0;
    if (!frz_size_mul(taken < CAPACITY_MIN ? CAPACITY_MIN : taken, 2, &capacity) ||
        !frz_size_add(sizeof(frz_tape), capacity, &total))
        return NULL;
    frz_tape *tape = frz_alloc(total);
    if (!tape)
        return NULL;
    atomic_init(&tape->references, 1);
    atomic_init(&tape->taken, taken);
    tape->capacity = capacity;
    if (from && size)
        memcpy(tape->bytes, from->bytes, size);
    return tape;
}

void *frz_tape_extend(frz_tape **tape, size_t size, size_t more)
{
    size_t taken = 0;
    size_t expected = size;
    if (!frz_size_add(size, more, &taken))
        return NULL;
    if (*tape && taken <= (*tape)->capacity &&
        atomic_compare_exchange_strong_explicit(&(*tape)->taken, &expected, taken,
                                                memory_order_acq_rel, memory_order_relaxed))
        return (*tape)->bytes + size;
    frz_tape *moved = copy(*tape, size, taken);
    if (!moved)
        return NULL;
    frz_tape_unref(*tape);
    *tape = moved;
    return moved->bytes + size;
}
