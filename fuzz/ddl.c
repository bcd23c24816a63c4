/*
 * DDL of schemas, partition specs and sort orders: the first byte chooses which. A schema that is
 * read is printed, and read again to the same.
 */
#include "spec/ddl.h"

#include "target.h"

static frz_schema *parse(frz_slice text)
{
    frz_schema *schema = NULL;
    frz_error *err = NULL;
    const frz_status status = frz_ddl_parse_schema(text, &schema, &err);
    FUZZ_CHECK((status == FRZ_OK) == (schema != NULL) && frz_error_status(err) == status);
    frz_error_free(err);
    return schema;
}

static void check_schema(frz_slice text)
{
    frz_buffer printed = {0};
    frz_schema *schema = parse(text);
    if (!schema)
        return;
    frz_ddl_print_schema(schema, &printed);
    frz_schema *again = parse(frz_buffer_slice(&printed));
    FUZZ_CHECK(again && frz_type_equal(frz_schema_type(schema), frz_schema_type(again)));
    frz_schema_unref(again);
    frz_schema_unref(schema);
    frz_buffer_clear(&printed);
}

static void check_terms(frz_slice text, bool sort)
{
    static const char columns[] =
        "id long, s string, ts timestamp, d date, p struct<x: int, \"a.b\": string>, l list<int>";
    frz_arena arena = {.budget = (size_t)64 << 20};
    frz_partition_spec spec = {0};
    frz_sort_order order = {0};
    frz_error *err = NULL;
    frz_schema *schema = parse(frz_slice_of(columns, sizeof columns - 1));
    const frz_status status = sort ? frz_ddl_parse_sort(text, schema, &arena, &order, &err)
                                   : frz_ddl_parse_partition(text, schema, &arena, &spec, &err);
    FUZZ_CHECK(frz_error_status(err) == status);
    for (size_t i = 0; i < spec.field_count; i++)
        FUZZ_CHECK(frz_schema_find_id(schema, spec.fields[i].source_ids[0]) != NULL);
    for (size_t i = 0; i < order.field_count; i++)
        FUZZ_CHECK(frz_schema_find_id(schema, order.fields[i].source_ids[0]) != NULL);
    frz_error_free(err);
    frz_schema_unref(schema);
    frz_arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const frz_slice text = frz_slice_of(data + 1, size - 1);
    if (data[0] == 'p' || data[0] == 'o')
        check_terms(text, data[0] == 'o');
    else
        check_schema(text);
    return 0;
}
