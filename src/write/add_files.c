/*
 * Files that somebody else wrote become data files of a table (frazil/load.h): looked at once, then
 * committed in as many attempts as it takes. They are not ours: no failure removes them.
 */
#include "frazil/load.h"

#include <string.h>

#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/options.h"
#include "spec/manifest_list.h"
#include "spec/name_mapping_update.h"
#include "write/file_paths.h"
#include "write/foreign_partition.h"
#include "write/transaction.h"

#define MAPPING_PROPERTY "schema.name-mapping.default"

typedef struct adding {
    frz_transaction transaction;
    frz_metadata *base; /* a reference: what files were looked at for */
    frz_add_files_options how;
    frz_metrics_config metrics;
    frz_name_mapping mapping;
    const char *new_mapping; /* the property that the commit sets; NULL: none */
    frz_list paths;          /* const char * */
    frz_map by_path;         /* keys of paths (file_paths.h) to their number */
    uint64_t *live;          /* bits of paths that the table has; while looking */
    frz_list files;          /* frz_data_file */
    frz_add_files_report report;
} adding;

static frz_arena *arena_of(adding *self)
{
    return &self->transaction.arena;
}

static frz_status path_key(const adding *self, frz_slice path, frz_buffer *out, frz_error **err)
{
    frz_buffer_reset(out);
    return frz_file_path_key(self->transaction.table->io, path, out, err);
}

static frz_status index_path(adding *self, size_t index, frz_buffer *key, frz_error **err)
{
    const char *path = ((const char **)self->paths.items)[index];
    frz_slice kept;
    FRZ_TRY(path_key(self, frz_slice_of_text(path), key, err));
    if (frz_map_find(&self->by_path, frz_buffer_slice(key)))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "%s is given twice", path);
    if (!frz_arena_slice(arena_of(self), frz_buffer_slice(key), &kept) ||
        !frz_map_put(&self->by_path, kept, (frz_map_value){.number = (int64_t)index}))
        return frz_fail_memory(err);
    return FRZ_OK;
}

static frz_status list_paths(adding *self, const char *const *paths, size_t count, frz_error **err)
{
    frz_buffer key = {0};
    frz_status status = FRZ_OK;
    for (size_t i = 0; i < count; i++)
        FRZ_TRY_DONE(frz_file_paths_add(self->transaction.table->io, paths[i], arena_of(self),
                                        &self->paths, err));
    for (size_t i = 0; i < self->paths.count; i++)
        FRZ_TRY_DONE(index_path(self, i, &key, err));
    self->live = frz_arena_array(arena_of(self), self->paths.count / 64 + 1, sizeof *self->live);
    if (!self->live)
        status = frz_fail_memory(err);

done:
    frz_buffer_clear(&key);
    return status;
}

/* Marks the paths that a manifest lists as live. */
static frz_status look_at_part(adding *self, const frz_manifest *part, frz_buffer *key,
                               frz_error **err)
{
    for (size_t i = 0; i < frz_manifest_count(part); i++) {
        const frz_manifest_entry *entry = frz_manifest_entry_at(part, i);
        if (entry->status == FRZ_ENTRY_DELETED)
            continue;
        FRZ_TRY(path_key(self, entry->file.path, key, err));
        const frz_map_value *found = frz_map_find(&self->by_path, frz_buffer_slice(key));
        if (found)
            self->live[found->number / 64] |= UINT64_C(1) << (found->number % 64);
    }
    return FRZ_OK;
}

static frz_status look_at_manifest(adding *self, const frz_manifest_file *source, frz_buffer *key,
                                   frz_error **err)
{
    static const frz_manifest_fields nothing_more = {0};
    const frz_table *table = self->transaction.table;
    frz_manifest_reader *reader = NULL;
    frz_status status = frz_manifest_reader_open(table->io, source, table->metadata, &nothing_more,
                                                 &table->limits, &reader, err);
    while (status == FRZ_OK) {
        frz_manifest *part = NULL;
        status = frz_manifest_reader_next(reader, &part, err);
        if (status == FRZ_OK)
            status = look_at_part(self, part, key, err);
        frz_manifest_unref(part);
    }
    frz_manifest_reader_close(reader);
    return status == FRZ_END ? FRZ_OK : status;
}

/* "A data file path" is live at most once in a snapshot: rows would be there twice. */
static frz_status find_live(adding *self, const frz_snapshot *parent, frz_arena *arena,
                            frz_error **err)
{
    const frz_table *table = self->transaction.table;
    frz_manifest_list list = {0};
    frz_buffer key = {0};
    frz_status status = FRZ_OK;
    memset(self->live, 0, (self->paths.count / 64 + 1) * sizeof *self->live);
    if (!parent)
        return FRZ_OK;
    FRZ_TRY_DONE(frz_manifest_list_read(table->io, table->metadata, parent, &table->limits, arena,
                                        &list, err));
    for (size_t i = 0; i < list.count; i++) {
        if (list.files[i].content == 0)
            FRZ_TRY_DONE(look_at_manifest(self, &list.files[i], &key, err));
    }

done:
    frz_buffer_clear(&key);
    return status;
}

