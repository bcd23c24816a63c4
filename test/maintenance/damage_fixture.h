/*
 * A table in memory that tests of verification damage: manifests, manifest lists and metadata are
 * read, changed and written again under the same names by the library's own writers.
 */
#ifndef FRZ_TEST_DAMAGE_FIXTURE_H
#define FRZ_TEST_DAMAGE_FIXTURE_H

#include "write/table_fixture.h"

#include "frazil/maintenance.h"
#include "io/file.h"
#include "maintenance/report.h"
#include "spec/manifest.h"

enum { DAMAGE_ENTRIES = 16 };

typedef struct damaged {
    fixture storage;
    frz_table *table;
    frz_arena arena; /* of list and entries */
    size_t snapshot; /* whose list is loaded */
    frz_manifest_list list;
    frz_manifest *manifest; /* holds what entries point to */
    frz_manifest_entry entries[DAMAGE_ENTRIES];
    size_t entry_count;
} damaged;

static inline void damaged_delete(damaged *self, const char *where, frz_delete_mode mode)
{
    frz_error *err = NULL;
    CHECK_OK(frz_table_delete(self->table, where, mode, NULL, NULL, &err), err);
}

/*
 * Rows by partition name: snapshot 0 appends 1:a 2:a and 3:b, 1 appends 4:a and 5:b, 2 deletes row
 * 1 by a deletion vector (V2: a position delete file), 3 takes out both files of b.
 */
static inline void damaged_open(damaged *self, int format_version)
{
    frz_error *err = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    *self = (damaged){0};
    CHECK_OK(fixture_open(&self->storage, NULL, &err), err);
    options.schema = "id long not null, name string";
    options.partition = "name, bucket(1, id)";
    options.sort = "id";
    options.format_version = format_version;
    CHECK_OK(frz_catalog_create_table(self->storage.catalog, "db.t", &options, &self->table, &err),
             err);
    append_rows(self->table, "1:a 2:a 3:b");
    append_rows(self->table, "4:a 5:b");
    if (format_version > 1)
        damaged_delete(self, "id = 1", FRZ_DELETE_MODE_MERGE_ON_READ);
    damaged_delete(self, "name = 'b'", FRZ_DELETE_MODE_COPY_ON_WRITE);
}

/* One data file and its deletion vector, for tests that verify it thousands of times. */
static inline void damaged_open_small(damaged *self)
{
    frz_error *err = NULL;
    *self = (damaged){0};
    CHECK_OK(fixture_open(&self->storage, NULL, &err), err);
    self->table = fixture_create(&self->storage, "db.t", "id long, name string");
    append_rows(self->table, "1:a 2:b");
    damaged_delete(self, "id = 1", FRZ_DELETE_MODE_MERGE_ON_READ);
}

static inline void damaged_close(damaged *self)
{
    frz_table_free(self->table);
    frz_manifest_unref(self->manifest);
    frz_arena_clear(&self->arena);
    self->storage.unsound = true;
    fixture_close(&self->storage);
}

static inline frz_io *damaged_io(damaged *self)
{
    return self->storage.io;
}

/* The manifest list of a snapshot (counted from 0) into self->list. */
static inline void damaged_load(damaged *self, size_t snapshot)
{
    frz_error *err = NULL;
    self->snapshot = snapshot;
    CHECK_OK(frz_manifest_list_read(damaged_io(self), self->table->metadata,
                                    &self->table->metadata->snapshots[snapshot],
                                    &frz_limits_default, &self->arena, &self->list, &err),
             err);
}

/* self->list as it now stands, as a list of `format_version`. */
static inline void damaged_store_as(damaged *self, int format_version)
{
    frz_error *err = NULL;
    const frz_snapshot *snapshot = &self->table->metadata->snapshots[self->snapshot];
    CHECK_OK(frz_io_remove(damaged_io(self), snapshot->manifest_list, &err), err);
    CHECK_OK(frz_manifest_list_write(damaged_io(self), snapshot->manifest_list, format_version,
                                     snapshot, self->list.files, self->list.count, &err),
             err);
}

