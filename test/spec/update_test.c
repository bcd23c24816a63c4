#include "spec/table_fixture.h"

#include <math.h>

static frz_metadata_builder *builder_of(const char *text)
{
    frz_metadata *base = fixture_metadata(text);
    frz_metadata_builder *builder = NULL;
    frz_error *err = NULL;
    CHECK_OK(frz_metadata_builder_new(base, 0, &builder, &err), err);
    frz_metadata_unref(base);
    return builder;
}

static frz_metadata *finish(frz_metadata_builder *builder)
{
    frz_metadata *m = NULL;
    frz_error *err = NULL;
    CHECK_OK(
        frz_metadata_builder_finish(builder, NULL, INT64_C(1700000000000), &m, NULL, NULL, &err),
        err);
    frz_metadata_builder_free(builder);
    return m;
}

static frz_schema *schema_of(int32_t id, const frz_field *fields, size_t count)
{
    frz_schema *schema = NULL;
    frz_error *err = NULL;
    CHECK_OK(frz_schema_new(id, fields, count, NULL, 0, &schema, &err), err);
    return schema;
}

static frz_field field(int32_t id, const char *name, frz_type_kind kind)
{
    return (frz_field){.id = id, .name = name, .type = frz_type_of(kind)};
}

static const frz_transform identity = {.kind = FRZ_TRANSFORM_IDENTITY, .text = "identity"};
static const frz_transform day = {.kind = FRZ_TRANSFORM_DAY, .text = "day"};
static const frz_transform odd = {.kind = FRZ_TRANSFORM_UNKNOWN, .text = "zorder[3]"};
static const frz_transform nothing = {.kind = FRZ_TRANSFORM_VOID, .text = "void"};
static const int32_t source_id[] = {1, 2, 3, 4, 5, 6};

static frz_partition_field partition(int32_t source, const char *name, frz_transform transform)
{
    return (frz_partition_field){.source_ids = &source_id[source - 1],
                                 .source_count = 1,
                                 .name = name,
                                 .transform = transform};
}

static void makes_a_new_table(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_metadata_builder *builder = NULL;
    int32_t id = -1;
    const frz_field inner[] = {field(3, "a", FRZ_TYPE_INT), field(4, "b", FRZ_TYPE_INT)};
    const frz_type nested = {.kind = FRZ_TYPE_STRUCT, .fields = inner, .field_count = 2};
    const frz_field fields[] = {field(1, "id", FRZ_TYPE_LONG),
                                {.id = 2, .name = "t", .type = &nested}};
    frz_schema *schema = schema_of(17, fields, 2);
    CHECK_OK(frz_metadata_builder_new(NULL, 3, &builder, &err), err);
    CHECK_OK(frz_update_set_location(builder, "file:/new", &err), err);
    CHECK_OK(frz_update_add_schema(builder, schema, &id, &err), err);
    CHECK(id == 0);
    CHECK_OK(frz_update_set_current_schema(builder, id, &err), err);
    frz_schema_unref(schema);
    frz_metadata *m = finish(builder);
    CHECK(m->format_version == 3 && m->table_uuid && strlen(m->table_uuid) == 36);
    CHECK(m->last_column_id == 4); /* D004 */
    CHECK(m->next_row_id == 0 && m->last_sequence_number == 0 && m->last_partition_id == 999);
    CHECK(m->spec_count == 1 && m->default_spec_id == 0 && m->specs[0].field_count == 0);
    CHECK(m->sort_order_count == 1 && m->default_sort_order_id == 0);
    CHECK(m->metadata_log_count == 0 && m->current_snapshot_id == FRZ_NO_SNAPSHOT);
    CHECK(m->last_updated_ms == INT64_C(1700000000000));
    frz_metadata_unref(m);
}

