/*
 * Table metadata of other implementations: every file that must be read is read with the stated
 * facts, prints and reads back equal; every file that must be refused is refused. Judged by
 * testdata/metadata-json and the metadata files of testdata/iceberg-tables.
 */
#include "spec/table_fixture.h"

#include <sys/stat.h>

#include "spec/members.h"

static int cases;

static frz_buffer file_text(const char *path)
{
    frz_buffer text = {0};
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    uint8_t chunk[65536];
    size_t size = 0;
    while ((size = fread(chunk, 1, sizeof chunk, file)) > 0)
        frz_buffer_append(&text, chunk, size);
    (void)fclose(file);
    CHECK(!text.failed);
    return text;
}

/* What expected.json says of one file. */
typedef struct expectation {
    frz_slice verdict;
    frz_slice summary; /* an object as it stands */
} expectation;

static void read_expectation(frz_json_reader *json, expectation *out)
{
    frz_error *err = NULL;
    CHECK_OK(frz_json_enter_object(json, &err), err);
    for (;;) {
        frz_slice key = {0};
        bool more = false;
        CHECK_OK(frz_json_next_key(json, &key, &more, &err), err);
        if (!more)
            return;
        if (frz_slice_is_text(key, "verdict"))
            CHECK_OK(frz_json_read_string(json, &out->verdict, &err), err);
        else if (frz_slice_is_text(key, "summary"))
            CHECK_OK(frz_json_read_raw(json, &out->summary, &err), err);
        else
            CHECK_OK(frz_json_skip(json, &err), err);
    }
}

/* A fact of the summary: a number, or a big number as text. */
static int64_t read_fact(frz_json_reader *json, const char **text_out)
{
    frz_error *err = NULL;
    frz_json_kind kind = FRZ_JSON_NULL;
    int64_t number = INT64_MIN;
    *text_out = NULL;
    CHECK_OK(frz_json_peek(json, &kind, &err), err);
    if (kind == FRZ_JSON_STRING) {
        CHECK_OK(frz_json_read_text(json, text_out, &err), err);
        char *end = NULL;
        number = strtoll(*text_out, &end, 10);
    } else if (kind == FRZ_JSON_NUMBER) {
        CHECK_OK(frz_json_read_i64(json, &number, &err), err);
    } else {
        CHECK_OK(frz_json_skip(json, &err), err);
        number = FRZ_NO_SNAPSHOT; /* null: no current snapshot */
    }
    return number;
}

static int64_t fact_of(const frz_metadata *m, frz_slice key, bool *known)
{
    const struct {
        const char *name;
        int64_t value;
    } facts[] = {{"format-version", m->format_version},
                 {"last-sequence-number", m->last_sequence_number},
                 {"last-column-id", m->last_column_id},
                 {"current-schema-id", m->current_schema_id},
                 {"default-spec-id", m->default_spec_id},
                 {"last-partition-id", m->last_partition_id},
                 {"default-sort-order-id", m->default_sort_order_id},
                 {"current-snapshot-id", m->current_snapshot_id},
                 {"next-row-id", m->next_row_id},
                 {"count schemas", (int64_t)m->schema_count},
                 {"count partition-specs", (int64_t)m->spec_count},
                 {"count sort-orders", (int64_t)m->sort_order_count},
                 {"count snapshots", (int64_t)m->snapshot_count},
                 {"count snapshot-log", (int64_t)m->snapshot_log_count},
                 {"count metadata-log", (int64_t)m->metadata_log_count},
                 {"count properties", (int64_t)m->property_count}};
    *known = true;
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        if (frz_slice_is_text(key, facts[i].name))
            return facts[i].value;
    *known = false;
    return 0;
}

static void check_summary(const char *path, frz_slice summary, const frz_metadata *m)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_json_reader json = frz_json_reader_over(summary, &arena);
    CHECK_OK(frz_json_enter_object(&json, &err), err);
    for (;;) {
        frz_slice key = {0};
        bool more = false;
        bool known = false;
        const char *text = NULL;
        CHECK_OK(frz_json_next_key(&json, &key, &more, &err), err);
        if (!more)
            break;
        const int64_t expected = read_fact(&json, &text);
        const int64_t found = fact_of(m, key, &known);
        /* A last-column-id that is too low is raised. */
        if (known && found > expected && frz_slice_is_text(key, "last-column-id"))
            continue;
        if (known && found != expected)
            fail_msg("%s: %.*s is %lld, expected %lld", path, (int)key.size, (const char *)key.data,
                     (long long)found, (long long)expected);
        if (frz_slice_is_text(key, "table-uuid"))
            CHECK(strcmp(m->table_uuid, text) == 0);
        if (frz_slice_is_text(key, "location"))
            CHECK(strcmp(m->location, text) == 0);
    }
    frz_arena_clear(&arena);
}

/* Print, parse, print: the second text is the first, and so nothing was lost that we know of. */
static void check_round_trip(const char *path, const frz_metadata *m)
{
    char *first = fixture_print(m);
    frz_metadata *again = fixture_metadata(first);
    char *second = fixture_print(again);
    if (strcmp(first, second) != 0)
        fail_msg("%s prints differently when read again", path);
    frz_free(first);
    frz_free(second);
    frz_metadata_unref(again);
}

