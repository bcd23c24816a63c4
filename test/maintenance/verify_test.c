/*
 * Covers: maintenance/verification maintenance/definitions maintenance/logs maintenance/snapshots
 * maintenance/listing maintenance/manifests maintenance/entries maintenance/summaries
 * maintenance/ledger maintenance/settlement maintenance/presence maintenance/totals
 *
 * Each rule of a verification is broken in a table that is sound but for that, and must be found.
 */
#include "damage_fixture.h"

#include "frazil/alter.h"
#include "maintenance/report.h"

/* A text with ids of snapshots in it. */
static const char *text_of(damaged *self, const char *format, size_t one, size_t other)
{
    const frz_snapshot *snapshots = self->table->metadata->snapshots;
    const char *text = frz_arena_printf(&self->arena, "%s", format);
    char *out = frz_arena_alloc(&self->arena, 1024);
    CHECK(text && out);
    size_t used = 0;
    for (const char *at = text; *at; at++) {
        if (*at != '#' && *at != '@')
            out[used++] = *at;
        else
            used += (size_t)snprintf(out + used, 1024 - used, "%lld",
                                     (long long)snapshots[*at == '#' ? one : other].snapshot_id);
    }
    return out;
}

static void raise_columns(damaged *self)
{
    damaged_edit(self, "\"last-column-id\":2", "\"last-column-id\":1");
}

static void raise_partitions(damaged *self)
{
    damaged_edit(self, "\"last-partition-id\":1001", "\"last-partition-id\":1000");
}

static void give_one_id_two_meanings(damaged *self)
{
    damaged_edit(self, "\"partition-specs\":[",
                 "\"partition-specs\":[{\"spec-id\":1,\"fields\":[{\"name\":\"id\",\"transform\":"
                 "\"identity\",\"source-id\":1,\"field-id\":1000}]},");
}

static void drop_partition_source(damaged *self)
{
    damaged_edit(self, "\"transform\":\"bucket[1]\",\"source-id\":1",
                 "\"transform\":\"bucket[1]\",\"source-id\":77");
}

static void drop_sort_source(damaged *self)
{
    damaged_edit(self, "\"sort-orders\":[{\"order-id\":1,\"fields\":[{\"transform\":\"identity\",",
                 "\"sort-orders\":[{\"order-id\":1,\"fields\":[{\"transform\":\"year\",");
}

static void log_unknown_snapshot(damaged *self)
{
    damaged_edit(self, "\"snapshot-log\":[",
                 "\"snapshot-log\":[{\"timestamp-ms\":1,\"snapshot-id\":7},");
}

static void end_log_elsewhere(damaged *self)
{
    damaged_edit(self, text_of(self, "\"snapshot-id\":#}],\"metadata-log\"", 3, 0),
                 text_of(self, "\"snapshot-id\":#}],\"metadata-log\"", 0, 0));
}

static void turn_back_log(damaged *self)
{
    damaged_edit(self, "\"metadata-log\":[",
                 "\"metadata-log\":[{\"timestamp-ms\":9000000000000,\"metadata-file\":\"x\"},");
}

static void remove_metadata_file(damaged *self)
{
    CHECK(frz_io_remove(damaged_io(self), self->table->metadata->metadata_log[0].metadata_file,
                        NULL) == FRZ_OK);
}

static void forget_next_row_id(damaged *self)
{
    damaged_edit(self, "\"next-row-id\":8,", "");
}

static void name_lost_statistics(damaged *self)
{
    damaged_edit(self, "\"statistics\":[]",
                 text_of(self,
                         "\"statistics\":[{\"snapshot-id\":#,\"statistics-path\":\"mem://wh/s\","
                         "\"file-size-in-bytes\":5,\"file-footer-size-in-bytes\":3,"
                         "\"blob-metadata\":[]}]",
                         3, 0));
}

static void make_parents_go_round(damaged *self)
{
    damaged_edit(
        self, text_of(self, "\"snapshot-id\":#,\"timestamp-ms\"", 0, 0),
        text_of(self, "\"snapshot-id\":#,\"parent-snapshot-id\":@,\"timestamp-ms\"", 0, 2));
}

static void repeat_sequence_number(damaged *self)
{
    damaged_edit(self, "\"sequence-number\":2", "\"sequence-number\":1");
}

