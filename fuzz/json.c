/*
 * The JSON reader and the smaller things that are written in JSON: the first byte chooses a name
 * mapping (m), a table schema (s), or any value. A value is passed over, and walked member by
 * member: both agree on whether it is one and where it ends. A schema prints to JSON that reads to
 * the same.
 */
#include "json/reader.h"

#include "spec/name_mapping.h"
#include "spec/schema.h"
#include "target.h"

static frz_status walk(frz_json_reader *json);

static frz_status walk_object(frz_json_reader *json)
{
    frz_slice key = {0};
    bool more = true;
    frz_status status = frz_json_enter_object(json, NULL);
    while (status == FRZ_OK && more) {
        status = frz_json_next_key(json, &key, &more, NULL);
        if (status == FRZ_OK && more)
            status = walk(json);
    }
    return status;
}

static frz_status walk_array(frz_json_reader *json)
{
    bool more = true;
    frz_status status = frz_json_enter_array(json, NULL);
    while (status == FRZ_OK && more) {
        status = frz_json_next_item(json, &more, NULL);
        if (status == FRZ_OK && more)
            status = walk(json);
    }
    return status;
}

static frz_status walk_number(frz_json_reader *json)
{
    frz_json_reader again = *json;
    frz_slice number = {0};
    int64_t whole = 0;
    double real = 0;
    const frz_status status = frz_json_read_number(json, &number, NULL);
    if (status == FRZ_OK) {
        frz_json_reader copy = again;
        (void)!frz_json_read_i64(&copy, &whole, NULL);
        FUZZ_CHECK(frz_json_read_f64(&again, &real, NULL) == FRZ_OK && again.pos == json->pos);
    }
    return status;
}

static frz_status walk(frz_json_reader *json)
{
    frz_json_kind kind = FRZ_JSON_NULL;
    frz_slice text = {0};
    bool flag = false;
    const frz_status status = frz_json_peek(json, &kind, NULL);
    if (status != FRZ_OK)
        return status;
    switch (kind) {
    case FRZ_JSON_NULL:
        return frz_json_read_null(json, &flag, NULL);
    case FRZ_JSON_BOOL:
        return frz_json_read_bool(json, &flag, NULL);
    case FRZ_JSON_NUMBER:
        return walk_number(json);
    case FRZ_JSON_STRING:
        return frz_json_read_string(json, &text, NULL);
    case FRZ_JSON_ARRAY:
        return walk_array(json);
    case FRZ_JSON_OBJECT:
        return walk_object(json);
    }
    abort();
}

static void check_value(frz_slice text)
{
    frz_arena arena = {.budget = (size_t)64 << 20};
    frz_slice raw = {0};
    frz_error *err = NULL;
    uint64_t offset = 0;
    frz_json_reader skipped = frz_json_reader_over(text, &arena);
    frz_json_reader walked = skipped;
    const frz_status status = frz_json_read_raw(&skipped, &raw, &err);
    FUZZ_CHECK(status == FRZ_OK || (frz_error_offset(err, &offset) && offset <= text.size));
    FUZZ_CHECK(walk(&walked) == status);
    FUZZ_CHECK(status != FRZ_OK || walked.pos == skipped.pos);
    frz_error_free(err);
    frz_arena_clear(&arena);
}

static void check_mapping(frz_slice text)
{
    frz_arena arena = {.budget = (size_t)64 << 20};
    frz_name_mapping root = {0};
    frz_error *err = NULL;
    const frz_status status = frz_name_mapping_parse(text, &arena, &root, &err);
    FUZZ_CHECK(frz_error_status(err) == status);
    for (size_t i = 0; status == FRZ_OK && i < root.child_count; i++) {
        const frz_name_mapping *child = &root.children[i];
        for (size_t j = 0; j < child->name_count && i * j < 1000; j++)
            FUZZ_CHECK(frz_name_mapping_find(&root, frz_slice_of_text(child->names[j])) == child);
    }
    frz_error_free(err);
    frz_arena_clear(&arena);
}

static frz_schema *read_schema(frz_slice text)
{
    frz_arena arena = {.budget = (size_t)64 << 20};
    frz_schema *schema = NULL;
    frz_error *err = NULL;
    frz_json_reader json = frz_json_reader_over(text, &arena);
    const frz_status status = frz_schema_read_json(&json, &schema, &err);
    FUZZ_CHECK((status == FRZ_OK) == (schema != NULL) && frz_error_status(err) == status);
    frz_error_free(err);
    frz_arena_clear(&arena);
    return schema;
}

static void check_schema(frz_slice text)
{
    frz_buffer printed = {0};
    frz_schema *schema = read_schema(text);
    if (!schema)
        return;
    frz_json_writer json = frz_json_writer_to(&printed, 0);
    frz_schema_write_json(schema, &json);
    frz_schema *again = read_schema(frz_buffer_slice(&printed));
    FUZZ_CHECK(again && frz_type_equal(frz_schema_type(schema), frz_schema_type(again)));
    frz_schema_unref(again);
    frz_schema_unref(schema);
    frz_buffer_clear(&printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const frz_slice text = frz_slice_of(data + 1, size - 1);
    if (data[0] == 'm')
        check_mapping(text);
    else if (data[0] == 's')
        check_schema(text);
    else
        check_value(text);
    return 0;
}
