/*
 * Covers: scan/metadata_table scan/log_rows scan/manifest_rows scan/file_rows scan/partition_rows
 * scan/tree
 *
 * The metadata tables of a table whose history is known. Against the answers of Java they are
 * judged by test/conformance.
 */
#include "scan/metadata_table.h"

#include "write/table_fixture.h"

#include "base/buffer.h"
#include "frazil/text.h"

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

/* The table as JSON lines; free with frz_buffer_clear. */
static frz_buffer lines_of(frz_metadata_table kind, int64_t want_rows)
{
    frz_error *err = NULL;
    frz_buffer out = {0};
    int64_t rows = -1;
    struct ArrowArrayStream stream = {0};
    frz_print_options options = FRZ_PRINT_OPTIONS_INIT;
    options.format = FRZ_ROW_FORMAT_JSONL;
    CHECK_OK(frz_table_metadata_stream(table, kind, NULL, &stream, &err), err);
    CHECK_OK(frz_rows_print(&stream, &options, keep_text, &out, &rows, &err), err);
    assert_int_equal(rows, want_rows);
    frz_buffer_append_byte(&out, '\0');
    return out;
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

static void read_without_memory(void)
{
    frz_error *err = NULL;
    struct ArrowArrayStream stream = {0};
    struct ArrowArray batch = {0};
    frz_status status = frz_table_metadata_stream(table, swept, NULL, &stream, &err);
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
    static const frz_metadata_table kinds[] = {
        FRZ_METADATA_TABLE_SNAPSHOTS, FRZ_METADATA_TABLE_MANIFESTS, FRZ_METADATA_TABLE_FILES,
        FRZ_METADATA_TABLE_PARTITIONS};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        swept = kinds[i];
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
        cmocka_unit_test(the_tree_counts_what_hangs_below),
        cmocka_unit_test(short_memory_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, make_history, drop_history);
}
