/*
 * Assignments of updates: any text parses or is refused at an offset within it; what parsed has a
 * value for a row, or says why not.
 */
#include "arrow/array.h"
#include "arrow/schema.h"
#include "expr/assignment.h"
#include "spec/ddl.h"
#include "target.h"

static frz_schema *make_schema(void)
{
    frz_schema *schema = NULL;
    FUZZ_CHECK(
        frz_ddl_parse_schema(
            frz_slice_of_text("i int, l long, f float, d double, p decimal(9,2), s string, b "
                              "boolean, day date, ts timestamp, tz timestamptz, x binary, "
                              "n struct<a: int, t: string>, tags list<string>, m map<string, "
                              "int>, u uuid, t time"),
            &schema, NULL) == FRZ_OK);
    return schema;
}

static void compute(const frz_schema *schema, const frz_assignment *items, size_t count,
                    frz_arena *arena)
{
    struct ArrowSchema arrow = {0};
    struct ArrowArray nulls = {0};
    FUZZ_CHECK(frz_schema_to_arrow(schema, &arrow, NULL) == FRZ_OK);
    FUZZ_CHECK(frz_arrow_array_nulls(&arrow, 1, &nulls, NULL) == FRZ_OK);
    for (size_t i = 0; i < count; i++) {
        frz_value value;
        frz_error *err = NULL;
        if (!items[i].formula)
            continue;
        const frz_status status =
            frz_formula_value(items[i].formula, &nulls, 0, arena, &value, &err);
        FUZZ_CHECK(status == FRZ_OK || status == FRZ_INVALID);
        FUZZ_CHECK(status != FRZ_OK || frz_value_fits(items[i].field->type, &value));
        frz_error_free(err);
    }
    frz_arrow_array_clear(&nulls);
    frz_arrow_schema_clear(&arrow);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    frz_arena arena = {.budget = (size_t)256 << 20};
    frz_error *err = NULL;
    const frz_assignment *items = NULL;
    size_t count = 0;
    uint64_t offset = 0;
    frz_schema *schema = make_schema();
    const frz_expr_scope values = {.schema = schema};
    const frz_assignment_scope scope = {schema, &values, frz_schema_type(schema)};
    const frz_status status =
        frz_assignments_parse(frz_slice_of(data, size), &scope, &arena, &items, &count, &err);
    if (status == FRZ_OK)
        compute(schema, items, count, &arena);
    else if (frz_error_offset(err, &offset))
        FUZZ_CHECK(offset <= size);
    frz_error_free(err);
    frz_schema_unref(schema);
    frz_arena_clear(&arena);
    return 0;
}
