/*
 * Covers: maintenance/row_contents maintenance/measures maintenance/position_contents
 * maintenance/vector_contents maintenance/file_reading maintenance/row_ids maintenance/claims
 *
 * What only shows when files are read: each rule is broken in a table that is sound but for that.
 */
#include "damage_fixture.h"

#include "maintenance/claims.h"
#include "scan/delete_fixture.h"

/* Replaces one byte of a file. */
static void spoil(frz_io *io, const char *path, size_t offset)
{
    frz_error *err = NULL;
    frz_buffer bytes = {0};
    CHECK_OK(frz_io_read_file(io, path, 1 << 20, &bytes, &err), err);
    CHECK(offset < bytes.size);
    bytes.data[offset] ^= 0xff;
    CHECK_OK(frz_io_remove(io, path, &err), err);
    CHECK_OK(frz_io_write_file(io, path, frz_buffer_slice(&bytes), &err), err);
    frz_buffer_clear(&bytes);
}

static void spoil_entry(damaged *self, size_t snapshot, int32_t content, size_t offset)
{
    char path[512];
    damaged_load(self, snapshot);
    damaged_load_entries(
        self, damaged_find(self, content, content ? FRZ_ENTRY_ADDED : FRZ_ENTRY_EXISTING));
    for (size_t i = 0; i < self->entry_count; i++) {
        const frz_data_file *file = &self->entries[i].file;
        if (self->entries[i].status == FRZ_ENTRY_DELETED)
            continue;
        (void)snprintf(path, sizeof path, "%.*s", (int)file->path.size,
                       (const char *)file->path.data);
        spoil(damaged_io(self), path, content ? (size_t)file->content_offset + offset : offset);
        return;
    }
}

static void spoil_page(damaged *self)
{
    spoil_entry(self, 3, 0, 60);
}

static void spoil_vector(damaged *self)
{
    spoil_entry(self, 3, 1, 40);
}

static void spoil_magic(damaged *self)
{
    spoil_entry(self, 3, 1, 4);
}

/* The last place where a file has `id` as eight bytes, before the footer or in it, which there is a
 * lower bound: it becomes 2. */
static void raise_stored_bound(damaged *self, int64_t id, bool in_footer)
{
    frz_error *err = NULL;
    frz_buffer bytes = {0};
    char path[512];
    const int64_t raised = 2;
    uint32_t footer = 0;
    damaged_load(self, 0);
    damaged_load_entries(self, damaged_find(self, 0, FRZ_ENTRY_ADDED));
    for (size_t i = 0; i < self->entry_count; i++)
        if (self->entries[i].file.record_count == 2)
            (void)snprintf(path, sizeof path, "%.*s", (int)self->entries[i].file.path.size,
                           (const char *)self->entries[i].file.path.data);
    CHECK_OK(frz_io_read_file(damaged_io(self), path, 1 << 20, &bytes, &err), err);
    memcpy(&footer, bytes.data + bytes.size - 8, sizeof footer);
    size_t at = bytes.size - (in_footer ? sizeof id : footer + sizeof id + 8);
    while (memcmp(bytes.data + at, &id, sizeof id) != 0)
        at--;
    memcpy(bytes.data + at, &raised, sizeof raised);
    CHECK_OK(frz_io_remove(damaged_io(self), path, &err), err);
    CHECK_OK(frz_io_write_file(damaged_io(self), path, frz_buffer_slice(&bytes), &err), err);
    frz_buffer_clear(&bytes);
}

static void raise_group_bound(damaged *self)
{
    raise_stored_bound(self, 1, true);
}

static void raise_page_bound(damaged *self)
{
    raise_stored_bound(self, 1, false);
}

static const frz_column_metrics other_counts[] = {
    {.field_id = 1, .column_size = -1, .value_count = 7, .null_count = 3, .nan_count = -1}};
static const frz_column_metrics low_bounds[] = {{.field_id = 2,
                                                 .column_size = -1,
                                                 .value_count = -1,
                                                 .null_count = -1,
                                                 .nan_count = -1,
                                                 .has_lower = true,
                                                 .has_upper = true,
                                                 .lower = {(const uint8_t *)"A", 1},
                                                 .upper = {(const uint8_t *)"Z", 1}}};
