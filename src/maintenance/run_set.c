#include "maintenance/run_set.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"

void frz_run_set_reset(frz_run_set *self)
{
    self->count = 0;
}

void frz_run_set_clear(frz_run_set *self)
{
    frz_free(self->runs);
    *self = (frz_run_set){0};
}

frz_status frz_run_set_add(frz_run_set *self, const frz_manifest_record *manifest, size_t owner,
                           frz_error **err)
{
    const frz_snapshot_run *runs = manifest->runs.items;
    for (size_t i = 0; i < manifest->runs.count; i++) {
        if (!frz_grow_array((void **)&self->runs, &self->capacity, self->count, sizeof *self->runs))
            return frz_fail_memory(err);
        self->runs[self->count++] = (frz_run_of){runs[i], owner};
    }
    return FRZ_OK;
}

static int by_from(const void *a, const void *b)
{
    const frz_run_of *one = a;
    const frz_run_of *other = b;
    return (one->run.from > other->run.from) - (one->run.from < other->run.from);
}

void frz_run_set_sort(frz_run_set *self)
{
    if (self->count > 1)
        qsort(self->runs, self->count, sizeof *self->runs, by_from);
}

bool frz_run_set_find_shared(const frz_run_set *self, size_t *snapshot_out, size_t *one_out,
                             size_t *other_out)
{
    size_t furthest = 0;
    for (size_t i = 1; i < self->count; i++) {
        if (self->runs[i].run.from <= self->runs[furthest].run.to) {
            *snapshot_out = self->runs[i].run.from;
            *one_out = self->runs[furthest].owner;
            *other_out = self->runs[i].owner;
            return true;
        }
        furthest = i;
    }
    return false;
}

bool frz_run_set_find_gap(const frz_run_set *self, size_t from, size_t to, size_t *snapshot_out)
{
    for (size_t i = 0; i < self->count && from <= to; i++) {
        if (self->runs[i].run.from > from)
            break;
        if (self->runs[i].run.to >= from)
            from = self->runs[i].run.to + 1;
    }
    if (from > to)
        return false;
    *snapshot_out = from;
    return true;
}
