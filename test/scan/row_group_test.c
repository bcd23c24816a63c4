/*
 * What row groups are kept for a filter, by kind of evidence: over data files made by hand, put in
 * the place of those of a table.
 */
#include "scan/row_group.h"

#include "scan/table_fixture.h"

#include "parquet/made_bloom.h"
#include "parquet/made_file.h"
#include "scan/plan_depth.h"

enum { ROWS = 4, STRING = 0, DECIMAL = 5, DATE = 6, MICROS = 10 };

/* A column x of the file: how its values stand there. */
typedef struct column_shape {
    const char *type; /* of the table */
    int physical;
    int32_t length; /* of FIXED_LEN_BYTE_ARRAY */
    int converted;
    int32_t precision;
    int32_t scale;
    frz_slice page;       /* ROWS values, or the dictionary when `index` is not empty */
    frz_slice member;     /* of the Bloom filter, when not empty */
    frz_slice index;      /* of the dictionary-encoded page */
    int32_t entries;      /* of the dictionary */
    frz_slice plain_page; /* ROWS more rows, not dictionary encoded */
    frz_slice least;      /* statistics */
    frz_slice greatest;
    bool all_null;     /* optional, and no value in any row */
    bool no_column;    /* the file has no column at all */
    bool broken_bloom; /* its bits are fewer than the footer says */
} column_shape;

#define BYTES(text)                               \
    {                                             \
        (const uint8_t *)(text), sizeof(text) - 1 \
    }

static int64_t shape_rows(const column_shape *shape)
{
    return shape->plain_page.size ? 2 * ROWS : ROWS;
}

/* The file of a row group with one column of field id 1. */
static void make_file(const column_shape *shape, made_file *file, frz_buffer *bloom_bytes)
{
    element_spec schema[] = {GROUP("root", NONE, 1, NONE),
                             LEAF("x", shape->all_null, shape->physical, NONE)};
    schema[1].converted = shape->converted;
    schema[1].type_length = shape->length;
    schema[1].precision = shape->precision;
    schema[1].scale = shape->scale;
    schema[1].field_id = 1;
    made_begin(file);
    if (shape->no_column) {
        schema[0].children = 0;
        made_finish(file, schema, 1, ROWS);
        return;
    }
    file->ordered = true;
    made_column *column = made_column_begin(file);
    column->least = shape->least;
    column->greatest = shape->greatest;
    column->encoding_stats = shape->index.size > 0;
    column->plain_pages = shape->plain_page.size > 0;
    if (shape->index.size) {
        made_add_page(file, (made_page){.type = FRZ_PARQUET_PAGE_DICTIONARY,
                                        .value_count = shape->entries,
                                        .values = shape->page});
        made_add_page(file, (made_page){.encoding = FRZ_PARQUET_RLE_DICTIONARY,
                                        .value_count = ROWS,
                                        .values = shape->index});
    } else {
        static const uint8_t all_null[] = {2, 0, 0, 0, ROWS << 1, 0}; /* a run of level 0 */
        made_add_page(file, (made_page){.value_count = ROWS,
                                        .definition = frz_slice_of(
                                            all_null, shape->all_null ? sizeof all_null : 0),
                                        .values = shape->page});
    }
    if (shape->plain_page.size)
        made_add_page(file, (made_page){.value_count = ROWS, .values = shape->plain_page});
    if (shape->member.size) {
        made_bloom bloom = {.block_count = 2};
        made_bloom_insert(&bloom, shape->member.data, shape->member.size);
        made_bloom_print(&bloom, shape->broken_bloom ? 32 : 64, 1, bloom_bytes);
        column->bloom = frz_buffer_slice(bloom_bytes);
        column->bloom_size = (int32_t)bloom_bytes->size;
    }
    made_finish(file, schema, 2, shape_rows(shape));
}

