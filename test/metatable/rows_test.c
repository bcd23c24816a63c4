/*
 * Covers: metatable/rows metatable/cell metatable/log_rows metatable/manifest_rows
 * metatable/partition_rows metatable/tree
 *
 * The metadata tables of a table whose history is known. Against the answers of Java they are
 * judged by test/conformance.
 */
#include "metatable/rows.h"

#include "write/table_fixture.h"

#include "base/buffer.h"
#include "frazil/text.h"
#include "io/file.h"

static fixture tables;
static frz_table *table;

/* Three rows in two partitions, one of them deleted by a vector, then another row. */
static int make_history(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.schema = "id long, name string";
    options.partition = "truncate(1, name) as first";
    CHECK_OK(fixture_open(&tables, NULL, &err), err);
    CHECK_OK(frz_catalog_create_table(tables.catalog, "m.t", &options, &table, &err), err);
    append_rows(table, "1:aa 2:ab 3:b");
    CHECK_OK(frz_table_delete(table, "id = 1", FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, &err),
             err);
    append_rows(table, "4:b");
    return 0;
}

static int drop_history(void **state)
{
    (void)state;
    frz_table_free(table);
    fixture_close(&tables);
    return 0;
}

static frz_status keep_text(void *context, const void *bytes, size_t size, frz_error **err)
{
    frz_buffer_append(context, bytes, size);
    return frz_buffer_check(context, err);
}

/* The table as JSON lines; free with frz_buffer_clear. `want_rows` -1 = any number. */
static frz_buffer query_lines(frz_metadata_table kind, const frz_metadata_options *query,
                              int64_t want_rows)
{
    frz_error *err = NULL;
    frz_buffer out = {0};
    int64_t rows = -1;
    struct ArrowArrayStream stream = {0};
    frz_print_options options = FRZ_PRINT_OPTIONS_INIT;
    options.format = FRZ_ROW_FORMAT_JSONL;
    CHECK_OK(frz_table_metadata_stream(table, kind, query, &stream, &err), err);
    CHECK_OK(frz_rows_print(&stream, &options, keep_text, &out, &rows, &err), err);
    if (want_rows >= 0)
        assert_int_equal(rows, want_rows);
    frz_buffer_append_byte(&out, '\0');
    return out;
}

static frz_buffer lines_of(frz_metadata_table kind, int64_t want_rows)
{
    return query_lines(kind, NULL, want_rows);
}

static int occurrences(const frz_buffer *text, const char *part)
{
    int count = 0;
    for (const char *at = strstr((const char *)text->data, part); at; at = strstr(at + 1, part))
        count++;
    return count;
}

/* `parts` and how often each stands in the table. */
typedef struct part_count {
    const char *part;
    int count;
} part_count;

static void check_table(frz_metadata_table kind, int64_t rows, const part_count *parts,
                        size_t count)
{
    frz_buffer text = lines_of(kind, rows);
    for (size_t i = 0; i < count; i++)
        if (occurrences(&text, parts[i].part) != parts[i].count)
            fail_msg("%s: not %d times in\n%s", parts[i].part, parts[i].count,
                     (const char *)text.data);
    frz_buffer_clear(&text);
}

#define CHECK_TABLE(kind, rows, ...)                                  \
    do {                                                              \
        static const part_count parts[] = {__VA_ARGS__};              \
        check_table(kind, rows, parts, sizeof parts / sizeof *parts); \
    } while (0)

static void logs_have_one_row_per_step(void **state)
{
    (void)state;
    CHECK_TABLE(FRZ_METADATA_TABLE_SNAPSHOTS, 3, {"\"operation\":\"append\"", 2},
                {"\"operation\":\"delete\"", 1}, {"\"parent_id\":null", 1},
                {"\"total-records\":\"4\"", 1});
    CHECK_TABLE(FRZ_METADATA_TABLE_HISTORY, 3, {"\"is_current_ancestor\":true", 3},
                {"\"parent_id\":null", 1});
    CHECK_TABLE(FRZ_METADATA_TABLE_REFS, 1, {"\"name\":\"main\",\"type\":\"BRANCH\"", 1},
                {"\"max_reference_age_in_ms\":null", 1});
    CHECK_TABLE(FRZ_METADATA_TABLE_METADATA_LOG_ENTRIES, 4, {".metadata.json", 4});
}

