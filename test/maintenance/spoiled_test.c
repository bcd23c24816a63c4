/*
 * Covers: maintenance/verify
 *
 * A small table with files of all kinds, each of which is cut off and has bytes changed, place
 * after place: verification with --deep notices, or the table reads as before. And storage that
 * fails at every call in turn: never a table that is called sound.
 */
#include "write/table_fixture.h"

#include "frazil/delta.h"
#include "frazil/text.h"
#include "io/fault.h"
#include "io/file.h"

enum { FILES_MAX = 64, SNAPSHOTS_MAX = 16 };

typedef struct spoiled {
    fixture storage;
    frz_io *fault; /* over the storage */
    char *metadata_location;
    int64_t snapshot_ids[SNAPSHOTS_MAX];
    size_t snapshot_count;
    char *files[FILES_MAX];
    size_t file_count;
    frz_buffer rows; /* of all snapshots */
} spoiled;

static void change(frz_table *table, const char *set, const char *where, frz_delete_mode mode)
{
    frz_error *err = NULL;
    CHECK_OK(set ? frz_table_update(table, set, where, mode, NULL, NULL, &err)
                 : frz_table_delete(table, where, mode, NULL, NULL, &err),
             err);
}

static void upsert(frz_table *table, const char *text)
{
    static const char *const keys[] = {"id"};
    frz_delta_options how = FRZ_DELTA_OPTIONS_INIT;
    struct ArrowArrayStream rows = {0};
    frz_delta *delta = NULL;
    frz_error *err = NULL;
    how.keys = keys;
    how.key_count = 1;
    CHECK_OK(frz_delta_open(table, &how, NULL, &delta, &err), err);
    CHECK_OK(rows_of(text, &rows, &err), err);
    CHECK_OK(frz_delta_upsert(delta, &rows, &err), err);
    CHECK_OK(frz_delta_commit(delta, NULL, &err), err);
    frz_delta_free(delta);
}

static frz_status note_file(void *context, const char *location, uint64_t size, int64_t modified_ms,
                            frz_error **err)
{
    spoiled *self = context;
    (void)size;
    (void)modified_ms;
    (void)err;
    const size_t length = strlen(location);
    const bool old_metadata = length > 5 && strcmp(location + length - 5, ".json") == 0 &&
                              strcmp(location, self->metadata_location) != 0;
    CHECK(self->file_count < FILES_MAX);
    if (!old_metadata)
        self->files[self->file_count++] = frz_copy_text(location);
    return FRZ_OK;
}

static frz_status take_text(void *context, const void *bytes, size_t size, frz_error **err)
{
    frz_buffer_append(context, bytes, size);
    return frz_buffer_check(context, err);
}

static frz_status read_some(const frz_table *table, int64_t snapshot_id, const char *where,
                            frz_buffer *out, frz_error **err)
{
    static const char *const select[] = {"*", "_row_id", "_last_updated_sequence_number"};
    struct ArrowArrayStream rows = {0};
    frz_scan *scan = NULL;
    frz_print_options print = FRZ_PRINT_OPTIONS_INIT;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    print.format = FRZ_ROW_FORMAT_JSONL;
    options.where = where;
    options.select = select;
    options.select_count = frz_table_format_version(table) > 2 ? 3 : 1;
    options.at.has_snapshot_id = true;
    options.at.snapshot_id = snapshot_id;
    FRZ_TRY(frz_scan_new(table, &options, &scan, err));
    const frz_status status = frz_scan_stream(scan, &rows, err);
    frz_scan_free(scan);
    FRZ_TRY(status);
    return frz_rows_print(&rows, &print, take_text, out, NULL, err);
}

/* The rows of all snapshots that the sound table has, as JSON lines: all, and through filters that
 * statistics help. */
static frz_status read_rows(const spoiled *self, const frz_table *table, frz_buffer *out,
                            frz_error **err)
{
    static const char *const filters[] = {NULL, "id < 3", "id > 3", "name = 'b'", "name > 'd'"};
    for (size_t i = 0; i < self->snapshot_count; i++)
        for (size_t k = 0; k < sizeof filters / sizeof *filters; k++) {
            FRZ_TRY(read_some(table, self->snapshot_ids[i], filters[k], out, err));
            frz_buffer_append_text(out, ";\n");
        }
    return FRZ_OK;
}

/* Of V3 with data files, deletion vectors, equality deletes and rows that hold their ids; of V2
 * with position deletes instead. */
