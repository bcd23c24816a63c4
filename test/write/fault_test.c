/*
 * Every operation with each storage call failing in turn, and with the process ending at each: the
 * table is the old or the new one, whole, and a failure leaves no file that its message does not
 * name.
 */
#include "change_sweep.h"

enum { CALLS_MAX = 1000 };

/* One call fails; clean-up works, or names what it could not remove. */
static void every_storage_call_fails_in_turn(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHANGE_CASES; i++) {
        world self;
        bool fired = true;
        world_open(&self, &change_cases[i]);
        for (int64_t call = 0; fired; call++) {
            frz_error *err = NULL;
            world_open_client(&self);
            frz_io_fault_fail_after(self.fault, call);
            const frz_status status = self.change->run(self.table, &err);
            fired = frz_io_fault_fired(self.fault);
            frz_io_fault_fail_after(self.fault, -1);
            world_check(&self, status == FRZ_OK);
            if (status != FRZ_OK)
                world_check_files(&self, err);
            frz_error_free(err);
            world_renew(&self, status == FRZ_OK);
            CHECK(call < CALLS_MAX);
        }
        world_close(&self);
    }
}

/*
 * All storage fails from one call on, clean-up included, as when the process ends there: the table
 * is the old or the new one, and a message that still could be given names every file that is left.
 */
static void every_storage_call_is_the_last_in_turn(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHANGE_CASES; i++) {
        world self;
        bool fired = true;
        world_open(&self, &change_cases[i]);
        for (int64_t call = 0; fired; call++) {
            frz_error *err = NULL;
            world_open_client(&self);
            frz_io_fault_crash_after(self.fault, call);
            const frz_status status = self.change->run(self.table, &err);
            fired = frz_io_fault_fired(self.fault);
            frz_io_fault_fail_after(self.fault, -1);
            world_check(&self, status == FRZ_OK);
            if (status != FRZ_OK) {
                world_check_files(&self, err);
                CHECK(self.storage->ops->list(self.storage, "mem://wh", remove_new, &self, NULL) ==
                      FRZ_OK);
            }
            frz_error_free(err);
            world_renew(&self, status == FRZ_OK);
            CHECK(call < CALLS_MAX);
        }
        world_close(&self);
    }
}

/* An io trace: planning and committing list nothing. */
static void nothing_is_listed(void **state)
{
    frz_error *err = NULL;
    size_t count = 0;
    (void)state;
    for (size_t i = 0; i < CHANGE_CASES; i++) {
        world self;
        world_open(&self, &change_cases[i]);
        world_open_client(&self);
        CHECK_OK(self.change->run(self.table, &err), err);
        const frz_io_trace_entry *trace = frz_io_fault_trace(self.fault, &count);
        CHECK(count > 0);
        for (size_t j = 0; j < count; j++)
            CHECK(trace[j].call != FRZ_IO_CALL_LIST);
        world_close(&self);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SWEEP(every_storage_call_fails_in_turn),
        SWEEP(every_storage_call_is_the_last_in_turn),
        SWEEP(nothing_is_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