static void files_are_listed_with_their_metrics(void **state)
{
    (void)state;
    CHECK_TABLE(FRZ_METADATA_TABLE_DATA_FILES, 3, {"\"content\":0", 3},
                {"\"file_format\":\"PARQUET\"", 3}, {"\"partition\":{\"first\":\"b\"}", 2},
                {"\"partition\":{\"first\":\"a\"}", 1}, {"\"record_count\":2", 1});
    CHECK_TABLE(FRZ_METADATA_TABLE_DELETE_FILES, 1, {"\"content\":1", 1},
                {"\"file_format\":\"PUFFIN\"", 1}, {"\"record_count\":1", 1},
                {"\"partition\":{\"first\":\"a\"}", 1});
    CHECK_TABLE(FRZ_METADATA_TABLE_FILES, 4, {"\"content\":0", 3}, {"\"content\":1", 1});
    CHECK_TABLE(FRZ_METADATA_TABLE_ENTRIES, 4, {"\"status\":1", 4}, {"\"sequence_number\":1", 2},
                {"\"sequence_number\":2", 1}, {"\"sequence_number\":3", 1});
}

static void manifests_and_partitions_add_up(void **state)
{
    (void)state;
    CHECK_TABLE(FRZ_METADATA_TABLE_MANIFESTS, 3, {"\"content\":0", 2}, {"\"content\":1", 1},
                {"\"added_delete_files_count\":1", 1}, {"\"lower_bound\":\"a\"", 2},
                {"\"upper_bound\":\"b\"", 2});
    CHECK_TABLE(FRZ_METADATA_TABLE_PARTITIONS, 2, {"\"partition\":{\"first\":\"a\"}", 1},
                {"\"partition\":{\"first\":\"b\"}", 1}, {"\"record_count\":2", 2},
                {"\"file_count\":1", 1}, {"\"file_count\":2", 1});
}

static void all_tables_show_what_older_snapshots_hold(void **state)
{
    (void)state;
    CHECK_TABLE(FRZ_METADATA_TABLE_ALL_FILES, 4, {"\"content\":0", 3}, {"\"content\":1", 1});
    CHECK_TABLE(FRZ_METADATA_TABLE_ALL_DATA_FILES, 3, {"\"content\":0", 3});
    CHECK_TABLE(FRZ_METADATA_TABLE_ALL_DELETE_FILES, 1, {"PUFFIN", 1});
    CHECK_TABLE(FRZ_METADATA_TABLE_ALL_ENTRIES, 4, {"\"status\":1", 4});
    /* Lists of one, two and three manifests. */
    CHECK_TABLE(FRZ_METADATA_TABLE_ALL_MANIFESTS, 6, {"\"reference_snapshot_id\":", 6},
                {"\"added_delete_files_count\":1", 2}, {"\"key_metadata\":null", 6});
}

static bool holds(const char *text, size_t size, const char *part, size_t part_size)
{
    for (size_t i = 0; i + part_size <= size; i++)
        if (memcmp(text + i, part, part_size) == 0)
            return true;
    return false;
}

/* The text of each line of one column, without its braces, stands in the line of two columns, whose
 * second it is, and in that of the whole row. */
static void check_lines(const char *one, const char *both, const char *whole)
{
    while (*one) {
        const size_t one_size = strcspn(one, "\n");
        const size_t both_size = strcspn(both, "\n");
        const size_t whole_size = strcspn(whole, "\n");
        CHECK(both_size > one_size && whole_size >= one_size);
        CHECK(memcmp(both + both_size - one_size + 1, one + 1, one_size - 1) == 0);
        CHECK(holds(whole, whole_size, one + 1, one_size - 2));
        one += one_size + 1;
        both += both_size + 1;
        whole += whole_size + 1;
    }
    CHECK(!*both && !*whole);
}

