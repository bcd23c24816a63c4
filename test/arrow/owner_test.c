#include "arrow/owner.h"

#include "arrow/schema.h"
#include "harness.h"

static int released;

static void release_foreign(struct ArrowArray *array)
{
    released++;
    array->release = NULL;
}

static void test_a_foreign_array_is_released_with_the_last_reference(void **state)
{
    (void)state;
    struct ArrowArray foreign = {.length = 3, .release = release_foreign};
    released = 0;
    frz_arrow_owner *owner = frz_arrow_owner_of_array(&foreign);
    CHECK(owner && foreign.release == NULL && frz_arrow_owner_array(owner)->length == 3);
    CHECK(frz_arrow_owner_ref(owner) == owner);
    frz_arrow_owner_unref(owner);
    CHECK(released == 0);
    frz_arrow_owner_unref(owner);
    CHECK(released == 1);
    CHECK(frz_arrow_owner_ref(NULL) == NULL);
    frz_arrow_owner_unref(NULL);
}

static void test_an_array_given_back_is_not_released(void **state)
{
    (void)state;
    struct ArrowArray foreign = {.length = 3, .release = release_foreign};
    released = 0;
    frz_arrow_owner *owner = frz_arrow_owner_of_array(&foreign);
    CHECK(owner != NULL);
    struct ArrowArray back = frz_arrow_owner_give_back(owner);
    frz_arrow_owner_unref(owner);
    CHECK(released == 0 && back.release == release_foreign && back.length == 3);
}

static void test_buffers_are_given_borrowed_and_replaced(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowArray array;
    frz_buffer own = {0};
    frz_buffer other = {0};
    static const uint8_t outside[4];
    frz_buffer_append_u32le(&own, 7);
    frz_buffer_append_u32le(&other, 8);
    CHECK_OK(frz_arrow_array_shell(&array, 2, 0, &err), err);
    frz_arrow_array_borrow(&array, 0, outside, NULL);
    CHECK_OK(frz_arrow_array_give(&array, 1, &own, &err), err);
    CHECK(own.data == NULL && array.buffers[0] == outside);
    CHECK(*(const uint32_t *)array.buffers[1] == 7);
    CHECK(frz_arrow_array_is_ours(&array) && frz_arrow_array_owner(&array, 0) == NULL);
    CHECK(frz_arrow_array_owner(&array, 1) != NULL);

    struct ArrowArray second;
    CHECK_OK(frz_arrow_array_share(&array, NULL, &second, &err), err);
    CHECK_OK(frz_arrow_array_replace(&array, 1, &other, &err), err);
    CHECK(*(const uint32_t *)array.buffers[1] == 8 && *(const uint32_t *)second.buffers[1] == 7);
    frz_arrow_array_clear(&array);
    CHECK(*(const uint32_t *)second.buffers[1] == 7);
    frz_arrow_array_clear(&second);
}

static void test_a_child_that_was_moved_out_survives_its_parent(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowArray parent;
    frz_buffer bytes = {0};
    frz_buffer_append_u32le(&bytes, 9);
    CHECK_OK(frz_arrow_array_shell(&parent, 1, 2, &err), err);
    CHECK_OK(frz_arrow_array_shell(parent.children[1], 1, 0, &err), err);
    CHECK_OK(frz_arrow_array_give(parent.children[1], 0, &bytes, &err), err);
    struct ArrowArray child = *parent.children[1];
    parent.children[1]->release = NULL;
    frz_arrow_array_clear(&parent);
    CHECK(*(const uint32_t *)child.buffers[0] == 9);
    frz_arrow_array_clear(&child);
}

static void shell_and_give(void)
{
    frz_error *err = NULL;
    struct ArrowArray array = {0};
    frz_buffer bytes = {0};
    frz_status status = frz_arrow_array_shell(&array, 1, 1, &err);
    if (status == FRZ_OK) {
        frz_buffer_append_byte(&bytes, 1);
        status = frz_arrow_array_give(&array, 0, &bytes, &err);
    }
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    CHECK(bytes.data == NULL);
    frz_arrow_array_clear(&array);
    frz_error_free(err);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    sweep_allocation_failures(shell_and_give);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_foreign_array_is_released_with_the_last_reference),
        cmocka_unit_test(test_an_array_given_back_is_not_released),
        cmocka_unit_test(test_buffers_are_given_borrowed_and_replaced),
        cmocka_unit_test(test_a_child_that_was_moved_out_survives_its_parent),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
