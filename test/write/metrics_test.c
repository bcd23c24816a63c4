#include "write/metrics.h"

#include "harness.h"

#include "arrow/schema.h"

#include "metadata_fixture.h"

static void modes_are_parsed_or_named(void **state)
{
    frz_error *err = NULL;
    frz_metrics_mode mode;
    (void)state;
    CHECK_OK(frz_metrics_mode_parse("TRUNCATE(8)", &mode, &err), err);
    CHECK(mode.kind == FRZ_METRICS_TRUNCATE && mode.length == 8);
    CHECK_OK(frz_metrics_mode_parse("none", &mode, &err), err);
    CHECK(mode.kind == FRZ_METRICS_NONE);
    CHECK_OK(frz_metrics_mode_parse("Counts", &mode, &err), err);
    CHECK(mode.kind == FRZ_METRICS_COUNTS);
    CHECK_OK(frz_metrics_mode_parse("full", &mode, &err), err);
    CHECK(mode.kind == FRZ_METRICS_FULL);
    CHECK_FAILS(frz_metrics_mode_parse("truncate(0)", &mode, &err), FRZ_INVALID, err,
                "truncate(0)");
    CHECK_FAILS(frz_metrics_mode_parse("truncate(x)", &mode, &err), FRZ_INVALID, err,
                "truncate(x)");
    CHECK_FAILS(frz_metrics_mode_parse("some", &mode, &err), FRZ_INVALID, err, "some");
}

typedef struct bound_case {
    const char *value;
    int32_t length;
    const char *lower;
    const char *upper; /* NULL: there is none */
} bound_case;

/* D061: the successor of a code point skips surrogates, carries left, and may not exist. */
static const bound_case texts[] = {
    {"", 16, "", ""},
    {"abc", 3, "abc", "abc"},
    {"abcd", 3, "abc", "abd"},
    {"ab\x7f"
     "d",
     3, "ab\x7f", "ab\xc2\x80"},
    {"a\xed\x9f\xbfz", 2, "a\xed\x9f\xbf", "a\xee\x80\x80"}, /* U+D7FF -> U+E000 */
    {"a\xf4\x8f\xbf\xbfz", 2, "a\xf4\x8f\xbf\xbf", "b"},     /* U+10FFFF carries */
    {"\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbfz", 2, "\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf", NULL},
    {"\xef\xbf\xbfz", 1, "\xef\xbf\xbf", "\xf0\x90\x80\x80"}, /* U+FFFF -> U+10000 */
    {"z\xc3\xbf\xc3\xbf", 2, "z\xc3\xbf", "z\xc4\x80"},
};

static void d061_text_bounds_are_cut_at_code_points(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        frz_arena arena = {0};
        frz_slice out;
        const frz_slice value = frz_slice_of_text(texts[i].value);
        CHECK(frz_bound_truncate_lower(value, true, texts[i].length, &out));
        CHECK(frz_slice_is_text(out, texts[i].lower));
        const bool some = frz_bound_truncate_upper(value, true, texts[i].length, &arena, &out);
        CHECK(some == (texts[i].upper != NULL));
        if (some)
            CHECK(frz_slice_is_text(out, texts[i].upper));
        if (some) /* what a bound must be */
            CHECK(frz_slice_compare(out, value) >= 0);
        frz_arena_clear(&arena);
    }
}

static void bytes_that_are_no_text_have_no_bounds(void **state)
{
    static const char *const bad[] = {"a\xff", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80",
                                      "\xe2\x82"};
    frz_arena arena = {0};
    frz_slice out;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(!frz_bound_truncate_lower(frz_slice_of_text(bad[i]), true, 4, &out));
        CHECK(!frz_bound_truncate_upper(frz_slice_of_text(bad[i]), true, 4, &arena, &out));
    }
    frz_arena_clear(&arena);
}