static inline void damaged_store(damaged *self)
{
    damaged_store_as(self, self->table->metadata->format_version);
}

/* The first manifest of self->list of that content that has entries of that status. */
static inline frz_manifest_file *damaged_find(damaged *self, int32_t content,
                                              frz_entry_status status)
{
    for (size_t i = 0; i < self->list.count; i++) {
        frz_manifest_file *file = &self->list.files[i];
        const int32_t counts[] = {file->existing_files, file->added_files, file->deleted_files};
        if (file->content == content && counts[status] > 0)
            return file;
    }
    fail_msg("no manifest of content %d with entries of status %d", content, status);
    abort(); /* fail_msg does not come back */
}

/* Its entries into self->entries. */
static inline void damaged_load_entries(damaged *self, const frz_manifest_file *file)
{
    frz_error *err = NULL;
    frz_manifest_unref(self->manifest);
    self->manifest = NULL;
    CHECK_OK(frz_manifest_read(damaged_io(self), file, self->table->metadata, NULL,
                               &frz_limits_default, &self->manifest, &err),
             err);
    self->entry_count = frz_manifest_count(self->manifest);
    CHECK(self->entry_count < DAMAGE_ENTRIES);
    for (size_t i = 0; i < self->entry_count; i++)
        self->entries[i] = *frz_manifest_entry_at(self->manifest, i);
}

/* self->entries as the manifest's; its length and nothing else is set right in the list, which is
 * to be stored. */
static inline void damaged_store_entries(damaged *self, frz_manifest_file *file)
{
    frz_error *err = NULL;
    frz_manifest_writer *writer = NULL;
    frz_manifest_file written = {0};
    CHECK_OK(frz_io_remove(damaged_io(self), file->path, &err), err);
    CHECK_OK(frz_manifest_writer_open(damaged_io(self), file->path, self->table->metadata,
                                      file->spec_id, file->content, file->added_snapshot_id,
                                      &writer, &err),
             err);
    for (size_t i = 0; i < self->entry_count; i++)
        CHECK_OK(frz_manifest_writer_add(writer, &self->entries[i], &err), err);
    CHECK_OK(frz_manifest_writer_finish(writer, &self->arena, &written, &err), err);
    frz_manifest_writer_free(writer);
    file->length = written.length;
}

/* Lengths of manifests that other snapshots list as well. */
static inline void damaged_store_length(damaged *self, const frz_manifest_file *file)
{
    const size_t kept = self->snapshot;
    const int64_t length = file->length;
    char path[512];
    (void)snprintf(path, sizeof path, "%s", file->path);
    for (size_t i = 0; i < self->table->metadata->snapshot_count; i++) {
        if (i == kept)
            continue;
        damaged_load(self, i);
        for (size_t k = 0; k < self->list.count; k++)
            if (strcmp(self->list.files[k].path, path) == 0)
                self->list.files[k].length = length;
        damaged_store(self);
    }
    damaged_load(self, kept);
}

/* Replaces the first `from` in the metadata file. */
static inline void damaged_edit(damaged *self, const char *from, const char *to)
{
    frz_error *err = NULL;
    frz_buffer text = {0};
    frz_buffer edited = {0};
    const char *location = self->table->metadata_location;
    CHECK_OK(frz_metadata_read_text(damaged_io(self), location, &frz_limits_default, &text, &err),
             err);
    frz_buffer_append_byte(&text, 0);
    const char *start = (const char *)text.data;
    const char *at = strstr(start, from);
    if (!at)
        fail_msg("no %s in %s", from, start);
    frz_buffer_append(&edited, start, (size_t)(at - start));
    frz_buffer_append_text(&edited, to);
    frz_buffer_append_text(&edited, at + strlen(from));
    CHECK_OK(frz_io_remove(damaged_io(self), location, &err), err);
    CHECK_OK(frz_io_write_file(damaged_io(self), location, frz_buffer_slice(&edited), &err), err);
    frz_buffer_clear(&text);
    frz_buffer_clear(&edited);
}

