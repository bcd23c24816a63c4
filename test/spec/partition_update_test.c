/* Partition evolution: names and ids as Java's BaseUpdatePartitionSpec gives them, V1 void rules.
 */
#include "spec/partition_update.h"

#include "write/metadata_fixture.h"

typedef struct evolving {
    frz_arena arena;
    frz_metadata *metadata;
    frz_partition_update update;
} evolving;

static const char columns[] = "id long, ts timestamp, region string, s struct<d date>";

static evolving open_update(const char *partition, int version)
{
    frz_error *err = NULL;
    evolving self = {
        .metadata = metadata_of(&(metadata_text){columns, partition, .format_version = version})};
    CHECK_OK(frz_partition_update_open(&self.update, self.metadata, version, &self.arena, &err),
             err);
    self.update.arena = NULL;
    return self;
}

/* The arena has moved with its owner. */
static frz_partition_update *of(evolving *self)
{
    self->update.arena = &self->arena;
    return &self->update;
}

static void close_update(evolving *self)
{
    frz_metadata_unref(self->metadata);
    frz_arena_clear(&self->arena);
}

static frz_status add(evolving *self, const char *term, const char *name, frz_error **err)
{
    const frz_partition_field *field = NULL;
    return frz_partition_update_add(of(self), frz_metadata_schema(self->metadata), term, name,
                                    &field, err);
}

static frz_status drop(evolving *self, const char *field, frz_error **err)
{
    const char *name = NULL;
    return frz_partition_update_drop(of(self), frz_metadata_schema(self->metadata), field, &name,
                                     err);
}

/* "1000 ts_day day, 1001 ..." */
static void check_spec(const evolving *self, const char *want)
{
    char text[512] = "";
    const frz_partition_spec *spec = &self->update.spec;
    for (size_t i = 0; i < spec->field_count; i++) {
        const size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, "%s%d %s %s", i ? ", " : "",
                       (int)spec->fields[i].field_id, spec->fields[i].name,
                       spec->fields[i].transform.text);
    }
    assert_string_equal(text, want);
}

static void names_and_ids_are_javas(void **state)
{
    (void)state;
    frz_error *err = NULL;
    evolving self = open_update("day(ts)", 2);
    CHECK_OK(add(&self, "bucket(16, id)", NULL, &err), err);
    CHECK_OK(add(&self, "truncate(4, region)", NULL, &err), err);
    CHECK_OK(add(&self, "region", NULL, &err), err);
    CHECK_OK(add(&self, "year(s.d)", NULL, &err), err);
    CHECK_OK(add(&self, "month(ts) as m", NULL, &err), err);
    CHECK_OK(add(&self, "hour(ts)", "h", &err), err);
    check_spec(&self, "1000 ts_day day, 1001 id_bucket_16 bucket[16], 1002 region_trunc_4 "
                      "truncate[4], 1003 region identity, 1004 s.d_year year, 1005 m month, "
                      "1006 h hour");
    close_update(&self);
}

static void what_is_there_is_not_added_again(void **state)
{
    (void)state;
    frz_error *err = NULL;
    evolving self = open_update("day(ts), bucket(16, id)", 2);
    CHECK_FAILS(add(&self, "day(ts)", "other", &err), FRZ_INVALID, err,
                "partition field ts_day is day(ts) already");
    CHECK_FAILS(add(&self, "bucket(8, id)", "ts_day", &err), FRZ_INVALID, err,
                "a partition field named ts_day exists already");
    CHECK_OK(add(&self, "bucket(8, id)", NULL, &err), err);
    CHECK_FAILS(add(&self, "region as a", "b", &err), FRZ_INVALID, err, "given twice");
    CHECK_FAILS(add(&self, "absent", NULL, &err), FRZ_INVALID, err, "no column absent");
    CHECK_FAILS(add(&self, "day(id)", NULL, &err), FRZ_INVALID, err, "does not take column id");
    close_update(&self);
}

static void fields_are_dropped_by_name_or_term(void **state)
{
    (void)state;
    frz_error *err = NULL;
    evolving self = open_update("day(ts), bucket(16, id), region", 2);
    CHECK_OK(drop(&self, "ts_day", &err), err);
    CHECK_OK(drop(&self, "bucket(16, id)", &err), err);
    check_spec(&self, "1002 region identity");
    CHECK_FAILS(drop(&self, "ts_day", &err), FRZ_INVALID, err,
                "no partition field ts_day; the table has region");
    CHECK_OK(drop(&self, "region", &err), err);
    CHECK_FAILS(drop(&self, "region", &err), FRZ_INVALID, err, "the table is unpartitioned");
    check_spec(&self, "");
    close_update(&self);
}

/* "Partition field IDs must be reused if an existing partition spec contains an equivalent field."
 */