static const frz_column_metrics high_bounds[] = {{.field_id = 2,
                                                  .column_size = -1,
                                                  .value_count = -1,
                                                  .null_count = -1,
                                                  .nan_count = -1,
                                                  .has_lower = true,
                                                  .lower = {(const uint8_t *)"b", 1}}};
static const int64_t other_offsets[] = {7};
static frz_value other_tuple[2];

ENTRY_DAMAGE(miscount_rows, 0, FRZ_ENTRY_EXISTING, entry->file.record_count += 5)
ENTRY_DAMAGE(miscount_values, 0, FRZ_ENTRY_EXISTING, entry->file.columns = other_counts;
             entry->file.column_count = 1)
ENTRY_DAMAGE(lower_bounds, 0, FRZ_ENTRY_EXISTING, entry->file.columns = low_bounds;
             entry->file.column_count = 1)
ENTRY_DAMAGE(raise_bounds, 0, FRZ_ENTRY_EXISTING, entry->file.columns = high_bounds;
             entry->file.column_count = 1)
ENTRY_DAMAGE(shift_offsets, 0, FRZ_ENTRY_EXISTING, entry->file.split_offsets = other_offsets;
             entry->file.split_offset_count = 1)
ENTRY_DAMAGE(put_in_other_partition, 0, FRZ_ENTRY_EXISTING,
             other_tuple[0] = (frz_value){.form = FRZ_VALUE_BYTES,
                                          .bytes = frz_slice_of_text("other")},
             other_tuple[1] = entry->file.partition[1], entry->file.partition = other_tuple)
ENTRY_DAMAGE(refer_to_other_file, 1, FRZ_ENTRY_ADDED,
             entry->file.referenced_data_file = frz_slice_of_text("mem://wh/other"))
ENTRY_DAMAGE(move_vector, 1, FRZ_ENTRY_ADDED, entry->file.content_offset++)
ENTRY_DAMAGE(shorten_vector, 1, FRZ_ENTRY_ADDED, entry->file.content_size--)
ENTRY_DAMAGE(recount_vector, 1, FRZ_ENTRY_ADDED, entry->file.record_count++)

static void empty_files(damaged *self)
{
    damaged_load(self, 3);
    for (size_t i = 0; i < self->list.count; i++) {
        if (self->list.files[i].content != 0)
            continue;
        damaged_load_entries(self, &self->list.files[i]);
        for (size_t k = 0; k < self->entry_count; k++)
            self->entries[k].file.record_count = 0;
        damaged_store_entries(self, &self->list.files[i]);
    }
    damaged_store(self);
}

static void require_name(damaged *self)
{
    append_rows(self->table, "9:-");
    damaged_edit(self, "\"name\":\"name\",\"required\":false",
                 "\"name\":\"name\",\"required\":true");
}

static void take_row_ids_back(damaged *self)
{
    frz_error *err = NULL;
    CHECK_OK(frz_table_update(self->table, "id = 7", "id = 4", FRZ_DELETE_MODE_COPY_ON_WRITE, NULL,
                              NULL, &err),
             err);
    damaged_edit(self, "\"next-row-id\":", "\"next-row-id\":1,\"was\":");
}

/* A statistics file of the last snapshot: `bytes`, and as many blobs as the metadata tells. */
static void name_statistics(damaged *self, frz_slice bytes, const char *blobs)
{
    frz_error *err = NULL;
    const char *text = frz_arena_printf(
        &self->arena,
        "\"statistics\":[{\"snapshot-id\":%lld,\"statistics-path\":\"mem://wh/s.puffin\","
        "\"file-size-in-bytes\":%zu,\"file-footer-size-in-bytes\":3,\"blob-metadata\":[%s]}]",
        (long long)self->table->metadata->snapshots[3].snapshot_id, bytes.size, blobs);
    CHECK(text);
    CHECK_OK(frz_io_write_file(damaged_io(self), "mem://wh/s.puffin", bytes, &err), err);
    damaged_edit(self, "\"statistics\":[]", text);
}

