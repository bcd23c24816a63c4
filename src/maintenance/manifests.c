#include "maintenance/manifests.h"

#include <inttypes.h>

#include "base/fail.h"
#include "base/number.h"
#include "maintenance/contents.h"
#include "maintenance/entries.h"
#include "maintenance/ledger.h"
#include "maintenance/presence.h"
#include "maintenance/row_ids.h"
#include "maintenance/settlement.h"
#include "maintenance/summaries.h"

enum {
    ENTRY_LIMIT = 4000000,
    ENTRY_SIZE_MIN = 16, /* of one in a manifest, compressed: to guess how many a V1 manifest has */
    PASS_MAX = 64
};

/* One manifest as it is read. */
typedef struct manifest_check {
    frz_verification *verification;
    frz_manifest_record *record;
    frz_ledger *ledger;
    frz_contents *contents; /* NULL: files are not read */
    size_t index;           /* of the record */
    size_t entries;         /* seen so far */
    int64_t min_sequence;   /* of live entries; INT64_MAX when there are none */
    frz_summary_check summaries;
    frz_tallies tallies;
} manifest_check;

static frz_status add(const manifest_check *self, frz_rule rule, const char *expected,
                      const char *found, frz_error **err)
{
    const frz_place place = frz_place_of_manifest(self->record);
    return frz_report_add(self->verification->report, rule, &place, expected, found, err);
}

#define TEXT(...) frz_report_text(self->verification->report, __VA_ARGS__)

static void count_entry(manifest_check *self, const frz_manifest_entry *entry)
{
    const frz_data_file *file = &entry->file;
    const frz_entry_kind kind = frz_entry_kind_of(file);
    frz_tally *tally = &self->tallies.of[kind][entry->status];
    const bool vector = kind == FRZ_KIND_VECTOR && file->content_size >= 0;
    tally->files++;
    tally->rows = frz_count_add(tally->rows, file->record_count);
    tally->bytes = frz_count_add(tally->bytes, vector ? file->content_size : file->file_size);
    if (entry->status != FRZ_ENTRY_DELETED && entry->sequence_number >= 0 &&
        entry->sequence_number < self->min_sequence)
        self->min_sequence = entry->sequence_number;
}

static frz_status check_entry(manifest_check *self, const frz_manifest_entry *entry,
                              frz_error **err)
{
    const frz_entry_place at = {self->record, self->entries};
    FRZ_TRY(frz_verify_entry(self->verification, &at, entry, err));
    if (entry->status != FRZ_ENTRY_DELETED)
        FRZ_TRY(frz_summary_check_entry(&self->summaries, &at, &entry->file, err));
    count_entry(self, entry);
    return FRZ_OK;
}

static frz_status take_part(manifest_check *self, frz_manifest *part, frz_error **err)
{
    for (size_t i = 0; i < frz_manifest_count(part); i++) {
        const frz_manifest_entry *entry = frz_manifest_entry_at(part, i);
        if (self->ledger->pass == 0)
            FRZ_TRY(check_entry(self, entry, err));
        FRZ_TRY(frz_ledger_add(self->ledger, self->index, self->entries, entry, err));
        if (self->contents && entry->status != FRZ_ENTRY_DELETED) {
            const frz_entry_at at = {(uint32_t)self->index, (uint32_t)self->entries};
            FRZ_TRY(frz_contents_check(self->contents, &at, part, i, err));
        }
        self->entries++;
    }
    return FRZ_OK;
}

/* Spec "Manifests", file metadata: partition-spec-id and content. */
static frz_status check_header(const manifest_check *self, const frz_manifest_reader *reader,
                               frz_error **err)
{
    const frz_manifest_file *source = &self->record->file;
    frz_slice text = {0};
    int64_t id = 0;
    if (frz_manifest_reader_header(reader, "partition-spec-id", &text) &&
        (!frz_number_parse_i64((const char *)text.data, text.size, &id) || id != source->spec_id))
        FRZ_TRY(add(self, FRZ_RULE_MANIFEST_HEADER,
                    TEXT("partition-spec-id %" PRId32, source->spec_id),
                    TEXT("%.*s", (int)text.size, (const char *)text.data), err));
    const char *content = source->content == 0 ? "data" : "deletes";
    if (frz_manifest_reader_header(reader, "content", &text) && !frz_slice_is_text(text, content))
        FRZ_TRY(add(self, FRZ_RULE_MANIFEST_HEADER, TEXT("content %s", content),
                    TEXT("%.*s", (int)text.size, (const char *)text.data), err));
    return FRZ_OK;
}