static bool is_live(const adding *self, size_t index)
{
    return self->live[index / 64] >> (index % 64) & 1;
}

static const frz_snapshot *head_of(const adding *self)
{
    const frz_metadata *metadata = self->transaction.table->metadata;
    const char *branch = self->transaction.options->branch;
    const frz_snapshot_ref *ref = frz_metadata_find_ref(metadata, branch ? branch : "main");
    return ref ? frz_metadata_find_snapshot(metadata, ref->snapshot_id)
               : frz_metadata_current_snapshot(metadata);
}

/* The mapping that every column has by its present name (Java's MappingUtil.create). */
static frz_status make_mapping(adding *self, const frz_schema *schema, const char **out,
                               frz_error **err)
{
    static const frz_name_mapping none = {.field_id = -1};
    frz_status status = FRZ_OK;
    frz_schema *before = NULL;
    frz_buffer text = {0};
    FRZ_TRY_DONE(frz_schema_new(0, NULL, 0, NULL, 0, &before, err));
    FRZ_TRY_DONE(frz_name_mapping_follow(&none, before, schema, &text, err));
    *out = frz_arena_text_n(arena_of(self), text.data, text.size);
    if (!*out)
        status = frz_fail_memory(err);

done:
    frz_buffer_clear(&text);
    frz_schema_unref(before);
    return status;
}

/* *found_out: files without ids can be taken. */
static frz_status set_mapping(adding *self, bool *found_out, frz_error **err)
{
    const frz_metadata *metadata = self->transaction.table->metadata;
    const char *text = frz_metadata_property(metadata, MAPPING_PROPERTY);
    if (!text && self->how.name_mapping) {
        FRZ_TRY(make_mapping(self, frz_metadata_schema(metadata), &text, err));
        self->new_mapping = text;
        self->report.made_name_mapping = true;
    }
    *found_out = text != NULL;
    if (!text)
        return FRZ_OK;
    const frz_status status =
        frz_name_mapping_parse(frz_slice_of_text(text), arena_of(self), &self->mapping, err);
    return status == FRZ_OK ? FRZ_OK
                            : frz_context(err, status, "table property %s", MAPPING_PROPERTY);
}

static void count_file(adding *self, const frz_foreign_file *file)
{
    const char *location = self->transaction.table->metadata->location;
    const size_t size = strlen(location);
    const bool inside = strncmp(file->location, location, size) == 0 &&
                        (file->location[size] == '/' || (size && location[size - 1] == '/'));
    self->report.file_count++;
    self->report.row_count += file->row_count;
    self->report.byte_count += (int64_t)file->size;
    self->report.outside_count += !inside;
}

static frz_status describe(adding *self, const frz_foreign_context *context,
                           const frz_foreign_file *file, frz_error **err)
{
    frz_foreign_partition partition = {0};
    frz_data_file *out = NULL;
    FRZ_TRY(frz_foreign_partition_find(context, file, self->how.partition,
                                       self->how.partition_count, &partition, err));
    const frz_status status = frz_foreign_schema_check_required(context, file, partition.given,
                                                                partition.given_count, err);
    if (status != FRZ_OK)
        return frz_context(err, status, "%s", file->location);
    out = frz_list_add(&self->files, arena_of(self), sizeof *out);
    if (!out)
        return frz_fail_memory(err);
    *out = (frz_data_file){
        .content = FRZ_CONTENT_DATA,
        .format = file->format,
        .format_text = frz_slice_of_text(file->format == FRZ_FORMAT_AVRO ? "AVRO" : "PARQUET"),
        .path = frz_slice_of_text(file->location),
        .spec_id = context->metadata->default_spec_id,
        .partition = partition.values,
        .partition_count = partition.count,
        .record_count = file->row_count,
        .file_size = (int64_t)file->size,
        .split_offsets = file->split_offsets,
        .split_offset_count = file->split_offset_count,
        .sort_order_id = -1,
        .first_row_id = -1,
        .content_offset = -1,
        .content_size = -1,
    };
    count_file(self, file);
    return frz_foreign_file_metrics(context, file, &out->columns, &out->column_count, err);
}

static frz_status look_at_files(adding *self, const frz_foreign_context *context, frz_error **err)
{
    const char *const *paths = self->paths.items;
    for (size_t i = 0; i < self->paths.count; i++) {
        frz_foreign_file file = {0};
        FRZ_TRY(frz_transaction_check_cancelled(&self->transaction, err));
        if (is_live(self, i) && self->how.skip_live) {
            self->report.live_count++;
            continue;
        }
        FRZ_TRY(frz_foreign_file_read(context, paths[i], &file, err));
        if (file.row_count == 0)
            self->report.empty_count++;
        else
            FRZ_TRY(describe(self, context, &file, err));
    }
    return FRZ_OK;
}

