/*
 * Deletion vectors (Puffin spec, "deletion-vector-v1 blob type"): checksum, magic and cardinality
 * of the blob, and the footer of its file, which must say of it what the manifest entry says.
 */
#include <inttypes.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/number.h"
#include "io/file.h"
#include "maintenance/file_reading.h"
#include "puffin/deletion_vector.h"

static frz_status add(const frz_file_reading *self, frz_rule rule, const char *expected,
                      const char *found, frz_error **err)
{
    return frz_report_add(self->job->verification.report, rule, &self->place, expected, found, err);
}

#define TEXT(...) frz_report_text(self->job->verification.report, __VA_ARGS__)

static frz_status read_footer(const frz_file_reading *self, const char *path, frz_error **cause)
{
    frz_reading_job *job = self->job;
    frz_input *input = NULL;
    frz_status status =
        frz_io_open(job->verification.table->io, path, FRZ_IO_SIZE_UNKNOWN, &input, cause);
    if (status == FRZ_OK)
        status = frz_puffin_footer_read(input, job->verification.limits, &job->puffin.arena,
                                        &job->puffin.footer, cause);
    frz_input_close(input);
    return status;
}

/* Many vectors share a file: its footer is kept until another file's is wanted. */
static frz_status open_puffin(const frz_file_reading *self, const char *path, frz_error **err)
{
    frz_reading_job *job = self->job;
    frz_error *cause = NULL;
    if (job->puffin.path && strcmp(job->puffin.path, path) == 0)
        return FRZ_OK;
    frz_arena_clear(&job->puffin.arena);
    job->puffin.sound = false;
    job->puffin.path = frz_arena_text(&job->puffin.arena, path);
    if (!job->puffin.path)
        return frz_fail_memory(err);
    const frz_status status = read_footer(self, path, &cause);
    job->puffin.sound = status == FRZ_OK;
    return status == FRZ_OK ? FRZ_OK
                            : frz_file_failed(self, FRZ_RULE_VECTOR_FOOTER, status, &cause, err);
}

static const char *property_of(const frz_puffin_blob *blob, const char *key)
{
    for (size_t i = 0; i < blob->property_count; i++)
        if (strcmp(blob->properties[i].key, key) == 0)
            return blob->properties[i].value;
    return NULL;
}

static frz_status check_blob(const frz_file_reading *self, const frz_puffin_blob *blob,
                             frz_error **err)
{
    const frz_data_file *file = &self->entry->file;
    const char *path = property_of(blob, "referenced-data-file");
    const char *cardinality = property_of(blob, "cardinality");
    int64_t count = -1;
    if (strcmp(blob->type, "deletion-vector-v1") != 0)
        return add(self, FRZ_RULE_VECTOR_FOOTER, "a deletion-vector-v1 blob",
                   TEXT("%s", blob->type), err);
    if (blob->length != file->content_size)
        FRZ_TRY(add(self, FRZ_RULE_VECTOR_FOOTER,
                    TEXT("content_size_in_bytes %" PRId64 ", as in the footer", blob->length),
                    TEXT("%" PRId64, file->content_size), err));
    if (!path || !frz_slice_is_text(file->referenced_data_file, path))
        FRZ_TRY(add(self, FRZ_RULE_VECTOR_FOOTER,
                    TEXT("referenced-data-file %.*s", (int)file->referenced_data_file.size,
                         (const char *)file->referenced_data_file.data),
                    path ? TEXT("%s", path) : "none", err));
    if (!cardinality || !frz_number_parse_i64(cardinality, strlen(cardinality), &count) ||
        count != file->record_count)
        FRZ_TRY(add(self, FRZ_RULE_VECTOR_FOOTER, TEXT("cardinality %" PRId64, file->record_count),
                    cardinality ? TEXT("%s", cardinality) : "none", err));
    return FRZ_OK;
}

static frz_status check_footer(const frz_file_reading *self, frz_error **err)
{
    const frz_puffin_footer *footer = &self->job->puffin.footer;
    for (size_t i = 0; i < footer->blob_count; i++)
        if (footer->blobs[i].offset == self->entry->file.content_offset)
            return check_blob(self, &footer->blobs[i], err);
    return add(self, FRZ_RULE_VECTOR_FOOTER,
               TEXT("a blob at %" PRId64, self->entry->file.content_offset), "none in the footer",
               err);
}

static frz_status check_vector(const frz_file_reading *self, const char *path, frz_error **err)
{
    const frz_data_file *file = &self->entry->file;
    frz_verification *verification = &self->job->verification;
    frz_bitmap *bitmap = NULL;
    frz_error *cause = NULL;
    FRZ_TRY(open_puffin(self, path, err));
    if (self->job->puffin.sound && frz_file_is_new(self))
        FRZ_TRY(check_footer(self, err));
    const frz_status broken =
        frz_deletion_vector_read(verification->table->io, path, file->content_offset,
                                 file->content_size, file->record_count, &bitmap, &cause);
    if (broken != FRZ_OK)
        return frz_file_failed(self, FRZ_RULE_VECTOR_BLOB, broken, &cause, err);
    const int64_t last = frz_bitmap_last(bitmap);
    frz_bitmap_free(bitmap);
    if (frz_file_is_new(self))
        verification->report->counts.vectors_read++;
    return frz_ledger_add_position(
        &self->job->ledger, frz_ledger_key(file->referenced_data_file, -1), last, &self->at, err);
}

frz_status frz_verify_vector(frz_file_reading *self, frz_error **err)
{
    const frz_slice path = self->entry->file.path;
    char *text = frz_copy_text_n((const char *)path.data, path.size);
    if (!text)
        return frz_fail_memory(err);
    const frz_status status = check_vector(self, text, err);
    frz_free(text);
    return status;
}
