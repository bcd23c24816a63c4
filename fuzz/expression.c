/*
 * Expressions: any text parses or is refused at an offset within it; what parsed prints to text
 * that parses to the same again, and its leaves take any value.
 */
#include "expr/expression.h"

#include "expr/truth.h"
#include "target.h"

static frz_schema *make_schema(void)
{
    static const frz_type_kind kinds[] = {
        FRZ_TYPE_BOOLEAN,     FRZ_TYPE_INT,           FRZ_TYPE_LONG,   FRZ_TYPE_FLOAT,
        FRZ_TYPE_DOUBLE,      FRZ_TYPE_DATE,          FRZ_TYPE_TIME,   FRZ_TYPE_TIMESTAMP,
        FRZ_TYPE_TIMESTAMPTZ, FRZ_TYPE_TIMESTAMP_NS,  FRZ_TYPE_STRING, FRZ_TYPE_UUID,
        FRZ_TYPE_BINARY,      FRZ_TYPE_TIMESTAMPTZ_NS};
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    static const char *const names[KINDS] = {"b",  "i",  "l",  "f", "d", "dt",  "tm",
                                             "ts", "tz", "tn", "s", "u", "bin", "zn"};
    static const frz_type decimal = {.kind = FRZ_TYPE_DECIMAL, .precision = 9, .scale = 2};
    static const frz_type fixed = {.kind = FRZ_TYPE_FIXED, .length = 4};
    frz_field element = {.id = 101, .name = "element", .type = frz_type_of(FRZ_TYPE_INT)};
    frz_field pair[] = {
        {.id = 103, .name = "key", .required = true, .type = frz_type_of(FRZ_TYPE_STRING)},
        {.id = 104, .name = "value", .type = frz_type_of(FRZ_TYPE_INT)}};
    frz_field inner[] = {{.id = 106, .name = "a", .type = frz_type_of(FRZ_TYPE_INT)},
                         {.id = 107, .name = "b.c", .type = frz_type_of(FRZ_TYPE_STRING)}};
    const frz_type list = {.kind = FRZ_TYPE_LIST, .fields = &element, .field_count = 1};
    const frz_type map = {.kind = FRZ_TYPE_MAP, .fields = pair, .field_count = 2};
    const frz_type nested = {.kind = FRZ_TYPE_STRUCT, .fields = inner, .field_count = 2};
    frz_field fields[KINDS + 5];
    frz_schema *schema = NULL;
    size_t count = 0;
    for (; count < KINDS; count++)
        fields[count] = (frz_field){
            .id = (int32_t)count + 1, .name = names[count], .type = frz_type_of(kinds[count])};
    fields[count++] = (frz_field){.id = 50, .name = "dec", .type = &decimal};
    fields[count++] = (frz_field){.id = 51, .name = "fx", .type = &fixed};
    fields[count++] = (frz_field){.id = 100, .name = "ls", .type = &list};
    fields[count++] = (frz_field){.id = 102, .name = "m", .type = &map};
    fields[count++] = (frz_field){.id = 105, .name = "st", .type = &nested};
    FUZZ_CHECK(frz_schema_new(0, fields, count, NULL, 0, &schema, NULL) == FRZ_OK);
    return schema;
}

static void check_reparse(const frz_schema *schema, const frz_expr *expr, frz_arena *arena)
{
    const frz_expr *again = NULL;
    frz_buffer first = {0};
    frz_buffer second = {0};
    frz_expr_print(expr, &first);
    FUZZ_CHECK(frz_expr_parse(frz_buffer_slice(&first),
                              &(const frz_expr_scope){schema, NULL, true, true}, arena, &again,
                              NULL) == FRZ_OK);
    frz_expr_print(again, &second);
    FUZZ_CHECK(frz_slice_equal(frz_buffer_slice(&first), frz_buffer_slice(&second)));
    frz_buffer_clear(&first);
    frz_buffer_clear(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static frz_schema *schema;
    frz_arena arena = {.budget = (size_t)64 << 20};
    frz_error *err = NULL;
    const frz_expr *expr = NULL;
    uint64_t offset = 0;
    if (!schema)
        schema = make_schema();
    const frz_status status =
        frz_expr_parse(frz_slice_of(data, size), &(const frz_expr_scope){schema, NULL, false, true},
                       &arena, &expr, &err);
    if (status == FRZ_OK) {
        const frz_value nulls[64] = {{.form = FRZ_VALUE_NULL}};
        check_reparse(schema, expr, &arena);
        (void)frz_expr_test_tuple(expr, frz_schema_type(schema), nulls);
        FUZZ_CHECK(frz_expr_not(frz_expr_not(expr, &arena), &arena) != NULL);
    } else {
        FUZZ_CHECK(status == FRZ_INVALID || status == FRZ_UNSUPPORTED || status == FRZ_NO_MEMORY);
        FUZZ_CHECK(status == FRZ_NO_MEMORY || (frz_error_offset(err, &offset) && offset <= size));
    }
    frz_error_free(err);
    frz_arena_clear(&arena);
    return 0;
}