static void new_tables_need_location_and_schema(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_metadata *m = NULL;
    frz_metadata_builder *builder = NULL;
    CHECK_FAILS(frz_metadata_builder_new(NULL, 4, &builder, &err), FRZ_UNSUPPORTED, err,
                "version 4");
    CHECK_OK(frz_metadata_builder_new(NULL, 2, &builder, &err), err);
    CHECK_FAILS(frz_metadata_builder_finish(builder, NULL, 1, &m, NULL, NULL, &err), FRZ_INVALID,
                err, "location");
    CHECK_FAILS(frz_update_set_location(builder, "", &err), FRZ_INVALID, err, "empty");
    CHECK_OK(frz_update_set_location(builder, "t", &err), err);
    CHECK_FAILS(frz_metadata_builder_finish(builder, NULL, 1, &m, NULL, NULL, &err), FRZ_INVALID,
                err, "current schema");
    frz_metadata_builder_free(builder);
    frz_metadata_builder_free(NULL);
}

static void equal_schemas_are_reused_and_others_get_the_next_id(void **state)
{
    (void)state;
    frz_error *err = NULL;
    int32_t id = -1;
    frz_metadata_builder *builder = builder_of(FIXTURE_V2);
    frz_metadata *base = fixture_metadata(FIXTURE_V2);
    CHECK_OK(frz_update_add_schema(builder, frz_metadata_schema(base), &id, &err), err);
    CHECK(id == 0);
    const frz_type *type = frz_schema_type(frz_metadata_schema(base));
    frz_field fields[6];
    memcpy(fields, type->fields, 5 * sizeof fields[0]);
    fields[1].doc = "a word";
    frz_schema *with_doc = schema_of(0, fields, 5);
    CHECK_OK(frz_update_add_schema(builder, with_doc, &id, &err), err);
    CHECK(id == 1);
    CHECK_OK(frz_update_add_schema(builder, with_doc, &id, &err), err);
    CHECK(id == 1);
    fields[5] = field(9, "more", FRZ_TYPE_INT);
    frz_schema *wider = schema_of(0, fields, 6);
    CHECK_OK(frz_update_add_schema(builder, wider, &id, &err), err);
    CHECK(id == 2);
    CHECK_OK(frz_update_set_current_schema(builder, 2, &err), err);
    CHECK_FAILS(frz_update_set_current_schema(builder, 3, &err), FRZ_INVALID, err, "id 3");
    frz_metadata *m = finish(builder);
    CHECK(m->schema_count == 3 && m->current_schema_id == 2 && m->last_column_id == 9);
    CHECK(frz_schema_id(m->schemas[1]) == 1);
    frz_schema_unref(with_doc);
    frz_schema_unref(wider);
    frz_metadata_unref(base);
    frz_metadata_unref(m);
}

static void types_and_defaults_need_their_version(void **state)
{
    (void)state;
    frz_error *err = NULL;
    int32_t id = -1;
    const frz_value seven = {.form = FRZ_VALUE_INTEGER, .integer = 7};
    frz_field fields[] = {field(1, "id", FRZ_TYPE_LONG), field(2, "v", FRZ_TYPE_TIMESTAMP_NS)};
    frz_schema *nanos = schema_of(0, fields, 2);
    fields[1] = field(2, "w", FRZ_TYPE_INT);
    fields[1].initial_default = &seven;
    frz_schema *defaults = schema_of(0, fields, 2);
    frz_metadata_builder *builder = builder_of(FIXTURE_V2);
    CHECK_FAILS(frz_update_add_schema(builder, nanos, &id, &err), FRZ_INVALID, err,
                "column v needs format version 3");
    CHECK_FAILS(frz_update_add_schema(builder, defaults, &id, &err), FRZ_INVALID, err,
                "column w has an initial default");
    CHECK_OK(frz_update_upgrade(builder, 3, &err), err);
    CHECK_OK(frz_update_add_schema(builder, nanos, &id, &err), err);
    CHECK_OK(frz_update_add_schema(builder, defaults, &id, &err), err);
    frz_schema_unref(nanos);
    frz_schema_unref(defaults);
    frz_metadata_unref(finish(builder));
}