/* Each column alone, and behind its neighbour. */
static void check_projections(frz_metadata_table kind)
{
    frz_error *err = NULL;
    struct ArrowArrayStream stream = {0};
    struct ArrowSchema schema = {0};
    frz_buffer whole = lines_of(kind, -1);
    CHECK_OK(frz_table_metadata_stream(table, kind, NULL, &stream, &err), err);
    CHECK_OK(frz_arrow_stream_schema(&stream, &schema, &err), err);
    for (int64_t i = 0; i < schema.n_children; i++) {
        const int64_t other = (i + 1) % schema.n_children;
        const char *const names[] = {schema.children[other]->name, schema.children[i]->name};
        frz_metadata_options query = FRZ_METADATA_OPTIONS_INIT;
        query.select = names;
        query.select_count = 2;
        frz_buffer both = query_lines(kind, &query, -1);
        query.select = names + 1;
        query.select_count = 1;
        frz_buffer one = query_lines(kind, &query, -1);
        check_lines((const char *)one.data, (const char *)both.data, (const char *)whole.data);
        frz_buffer_clear(&both);
        frz_buffer_clear(&one);
    }
    frz_buffer_clear(&whole);
    frz_arrow_schema_clear(&schema);
    frz_arrow_stream_clear(&stream);
}

static void a_projection_is_a_part_of_the_row(void **state)
{
    (void)state;
    for (int kind = 0; kind <= (int)FRZ_METADATA_TABLE_POSITION_DELETES; kind++)
        check_projections((frz_metadata_table)kind);
}

typedef struct metadata_query {
    frz_metadata_table kind;
    const char *select; /* one column */
    const char *where;
    const char *want; /* lines */
} metadata_query;

static void check_query(const metadata_query *query)
{
    frz_metadata_options options = FRZ_METADATA_OPTIONS_INIT;
    options.where = query->where;
    options.select = &query->select;
    options.select_count = 1;
    frz_buffer lines = query_lines(query->kind, &options, -1);
    if (strcmp((const char *)lines.data, query->want) != 0)
        fail_msg("%s where %s: got %s want %s", query->select, query->where,
                 (const char *)lines.data, query->want);
    frz_buffer_clear(&lines);
}

static void nested_columns_are_selected_and_filtered_by(void **state)
{
    (void)state;
    static const metadata_query queries[] = {
        {FRZ_METADATA_TABLE_SNAPSHOTS, "operation", "summary['total-records'] = '4'",
         "{\"operation\":\"append\"}\n"},
        {FRZ_METADATA_TABLE_MANIFESTS, "content", "partition_summaries[0].lower_bound = 'b'",
         "{\"content\":0}\n"},
        {FRZ_METADATA_TABLE_FILES, "partition.first", "partition.first < 'b' and content = 1",
         "{\"partition\":{\"first\":\"a\"}}\n"},
        {FRZ_METADATA_TABLE_FILES, "content", "readable_metrics.id.upper_bound > 3",
         "{\"content\":0}\n"},
        {FRZ_METADATA_TABLE_FILES, "readable_metrics.id.lower_bound",
         "readable_metrics.name.upper_bound = 'b' and readable_metrics.id.value_count = 1 and "
         "readable_metrics.id.lower_bound >= 4",
         "{\"readable_metrics\":{\"id\":{\"lower_bound\":4}}}\n"},
        {FRZ_METADATA_TABLE_FILES, "record_count", "value_counts[1] = 2", "{\"record_count\":2}\n"},
        {FRZ_METADATA_TABLE_ENTRIES, "data_file.record_count",
         "sequence_number = 1 and data_file.partition.first = 'a'",
         "{\"data_file\":{\"record_count\":2}}\n"},
        {FRZ_METADATA_TABLE_ALL_ENTRIES, "data_file.content", "data_file.spec_id <> 0", ""},
        {FRZ_METADATA_TABLE_PARTITIONS, "file_count", "partition.first = 'b'",
         "{\"file_count\":2}\n"},
        {FRZ_METADATA_TABLE_PARTITIONS, "partition.first", "position_delete_record_count = 1",
         "{\"partition\":{\"first\":\"a\"}}\n"},
        {FRZ_METADATA_TABLE_POSITION_DELETES, "pos", "partition.first = 'a' and row is null",
         "{\"pos\":0}\n"},
        {FRZ_METADATA_TABLE_POSITION_DELETES, "pos", "partition.first = 'b'", ""},
    };
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        check_query(&queries[i]);
}

