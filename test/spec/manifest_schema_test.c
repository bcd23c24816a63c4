#include "spec/table_fixture.h"

#include "avro/schema.h"
#include "spec/manifest_schema.h"

static frz_arena arena;

static int clear_arena(void **state)
{
    (void)state;
    frz_arena_clear(&arena);
    return 0;
}

static const frz_avro_schema *entry_schema(int version, const frz_type *partition)
{
    frz_buffer text = {0};
    frz_error *err = NULL;
    const frz_avro_schema *schema = NULL;
    frz_manifest_avro_schema(version, partition, &text);
    CHECK_OK(
        frz_avro_schema_parse(frz_buffer_slice(&text), &frz_limits_default, &arena, &schema, &err),
        err);
    frz_buffer_clear(&text);
    return schema;
}

static const frz_avro_schema *list_schema(int version)
{
    frz_buffer text = {0};
    frz_error *err = NULL;
    const frz_avro_schema *schema = NULL;
    frz_manifest_list_avro_schema(version, &text);
    CHECK_OK(
        frz_avro_schema_parse(frz_buffer_slice(&text), &frz_limits_default, &arena, &schema, &err),
        err);
    frz_buffer_clear(&text);
    return schema;
}

/* `expected` lists "id name", a ? behind optional ones. */
static void expect_fields(const frz_avro_schema *schema, const char *expected)
{
    frz_buffer found = {0};
    for (size_t i = 0; i < schema->field_count; i++) {
        const bool optional = schema->fields[i].type->kind == FRZ_AVRO_UNION;
        if (optional)
            CHECK(schema->fields[i].type->branches[0]->kind == FRZ_AVRO_NULL); /* D140 */
        frz_buffer_printf(&found, "%s%d %s%s", i ? ", " : "", schema->fields[i].field_id,
                          schema->fields[i].name, optional ? "?" : "");
    }
    if (!frz_slice_is_text(frz_buffer_slice(&found), expected))
        fail_msg("got      %.*s\nexpected %s", (int)found.size, (const char *)found.data, expected);
    frz_buffer_clear(&found);
}

static const frz_type no_partition = {.kind = FRZ_TYPE_STRUCT};

static void entries_have_the_fields_of_their_version(void **state)
{
    (void)state;
    const frz_avro_schema *v1 = entry_schema(1, &no_partition);
    const frz_avro_schema *v2 = entry_schema(2, &no_partition);
    const frz_avro_schema *v3 = entry_schema(3, &no_partition);
    expect_fields(v1, "0 status, 1 snapshot_id, 2 data_file");
    expect_fields(
        v2, "0 status, 1 snapshot_id?, 3 sequence_number?, 4 file_sequence_number?, 2 data_file");
    expect_fields(
        v1->fields[2].type,
        "100 file_path, 101 file_format, 102 partition, 103 record_count, 104 file_size_in_bytes, "
        "105 block_size_in_bytes, 108 column_sizes?, 109 value_counts?, 110 null_value_counts?, "
        "137 nan_value_counts?, 125 lower_bounds?, 128 upper_bounds?, 131 key_metadata?, "
        "132 split_offsets?, 140 sort_order_id?");
    expect_fields(
        v2->fields[4].type,
        "134 content, 100 file_path, 101 file_format, 102 partition, 103 record_count, "
        "104 file_size_in_bytes, 108 column_sizes?, 109 value_counts?, 110 null_value_counts?, "
        "137 nan_value_counts?, 125 lower_bounds?, 128 upper_bounds?, 131 key_metadata?, "
        "132 split_offsets?, 135 equality_ids?, 140 sort_order_id?, 143 referenced_data_file?");
    expect_fields(
        v3->fields[4].type,
        "134 content, 100 file_path, 101 file_format, 102 partition, 103 record_count, "
        "104 file_size_in_bytes, 108 column_sizes?, 109 value_counts?, 110 null_value_counts?, "
        "137 nan_value_counts?, 125 lower_bounds?, 128 upper_bounds?, 131 key_metadata?, "
        "132 split_offsets?, 135 equality_ids?, 140 sort_order_id?, 142 first_row_id?, "
        "143 referenced_data_file?, 144 content_offset?, 145 content_size_in_bytes?");
}

static void lists_have_the_fields_of_their_version(void **state)
{
    (void)state;
    expect_fields(
        list_schema(1),
        "500 manifest_path, 501 manifest_length, 502 partition_spec_id, 503 added_snapshot_id, "
        "504 added_files_count?, 505 existing_files_count?, 506 deleted_files_count?, "
        "507 partitions?, 512 added_rows_count?, 513 existing_rows_count?, "
        "514 deleted_rows_count?, 519 key_metadata?");
    expect_fields(list_schema(2),
                  "500 manifest_path, 501 manifest_length, 502 partition_spec_id, 517 content, "
                  "515 sequence_number, 516 min_sequence_number, 503 added_snapshot_id, "
                  "504 added_files_count, 505 existing_files_count, 506 deleted_files_count, "
                  "512 added_rows_count, 513 existing_rows_count, 514 deleted_rows_count, "
                  "507 partitions?, 519 key_metadata?");
    const frz_avro_schema *v3 = list_schema(3);
    CHECK(v3->field_count == 16 && v3->fields[15].field_id == 520);
    const frz_avro_schema *summaries = v3->fields[13].type->branches[1];
    CHECK(summaries->kind == FRZ_AVRO_ARRAY && summaries->element_id == 508);
    expect_fields(summaries->items,
                  "509 contains_null, 518 contains_nan?, 510 lower_bound?, 511 upper_bound?");
}

