#include "avro/decode.h"

#include <stdio.h>

#include "base/decimal.h"
#include "base/fail.h"

static bool run(frz_avro_decoder *d, uint32_t from, uint32_t to, uint32_t depth);

static bool note_fault(frz_avro_decoder *d, frz_avro_fault fault)
{
    return fault == FRZ_AVRO_FAULT_NONE || frz_avro_note(&d->in, fault, 0);
}

static bool take(frz_avro_decoder *d, size_t size, const uint8_t **out)
{
    if (size > frz_avro_left(&d->in))
        return frz_avro_note(&d->in, FRZ_AVRO_FAULT_ENDS, 0);
    *out = d->in.p;
    d->in.p += size;
    return true;
}

static bool put_boolean(frz_avro_decoder *d, frz_avro_column *column)
{
    const uint8_t *byte = NULL;
    if (!take(d, 1, &byte))
        return false;
    if (*byte > 1) {
        d->in.p = byte;
        return frz_avro_note(&d->in, FRZ_AVRO_FAULT_BOOLEAN, *byte);
    }
    if (*byte)
        column->values.data[column->length >> 3] |= (uint8_t)(1u << (column->length & 7));
    frz_avro_column_advance(column);
    return true;
}

static bool put_int(frz_avro_decoder *d, frz_avro_column *column)
{
    int32_t value = 0;
    if (!frz_avro_read_int(&d->in, &value))
        return false;
    memcpy(column->values.data + sizeof value * (size_t)column->length, &value, sizeof value);
    frz_avro_column_advance(column);
    return true;
}

static bool put_long(frz_avro_decoder *d, frz_avro_column *column)
{
    int64_t value = 0;
    if (!frz_avro_read_long(&d->in, &value))
        return false;
    memcpy(column->values.data + sizeof value * (size_t)column->length, &value, sizeof value);
    frz_avro_column_advance(column);
    return true;
}

static bool put_width(frz_avro_decoder *d, frz_avro_column *column, size_t size)
{
    const uint8_t *bytes = NULL;
    if (!take(d, size, &bytes))
        return false;
    if (size)
        memcpy(column->values.data + size * (size_t)column->length, bytes, size);
    frz_avro_column_advance(column);
    return true;
}

/* Java writes identity partition values of fixed[L] as bytes: with their length in front. */
static bool read_prefix(frz_avro_decoder *d, size_t size)
{
    size_t length = 0;
    if (!d->in.prefixed)
        return true;
    if (!frz_avro_read_length(&d->in, &length))
        return false;
    return length == size || frz_avro_note(&d->in, FRZ_AVRO_FAULT_PREFIX, (int64_t)length);
}

static bool put_bytes(frz_avro_decoder *d, frz_avro_column *column)
{
    size_t length = 0;
    frz_avro_fault fault = FRZ_AVRO_FAULT_NONE;
    if (!frz_avro_read_length(&d->in, &length))
        return false;
    if (!frz_avro_column_put_bytes(column, d->in.p, length, &fault))
        return note_fault(d, fault);
    d->in.p += length;
    return true;
}

static bool put_enum(frz_avro_decoder *d, const frz_avro_op *op)
{
    const uint8_t *start = d->in.p;
    frz_avro_fault fault = FRZ_AVRO_FAULT_NONE;
    int64_t index = 0;
    if (!frz_avro_read_long(&d->in, &index))
        return false;
    if (index < 0 || (uint64_t)index >= op->symbol_count) {
        d->in.p = start;
        return frz_avro_note(&d->in, FRZ_AVRO_FAULT_SYMBOL, index);
    }
    const char *symbol = op->symbols[index];
    if (!frz_avro_column_put_bytes(op->column, (const uint8_t *)symbol, strlen(symbol), &fault))
        return note_fault(d, fault);
    return true;
}

