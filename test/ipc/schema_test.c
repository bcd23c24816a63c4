/* Covers: ipc/type */
#include "ipc/schema.h"

#include "harness.h"

#include "arrow/schema.h"
#include "base/fail.h"
#include "made_stream.h"

/* The schema of `count` fields; *schema is to be cleared. */
static frz_status read_schema(const made_field *fields, size_t count, const frz_limits *limits,
                              frz_ipc_schema *schema, frz_error **err)
{
    frz_flat_builder builder = {0};
    (void)made_schema_table(&builder, fields, count, false);
    frz_flat flat = frz_flat_over(frz_buffer_slice(&builder.bytes));
    const frz_flat_table table = frz_flat_root(&flat);
    frz_status status = frz_buffer_check(&builder.bytes, err);
    if (status == FRZ_OK)
        status = frz_ipc_schema_read(&table, limits ? limits : &frz_limits_default, schema, err);
    if (status == FRZ_OK)
        status = frz_flat_check(&flat, 0, err);
    frz_buffer_clear(&builder.bytes);
    return status;
}

static void check_format(frz_ipc_type type, const uint8_t widths[3], const int32_t values[3],
                         const char *format)
{
    frz_ipc_schema schema = {0};
    frz_error *err = NULL;
    made_field field = {.name = "x", .type = type};
    memcpy(field.widths, widths, sizeof field.widths);
    memcpy(field.values, values, sizeof field.values);
    CHECK_OK(read_schema(&field, 1, NULL, &schema, &err), err);
    if (strcmp(schema.arrow.children[0]->format, format) != 0)
        fail_msg("type %d: format %s, want %s", (int)type, schema.arrow.children[0]->format,
                 format);
    frz_ipc_schema_clear(&schema);
}