/* What an OR says that no statistics can exclude reads everything: the rows stay the same. */
static void pruned_manifests_hold_no_row_that_matches(void **state)
{
    (void)state;
    static const char *const leaves[] = {"partition.first = 'a'",
                                         "partition.first > 'a'",
                                         "partition.first is null",
                                         "partition.first <> 'b'",
                                         "content = 0",
                                         "content in (1, 2)",
                                         "content <> 1",
                                         "spec_id = 0",
                                         "spec_id > 0",
                                         "record_count < 2",
                                         "not partition.first = 'a'"};
    enum { LEAVES = sizeof leaves / sizeof *leaves };
    for (size_t i = 0; i < LEAVES; i++) {
        for (size_t k = 0; k < LEAVES; k++) {
            char where[2][160];
            frz_buffer lines[2];
            (void)snprintf(where[0], sizeof where[0], "%s and %s", leaves[i], leaves[k]);
            (void)snprintf(where[1], sizeof where[1], "(%s) or file_size_in_bytes < 0", where[0]);
            for (int side = 0; side < 2; side++) {
                frz_metadata_options options = FRZ_METADATA_OPTIONS_INIT;
                options.where = where[side];
                lines[side] = query_lines(FRZ_METADATA_TABLE_FILES, &options, -1);
            }
            if (strcmp((const char *)lines[0].data, (const char *)lines[1].data) != 0)
                fail_msg("%s", where[0]);
            frz_buffer_clear(&lines[0]);
            frz_buffer_clear(&lines[1]);
        }
    }
}

static void fails(frz_metadata_table kind, const frz_metadata_options *options, frz_status want,
                  const char *message)
{
    frz_error *err = NULL;
    struct ArrowArrayStream stream = {0};
    CHECK_FAILS(frz_table_metadata_stream(table, kind, options, &stream, &err), want, err, message);
    CHECK(!stream.release);
}

static void what_a_table_has_not_is_refused(void **state)
{
    (void)state;
    const char *const unknown[] = {"_file"};
    const char *const near[] = {"record_cound"};
    frz_metadata_options options = FRZ_METADATA_OPTIONS_INIT;
    options.select = unknown;
    options.select_count = 1;
    fails(FRZ_METADATA_TABLE_FILES, &options, FRZ_INVALID, "no column \"_file\"");
    options.select = near;
    fails(FRZ_METADATA_TABLE_FILES, &options, FRZ_INVALID, "near: record_count");
    options = (frz_metadata_options)FRZ_METADATA_OPTIONS_INIT;
    options.where = "content = 'x'";
    fails(FRZ_METADATA_TABLE_FILES, &options, FRZ_INVALID, "expected a literal of type int");
    options = (frz_metadata_options)FRZ_METADATA_OPTIONS_INIT;
    options.at.ref = "main";
    fails(FRZ_METADATA_TABLE_REFS, &options, FRZ_INVALID, "shows the whole table");
    fails(FRZ_METADATA_TABLE_ALL_MANIFESTS, &options, FRZ_INVALID, "shows the whole table");
    options.at.ref = "none";
    fails(FRZ_METADATA_TABLE_FILES, &options, FRZ_NOT_FOUND, "none");
    fails((frz_metadata_table)99, NULL, FRZ_INVALID, "no metadata table has number 99");
}

