#include "harness.h"

#include "spec/ddl.h"

static frz_schema *orders(void)
{
    static const char text[] =
        "id long not null, name string, ts timestamp, day date, region string, f float, "
        "amount decimal(9, 2), addr struct<city: string, \"a.b\": int>, tags list<string>, "
        "v variant, m map<string, struct<x: int>>, Upper int";
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    CHECK_OK(frz_ddl_parse_schema(frz_slice_of_text(text), &schema, &err), err);
    return schema;
}

/* A spec printed as `name=transform(source)@id`. */
static void check_partition(const char *text, const char *want)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_buffer printed = {0};
    frz_partition_spec spec = {0};
    frz_schema *schema = orders();
    CHECK_OK(frz_ddl_parse_partition(frz_slice_of_text(text), schema, &arena, &spec, &err), err);
    CHECK(spec.spec_id == 0);
    for (size_t i = 0; i < spec.field_count; i++)
        frz_buffer_printf(&printed, "%s%s=%s(%s)@%d", i ? " " : "", spec.fields[i].name,
                          spec.fields[i].transform.text,
                          frz_schema_path(schema, spec.fields[i].source_ids[0]),
                          spec.fields[i].field_id);
    if (!frz_slice_is_text(frz_buffer_slice(&printed), want))
        fail_msg("%s: %.*s", text, (int)printed.size, (const char *)printed.data);
    frz_buffer_clear(&printed);
    frz_schema_unref(schema);
    frz_arena_clear(&arena);
}

static void test_partition_terms_are_named_as_java_names_them(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"", ""},
        {"  ", ""},
        {"region", "region=identity(region)@1000"},
        {"day(ts), bucket(16, id) as shard, truncate(4, name), region",
         "ts_day=day(ts)@1000 shard=bucket[16](id)@1001 name_trunc=truncate[4](name)@1002 "
         "region=identity(region)@1003"},
        {"Bucket( id , 8 )", "id_bucket=bucket[8](id)@1000"},
        {"years(ts)", "ts_year=year(ts)@1000"},
        {"months(ts)", "ts_month=month(ts)@1000"},
        {"hours(ts)", "ts_hour=hour(ts)@1000"},
        {"day", "day=identity(day)@1000"}, /* a column of that name */
        {"days(day)", "day_day=day(day)@1000"},
        {"identity(region) as r", "r=identity(region)@1000"},
        {"void(v)", "v_null=void(v)@1000"},
        {"void(region) as region", "region=void(region)@1000"},
        {"addr.city", "addr.city=identity(addr.city)@1000"},
        {"bucket(4, \"addr\".`city`)", "addr.city_bucket=bucket[4](addr.city)@1000"},
        {"\"addr.city\"", "addr.city=identity(addr.city)@1000"},
        {"addr.\"a.b\"", "addr.a.b=identity(addr.a.b)@1000"},
        {"REGION", "region=identity(region)@1000"},
        {"upper", "Upper=identity(Upper)@1000"},
        {"bucket(4, id) as a, bucket(8, id) as b", "a=bucket[4](id)@1000 b=bucket[8](id)@1001"},
        {"truncate(2147483647, amount) AS \"w x\"", "w x=truncate[2147483647](amount)@1000"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_partition(rows[i][0], rows[i][1]);
}

static void test_sort_terms(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *want;
    } rows[] = {
        {"", "0:"},
        {"id", "1: identity(id) asc first"},
        {"day(ts) asc nulls first, id desc", "1: day(ts) asc first, identity(id) desc last"},
        {"id DESC NULLS FIRST, name nulls last, bucket(4, id) asc nulls last",
         "1: identity(id) desc first, identity(name) asc last, bucket[4](id) asc last"},
        {"f, addr.city desc nulls last", "1: identity(f) asc first, identity(addr.city) desc last"},
        {"truncate(3, name) as n desc", "1: truncate[3](name) desc last"},
    };
    frz_schema *schema = orders();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        frz_arena arena = {0};
        frz_error *err = NULL;
        frz_buffer printed = {0};
        frz_sort_order order = {0};
        CHECK_OK(frz_ddl_parse_sort(frz_slice_of_text(rows[i].text), schema, &arena, &order, &err),
                 err);
        frz_buffer_printf(&printed, "%d:", order.order_id);
        for (size_t j = 0; j < order.field_count; j++)
            frz_buffer_printf(&printed, "%s %s(%s) %s %s", j ? "," : "",
                              order.fields[j].transform.text,
                              frz_schema_path(schema, order.fields[j].source_ids[0]),
                              order.fields[j].descending ? "desc" : "asc",
                              order.fields[j].nulls_last ? "last" : "first");
        if (!frz_slice_is_text(frz_buffer_slice(&printed), rows[i].want))
            fail_msg("%s: %.*s", rows[i].text, (int)printed.size, (const char *)printed.data);
        frz_buffer_clear(&printed);
        frz_arena_clear(&arena);
    }
    frz_schema_unref(schema);
}

typedef struct bad_term {
    const char *text;
    uint64_t offset;
    const char *message;
} bad_term;