static void binary_bounds_are_cut_at_bytes(void **state)
{
    frz_arena arena = {0};
    frz_slice out;
    (void)state;
    CHECK(frz_bound_truncate_lower(frz_slice_of("\x01\xff\xff", 3), false, 2, &out));
    CHECK(out.size == 2);
    CHECK(frz_bound_truncate_upper(frz_slice_of("\x01\xff\xff", 3), false, 2, &arena, &out));
    CHECK(out.size == 1 && out.data[0] == 2);
    CHECK(!frz_bound_truncate_upper(frz_slice_of("\xff\xff\xff", 3), false, 2, &arena, &out));
    CHECK(frz_bound_truncate_upper(frz_slice_of("\xff\xff", 2), false, 2, &arena, &out));
    CHECK(out.size == 2);
    frz_arena_clear(&arena);
}

static const frz_metrics_mode *mode_of(const frz_metrics_config *config, const char *name)
{
    const frz_field *field = frz_schema_find_name(config->schema, frz_slice_of_text(name), true);
    for (size_t i = 0; i < frz_schema_field_count(config->schema); i++) {
        if (frz_schema_field_at(config->schema, i) == field)
            return &config->modes[i];
    }
    fail_msg("no column %s", name);
    abort(); /* fail_msg jumps, which compilers do not know */
}

static void modes_come_from_properties_and_the_sort_order(void **state)
{
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_metrics_config config;
    frz_property properties[] = {{"write.metadata.metrics.default", "counts"},
                                 {"write.metadata.metrics.column.s.x", "full"},
                                 {"write.metadata.metrics.column.dropped", "none"}};
    metadata_text text = {.schema = "a int, b string, s struct<x: int, y: int>, c int",
                          .sort = "b",
                          .properties = properties,
                          .property_count = 3};
    (void)state;
    frz_metadata *metadata = metadata_of(&text);
    CHECK_OK(
        frz_metrics_config_read(metadata, frz_metadata_schema(metadata), &arena, &config, &err),
        err);
    CHECK(mode_of(&config, "a")->kind == FRZ_METRICS_COUNTS);
    CHECK(mode_of(&config, "b")->kind == FRZ_METRICS_TRUNCATE); /* sorted */
    CHECK(mode_of(&config, "b")->length == 16);
    CHECK(mode_of(&config, "s.x")->kind == FRZ_METRICS_FULL);
    CHECK(mode_of(&config, "s.y")->kind == FRZ_METRICS_COUNTS);
    frz_metadata_unref(metadata);

    properties[1].value = "nonsense";
    metadata = metadata_of(&text);
    CHECK_FAILS(
        frz_metrics_config_read(metadata, frz_metadata_schema(metadata), &arena, &config, &err),
        FRZ_INVALID, err,
        "table property write.metadata.metrics.column.s.x: metrics mode \"nonsense\"");
    frz_metadata_unref(metadata);
    frz_arena_clear(&arena);
}

static void the_first_columns_are_those_of_the_top_level(void **state)
{
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_metrics_config config;
    const frz_property limit = {"write.metadata.metrics.max-inferred-column-defaults", "4"};
    const metadata_text text = {.schema = "a int, b string, s struct<x: int, y: int>, c int",
                                .properties = &limit,
                                .property_count = 1};
    (void)state;
    frz_metadata *metadata = metadata_of(&text);
    CHECK_OK(
        frz_metrics_config_read(metadata, frz_metadata_schema(metadata), &arena, &config, &err),
        err);
    CHECK(mode_of(&config, "a")->kind == FRZ_METRICS_TRUNCATE);
    CHECK(mode_of(&config, "c")->kind == FRZ_METRICS_TRUNCATE);
    CHECK(mode_of(&config, "s.x")->kind == FRZ_METRICS_TRUNCATE);
    CHECK(mode_of(&config, "s.y")->kind == FRZ_METRICS_NONE);
    frz_metadata_unref(metadata);
    frz_arena_clear(&arena);
}

/* A leaf with PLAIN bounds. */
static frz_parquet_leaf_summary leaf(int32_t id, const frz_parquet_node *node, const void *min,
                                     const void *max, size_t size)
{
    return (frz_parquet_leaf_summary){.field_id = id,
                                      .node = node,
                                      .compressed_size = 100 + id,
                                      .value_count = 10,
                                      .null_count = 2,
                                      .nan_count = 1,
                                      .has_bounds = true,
                                      .min = frz_slice_of(min, size),
                                      .max = frz_slice_of(max, size)};
}

