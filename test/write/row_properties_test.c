#include "write/row_properties.h"

#include "harness.h"

static frz_metadata with(const frz_property *property)
{
    return (frz_metadata){.properties = property, .property_count = property->key ? 1 : 0};
}

static void modes_are_two_words_of_any_case(void **state)
{
    static const struct {
        frz_property property;
        frz_delete_mode mode;
    } cases[] = {
        {{NULL, NULL}, FRZ_DELETE_MODE_DEFAULT},
        {{"write.merge.mode", "copy-on-write"}, FRZ_DELETE_MODE_DEFAULT}, /* another verb's */
        {{"write.update.mode", "Copy-On-Write"}, FRZ_DELETE_MODE_COPY_ON_WRITE},
        {{"write.update.mode", "merge-on-read"}, FRZ_DELETE_MODE_MERGE_ON_READ},
    };
    const frz_property bad = {"write.update.mode", "copy"};
    const frz_metadata wrong = with(&bad);
    frz_error *err = NULL;
    frz_delete_mode mode;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const frz_metadata metadata = with(&cases[i].property);
        CHECK_OK(frz_row_mode_read(&metadata, "update", &mode, &err), err);
        CHECK(mode == cases[i].mode);
    }
    CHECK_FAILS(frz_row_mode_read(&wrong, "update", &mode, &err), FRZ_INVALID, err,
                "table property write.update.mode: expected copy-on-write or merge-on-read, got "
                "\"copy\"");
}

static void isolation_is_serializable_unless_it_is_snapshot(void **state)
{
    static const struct {
        frz_property property;
        bool serializable;
    } cases[] = {
        {{NULL, NULL}, true},
        {{"write.delete.isolation-level", "SERIALIZABLE"}, true},
        {{"write.delete.isolation-level", "snapshot"}, false},
    };
    const frz_property bad = {"write.delete.isolation-level", "none"};
    const frz_metadata wrong = with(&bad);
    frz_error *err = NULL;
    bool serializable = false;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const frz_metadata metadata = with(&cases[i].property);
        CHECK_OK(frz_row_isolation_read(&metadata, "delete", &serializable, &err), err);
        CHECK(serializable == cases[i].serializable);
    }
    CHECK_FAILS(frz_row_isolation_read(&wrong, "delete", &serializable, &err), FRZ_INVALID, err,
                "table property write.delete.isolation-level: expected serializable or snapshot, "
                "got \"none\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_are_two_words_of_any_case),
        cmocka_unit_test(isolation_is_serializable_unless_it_is_snapshot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