static void commit_in_the_past(damaged *self)
{
    damaged_edit(self, text_of(self, "\"parent-snapshot-id\":#,\"timestamp-ms\":", 0, 0),
                 text_of(self, "\"parent-snapshot-id\":#,\"timestamp-ms\":1,\"old\":", 0, 0));
}

static void lose_schema(damaged *self)
{
    damaged_edit(self, "\"schema-id\":0,\"first-row-id\":3", "\"schema-id\":7,\"first-row-id\":3");
}

static void call_delete_append(damaged *self)
{
    damaged_edit(self, "\"operation\":\"delete\"", "\"operation\":\"append\"");
}

static void give_row_ids_twice(damaged *self)
{
    damaged_edit(self, "\"first-row-id\":3,", "\"first-row-id\":2,");
}

static void give_row_ids_beyond(damaged *self)
{
    damaged_edit(self, "\"next-row-id\":8", "\"next-row-id\":7");
}

static void give_too_few_row_ids(damaged *self)
{
    damaged_edit(self, "\"first-row-id\":3,\"added-rows\":2",
                 "\"first-row-id\":3,\"added-rows\":1");
}

static void miscount_added(damaged *self)
{
    damaged_edit(self, "\"added-data-files\":\"2\"", "\"added-data-files\":\"3\"");
}

static void miscount_total(damaged *self)
{
    damaged_edit(self, "\"total-delete-files\":\"1\"", "\"total-delete-files\":\"2\"");
}

static void lose_manifest(damaged *self)
{
    damaged_load(self, 1);
    self->list.count = 1;
    damaged_store(self);
}

static void lose_list(damaged *self)
{
    CHECK(frz_io_remove(damaged_io(self), self->table->metadata->snapshots[1].manifest_list,
                        NULL) == FRZ_OK);
}

static void list_twice(damaged *self)
{
    frz_manifest_file two[2];
    damaged_load(self, 0);
    two[0] = two[1] = self->list.files[0];
    self->list = (frz_manifest_list){two, 2};
    damaged_store(self);
}

static void list_otherwise(damaged *self)
{
    damaged_load(self, 1);
    damaged_find(self, 0, FRZ_ENTRY_ADDED)->added_rows++;
    damaged_store(self);
}

static void number_manifest_high(damaged *self)
{
    damaged_load(self, 0);
    self->list.files[0].sequence_number = 2;
    damaged_store(self);
}

static void adopt_manifest(damaged *self)
{
    damaged_load(self, 1);
    damaged_find(self, 0, FRZ_ENTRY_ADDED)->added_snapshot_id = 77;
    damaged_store(self);
}

static void lose_spec(damaged *self)
{
    damaged_load(self, 0);
    self->list.files[0].spec_id = 5;
    damaged_store(self);
}

static void lose_row_ids(damaged *self)
{
    damaged_load(self, 3);
    damaged_store_as(self, 2);
}

static void remove_manifest(damaged *self)
{
    damaged_load(self, 3);
    CHECK(frz_io_remove(damaged_io(self), damaged_find(self, 0, FRZ_ENTRY_DELETED)->path, NULL) ==
          FRZ_OK);
}

static void break_manifest(damaged *self)
{
    remove_manifest(self);
    CHECK(frz_io_write_file(damaged_io(self), damaged_find(self, 0, FRZ_ENTRY_DELETED)->path,
                            frz_slice_of_text("Obj?"), NULL) == FRZ_OK);
}

static void encrypt_manifest(damaged *self)
{
    damaged_load(self, 3);
    damaged_find(self, 0, FRZ_ENTRY_DELETED)->key_metadata = frz_slice_of_text("k");
    damaged_store(self);
}

static void shorten_manifest(damaged *self)
{
    damaged_load(self, 3);
    damaged_find(self, 0, FRZ_ENTRY_DELETED)->length--;
    damaged_store(self);
}

static void list_data_as_deletes(damaged *self)
{
    damaged_load(self, 3);
    frz_manifest_file *file = damaged_find(self, 0, FRZ_ENTRY_DELETED);
    file->content = 1;
    file->first_row_id = -1;
    damaged_store(self);
}