static frz_status look(adding *self, const char *const *paths, size_t path_count, frz_error **err)
{
    const frz_table *table = self->transaction.table;
    bool mapped = false;
    FRZ_TRY(frz_foreign_partition_check_keys(table->metadata, self->how.partition,
                                             self->how.partition_count, err));
    FRZ_TRY(list_paths(self, paths, path_count, err));
    FRZ_TRY(find_live(self, head_of(self), &self->transaction.attempt_arena, err));
    FRZ_TRY(set_mapping(self, &mapped, err));
    FRZ_TRY(frz_metrics_config_read(table->metadata, frz_metadata_schema(table->metadata),
                                    arena_of(self), &self->metrics, err));
    const frz_foreign_context context = {.io = table->io,
                                         .limits = &table->limits,
                                         .metadata = table->metadata,
                                         .mapping = mapped ? &self->mapping : NULL,
                                         .metrics = &self->metrics,
                                         .arena = arena_of(self)};
    return look_at_files(self, &context, err);
}

/* The files were checked against one mapping: with another, other columns might be theirs. */
static frz_status set_property(const adding *self, frz_change *out, frz_error **err)
{
    const frz_metadata *metadata = self->transaction.table->metadata;
    const char *present = frz_metadata_property(metadata, MAPPING_PROPERTY);
    frz_metadata_builder *builder = NULL;
    if (!self->new_mapping)
        return FRZ_OK;
    if (present && strcmp(present, self->new_mapping) == 0)
        return FRZ_OK;
    if (present)
        return frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET,
                        "another commit set a name mapping (%s) meanwhile", MAPPING_PROPERTY);
    FRZ_TRY(frz_metadata_builder_new(metadata, metadata->format_version, &builder, err));
    const frz_status status =
        frz_update_set_property(builder, MAPPING_PROPERTY, self->new_mapping, err);
    if (status == FRZ_OK)
        out->builder = builder;
    else
        frz_metadata_builder_free(builder);
    return status;
}

/* Of those that are to be added; files passed over do not count. */
static frz_status check_not_live(const adding *self, frz_error **err)
{
    const frz_data_file *files = self->files.items;
    frz_buffer key = {0};
    frz_status status = FRZ_OK;
    for (size_t i = 0; i < self->files.count; i++) {
        FRZ_TRY_DONE(path_key(self, files[i].path, &key, err));
        const frz_map_value *found = frz_map_find(&self->by_path, frz_buffer_slice(&key));
        if (found && is_live(self, (size_t)found->number))
            status = frz_fail(err, FRZ_ALREADY_EXISTS, FRZ_NO_OFFSET,
                              "%.*s is a data file of the table already", (int)files[i].path.size,
                              (const char *)files[i].path.data);
        if (status != FRZ_OK)
            break;
    }

done:
    frz_buffer_clear(&key);
    return status;
}

static frz_status prepare(void *context, frz_transaction *transaction, const frz_snapshot *parent,
                          frz_change *out, frz_error **err)
{
    adding *self = context;
    (void)transaction;
    (void)parent;
    if (self->files.count == 0)
        return FRZ_OK;
    *out = (frz_change){.operation = "append",
                        .brings_files = true, /* none that is live by then */
                        .added_data = self->files.items,
                        .added_data_count = self->files.count};
    return set_property(self, out, err);
}

static frz_status add_all(adding *self, const char *const *paths, size_t path_count,
                          frz_commit **out, frz_error **err)
{
    FRZ_TRY(frz_transaction_look_back(&self->transaction, err));
    if (!self->transaction.known) {
        FRZ_TRY(look(self, paths, path_count, err));
        if (!self->how.skip_live)
            FRZ_TRY(check_not_live(self, err));
    }
    return frz_transaction_commit(&self->transaction, prepare, self, out, err);
}

static void release(void *context)
{
    adding *self = context;
    frz_map_clear(&self->by_path);
    frz_metadata_unref(self->base);
    frz_transaction_close(&self->transaction, FRZ_OK);
    frz_free(self);
}

static frz_status take_options(adding *self, const frz_add_files_options *given, frz_error **err)
{
    FRZ_TRY(FRZ_OPTIONS_TAKE(frz_add_files_options, given, &self->how, err));
    return self->how.report ? frz_options_check_out(self->how.report, "frz_add_files_report", err)
                            : FRZ_OK;
}

frz_status frz_table_add_files(frz_table *table, const char *const *paths, size_t path_count,
                               const frz_add_files_options *options,
                               const frz_write_options *write_options, frz_commit **out,
                               frz_error **err)
{
    adding *self = frz_alloc_zero(sizeof *self);
    if (!self)
        return frz_fail_memory(err);
    self->base = frz_metadata_ref(table->metadata);
    frz_status status = take_options(self, options, err);
    if (status == FRZ_OK)
        status = frz_transaction_open(table, write_options, &self->transaction, err);
    if (status == FRZ_OK)
        status = add_all(self, paths, path_count, out, err);
    if (status != FRZ_OK)
        status = frz_context(err, status, "add files to table %s",
                             table->identifier ? table->identifier : "without catalog");
    if (status == FRZ_OK && self->how.report)
        frz_options_give(&self->report, sizeof self->report, self->how.report);
    return frz_transaction_retire(&self->transaction, status, self, release, err);
}