static void spoiled_open(spoiled *self, int format_version)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    *self = (spoiled){0};
    CHECK_OK(fixture_open(&self->storage, NULL, &err), err);
    CHECK_OK(frz_io_fault_new(self->storage.io, &self->fault, &err), err);
    options.schema = "id long, name string";
    options.format_version = format_version;
    CHECK_OK(frz_catalog_create_table(self->storage.catalog, "n.t", &options, &table, &err), err);
    append_rows(table, "1:a 2:b 3:c");
    append_rows(table, "4:d 5:e");
    change(table, NULL, "id = 1", FRZ_DELETE_MODE_MERGE_ON_READ);
    change(table, "name = 'u'", "id = 5", FRZ_DELETE_MODE_MERGE_ON_READ);
    upsert(table, "2:w 6:f");
    self->metadata_location = frz_copy_text(table->metadata_location);
    for (size_t i = 0; i < table->metadata->snapshot_count; i++)
        self->snapshot_ids[self->snapshot_count++] = table->metadata->snapshots[i].snapshot_id;
    CHECK_OK(read_rows(self, table, &self->rows, &err), err);
    CHECK_OK(self->storage.io->ops->list(self->storage.io, "mem://wh", note_file, self, &err), err);
    frz_table_free(table);
}

static void spoiled_close(spoiled *self)
{
    for (size_t i = 0; i < self->file_count; i++)
        frz_free(self->files[i]);
    frz_free(self->metadata_location);
    frz_buffer_clear(&self->rows);
    frz_io_free(self->fault);
    fixture_close(&self->storage);
}

/* How a spoiled table ended; SAME: nothing was noticed, and it reads as before. */
typedef enum outcome { NOTICED, SAME, DIFFERENT, OUTCOMES } outcome;

static bool reads_alike(const spoiled *self, const frz_table *table)
{
    frz_buffer rows = {0};
    frz_error *err = NULL;
    const frz_status status = read_rows(self, table, &rows, &err);
    const bool alike =
        status == FRZ_OK && frz_slice_equal(frz_buffer_slice(&rows), frz_buffer_slice(&self->rows));
    frz_error_free(err);
    frz_buffer_clear(&rows);
    return alike;
}

static outcome judge(const spoiled *self)
{
    frz_table *table = NULL;
    frz_verify_report *report = NULL;
    frz_error *err = NULL;
    frz_verify_options options = FRZ_VERIFY_OPTIONS_INIT;
    outcome out = NOTICED;
    options.deep = true;
    frz_status status = frz_table_open(self->metadata_location, self->storage.io, &table, &err);
    if (status == FRZ_OK)
        status = frz_table_verify(table, &options, &report, &err);
    if (status == FRZ_OK && frz_verify_report_count(report, FRZ_SEVERITY_ERROR) == 0 &&
        frz_verify_report_count(report, FRZ_SEVERITY_WARNING) == 0)
        out = reads_alike(self, table) ? SAME : DIFFERENT;
    CHECK(status == FRZ_OK || (err && frz_error_message(err)[0]));
    CHECK(status == FRZ_OK || status == FRZ_CORRUPT || status == FRZ_UNSUPPORTED ||
          status == FRZ_INVALID || status == FRZ_NOT_FOUND || status == FRZ_NO_MEMORY);
    frz_error_free(err);
    frz_verify_report_free(report);
    frz_table_free(table);
    return out;
}

static void put_file(const spoiled *self, const char *location, const void *bytes, size_t size)
{
    frz_error *err = NULL;
    CHECK_OK(frz_io_remove(self->storage.io, location, &err), err);
    CHECK_OK(frz_io_write_file(self->storage.io, location, frz_slice_of(bytes, size), &err), err);
}

/* "metadata.json", "manifest list", ... */
static const char *kind_of(const char *location)
{
    if (strstr(location, ".metadata.json"))
        return "metadata";
    if (strstr(location, "/snap-"))
        return "manifest list";
    if (strstr(location, ".avro"))
        return "manifest";
    if (strstr(location, ".puffin"))
        return "deletion vectors";
    if (strstr(location, "-equality-deletes"))
        return "equality deletes";
    return strstr(location, "-deletes") ? "position deletes" : "data";
}

static size_t stride_of(size_t size)
{
    const char *wanted = getenv("FRAZIL_SWEEP");
    return wanted && strcmp(wanted, "all") == 0 ? 1 : size / 60 + 1;
}

/* A column's name in metadata.json, which has no checksum, and the files may have others: nobody
 * can tell that it was another one. */
static bool is_column_name(frz_slice text, size_t at)
{
    static const char key[] = "\"name\":\"";
    while (at > 0 && text.data[at - 1] != '"')
        at--;
    return at >= strlen(key) && memcmp(text.data + at - strlen(key), key, strlen(key)) == 0;
}