static bool put_decimal(frz_avro_decoder *d, const frz_avro_op *op)
{
    const uint8_t *bytes = NULL;
    size_t size = op->size;
    frz_int128 value = 0;
    if (op->kind == FRZ_AVRO_OP_DECIMAL_BYTES && !frz_avro_read_length(&d->in, &size))
        return false;
    if (!take(d, size, &bytes))
        return false;
    if (!frz_decimal_from_be(frz_slice_of(bytes, size), &value) ||
        !frz_decimal_fits(value, FRZ_DECIMAL_PRECISION_MAX)) {
        d->in.p = bytes;
        return frz_avro_note(&d->in, FRZ_AVRO_FAULT_DECIMAL, 0);
    }
    memcpy(op->column->values.data + sizeof value * (size_t)op->column->length, &value,
           sizeof value);
    frz_avro_column_advance(op->column);
    return true;
}

static void end_list(frz_avro_column *column)
{
    const int32_t end = (int32_t)column->children[0].length;
    memcpy(column->offsets.data + 4 * (size_t)(column->length + 1), &end, sizeof end);
    frz_avro_column_advance(column);
}

/* Most values that are passed over are bounds, so bytes are passed here. */
static inline bool skip_unwanted(frz_avro_decoder *d, const frz_avro_op *op, uint32_t depth)
{
    size_t length = 0;
    if (op->skip_value->kind != FRZ_AVRO_SKIP_LENGTH)
        return frz_avro_skip_value(&d->in, op->skip_value, depth);
    if (!frz_avro_read_length(&d->in, &length))
        return false;
    d->in.p += length;
    return true;
}

/* Passes over the usual item that nobody wants: a key below 64 and fewer than 64 bytes, each told
 * by one byte whose lowest bit is its sign. */
static inline bool skip_short(frz_avro_bytes *in, uint64_t wanted)
{
    const uint8_t *p = in->p;
    if (frz_avro_left(in) < 2 || (p[0] | p[1]) & 0x81)
        return false;
    const size_t size = p[1] >> 1;
    if (wanted >> (p[0] >> 1) & 1 || size > frz_avro_left(in) - 2)
        return false;
    in->p = p + 2 + size;
    return true;
}

/* One item of a filtered map: its key is read ahead, and the value passed over when nobody wants
 * it. */
static bool put_wanted(frz_avro_decoder *d, const frz_avro_op *op, uint32_t body, uint32_t depth)
{
    const uint8_t *start = d->in.p;
    int64_t key = 0;
    size_t i = 0;
    if (!frz_avro_read_long(&d->in, &key))
        return false;
    while (i < op->key_count && op->keys[i] < key)
        i++;
    if (i == op->key_count || op->keys[i] != key)
        return skip_unwanted(d, op, depth);
    d->in.p = start;
    return note_fault(d, frz_avro_column_reserve(&op->column->children[0], 1)) &&
           run(d, body, op->next, depth);
}

static bool put_items(frz_avro_decoder *d, const frz_avro_op *op, uint32_t body, uint64_t count,
                      uint32_t depth)
{
    if (op->kind == FRZ_AVRO_OP_FILTER) {
        const bool bytes = op->skip_value->kind == FRZ_AVRO_SKIP_LENGTH;
        for (uint64_t i = 0; i < count; i++)
            if (!(bytes && skip_short(&d->in, op->short_keys)) && !put_wanted(d, op, body, depth))
                return false;
        return true;
    }
    if (!note_fault(d, frz_avro_column_reserve(&op->column->children[0], count)))
        return false;
    for (uint64_t i = 0; i < count; i++)
        if (!run(d, body, op->next, depth))
            return false;
    return true;
}

/* Items without bytes (nulls, records of nulls) could be claimed in any number by a few bytes: most
 * operations that one list may run for them. */
#define DECODE_EMPTY_STEPS_MAX ((uint64_t)1 << 24)