static void check_file(const char *path, const expectation *expected)
{
    frz_buffer text = file_text(path);
    frz_metadata *m = NULL;
    frz_error *err = NULL;
    const frz_status status = frz_metadata_parse(frz_buffer_slice(&text), NULL, &m, &err);
    if (frz_slice_is_text(expected->verdict, "accept")) {
        if (status != FRZ_OK)
            fail_msg("%s: %s", path, frz_error_message(err));
        check_summary(path, expected->summary, m);
        check_round_trip(path, m);
    } else {
        if (status == FRZ_OK)
            fail_msg("%s is read, but must be refused", path);
        CHECK(status == FRZ_CORRUPT || status == FRZ_UNSUPPORTED || status == FRZ_INVALID);
        CHECK(strlen(frz_error_message(err)) > 10);
    }
    cases++;
    frz_metadata_unref(m);
    frz_error_free(err);
    frz_buffer_clear(&text);
}

/* Views, reports and REST answers stand in the same folders; they are not table metadata. */
static bool is_table_metadata(const char *name)
{
    return !strstr(name, "view") && !strstr(name, "View") && !strstr(name, "_report.json") &&
           !strstr(name, "rest-catalog/") &&
           /* its current snapshot is not among its snapshots: Java refuses it too */
           !strstr(name, "pg_lake/TableMetadataV2ValidMinimal.json");
}

static void check_source(const char *root, const char *source)
{
    char path[8192];
    frz_arena arena = {0};
    frz_error *err = NULL;
    (void)snprintf(path, sizeof path, "%s/metadata-json/%s/expected.json", root, source);
    frz_buffer text = file_text(path);
    frz_json_reader json = frz_json_reader_over(frz_buffer_slice(&text), &arena);
    frz_slice key = {0};
    bool more = true;
    CHECK_OK(frz_json_enter_object(&json, &err), err);
    do {
        CHECK_OK(frz_json_next_key(&json, &key, &more, &err), err);
        CHECK(more);
        if (!frz_slice_is_text(key, "files"))
            CHECK_OK(frz_json_skip(&json, &err), err);
    } while (!frz_slice_is_text(key, "files"));
    CHECK_OK(frz_json_enter_object(&json, &err), err);
    for (;;) {
        expectation expected = {0};
        CHECK_OK(frz_json_next_key(&json, &key, &more, &err), err);
        if (!more)
            break;
        read_expectation(&json, &expected);
        (void)snprintf(path, sizeof path, "%s/metadata-json/%s/%.*s", root, source, (int)key.size,
                       (const char *)key.data);
        FILE *there = fopen(path, "rb");
        if (there && is_table_metadata(path))
            check_file(path, &expected);
        if (there)
            (void)fclose(there);
    }
    frz_arena_clear(&arena);
    frz_buffer_clear(&text);
}

static void metadata_files_of_others_read_as_stated(void **state)
{
    (void)state;
    static const char *const sources[] = {"iceberg-java", "iceberg-rust", "iceberg-go",
                                          "iceberg-cxx",  "pg_lake",      "duckdb-iceberg"};
    const char *root = testdata_folder();
    if (!root) {
        print_message("skipped: 6 cases\n");
        return;
    }
    cases = 0;
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        check_source(root, sources[i]);
    print_message("%d metadata files\n", cases);
    CHECK(cases >= 35);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t size = strlen(text);
    const size_t end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

/* Refused by us and by Java: no metadata at all; a snapshot id that does not fit into a long
 * (D134). */
static bool must_be_refused(const char *path)
{
    return ends_with(path, "big_query_error/metadata/v0.metadata.json") ||
           ends_with(path,
                     "equality_delete_extra_column/warehouse/ns/t/metadata/vfinal.metadata.json");
}

static void check_table_file(frz_io *io, const char *path)
{
    frz_metadata *m = NULL;
    frz_error *err = NULL;
    const frz_status status = frz_metadata_read(io, path, NULL, &m, &err);
    if ((status != FRZ_OK) != must_be_refused(path))
        fail_msg("%s", frz_error_message(err));
    if (status == FRZ_OK)
        check_round_trip(path, m);
    else
        CHECK(status == FRZ_CORRUPT);
    frz_metadata_unref(m);
    frz_error_free(err);
    cases++;
}

static void walk(frz_io *io, const char *folder)
{
    DIR *dir = opendir(folder);
    char path[8192];
    struct stat about;
    CHECK(dir != NULL);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        CHECK(stat(path, &about) == 0);
        if (S_ISDIR(about.st_mode) && !ends_with(path, "_view"))
            walk(io, path);
        else if (ends_with(path, ".metadata.json"))
            check_table_file(io, path);
    }
    CHECK(closedir(dir) == 0);
}

static void every_metadata_file_of_the_golden_tables_is_read_and_printed(void **state)
{
    (void)state;
    const char *root = testdata_folder();
    char path[8192];
    frz_io *io = NULL;
    frz_error *err = NULL;
    if (!root) {
        print_message("skipped: 1 case\n");
        return;
    }
    cases = 0;
    (void)snprintf(path, sizeof path, "%s/iceberg-tables", root);
    CHECK_OK(frz_io_local_new(&io, &err), err);
    walk(io, path);
    print_message("%d metadata files\n", cases);
    CHECK(cases >= 900);
    frz_io_free(io);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metadata_files_of_others_read_as_stated),
        cmocka_unit_test(every_metadata_file_of_the_golden_tables_is_read_and_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
