/*
 * What others meet when a table goes to a later format version (spec "Version 2", "Version 3" of
 * "Format version changes", "Row Lineage for Upgraded Tables").
 */
#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "catalog/table.h"
#include "frazil/alter.h"
#include "json/writer.h"
#include "spec/list.h"
#include "write/row_properties.h"

typedef struct finding {
    const char
        *severity; /* "note", or "warning": somebody may read or write wrongly, or not at all */
    const char *subject;
    const char *text;
} finding;

typedef struct audit {
    const frz_metadata *metadata;
    int to;
    frz_arena arena;
    frz_list findings;
} audit;

static frz_status add(audit *self, const char *severity, const char *subject, const char *text,
                      frz_error **err)
{
    finding *found = frz_list_add(&self->findings, &self->arena, sizeof *found);
    if (!found || !text)
        return frz_fail_memory(err);
    *found = (finding){severity, subject, text};
    return FRZ_OK;
}

/* A total of a snapshot's summary; -1 when it does not tell. */
static int64_t total_of(const frz_snapshot *snapshot, const char *key)
{
    const char *text = snapshot ? frz_snapshot_summary_find(snapshot, key) : "0";
    int64_t value = 0;
    return text && frz_number_parse_i64(text, strlen(text), &value) ? value : -1;
}

/* That of the branch that has most; -1 when one of them does not tell. */
static int64_t most_of(const audit *self, const char *key)
{
    int64_t most = total_of(frz_metadata_current_snapshot(self->metadata), key);
    for (size_t i = 0; i < self->metadata->ref_count && most >= 0; i++) {
        const frz_snapshot_ref *ref = &self->metadata->refs[i];
        const int64_t total =
            ref->is_tag
                ? 0
                : total_of(frz_metadata_find_snapshot(self->metadata, ref->snapshot_id), key);
        if (total < 0 || total > most)
            most = total;
    }
    return most;
}

static frz_status audit_always(audit *self, frz_error **err)
{
    FRZ_TRY(add(self, "note", "downgrade",
                "there is no way back: a format version is never lowered; snapshots that are there "
                "stay as they are",
                err));
    for (size_t i = 0; i < self->metadata->ref_count; i++)
        if (strcmp(self->metadata->refs[i].name, "main") != 0 && !self->metadata->refs[i].is_tag)
            return add(self, "note", "branches",
                       "all branches of the table are of the new version, too", err);
    return FRZ_OK;
}

static frz_status audit_from_v1(audit *self, frz_error **err)
{
    FRZ_TRY(add(self, "note", "sequence numbers",
                "files that are there have the sequence number 0; new snapshots count from 1",
                err));
    FRZ_TRY(
        add(self, "warning", "readers",
            "readers of format version 1 alone refuse the table; DuckDB 1.5 may fail on upgraded "
            "tables whose old manifests have no sequence numbers",
            err));
    for (size_t i = 0; i < self->metadata->snapshot_count; i++)
        if (!self->metadata->snapshots[i].manifest_list)
            return add(self, "warning", "manifests",
                       "snapshots without a manifest list stay; strict readers of version 2 cannot "
                       "travel to them",
                       err);
    return FRZ_OK;
}

/* Whether every verb of row-level changes writes files again. */
static bool rewrites_always(const audit *self)
{
    static const char *const verbs[] = {"delete", "update", "merge"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        frz_delete_mode mode = FRZ_DELETE_MODE_DEFAULT;
        if (frz_row_mode_read(self->metadata, verbs[i], &mode, NULL) != FRZ_OK ||
            mode != FRZ_DELETE_MODE_COPY_ON_WRITE)
            return false;
    }
    return true;
}

static frz_status audit_raw_files(audit *self, frz_error **err)
{
    if (rewrites_always(self))
        return add(
            self, "note", "raw files",
            "write.delete.mode, write.update.mode and write.merge.mode are copy-on-write: no "
            "change from now on leaves deleted rows in files",
            err);
    return add(self, "warning", "raw files",
               self->to >= 3
                   ? "deletes are written as deletion vectors: whoever reads data files by their "
                     "paths sees deleted rows (copy-on-write as write.delete.mode, "
                     "write.update.mode and write.merge.mode avoids it)"
                   : "deletes are written as position delete files: whoever reads data files by "
                     "their paths sees deleted rows (copy-on-write as write.delete.mode, "
                     "write.update.mode and write.merge.mode avoids it)",
               err);
}