static void every_leaf_type_has_its_format(void **state)
{
    (void)state;
    static const struct {
        frz_ipc_type type;
        uint8_t widths[3];
        int32_t values[3];
        const char *format;
    } cases[] = {
        {FRZ_IPC_TYPE_NULL, {0}, {0}, "n"},
        {FRZ_IPC_TYPE_INT, {4, 1}, {8, 1}, "c"},
        {FRZ_IPC_TYPE_INT, {4, 1}, {8, 0}, "C"},
        {FRZ_IPC_TYPE_INT, {4, 1}, {16, 1}, "s"},
        {FRZ_IPC_TYPE_INT, {4, 1}, {16, 0}, "S"},
        {FRZ_IPC_TYPE_INT, {4, 1}, {32, 1}, "i"},
        {FRZ_IPC_TYPE_INT, {4, 1}, {32, 0}, "I"},
        {FRZ_IPC_TYPE_INT, {4, 1}, {64, 1}, "l"},
        {FRZ_IPC_TYPE_INT, {4}, {64}, "L"}, /* is_signed is false where it is absent */
        {FRZ_IPC_TYPE_FLOATING_POINT, {2}, {0}, "e"},
        {FRZ_IPC_TYPE_FLOATING_POINT, {2}, {1}, "f"},
        {FRZ_IPC_TYPE_FLOATING_POINT, {2}, {2}, "g"},
        {FRZ_IPC_TYPE_BINARY, {0}, {0}, "z"},
        {FRZ_IPC_TYPE_UTF8, {0}, {0}, "u"},
        {FRZ_IPC_TYPE_BOOL, {0}, {0}, "b"},
        {FRZ_IPC_TYPE_DECIMAL, {4, 4}, {9, 2}, "d:9,2,128"},
        {FRZ_IPC_TYPE_DECIMAL, {4, 4, 4}, {9, -2, 32}, "d:9,-2,32"},
        {FRZ_IPC_TYPE_DATE, {2}, {0}, "tdD"},
        {FRZ_IPC_TYPE_DATE, {0}, {0}, "tdm"}, /* defaults of Schema.fbs */
        {FRZ_IPC_TYPE_TIME, {0}, {0}, "ttm"},
        {FRZ_IPC_TYPE_TIME, {2, 4}, {0, 32}, "tts"},
        {FRZ_IPC_TYPE_TIME, {2, 4}, {2, 64}, "ttu"},
        {FRZ_IPC_TYPE_TIME, {2, 4}, {3, 64}, "ttn"},
        {FRZ_IPC_TYPE_TIMESTAMP, {0}, {0}, "tss:"},
        {FRZ_IPC_TYPE_TIMESTAMP, {2}, {3}, "tsn:"},
        {FRZ_IPC_TYPE_FIXED_SIZE_BINARY, {4}, {16}, "w:16"},
        {FRZ_IPC_TYPE_DURATION, {2}, {2}, "tDu"},
        {FRZ_IPC_TYPE_LARGE_BINARY, {0}, {0}, "Z"},
        {FRZ_IPC_TYPE_LARGE_UTF8, {0}, {0}, "U"},
        {FRZ_IPC_TYPE_BINARY_VIEW, {0}, {0}, "vz"},
        {FRZ_IPC_TYPE_UTF8_VIEW, {0}, {0}, "vu"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_format(cases[i].type, cases[i].widths, cases[i].values, cases[i].format);
}

static void check_refused(const made_field *field, frz_status want, const char *text)
{
    frz_ipc_schema schema = {0};
    frz_error *err = NULL;
    CHECK_FAILS(read_schema(field, 1, NULL, &schema, &err), want, err, text);
    frz_ipc_schema_clear(&schema);
}

static void types_that_there_are_not_are_refused(void **state)
{
    (void)state;
    static const made_field unions = {.name = "u", .type = FRZ_IPC_TYPE_UNION};
    static const made_field interval = {.name = "v", .type = FRZ_IPC_TYPE_INTERVAL};
    static const made_field number = {.name = "w", .type = (frz_ipc_type)99};
    static const made_field none = {.name = "x", .type = FRZ_IPC_TYPE_NONE};
    static const made_field width = {
        .name = "y", .type = FRZ_IPC_TYPE_INT, .widths = {4}, .values = {7}};
    static const made_field time = {
        .name = "z", .type = FRZ_IPC_TYPE_TIME, .widths = {2, 4}, .values = {3, 32}};
    static const made_field list = {.name = "l", .type = FRZ_IPC_TYPE_LIST};
    static const made_field parent = {
        .name = "p", .type = FRZ_IPC_TYPE_UTF8, .children = &made_text, .child_count = 1};
    static const made_field inner = {
        .name = "o", .type = FRZ_IPC_TYPE_STRUCT, .children = &unions, .child_count = 1};
    check_refused(&unions, FRZ_UNSUPPORTED, "column \"u\": Arrow type union has no Iceberg type");
    check_refused(&inner, FRZ_UNSUPPORTED, "column \"o.u\": Arrow type union");
    check_refused(&interval, FRZ_UNSUPPORTED, "Arrow type interval has no Iceberg type");
    check_refused(&number, FRZ_UNSUPPORTED, "Arrow type number 99");
    check_refused(&none, FRZ_CORRUPT, "column \"x\"");
    check_refused(&width, FRZ_CORRUPT, "a type, width or unit that Arrow does not have");
    check_refused(&time, FRZ_CORRUPT, "a type, width or unit that Arrow does not have");
    check_refused(&list, FRZ_CORRUPT, "0 children of an Arrow list");
    check_refused(&parent, FRZ_CORRUPT, "1 children of an Arrow string");
}

static void names_nulls_and_metadata_are_kept(void **state)
{
    (void)state;
    static const made_field items = {.name = "element",
                                     .type = FRZ_IPC_TYPE_UTF8,
                                     .required = true,
                                     .key = "PARQUET:field_id",
                                     .value = "7"};
    static const made_field fields[] = {
        {.name = "tags", .type = FRZ_IPC_TYPE_LIST, .children = &items, .child_count = 1},
        {.name = "u",
         .type = FRZ_IPC_TYPE_FIXED_SIZE_BINARY,
         .widths = {4},
         .values = {16},
         .key = "ARROW:extension:name",
         .value = "arrow.uuid"}};
    frz_ipc_schema schema = {0};
    frz_error *err = NULL;
    CHECK_OK(read_schema(fields, 2, NULL, &schema, &err), err);
    const struct ArrowSchema *tags = schema.arrow.children[0];
    CHECK(strcmp(tags->name, "tags") == 0 && tags->flags == ARROW_FLAG_NULLABLE);
    CHECK(strcmp(tags->children[0]->name, "element") == 0 && tags->children[0]->flags == 0);
    CHECK(frz_arrow_schema_field_id(tags->children[0]) == 7);
    CHECK(frz_slice_is_text(
        frz_arrow_schema_metadata(schema.arrow.children[1], "ARROW:extension:name"), "arrow.uuid"));
    CHECK(schema.root.child_count == 2);
    CHECK(strcmp(schema.root.children[0].children[0].path, "tags.element") == 0);
    frz_ipc_schema_clear(&schema);
}

static void dictionaries_have_their_values_plain(void **state)
{
    (void)state;
    static const made_field fields[] = {
        {.name = "a", .type = FRZ_IPC_TYPE_LARGE_UTF8, .dictionary = 3},
        {.name = "b", .type = FRZ_IPC_TYPE_LARGE_UTF8, .dictionary = 3, .index_bits = 16}};
    static const made_field others[] = {
        {.name = "a", .type = FRZ_IPC_TYPE_UTF8, .dictionary = 3},
        {.name = "b", .type = FRZ_IPC_TYPE_BINARY, .dictionary = 3}};
    frz_ipc_schema schema = {0};
    frz_error *err = NULL;
    CHECK_OK(read_schema(fields, 2, NULL, &schema, &err), err);
    CHECK(strcmp(schema.arrow.children[0]->format, "i") == 0); /* where none is given */
    CHECK(strcmp(schema.arrow.children[1]->format, "s") == 0);
    CHECK(strcmp(schema.arrow.children[0]->dictionary->format, "u") == 0);
    CHECK(strcmp(schema.root.children[0].values->arrow.format, "U") == 0);
    CHECK(schema.dictionary_count == 1);
    CHECK(schema.root.children[1].dictionary_index == 0);
    frz_ipc_schema_clear(&schema);
    CHECK_FAILS(read_schema(others, 2, NULL, &schema, &err), FRZ_CORRUPT, err,
                "columns \"a\" and \"b\" share dictionary 3, but not its type");
    frz_ipc_schema_clear(&schema);
}

/* Both children of each struct are one object: 2^100 columns in a few hundred bytes. */
static void a_schema_that_unfolds_without_end_is_refused(void **state)
{
    (void)state;
    static const uint8_t schema_widths[] = {0, 4};
    static const uint8_t field_widths[] = {0, 0, 1, 4, 0, 4};
    enum { LEVELS = 100 };
    frz_flat_builder builder = {0};
    frz_ipc_schema schema = {0};
    frz_error *err = NULL;
    const size_t root = frz_flat_add_table(&builder, schema_widths, 2);
    size_t items = frz_flat_add_items(&builder, root, FRZ_IPC_SCHEMA_FIELDS, 2, 4);
    for (int i = 0; i < LEVELS; i++) {
        const size_t field = frz_flat_add_table(&builder, field_widths, 6);
        frz_flat_set_item_child(&builder, items, 0, field);
        frz_flat_set_item_child(&builder, items, 1, field);
        frz_flat_set_u8(&builder, field, FRZ_IPC_FIELD_TYPE_TYPE, FRZ_IPC_TYPE_STRUCT);
        const size_t type = frz_flat_add_table(&builder, NULL, 0);
        frz_flat_set_child(&builder, field, FRZ_IPC_FIELD_TYPE, type);
        items =
            frz_flat_add_items(&builder, field, FRZ_IPC_FIELD_CHILDREN, i == LEVELS - 1 ? 0 : 2, 4);
    }
    frz_flat flat = frz_flat_over(frz_buffer_slice(&builder.bytes));
    const frz_flat_table table = frz_flat_root(&flat);
    CHECK_FAILS(frz_ipc_schema_read(&table, &frz_limits_default, &schema, &err), FRZ_UNSUPPORTED,
                err, "schema_columns");
    frz_ipc_schema_clear(&schema);
    frz_buffer_clear(&builder.bytes);
}

static void limits_are_kept(void **state)
{
    (void)state;
    static const made_field inner = {
        .name = "i", .type = FRZ_IPC_TYPE_STRUCT, .children = &made_text, .child_count = 1};
    static const made_field outer = {
        .name = "o", .type = FRZ_IPC_TYPE_STRUCT, .children = &inner, .child_count = 1};
    frz_ipc_schema schema = {0};
    frz_error *err = NULL;
    frz_limits limits = frz_limits_default;
    limits.nesting_depth = 2;
    CHECK_FAILS(read_schema(&outer, 1, &limits, &schema, &err), FRZ_UNSUPPORTED, err,
                "column \"o.i\" is nested deeper than nesting_depth (2)");
    frz_ipc_schema_clear(&schema);
    limits = frz_limits_default;
    limits.schema_columns = 2;
    CHECK_FAILS(read_schema(&outer, 1, &limits, &schema, &err), FRZ_UNSUPPORTED, err,
                "schema_columns (2)");
    frz_ipc_schema_clear(&schema);
    limits = frz_limits_default;
    limits.ipc_metadata_size = 2;
    CHECK_FAILS(read_schema(&outer, 1, &limits, &schema, &err), FRZ_UNSUPPORTED, err,
                "ipc_metadata_size");
    frz_ipc_schema_clear(&schema);
}

static void read_under_shortage(void)
{
    static const made_field fields[] = {
        {.name = "a", .type = FRZ_IPC_TYPE_UTF8, .dictionary = 3, .index_bits = 8},
        {.name = "b",
         .type = FRZ_IPC_TYPE_LIST,
         .children = &made_text,
         .child_count = 1,
         .key = "k",
         .value = "v"},
        {.name = "d", .type = FRZ_IPC_TYPE_DECIMAL, .widths = {4, 4}, .values = {9, 2}}};
    frz_ipc_schema schema = {0};
    frz_error *err = NULL;
    const frz_status status = read_schema(fields, 3, NULL, &schema, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_error_free(err);
    frz_ipc_schema_clear(&schema);
}

static void shortage_of_memory_is_told(void **state)
{
    (void)state;
    sweep_allocation_failures(read_under_shortage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_leaf_type_has_its_format),
        cmocka_unit_test(types_that_there_are_not_are_refused),
        cmocka_unit_test(names_nulls_and_metadata_are_kept),
        cmocka_unit_test(dictionaries_have_their_values_plain),
        cmocka_unit_test(a_schema_that_unfolds_without_end_is_refused),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(shortage_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