static void older_snapshots_are_shown_as_they_were(void **state)
{
    (void)state;
    frz_metadata_options options = FRZ_METADATA_OPTIONS_INIT;
    options.at.has_snapshot_id = true;
    options.at.snapshot_id = table->metadata->snapshots[0].snapshot_id;
    static const struct {
        frz_metadata_table kind;
        int64_t rows;
    } tables_then[] = {
        {FRZ_METADATA_TABLE_FILES, 2},      {FRZ_METADATA_TABLE_DELETE_FILES, 0},
        {FRZ_METADATA_TABLE_MANIFESTS, 1},  {FRZ_METADATA_TABLE_ENTRIES, 2},
        {FRZ_METADATA_TABLE_PARTITIONS, 2}, {FRZ_METADATA_TABLE_POSITION_DELETES, 0}};
    for (size_t i = 0; i < sizeof tables_then / sizeof *tables_then; i++) {
        frz_buffer lines = query_lines(tables_then[i].kind, &options, tables_then[i].rows);
        frz_buffer_clear(&lines);
    }
}

/* Ids of partition fields that are a file's column's in a foreign table, and a name that was used
 * twice: both are told apart. */
static void partition_fields_get_names_and_ids_of_their_own(void **state)
{
    (void)state;
    static const char json[] =
        "{\"format-version\":2,\"table-uuid\":\"9c12d441-03fe-4693-9a96-a0705ddf69c1\","
        "\"location\":\"mem:/odd\",\"last-sequence-number\":0,\"last-updated-ms\":1,"
        "\"last-column-id\":7,\"current-schema-id\":0,\"schemas\":[{\"type\":\"struct\","
        "\"schema-id\":0,\"fields\":[{\"id\":1,\"name\":\"a\",\"required\":false,"
        "\"type\":\"long\"},{\"id\":7,\"name\":\"b\",\"required\":false,\"type\":"
        "\"string\"}]}],\"default-spec-id\":0,\"partition-specs\":[{\"spec-id\":0,"
        "\"fields\":[{\"source-id\":1,\"field-id\":103,\"name\":\"a\",\"transform\":"
        "\"identity\"},{\"source-id\":7,\"field-id\":1000,\"name\":\"p\",\"transform\":"
        "\"identity\"}]},{\"spec-id\":1,\"fields\":[{\"source-id\":1,\"field-id\":1001,"
        "\"name\":\"a\",\"transform\":\"bucket[4]\"}]}],\"last-partition-id\":1001,"
        "\"default-sort-order-id\":0,\"sort-orders\":[{\"order-id\":0,\"fields\":[]}]}";
    frz_io *io = NULL;
    frz_error *err = NULL;
    frz_table *odd = NULL;
    CHECK_OK(frz_io_memory_new(&io, &err), err);
    CHECK_OK(frz_io_write_file(io, "mem:/odd/v1.metadata.json", frz_slice_of_text(json), &err),
             err);
    CHECK_OK(frz_table_open("mem:/odd/v1.metadata.json", io, &odd, &err), err);
    static const frz_metadata_table kinds[] = {FRZ_METADATA_TABLE_FILES,
                                               FRZ_METADATA_TABLE_PARTITIONS,
                                               FRZ_METADATA_TABLE_POSITION_DELETES};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct ArrowArrayStream stream = {0};
        struct ArrowArray batch = {0};
        struct ArrowSchema schema = {0};
        frz_metadata_options options = FRZ_METADATA_OPTIONS_INIT;
        options.where = "partition.a = 1 and partition.a_103 = 2 and partition.p = 'x'";
        options.select = &(const char *){"partition"};
        options.select_count = 1;
        CHECK_OK(frz_table_metadata_stream(odd, kinds[i], &options, &stream, &err), err);
        CHECK_OK(frz_arrow_stream_schema(&stream, &schema, &err), err);
        const struct ArrowSchema *partition = schema.children[0];
        CHECK(partition->n_children == 3);
        assert_string_equal(partition->children[0]->name, "a");
        assert_string_equal(partition->children[1]->name, "a_103");
        assert_string_equal(partition->children[2]->name, "p");
        CHECK(frz_arrow_schema_field_id(partition->children[1]) != 103);
        /* Java's numbers for position_deletes: from 1 on, but none of the table's columns. */
        for (int k = 0; kinds[i] == FRZ_METADATA_TABLE_POSITION_DELETES && k < 3; k++)
            assert_int_equal(frz_arrow_schema_field_id(partition->children[k]), 2 + k);
        CHECK(frz_arrow_stream_next(&stream, &batch, &err) == FRZ_END);
        frz_arrow_schema_clear(&schema);
        frz_arrow_stream_clear(&stream);
    }
    frz_table_free(odd);
    frz_io_free(io);
}