static void name_no_puffin(damaged *self)
{
    name_statistics(self, frz_slice_of_text("PFA1...."), "");
}

/* An empty Puffin file (Puffin spec, "File structure", "Footer structure"). */
static void name_absent_blob(damaged *self)
{
    static const char empty[] = "PFA1PFA1{\"blobs\":[]}\x0c\0\0\0\0\0\0\0PFA1";
    name_statistics(self, frz_slice_of(empty, sizeof empty - 1), "{}");
}

static const damage_case damages[] = {
    {FRZ_RULE_STATISTICS, name_no_puffin, NULL, "Puffin"},
    {FRZ_RULE_STATISTICS, name_absent_blob, "1 blobs, as in blob-metadata", "0"},
    {FRZ_RULE_DATA_READABLE, spoil_page, NULL, "page"},
    {FRZ_RULE_DATA_ROWS, miscount_rows, "record_count", NULL},
    {FRZ_RULE_DATA_REQUIRED, require_name, "no null in name", "1 rows"},
    {FRZ_RULE_DATA_METRICS, miscount_values, "value count of id", "7"},
    {FRZ_RULE_DATA_METRICS, miscount_values, "null count of id (column 1) 0", "3"},
    {FRZ_RULE_DATA_METRICS, lower_bounds, "no value of name (column 2) above its upper bound Z",
     "rows"},
    {FRZ_RULE_DATA_METRICS, raise_bounds, "no value of name (column 2) below its lower bound b",
     "rows"},
    {FRZ_RULE_DATA_STATISTICS, raise_group_bound, "of id (column 1) in row group 0",
     "1 values outside, 0 nulls"},
    {FRZ_RULE_DATA_STATISTICS, raise_page_bound, "of id (column 1) in page 0",
     "1 values outside, 0 nulls"},
    {FRZ_RULE_DATA_PARTITION, put_in_other_partition, "rows of the partition alone, by name",
     "others"},
    {FRZ_RULE_DATA_SPLIT_OFFSETS, shift_offsets, "row groups start", "7"},
    {FRZ_RULE_DATA_ROW_IDS, take_row_ids_back, "_row_id from 0, below next-row-id 1", "others"},
    {FRZ_RULE_VECTOR_BLOB, spoil_vector, NULL, "checksum"},
    {FRZ_RULE_VECTOR_BLOB, spoil_magic, NULL, "magic"},
    {FRZ_RULE_VECTOR_FOOTER, recount_vector, "cardinality 2", "1"},
    {FRZ_RULE_VECTOR_FOOTER, shorten_vector, "content_size_in_bytes", NULL},
    {FRZ_RULE_DELETE_POSITIONS, empty_files, "positions below 0", "0"},
};

/* Field report D075: offset and length are those of a sound blob of another data file, or of none.
 */
static const damage_case references[] = {
    {FRZ_RULE_VECTOR_FOOTER, refer_to_other_file, "referenced-data-file mem://wh/other", "mem://"},
    {FRZ_RULE_VECTOR_FOOTER, move_vector, "a blob at 5", "none in the footer"},
};

enum {
    DAMAGES = sizeof damages / sizeof *damages,
    REFERENCES = sizeof references / sizeof *references
};

static frz_verify_options deep_options(void)
{
    frz_verify_options options = FRZ_VERIFY_OPTIONS_INIT;
    options.deep = true;
    return options;
}

static void what_is_wrong_in_a_file_is_found_by_reading_it(void **state)
{
    frz_verify_options options = deep_options();
    (void)state;
    check_damages(damages, DAMAGES, 3, &options);
    options.entry_limit = 1;
    check_damages(damages, DAMAGES, 3, &options);
}

static void d075_a_vector_of_another_data_file_is_found(void **state)
{
    const frz_verify_options options = deep_options();
    (void)state;
    check_damages(references, REFERENCES, 3, &options);
}