/* Spec "Default values" allows nested ones, which nobody else reads. */
static void defaults_that_nobody_else_reads_are_refused(void **state)
{
    (void)state;
    frz_error *err = NULL;
    int32_t id = 0;
    const frz_value nan_value = {.form = FRZ_VALUE_NUMBER, .number = NAN};
    const frz_value empty = {.form = FRZ_VALUE_LIST};
    const frz_field element = {.id = 7, .name = "element", .type = frz_type_of(FRZ_TYPE_INT)};
    const frz_type list = {.kind = FRZ_TYPE_LIST, .fields = &element, .field_count = 1};
    frz_metadata_builder *builder = builder_of(FIXTURE_V3);
    frz_field fields[] = {field(1, "id", FRZ_TYPE_LONG), field(6, "f", FRZ_TYPE_DOUBLE)};
    fields[1].write_default = &nan_value;
    frz_schema *schema = schema_of(0, fields, 2);
    CHECK_FAILS(frz_update_add_schema(builder, schema, &id, &err), FRZ_UNSUPPORTED, err,
                "column f: a default of NaN or Infinity has no form in a schema");
    frz_schema_unref(schema);
    fields[1] = (frz_field){
        .id = 6, .name = "f", .type = &list, .initial_default = &empty, .write_default = &empty};
    schema = schema_of(0, fields, 2);
    CHECK_FAILS(frz_update_check_nested_defaults(builder, schema, &err), FRZ_UNSUPPORTED, err,
                "column f: a default of a list makes a table that no other implementation opens");
    frz_metadata_builder_free(builder);
    /* One that is there goes on into the next schema. */
    builder = builder_of("{\"format-version\":3,\"table-uuid\":\"9c12d441-03fe-4693-9a96-"
                         "a0705ddf69c1\",\"location\":\"file:/t\",\"last-sequence-number\":1,"
                         "\"last-updated-ms\":1,\"last-column-id\":7,\"current-schema-id\":0,"
                         "\"schemas\":[{\"type\":\"struct\",\"schema-id\":0,\"fields\":[{\"id\":6,"
                         "\"name\":\"f\",\"required\":false,\"initial-default\":[],"
                         "\"write-default\":[],\"type\":{\"type\":\"list\",\"element-id\":7,"
                         "\"element\":\"int\",\"element-required\":false}}]}],"
                         "\"default-spec-id\":0,\"partition-specs\":[{\"spec-id\":0,\"fields\":"
                         "[]}],\"last-partition-id\":999,\"default-sort-order-id\":0,"
                         "\"sort-orders\":[{\"order-id\":0,\"fields\":[]}],\"next-row-id\":0}");
    CHECK_OK(frz_update_check_nested_defaults(builder, schema, &err), err);
    CHECK_OK(frz_update_add_schema(builder, schema, &id, &err), err);
    CHECK(id == 1);
    frz_schema_unref(schema);
    frz_metadata_builder_free(builder);
}

static void upgrades_go_only_up(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_metadata_builder *builder = builder_of(FIXTURE_V1);
    CHECK_OK(frz_update_upgrade(builder, 1, &err), err);
    CHECK_OK(frz_update_upgrade(builder, 2, &err), err);
    CHECK_FAILS(frz_update_upgrade(builder, 1, &err), FRZ_INVALID, err, "version 2 cannot go back");
    CHECK_OK(frz_update_upgrade(builder, 3, &err), err);
    CHECK_FAILS(frz_update_upgrade(builder, 4, &err), FRZ_UNSUPPORTED, err, "version 4");
    frz_metadata *m = finish(builder);
    CHECK(m->format_version == 3 && m->next_row_id == 0 && m->last_sequence_number == 0);
    frz_metadata_unref(m);
}

