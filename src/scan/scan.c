#include "scan/scan.h"

#include "base/fail.h"
#include "base/mem.h"
#include "base/options.h"
#include "catalog/catalog.h"
#include "scan/file_ids.h"
#include "scan/increment.h"

frz_scan *frz_scan_ref(const frz_scan *scan)
{
    union {
        const frz_scan *in;
        frz_scan *out;
    } pointer = {.in = scan};
    atomic_fetch_add(&pointer.out->references, 1);
    return pointer.out;
}

void frz_scan_free(frz_scan *scan)
{
    if (!scan || atomic_fetch_sub(&scan->references, 1) != 1)
        return;
    frz_metadata_unref(scan->metadata);
    frz_catalog_free(scan->catalog);
    frz_cache_unref(scan->cache);
    frz_arena_clear(&scan->arena);
    frz_scan_free(scan->parent);
    frz_free(scan);
}

static frz_field *find_field(frz_field *fields, size_t count, int32_t id)
{
    for (size_t i = 0; i < count; i++)
        if (fields[i].id == id)
            return &fields[i];
    return NULL;
}

/*
 * The type of _partition: the fields of all specs, newest spec first, each partition field id once,
 * as Java's Partitioning.partitionType gives it. A file of a spec without the field has null.
 */
static frz_status union_of_specs(frz_scan *scan, frz_error **err)
{
    const frz_metadata *metadata = scan->metadata;
    size_t room = 0;
    for (size_t i = 0; i < metadata->spec_count; i++)
        room += metadata->specs[i].field_count;
    frz_field *fields = frz_arena_array(&scan->arena, room, sizeof *fields);
    frz_type *type = frz_arena_alloc(&scan->arena, sizeof *type);
    if (!fields || !type)
        return frz_fail_memory(err);

    size_t count = 0;
    for (size_t i = metadata->spec_count; i-- > 0;) {
        const frz_partition_spec *spec = &metadata->specs[i];
        const frz_type *tuple = frz_metadata_partition_type(metadata, spec->spec_id);
        for (size_t k = 0; tuple && k < tuple->field_count; k++) {
            frz_field *known = find_field(fields, count, tuple->fields[k].id);
            if (!known)
                fields[count++] = tuple->fields[k];
            else if (spec->fields[k].transform.kind != FRZ_TRANSFORM_VOID)
                known->type = tuple->fields[k].type;
        }
    }
    *type = (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = count};
    scan->partition_type = type;
    return FRZ_OK;
}

static bool names_column(const frz_type *columns, int32_t id)
{
    for (size_t i = 0; i < columns->field_count; i++)
        if (columns->fields[i].id == id)
            return true;
    return false;
}

static frz_status bind_options(frz_scan *scan, const frz_scan_options *options, frz_error **err)
{
    const bool case_sensitive = !options->case_insensitive;
    const frz_name_list names = {.items = options->select_count ? options->select : NULL,
                                 .count = options->select_count};
    FRZ_TRY(frz_projection_resolve(scan->schema, scan->partition_type, &names, case_sensitive,
                                   &scan->arena, &scan->projection, err));
    scan->keep_deleted = names_column(scan->projection.type, FRZ_FIELD_ID_DELETED);
    scan->filter = &frz_expr_true;
    const frz_expr_scope scope = {
        .schema = scan->schema,
        .partition_type = scan->partition_type->field_count ? scan->partition_type : NULL,
        .case_sensitive = case_sensitive,
        .metadata_columns = true};
    if (options->where)
        FRZ_TRY(frz_expr_parse(frz_slice_of_text(options->where), &scope, &scan->arena,
                               &scan->filter, err));
    if (options->limit < 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "limit %lld is negative",
                        (long long)options->limit);
    scan->limit = options->limit ? options->limit : -1;
    scan->batch_rows = options->batch_rows;
    scan->threads = options->threads;
    scan->no_pruning = options->no_pruning;
    return frz_scan_set_name_mapping(scan, options->name_mapping, err);
}

frz_status frz_scan_new(const frz_table *table, const frz_scan_options *given, frz_scan **out,
                        frz_error **err)
{
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    frz_status status = FRZ_OK;
    FRZ_TRY(FRZ_OPTIONS_TAKE(frz_scan_options, given, &options, err));
    frz_scan *scan = frz_alloc_zero(sizeof *scan);
    if (!scan)
        return frz_fail_memory(err);
    scan->references = 1;
    scan->metadata = frz_metadata_ref(table->metadata);
    scan->catalog = table->catalog ? frz_catalog_ref(table->catalog) : NULL;
    scan->io = table->io;
    scan->cache = frz_cache_ref(table->cache);
    scan->limits = table->limits;

    FRZ_TRY_DONE(frz_table_select(table, &options.at, &scan->snapshot, &scan->schema, err));
    if (options.has_from_snapshot_id) {
        scan->schema = frz_metadata_schema(scan->metadata);
        FRZ_TRY_DONE(frz_increment_find(scan->metadata, options.from_snapshot_id, scan->snapshot,
                                        &scan->arena, &scan->increment, err));
    }
    FRZ_TRY_DONE(union_of_specs(scan, err));
    FRZ_TRY_DONE(bind_options(scan, &options, err));
    *out = scan;
    scan = NULL;

done:
    frz_scan_free(scan);
    return status;
}

frz_status frz_scan_new_counting(const frz_scan *scan, frz_scan **out, frz_error **err)
{
    static const frz_type no_columns = {.kind = FRZ_TYPE_STRUCT};
    frz_scan *counting = frz_alloc_zero(sizeof *counting);
    if (!counting)
        return frz_fail_memory(err);
    counting->references = 1;
    counting->parent = frz_scan_ref(scan);
    counting->metadata = frz_metadata_ref(scan->metadata);
    counting->catalog = scan->catalog ? frz_catalog_ref(scan->catalog) : NULL;
    counting->io = scan->io;
    counting->cache = frz_cache_ref(scan->cache);
    counting->limits = scan->limits;
    counting->snapshot = scan->snapshot;
    counting->increment = scan->increment;
    counting->schema = scan->schema;
    counting->partition_type = scan->partition_type;
    counting->filter = scan->filter;
    counting->projection.type = &no_columns;
    counting->name_mapping = scan->name_mapping;
    counting->bad_name_mapping = scan->bad_name_mapping;
    counting->keep_deleted = scan->keep_deleted;
    counting->limit = -1;
    counting->threads = scan->threads;
    counting->no_pruning = scan->no_pruning;
    *out = counting;
    return FRZ_OK;
}

frz_status frz_scan_arrow_schema(const frz_scan *scan, struct ArrowSchema *out, frz_error **err)
{
    const frz_field row = {.id = 0, .name = "", .required = true, .type = scan->projection.type};
    return frz_type_to_arrow(&row, out, err);
}
