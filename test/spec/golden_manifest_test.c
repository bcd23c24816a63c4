/*
 * Manifest lists and manifests that Java wrote, judged by what Java's metadata tables say about the
 * tables of testdata/iceberg-tables/spark-1.12: every entry of the current snapshot with its
 * inherited numbers and row ids, its partition, and the metrics of live files. Each side is put
 * into lines of text, sorted and compared.
 */
#include "spec/table_fixture.h"

#include <math.h>
#include <sys/stat.h>

#include "spec/list.h"

/* The text of each entry, in no order. */
typedef struct lines {
    frz_arena arena;
    frz_list texts; /* char * */
} lines;

static void add_line(lines *out, const frz_buffer *text)
{
    char **slot = frz_list_add(&out->texts, &out->arena, sizeof *slot);
    CHECK(slot != NULL && !text->failed);
    *slot = frz_arena_text_n(&out->arena, text->data, text->size);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void expect_same(const char *table, lines *expected, lines *found)
{
    char **a = expected->texts.items;
    char **b = found->texts.items;
    if (expected->texts.count)
        qsort(a, expected->texts.count, sizeof *a, compare_texts);
    if (found->texts.count)
        qsort(b, found->texts.count, sizeof *b, compare_texts);
    for (size_t i = 0; i < expected->texts.count && i < found->texts.count; i++)
        if (strcmp(a[i], b[i]) != 0)
            fail_msg("%s:\nexpected %s\ngot      %s", table, a[i], b[i]);
    if (expected->texts.count != found->texts.count)
        fail_msg("%s: %zu entries, expected %zu", table, found->texts.count, expected->texts.count);
    frz_arena_clear(&expected->arena);
    frz_arena_clear(&found->arena);
}

/* Fields of an object of expected.json in the order of `keys`, each as its raw text without quotes.
 */
static void gather(frz_json_reader *json, const char *const *keys, frz_slice *values, size_t count)
{
    frz_error *err = NULL;
    memset(values, 0, count * sizeof *values);
    CHECK_OK(frz_json_enter_object(json, &err), err);
    for (;;) {
        frz_slice key = {0};
        frz_slice raw = {0};
        bool more = false;
        frz_json_kind kind = FRZ_JSON_NULL;
        CHECK_OK(frz_json_next_key(json, &key, &more, &err), err);
        if (!more)
            return;
        CHECK_OK(frz_json_peek(json, &kind, &err), err);
        if (kind == FRZ_JSON_STRING)
            CHECK_OK(frz_json_read_string(json, &raw, &err), err);
        else
            CHECK_OK(frz_json_read_raw(json, &raw, &err), err);
        for (size_t i = 0; i < count; i++)
            if (frz_slice_is_text(key, keys[i]))
                values[i] = raw;
    }
}

/* Moves to the member `key` of the object at the reader. */
static bool go_to(frz_json_reader *json, const char *key)
{
    frz_error *err = NULL;
    CHECK_OK(frz_json_enter_object(json, &err), err);
    for (;;) {
        frz_slice found = {0};
        bool more = false;
        CHECK_OK(frz_json_next_key(json, &found, &more, &err), err);
        if (!more)
            return false;
        if (frz_slice_is_text(found, key))
            return true;
        CHECK_OK(frz_json_skip(json, &err), err);
    }
}

static const char *const file_keys[] = {"content",        "file_path",
                                        "file_format",    "spec_id",
                                        "record_count",   "sort_order_id",
                                        "first_row_id",   "referenced_data_file",
                                        "content_offset", "content_size_in_bytes",
                                        "equality_ids"};
enum { FILE_KEYS = sizeof file_keys / sizeof file_keys[0] };

static void append_slice(frz_buffer *out, frz_slice text)
{
    if (text.size && text.data[0] == '[') { /* lists lose their blanks */
        for (size_t i = 0; i < text.size; i++)
            if (text.data[i] != ' ' && text.data[i] != '\n')
                frz_buffer_append_byte(out, text.data[i]);
    } else {
        frz_buffer_append(out, text.data, text.size);
    }
    frz_buffer_append_byte(out, '|');
}

static void append_number(frz_buffer *out, int64_t value)
{
    if (value < 0)
        frz_buffer_append_text(out, "null|");
    else
        frz_buffer_printf(out, "%lld|", (long long)value);
}

static void append_file(frz_buffer *out, const frz_data_file *file)
{
    frz_buffer_printf(out, "%d|", (int)file->content);
    append_slice(out, file->path);
    for (size_t i = 0; i < file->format_text.size; i++)
        frz_buffer_append_byte(out, (uint8_t)(file->format_text.data[i] & ~0x20));
    frz_buffer_printf(out, "|%d|%lld|", file->spec_id, (long long)file->record_count);
    append_number(out, file->sort_order_id);
    append_number(out, file->first_row_id);
    if (file->referenced_data_file.size)
        append_slice(out, file->referenced_data_file);
    else
        frz_buffer_append_text(out, "null|");
    append_number(out, file->content_offset);
    append_number(out, file->content_size);
    if (!file->equality_id_count)
        frz_buffer_append_text(out, "null|");
    else
        for (size_t i = 0; i < file->equality_id_count; i++)
            frz_buffer_printf(out, "%c%d%s", i ? ',' : '[', file->equality_ids[i],
                              i + 1 == file->equality_id_count ? "]|" : "");
}

/* Which of expected.json's lines stand for which of ours. */
static const char *const entry_keys[] = {"status", "snapshot_id", "sequence_number",
                                         "file_sequence_number", "data_file"};

static void expected_entries(frz_json_reader *json, lines *out)
{
    frz_error *err = NULL;
    bool more = true;
    CHECK_OK(frz_json_enter_array(json, &err), err);
    for (;;) {
        frz_slice entry[5];
        frz_slice file[FILE_KEYS];
        frz_buffer text = {0};
        CHECK_OK(frz_json_next_item(json, &more, &err), err);
        if (!more)
            return;
        gather(json, entry_keys, entry, 5);
        frz_json_reader inner = frz_json_reader_over(entry[4], &out->arena);
        gather(&inner, file_keys, file, FILE_KEYS);
        for (int i = 0; i < 4; i++)
            append_slice(&text, entry[i]);
        for (int i = 0; i < FILE_KEYS; i++)
            append_slice(&text, file[i].size ? file[i] : frz_slice_of_text("null"));
        add_line(out, &text);
        frz_buffer_clear(&text);
    }
}

static void append_entry(lines *out, const frz_manifest_entry *entry)
{
    frz_buffer text = {0};
    frz_buffer_printf(&text, "%d|%lld|", (int)entry->status, (long long)entry->snapshot_id);
    append_number(&text, entry->sequence_number);
    append_number(&text, entry->file_sequence_number);
    append_file(&text, &entry->file);
    add_line(out, &text);
    frz_buffer_clear(&text);
}

/* Metrics as "path:id=size,values,nulls,nans,lower,upper" per column that has any. */
static void append_metrics(lines *out, const frz_data_file *file)
{
    for (size_t i = 0; i < file->column_count; i++) {
        const frz_column_metrics *m = &file->columns[i];
        frz_buffer text = {0};
        append_slice(&text, file->path);
        frz_buffer_printf(&text, "%d=", m->field_id);
        append_number(&text, m->column_size);
        append_number(&text, m->value_count);
        append_number(&text, m->null_count);
        append_number(&text, m->nan_count);
        for (int side = 0; side < 2; side++) {
            const frz_slice bytes = side ? m->upper : m->lower;
            if (!(side ? m->has_upper : m->has_lower)) {
                frz_buffer_append_text(&text, "null|");
                continue;
            }
            frz_buffer_append_text(&text, "0x");
            for (size_t k = 0; k < bytes.size; k++)
                frz_buffer_printf(&text, "%02x", bytes.data[k]);
            frz_buffer_append_byte(&text, '|');
        }
        add_line(out, &text);
        frz_buffer_clear(&text);
    }
}

static const char *const metric_keys[] = {"file_path",    "content_offset",    "column_sizes",
                                          "value_counts", "null_value_counts", "nan_value_counts",
                                          "lower_bounds", "upper_bounds"};

/* The value of `id` in {"$map":[[id,value],...]}; empty when absent. */
static frz_slice map_value(frz_slice map, int64_t id, frz_arena *arena)
{
    frz_error *err = NULL;
    frz_json_reader json = frz_json_reader_over(map, arena);
    if (map.size == 0 || map.data[0] != '{' || !go_to(&json, "$map"))
        return (frz_slice){0};
    CHECK_OK(frz_json_enter_array(&json, &err), err);
    for (;;) {
        bool more = false;
        int64_t key = 0;
        frz_slice value = {0};
        frz_json_kind kind = FRZ_JSON_NULL;
        CHECK_OK(frz_json_next_item(&json, &more, &err), err);
        if (!more)
            return (frz_slice){0};
        CHECK_OK(frz_json_enter_array(&json, &err), err);
        CHECK_OK(frz_json_next_item(&json, &more, &err), err);
        CHECK_OK(frz_json_read_i64(&json, &key, &err), err);
        CHECK_OK(frz_json_next_item(&json, &more, &err), err);
        CHECK_OK(frz_json_peek(&json, &kind, &err), err);
        if (kind == FRZ_JSON_STRING)
            CHECK_OK(frz_json_read_string(&json, &value, &err), err);
        else
            CHECK_OK(frz_json_read_raw(&json, &value, &err), err);
        CHECK_OK(frz_json_next_item(&json, &more, &err), err);
        if (key == id)
            return value;
    }
}

static void expected_metrics(frz_json_reader *json, lines *out)
{
    frz_error *err = NULL;
    bool more = true;
    CHECK_OK(frz_json_enter_array(json, &err), err);
    for (;;) {
        frz_slice values[8];
        CHECK_OK(frz_json_next_item(json, &more, &err), err);
        if (!more)
            return;
        gather(json, metric_keys, values, 8);
        for (int64_t id = 0; id <= INT32_MAX; id = id == 200 ? FRZ_FIELD_ID_MAX : id + 1) {
            frz_buffer text = {0};
            bool any = false;
            append_slice(&text, values[0]);
            frz_buffer_printf(&text, "%lld=", (long long)id);
            for (int i = 2; i < 8; i++) {
                const frz_slice value = map_value(values[i], id, &out->arena);
                any |= value.size > 0;
                append_slice(&text, value.size ? value : frz_slice_of_text("null"));
            }
            if (any)
                add_line(out, &text);
            frz_buffer_clear(&text);
        }
    }
}

/* Partition values that are not null, as "path:field=value"; numbers to six digits. */
static void append_partition_line(lines *out, frz_slice path, frz_slice name, frz_slice value,
                                  bool number)
{
    frz_buffer text = {0};
    char digits[64] = {0};
    append_slice(&text, path);
    frz_buffer_append(&text, name.data, name.size);
    frz_buffer_append_byte(&text, '=');
    if (number && value.size < sizeof digits) {
        memcpy(digits, value.data, value.size);
        frz_buffer_printf(&text, "%.6g", strtod(digits, NULL));
    } else {
        frz_buffer_append(&text, value.data, value.size);
    }
    add_line(out, &text);
    frz_buffer_clear(&text);
}

/* Java's tables show a field of several specs under the newest one's name. */
static const char *newest_name(const frz_metadata *metadata, int32_t field_id)
{
    for (size_t i = metadata->spec_count; i > 0; i--)
        for (size_t k = 0; k < metadata->specs[i - 1].field_count; k++)
            if (metadata->specs[i - 1].fields[k].field_id == field_id)
                return metadata->specs[i - 1].fields[k].name;
    return "";
}

static void append_partition(lines *out, const frz_data_file *file, const frz_metadata *metadata)
{
    const frz_type *tuple = frz_metadata_partition_type(metadata, file->spec_id);
    for (size_t i = 0; i < file->partition_count; i++) {
        const frz_value *value = &file->partition[i];
        frz_buffer text = {0};
        if (value->form == FRZ_VALUE_NULL)
            continue;
        frz_value_print(tuple->fields[i].type, value, &text);
        append_partition_line(
            out, file->path, frz_slice_of_text(newest_name(metadata, tuple->fields[i].id)),
            frz_buffer_slice(&text), value->form == FRZ_VALUE_NUMBER && isfinite(value->number));
        frz_buffer_clear(&text);
    }
}

static void expected_partition(frz_slice partition, frz_slice path, lines *out)
{
    frz_error *err = NULL;
    frz_json_reader json = frz_json_reader_over(partition, &out->arena);
    if (partition.size == 0 || partition.data[0] != '{')
        return;
    CHECK_OK(frz_json_enter_object(&json, &err), err);
    for (;;) {
        frz_slice name = {0};
        frz_slice value = {0};
        bool more = false;
        frz_json_kind kind = FRZ_JSON_NULL;
        CHECK_OK(frz_json_next_key(&json, &name, &more, &err), err);
        if (!more)
            return;
        CHECK_OK(frz_json_peek(&json, &kind, &err), err);
        if (kind == FRZ_JSON_STRING)
            CHECK_OK(frz_json_read_string(&json, &value, &err), err);
        else
            CHECK_OK(frz_json_read_raw(&json, &value, &err), err);
        const bool number = kind == FRZ_JSON_NUMBER && (memchr(value.data, '.', value.size) ||
                                                        memchr(value.data, 'e', value.size));
        if (kind != FRZ_JSON_NULL)
            append_partition_line(out, path, name, value, number);
    }
}

static void expected_partitions(frz_json_reader *json, lines *out)
{
    static const char *const keys[] = {"file_path", "partition"};
    frz_error *err = NULL;
    bool more = true;
    CHECK_OK(frz_json_enter_array(json, &err), err);
    for (;;) {
        frz_slice entry = {0};
        frz_slice values[2];
        CHECK_OK(frz_json_next_item(json, &more, &err), err);
        if (!more)
            return;
        gather(json, &entry_keys[4], &entry, 1);
        frz_json_reader inner = frz_json_reader_over(entry, &out->arena);
        gather(&inner, keys, values, 2);
        expected_partition(values[1], values[0], out);
    }
}

typedef struct golden_table {
    frz_io *io;
    frz_metadata *metadata;
    frz_buffer expected; /* expected.json */
    frz_arena arena;
} golden_table;

static int tables;
static int entries;
static int manifests;

/* Every snapshot's manifests are read; those of the current one go into the lines. */
static void read_snapshot(golden_table *table, const frz_snapshot *snapshot, lines *out,
                          lines *metrics, lines *partitions)
{
    frz_error *err = NULL;
    frz_manifest_list list = {0};
    const bool current = snapshot == frz_metadata_current_snapshot(table->metadata);
    CHECK_OK(frz_manifest_list_read(table->io, table->metadata, snapshot, NULL, &table->arena,
                                    &list, &err),
             err);
    for (size_t i = 0; i < list.count; i++) {
        frz_manifest *manifest = NULL;
        CHECK_OK(frz_manifest_read(table->io, &list.files[i], table->metadata, NULL, NULL,
                                   &manifest, &err),
                 err);
        manifests++;
        int64_t added = 0;
        for (size_t k = 0; k < frz_manifest_count(manifest); k++) {
            const frz_manifest_entry *entry = frz_manifest_entry_at(manifest, k);
            added += entry->status == FRZ_ENTRY_ADDED;
            if (current)
                append_entry(out, entry);
            if (current)
                append_partition(partitions, &entry->file, table->metadata);
            if (current && entry->status != FRZ_ENTRY_DELETED)
                append_metrics(metrics, &entry->file);
            entries += current;
        }
        CHECK(list.files[i].added_files == -1 || list.files[i].added_files == added);
        frz_manifest_unref(manifest);
    }
}

static void check_table(golden_table *table, const char *name)
{
    lines found = {0};
    lines found_metrics = {0};
    lines found_partitions = {0};
    lines partitions = {0};
    lines expected = {0};
    lines metrics = {0};
    frz_json_reader json = frz_json_reader_over(frz_buffer_slice(&table->expected), &table->arena);
    for (size_t i = 0; i < table->metadata->snapshot_count; i++)
        read_snapshot(table, &table->metadata->snapshots[i], &found, &found_metrics,
                      &found_partitions);
    CHECK(go_to(&json, "metadata_tables"));
    frz_json_reader files = json;
    frz_json_reader tuples = json;
    if (go_to(&json, "entries")) {
        expected_entries(&json, &expected);
        expect_same(name, &expected, &found);
    }
    if (go_to(&files, "files")) {
        expected_metrics(&files, &metrics);
        expect_same(name, &metrics, &found_metrics);
    }
    if (go_to(&tuples, "entries")) {
        expected_partitions(&tuples, &partitions);
        expect_same(name, &partitions, &found_partitions);
    }
    frz_arena_clear(&found.arena);
    frz_arena_clear(&found_partitions.arena);
    frz_arena_clear(&found_metrics.arena);
    tables++;
}

static void read_expected(golden_table *table, const char *root, const char *name)
{
    frz_error *err = NULL;
    char path[8192];
    frz_slice file = {0};
    (void)snprintf(path, sizeof path, "%s/iceberg-tables/spark-1.12/%s/expected.json", root, name);
    CHECK_OK(frz_io_read_file(table->io, path, 1 << 28, &table->expected, &err), err);
    frz_json_reader json = frz_json_reader_over(frz_buffer_slice(&table->expected), &table->arena);
    CHECK(go_to(&json, "metadata_file"));
    CHECK_OK(frz_json_read_string(&json, &file, &err), err);
    (void)snprintf(path, sizeof path, "file:/frazil-golden/warehouse/%.*s", (int)file.size,
                   (const char *)file.data);
    CHECK_OK(frz_metadata_read(table->io, path, NULL, &table->metadata, &err), err);
}

static void check_folder(frz_io *io, const char *root, const char *name)
{
    golden_table table = {.io = io};
    frz_error *err = NULL;
    frz_manifest_list list = {0};
    read_expected(&table, root, name);
    const frz_snapshot *current = frz_metadata_current_snapshot(table.metadata);
    if (current && current->key_id)
        CHECK_FAILS(
            frz_manifest_list_read(io, table.metadata, current, NULL, &table.arena, &list, &err),
            FRZ_UNSUPPORTED, err, "encrypted");
    else
        check_table(&table, name);
    frz_metadata_unref(table.metadata);
    frz_buffer_clear(&table.expected);
    frz_arena_clear(&table.arena);
}

static void java_s_manifests_read_as_its_metadata_tables_say(void **state)
{
    (void)state;
    const char *root = testdata_folder();
    char folder[5000];
    char path[8192];
    frz_io *local = NULL;
    frz_io *io = NULL;
    frz_error *err = NULL;
    struct stat about;
    if (!root) {
        print_message("skipped: 1 case\n");
        return;
    }
    (void)snprintf(folder, sizeof folder, "%s/iceberg-tables/spark-1.12", root);
    (void)snprintf(path, sizeof path, "%s/", folder);
    const frz_path_map map = {.from = "file:/frazil-golden/warehouse/", .to = path};
    CHECK_OK(frz_io_local_new(&local, &err), err);
    CHECK_OK(frz_io_remap_new(local, &map, 1, &io, &err), err);
    DIR *dir = opendir(folder);
    CHECK(dir != NULL);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        (void)snprintf(path, sizeof path, "%s/%s/expected.json", folder, entry->d_name);
        if (entry->d_name[0] != '.' && stat(path, &about) == 0)
            check_folder(io, root, entry->d_name);
    }
    CHECK(closedir(dir) == 0);
    print_message("%d tables, %d manifests, %d entries\n", tables, manifests, entries);
    CHECK(tables >= 80 && entries >= 300);
    frz_io_free(io);
    frz_io_free(local);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(java_s_manifests_read_as_its_metadata_tables_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
