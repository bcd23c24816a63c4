#include "metatable/rows.h"

#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/options.h"

static frz_status init_kind(frz_metadata_rows *rows, frz_error **err)
{
    switch (rows->kind) {
    case FRZ_METADATA_TABLE_SNAPSHOTS:
    case FRZ_METADATA_TABLE_HISTORY:
    case FRZ_METADATA_TABLE_REFS:
    case FRZ_METADATA_TABLE_METADATA_LOG_ENTRIES:
        return frz_log_rows_init(rows, err);
    case FRZ_METADATA_TABLE_FILES:
    case FRZ_METADATA_TABLE_DATA_FILES:
    case FRZ_METADATA_TABLE_DELETE_FILES:
    case FRZ_METADATA_TABLE_ENTRIES:
    case FRZ_METADATA_TABLE_ALL_FILES:
    case FRZ_METADATA_TABLE_ALL_DATA_FILES:
    case FRZ_METADATA_TABLE_ALL_DELETE_FILES:
    case FRZ_METADATA_TABLE_ALL_ENTRIES:
        return frz_file_rows_init(rows, err);
    case FRZ_METADATA_TABLE_MANIFESTS:
    case FRZ_METADATA_TABLE_ALL_MANIFESTS:
        return frz_manifest_rows_init(rows, err);
    case FRZ_METADATA_TABLE_PARTITIONS:
        return frz_partition_rows_init(rows, err);
    case FRZ_METADATA_TABLE_POSITION_DELETES:
        return frz_position_rows_init(rows, err);
    }
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "no metadata table has number %d",
                    (int)rows->kind);
}

static bool is_of_one_snapshot(frz_metadata_table kind)
{
    switch (kind) {
    case FRZ_METADATA_TABLE_FILES:
    case FRZ_METADATA_TABLE_DATA_FILES:
    case FRZ_METADATA_TABLE_DELETE_FILES:
    case FRZ_METADATA_TABLE_ENTRIES:
    case FRZ_METADATA_TABLE_MANIFESTS:
    case FRZ_METADATA_TABLE_PARTITIONS:
    case FRZ_METADATA_TABLE_POSITION_DELETES:
        return true;
    case FRZ_METADATA_TABLE_SNAPSHOTS:
    case FRZ_METADATA_TABLE_HISTORY:
    case FRZ_METADATA_TABLE_REFS:
    case FRZ_METADATA_TABLE_METADATA_LOG_ENTRIES:
    case FRZ_METADATA_TABLE_ALL_FILES:
    case FRZ_METADATA_TABLE_ALL_DATA_FILES:
    case FRZ_METADATA_TABLE_ALL_DELETE_FILES:
    case FRZ_METADATA_TABLE_ALL_MANIFESTS:
    case FRZ_METADATA_TABLE_ALL_ENTRIES:
        return false;
    }
    return false;
}

void frz_metadata_rows_visit(const frz_metadata_rows *rows,
                             void (*visit)(void *context, const frz_field *column), void *context)
{
    const frz_type *types[] = {rows->output.type, rows->filtered.type};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; types[i] && k < types[i]->field_count; k++)
            visit(context, &types[i]->fields[k]);
}

static size_t name_count(const frz_expr *expr)
{
    if (!expr)
        return 0;
    return (size_t)(expr->reference != NULL) + (expr->other != NULL) + name_count(expr->left) +
           name_count(expr->right);
}

static void name_leaves(const frz_expr *expr, const frz_schema *schema, const char **names,
                        size_t *count)
{
    if (!expr)
        return;
    if (expr->reference)
        names[(*count)++] = frz_schema_path(schema, expr->reference->field_id);
    if (expr->other)
        names[(*count)++] = frz_schema_path(schema, expr->other->field_id);
    name_leaves(expr->left, schema, names, count);
    name_leaves(expr->right, schema, names, count);
}