static void miscount_manifest(damaged *self)
{
    damaged_load(self, 3);
    damaged_find(self, 0, FRZ_ENTRY_DELETED)->deleted_rows++;
    damaged_store(self);
}

static void raise_min_sequence(damaged *self)
{
    damaged_load(self, 3);
    damaged_find(self, 0, FRZ_ENTRY_EXISTING)->min_sequence_number = 4;
    damaged_store(self);
}

static void narrow_summary(damaged *self)
{
    static frz_field_summary narrowed[2];
    damaged_load(self, 3);
    frz_manifest_file *file = damaged_find(self, 0, FRZ_ENTRY_EXISTING);
    narrowed[0] = file->partitions[0];
    narrowed[1] = file->partitions[1];
    narrowed[0].lower = frz_slice_of_text("z");
    narrowed[0].upper = frz_slice_of_text("z");
    file->partitions = narrowed;
    damaged_store(self);
}

static const frz_column_metrics more_nulls[] = {
    {.field_id = 1, .column_size = -1, .value_count = 1, .null_count = 2, .nan_count = -1}};
static const frz_column_metrics crossed_bounds[] = {{.field_id = 2,
                                                     .column_size = -1,
                                                     .value_count = 1,
                                                     .null_count = -1,
                                                     .nan_count = -1,
                                                     .has_lower = true,
                                                     .has_upper = true,
                                                     .lower = {(const uint8_t *)"b", 1},
                                                     .upper = {(const uint8_t *)"a", 1}}};
static const int64_t falling_offsets[] = {9, 4};
static const int32_t unknown_ids[] = {99};
static frz_value fifth_bucket[2];

ENTRY_DAMAGE(number_entry_high, 0, FRZ_ENTRY_EXISTING, entry->sequence_number = 9)
ENTRY_DAMAGE(number_file_high, 0, FRZ_ENTRY_EXISTING, entry->file_sequence_number = 9)
ENTRY_DAMAGE(misname_deleted, 0, FRZ_ENTRY_DELETED,
             entry->file.path = frz_slice_of_text("mem://wh/never"))
ENTRY_DAMAGE(lose_sort_order, 0, FRZ_ENTRY_EXISTING, entry->file.sort_order_id = 9)
ENTRY_DAMAGE(change_format, 0, FRZ_ENTRY_EXISTING,
             entry->file.format_text = frz_slice_of_text("lance");
             entry->file.format = FRZ_FORMAT_OTHER)
ENTRY_DAMAGE(count_more_nulls, 0, FRZ_ENTRY_EXISTING, entry->file.columns = more_nulls;
             entry->file.column_count = 1)
ENTRY_DAMAGE(cross_bounds, 0, FRZ_ENTRY_EXISTING, entry->file.columns = crossed_bounds;
             entry->file.column_count = 1)
ENTRY_DAMAGE(turn_offsets, 0, FRZ_ENTRY_EXISTING, entry->file.split_offsets = falling_offsets;
             entry->file.split_offset_count = 2)
ENTRY_DAMAGE(put_in_fifth_bucket, 0, FRZ_ENTRY_EXISTING, fifth_bucket[0] = entry->file.partition[0];
             fifth_bucket[1] = (frz_value){.form = FRZ_VALUE_INTEGER, .integer = 5};
             entry->file.partition = fifth_bucket)
ENTRY_DAMAGE(delete_unknown_columns, 1, FRZ_ENTRY_ADDED,
             entry->file.content = FRZ_CONTENT_EQUALITY_DELETES;
             entry->file.format = FRZ_FORMAT_PARQUET;
             entry->file.format_text = frz_slice_of_text("parquet");
             entry->file.equality_ids = unknown_ids; entry->file.equality_id_count = 1)
ENTRY_DAMAGE(move_vector, 1, FRZ_ENTRY_ADDED, entry->file.content_offset = entry->file.file_size)
ENTRY_DAMAGE(refer_elsewhere, 1, FRZ_ENTRY_ADDED,
             entry->file.referenced_data_file = frz_slice_of_text("mem://wh/never"))