static void d133_a_v1_table_without_uuid_gets_one(void **state)
{
    (void)state;
    frz_metadata *m = finish(builder_of(
        "{\"format-version\":1,\"location\":\"t\",\"last-updated-ms\":7,\"last-column-id\":1,"
        "\"schema\":" FIXTURE_SCHEMA("0") ",\"partition-spec\":[]}"));
    CHECK(m->table_uuid && strlen(m->table_uuid) == 36);
    frz_metadata_unref(m);
}

static void properties_are_set_replaced_and_removed(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_metadata_builder *builder =
        builder_of(FIXTURE_TABLE("2", "\"properties\":{\"a\":\"1\",\"b\":\"2\"},"));
    CHECK_OK(frz_update_set_property(builder, "a", "9", &err), err);
    CHECK_OK(frz_update_set_property(builder, "c", "3", &err), err);
    CHECK_OK(frz_update_remove_property(builder, "b", &err), err);
    CHECK_OK(frz_update_remove_property(builder, "absent", &err), err);
    CHECK_FAILS(frz_update_set_property(builder, "format-version", "3", &err), FRZ_INVALID, err,
                "reserved");
    CHECK_FAILS(frz_update_set_property(builder, "uuid", "3", &err), FRZ_INVALID, err, "reserved");
    CHECK_FAILS(frz_update_set_property(builder, "n", NULL, &err), FRZ_INVALID, err,
                "null"); /* D155 */
    frz_metadata *m = finish(builder);
    CHECK(m->property_count == 2);
    CHECK(strcmp(frz_metadata_property(m, "a"), "9") == 0 &&
          strcmp(frz_metadata_property(m, "c"), "3") == 0);
    frz_metadata_unref(m);
}

static void equivalent_specs_and_fields_keep_their_ids(void **state)
{
    (void)state;
    frz_error *err = NULL;
    int32_t id = -1;
    frz_metadata_builder *builder = builder_of(FIXTURE_V2);
    const frz_partition_spec none = {.spec_id = 40};
    CHECK_OK(frz_update_add_spec(builder, &none, &id, &err), err);
    CHECK(id == 0);
    const frz_partition_field fields[] = {partition(1, "id", identity),
                                          partition(4, "by_day", day)};
    const frz_partition_spec spec = {.fields = fields, .field_count = 2};
    CHECK_OK(frz_update_add_spec(builder, &spec, &id, &err), err);
    CHECK(id == 2);
    CHECK_OK(frz_update_add_spec(builder, &spec, &id, &err), err);
    CHECK(id == 2);
    CHECK_OK(frz_update_set_default_spec(builder, 2, &err), err);
    CHECK_FAILS(frz_update_set_default_spec(builder, 3, &err), FRZ_INVALID, err, "id 3");
    frz_metadata *m = finish(builder);
    CHECK(m->spec_count == 3 && m->default_spec_id == 2 && m->last_partition_id == 1004);
    CHECK(m->specs[2].fields[0].field_id == 1004); /* new */
    CHECK(m->specs[2].fields[1].field_id == 1002); /* that of spec 1's day(when) */
    frz_metadata_unref(m);
}

static void v1_specs_number_their_fields_by_position(void **state)
{
    (void)state;
    frz_error *err = NULL;
    int32_t id = -1;
    frz_metadata_builder *builder = builder_of(FIXTURE_V1);
    const frz_partition_field fields[] = {partition(1, "id", identity),
                                          partition(4, "by_day", day)};
    const frz_partition_spec spec = {.fields = fields, .field_count = 2};
    CHECK_OK(frz_update_add_spec(builder, &spec, &id, &err), err);
    frz_metadata *m = finish(builder);
    CHECK(m->specs[2].fields[0].field_id == 1000 && m->specs[2].fields[1].field_id == 1001);
    frz_metadata_unref(m);
}