static void sound_tables_of_all_versions_have_no_finding(void **state)
{
    frz_verify_options options = deep_options();
    static const frz_verify_counts wanted[] = {
        {.files_read = 4, .rows_read = 5},
        {.files_read = 5, .rows_read = 6},
        {.files_read = 4, .rows_read = 5, .vectors_read = 1}};
    (void)state;
    for (int version = 1; version <= 3; version++) {
        for (size_t limit = 0; limit <= 1; limit++) {
            damaged self;
            damaged_open(&self, version);
            options.entry_limit = limit;
            frz_verify_report *report = damaged_verify(&self, &options);
            const frz_verify_counts *counts = frz_verify_report_counts(report);
            check_sound(report);
            CHECK(counts->files_read == wanted[version - 1].files_read);
            CHECK(counts->rows_read == wanted[version - 1].rows_read);
            CHECK(counts->vectors_read == wanted[version - 1].vectors_read);
            frz_verify_report_free(report);
            damaged_close(&self);
        }
    }
}

/* A table of V2 of "id long, name string" with files as other writers might write them. */
static numbered_table written_open(void)
{
    return numbered_open(
        &(table_shape){.schema = "id long, name string, score double", .format_version = 2});
}

static void check_written(const numbered_table *self, const damage_case *wanted, size_t count)
{
    const frz_verify_options options = deep_options();
    frz_error *err = NULL;
    frz_verify_report *report = NULL;
    CHECK_OK(frz_table_verify(self->table, &options, &report, &err), err);
    for (size_t i = 0; i < count; i++)
        if (!is_found(report, &wanted[i])) {
            print_findings(report);
            fail_msg("%zu: %s is not found", i, frz_rule_name(wanted[i].rule));
        }
    if (count == 0)
        check_sound(report);
    frz_verify_report_free(report);
}

#define POSITION_COLUMNS                                                 \
    {                                                                    \
        {FRZ_FIELD_ID_DELETE_FILE_PATH, "file_path", "string", 0, NULL}, \
        {                                                                \
            FRZ_FIELD_ID_DELETE_POS, "pos", "long", 0, NULL              \
        }                                                                \
    }

static void deletes_are_read_row_by_row(void **state)
{
    numbered_table self = written_open();
    (void)state;
    commit_file(&self, &(written_file){.columns = {{1, "id", "long", 0, NULL}}, .rows = "1 2"});
    commit_file(&self, &(written_file){.content = FRZ_CONTENT_EQUALITY_DELETES,
                                       .columns = {{1, "id", "long", 0, NULL}},
                                       .rows = "1",
                                       .ids = {1}});
    commit_file(&self, &(written_file){.content = FRZ_CONTENT_POSITION_DELETES,
                                       .columns = POSITION_COLUMNS,
                                       .rows = "a:0 a:1 b:0"});
    check_written(&self, NULL, 0);
    commit_file(&self, &(written_file){.content = FRZ_CONTENT_POSITION_DELETES,
                                       .columns = POSITION_COLUMNS,
                                       .rows = "b:4 a:1 a:0"});
    check_written(
        &self,
        &(damage_case){FRZ_RULE_DELETE_ORDER, NULL, "rows by file_path, then pos", "2 behind"}, 1);
    numbered_close(&self);
}

static void positions_from_zero_on_are_of_rows(void **state)
{
    numbered_table self = written_open();
    (void)state;
    commit_file(&self, &(written_file){.content = FRZ_CONTENT_POSITION_DELETES,
                                       .columns = POSITION_COLUMNS,
                                       .rows = "a:-1 -:3 a:2"});
    check_written(
        &self, &(damage_case){FRZ_RULE_DELETE_POSITIONS, NULL, "a position from 0", "2 rows"}, 1);
    numbered_close(&self);
}

static void columns_that_the_table_never_had_are_told(void **state)
{
    numbered_table self = written_open();
    (void)state;
    commit_file(&self, &(written_file){
                           .columns = {{1, "id", "long", 0, NULL}, {99, "more", "long", 0, NULL}},
                           .rows = "1:2"});
    check_written(&self,
                  &(damage_case){FRZ_RULE_DATA_COLUMNS, NULL, "last-column-id 3", "99 of more"}, 1);
    numbered_close(&self);
}