ENTRY_DAMAGE(delete_too_much, 1, FRZ_ENTRY_ADDED, entry->file.record_count = 99)
ENTRY_DAMAGE(change_rows, 0, FRZ_ENTRY_EXISTING, entry->file.record_count += 5)
ENTRY_DAMAGE(share_row_ids, 0, FRZ_ENTRY_EXISTING, entry->file.first_row_id = 1)
ENTRY_DAMAGE(leave_row_ids, 0, FRZ_ENTRY_EXISTING, entry->file.first_row_id = 8)
ENTRY_DAMAGE(change_size, 0, FRZ_ENTRY_EXISTING, entry->file.file_size++)
ENTRY_DAMAGE(lose_file, 0, FRZ_ENTRY_EXISTING,
             entry->file.path = frz_slice_of_text("mem://wh/never"))

static void keep_deleted(damaged *self)
{
    damaged_load(self, 3);
    frz_manifest_file *file = damaged_find(self, 0, FRZ_ENTRY_DELETED);
    const int64_t made_by = file->added_snapshot_id;
    damaged_load_entries(self, file);
    file->added_snapshot_id = 77; /* the writer puts it into ADDED and DELETED entries */
    damaged_store_entries(self, file);
    file->added_snapshot_id = made_by;
    damaged_store(self);
}

static void add_entry_again(damaged *self, size_t snapshot, int32_t content,
                            frz_entry_status status)
{
    damaged_load(self, snapshot);
    frz_manifest_file *file = damaged_find(self, content, status);
    damaged_load_entries(self, file);
    for (size_t i = 0; i < self->entry_count; i++) {
        if (self->entries[i].status != status)
            continue;
        self->entries[self->entry_count] = self->entries[i];
        if (content == 1)
            self->entries[self->entry_count].file.content_offset++;
        self->entry_count++;
        break;
    }
    damaged_store_entries(self, file);
    damaged_store(self);
    if (content == 1)
        damaged_store_length(self, file);
}

static void live_twice(damaged *self)
{
    add_entry_again(self, 3, 0, FRZ_ENTRY_EXISTING);
}

static void vector_twice(damaged *self)
{
    add_entry_again(self, 3, 1, FRZ_ENTRY_ADDED);
}