static void the_tree_counts_what_hangs_below(void **state)
{
    (void)state;
    frz_error *err = NULL;
    char *text = NULL;
    CHECK_OK(frz_table_tree(table, false, &text, &err), err);
    CHECK(strstr(text, "m.t") != NULL);
    CHECK(strstr(text, frz_table_metadata_location(table)) != NULL ||
          strstr(text, strrchr(frz_table_metadata_location(table), '/') + 1) != NULL);
    frz_text_free(text);
    text = NULL;
    CHECK_OK(frz_table_tree(table, true, &text, &err), err);
    CHECK(text[0] == '{' && strstr(text, ".puffin") != NULL);
    frz_text_free(text);
}

static frz_metadata_table swept;
static const char *swept_filter;

static void read_without_memory(void)
{
    frz_error *err = NULL;
    struct ArrowArrayStream stream = {0};
    struct ArrowArray batch = {0};
    frz_metadata_options options = FRZ_METADATA_OPTIONS_INIT;
    options.where = swept_filter;
    options.select = &(const char *){"*"};
    options.select_count = swept_filter ? 1 : 0;
    frz_status status = frz_table_metadata_stream(table, swept, &options, &stream, &err);
    while (status == FRZ_OK) {
        status = frz_arrow_stream_next(&stream, &batch, &err);
        frz_arrow_array_clear(&batch);
    }
    CHECK(status == FRZ_END || status == FRZ_NO_MEMORY);
    frz_arrow_stream_clear(&stream);
    frz_error_free(err);
}

static void draw_without_memory(void)
{
    char *tree = NULL;
    frz_error *err = NULL;
    const frz_status status = frz_table_tree(table, true, &tree, &err);
    CHECK(status == FRZ_OK || status == FRZ_NO_MEMORY);
    CHECK((status == FRZ_OK) == (tree != NULL));
    frz_text_free(tree);
    frz_error_free(err);
}

static void short_memory_fails_cleanly(void **state)
{
    (void)state;
    static const struct {
        frz_metadata_table kind;
        const char *where;
    } queries[] = {{FRZ_METADATA_TABLE_SNAPSHOTS, NULL},
                   {FRZ_METADATA_TABLE_ALL_MANIFESTS, NULL},
                   {FRZ_METADATA_TABLE_ALL_FILES, NULL},
                   {FRZ_METADATA_TABLE_PARTITIONS, NULL},
                   {FRZ_METADATA_TABLE_POSITION_DELETES, NULL},
                   {FRZ_METADATA_TABLE_FILES,
                    "partition.first = 'a' and readable_metrics.id.lower_bound < 9"}};
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        swept = queries[i].kind;
        swept_filter = queries[i].where;
        sweep_allocation_failures(read_without_memory);
    }
    sweep_allocation_failures(draw_without_memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs_have_one_row_per_step),
        cmocka_unit_test(files_are_listed_with_their_metrics),
        cmocka_unit_test(manifests_and_partitions_add_up),
        cmocka_unit_test(all_tables_show_what_older_snapshots_hold),
        cmocka_unit_test(a_projection_is_a_part_of_the_row),
        cmocka_unit_test(nested_columns_are_selected_and_filtered_by),
        cmocka_unit_test(pruned_manifests_hold_no_row_that_matches),
        cmocka_unit_test(what_a_table_has_not_is_refused),
        cmocka_unit_test(older_snapshots_are_shown_as_they_were),
        cmocka_unit_test(partition_fields_get_names_and_ids_of_their_own),
        cmocka_unit_test(the_tree_counts_what_hangs_below),
        cmocka_unit_test(short_memory_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, make_history, drop_history);
}
