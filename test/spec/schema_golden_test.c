/*
 * Schemas, partition specs and sort orders in the metadata files of other implementations: each is
 * read, written and read again to the same; what Java wrote is written to the byte, but for
 * defaults, whose fractions and hexadecimal digits it writes in other ways.
 */
#include "harness.h"

#include "base/arena.h"
#include "spec/partition.h"
#include "spec/sort.h"

typedef struct tally {
    size_t files;
    size_t schemas;
    size_t specs;
    size_t orders;
    size_t same_text;
} tally;
static tally counts;

static void load_file(const char *path, frz_buffer *out)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    size_t got = 0;
    do {
        uint8_t *at = frz_buffer_reserve(out, 65536);
        CHECK(at != NULL);
        got = fread(at, 1, 65536, file);
        out->size += got;
    } while (got > 0);
    CHECK(fclose(file) == 0);
}

/* The text without blanks between tokens. */
static void squeeze(frz_slice text, frz_buffer *out)
{
    bool quoted = false;
    for (size_t i = 0; i < text.size; i++) {
        const uint8_t c = text.data[i];
        if (c == '"' && (i == 0 || text.data[i - 1] != '\\'))
            quoted = !quoted;
        if (quoted || (c != ' ' && c != '\n' && c != '\r' && c != '\t'))
            frz_buffer_append_byte(out, c);
    }
}

static void compare_texts(const char *path, frz_slice raw, const frz_buffer *written)
{
    frz_buffer want = {0};
    squeeze(raw, &want);
    const bool same = frz_slice_equal(frz_buffer_slice(&want), frz_buffer_slice(written));
    frz_buffer_append_byte(&want, 0);
    const bool has_default = strstr((const char *)want.data, "-default\"") != NULL;
    if (!same && !has_default && strstr(path, "/spark-1.12/"))
        fail_msg("%s:\nread    %s\nwritten %.*s", path, (const char *)want.data, (int)written->size,
                 (const char *)written->data);
    counts.same_text += same;
    frz_buffer_clear(&want);
}

static void check_schema(const char *path, frz_slice raw)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_schema *first = NULL;
    frz_schema *second = NULL;
    frz_buffer texts[2] = {0};
    frz_json_reader json = frz_json_reader_over(raw, &arena);
    CHECK_OK(frz_schema_read_json(&json, &first, &err), err);
    frz_json_writer writer = frz_json_writer_to(&texts[0], 0);
    frz_schema_write_json(first, &writer);
    json = frz_json_reader_over(frz_buffer_slice(&texts[0]), &arena);
    CHECK_OK(frz_schema_read_json(&json, &second, &err), err);
    writer = frz_json_writer_to(&texts[1], 0);
    frz_schema_write_json(second, &writer);
    CHECK(frz_type_equal(frz_schema_type(first), frz_schema_type(second)));
    CHECK(frz_slice_equal(frz_buffer_slice(&texts[0]), frz_buffer_slice(&texts[1])));
    compare_texts(path, raw, &texts[0]);
    counts.schemas++;
    frz_schema_unref(first);
    frz_schema_unref(second);
    frz_buffer_clear(&texts[0]);
    frz_buffer_clear(&texts[1]);
    frz_arena_clear(&arena);
}

static void check_spec(const char *path, frz_slice raw)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_partition_spec spec = {0};
    frz_buffer text = {0};
    frz_json_reader json = frz_json_reader_over(raw, &arena);
    CHECK_OK(frz_partition_spec_read_json(&json, &arena, &spec, &err), err);
    frz_json_writer writer = frz_json_writer_to(&text, 0);
    frz_partition_spec_write_json(&spec, &writer);
    compare_texts(path, raw, &text);
    counts.specs++;
    frz_buffer_clear(&text);
    frz_arena_clear(&arena);
}

static void check_order(const char *path, frz_slice raw)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_sort_order order = {0};
    frz_buffer text = {0};
    frz_json_reader json = frz_json_reader_over(raw, &arena);
    CHECK_OK(frz_sort_order_read_json(&json, &arena, &order, &err), err);
    frz_json_writer writer = frz_json_writer_to(&text, 0);
    frz_sort_order_write_json(&order, &writer);
    compare_texts(path, raw, &text);
    counts.orders++;
    frz_buffer_clear(&text);
    frz_arena_clear(&arena);
}

static void check_items(const char *path, frz_json_reader *json,
                        void (*check)(const char *path, frz_slice raw))
{
    frz_error *err = NULL;
    frz_slice raw = {0};
    bool more = false;
    CHECK_OK(frz_json_enter_array(json, &err), err);
    for (;;) {
        CHECK_OK(frz_json_next_item(json, &more, &err), err);
        if (!more)
            return;
        CHECK_OK(frz_json_read_raw(json, &raw, &err), err);
        check(path, raw);
    }
}

static void check_metadata(const char *path)
{
    frz_buffer text = {0};
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_slice key = {0};
    bool more = false;
    load_file(path, &text);
    frz_json_reader json = frz_json_reader_over(frz_buffer_slice(&text), &arena);
    CHECK_OK(frz_json_enter_object(&json, &err), err);
    for (;;) {
        CHECK_OK(frz_json_next_key(&json, &key, &more, &err), err);
        if (!more)
            break;
        if (frz_slice_is_text(key, "schemas"))
            check_items(path, &json, check_schema);
        else if (frz_slice_is_text(key, "partition-specs"))
            check_items(path, &json, check_spec);
        else if (frz_slice_is_text(key, "sort-orders"))
            check_items(path, &json, check_order);
        else
            CHECK_OK(frz_json_skip(&json, &err), err);
    }
    counts.files++;
    frz_buffer_clear(&text);
    frz_arena_clear(&arena);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t size = strlen(text);
    return size >= strlen(end) && strcmp(text + size - strlen(end), end) == 0;
}

/* Files whose metadata is broken on purpose, and those of views, which have no table schemas. */
static bool is_left_out(const char *path)
{
    return strstr(path, "bad_data") || strstr(path, "broken") || strstr(path, "/view") ||
           strstr(path, "_view/") || strstr(path, "empty.metadata.json") ||
           ends_with(path, ".gz.metadata.json");
}

static void visit(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir) {
        if (ends_with(path, ".metadata.json") && !is_left_out(path))
            check_metadata(path);
        return;
    }
    for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        char inner[4500];
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        visit(inner);
    }
    CHECK(closedir(dir) == 0);
}

static void test_metadata_files_of_others(void **state)
{
    (void)state;
    static const char *const folders[] = {"iceberg-tables", "metadata-json"};
    const char *testdata = testdata_folder();
    if (!testdata) {
        print_message("skipped: 700 cases, no golden files\n");
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        char path[4200];
        (void)snprintf(path, sizeof path, "%s/%s", testdata, folders[i]);
        visit(path);
    }
    print_message("%zu files: %zu schemas, %zu specs, %zu orders; %zu texts the same\n",
                  counts.files, counts.schemas, counts.specs, counts.orders, counts.same_text);
    CHECK(counts.files >= 500 && counts.schemas >= 700 && counts.same_text >= 1500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_metadata_files_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
