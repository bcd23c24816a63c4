/*
 * Updates and merges with allocations failing in turn.
 */
#include "shortage_sweep.h"

static void allocations_fail_in_turn(void **state)
{
    (void)state;
    shortage_sweep_all(6, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {SWEEP(allocations_fail_in_turn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