/* A table of one file, which is the made one. */
static numbered_table table_of(const column_shape *shape)
{
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    frz_plan *plan = NULL;
    made_file file;
    frz_buffer bloom = {0};
    char schema[64];
    (void)snprintf(schema, sizeof schema, "x %s", shape->type);
    numbered_table self = numbered_open(&(table_shape){.schema = schema, .metrics = "none"});
    append_numbers(&self, 0, shape_rows(shape));
    make_file(shape, &file, &bloom);
    CHECK_OK(frz_scan_new(self.table, NULL, &scan, &err), err);
    CHECK_OK(frz_scan_plan(scan, &plan, &err), err);
    replace_stored(self.storage, frz_plan_file_at(plan, 0)->path, frz_buffer_slice(&file.bytes));
    frz_plan_free(plan);
    frz_scan_free(scan);
    made_clear(&file);
    frz_buffer_clear(&bloom);
    return self;
}

/* The rows of a filter, and why the row group was dropped; NULL: it is kept. */
static void check_filter(const numbered_table *self, const char *where, int64_t rows,
                         const char *reason)
{
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    frz_plan *plan = NULL;
    frz_plan_depth depth = {0};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = where;
    CHECK_OK(frz_scan_new(self->table, &options, &scan, &err), err);
    CHECK_OK(frz_scan_plan(scan, &plan, &err), err);
    CHECK_OK(frz_plan_look_inside(plan, &depth, &err), err);
    const char *got = depth.groups.dropped[0].reason;
    if (depth.groups.considered != 1 || depth.groups.kept != (reason == NULL) ||
        (reason ? !got || strcmp(got, reason) != 0 : got != NULL))
        fail_msg("%s: dropped by %s, not %s", where, got ? got : "nothing",
                 reason ? reason : "nothing");
    if (count_rows(self->table, where) != rows)
        fail_msg("%s: %lld rows, not %lld", where, (long long)count_rows(self->table, where),
                 (long long)rows);
    frz_plan_free(plan);
    frz_scan_free(scan);
}

/* One value of ROWS times, of every type that has one PLAIN form: the filter decides what is not
 * there. */