static const damage_case damages[] = {
    {FRZ_RULE_NOT_CHECKED, encrypt_manifest, NULL, "encrypted"},
    {FRZ_RULE_COLUMN_IDS, raise_columns, "last-column-id at least 2", "1"},
    {FRZ_RULE_PARTITION_IDS, raise_partitions, "last-partition-id at least 1001", "1000"},
    {FRZ_RULE_PARTITION_IDS, give_one_id_two_meanings, "of column 1", "of column 2"},
    {FRZ_RULE_PARTITION_SOURCES, drop_partition_source, "column 77 of id_bucket", "none"},
    {FRZ_RULE_SORT_SOURCES, drop_sort_source, "a column 1 that year accepts", "long"},
    {FRZ_RULE_SNAPSHOT_LOG, log_unknown_snapshot, NULL, "an unknown one"},
    {FRZ_RULE_SNAPSHOT_LOG, end_log_elsewhere, "last in the log", "another one"},
    {FRZ_RULE_LOG_TIMES, turn_back_log, "not before 9000000000000", NULL},
    {FRZ_RULE_METADATA_LOG_FILE, remove_metadata_file, "a file", "none"},
    {FRZ_RULE_NEXT_ROW_ID, forget_next_row_id, "format version 3", "none"},
    {FRZ_RULE_STATISTICS, name_lost_statistics, "a file of 5 bytes", "none"},
    {FRZ_RULE_SNAPSHOT_PARENT, make_parents_go_round, NULL, "its own ancestors"},
    {FRZ_RULE_SNAPSHOT_SEQUENCE, repeat_sequence_number, "above 1", "sequence-number 1"},
    {FRZ_RULE_SNAPSHOT_TIME, commit_in_the_past, "its parent's", "timestamp-ms 1"},
    {FRZ_RULE_SNAPSHOT_SCHEMA, lose_schema, NULL, "schema-id 7"},
    {FRZ_RULE_SNAPSHOT_OPERATION, call_delete_append, NULL, "an append that adds delete files"},
    {FRZ_RULE_SNAPSHOT_ROW_IDS, give_row_ids_twice, "3 rows from 0", "first-row-id 2"},
    {FRZ_RULE_SNAPSHOT_ROW_IDS, give_row_ids_beyond, "below next-row-id 7", "3 rows from 5"},
    {FRZ_RULE_SNAPSHOT_ROW_IDS, give_too_few_row_ids, "added-rows at least 2", "1"},
    {FRZ_RULE_SUMMARY_CHANGES, miscount_added, "added-data-files 2", "3"},
    {FRZ_RULE_SUMMARY_TOTALS, miscount_total, "total-delete-files 1", "2"},
    {FRZ_RULE_SNAPSHOT_CONTINUITY, lose_manifest, "4 data files with 5 rows", "2 with 2 rows"},
    {FRZ_RULE_MANIFEST_LIST, lose_list, NULL, "no such file"},
    {FRZ_RULE_MANIFEST_LISTED_ONCE, list_twice, "once", "twice"},
    {FRZ_RULE_MANIFEST_ALIKE, list_otherwise, NULL, "another rows counts"},
    {FRZ_RULE_MANIFEST_SEQUENCE, number_manifest_high, "at most 1", "2"},
    {FRZ_RULE_MANIFEST_ADDED_BY, adopt_manifest, NULL, "77"},
    {FRZ_RULE_MANIFEST_SPEC, lose_spec, NULL, "spec 5"},
    {FRZ_RULE_MANIFEST_ROW_IDS, lose_row_ids, "a first_row_id", "null"},
    {FRZ_RULE_MANIFEST_FILE, remove_manifest, "a file", "none"},
    {FRZ_RULE_MANIFEST_FILE, break_manifest, NULL, "manifest mem://"},
    {FRZ_RULE_MANIFEST_LENGTH, shorten_manifest, "bytes as listed", NULL},
    {FRZ_RULE_MANIFEST_HEADER, list_data_as_deletes, "content deletes", "data"},
    {FRZ_RULE_MANIFEST_COUNTS, miscount_manifest, "deleted_rows_count 2 as listed", "1 in"},
    {FRZ_RULE_MANIFEST_MIN_SEQUENCE, raise_min_sequence, "at most", "4"},
    {FRZ_RULE_MANIFEST_PARTITIONS, narrow_summary, "a lower_bound", "a"},
    {FRZ_RULE_ENTRY_SEQUENCE, number_entry_high, "sequence_number at most 4", "9"},
    {FRZ_RULE_ENTRY_SEQUENCE, number_file_high, "file_sequence_number at most 4", "9"},
    {FRZ_RULE_ENTRY_SNAPSHOT, keep_deleted, NULL, "77 in a DELETED entry"},
    {FRZ_RULE_ENTRY_PARTITION, put_in_fifth_bucket, "below 1", "5"},
    {FRZ_RULE_ENTRY_SORT_ORDER, lose_sort_order, NULL, "sort_order_id 9"},
    {FRZ_RULE_ENTRY_EQUALITY_IDS, delete_unknown_columns, NULL, "99"},
    {FRZ_RULE_ENTRY_FORMAT, change_format, NULL, "\"lance\""},
    {FRZ_RULE_ENTRY_VECTOR, move_vector, "a blob within", NULL},
    {FRZ_RULE_ENTRY_METRICS, count_more_nulls, "column 1 among its 1 values", "2 and 0"},
    {FRZ_RULE_ENTRY_METRICS, cross_bounds, "lower bound of column 2", "a greater one"},
    {FRZ_RULE_ENTRY_SPLIT_OFFSETS, turn_offsets, "offsets that ascend", "4 behind 9"},
    {FRZ_RULE_LIVE_PATH_UNIQUE, live_twice, "live once", "also entry"},
    {FRZ_RULE_ONE_VECTOR, vector_twice, "one deletion vector of mem://", "also entry 0"},
    {FRZ_RULE_DANGLING_DELETES, refer_elsewhere, "mem://wh/never live", "in no snapshot"},
    {FRZ_RULE_VECTOR_ROWS, delete_too_much, "at most 2 rows", "record_count 99"},
    {FRZ_RULE_DELETED_WAS_LIVE, misname_deleted, NULL, "was not live in the parent"},
    {FRZ_RULE_FILE_KEPT, change_rows, "what entry", "another record_count"},
    {FRZ_RULE_FILE_ROW_IDS, share_row_ids, "row ids behind those of", "first_row_id 1"},
    {FRZ_RULE_FILE_ROW_IDS, leave_row_ids, "below next-row-id 8", "from 8"},
    {FRZ_RULE_FILE_EXISTS, lose_file, "a file of", "none"},
    {FRZ_RULE_FILE_SIZE, change_size, "bytes", NULL},
};

