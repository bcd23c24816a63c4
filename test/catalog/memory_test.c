/* Covers: catalog/refusal */
#include "catalog/memory.h"

#include "backend_conformance.h"

static void behaves_as_a_backend(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_catalog_backend *backend = NULL;
    CHECK_OK(frz_catalog_memory_new(&backend, &err), err);
    check_backend(backend);
    backend->ops->free(backend);
}

static void without_memory(void)
{
    frz_catalog_backend *backend = NULL;
    const frz_status status = frz_catalog_memory_new(&backend, NULL);
    CHECK(status == FRZ_OK || status == FRZ_NO_MEMORY);
    if (status != FRZ_OK)
        return;
    check_backend_without_memory(backend);
    backend->ops->free(backend);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    sweep_allocation_failures(without_memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(behaves_as_a_backend),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