static const char *count_text(audit *self, int64_t count, const char *what, const char *rest)
{
    return count < 0 ? frz_arena_printf(&self->arena, "%s %s", what, rest)
                     : frz_arena_printf(&self->arena, "%" PRId64 " %s %s", count, what, rest);
}

static frz_status audit_deletes(audit *self, frz_error **err)
{
    const int64_t positions = most_of(self, "total-position-deletes");
    const int64_t equalities = most_of(self, "total-equality-deletes");
    if (positions != 0)
        FRZ_TRY(add(self, "note", "position deletes",
                    count_text(self, positions, "position deletes",
                               "stay valid; the first delete in one of their data files takes them "
                               "over into its deletion vector"),
                    err));
    if (equalities != 0)
        FRZ_TRY(add(
            self, "note", "equality deletes",
            count_text(self, equalities, "equality deletes", "stay valid, and more may be written"),
            err));
    return FRZ_OK;
}

static frz_status audit_to_v3(audit *self, frz_error **err)
{
    FRZ_TRY(add(self, "note", "row ids",
                "rows get their ids with the next snapshot of each branch; until then, and in all "
                "snapshots that are there, _row_id is null",
                err));
    FRZ_TRY(add(self, "note", "deletion vectors",
                "deletes are Puffin deletion vectors from the next delete on, at most one for each "
                "data file",
                err));
    FRZ_TRY(audit_deletes(self, err));
    FRZ_TRY(
        add(self, "warning", "readers",
            "iceberg-rust 0.10 knows no deletion vectors; PyIceberg 0.12 and DuckDB 1.5 read them; "
            "engines on Iceberg Java need a release that knows version 3",
            err));
    return add(
        self, "warning", "writers",
        "PyIceberg 0.12 writes no version 3; engines on Iceberg Java need a release that does",
        err);
}

static frz_status collect(audit *self, frz_error **err)
{
    const int from = self->metadata->format_version;
    if (self->to < from || self->to > 3)
        return frz_fail(err, self->to < from ? FRZ_INVALID : FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "the table has format version %d; it can go to version 3 at most and never "
                        "back, not to %d",
                        from, self->to);
    if (self->to == from)
        return add(self, "note", "format version", "the table has it already", err);
    FRZ_TRY(audit_always(self, err));
    if (from == 1)
        FRZ_TRY(audit_from_v1(self, err));
    if (self->to == 3)
        FRZ_TRY(audit_to_v3(self, err));
    return audit_raw_files(self, err);
}

static void print_json(const audit *self, frz_buffer *out)
{
    const finding *findings = self->findings.items;
    frz_json_writer json = frz_json_writer_to(out, 0);
    frz_json_open_object(&json);
    frz_json_key(&json, "from");
    frz_json_i64(&json, self->metadata->format_version);
    frz_json_key(&json, "to");
    frz_json_i64(&json, self->to);
    frz_json_key(&json, "findings");
    frz_json_open_array(&json);
    for (size_t i = 0; i < self->findings.count; i++) {
        frz_json_open_object(&json);
        frz_json_key(&json, "subject");
        frz_json_string(&json, findings[i].subject);
        frz_json_key(&json, "severity");
        frz_json_string(&json, findings[i].severity);
        frz_json_key(&json, "text");
        frz_json_string(&json, findings[i].text);
        frz_json_close_object(&json);
    }
    frz_json_close_array(&json);
    frz_json_close_object(&json);
}

static void print_text(const audit *self, frz_buffer *out)
{
    const finding *findings = self->findings.items;
    frz_buffer_printf(out, "upgrade from format version %d to %d\n",
                      (int)self->metadata->format_version, self->to);
    for (size_t i = 0; i < self->findings.count; i++)
        frz_buffer_printf(out, "%-8s %s: %s\n", findings[i].severity, findings[i].subject,
                          findings[i].text);
}

frz_status frz_table_upgrade_audit(const frz_table *table, int format_version, bool json,
                                   char **out, frz_error **err)
{
    audit self = {.metadata = table->metadata, .to = format_version};
    frz_buffer text = {0};
    frz_status status = collect(&self, err);
    if (status == FRZ_OK && json)
        print_json(&self, &text);
    else if (status == FRZ_OK)
        print_text(&self, &text);
    frz_buffer_append_byte(&text, 0);
    if (status == FRZ_OK)
        status = frz_buffer_check(&text, err);
    frz_arena_clear(&self.arena);
    if (status != FRZ_OK) {
        frz_buffer_clear(&text);
        return status;
    }
    *out = (char *)text.data;
    return FRZ_OK;
}