/* Of nested columns only what the filter names: readable_metrics is wide. */
static frz_status bind_filter(frz_metadata_rows *rows, const frz_metadata_options *options,
                              const frz_schema *schema, frz_error **err)
{
    const frz_expr_scope scope = {.schema = schema, .case_sensitive = !options->case_insensitive};
    frz_projection projection = {0};
    size_t count = 0;
    FRZ_TRY(frz_expr_parse(frz_slice_of_text(options->where), &scope, &rows->arena, &rows->filter,
                           err));
    const char **names = frz_arena_array(&rows->arena, name_count(rows->filter), sizeof *names);
    if (!names)
        return frz_fail_memory(err);
    name_leaves(rows->filter, schema, names, &count);
    if (rows->filter->op == FRZ_EXPR_TRUE)
        return FRZ_OK;
    const frz_name_list list = {.items = names, .count = count, .schema_only = true};
    FRZ_TRY(frz_projection_resolve(schema, NULL, &list, true, &rows->arena, &projection, err));
    rows->filtered.type = projection.type;
    return frz_evaluator_new(rows->filter, projection.type, &rows->evaluator, err);
}

static frz_status bind_columns(frz_metadata_rows *rows, const frz_metadata_options *options,
                               const frz_schema *schema, frz_error **err)
{
    frz_projection projection = {0};
    const frz_name_list list = {
        .items = options->select, .count = options->select_count, .schema_only = true};
    FRZ_TRY(frz_projection_resolve(schema, NULL, &list, !options->case_insensitive, &rows->arena,
                                   &projection, err));
    rows->output.type = projection.type;
    return FRZ_OK;
}

static frz_status bind_options(frz_metadata_rows *rows, const frz_metadata_options *options,
                               frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_schema *schema = NULL;
    rows->filter = &frz_expr_true;
    rows->output.type = rows->type;
    if (!options->where && !options->select_count)
        return FRZ_OK;
    FRZ_TRY(frz_schema_new(0, rows->type->fields, rows->type->field_count, NULL, 0, &schema, err));
    if (options->where)
        FRZ_TRY_DONE(bind_filter(rows, options, schema, err));
    if (options->select_count)
        FRZ_TRY_DONE(bind_columns(rows, options, schema, err));
    /* Both point into the copy that the schema made of the row type. */
    rows->schema = schema;
    schema = NULL;

done:
    frz_schema_unref(schema);
    return status;
}

static size_t cell_count(const frz_type *type)
{
    size_t count = 1;
    for (size_t i = 0; i < type->field_count; i++)
        count += cell_count(type->fields[i].type);
    return count;
}

static frz_status open_columns(frz_metadata_columns *columns, frz_error **err)
{
    const frz_field row = {.name = "", .required = true, .type = columns->type};
    if (!columns->type)
        return FRZ_OK;
    FRZ_TRY(frz_type_to_arrow(&row, &columns->schema, err));
    return frz_arrow_builder_new(&columns->schema, &columns->builder, err);
}

/* Wide rows come in smaller batches. */
static frz_status open_rows(frz_metadata_rows *rows, frz_error **err)
{
    enum { CELLS_WANTED = 1 << 18, ROWS_MIN = 64 };
    const size_t wide = CELLS_WANTED / cell_count(rows->output.type);
    rows->batch_rows = FRZ_METADATA_BATCH_ROWS;
    if (wide < FRZ_METADATA_BATCH_ROWS)
        rows->batch_rows = wide < ROWS_MIN ? ROWS_MIN : (int64_t)wide;
    FRZ_TRY(open_columns(&rows->output, err));
    FRZ_TRY(open_columns(&rows->filtered, err));
    return rows->ops->start ? rows->ops->start(rows, err) : FRZ_OK;
}

static frz_status append_row(frz_metadata_rows *rows, size_t index,
                             const frz_metadata_columns *columns, frz_error **err)
{
    for (size_t i = 0; i < columns->type->field_count; i++)
        FRZ_TRY(rows->ops->cell(rows, index, &columns->type->fields[i],
                                frz_arrow_builder_child(columns->builder, i), err));
    frz_arrow_append_struct(columns->builder);
    return FRZ_OK;
}

/* Which of the next `count` rows of the run pass the filter. */
static frz_status test_rows(frz_metadata_rows *rows, size_t count, uint64_t *mask, frz_error **err)
{
    struct ArrowArray batch = {0};
    int64_t kept = 0;
    memset(mask, 0xff, (count + 63) / 64 * sizeof *mask);
    if (!rows->evaluator)
        return FRZ_OK;
    for (size_t i = 0; i < count; i++)
        FRZ_TRY(append_row(rows, rows->run_at + i, &rows->filtered, err));
    FRZ_TRY(frz_arrow_builder_finish(rows->filtered.builder, &batch, err));
    const frz_status status = frz_evaluator_run(rows->evaluator, &batch, mask, &kept, err);
    frz_arrow_array_clear(&batch);
    return status;
}