static void bounds_take_the_form_of_appendix_d(void **state)
{
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_metrics_config config;
    frz_column_metrics *columns = NULL;
    size_t count = 0;
    const int32_t small = -1;
    const int64_t large = 1234;
    const double zero = 0.0;
    const double minus_zero = -0.0;
    const frz_parquet_node int32_node = {.type = FRZ_PARQUET_INT32};
    const frz_parquet_node int64_node = {.type = FRZ_PARQUET_INT64};
    const frz_parquet_node fixed_node = {.type = FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY};
    const metadata_text text = {.schema = "a decimal(9,2), b decimal(18,2), c decimal(38,2), "
                                          "d double, l list<int>, s string, u uuid, n double"};
    static const uint8_t wide_low[16] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                         0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x80};
    static const uint8_t uuid[16] = "0123456789abcdef";
    frz_parquet_leaf_summary leaves[] = {
        leaf(8, &fixed_node, NULL, NULL, 0),
        leaf(1, &int32_node, &small, &small, 4),
        leaf(2, &int64_node, &large, &large, 8),
        leaf(3, &fixed_node, wide_low, wide_low, 16),
        leaf(4, &int64_node, &zero, &minus_zero, 8),
        leaf(6, &fixed_node, "0123456789abcdefgh", "0123456789abcdefgh", 18),
        leaf(7, &fixed_node, uuid, uuid, 16),
        leaf(9, &int32_node, &small, &small, 4), /* l.element */
        leaf(99, &int32_node, &small, &small, 4),
    };
    leaves[0].has_bounds = false;
    const frz_parquet_summary summary = {.leaves = leaves, .leaf_count = 9};
    (void)state;
    frz_metadata *metadata = metadata_of(&text);
    CHECK_OK(
        frz_metrics_config_read(metadata, frz_metadata_schema(metadata), &arena, &config, &err),
        err);
    CHECK_OK(frz_metrics_of_summary(&config, &summary, &arena, &columns, &count, &err), err);
    CHECK(count == 8); /* column 99 is not the table's */
    CHECK(columns[0].field_id == 1 && columns[7].field_id == 9);
    CHECK(columns[0].column_size == 101 && columns[0].value_count == 10);
    CHECK(columns[0].null_count == 2 && columns[0].nan_count == -1);
    CHECK(frz_slice_equal(columns[0].lower, frz_slice_of("\xff", 1)));
    CHECK(frz_slice_equal(columns[1].upper, frz_slice_of("\x04\xd2", 2)));
    CHECK(frz_slice_equal(columns[2].lower, frz_slice_of("\x80", 1)));
    /* D060: -0.0 below, +0.0 above, whatever the file said. */
    CHECK(frz_slice_equal(columns[3].lower, frz_slice_of("\0\0\0\0\0\0\0\x80", 8)));
    CHECK(frz_slice_equal(columns[3].upper, frz_slice_of("\0\0\0\0\0\0\0\0", 8)));
    CHECK(columns[3].nan_count == 1);
    CHECK(frz_slice_is_text(columns[4].lower, "0123456789abcdef"));
    CHECK(frz_slice_is_text(columns[4].upper, "0123456789abcdeg"));
    CHECK(columns[5].lower.size == 16);
    CHECK(!columns[6].has_lower && !columns[6].has_upper && columns[6].value_count == 10);
    CHECK(!columns[7].has_lower && columns[7].value_count == 10); /* within a list */
    frz_metadata_unref(metadata);
    frz_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_are_parsed_or_named),
        cmocka_unit_test(d061_text_bounds_are_cut_at_code_points),
        cmocka_unit_test(bytes_that_are_no_text_have_no_bounds),
        cmocka_unit_test(binary_bounds_are_cut_at_bytes),
        cmocka_unit_test(modes_come_from_properties_and_the_sort_order),
        cmocka_unit_test(the_first_columns_are_those_of_the_top_level),
        cmocka_unit_test(bounds_take_the_form_of_appendix_d),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
