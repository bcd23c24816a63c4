/*
 * Overwrites, alterations, references and picks with allocations failing in turn.
 */
#include "shortage_sweep.h"

static void allocations_fail_in_turn(void **state)
{
    (void)state;
    shortage_sweep_all(12, CHANGE_CASES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {SWEEP(allocations_fail_in_turn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