static void an_equal_historic_field_comes_back_with_its_id(void **state)
{
    (void)state;
    frz_error *err = NULL;
    evolving self = open_update("day(ts), region as r", 2);
    CHECK_OK(drop(&self, "ts_day", &err), err);
    CHECK_OK(drop(&self, "r", &err), err);
    CHECK_OK(add(&self, "region", NULL, &err), err);
    CHECK_OK(add(&self, "day(ts)", NULL, &err), err);
    check_spec(&self, "1001 r identity, 1000 ts_day day");
    CHECK_OK(drop(&self, "ts_day", &err), err);
    CHECK_OK(add(&self, "day(ts)", "another", &err), err);
    check_spec(&self, "1001 r identity, 1002 another day");
    close_update(&self);
}

/* Spec "Partition Evolution", V1: nothing is reordered or dropped, fields are added at the end. */
static void in_version_1_fields_become_void(void **state)
{
    (void)state;
    frz_error *err = NULL;
    evolving self = open_update("day(ts), region", 1);
    CHECK_OK(drop(&self, "day(ts)", &err), err);
    check_spec(&self, "1000 ts_day void, 1001 region identity");
    CHECK_FAILS(drop(&self, "ts_day", &err), FRZ_INVALID, err, "void already");
    CHECK_OK(add(&self, "day(ts)", NULL, &err), err);
    check_spec(&self, "1000 ts_day_1000 void, 1001 region identity, 1002 ts_day day");
    CHECK_OK(drop(&self, "ts_day", &err), err);
    CHECK_OK(add(&self, "bucket(4, id)", "ts_day", &err), err);
    check_spec(&self, "1000 ts_day_1000 void, 1001 region identity, 1002 ts_day_1002 void, "
                      "1003 ts_day bucket[4]");
    close_update(&self);
}

/* In a table that was V1 the field of an id may be there as void: no id stands twice in a spec. */
static void after_version_1_a_void_field_gets_its_transform_back(void **state)
{
    (void)state;
    frz_error *err = NULL;
    evolving self = open_update("day(ts), region", 1);
    CHECK_OK(drop(&self, "day(ts)", &err), err);
    self.update.format_version = 2;
    CHECK_OK(add(&self, "day(ts)", NULL, &err), err);
    check_spec(&self, "1000 ts_day day, 1001 region identity");
    self.update.format_version = 1;
    CHECK_OK(drop(&self, "day(ts)", &err), err);
    CHECK_OK(add(&self, "bucket(4, id)", "ts_day", &err), err);
    self.update.format_version = 2;
    CHECK_FAILS(add(&self, "day(ts)", NULL, &err), FRZ_INVALID, err,
                "a partition field named ts_day exists already");
    CHECK_OK(drop(&self, "ts_day", &err), err);
    CHECK_OK(add(&self, "day(ts)", NULL, &err), err);
    check_spec(&self, "1000 ts_day day, 1001 region identity");
    close_update(&self);
}

static void a_rename_keeps_id_and_transform(void **state)
{
    (void)state;
    frz_error *err = NULL;
    evolving self = open_update("day(ts), region", 2);
    CHECK_OK(frz_partition_update_rename(of(&self), "ts_day", "d", &err), err);
    CHECK_OK(frz_partition_update_rename(of(&self), "d", "d", &err), err);
    check_spec(&self, "1000 d day, 1001 region identity");
    CHECK_FAILS(frz_partition_update_rename(of(&self), "d", "region", &err), FRZ_INVALID, err,
                "exists already");
    CHECK_FAILS(frz_partition_update_rename(of(&self), "x", "y", &err), FRZ_INVALID, err,
                "no partition field x");
    close_update(&self);
}

static frz_metadata *swept;

static void change_all(void)
{
    frz_arena arena = {0};
    frz_partition_update update;
    const frz_partition_field *field = NULL;
    const char *name = NULL;
    const frz_schema *schema = frz_metadata_schema(swept);
    frz_status status = frz_partition_update_open(&update, swept, 1, &arena, NULL);
    if (status == FRZ_OK)
        status = frz_partition_update_drop(&update, schema, "day(ts)", &name, NULL);
    if (status == FRZ_OK)
        status = frz_partition_update_add(&update, schema, "bucket(4, id)", "ts_day", &field, NULL);
    if (status == FRZ_OK)
        status = frz_partition_update_rename(&update, "ts_day", "b", NULL);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_arena_clear(&arena);
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    swept = metadata_of(&(metadata_text){columns, "day(ts)", .format_version = 1});
    sweep_allocation_failures(change_all);
    frz_metadata_unref(swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_ids_are_javas),
        cmocka_unit_test(what_is_there_is_not_added_again),
        cmocka_unit_test(fields_are_dropped_by_name_or_term),
        cmocka_unit_test(an_equal_historic_field_comes_back_with_its_id),
        cmocka_unit_test(in_version_1_fields_become_void),
        cmocka_unit_test(after_version_1_a_void_field_gets_its_transform_back),
        cmocka_unit_test(a_rename_keeps_id_and_transform),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