enum { DAMAGES = sizeof damages / sizeof *damages };

static void sound_tables_of_all_versions_have_no_finding(void **state)
{
    static const frz_verify_counts wanted[] = {{3, 4, 8, 4, 0, 0, 0},
                                               {4, 5, 9, 5, 0, 0, 0},
                                               {4, 5, 9, 5, 0, 0, 0}}; /* V1 has no row delete */
    (void)state;
    for (int version = 1; version <= 3; version++) {
        damaged self;
        damaged_open(&self, version);
        frz_verify_report *report = damaged_verify(&self, NULL);
        const frz_verify_counts *counts = frz_verify_report_counts(report);
        check_sound(report);
        CHECK(counts->snapshots == wanted[version - 1].snapshots);
        CHECK(counts->manifests == wanted[version - 1].manifests);
        CHECK(counts->entries == wanted[version - 1].entries);
        CHECK(counts->files == wanted[version - 1].files);
        frz_verify_report_free(report);
        damaged_close(&self);
    }
}

static void each_rule_that_is_broken_is_found(void **state)
{
    bool tried[FRZ_RULE_COUNT] = {false};
    (void)state;
    check_damages(damages, DAMAGES, 3, NULL);
    for (size_t i = 0; i < DAMAGES; i++)
        tried[damages[i].rule] = true;
    for (int rule = 0; rule < FRZ_RULE_DATA_READABLE; rule++) /* the others: contents_test.c */
        if (!tried[rule])
            fail_msg("no test breaks %s", frz_rule_name((frz_rule)rule));
}

static void tables_of_many_entries_are_checked_in_passes(void **state)
{
    frz_verify_options options = FRZ_VERIFY_OPTIONS_INIT;
    (void)state;
    options.entry_limit = 1;
    check_damages(damages, DAMAGES, 3, &options);
    damaged self;
    damaged_open(&self, 3);
    frz_verify_report *report = damaged_verify(&self, &options);
    check_sound(report);
    CHECK(frz_verify_report_counts(report)->entries == 9);
    CHECK(frz_verify_report_counts(report)->files == 5);
    frz_verify_report_free(report);
    damaged_close(&self);
}

static void findings_say_where(void **state)
{
    damaged self;
    (void)state;
    damaged_open(&self, 3);
    change_size(&self);
    const int64_t last = self.table->metadata->snapshots[3].snapshot_id;
    frz_verify_report *report = damaged_verify(&self, NULL);
    const frz_finding *finding = frz_verify_report_at(report, 0);
    for (size_t i = 0; finding && strcmp(finding->rule, "file-size") != 0; i++)
        finding = frz_verify_report_at(report, i);
    CHECK(finding);
    CHECK(finding->snapshot_id == last);
    CHECK(strstr(finding->manifest, "/metadata/"));
    CHECK(strstr(finding->path, "/data/name=a/"));
    CHECK(finding->entry >= 0);
    frz_verify_report_free(report);
    damaged_close(&self);
}

static void findings_beyond_the_limit_are_counted(void **state)
{
    frz_verify_options options = FRZ_VERIFY_OPTIONS_INIT;
    damaged self;
    (void)state;
    damaged_open(&self, 3);
    remove_metadata_file(&self);
    miscount_added(&self);
    options.finding_limit = 1;
    frz_verify_report *report = damaged_verify(&self, &options);
    CHECK(frz_verify_report_at(report, 0));
    CHECK(!frz_verify_report_at(report, 1));
    CHECK(frz_verify_report_count(report, FRZ_SEVERITY_WARNING) == 1);
    CHECK(frz_verify_report_count(report, FRZ_SEVERITY_ERROR) == 1);
    frz_verify_report_free(report);
    damaged_close(&self);
}