static void spoil_file(const spoiled *self, const char *location)
{
    static const uint8_t masks[] = {0x01, 0x10, 0x80, 0xff, 0x20};
    size_t outcomes[OUTCOMES] = {0};
    frz_buffer whole = {0};
    frz_error *err = NULL;
    CHECK_OK(frz_io_read_file(self->storage.io, location, 1 << 20, &whole, &err), err);
    const size_t stride = stride_of(whole.size);
    for (size_t at = 0; at < whole.size; at += stride) {
        const uint8_t kept = whole.data[at];
        whole.data[at] ^= masks[at / stride % (sizeof masks / sizeof *masks)];
        put_file(self, location, whole.data, whole.size);
        const outcome changed = judge(self);
        whole.data[at] = kept;
        if (changed == DIFFERENT && !is_column_name(frz_buffer_slice(&whole), at))
            fail_msg("%s: a changed byte at %zu of %zu is not noticed", location, at, whole.size);
        put_file(self, location, whole.data, at);
        const outcome cut = judge(self);
        if (cut == DIFFERENT)
            fail_msg("%s: cut off at %zu of %zu is not noticed", location, at, whole.size);
        outcomes[changed]++;
        outcomes[cut]++;
    }
    put_file(self, location, whole.data, whole.size);
    print_message("%s: %zu noticed, %zu read as before, %zu names of columns\n", kind_of(location),
                  outcomes[NOTICED], outcomes[SAME], outcomes[DIFFERENT]);
    CHECK(outcomes[NOTICED] > outcomes[SAME]);
    frz_buffer_clear(&whole);
}

static bool is_last_of_kind(const spoiled *self, size_t index)
{
    for (size_t i = index + 1; i < self->file_count; i++)
        if (strcmp(kind_of(self->files[i]), kind_of(self->files[index])) == 0)
            return false;
    return true;
}

static void what_is_spoiled_is_noticed_or_changes_nothing(void **state)
{
    (void)state;
    for (int version = 2; version <= 3; version++) {
        spoiled self;
        spoiled_open(&self, version);
        CHECK(judge(&self) == SAME);
        for (size_t i = 0; i < self.file_count; i++)
            if (is_last_of_kind(&self, i))
                spoil_file(&self, self.files[i]);
        CHECK(judge(&self) == SAME);
        spoiled_close(&self);
    }
}

static frz_status verify_by(const spoiled *self, frz_io *io, frz_error **err)
{
    frz_table *table = NULL;
    frz_verify_report *report = NULL;
    frz_verify_options options = FRZ_VERIFY_OPTIONS_INIT;
    options.deep = true;
    frz_status status = frz_table_open(self->metadata_location, io, &table, err);
    if (status == FRZ_OK)
        status = frz_table_verify(table, &options, &report, err);
    CHECK((status == FRZ_OK) == (report != NULL));
    if (report) {
        CHECK(frz_verify_report_count(report, FRZ_SEVERITY_ERROR) == 0);
        CHECK(frz_verify_report_count(report, FRZ_SEVERITY_WARNING) == 0);
    }
    frz_verify_report_free(report);
    frz_table_free(table);
    return status;
}

/* Storage that does not answer is no finding: the table may be sound. Nor is it sound. */
static void a_storage_call_that_fails_ends_the_verification(void **state)
{
    (void)state;
    for (int version = 2; version <= 3; version++) {
        spoiled self;
        bool fired = true;
        spoiled_open(&self, version);
        for (int64_t call = 0; fired; call++) {
            frz_error *err = NULL;
            frz_io_fault_fail_after(self.fault, call);
            const frz_status status = verify_by(&self, self.fault, &err);
            fired = frz_io_fault_fired(self.fault);
            if (status != (fired ? FRZ_IO : FRZ_OK) ||
                (fired && (!strstr(frz_error_message(err), "injected") ||
                           !strstr(frz_error_message(err), "mem://wh/n/t/"))))
                fail_msg("call %d: %s: %s", (int)call, frz_status_name(status),
                         err ? frz_error_message(err) : "");
            frz_error_free(err);
            CHECK(call < 1000);
        }
        spoiled_close(&self);
    }
}

static spoiled swept;

static void verify_once(void)
{
    frz_error *err = NULL;
    const frz_status status = verify_by(&swept, swept.storage.io, &err);
    CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    frz_error_free(err);
}

static void short_memory_is_no_finding(void **state)
{
    (void)state;
    spoiled_open(&swept, 3);
    sweep_allocation_failures(verify_once);
    spoiled_close(&swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_spoiled_is_noticed_or_changes_nothing),
        cmocka_unit_test(a_storage_call_that_fails_ends_the_verification),
        cmocka_unit_test(short_memory_is_no_finding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