static void check_refused(const bad_term *rows, size_t count, bool sort)
{
    frz_schema *schema = orders();
    for (size_t i = 0; i < count; i++) {
        frz_arena arena = {0};
        frz_error *err = NULL;
        frz_partition_spec spec = {.spec_id = -7};
        frz_sort_order order = {.order_id = -7};
        uint64_t offset = 999;
        const frz_slice text = frz_slice_of_text(rows[i].text);
        const frz_status status = sort ? frz_ddl_parse_sort(text, schema, &arena, &order, &err)
                                       : frz_ddl_parse_partition(text, schema, &arena, &spec, &err);
        CHECK(status == FRZ_INVALID && spec.spec_id == -7 && order.order_id == -7);
        CHECK(frz_error_offset(err, &offset));
        if (offset != rows[i].offset || !strstr(frz_error_message(err), rows[i].message))
            fail_msg("%s: %d %s", rows[i].text, (int)offset, frz_error_message(err));
        frz_error_free(err);
        frz_arena_clear(&arena);
    }
    frz_schema_unref(schema);
}

static void test_refuses_with_the_column_of_the_fault(void **state)
{
    (void)state;
    static const bad_term partition[] = {
        {"regoin", 0, "partition: no column regoin; near: region"},
        {"day(ts), bucket(4, nothing_like_it)", 19, "partition: no column nothing_like_it"},
        {"day(ts),", 8, "expected a column or a transform, got the end"},
        {"hash(4, id)", 0,
         "expected identity, bucket, truncate, year, month, day, hour or void, got hash"},
        {"bucket(id)", 9, "expected \",\", got )"},
        {"bucket(0, id)", 7, "expected a whole number from 1 to 2147483647, got 0"},
        {"bucket(2147483648, id)", 7, "expected a whole number from 1 to 2147483647"},
        {"bucket(id, 1.5)", 11, "expected a whole number from 1 to 2147483647, got 1.5"},
        {"bucket(4, id", 12, "expected \")\", got the end"},
        {"bucket(4, f)", 0, "bucket[4] does not take column f of type float"},
        {"id, hour(day)", 4, "hour does not take column day of type date"},
        {"truncate(4, ts)", 0, "truncate[4] does not take column ts of type timestamp"},
        {"addr", 0, "identity does not take column addr of type struct"},
        {"v", 0, "identity does not take column v of type variant"},
        {"tags.element", 0, "column tags.element is inside of a list"},
        {"m.value.x", 0, "column m.value.x is inside of a map"},
        {"region, region as r", 8, "identity is redundant beside identity of the same column"},
        {"day(ts), hour(ts)", 9, "hour is redundant beside day of the same column"},
        {"region, void(name) as region", 8, "the name region is that of a column"},
        {"region as r, name as r", 13, "a second field named r"},
        {"bucket(4, id) as region", 0, "the name region is that of a column; give another"},
        {"bucket(4, id) as", 16, "expected a name, got the end"},
        {"region name", 7, "expected \",\" or the end, got name"},
        {"region desc", 7, "expected \",\" or the end, got desc"},
        {"addr.", 5, "expected a column name, got the end"},
        {"\"day\"(ts)", 5, "got ("}, /* a quoted name is a column */
        {"'region'", 0, "expected a column or a transform, got 'region'"},
    };
    static const bad_term sort[] = {
        {"id up", 3, "sort: expected \",\" or the end, got up"},
        {"id nulls", 8, "sort: expected first or last, got the end"},
        {"id desc asc", 8, "expected \",\" or the end, got asc"},
        {"addr", 0, "sort: identity does not take column addr of type struct"},
        {"tags.element", 0, "inside of a list"},
    };
    check_refused(partition, sizeof partition / sizeof partition[0], false);
    check_refused(sort, sizeof sort / sizeof sort[0], true);
}

static void test_limits_the_length_of_paths(void **state)
{
    (void)state;
    frz_buffer text = {0};
    frz_buffer_append_text(&text, "a");
    for (int i = 0; i < 200; i++)
        frz_buffer_append_text(&text, ".a");
    frz_buffer_append_byte(&text, 0);
    const bad_term row = {(const char *)text.data, 259, "limit nesting_depth"};
    check_refused(&row, 1, false);
    frz_buffer_clear(&text);
}

static const char sweep_text[] = "bucket(4, id) as \"x\", addr.city, day(ts)";
static frz_schema *sweep_schema;

static void parse_once(void)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_partition_spec spec = {0};
    frz_sort_order order = {0};
    const frz_slice text = frz_slice_of_text(sweep_text);
    frz_status status = frz_ddl_parse_partition(text, sweep_schema, &arena, &spec, &err);
    if (status == FRZ_OK)
        status = frz_ddl_parse_sort(text, sweep_schema, &arena, &order, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_error_free(err);
    frz_arena_clear(&arena);
}

static void test_short_memory_is_reported(void **state)
{
    (void)state;
    sweep_schema = orders();
    sweep_allocation_failures(parse_once);
    frz_schema_unref(sweep_schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_partition_terms_are_named_as_java_names_them),
        cmocka_unit_test(test_sort_terms),
        cmocka_unit_test(test_refuses_with_the_column_of_the_fault),
        cmocka_unit_test(test_limits_the_length_of_paths),
        cmocka_unit_test(test_short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