static bool put_list(frz_avro_decoder *d, const frz_avro_op *op, uint32_t body, uint32_t depth)
{
    const uint64_t empty_max = DECODE_EMPTY_STEPS_MAX / (op->next - body + 1);
    for (;;) {
        uint64_t count = 0;
        size_t size = 0;
        if (!frz_avro_read_block(&d->in, op->skip->size_min, &count, &size))
            return false;
        if (count == 0)
            break;
        const uint8_t *start = d->in.p;
        if (op->skip->size_min == 0 && count > empty_max - (uint64_t)op->column->children[0].length)
            return frz_avro_note(&d->in, FRZ_AVRO_FAULT_TOO_MUCH, (int64_t)count);
        if (!put_items(d, op, body, count, depth))
            return false;
        if (size != SIZE_MAX && (size_t)(d->in.p - start) != size)
            return frz_avro_note(&d->in, FRZ_AVRO_FAULT_BLOCK, (int64_t)size);
    }
    end_list(op->column);
    return true;
}

/* A value of one of several types: the operations of its branch alone. */
static bool put_variant(frz_avro_decoder *d, const frz_avro_op *op, uint32_t body, uint32_t depth)
{
    size_t branch = 0;
    uint32_t at = body;
    if (!frz_avro_read_branch(&d->in, op->size, &branch))
        return false;
    for (size_t i = 0; i < branch; i++)
        at = d->program->ops[at].next;
    if (!run(d, at + 1, d->program->ops[at].next, depth))
        return false;
    frz_avro_column_put_branch(op->column, branch);
    return true;
}

/* Runs one operation without its body. */
static bool step(frz_avro_decoder *d, const frz_avro_op *op, uint32_t depth)
{
    switch (op->kind) {
    case FRZ_AVRO_OP_SKIP:
        return frz_avro_skip_value(&d->in, op->skip, depth);
    case FRZ_AVRO_OP_NULL:
        frz_avro_column_put_null(op->column);
        return true;
    case FRZ_AVRO_OP_BOOLEAN:
        return put_boolean(d, op->column);
    case FRZ_AVRO_OP_INT:
        return put_int(d, op->column);
    case FRZ_AVRO_OP_LONG:
        return put_long(d, op->column);
    case FRZ_AVRO_OP_FIXED:
        return read_prefix(d, op->size) && put_width(d, op->column, op->size);
    case FRZ_AVRO_OP_WIDTH:
        return put_width(d, op->column, op->size);
    case FRZ_AVRO_OP_BYTES:
        return put_bytes(d, op->column);
    case FRZ_AVRO_OP_ENUM:
        return put_enum(d, op);
    case FRZ_AVRO_OP_DECIMAL_FIXED:
    case FRZ_AVRO_OP_DECIMAL_BYTES:
        return put_decimal(d, op);
    case FRZ_AVRO_OP_RECORD:
        frz_avro_column_advance(op->column);
        return true;
    case FRZ_AVRO_OP_LIST:
    case FRZ_AVRO_OP_FILTER:
    case FRZ_AVRO_OP_ONLY:
    case FRZ_AVRO_OP_OPTION:
    case FRZ_AVRO_OP_UNION:
    case FRZ_AVRO_OP_BRANCH:
        break;
    }
    return false;
}

static bool run(frz_avro_decoder *d, uint32_t from, uint32_t to, uint32_t depth)
{
    const frz_avro_op *ops = d->program->ops;
    uint32_t at = from;
    while (at < to) {
        const frz_avro_op *op = &ops[at];
        bool ok = true;
        size_t branch = 0;
        switch ((int)op->kind) {
        case FRZ_AVRO_OP_ONLY:
            ok = frz_avro_read_branch(&d->in, 1, &branch);
            at++;
            break;
        case FRZ_AVRO_OP_OPTION:
            ok = frz_avro_read_branch(&d->in, 2, &branch);
            at++;
            if (ok && branch == op->null_branch) {
                frz_avro_column_put_null(op->column);
                at = op->next;
            }
            break;
        case FRZ_AVRO_OP_LIST:
        case FRZ_AVRO_OP_FILTER:
            ok = put_list(d, op, at + 1, depth - 1);
            at = op->next;
            break;
        case FRZ_AVRO_OP_UNION:
            ok = put_variant(d, op, at + 1, depth - 1);
            at = op->next;
            break;
        default:
            ok = step(d, op, depth);
            at++;
            break;
        }
        if (!ok) {
            if (d->op == UINT32_MAX)
                d->op = (uint32_t)(op - ops);
            return false;
        }
    }
    return true;
}