#define UPDATE_COLUMNS                                                                             \
    {                                                                                              \
        {1, "id", "long", 0, NULL},                                                                \
        {                                                                                          \
            FRZ_FIELD_ID_LAST_UPDATED_SEQUENCE_NUMBER, "_last_updated_sequence_number", "long", 0, \
                NULL                                                                               \
        }                                                                                          \
    }

/* The first commit has these rows; another may follow. */
static void check_update_numbers(const char *rows, bool another)
{
    numbered_table self = numbered_open(&(table_shape){.schema = "id long", .format_version = 3});
    commit_file(&self, &(written_file){.columns = UPDATE_COLUMNS, .rows = rows});
    if (another)
        commit_file(&self, &(written_file){.columns = {{1, "id", "long", 0, NULL}}, .rows = "3"});
    check_written(&self,
                  &(damage_case){FRZ_RULE_DATA_ROW_IDS, NULL,
                                 "_last_updated_sequence_number at most the file's, 1", "1 others"},
                  1);
    numbered_close(&self);
}

static void numbers_that_were_never_given_are_told(void **state)
{
    (void)state;
    check_update_numbers("1:99 2:1", false);
}

/* Spec "Row Lineage": no row of a file was changed after the commit that the file is of. */
static void numbers_of_later_commits_are_told(void **state)
{
    (void)state;
    check_update_numbers("1:1 2:2", true);
}

#define ROW_ID_COLUMNS                                      \
    {                                                       \
        {1, "id", "long", 0, NULL},                         \
        {                                                   \
            FRZ_FIELD_ID_ROW_ID, "_row_id", "long", 0, NULL \
        }                                                   \
    }

/* Verified with the ids of all rows in memory, and one by one. */
static void check_row_ids(const numbered_table *self, const damage_case *wanted, size_t count)
{
    frz_verify_options options = deep_options();
    for (int round = 0; round < 2; round++) {
        frz_error *err = NULL;
        frz_verify_report *report = NULL;
        options.row_id_memory = (uint64_t)round;
        CHECK_OK(frz_table_verify(self->table, &options, &report, &err), err);
        if (count == 0)
            check_sound(report);
        for (size_t i = 0; i < count; i++)
            if (!is_found(report, &wanted[i])) {
                print_findings(report);
                fail_msg("%zu: %s is not found", i, frz_rule_name(wanted[i].rule));
            }
        CHECK(frz_verify_report_count(report, FRZ_SEVERITY_ERROR) == (int64_t)count);
        frz_verify_report_free(report);
    }
}

/* Spec "Row Lineage": "unique long identifier"; the row that it was before is deleted, or not. */
static void row_ids_that_two_rows_have_are_told(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){.schema = "id long", .format_version = 3});
    commit_file(&self, &(written_file){.columns = {{1, "id", "long", 0, NULL}}, .rows = "1 2 3"});
    commit_file(&self, &(written_file){.columns = ROW_ID_COLUMNS, .rows = "9:- 8:-"});
    check_row_ids(&self, NULL, 0); /* 3 and 4 */
    commit_file(&self, &(written_file){.columns = ROW_ID_COLUMNS, .rows = "1:0 2:1 7:-"});
    const damage_case inherited = {FRZ_RULE_ROW_ID_UNIQUE, NULL, "no other row",
                                   "2 rows without, the first with 0"};
    check_row_ids(&self, &inherited, 1);
    commit_file(&self, &(written_file){.columns = ROW_ID_COLUMNS, .rows = "1:3 2:5"});
    const damage_case all[] = {
        inherited, {FRZ_RULE_ROW_ID_UNIQUE, NULL, NULL, "1 rows without, the first with 3"}};
    check_row_ids(&self, all, 2);
    numbered_close(&self);
}