static void maps_are_arrays_of_key_value_records(void **state)
{
    (void)state;
    const frz_avro_schema *file = entry_schema(2, &no_partition)->fields[4].type;
    const frz_avro_schema *sizes = file->fields[6].type->branches[1];
    const frz_avro_schema *bounds = file->fields[10].type->branches[1];
    CHECK(sizes->kind == FRZ_AVRO_ARRAY && sizes->is_map);
    expect_fields(sizes->items, "117 key, 118 value");
    CHECK(sizes->items->fields[1].type->kind == FRZ_AVRO_LONG);
    expect_fields(bounds->items, "126 key, 127 value");
    CHECK(bounds->items->fields[1].type->kind == FRZ_AVRO_BYTES);
    CHECK(file->fields[13].type->branches[1]->element_id == 133);
    CHECK(file->fields[14].type->branches[1]->element_id == 136);
}

/* D143: the tuple's type follows the spec. */
static void d143_partitions_are_typed_by_their_spec(void **state)
{
    (void)state;
    static const frz_type decimal = {.kind = FRZ_TYPE_DECIMAL, .precision = 9, .scale = 2};
    static const frz_type fixed = {.kind = FRZ_TYPE_FIXED, .length = 3};
    const frz_field fields[] = {
        {.id = 1000, .name = "a", .type = &decimal},
        {.id = 1001, .name = "b", .type = &decimal},
        {.id = 1002, .name = "the day", .type = frz_type_of(FRZ_TYPE_DATE)},
        {.id = 1003, .name = "u", .type = frz_type_of(FRZ_TYPE_UUID)},
        {.id = 1004, .name = "v", .type = frz_type_of(FRZ_TYPE_UUID)},
        {.id = 1005, .name = "f", .type = &fixed},
        {.id = 1006, .name = "t", .type = frz_type_of(FRZ_TYPE_TIMESTAMPTZ)},
        {.id = 1007, .name = "n", .type = frz_type_of(FRZ_TYPE_TIMESTAMP_NS)},
        {.id = 1008, .name = "x", .type = frz_type_of(FRZ_TYPE_UNKNOWN)}};
    const frz_type partition = {.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = 9};
    const frz_avro_schema *tuple = entry_schema(2, &partition)->fields[4].type->fields[3].type;
    expect_fields(
        tuple, "1000 a?, 1001 b?, 1002 the_x20day?, 1003 u?, 1004 v?, 1005 f?, 1006 t?, 1007 n?, "
               "1008 x?");
    const frz_avro_schema *a = tuple->fields[0].type->branches[1];
    CHECK(a->kind == FRZ_AVRO_FIXED && a->size == 4 && a->precision == 9 && a->scale == 2);
    CHECK(strcmp(a->name, "decimal_9_2") == 0 && tuple->fields[1].type->branches[1]->size == 4);
    CHECK(strcmp(tuple->fields[2].type->branches[1]->logical_type, "date") == 0);
    CHECK(tuple->fields[4].type->branches[1]->size == 16);
    CHECK(strcmp(tuple->fields[5].type->branches[1]->name, "fixed_3") == 0);
    CHECK(tuple->fields[6].type->branches[1]->adjust_to_utc);
    CHECK(strcmp(tuple->fields[7].type->branches[1]->logical_type, "timestamp-nanos") == 0);
}

/* The size is that of Java's table of bytes per precision. */
static void decimals_take_the_least_bytes(void **state)
{
    (void)state;
    static const struct {
        int32_t precision;
        int32_t size;
    } sizes[] = {{1, 1}, {2, 1},  {3, 2},  {4, 2},  {5, 3},
                 {9, 4}, {10, 5}, {18, 8}, {19, 9}, {38, 16}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const frz_type type = {.kind = FRZ_TYPE_DECIMAL, .precision = sizes[i].precision};
        const frz_field only = {.id = 1000, .name = "a", .type = &type};
        const frz_type partition = {.kind = FRZ_TYPE_STRUCT, .fields = &only, .field_count = 1};
        const frz_avro_schema *tuple = entry_schema(2, &partition)->fields[4].type->fields[3].type;
        CHECK(tuple->fields[0].type->branches[1]->size == sizes[i].size);
    }
}

static void knows_names_and_whether_a_file_has_ids(void **state)
{
    (void)state;
    CHECK(strcmp(frz_manifest_column_name(FRZ_FILE_ID_FIRST_ROW_ID), "first_row_id") == 0);
    CHECK(strcmp(frz_manifest_column_name(FRZ_LIST_ID_CONTENT), "content") == 0);
    CHECK(strcmp(frz_manifest_column_name(FRZ_LIST_ID_LOWER_BOUND), "lower_bound") == 0);
    CHECK(frz_manifest_column_name(9999) == NULL);
    frz_error *err = NULL;
    const frz_avro_schema *bare = NULL;
    CHECK(frz_manifest_has_ids(list_schema(1)));
    CHECK_OK(
        frz_avro_schema_parse(frz_slice_of_text("{\"type\":\"record\",\"name\":\"r\",\"fields\":["
                                                "{\"name\":\"status\",\"type\":\"int\"}]}"),
                              &frz_limits_default, &arena, &bare, &err),
        err);
    CHECK(!frz_manifest_has_ids(bare));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(entries_have_the_fields_of_their_version, clear_arena),
        cmocka_unit_test_teardown(lists_have_the_fields_of_their_version, clear_arena),
        cmocka_unit_test_teardown(maps_are_arrays_of_key_value_records, clear_arena),
        cmocka_unit_test_teardown(d143_partitions_are_typed_by_their_spec, clear_arena),
        cmocka_unit_test_teardown(decimals_take_the_least_bytes, clear_arena),
        cmocka_unit_test_teardown(knows_names_and_whether_a_file_has_ids, clear_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