static frz_status check_count(const manifest_check *self, const char *name, int64_t listed,
                              int64_t counted, frz_error **err)
{
    if (listed < 0 || listed == counted)
        return FRZ_OK;
    return add(self, FRZ_RULE_MANIFEST_COUNTS, TEXT("%s %" PRId64 " as listed", name, listed),
               TEXT("%" PRId64 " in its entries", counted), err);
}

static frz_status check_counts(const manifest_check *self, frz_error **err)
{
    const frz_manifest_file *source = &self->record->file;
    int64_t files[FRZ_ENTRY_DELETED + 1] = {0};
    int64_t rows[FRZ_ENTRY_DELETED + 1] = {0};
    for (int kind = 0; kind < FRZ_KIND_COUNT; kind++) {
        for (int status = 0; status <= FRZ_ENTRY_DELETED; status++) {
            files[status] += self->tallies.of[kind][status].files;
            rows[status] = frz_count_add(rows[status], self->tallies.of[kind][status].rows);
        }
    }
    const struct {
        const char *name;
        int64_t listed;
        int64_t counted;
    } counts[] = {
        {"added_files_count", source->added_files, files[FRZ_ENTRY_ADDED]},
        {"existing_files_count", source->existing_files, files[FRZ_ENTRY_EXISTING]},
        {"deleted_files_count", source->deleted_files, files[FRZ_ENTRY_DELETED]},
        {"added_rows_count", source->added_rows, rows[FRZ_ENTRY_ADDED]},
        {"existing_rows_count", source->existing_rows, rows[FRZ_ENTRY_EXISTING]},
        {"deleted_rows_count", source->deleted_rows, rows[FRZ_ENTRY_DELETED]},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        FRZ_TRY(check_count(self, counts[i].name, counts[i].listed, counts[i].counted, err));
    if (self->min_sequence < source->min_sequence_number)
        return add(self, FRZ_RULE_MANIFEST_MIN_SEQUENCE,
                   TEXT("min_sequence_number at most %" PRId64, self->min_sequence),
                   TEXT("%" PRId64, source->min_sequence_number), err);
    return FRZ_OK;
}

/* The manifest to its end; *cause says why it cannot be read, *err why it cannot be checked. */
static frz_status read_manifest(manifest_check *self, frz_status *broken_out, frz_error **cause,
                                frz_error **err)
{
    const bool whole = self->ledger->pass == 0 || self->contents;
    const frz_manifest_fields fields = {.all_metrics = whole, .details = whole};
    frz_verification *verification = self->verification;
    frz_manifest_reader *reader = NULL;
    frz_status status = FRZ_OK;
    *broken_out = frz_manifest_reader_open(verification->table->io, &self->record->file,
                                           verification->metadata, &fields, verification->limits,
                                           &reader, cause);
    if (*broken_out == FRZ_OK && self->ledger->pass == 0)
        status = check_header(self, reader, err);
    while (status == FRZ_OK && *broken_out == FRZ_OK) {
        frz_manifest *part = NULL;
        *broken_out = frz_manifest_reader_next(reader, &part, cause);
        if (*broken_out == FRZ_OK)
            status = take_part(self, part, err);
        frz_manifest_unref(part);
    }
    frz_manifest_reader_close(reader);
    return status;
}

/* The size that the file really has is what it is read by. */
static frz_status check_length(const manifest_check *self, bool *there_out, frz_error **err)
{
    frz_manifest_file *source = &self->record->file;
    uint64_t size = 0;
    FRZ_TRY(frz_presence_ask(self->verification->table->io, source->path, there_out, &size, err));
    if (!*there_out)
        return add(self, FRZ_RULE_MANIFEST_FILE, "a file", "none", err);
    if (source->length >= 0 && (uint64_t)source->length == size)
        return FRZ_OK;
    const int64_t listed = source->length;
    source->length = (int64_t)size;
    return add(self, FRZ_RULE_MANIFEST_LENGTH, TEXT("%" PRId64 " bytes as listed", listed),
               TEXT("%" PRIu64, size), err);
}

static frz_status read_and_check(manifest_check *self, frz_error **err)
{
    const frz_place place = frz_place_of_manifest(self->record);
    frz_error *cause = NULL;
    frz_status broken = FRZ_OK;
    const bool first = self->ledger->pass == 0;
    FRZ_TRY(frz_summary_check_open(&self->summaries, self->verification, self->record, err));
    const frz_status status = read_manifest(self, &broken, &cause, err);
    if (status != FRZ_OK || broken == FRZ_END) {
        frz_error_free(cause);
        FRZ_TRY(status);
        if (!first)
            return FRZ_OK;
        self->record->read = true;
        self->record->tallies = self->tallies;
        self->verification->report->counts.manifests++;
        self->verification->report->counts.entries += (int64_t)self->entries;
        return check_counts(self, err);
    }
    self->record->read = false;
    return frz_report_failure(self->verification->report, FRZ_RULE_MANIFEST_FILE, &place, broken,
                              &cause, err);
}

static frz_status verify_manifest(frz_ledger *ledger, frz_contents *contents, size_t index,
                                  frz_error **err)
{
    frz_verification *verification = ledger->verification;
    manifest_check self = {.verification = verification,
                           .record = &verification->manifests[index],
                           .ledger = ledger,
                           .contents = contents,
                           .index = index,
                           .min_sequence = INT64_MAX};
    bool there = true;
    if (ledger->pass == 0)
        FRZ_TRY(check_length(&self, &there, err));
    else
        there = self.record->read; /* what is broken was told in the first pass */
    if (!there || !frz_metadata_find_spec(verification->metadata, self.record->file.spec_id))
        return FRZ_OK;
    const frz_status status = read_and_check(&self, err);
    frz_summary_check_close(&self.summaries);
    return status;
}

/* Snapshots with a manifest that cannot be read are not complete: nothing is said of what they
 * lack. */
static void mark_incomplete(frz_verification *self)
{
    for (size_t i = 0; i < self->manifest_count; i++) {
        const frz_snapshot_run *runs = self->manifests[i].runs.items;
        for (size_t r = 0; !self->manifests[i].read && r < self->manifests[i].runs.count; r++)
            for (size_t s = runs[r].from; s <= runs[r].to; s++)
                self->snapshots[s].complete = false;
    }
}

static int64_t guess_entries(const frz_manifest_file *file)
{
    const int64_t most = file->length > 0 ? file->length / ENTRY_SIZE_MIN + 1 : 1;
    const int64_t listed =
        file->added_files < 0 || file->existing_files < 0 || file->deleted_files < 0
            ? most
            : (int64_t)file->added_files + file->existing_files + file->deleted_files;
    return listed < most ? listed : most;
}

static size_t count_passes(const frz_verification *self)
{
    const size_t limit = self->options->entry_limit ? self->options->entry_limit : ENTRY_LIMIT;
    int64_t entries = 0;
    for (size_t i = 0; i < self->manifest_count; i++)
        entries = frz_count_add(entries, guess_entries(&self->manifests[i].file));
    const uint64_t passes = (uint64_t)entries / limit + 1;
    return passes < PASS_MAX ? (size_t)passes : PASS_MAX;
}

/* The newest manifests first: what a file is read by is what readers of today see. */
static frz_status run_pass(frz_ledger *ledger, frz_contents *contents, frz_error **err)
{
    frz_verification *verification = ledger->verification;
    for (size_t i = verification->manifest_count; i > 0; i--)
        FRZ_TRY(verify_manifest(ledger, contents, i - 1, err));
    if (contents)
        FRZ_TRY(frz_contents_flush(contents, err));
    if (ledger->pass == 0)
        mark_incomplete(verification);
    return frz_ledger_settle(ledger, err);
}

frz_status frz_verify_manifests(frz_verification *self, frz_error **err)
{
    frz_ledger ledger = {.verification = self, .pass_count = count_passes(self)};
    frz_contents contents = {0};
    const bool deep = self->options->deep;
    frz_status status = deep ? frz_contents_open(&contents, &ledger, err) : FRZ_OK;
    for (; status == FRZ_OK && ledger.pass < ledger.pass_count; ledger.pass++) {
        frz_contents_reset(&contents);
        status = run_pass(&ledger, deep ? &contents : NULL, err);
    }
    if (status == FRZ_OK && deep)
        status = frz_verify_row_ids(self, &contents.with_row_ids, err);
    frz_contents_close(&contents);
    frz_ledger_clear(&ledger);
    return status;
}
