/*
 * The line of a snapshot as rows, as Java's ancestors_of procedure gives them.
 */
#include "arrow/array.h"
#include "arrow/builder.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/options.h"
#include "catalog/table.h"
#include "frazil/table.h"
#include "spec/ancestry.h"

typedef struct ancestor_rows {
    struct ArrowSchema schema;
    struct ArrowArray batch; /* given once */
} ancestor_rows;

static frz_status rows_schema(void *self, struct ArrowSchema *out, frz_error **err)
{
    return frz_arrow_schema_copy(&((ancestor_rows *)self)->schema, out, err);
}

static frz_status rows_next(void *self, struct ArrowArray *out, frz_error **err)
{
    ancestor_rows *rows = self;
    (void)err;
    if (!rows->batch.release)
        return FRZ_END;
    *out = rows->batch;
    rows->batch = (struct ArrowArray){0};
    return FRZ_OK;
}

static void rows_free(void *self)
{
    ancestor_rows *rows = self;
    frz_arrow_schema_clear(&rows->schema);
    frz_arrow_array_clear(&rows->batch);
    frz_free(rows);
}

static frz_status fill(const frz_table *table, const frz_snapshot *snapshot, ancestor_rows *rows,
                       frz_error **err)
{
    static const frz_field fields[] = {
        {.id = 1, .name = "snapshot_id", .required = true},
        {.id = 2, .name = "timestamp", .required = true},
    };
    frz_arrow_builder *builder = NULL;
    frz_field typed[2] = {fields[0], fields[1]};
    typed[0].type = frz_type_of(FRZ_TYPE_LONG);
    typed[1].type = frz_type_of(FRZ_TYPE_TIMESTAMPTZ);
    const frz_type row = {.kind = FRZ_TYPE_STRUCT, .fields = typed, .field_count = 2};
    const frz_field root = {.name = "", .required = true, .type = &row};
    frz_ancestry line = frz_ancestry_of(table->metadata, snapshot);
    FRZ_TRY(frz_type_to_arrow(&root, &rows->schema, err));
    FRZ_TRY(frz_arrow_builder_new(&rows->schema, &builder, err));
    for (const frz_snapshot *at = frz_ancestry_next(&line); at; at = frz_ancestry_next(&line)) {
        frz_arrow_append_i64(frz_arrow_builder_child(builder, 0), at->snapshot_id);
        frz_arrow_append_i64(frz_arrow_builder_child(builder, 1), at->timestamp_ms * 1000);
        frz_arrow_append_struct(builder);
    }
    const frz_status status = frz_arrow_builder_finish(builder, &rows->batch, err);
    frz_arrow_builder_free(builder);
    return status;
}

frz_status frz_table_ancestors(const frz_table *table, const frz_snapshot_selector *at,
                               struct ArrowArrayStream *out, frz_error **err)
{
    static const frz_arrow_source_ops ops = {rows_schema, rows_next, rows_free};
    const frz_snapshot *snapshot = NULL;
    frz_schema *schema = NULL;
    frz_snapshot_selector chosen = FRZ_SNAPSHOT_SELECTOR_INIT;
    FRZ_TRY(FRZ_OPTIONS_TAKE(frz_snapshot_selector, at, &chosen, err));
    FRZ_TRY(frz_table_select(table, &chosen, &snapshot, &schema, err));
    ancestor_rows *rows = frz_alloc_zero(sizeof *rows);
    if (!rows)
        return frz_fail_memory(err);
    const frz_status status = fill(table, snapshot, rows, err);
    if (status != FRZ_OK) {
        rows_free(rows);
        return status;
    }
    return frz_arrow_stream_from(&ops, rows, out, err);
}
