/*
 * What every fuzz target is made of: the entry that libFuzzer and the replay driver call, an input
 * over bytes in memory, and storage that has it under every name.
 */
#ifndef FRZ_FUZZ_TARGET_H
#define FRZ_FUZZ_TARGET_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "frazil/extend/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that must hold for every input. */
#define FUZZ_CHECK(condition) \
    do {                      \
        if (!(condition))     \
            abort();          \
    } while (0)

typedef struct fuzz_input {
    frz_input base;
    const uint8_t *data;
    size_t size;
} fuzz_input;

static inline frz_status fuzz_read_at(frz_input *input, uint64_t offset, void *out, size_t size,
                                      frz_error **err)
{
    const fuzz_input *in = (const fuzz_input *)input;
    if (offset > in->size || size > in->size - offset)
        return frz_fail(err, FRZ_CORRUPT, offset, "read past the end");
    if (size)
        memcpy(out, in->data + offset, size);
    return FRZ_OK;
}

static inline uint64_t fuzz_size(const frz_input *input)
{
    return ((const fuzz_input *)input)->size;
}

static inline void fuzz_close(frz_input *input)
{
    (void)input;
}

static inline fuzz_input fuzz_input_over(const uint8_t *data, size_t size)
{
    static const frz_input_ops ops = {fuzz_read_at, fuzz_size, fuzz_close, NULL};
    return (fuzz_input){.base = {&ops}, .data = data, .size = size};
}

typedef struct fuzz_storage {
    frz_io io;
    fuzz_input input;
} fuzz_storage;

static inline frz_status fuzz_open(frz_io *io, const char *location, uint64_t known_size,
                                   frz_input **out, frz_error **err)
{
    (void)location;
    (void)known_size;
    (void)err;
    *out = &((fuzz_storage *)io)->input.base;
    return FRZ_OK;
}

static inline fuzz_storage fuzz_storage_over(const uint8_t *data, size_t size)
{
    static const frz_io_ops ops = {.open = fuzz_open};
    return (fuzz_storage){.io = {&ops}, .input = fuzz_input_over(data, size)};
}

#endif