static void expect_bad_spec(const frz_partition_field *fields, size_t count, frz_status want,
                            const char *message)
{
    frz_error *err = NULL;
    int32_t id = -1;
    frz_metadata_builder *builder = builder_of(FIXTURE_V3);
    const frz_partition_spec spec = {.fields = fields, .field_count = count};
    CHECK_FAILS(frz_update_add_spec(builder, &spec, &id, &err), want, err, message);
    frz_metadata_builder_free(builder);
}

static void specs_that_cannot_be_written_are_refused(void **state)
{
    (void)state;
    frz_partition_field fields[2] = {partition(6, "x", identity), partition(1, "y", identity)};
    expect_bad_spec(fields, 1, FRZ_INVALID, "no column with the id 6");
    fields[0] = partition(2, "x", day);
    expect_bad_spec(fields, 1, FRZ_INVALID, "transform day does not apply to column name");
    fields[0] = partition(2, "x", odd);
    expect_bad_spec(fields, 1, FRZ_UNSUPPORTED, "transform zorder[3] is read, but not written");
    fields[0] = partition(1, "x", identity);
    fields[0].source_count = 2;
    expect_bad_spec(fields, 1, FRZ_UNSUPPORTED, "of several columns");
    fields[0] = partition(1, "name", identity);
    expect_bad_spec(fields, 1, FRZ_INVALID, "name of a column it is not the identity of");
    fields[0] = partition(1, "", identity);
    expect_bad_spec(fields, 1, FRZ_INVALID, "no name");
    fields[0] = partition(4, "y", day);
    expect_bad_spec(fields, 2, FRZ_INVALID, "two partition fields are named y");
    fields[0] = partition(1, "x", identity);
    expect_bad_spec(fields, 2, FRZ_INVALID, "x and y are the same transform of one column");
}

