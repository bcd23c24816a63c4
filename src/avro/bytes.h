/*
 * The innermost reads of Avro's binary encoding ("Binary Encoding"), inline because every value
 * passes here. A read that would leave the bytes, or is malformed, notes a fault and returns false;
 * `p` then stands at the faulty value.
 */
#ifndef FRZ_AVRO_BYTES_H
#define FRZ_AVRO_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum frz_avro_fault {
    FRZ_AVRO_FAULT_NONE,
    FRZ_AVRO_FAULT_ENDS,     /* the bytes end inside a value */
    FRZ_AVRO_FAULT_VARINT,   /* more than 64 bits */
    FRZ_AVRO_FAULT_INT,      /* an int beyond 32 bits */
    FRZ_AVRO_FAULT_BOOLEAN,  /* neither 0 nor 1 */
    FRZ_AVRO_FAULT_LENGTH,   /* negative, or beyond the end */
    FRZ_AVRO_FAULT_COUNT,    /* more items than the bytes can hold */
    FRZ_AVRO_FAULT_BLOCK,    /* a sized block whose items are not of that size */
    FRZ_AVRO_FAULT_BRANCH,   /* no such branch of the union */
    FRZ_AVRO_FAULT_SYMBOL,   /* no such symbol of the enum */
    FRZ_AVRO_FAULT_DECIMAL,  /* beyond 38 digits */
    FRZ_AVRO_FAULT_PREFIX,   /* a length prefix that is not the size of the fixed */
    FRZ_AVRO_FAULT_DEPTH,    /* limit nesting_depth */
    FRZ_AVRO_FAULT_TOO_MUCH, /* decoded values beyond the budget of a batch */
    FRZ_AVRO_FAULT_MEMORY
} frz_avro_fault;

typedef struct frz_avro_bytes {
    const uint8_t *p;
    const uint8_t *end;
    int64_t value; /* what was found, where the fault is a number */
    frz_avro_fault fault;
    bool prefixed; /* fixed partition values carry a length prefix (frz_avro_reader_prefixed) */
} frz_avro_bytes;

static inline size_t frz_avro_left(const frz_avro_bytes *in)
{
    return (size_t)(in->end - in->p);
}

static inline bool frz_avro_note(frz_avro_bytes *in, frz_avro_fault fault, int64_t value)
{
    in->fault = fault;
    in->value = value;
    return false;
}

/* A long of more than two bytes, or at the end. */
bool frz_avro_read_long_slow(frz_avro_bytes *in, int64_t *out);

static inline bool frz_avro_read_long(frz_avro_bytes *in, int64_t *out)
{
    const uint8_t *p = in->p;
    if (in->end - p < 2 || (p[0] & p[1] & 0x80))
        return frz_avro_read_long_slow(in, out);
    const bool two = p[0] >= 0x80;
    const uint32_t raw = two ? (p[0] & 0x7fu) | (uint32_t)p[1] << 7 : p[0];
    in->p = p + 1 + two;
    *out = (int64_t)(raw >> 1) ^ -(int64_t)(raw & 1);
    return true;
}

static inline bool frz_avro_read_int(frz_avro_bytes *in, int32_t *out)
{
    const uint8_t *start = in->p;
    int64_t value = 0;
    if (!frz_avro_read_long(in, &value))
        return false;
    if (value < INT32_MIN || value > INT32_MAX) {
        in->p = start;
        return frz_avro_note(in, FRZ_AVRO_FAULT_INT, value);
    }
    *out = (int32_t)value;
    return true;
}

/* The length of a string or bytes value, checked against what is left. */
static inline bool frz_avro_read_length(frz_avro_bytes *in, size_t *out)
{
    const uint8_t *start = in->p;
    int64_t value = 0;
    if (!frz_avro_read_long(in, &value))
        return false;
    if (value < 0 || (uint64_t)value > frz_avro_left(in)) {
        in->p = start;
        return frz_avro_note(in, FRZ_AVRO_FAULT_LENGTH, value);
    }
    *out = (size_t)value;
    return true;
}

/* The index of a union's branch. */
static inline bool frz_avro_read_branch(frz_avro_bytes *in, size_t branch_count, size_t *out)
{
    const uint8_t *start = in->p;
    int64_t value = 0;
    if (!frz_avro_read_long(in, &value))
        return false;
    if (value < 0 || (uint64_t)value >= branch_count) {
        in->p = start;
        return frz_avro_note(in, FRZ_AVRO_FAULT_BRANCH, value);
    }
    *out = (size_t)value;
    return true;
}

/* The header of one block of an array or map: how many items, and their bytes when the block is
 * sized (else SIZE_MAX). A count of 0 ends the array. Checked against what is left. */
bool frz_avro_read_block(frz_avro_bytes *in, size_t item_size_min, uint64_t *count_out,
                         size_t *size_out);

#endif
