#include "catalog/mutex.h"

#include "harness.h"

static void the_holder_may_enter_again(void **state)
{
    frz_error *err = NULL;
    pthread_mutex_t mutex;
    (void)state;
    CHECK_OK(frz_catalog_mutex_init(&mutex, &err), err);
    CHECK(pthread_mutex_lock(&mutex) == 0);
    CHECK(pthread_mutex_lock(&mutex) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(pthread_mutex_destroy(&mutex) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_holder_may_enter_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