static frz_status take_rows(frz_metadata_rows *rows, frz_error **err)
{
    uint64_t mask[FRZ_METADATA_BATCH_ROWS / 64];
    const size_t room = (size_t)(rows->batch_rows - frz_arrow_builder_length(rows->output.builder));
    const size_t left = rows->run_count - rows->run_at;
    const size_t count = left < room ? left : room;
    FRZ_TRY(test_rows(rows, count, mask, err));
    for (size_t i = 0; i < count; i++)
        if (mask[i / 64] >> (i % 64) & 1)
            FRZ_TRY(append_row(rows, rows->run_at + i, &rows->output, err));
    rows->run_at += count;
    return FRZ_OK;
}

static frz_status rows_schema(void *self, struct ArrowSchema *out, frz_error **err)
{
    const frz_metadata_rows *rows = self;
    const frz_field row = {.name = "", .required = true, .type = rows->output.type};
    return frz_type_to_arrow(&row, out, err);
}

static frz_status rows_next(void *self, struct ArrowArray *out, frz_error **err)
{
    frz_metadata_rows *rows = self;
    while (!rows->done && frz_arrow_builder_length(rows->output.builder) < rows->batch_rows) {
        if (rows->run_at < rows->run_count) {
            FRZ_TRY(take_rows(rows, err));
            continue;
        }
        rows->run_at = 0;
        rows->run_count = 0;
        const frz_status status = rows->ops->next(rows, &rows->run_count, err);
        rows->done = status == FRZ_END;
        if (status != FRZ_OK && status != FRZ_END)
            return status;
    }
    if (frz_arrow_builder_length(rows->output.builder) == 0)
        return FRZ_END;
    return frz_arrow_builder_finish(rows->output.builder, out, err);
}

static void close_columns(frz_metadata_columns *columns)
{
    frz_arrow_builder_free(columns->builder);
    frz_arrow_schema_clear(&columns->schema);
}

static void rows_free(void *self)
{
    frz_metadata_rows *rows = self;
    if (rows->ops && rows->ops->clear && rows->state)
        rows->ops->clear(rows);
    close_columns(&rows->output);
    close_columns(&rows->filtered);
    frz_evaluator_free(rows->evaluator);
    frz_schema_unref(rows->schema);
    frz_scan_free(rows->scan);
    frz_arena_clear(&rows->arena);
    frz_free(rows->metadata_location);
    frz_free(rows);
}

static const frz_arrow_source_ops stream_ops = {
    .schema = rows_schema, .next = rows_next, .free = rows_free};

static frz_status check_selector(frz_metadata_table kind, const frz_snapshot_selector *at,
                                 frz_error **err)
{
    if (is_of_one_snapshot(kind) || (!at->has_snapshot_id && !at->has_as_of_ms && !at->ref))
        return FRZ_OK;
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                    "this metadata table shows the whole table: no snapshot, time or ref can be "
                    "chosen");
}

static frz_status open_table(frz_metadata_rows *rows, const frz_table *table,
                             const frz_metadata_options *options, frz_error **err)
{
    frz_scan_options scan = FRZ_SCAN_OPTIONS_INIT;
    scan.at = options->at;
    FRZ_TRY(check_selector(rows->kind, &options->at, err));
    FRZ_TRY(frz_scan_new(table, &scan, &rows->scan, err));
    rows->metadata_location = frz_copy_text(table->metadata_location);
    if (!rows->metadata_location)
        return frz_fail_memory(err);
    FRZ_TRY(init_kind(rows, err));
    FRZ_TRY(bind_options(rows, options, err));
    return open_rows(rows, err);
}

frz_status frz_table_metadata_stream(const frz_table *table, frz_metadata_table kind,
                                     const frz_metadata_options *given,
                                     struct ArrowArrayStream *out, frz_error **err)
{
    frz_metadata_options options = FRZ_METADATA_OPTIONS_INIT;
    FRZ_TRY(FRZ_OPTIONS_TAKE(frz_metadata_options, given, &options, err));
    frz_metadata_rows *rows = frz_alloc_zero(sizeof *rows);
    if (!rows)
        return frz_fail_memory(err);
    rows->kind = kind;
    const frz_status status = open_table(rows, table, &options, err);
    if (status != FRZ_OK) {
        rows_free(rows);
        return status;
    }
    return frz_arrow_stream_from(&stream_ops, rows, out, err);
}