/* The table as it stands in storage now. */
static inline frz_status damaged_reopen(damaged *self, frz_table **out, frz_error **err)
{
    return frz_table_open(self->table->metadata_location, damaged_io(self), out, err);
}

/* What follows changes an entry of a manifest that the last snapshot made. */
typedef void (*entry_change)(frz_manifest_entry *entry);

static inline void change_entry(damaged *self, int32_t content, frz_entry_status status,
                                entry_change change)
{
    damaged_load(self, 3);
    const frz_entry_status found = content == 1 ? FRZ_ENTRY_ADDED : status;
    frz_manifest_file *file = damaged_find(self, content, found);
    damaged_load_entries(self, file);
    for (size_t i = 0; i < self->entry_count; i++)
        if (self->entries[i].status == found)
            change(&self->entries[i]);
    damaged_store_entries(self, file);
    damaged_store(self);
    if (content == 1)
        damaged_store_length(self, file);
}

#define ENTRY_DAMAGE(name, content, status, ...)           \
    static void name##_entry(frz_manifest_entry *entry)    \
    {                                                      \
        __VA_ARGS__;                                       \
    }                                                      \
    static void name(damaged *self)                        \
    {                                                      \
        change_entry(self, content, status, name##_entry); \
    }

/* What is done to a table, and a finding that it must cause. */
typedef struct damage_case {
    frz_rule rule;
    void (*damage)(damaged *self);
    const char *expected; /* a part of it; NULL: any */
    const char *found;
} damage_case;

static inline void print_findings(const frz_verify_report *report)
{
    for (size_t i = 0; frz_verify_report_at(report, i); i++) {
        const frz_finding *finding = frz_verify_report_at(report, i);
        print_message("  %s: expected %s; found %s\n", finding->rule, finding->expected,
                      finding->found);
    }
}

static inline bool holds(const char *text, const char *part)
{
    return !part || strstr(text, part);
}

static inline bool is_found(const frz_verify_report *report, const damage_case *damage)
{
    for (size_t i = 0; frz_verify_report_at(report, i); i++) {
        const frz_finding *finding = frz_verify_report_at(report, i);
        if (strcmp(finding->rule, frz_rule_name(damage->rule)) == 0 &&
            finding->severity == frz_rule_severity(damage->rule) &&
            holds(finding->expected, damage->expected) && holds(finding->found, damage->found))
            return true;
    }
    return false;
}

static inline frz_verify_report *damaged_verify(damaged *self, const frz_verify_options *options)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_verify_report *report = NULL;
    CHECK_OK(damaged_reopen(self, &table, &err), err);
    CHECK_OK(frz_table_verify(table, options, &report, &err), err);
    frz_table_free(table);
    return report;
}

static inline void check_sound(const frz_verify_report *report)
{
    if (frz_verify_report_at(report, 0)) {
        print_findings(report);
        fail_msg("a sound table has findings");
    }
    CHECK(frz_verify_report_count(report, FRZ_SEVERITY_ERROR) == 0);
    CHECK(frz_verify_report_count(report, FRZ_SEVERITY_WARNING) == 0);
}

/* Each damage is done to a table of its own, and found. */
static inline void check_damages(const damage_case *damages, size_t count, int format_version,
                                 const frz_verify_options *options)
{
    for (size_t i = 0; i < count; i++) {
        damaged self;
        damaged_open(&self, format_version);
        damages[i].damage(&self);
        frz_verify_report *report = damaged_verify(&self, options);
        if (!is_found(report, &damages[i])) {
            print_findings(report);
            fail_msg("damage %zu: %s is not found", i, frz_rule_name(damages[i].rule));
        }
        frz_verify_report_free(report);
        damaged_close(&self);
    }
}

#endif
