#include "scan/equality_keys.h"

#include "harness.h"
#include "spec/schema.h"

static frz_schema *schema_of(const char *fields)
{
    char json[1024];
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_schema *schema = NULL;
    (void)snprintf(json, sizeof json, "{\"type\":\"struct\",\"schema-id\":0,\"fields\":[%s]}",
                   fields);
    frz_json_reader reader = frz_json_reader_over(frz_slice_of_text(json), &arena);
    CHECK_OK(frz_schema_read_json(&reader, &schema, &err), err);
    frz_arena_clear(&arena);
    return schema;
}

#define FIELD(id, name, type) \
    "{\"id\":" #id ",\"name\":\"" name "\",\"required\":true,\"type\":" type "}"

static const char oldest[] = FIELD(1, "id", "\"int\"") "," FIELD(2, "gone", "\"date\"");
static const char middle[] = FIELD(2, "gone", "\"timestamp\"") "," FIELD(1, "id", "\"long\"");
static const char inner_struct[] =
    "{\"type\":\"struct\",\"fields\":["
    "{\"id\":4,\"name\":\"x\",\"required\":true,\"type\":\"string\"},"
    "{\"id\":5,\"name\":\"in\",\"required\":true,\"type\":{\"type\":\"struct\",\"fields\":["
    "{\"id\":6,\"name\":\"y\",\"required\":true,\"type\":\"uuid\"}]}}]}";
static const char list_type[] =
    "{\"type\":\"list\",\"element-id\":8,\"element\":\"int\",\"element-required\":false}";

/* A struct and a list beside a key that was renamed and narrow once more. */
static frz_schema *newest_schema(void)
{
    char fields[800];
    (void)snprintf(fields, sizeof fields,
                   FIELD(1, "key", "\"int\"") ",{\"id\":3,\"name\":\"st\",\"required\":true,"
                                              "\"type\":%s},{\"id\":7,\"name\":\"l\","
                                              "\"required\":false,\"type\":%s}",
                   inner_struct, list_type);
    return schema_of(fields);
}

typedef struct history {
    frz_schema *schemas[3];
    frz_metadata metadata;
} history;

static history open_history(void)
{
    return (history){.schemas = {schema_of(oldest), schema_of(middle), newest_schema()}};
}

static const frz_metadata *metadata_of(history *of)
{
    of->metadata.schemas = of->schemas;
    of->metadata.schema_count = 3;
    return &of->metadata;
}

static void close_history(history *of)
{
    for (size_t i = 0; i < 3; i++)
        frz_schema_unref(of->schemas[i]);
}

static void test_ids_are_sorted_and_each_counts_once(void **state)
{
    (void)state;
    static const int32_t given[] = {7, 3, 7, 1};
    frz_error *err = NULL;
    frz_arena arena = {0};
    const int32_t *ids = NULL;
    size_t count = 0;
    CHECK_OK(frz_equality_ids_sort(given, 4, &arena, &ids, &count, &err), err);
    CHECK(count == 3 && ids[0] == 1 && ids[1] == 3 && ids[2] == 7);
    frz_arena_clear(&arena);
}

/* Dropped and promoted columns are found where they last were; all of them are optional. */
static void test_columns_are_found_in_all_schemas_in_their_widest_type(void **state)
{
    (void)state;
    static const int32_t ids[] = {1, 2};
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_equality_keys keys = {0};
    history of = open_history();
    CHECK_OK(frz_equality_keys_resolve(metadata_of(&of), ids, 2, &arena, &keys, &err), err);
    CHECK(keys.count == 2 && keys.type->field_count == 2 && keys.layout.count == 2);
    CHECK(keys.fields[0].id == 1 && keys.fields[0].type->kind == FRZ_TYPE_LONG);
    CHECK(keys.fields[1].id == 2 && keys.fields[1].type->kind == FRZ_TYPE_TIMESTAMP);
    CHECK(!keys.fields[0].required && !keys.fields[1].required);
    frz_arena_clear(&arena);
    close_history(&of);
}

static void test_a_nested_key_is_pruned_to_its_path(void **state)
{
    (void)state;
    static const int32_t ids[] = {6};
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_equality_keys keys = {0};
    history of = open_history();
    CHECK_OK(frz_equality_keys_resolve(metadata_of(&of), ids, 1, &arena, &keys, &err), err);
    const frz_field *top = &keys.fields[0];
    CHECK(top->id == 3 && !top->required && top->type->field_count == 1);
    const frz_field *inner = &top->type->fields[0];
    CHECK(inner->id == 5 && !inner->required && inner->type->field_count == 1);
    const frz_field *key = &inner->type->fields[0];
    CHECK(key->id == 6 && !key->required && key->type->kind == FRZ_TYPE_UUID);
    CHECK(keys.layout.columns[0].type->kind == FRZ_TYPE_UUID);
    frz_arena_clear(&arena);
    close_history(&of);
}

static void check_refused(int32_t id, const char *message)
{
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_equality_keys keys = {0};
    history of = open_history();
    CHECK_FAILS(frz_equality_keys_resolve(metadata_of(&of), &id, 1, &arena, &keys, &err),
                FRZ_CORRUPT, err, message);
    frz_arena_clear(&arena);
    close_history(&of);
}

static void test_what_cannot_be_a_delete_column_is_refused(void **state)
{
    (void)state;
    check_refused(99, "delete column 99 is in no schema of the table");
    check_refused(3, "column st (field 3) of type struct cannot be a delete column");
    check_refused(7, "column l (field 7) of type list cannot be a delete column");
    check_refused(8, "column l.element (field 8) is nested in a list");
}

static history swept;

static void resolve_all(void)
{
    static const int32_t given[] = {6, 1, 2};
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_equality_keys keys = {0};
    const int32_t *ids = NULL;
    size_t count = 0;
    frz_status status = frz_equality_ids_sort(given, 3, &arena, &ids, &count, &err);
    if (status == FRZ_OK)
        status = frz_equality_keys_resolve(metadata_of(&swept), ids, count, &arena, &keys, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_error_free(err);
    frz_arena_clear(&arena);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    swept = open_history();
    sweep_allocation_failures(resolve_all);
    close_history(&swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids_are_sorted_and_each_counts_once),
        cmocka_unit_test(test_columns_are_found_in_all_schemas_in_their_widest_type),
        cmocka_unit_test(test_a_nested_key_is_pruned_to_its_path),
        cmocka_unit_test(test_what_cannot_be_a_delete_column_is_refused),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
