#include "io/fault.h"

#include <pthread.h>

#include "base/fail.h"
#include "base/mem.h"
#include "io/file.h"

typedef struct fault_io {
    frz_io base;
    frz_io *inner;        /* borrowed */
    pthread_mutex_t lock; /* guards all below */
    int64_t countdown;    /* calls to let pass; negative = disarmed */
    bool crash;           /* the failure stays */
    bool fired;
    frz_io_trace_entry *trace;
    size_t trace_count;
    size_t trace_capacity;
} fault_io;

typedef struct fault_input {
    frz_input base;
    fault_io *io;
    frz_input *inner;
    char *location;
} fault_input;

typedef struct fault_output {
    frz_output base;
    fault_io *io;
    frz_output *inner;
    char *location;
    uint64_t written;
} fault_output;

static const char *call_name(frz_io_call call)
{
    static const char *const names[] = {
        [FRZ_IO_CALL_OPEN] = "open",     [FRZ_IO_CALL_READ] = "read",
        [FRZ_IO_CALL_CREATE] = "create", [FRZ_IO_CALL_WRITE] = "write",
        [FRZ_IO_CALL_COMMIT] = "commit", [FRZ_IO_CALL_REMOVE] = "remove",
        [FRZ_IO_CALL_STAT] = "stat",     [FRZ_IO_CALL_LIST] = "list",
    };
    return names[call];
}

/* Under the lock. */
static bool must_fail(fault_io *io)
{
    if (io->fired && io->crash)
        return true;
    if (io->countdown < 0 || io->countdown-- > 0)
        return false;
    io->fired = true;
    return true;
}

/* Under the lock. */
static frz_status add_trace(fault_io *io, const frz_io_trace_entry *entry, frz_error **err)
{
    char *location = frz_copy_text(entry->location);
    if (!location || !frz_grow_array((void **)&io->trace, &io->trace_capacity, io->trace_count,
                                     sizeof *io->trace)) {
        frz_free(location);
        return frz_fail_memory(err);
    }
    io->trace[io->trace_count] = *entry;
    io->trace[io->trace_count++].location = location;
    return FRZ_OK;
}

/* Every call passes here first: it is recorded, and fails when it is its turn. */
static frz_status enter(fault_io *io, const frz_io_trace_entry *entry, frz_error **err)
{
    (void)pthread_mutex_lock(&io->lock);
    const frz_status traced = add_trace(io, entry, err);
    const bool failing = traced == FRZ_OK && must_fail(io);
    (void)pthread_mutex_unlock(&io->lock);
    if (failing)
        return frz_fail(err, FRZ_IO, FRZ_NO_OFFSET, "%s %s: injected", call_name(entry->call),
                        entry->location);
    return traced;
}

static frz_status fault_read_at(frz_input *base, uint64_t offset, void *out, size_t size,
                                frz_error **err)
{
    fault_input *input = (fault_input *)base;
    const frz_io_trace_entry entry = {FRZ_IO_CALL_READ, input->location, offset, size};
    FRZ_TRY(enter(input->io, &entry, err));
    return frz_input_read_at(input->inner, offset, out, size, err);
}

static uint64_t fault_size(const frz_input *base)
{
    return frz_input_size(((const fault_input *)base)->inner);
}

static void fault_close(frz_input *base)
{
    fault_input *input = (fault_input *)base;
    frz_input_close(input->inner);
    frz_free(input->location);
    frz_free(input);
}

/* `mapped` is left out on purpose: reads past this wrapper would neither fail nor be recorded. */
static const frz_input_ops fault_input_ops = {
    .read_at = fault_read_at, .size = fault_size, .close = fault_close};

static frz_status fault_open(frz_io *base, const char *location, uint64_t known_size,
                             frz_input **out, frz_error **err)
{
    fault_io *io = (fault_io *)base;
    fault_input *input = frz_alloc_zero(sizeof *input);
    char *copy = frz_copy_text(location);
    frz_status status = input && copy ? FRZ_OK : frz_fail_memory(err);
    if (status == FRZ_OK)
        status = enter(io, &(frz_io_trace_entry){FRZ_IO_CALL_OPEN, copy, 0, 0}, err);
    if (status == FRZ_OK)
        status = frz_io_open(io->inner, location, known_size, &input->inner, err);
    if (status != FRZ_OK) {
        frz_free(copy);
        frz_free(input);
        return status;
    }
    input->base.ops = &fault_input_ops;
    input->io = io;
    input->location = copy;
    *out = &input->base;
    return FRZ_OK;
}

static void free_output(fault_output *output)
{
    frz_free(output->location);
    frz_free(output);
}

static frz_status fault_write(frz_output *base, const void *bytes, size_t size, frz_error **err)
{
    fault_output *output = (fault_output *)base;
    const frz_io_trace_entry entry = {FRZ_IO_CALL_WRITE, output->location, output->written, size};
    FRZ_TRY(enter(output->io, &entry, err));
    FRZ_TRY(frz_output_write(output->inner, bytes, size, err));
    output->written += size;
    return FRZ_OK;
}