static void test_bloom_filters_of_every_physical_type(void **state)
{
    (void)state;
    static const struct {
        column_shape shape;
        const char *there;
        const char *elsewhere;
    } cases[] = {
        {{.type = "int",
          .physical = FRZ_PARQUET_INT32,
          .converted = NONE,
          .page = BYTES("\5\0\0\0\5\0\0\0\5\0\0\0\5\0\0\0"),
          .member = BYTES("\5\0\0\0")},
         "x = 5",
         "x = 6"},
        {{.type = "long",
          .physical = FRZ_PARQUET_INT32,
          .converted = NONE,
          .page = BYTES("\5\0\0\0\5\0\0\0\5\0\0\0\5\0\0\0"),
          .member = BYTES("\5\0\0\0")},
         "x in (5, 7)",
         "x in (6, 7)"},
        {{.type = "long",
          .physical = FRZ_PARQUET_INT64,
          .converted = NONE,
          .page = BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
                        "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
          .member = BYTES("\xff\xff\xff\xff\xff\xff\xff\xff")},
         "x = -1",
         "x = 1"},
        {{.type = "float",
          .physical = FRZ_PARQUET_FLOAT,
          .converted = NONE,
          .page = BYTES("\0\0\0\x3f\0\0\0\x3f\0\0\0\x3f\0\0\0\x3f"),
          .member = BYTES("\0\0\0\x3f")},
         "x = 0.5",
         "x = 0.25"},
        {{.type = "double",
          .physical = FRZ_PARQUET_FLOAT,
          .converted = NONE,
          .page = BYTES("\0\0\0\x3f\0\0\0\x3f\0\0\0\x3f\0\0\0\x3f"),
          .member = BYTES("\0\0\0\x3f")},
         "x = 0.5",
         "x = 0.25"},
        {{.type = "date",
          .physical = FRZ_PARQUET_INT32,
          .converted = DATE,
          .page = BYTES("\5\0\0\0\5\0\0\0\5\0\0\0\5\0\0\0"),
          .member = BYTES("\5\0\0\0")},
         "x = '1970-01-06'",
         "x = '1970-01-07'"},
        {{.type = "timestamptz",
          .physical = FRZ_PARQUET_INT64,
          .converted = MICROS,
          .page = BYTES("\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"),
          .member = BYTES("\1\0\0\0\0\0\0\0")},
         "x = '1970-01-01T00:00:00.000001Z'",
         "x = '1970-01-01T00:00:00.000002Z'"},
        {{.type = "string",
          .physical = FRZ_PARQUET_BYTE_ARRAY,
          .converted = STRING,
          .page = BYTES("\2\0\0\0ab\2\0\0\0ab\2\0\0\0ab\2\0\0\0ab"),
          .member = BYTES("ab")},
         "x = 'ab'",
         "x = 'ac'"},
        {{.type = "binary",
          .physical = FRZ_PARQUET_BYTE_ARRAY,
          .converted = NONE,
          .page = BYTES("\2\0\0\0ab\2\0\0\0ab\2\0\0\0ab\2\0\0\0ab"),
          .member = BYTES("ab")},
         "x = X'6162'",
         "x = X'6163'"},
        {{.type = "fixed[2]",
          .physical = FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY,
          .length = 2,
          .converted = NONE,
          .page = BYTES("abababab"),
          .member = BYTES("ab")},
         "x = X'6162'",
         "x = X'6163'"},
        {{.type = "decimal(9,2)",
          .physical = FRZ_PARQUET_INT32,
          .converted = DECIMAL,
          .precision = 9,
          .scale = 2,
          .page = BYTES("\x6d\xfd\xff\xff\x6d\xfd\xff\xff\x6d\xfd\xff\xff\x6d\xfd\xff\xff"),
          .member = BYTES("\x6d\xfd\xff\xff")},
         "x = -6.59",
         "x = 6.59"},
        {{.type = "decimal(18,2)",
          .physical = FRZ_PARQUET_INT64,
          .converted = DECIMAL,
          .precision = 18,
          .scale = 2,
          .page = BYTES("\5\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0"),
          .member = BYTES("\5\0\0\0\0\0\0\0")},
         "x = 0.05",
         "x = 0.06"},
        {{.type = "decimal(9,2)",
          .physical = FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY,
          .length = 4,
          .converted = DECIMAL,
          .precision = 9,
          .scale = 2,
          .page = BYTES("\xff\xff\xfd\x6d\xff\xff\xfd\x6d\xff\xff\xfd\x6d\xff\xff\xfd\x6d"),
          .member = BYTES("\xff\xff\xfd\x6d")},
         "x = -6.59",
         "x = 6.59"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        numbered_table self = table_of(&cases[i].shape);
        check_filter(&self, cases[i].there, ROWS, NULL);
        check_filter(&self, cases[i].elsewhere, 0, "bloom_filter");
        numbered_close(&self);
    }
}

/* A decimal in a byte array may be longer than it need be, a NaN has many forms, INT96 has no order
 * and a unit of its own: filters that hold other bytes of them say nothing. */
static void test_values_of_many_forms_are_not_looked_up(void **state)
{
    (void)state;
    static const struct {
        column_shape shape;
        const char *there;
    } cases[] = {
        {{.type = "decimal(9,2)",
          .physical = FRZ_PARQUET_BYTE_ARRAY,
          .converted = DECIMAL,
          .precision = 9,
          .scale = 2,
          .page = BYTES("\2\0\0\0\0\5\2\0\0\0\0\5\2\0\0\0\0\5\2\0\0\0\0\5"),
          .member = BYTES("\0\5")},
         "x = 0.05"},
        {{.type = "timestamptz",
          .physical = FRZ_PARQUET_INT96,
          .converted = NONE,
          .page = BYTES("\0\0\0\0\0\0\0\0\x8c\x3d\x25\0\0\0\0\0\0\0\0\0\x8c\x3d\x25\0"
                        "\0\0\0\0\0\0\0\0\x8c\x3d\x25\0\0\0\0\0\0\0\0\0\x8c\x3d\x25\0"),
          .member = BYTES("something else")},
         "x = '1970-01-01T00:00:00Z'"},
        {{.type = "float",
          .physical = FRZ_PARQUET_FLOAT,
          .converted = NONE,
          .page = BYTES("\1\0\xc0\x7f\1\0\xc0\x7f\1\0\xc0\x7f\1\0\xc0\x7f"),
          .member = BYTES("\1\0\xc0\x7f")},
         "isnan(x)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        numbered_table self = table_of(&cases[i].shape);
        check_filter(&self, cases[i].there, ROWS, NULL);
        numbered_close(&self);
    }
}

/* A filter of the hash of -0.0 alone must keep rows of x = 0.0, for which the two are equal. */
static void d095_a_bloom_filter_is_asked_for_both_zeros(void **state)
{
    (void)state;
    const column_shape shape = {.type = "float",
                                .physical = FRZ_PARQUET_FLOAT,
                                .converted = NONE,
                                .page = BYTES("\0\0\0\x80\0\0\0\x80\0\0\0\x80\0\0\0\x80"),
                                .member = BYTES("\0\0\0\x80")};
    numbered_table self = table_of(&shape);
    check_filter(&self, "x = 0.0", ROWS, NULL);
    check_filter(&self, "x in (-0.0, 7)", ROWS, NULL);
    check_filter(&self, "x = 0.5", 0, "bloom_filter");
    numbered_close(&self);
}

/* Values 1, 2, 3 in the dictionary; all rows are 2. */
static const column_shape dictionary_of_three = {.type = "int",
                                                 .physical = FRZ_PARQUET_INT32,
                                                 .converted = NONE,
                                                 .page = BYTES("\1\0\0\0\2\0\0\0\3\0\0\0"),
                                                 .index = BYTES("\2\x08\1"),
                                                 .entries = 3};

static void test_dictionaries_rule_out_what_they_do_not_hold(void **state)
{
    (void)state;
    numbered_table self = table_of(&dictionary_of_three);
    check_filter(&self, "x = 2", ROWS, NULL);
    check_filter(&self, "x = 7", 0, "dictionary");
    check_filter(&self, "x in (0, 4)", 0, "dictionary");
    check_filter(&self, "x > 3", 0, "dictionary");
    check_filter(&self, "x >= 3", 0, NULL); /* an entry that no row uses */
    check_filter(&self, "x = 7 or x < 1", 0, "dictionary");
    check_filter(&self, "x = 7 or x = 2", ROWS, NULL);
    check_filter(&self, "x = 2 and x not in (1, 2, 3)", 0, "dictionary");
    check_filter(&self, "x is not null", ROWS, NULL);
    numbered_close(&self);
    column_shape texts = {.type = "string",
                          .physical = FRZ_PARQUET_BYTE_ARRAY,
                          .converted = STRING,
                          .page = BYTES("\2\0\0\0ab\2\0\0\0zb"),
                          .index = BYTES("\1\x08\1"),
                          .entries = 2};
    self = table_of(&texts);
    check_filter(&self, "x like 'z%'", ROWS, NULL);
    check_filter(&self, "x like 'm%'", 0, "dictionary");
    check_filter(&self, "x starts with 'zz'", 0, "dictionary");
    check_filter(&self, "x not like '%b'", 0, "dictionary");
    numbered_close(&self);
}

static void test_not_a_number_is_a_value_of_a_dictionary(void **state)
{
    (void)state;
    const column_shape shape = {.type = "float",
                                .physical = FRZ_PARQUET_FLOAT,
                                .converted = NONE,
                                .page = BYTES("\0\0\xc0\x7f"),
                                .index = BYTES("\1\x08\0"),
                                .entries = 1};
    numbered_table self = table_of(&shape);
    check_filter(&self, "isnan(x)", ROWS, NULL);
    check_filter(&self, "x > 5", ROWS, NULL); /* NaN is greater than every number */
    check_filter(&self, "x < 5", 0, "dictionary");
    numbered_close(&self);
}

/* A chunk that falls back half-way has values that its dictionary has not. */
static void d095_a_dictionary_counts_only_when_all_pages_use_it(void **state)
{
    (void)state;
    column_shape shape = dictionary_of_three;
    shape.plain_page = (frz_slice)BYTES("\7\0\0\0\7\0\0\0\7\0\0\0\7\0\0\0");
    numbered_table self = table_of(&shape);
    check_filter(&self, "x = 7", ROWS, NULL);
    check_filter(&self, "x = 2", ROWS, NULL);
    check_filter(&self, "x = 8", 0, NULL);
    numbered_close(&self);
}

/* The dearer kinds are asked only for what the cheaper leave open; a filter whose bytes are wrong
 * is not asked at all. */
static void test_statistics_come_first_and_a_broken_filter_says_nothing(void **state)
{
    (void)state;
    column_shape shape = dictionary_of_three;
    shape.least = (frz_slice)BYTES("\1\0\0\0");
    shape.greatest = (frz_slice)BYTES("\3\0\0\0");
    shape.member = (frz_slice)BYTES("\2\0\0\0");
    numbered_table self = table_of(&shape);
    check_filter(&self, "x = 7", 0, "statistics");
    check_filter(&self, "x = 3", 0, "bloom_filter");
    check_filter(&self, "x = 7 or x = 3", 0, "bloom_filter");
    check_filter(&self, "x < 4 and x not in (1, 2, 3)", 0, "dictionary");
    numbered_close(&self);
    shape.broken_bloom = true;
    self = table_of(&shape);
    check_filter(&self, "x = 3", 0, NULL);
    check_filter(&self, "x = 2", ROWS, NULL);
    numbered_close(&self);
}

/* UINT_32, UINT_64 and TIMESTAMP(MILLIS) under the table's long and timestamp: values and
 * statistics alike are unsigned, and in the table's unit. */
static void d100_unsigned_and_millisecond_columns_are_converted(void **state)
{
    (void)state;
    enum { MILLIS = 9, UINT_32 = 13, UINT_64 = 14 };
    column_shape shape = {.type = "long",
                          .physical = FRZ_PARQUET_INT32,
                          .converted = UINT_32,
                          .page = BYTES("\0\x5e\xd0\xb2\1\0\0\0\0\x5e\xd0\xb2\1\0\0\0"),
                          .least = BYTES("\1\0\0\0"),
                          .greatest = BYTES("\0\x5e\xd0\xb2")};
    numbered_table self = table_of(&shape);
    check_filter(&self, "x = 3000000000", 2, NULL);
    check_filter(&self, "x > 5", 2, NULL);
    check_filter(&self, "x < 0", 0, "statistics");
    check_filter(&self, "x > 3000000000", 0, "statistics");
    numbered_close(&self);
    shape = (column_shape){
        .type = "timestamp",
        .physical = FRZ_PARQUET_INT64,
        .converted = MILLIS,
        .page = BYTES("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0"),
        .least = BYTES("\1\0\0\0\0\0\0\0"),
        .greatest = BYTES("\2\0\0\0\0\0\0\0")};
    self = table_of(&shape);
    check_filter(&self, "x = '1970-01-01T00:00:00.002'", 2, NULL);
    check_filter(&self, "x > '1970-01-01T00:00:00.001500'", 2, NULL);
    check_filter(&self, "x < '1970-01-01T00:00:00.001'", 0, "statistics");
    numbered_close(&self);
    shape = (column_shape){
        .type = "long",
        .physical = FRZ_PARQUET_INT64,
        .converted = UINT_64,
        .page = BYTES("\0\0\0\0\0\0\0\x80\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0")};
    self = table_of(&shape);
    frz_error *err = NULL;
    collected rows = {0};
    CHECK_FAILS(collect(self.table, NULL, &rows, &err), FRZ_CORRUPT, err,
                "column x: 9223372036854775808 is outside the range");
    collected_clear(&rows);
    numbered_close(&self);
    shape.page = (frz_slice)BYTES(
        "\xff\xff\xff\xff\xff\xff\xff\x7f\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0");
    shape.least = (frz_slice)BYTES("\1\0\0\0\0\0\0\0");
    shape.greatest = (frz_slice)BYTES("\0\0\0\0\0\0\0\x80"); /* of another row, say */
    self = table_of(&shape);
    check_filter(&self, "x = 9223372036854775807", 1, NULL);
    check_filter(&self, "x < 1", 0, "statistics");
    numbered_close(&self);
}

/* Their order is undefined (parquet.thrift, ColumnOrder): an INT96 column is never pruned by them.
 */
static void d097_int96_statistics_are_not_used(void **state)
{
    (void)state;
    const column_shape shape = {
        .type = "timestamptz",
        .physical = FRZ_PARQUET_INT96,
        .converted = NONE,
        .page = BYTES("\0\0\0\0\0\0\0\0\x8c\x3d\x25\0\0\0\0\0\0\0\0\0\x8c\x3d\x25\0"
                      "\0\0\0\0\0\0\0\0\x8c\x3d\x25\0\0\0\0\0\0\0\0\0\x8c\x3d\x25\0"),
        .least = BYTES("\1\0\0\0\0\0\0\0\x8d\x3d\x25\0"),
        .greatest = BYTES("\1\0\0\0\0\0\0\0\x8d\x3d\x25\0")};
    numbered_table self = table_of(&shape);
    check_filter(&self, "x = '1970-01-01T00:00:00Z'", ROWS, NULL);
    check_filter(&self, "x > '1971-01-01T00:00:00Z'", 0, NULL);
    numbered_close(&self);
}

/* All null, and no statistics that say so. */
static void d162_nulls_without_statistics_are_read_as_nulls(void **state)
{
    (void)state;
    column_shape shape = {
        .type = "timestamp", .physical = FRZ_PARQUET_INT64, .converted = MICROS, .all_null = true};
    numbered_table self = table_of(&shape);
    check_filter(&self, "x is null", ROWS, NULL);
    check_filter(&self, "x = '1970-01-01T00:00:00'", 0, NULL);
    check_query(self.table, NULL, "x,_pos", "-:0 -:1 -:2 -:3");
    numbered_close(&self);
}

static void test_a_file_without_columns_has_rows(void **state)
{
    (void)state;
    const column_shape shape = {.type = "long", .no_column = true};
    numbered_table self = table_of(&shape);
    frz_error *err = NULL;
    collected rows = {0};
    CHECK(count_rows(self.table, NULL) == ROWS);
    check_query(self.table, NULL, "_pos", "0 1 2 3");
    CHECK_OK(collect(self.table, NULL, &rows, &err), err);
    CHECK(rows.rows == ROWS);
    collected_clear(&rows);
    numbered_close(&self);
}

static numbered_table swept;

static void judge_under_failure(void)
{
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    int64_t count = -1;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = "x = 2 and x < 3";
    frz_status status = frz_scan_new(swept.table, &options, &scan, &err);
    if (status == FRZ_OK)
        status = frz_scan_count(scan, &count, &err);
    CHECK(status == FRZ_OK ? count == ROWS : status == FRZ_NO_MEMORY && frz_mem_failed());
    frz_error_free(err);
    frz_scan_free(scan);
}

static void test_short_memory_is_clean(void **state)
{
    (void)state;
    column_shape shape = dictionary_of_three;
    shape.member = (frz_slice)BYTES("\2\0\0\0");
    swept = table_of(&shape);
    sweep_allocation_failures(judge_under_failure);
    numbered_close(&swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bloom_filters_of_every_physical_type),
        cmocka_unit_test(test_values_of_many_forms_are_not_looked_up),
        cmocka_unit_test(d095_a_bloom_filter_is_asked_for_both_zeros),
        cmocka_unit_test(test_dictionaries_rule_out_what_they_do_not_hold),
        cmocka_unit_test(test_not_a_number_is_a_value_of_a_dictionary),
        cmocka_unit_test(d095_a_dictionary_counts_only_when_all_pages_use_it),
        cmocka_unit_test(test_statistics_come_first_and_a_broken_filter_says_nothing),
        cmocka_unit_test(d100_unsigned_and_millisecond_columns_are_converted),
        cmocka_unit_test(d097_int96_statistics_are_not_used),
        cmocka_unit_test(d162_nulls_without_statistics_are_read_as_nulls),
        cmocka_unit_test(test_a_file_without_columns_has_rows),
        cmocka_unit_test(test_short_memory_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
