/*
 * Operations with allocations failing in turn: the table is the old or the new one, and no file is
 * left behind. Every allocation of every operation would take minutes, and operations share most of
 * their way: each sweep takes every few, starting where the last one did not. All are taken when
 * FRAZIL_SWEEP=all.
 */
#ifndef FRZ_TEST_SHORTAGE_SWEEP_H
#define FRZ_TEST_SHORTAGE_SWEEP_H

#include "change_sweep.h"

static inline void shortage_sweep(size_t index)
{
    const int64_t stride = sweep_stride();
    const int descriptors = count_descriptors();
    world self;
    bool failed = true;
    world_open(&self, &change_cases[index]);
    for (int64_t i = (int64_t)index * 3 % stride; failed; i += stride) {
        world_open_client(&self);
        frz_mem_fail_after(i);
        const frz_status status = self.change->run(self.table, NULL);
        failed = frz_mem_failed();
        frz_mem_fail_after(-1);
        CHECK(status == FRZ_OK || status == FRZ_NO_MEMORY);
        world_check(&self, status == FRZ_OK);
        if (status != FRZ_OK)
            world_check_files(&self, NULL);
        world_renew(&self, status == FRZ_OK);
    }
    world_close(&self);
    CHECK(count_descriptors() == descriptors);
}

/* The operations number `first` to the one before `end`. */
static inline void shortage_sweep_all(size_t first, size_t end)
{
    for (size_t i = first; i < end && i < CHANGE_CASES; i++)
        shortage_sweep(i);
}

#endif