static void row_ids_of_rows_that_moved_are_their_own(void **state)
{
    damaged self;
    frz_verify_options options = deep_options();
    (void)state;
    for (int mode = FRZ_DELETE_MODE_MERGE_ON_READ; mode <= FRZ_DELETE_MODE_COPY_ON_WRITE; mode++) {
        frz_error *err = NULL;
        damaged_open(&self, 3);
        CHECK_OK(frz_table_update(self.table, "name = 'c'", NULL, (frz_delete_mode)mode, NULL, NULL,
                                  &err),
                 err);
        CHECK_OK(frz_table_update(self.table, "id = id + 10", "id = 2", (frz_delete_mode)mode, NULL,
                                  NULL, &err),
                 err);
        for (options.row_id_memory = 0; options.row_id_memory < 2; options.row_id_memory++) {
            frz_verify_report *report = damaged_verify(&self, &options);
            check_sound(report);
            frz_verify_report_free(report);
        }
        damaged_close(&self);
    }
}

/* Findings, counts and their order are of no number of threads. */
static void threads_change_nothing_in_the_report(void **state)
{
    frz_verify_options options = deep_options();
    (void)state;
    for (size_t i = 0; i < DAMAGES; i++) {
        damaged self;
        damaged_open(&self, 3);
        damages[i].damage(&self);
        options.threads = 1;
        frz_verify_report *alone = damaged_verify(&self, &options);
        options.threads = 4;
        frz_verify_report *together = damaged_verify(&self, &options);
        const frz_finding *one = NULL;
        size_t at = 0;
        for (; (one = frz_verify_report_at(alone, at)); at++) {
            const frz_finding *other = frz_verify_report_at(together, at);
            CHECK(other && strcmp(one->rule, other->rule) == 0 && one->entry == other->entry);
            CHECK(strcmp(one->expected, other->expected) == 0);
            CHECK(strcmp(one->found, other->found) == 0);
            CHECK(!one->path == !other->path && (!one->path || !strcmp(one->path, other->path)));
        }
        CHECK(!frz_verify_report_at(together, at));
        CHECK(memcmp(frz_verify_report_counts(alone), frz_verify_report_counts(together),
                     sizeof(frz_verify_counts)) == 0);
        frz_verify_report_free(alone);
        frz_verify_report_free(together);
        damaged_close(&self);
    }
}

static void name_another_file(frz_manifest_entry *entry)
{
    entry->file.referenced_data_file = frz_slice_of_text("mem://wh/other");
}

static void refer_position_deletes_elsewhere(damaged *self)
{
    change_entry(self, 1, FRZ_ENTRY_ADDED, name_another_file);
}

static void position_deletes_are_of_the_file_that_they_name(void **state)
{
    const frz_verify_options options = deep_options();
    const damage_case wanted = {FRZ_RULE_DELETE_PATHS, refer_position_deletes_elsewhere,
                                "deletes of mem://wh/other alone", "another file_path"};
    (void)state;
    check_damages(&wanted, 1, 2, &options);
}

static const frz_value null_value = {.form = FRZ_VALUE_NULL};

static void take_integers(frz_claims *claims, int64_t first, int64_t last)
{
    for (int64_t i = first; i <= last; i++)
        (void)frz_claims_take(claims, &(frz_value){.form = FRZ_VALUE_INTEGER, .integer = i}, false);
}

/* Each row counts for the claim that it lies in; what is not known cannot be wrong. */
static void claims_are_of_their_rows_alone(void **state)
{
    frz_claim items[] = {{.end = 3, .null_count = 1, .has_upper = true},
                         {.end = 3, .null_count = -1},
                         {.end = 5, .null_count = -1, .has_lower = true},
                         {.end = 6, .null_count = 0}};
    frz_claims claims = {.items = items, .count = 4};
    (void)state;
    items[0].upper = (frz_value){.form = FRZ_VALUE_INTEGER, .integer = 2};
    items[2].lower = (frz_value){.form = FRZ_VALUE_INTEGER, .integer = 3};
    take_integers(&claims, 1, 2);
    CHECK(!frz_claims_take(&claims, &null_value, false));
    take_integers(&claims, 3, 5);
    take_integers(&claims, 0, 9); /* behind the last claim */
    CHECK(!frz_claims_find_wrong(&claims));
    claims.at = 0;
    claims.row = 0;
    take_integers(&claims, 2, 7);
    CHECK(items[0].outside == 2 && items[2].outside == 0);
    CHECK(frz_claims_find_wrong(&claims) == &items[0]);
    items[0].outside = 0;
    CHECK(!frz_claims_find_wrong(&claims)); /* the null is there */
    claims.at = 3;
    claims.row = 5;
    CHECK(!frz_claims_take(&claims, &null_value, false));
    CHECK(frz_claims_find_wrong(&claims) == &items[3]);
}