static void a_column_takes_no_name_of_anothers_partition_field(void **state)
{
    (void)state;
    frz_error *err = NULL;
    int32_t id = -1;
    frz_metadata_builder *builder = builder_of(FIXTURE_V2);
    frz_field fields[] = {field(1, "id", FRZ_TYPE_LONG), field(2, "title", FRZ_TYPE_STRING),
                          field(4, "when", FRZ_TYPE_TIMESTAMP), field(7, "name", FRZ_TYPE_INT)};
    const struct {
        const char *renamed;
        const char *added;
        const char *message; /* NULL: goes */
    } cases[] = {
        {"title", "name", "column name has the name of a partition field of column title (spec 1)"},
        {"title", "the day", "column the day has the name of a partition field of column when"},
        {"name", "title", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fields[1].name = cases[i].renamed;
        fields[3].name = cases[i].added;
        frz_schema *schema = schema_of(0, fields, 4);
        CHECK_OK(frz_update_add_schema(builder, schema, &id, &err), err);
        frz_schema_unref(schema);
        if (cases[i].message)
            CHECK_FAILS(frz_update_set_current_schema(builder, id, &err), FRZ_INVALID, err,
                        cases[i].message);
        else
            CHECK_OK(frz_update_set_current_schema(builder, id, &err), err);
    }
    /* Nobody reads it by the dropped one: its name is free. */
    fields[1] = field(8, "name", FRZ_TYPE_STRING);
    frz_schema *schema = schema_of(0, fields, 3);
    CHECK_OK(frz_update_add_schema(builder, schema, &id, &err), err);
    CHECK_OK(frz_update_set_current_schema(builder, id, &err), err);
    frz_schema_unref(schema);
    frz_metadata_builder_free(builder);
}

static void a_void_field_needs_no_source(void **state)
{
    (void)state;
    frz_error *err = NULL;
    int32_t id = -1;
    frz_metadata_builder *builder = builder_of(FIXTURE_V2);
    const frz_partition_field fields[] = {partition(6, "gone", nothing)};
    const frz_partition_spec spec = {.fields = fields, .field_count = 1};
    CHECK_OK(frz_update_add_spec(builder, &spec, &id, &err), err);
    frz_metadata_unref(finish(builder));
}

static void sort_orders_are_numbered_from_one(void **state)
{
    (void)state;
    frz_error *err = NULL;
    int32_t id = -1;
    frz_metadata_builder *builder = builder_of(FIXTURE_V2);
    const frz_sort_order unsorted = {.order_id = 3};
    frz_sort_field by_id = {.source_ids = source_id, .source_count = 1, .transform = identity};
    frz_sort_order order = {.fields = &by_id, .field_count = 1};
    CHECK_OK(frz_update_add_sort_order(builder, &unsorted, &id, &err), err);
    CHECK(id == 0);
    CHECK_OK(frz_update_add_sort_order(builder, &order, &id, &err), err);
    CHECK(id == 1);
    by_id.descending = true;
    CHECK_OK(frz_update_add_sort_order(builder, &order, &id, &err), err);
    CHECK(id == 2);
    CHECK_OK(frz_update_add_sort_order(builder, &order, &id, &err), err);
    CHECK(id == 2);
    CHECK_OK(frz_update_set_default_sort_order(builder, 2, &err), err);
    CHECK_FAILS(frz_update_set_default_sort_order(builder, 9, &err), FRZ_INVALID, err, "id 9");
    by_id.source_ids = &source_id[5];
    CHECK_FAILS(frz_update_add_sort_order(builder, &order, &id, &err), FRZ_INVALID, err,
                "no column with the id 6");
    frz_metadata *m = finish(builder);
    CHECK(m->sort_order_count == 3 && m->default_sort_order_id == 2);
    frz_metadata_unref(m);
}

static void build_once(void)
{
    frz_metadata *base = fixture_metadata(FIXTURE_V2);
    frz_metadata_builder *builder = NULL;
    frz_metadata *m = NULL;
    frz_error *err = NULL;
    int32_t id = 0;
    const frz_partition_field fields[] = {partition(1, "id", identity)};
    const frz_partition_spec spec = {.fields = fields, .field_count = 1};
    if (!base)
        return;
    frz_status status = frz_metadata_builder_new(base, 0, &builder, &err);
    if (status == FRZ_OK)
        status = frz_update_add_spec(builder, &spec, &id, &err);
    if (status == FRZ_OK)
        status = frz_update_add_schema(builder, frz_metadata_schema(base), &id, &err);
    if (status == FRZ_OK)
        status = frz_update_set_property(builder, "k", "v", &err);
    if (status == FRZ_OK)
        status = frz_metadata_builder_finish(builder, "file:/b", 5, &m, NULL, NULL, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_metadata_builder_free(builder);
    frz_metadata_unref(m);
    frz_metadata_unref(base);
    frz_error_free(err);
}

static void survives_short_memory(void **state)
{
    (void)state;
    sweep_allocation_failures(build_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_a_new_table),
        cmocka_unit_test(new_tables_need_location_and_schema),
        cmocka_unit_test(equal_schemas_are_reused_and_others_get_the_next_id),
        cmocka_unit_test(types_and_defaults_need_their_version),
        cmocka_unit_test(defaults_that_nobody_else_reads_are_refused),
        cmocka_unit_test(upgrades_go_only_up),
        cmocka_unit_test(d133_a_v1_table_without_uuid_gets_one),
        cmocka_unit_test(properties_are_set_replaced_and_removed),
        cmocka_unit_test(equivalent_specs_and_fields_keep_their_ids),
        cmocka_unit_test(v1_specs_number_their_fields_by_position),
        cmocka_unit_test(specs_that_cannot_be_written_are_refused),
        cmocka_unit_test(a_column_takes_no_name_of_anothers_partition_field),
        cmocka_unit_test(a_void_field_needs_no_source),
        cmocka_unit_test(sort_orders_are_numbered_from_one),
        cmocka_unit_test(survives_short_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