static void one_snapshot_or_the_line_of_a_branch_can_be_chosen(void **state)
{
    frz_verify_options options = FRZ_VERIFY_OPTIONS_INIT;
    frz_error *err = NULL;
    frz_verify_report *report = NULL;
    damaged self;
    (void)state;
    damaged_open(&self, 3);
    lose_list(&self); /* of snapshot 1 */
    options.at.has_snapshot_id = true;
    options.at.snapshot_id = self.table->metadata->snapshots[3].snapshot_id;
    report = damaged_verify(&self, &options);
    check_sound(report);
    CHECK(frz_verify_report_counts(report)->snapshots == 1);
    frz_verify_report_free(report);
    options.branch = "main";
    CHECK_FAILS(frz_table_verify(self.table, &options, &report, &err), FRZ_INVALID, err,
                "cannot both be chosen");
    options.at = (frz_snapshot_selector)FRZ_SNAPSHOT_SELECTOR_INIT;
    report = damaged_verify(&self, &options);
    CHECK(frz_verify_report_counts(report)->snapshots == 4);
    CHECK(frz_verify_report_count(report, FRZ_SEVERITY_ERROR) == 1);
    frz_verify_report_free(report);
    options.branch = "audit";
    CHECK_FAILS(frz_table_verify(self.table, &options, &report, &err), FRZ_NOT_FOUND, err,
                "no branch audit");
    damaged_close(&self);
}

/* Spec "Row Lineage for Upgraded Tables": "new snapshots in different branches will assign disjoint
 * ID ranges to existing data files". */
static void branches_of_an_upgraded_table_give_row_ids_of_their_own(void **state)
{
    damaged self;
    frz_error *err = NULL;
    frz_alteration *changes = NULL;
    const frz_ref_options ref = FRZ_REF_OPTIONS_INIT;
    const frz_verify_options options = FRZ_VERIFY_OPTIONS_INIT;
    frz_write_options on_branch = FRZ_WRITE_OPTIONS_INIT;
    (void)state;
    damaged_open(&self, 2);
    CHECK_OK(frz_alteration_new(&changes, &err), err);
    CHECK_OK(frz_alter_create_ref(changes, "audit", &ref, &err), err);
    CHECK_OK(frz_alter_upgrade(changes, 3, &err), err);
    CHECK_OK(frz_table_alter(self.table, changes, NULL, NULL, &err), err);
    frz_alteration_free(changes);
    append_rows(self.table, "6:c");                                 /* carries manifests on */
    damaged_delete(&self, "id = 4", FRZ_DELETE_MODE_COPY_ON_WRITE); /* rewrites one */
    on_branch.branch = "audit";
    CHECK_OK(frz_table_delete(self.table, "id = 2", FRZ_DELETE_MODE_COPY_ON_WRITE, &on_branch, NULL,
                              &err),
             err);
    frz_verify_report *report = damaged_verify(&self, &options);
    check_sound(report);
    frz_verify_report_free(report);
    damaged_close(&self);
}

static damaged swept;

static void verify_once(void)
{
    frz_error *err = NULL;
    frz_verify_report *report = NULL;
    frz_verify_options options = FRZ_VERIFY_OPTIONS_INIT;
    options.at.has_snapshot_id = true;
    options.at.snapshot_id = swept.table->metadata->current_snapshot_id;
    const frz_status status = frz_table_verify(swept.table, &options, &report, &err);
    CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    if (status == FRZ_OK)
        CHECK(is_found(report, &(damage_case){FRZ_RULE_ONE_VECTOR, NULL, NULL, NULL}));
    frz_verify_report_free(report);
    frz_error_free(err);
}

static void short_memory_is_no_finding(void **state)
{
    (void)state;
    damaged_open_small(&swept);
    add_entry_again(&swept, 1, 1, FRZ_ENTRY_ADDED);
    sweep_allocation_failures(verify_once);
    damaged_close(&swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_tables_of_all_versions_have_no_finding),
        cmocka_unit_test(each_rule_that_is_broken_is_found),
        cmocka_unit_test(tables_of_many_entries_are_checked_in_passes),
        cmocka_unit_test(findings_say_where),
        cmocka_unit_test(findings_beyond_the_limit_are_counted),
        cmocka_unit_test(one_snapshot_or_the_line_of_a_branch_can_be_chosen),
        cmocka_unit_test(branches_of_an_upgraded_table_give_row_ids_of_their_own),
        cmocka_unit_test(short_memory_is_no_finding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