/* A value within narrow bounds is compared with wider ones only where these are not wider. */
static void narrow_claims_settle_wider_ones(void **state)
{
    const frz_value three = {.form = FRZ_VALUE_INTEGER, .integer = 3};
    const frz_value nine = {.form = FRZ_VALUE_INTEGER, .integer = 9};
    frz_claim pages[] = {{.end = 2,
                          .null_count = -1,
                          .has_lower = true,
                          .has_upper = true,
                          .lower = three,
                          .upper = three},
                         {.end = 4,
                          .null_count = -1,
                          .has_lower = true,
                          .has_upper = true,
                          .lower = three,
                          .upper = nine},
                         {.end = 6, .null_count = -1, .has_lower = true, .lower = three}};
    frz_claim groups[] = {{.end = 4, .null_count = -1, .has_lower = true, .lower = three},
                          {.end = 6, .null_count = -1}};
    frz_claims narrow = {.items = pages, .count = 3};
    const frz_claims wide = {.items = groups, .count = 2};
    (void)state;
    frz_claims_nest(&narrow, &wide, &three, NULL);
    CHECK(pages[0].settles && pages[1].settles && !pages[2].settles);
    frz_claims_nest(&narrow, &wide, NULL, &three);
    CHECK(pages[0].settles && !pages[1].settles && !pages[2].settles);
    groups[0].lower = nine;
    frz_claims_nest(&narrow, &wide, NULL, NULL);
    CHECK(!pages[0].settles && !pages[1].settles);
    groups[0].lower = three;
    frz_claims_nest(&narrow, &wide, NULL, NULL);
    CHECK(frz_claims_take(&narrow, &three, false));
    CHECK(!frz_claims_take(&narrow, &nine, false) && pages[0].outside == 1);
    CHECK(frz_claims_take(&narrow, &nine, false));
}

static damaged swept;

static void verify_once(void)
{
    frz_verify_options options = deep_options();
    frz_error *err = NULL;
    frz_verify_report *report = NULL;
    options.at.has_snapshot_id = true;
    options.at.snapshot_id = swept.table->metadata->current_snapshot_id;
    const frz_status status = frz_table_verify(swept.table, &options, &report, &err);
    CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    if (status == FRZ_OK)
        CHECK(is_found(report, &(damage_case){FRZ_RULE_VECTOR_BLOB, NULL, NULL, NULL}));
    frz_verify_report_free(report);
    frz_error_free(err);
}

static void short_memory_is_no_finding(void **state)
{
    (void)state;
    damaged_open_small(&swept);
    spoil_entry(&swept, 1, 1, 40);
    sweep_allocation_failures(verify_once);
    damaged_close(&swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_in_a_file_is_found_by_reading_it),
        cmocka_unit_test(d075_a_vector_of_another_data_file_is_found),
        cmocka_unit_test(sound_tables_of_all_versions_have_no_finding),
        cmocka_unit_test(deletes_are_read_row_by_row),
        cmocka_unit_test(positions_from_zero_on_are_of_rows),
        cmocka_unit_test(columns_that_the_table_never_had_are_told),
        cmocka_unit_test(numbers_that_were_never_given_are_told),
        cmocka_unit_test(numbers_of_later_commits_are_told),
        cmocka_unit_test(row_ids_that_two_rows_have_are_told),
        cmocka_unit_test(row_ids_of_rows_that_moved_are_their_own),
        cmocka_unit_test(threads_change_nothing_in_the_report),
        cmocka_unit_test(claims_are_of_their_rows_alone),
        cmocka_unit_test(narrow_claims_settle_wider_ones),
        cmocka_unit_test(position_deletes_are_of_the_file_that_they_name),
        cmocka_unit_test(short_memory_is_no_finding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