static frz_status fault_commit(frz_output *base, frz_error **err)
{
    fault_output *output = (fault_output *)base;
    const frz_io_trace_entry entry = {FRZ_IO_CALL_COMMIT, output->location, 0, output->written};
    frz_status status = enter(output->io, &entry, err);
    if (status == FRZ_OK)
        status = frz_output_commit(output->inner, err);
    else
        frz_output_abort(output->inner);
    free_output(output);
    return status;
}

static void fault_abort(frz_output *base)
{
    fault_output *output = (fault_output *)base;
    frz_output_abort(output->inner);
    free_output(output);
}

static const frz_output_ops fault_output_ops = {
    .write = fault_write, .commit = fault_commit, .abort = fault_abort};

static frz_status fault_create(frz_io *base, const char *location, frz_output **out,
                               frz_error **err)
{
    fault_io *io = (fault_io *)base;
    fault_output *output = frz_alloc_zero(sizeof *output);
    char *copy = frz_copy_text(location);
    frz_status status = output && copy ? FRZ_OK : frz_fail_memory(err);
    if (status == FRZ_OK)
        status = enter(io, &(frz_io_trace_entry){FRZ_IO_CALL_CREATE, copy, 0, 0}, err);
    if (status == FRZ_OK)
        status = frz_io_create(io->inner, location, &output->inner, err);
    if (status != FRZ_OK) {
        frz_free(copy);
        frz_free(output);
        return status;
    }
    output->base.ops = &fault_output_ops;
    output->io = io;
    output->location = copy;
    *out = &output->base;
    return FRZ_OK;
}

/* For the calls that only name a location. */
static frz_status enter_location(fault_io *io, frz_io_call call, const char *location,
                                 frz_error **err)
{
    char *copy = frz_copy_text(location);
    if (!copy)
        return frz_fail_memory(err);
    const frz_status status = enter(io, &(frz_io_trace_entry){call, copy, 0, 0}, err);
    frz_free(copy);
    return status;
}

static frz_status fault_remove(frz_io *base, const char *location, frz_error **err)
{
    fault_io *io = (fault_io *)base;
    FRZ_TRY(enter_location(io, FRZ_IO_CALL_REMOVE, location, err));
    return frz_io_remove(io->inner, location, err);
}

static frz_status fault_stat(frz_io *base, const char *location, uint64_t *size_out,
                             frz_error **err)
{
    fault_io *io = (fault_io *)base;
    FRZ_TRY(enter_location(io, FRZ_IO_CALL_STAT, location, err));
    return frz_io_stat(io->inner, location, size_out, err);
}

static frz_status fault_list(frz_io *base, const char *location, frz_io_list_visit visit,
                             void *context, frz_error **err)
{
    fault_io *io = (fault_io *)base;
    FRZ_TRY(enter_location(io, FRZ_IO_CALL_LIST, location, err));
    return frz_io_list(io->inner, location, visit, context, err);
}

static void fault_free(frz_io *base)
{
    fault_io *io = (fault_io *)base;
    frz_io_fault_trace_reset(base);
    frz_free(io->trace);
    (void)pthread_mutex_destroy(&io->lock);
    frz_free(io);
}

static const frz_io_ops fault_ops = {.open = fault_open,
                                     .create = fault_create,
                                     .remove = fault_remove,
                                     .stat = fault_stat,
                                     .list = fault_list,
                                     .free = fault_free};

frz_status frz_io_fault_new(frz_io *inner, frz_io **out, frz_error **err)
{
    fault_io *io = frz_alloc_zero(sizeof *io);
    if (!io)
        return frz_fail_memory(err);
    io->base.ops = &fault_ops;
    io->inner = inner;
    io->countdown = -1;
    (void)pthread_mutex_init(&io->lock, NULL); /* cannot fail on Linux */
    *out = &io->base;
    return FRZ_OK;
}

static void arm(frz_io *fault, int64_t countdown, bool crash)
{
    fault_io *io = (fault_io *)fault;
    (void)pthread_mutex_lock(&io->lock);
    io->countdown = countdown;
    io->crash = crash;
    io->fired = false;
    (void)pthread_mutex_unlock(&io->lock);
}

void frz_io_fault_fail_after(frz_io *fault, int64_t countdown)
{
    arm(fault, countdown, false);
}

void frz_io_fault_crash_after(frz_io *fault, int64_t countdown)
{
    arm(fault, countdown, true);
}

bool frz_io_fault_fired(const frz_io *fault)
{
    return ((const fault_io *)fault)->fired;
}

const frz_io_trace_entry *frz_io_fault_trace(const frz_io *fault, size_t *count_out)
{
    const fault_io *io = (const fault_io *)fault;
    *count_out = io->trace_count;
    return io->trace;
}

void frz_io_fault_trace_reset(frz_io *fault)
{
    fault_io *io = (fault_io *)fault;
    for (size_t i = 0; i < io->trace_count; i++)
        frz_free(io->trace[i].location);
    io->trace_count = 0;
}