bool frz_avro_decode_rows(frz_avro_decoder *d, int64_t rows)
{
    const uint32_t depth = d->program->depth_max;
    d->op = UINT32_MAX;
    if (!note_fault(d, frz_avro_column_reserve(&d->program->root, (uint64_t)rows)))
        return false;
    for (int64_t i = 0; i < rows; i++)
        if (!run(d, 0, d->program->op_count, depth))
            return false;
    return true;
}

static frz_status describe(const frz_avro_bytes *in, char *out, size_t size)
{
    const long long value = (long long)in->value;
    frz_status status = FRZ_CORRUPT;
    switch (in->fault) {
    case FRZ_AVRO_FAULT_NONE:
    case FRZ_AVRO_FAULT_ENDS:
        (void)snprintf(out, size, "the block ends inside a value");
        break;
    case FRZ_AVRO_FAULT_VARINT:
        (void)snprintf(out, size, "a number of more than 64 bits");
        break;
    case FRZ_AVRO_FAULT_INT:
        (void)snprintf(out, size, "%lld where an int is expected", value);
        break;
    case FRZ_AVRO_FAULT_BOOLEAN:
        (void)snprintf(out, size, "byte %lld where a boolean is expected", value);
        break;
    case FRZ_AVRO_FAULT_LENGTH:
        (void)snprintf(out, size, "length %lld, %zu bytes are left", value, frz_avro_left(in));
        break;
    case FRZ_AVRO_FAULT_COUNT:
        (void)snprintf(out, size, "%lld items, %zu bytes are left", value, frz_avro_left(in));
        break;
    case FRZ_AVRO_FAULT_BLOCK:
        (void)snprintf(out, size, "items that are not of their block's %lld bytes", value);
        break;
    case FRZ_AVRO_FAULT_BRANCH:
        (void)snprintf(out, size, "branch %lld of a union that has no such branch", value);
        break;
    case FRZ_AVRO_FAULT_SYMBOL:
        (void)snprintf(out, size, "symbol %lld of an enum that has no such symbol", value);
        break;
    case FRZ_AVRO_FAULT_DECIMAL:
        (void)snprintf(out, size, "a decimal that is empty or beyond 38 digits");
        break;
    case FRZ_AVRO_FAULT_PREFIX:
        (void)snprintf(out, size, "length %lld before a fixed of another size", value);
        break;
    case FRZ_AVRO_FAULT_DEPTH:
        (void)snprintf(out, size, "values nested too deep (limit nesting_depth)");
        status = FRZ_UNSUPPORTED;
        break;
    case FRZ_AVRO_FAULT_TOO_MUCH:
        (void)snprintf(out, size, "values beyond the budget of a batch (limit avro_block_size)");
        status = FRZ_UNSUPPORTED;
        break;
    case FRZ_AVRO_FAULT_MEMORY:
        status = FRZ_NO_MEMORY;
        break;
    }
    return status;
}

frz_status frz_avro_decode_fail(const frz_avro_decoder *d, uint64_t offset, bool packed,
                                frz_error **err)
{
    char what[160] = "";
    char path[256] = "";
    const size_t inside = (size_t)(d->in.p - d->start);
    const frz_status status = describe(&d->in, what, sizeof what);
    if (status == FRZ_NO_MEMORY)
        return frz_fail_memory(err);
    if (d->op < d->program->op_count)
        frz_avro_program_path(d->program, d->program->ops[d->op].column, path, sizeof path);
    return frz_fail(err, status, packed ? offset : offset + inside,
                    "Avro block: column %s, byte %zu of %zu: %s", *path ? path : "(skipped)",
                    inside, (size_t)(d->in.end - d->start), what);
}
