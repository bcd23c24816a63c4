#include "scan/task_reader.h"

#include <assert.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "expr/evaluate.h"
#include "scan/column_reader.h"
#include "scan/deletes.h"
#include "scan/equality_filter.h"

enum {
    BATCH_BYTES = 1024 * 1024, /* of all columns together: fits L2 with what decoding needs */
    BATCH_ROWS_MIN = 4096,
    BATCH_ROWS_MAX = 64 * 1024
};

/* The columns of one struct type and their readers. */
typedef struct column_set {
    frz_file_columns columns;
    frz_column_reader *readers; /* in the arena */
} column_set;

struct frz_task_reader {
    const frz_scan *scan;
    const frz_scan_task *task;
    frz_arena arena;
    char *path;
    frz_stored_file file;
    frz_delete_set *deletes;
    frz_equality_filter *equalities; /* NULL when no equality delete applies */
    frz_row_ranges ranges;
    size_t range;       /* the one being read */
    int64_t range_done; /* rows of it that were read */
    int64_t batch_rows;
    const frz_type *filter_type; /* the columns that residual and equality deletes read */
    column_set filter;
    column_set output;
    int64_t *shared;          /* per output column: the filter column that is the same, or -1 */
    bool filters;             /* rows are tested */
    frz_evaluator *evaluator; /* NULL when there is no residual */
    uint64_t *mask;           /* rows of the batch: not deleted, then matching */
    uint64_t *matches;        /* among the rows that the filter columns were read for */
};

static void close_set(column_set *set)
{
    for (size_t i = 0; set->readers && i < set->columns.count; i++)
        frz_column_reader_close(&set->readers[i]);
}

void frz_task_reader_close(frz_task_reader *reader)
{
    if (!reader)
        return;
    close_set(&reader->filter);
    close_set(&reader->output);
    frz_evaluator_free(reader->evaluator);
    frz_equality_filter_close(reader->equalities);
    frz_delete_set_unref(reader->deletes);
    frz_stored_file_close(&reader->file);
    frz_free(reader->mask);
    frz_free(reader->matches);
    frz_free(reader->path);
    frz_arena_clear(&reader->arena);
    frz_free(reader);
}

static const frz_bitmap *deleted_rows(const frz_task_reader *reader)
{
    return reader->deletes ? frz_delete_set_bitmap(reader->deletes) : NULL;
}

static frz_status open_set(frz_task_reader *reader, const frz_type *type, column_set *set,
                           frz_error **err)
{
    FRZ_TRY(frz_file_columns_resolve(reader->scan, reader->task, &reader->file, type,
                                     &reader->arena, &set->columns, err));
    set->readers = frz_arena_array(&reader->arena, set->columns.count, sizeof *set->readers);
    return set->readers ? FRZ_OK : frz_fail_memory(err);
}

static frz_status open_readers(frz_task_reader *reader, column_set *set, const int64_t *shared,
                               frz_error **err)
{
    for (size_t i = 0; i < set->columns.count; i++)
        if (!shared || shared[i] < 0)
            FRZ_TRY(frz_column_reader_open(&set->readers[i], &set->columns.items[i],
                                           reader->task->entry, &reader->ranges,
                                           deleted_rows(reader), &reader->arena, err));
    return FRZ_OK;
}

frz_status frz_task_filter_type(const frz_scan *scan, const frz_scan_task *task, frz_arena *arena,
                                const frz_type **out, frz_error **err)
{
    const int32_t *ids = NULL;
    size_t count = 0;
    FRZ_TRY(frz_expr_columns(task->residual, arena, &ids, &count, err));
    frz_field *fields = frz_arena_array(arena, count, sizeof *fields);
    frz_type *type = frz_arena_alloc(arena, sizeof *type);
    if (!fields || !type)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const frz_field *field = ids[i] > FRZ_FIELD_ID_MAX
                                     ? frz_metadata_column(ids[i])
                                     : frz_schema_find_id(scan->schema, ids[i]);
        fields[i] = field ? *field
                          : (frz_field){.id = FRZ_FIELD_ID_PARTITION,
                                        .name = "_partition",
                                        .required = true,
                                        .type = scan->partition_type};
    }
    *type = (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = count};
    *out = type;
    return FRZ_OK;
}

/* Output columns that the filter reads anyway, whole. */
static frz_status share_columns(frz_task_reader *reader, frz_error **err)
{
    const frz_type *output = reader->scan->projection.type;
    reader->shared = frz_arena_array(&reader->arena, output->field_count, sizeof *reader->shared);
    if (!reader->shared)
        return frz_fail_memory(err);
    for (size_t i = 0; i < output->field_count; i++) {
        reader->shared[i] = -1;
        for (size_t k = 0; reader->filters && k < reader->filter_type->field_count; k++)
            if (reader->filter_type->fields[k].id == output->fields[i].id &&
                frz_type_equal(reader->filter_type->fields[k].type, output->fields[i].type))
                reader->shared[i] = (int64_t)k;
    }
    return FRZ_OK;
}

static int64_t width_of(const frz_type *type)
{
    int64_t width = 0;
    switch ((int)type->kind) {
    case FRZ_TYPE_BOOLEAN:
        return 1;
    case FRZ_TYPE_INT:
    case FRZ_TYPE_FLOAT:
    case FRZ_TYPE_DATE:
        return 4;
    case FRZ_TYPE_DECIMAL:
    case FRZ_TYPE_UUID:
        return 16;
    case FRZ_TYPE_STRING:
    case FRZ_TYPE_BINARY:
        return 32;
    case FRZ_TYPE_FIXED:
        return type->length;
    case FRZ_TYPE_STRUCT:
    case FRZ_TYPE_LIST:
    case FRZ_TYPE_MAP:
        for (size_t i = 0; i < type->field_count; i++)
            width += width_of(type->fields[i].type);
        return type->kind == FRZ_TYPE_STRUCT ? width : width * 4;
    default:
        return 8;
    }
}

static void choose_batch_rows(frz_task_reader *reader)
{
    int64_t rows = reader->scan->batch_rows;
    if (rows <= 0) {
        const int64_t width =
            width_of(reader->scan->projection.type) + width_of(reader->filter_type) + 1;
        rows = BATCH_BYTES / width;
        rows = rows < BATCH_ROWS_MIN ? BATCH_ROWS_MIN : rows;
        rows = rows > BATCH_ROWS_MAX ? BATCH_ROWS_MAX : rows / 64 * 64;
    }
    int64_t longest = 1;
    for (size_t i = 0; i < reader->ranges.count; i++)
        if (reader->ranges.items[i].count > longest)
            longest = reader->ranges.items[i].count;
    reader->batch_rows = rows < longest ? rows : longest;
}

static frz_status refuse_row_count(const frz_task_reader *reader, const char *what, int64_t rows,
                                   frz_error **err)
{
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                    "the file has %s%lld rows, its manifest entry says %lld", what, (long long)rows,
                    (long long)reader->task->entry->file.record_count);
}

/* What the manifest says of the rows must hold: counts, positions and row ids rest on it. An Avro
 * file tells how many rows it has only when they are read. */
static frz_status check_row_count(const frz_task_reader *reader, frz_error **err)
{
    const frz_data_file *file = &reader->task->entry->file;
    const int64_t rows = reader->file.parquet
                             ? frz_parquet_file_metadata(reader->file.parquet)->row_count
                             : file->record_count;
    if (rows != file->record_count)
        return refuse_row_count(reader, "", rows, err);
    if (file->first_row_id > INT64_MAX - rows)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "row ids from %lld are beyond 64 bits",
                        (long long)file->first_row_id);
    return FRZ_OK;
}

static frz_status open_file(frz_task_reader *reader, frz_error **err)
{
    const frz_data_file *file = &reader->task->entry->file;
    reader->path = frz_copy_text_n((const char *)file->path.data, file->path.size);
    if (!reader->path)
        return frz_fail_memory(err);
    FRZ_TRY(frz_stored_file_open(reader->scan, file, &reader->file, err));
    FRZ_TRY(check_row_count(reader, err));
    return frz_task_load_deletes(reader->scan, reader->task, &reader->deletes, err);
}

/* Opens the equality deletes; positions that they mark join those that are deleted. */
static frz_status open_equalities(frz_task_reader *reader, frz_error **err)
{
    FRZ_TRY(frz_equality_filter_open(reader->scan, reader->task, &reader->equalities, err));
    const frz_bitmap *marked = frz_equality_filter_marked(reader->equalities);
    return marked ? frz_delete_set_join(&reader->deletes, marked, err) : FRZ_OK;
}

/* What is read to test rows: the columns of the residual, then keys of equality deletes. */
static frz_status choose_filter_columns(frz_task_reader *reader, frz_error **err)
{
    FRZ_TRY(frz_task_filter_type(reader->scan, reader->task, &reader->arena, &reader->filter_type,
                                 err));
    reader->filters = reader->task->residual->op != FRZ_EXPR_TRUE;
    if (!frz_equality_filter_has_probes(reader->equalities))
        return FRZ_OK;
    reader->filters = true;
    return frz_equality_filter_columns(reader->equalities, reader->filter_type, &reader->arena,
                                       &reader->filter_type, err);
}

static frz_status open_columns(frz_task_reader *reader, frz_error **err)
{
    FRZ_TRY(choose_filter_columns(reader, err));
    FRZ_TRY(open_set(reader, reader->filter_type, &reader->filter, err));
    FRZ_TRY(open_set(reader, reader->scan->projection.type, &reader->output, err));
    if (reader->task->residual->op != FRZ_EXPR_TRUE)
        FRZ_TRY(frz_evaluator_new(reader->task->residual, reader->filter_type, &reader->evaluator,
                                  err));
    FRZ_TRY(share_columns(reader, err));
    const frz_row_query query = {.scan = reader->scan,
                                 .task = reader->task,
                                 .file = &reader->file,
                                 .deleted = deleted_rows(reader)};
    FRZ_TRY(frz_row_ranges_select(&query, &reader->arena, &reader->ranges, err));
    FRZ_TRY(open_readers(reader, &reader->filter, NULL, err));
    FRZ_TRY(open_readers(reader, &reader->output, reader->shared, err));

    choose_batch_rows(reader);
    const size_t words = (size_t)(reader->batch_rows + 63) / 64;
    reader->mask = frz_alloc_array(words, sizeof(uint64_t));
    reader->matches = frz_alloc_array(words, sizeof(uint64_t));
    return reader->mask && reader->matches ? FRZ_OK : frz_fail_memory(err);
}

frz_status frz_task_reader_open(const frz_scan *scan, const frz_scan_task *task, frz_pool *pool,
                                frz_task_reader **out, frz_error **err)
{
    frz_task_reader *reader = frz_alloc_zero(sizeof *reader);
    if (!reader)
        return frz_fail_memory(err);
    reader->scan = scan;
    reader->task = task;
    frz_status status = open_file(reader, err);
    if (status == FRZ_OK && reader->file.avro)
        frz_avro_rows_use_pool(reader->file.avro, pool);
    if (status == FRZ_OK)
        status = open_equalities(reader, err);
    if (status == FRZ_OK)
        status = open_columns(reader, err);
    if (status != FRZ_OK) {
        status = frz_context(err, status, "data file %.*s", (int)task->entry->file.path.size,
                             (const char *)task->entry->file.path.data);
        frz_task_reader_close(reader);
        return status;
    }
    *out = reader;
    return FRZ_OK;
}

static void fill_ones(uint64_t *mask, int64_t count)
{
    const int64_t words = (count + 63) / 64;
    for (int64_t i = 0; i < words; i++)
        mask[i] = UINT64_MAX;
    if (count % 64)
        mask[words - 1] = (UINT64_C(1) << (count % 64)) - 1;
}

/* The batch of an Avro file that begins at rows->start, when `left` more rows are expected. */
static frz_status next_of_avro(frz_task_reader *reader, frz_row_selection *rows, int64_t left,
                               frz_error **err)
{
    const frz_status status =
        frz_stored_file_window(&reader->file, rows->start, reader->batch_rows, &rows->count, err);
    if (status == FRZ_END)
        return refuse_row_count(reader, "", rows->start, err);
    if (status == FRZ_OK && rows->count > left)
        return refuse_row_count(reader, "at least ", rows->start + rows->count, err);
    return status;
}

/* FRZ_END, unless rows are left that the manifest does not count. */
static frz_status check_end(frz_task_reader *reader, frz_error **err)
{
    const int64_t expected = reader->task->entry->file.record_count;
    int64_t count = 0;
    if (!reader->file.avro || (reader->ranges.count == 0 && expected > 0))
        return FRZ_END;
    const frz_status status =
        frz_stored_file_window(&reader->file, expected, reader->batch_rows, &count, err);
    return status == FRZ_OK ? refuse_row_count(reader, "at least ", expected + count, err) : status;
}

/* The next rows to look at: within one range, at most a batch. FRZ_END after the last. */
static frz_status next_rows(frz_task_reader *reader, frz_row_selection *rows, frz_error **err)
{
    while (reader->range < reader->ranges.count &&
           reader->range_done == reader->ranges.items[reader->range].count) {
        reader->range++;
        reader->range_done = 0;
    }
    if (reader->range == reader->ranges.count)
        return check_end(reader, err);
    const frz_parquet_row_range *range = &reader->ranges.items[reader->range];
    const int64_t left = range->count - reader->range_done;
    rows->start = range->start + reader->range_done;
    rows->count = left < reader->batch_rows ? left : reader->batch_rows;
    if (reader->file.avro)
        FRZ_TRY(next_of_avro(reader, rows, left, err));
    rows->mask = NULL;
    rows->selected = rows->count;
    reader->range_done += rows->count;
    return FRZ_OK;
}

static void apply_deletes(frz_task_reader *reader, frz_row_selection *rows)
{
    const frz_bitmap *deleted = deleted_rows(reader);
    if (!deleted || reader->scan->keep_deleted)
        return;
    fill_ones(reader->mask, rows->count);
    rows->selected -= frz_bitmap_clear_mask(deleted, rows->start, rows->count, reader->mask);
    if (rows->selected < rows->count)
        rows->mask = reader->mask;
}

/* The bits of `picked` (one per set bit of `word`) moved to where these stand. */
static uint64_t deposit(uint64_t picked, uint64_t word)
{
    uint64_t result = 0;
    for (; word; word &= word - 1, picked >>= 1)
        if (picked & 1)
            result |= word & -word;
    return result;
}

/* Keeps of the selected rows those whose bit is set in `matches`, which has one bit per selected
 * row. */
static void narrow(frz_task_reader *reader, frz_row_selection *rows, int64_t kept)
{
    assert(reader->mask && reader->matches);
    if (!rows->mask) {
        memcpy(reader->mask, reader->matches, (size_t)(rows->count + 63) / 64 * sizeof(uint64_t));
    } else {
        int64_t at = 0;
        for (int64_t i = 0; i < (rows->count + 63) / 64; i++) {
            const uint64_t word = reader->mask[i];
            const int taken = __builtin_popcountll(word);
            if (!taken)
                continue;
            const int shift = (int)(at % 64);
            uint64_t picked = reader->matches[at / 64] >> shift;
            if (shift && shift + taken > 64)
                picked |= reader->matches[at / 64 + 1] << (64 - shift);
            reader->mask[i] = deposit(picked, word);
            at += taken;
        }
    }
    rows->mask = reader->mask;
    rows->selected = kept;
}

static frz_status read_filter_columns(frz_task_reader *reader, const frz_row_selection *rows,
                                      struct ArrowArray *out, frz_error **err)
{
    frz_buffer validity = {0};
    const column_set *set = &reader->filter;
    FRZ_TRY(frz_arrow_array_init(out, rows->selected, 0, &validity, 1, (int64_t)set->columns.count,
                                 err));
    for (size_t i = 0; i < set->columns.count; i++)
        FRZ_TRY(frz_column_reader_read(&set->readers[i], rows, out->children[i], err));
    return FRZ_OK;
}

/* Clears the bits of rows that equality deletes take out or the residual does not match. */
static frz_status test_rows(frz_task_reader *reader, const struct ArrowArray *columns,
                            int64_t *kept, frz_error **err)
{
    if (frz_equality_filter_has_probes(reader->equalities))
        FRZ_TRY(frz_equality_filter_run(reader->equalities, columns, reader->matches, kept, err));
    if (reader->evaluator)
        FRZ_TRY(frz_evaluator_run(reader->evaluator, columns, reader->matches, kept, err));
    return FRZ_OK;
}

/* Tests rows; leaves the filter columns, compacted to the matching rows, in *filtered. */
static frz_status apply_filter(frz_task_reader *reader, frz_row_selection *rows,
                               struct ArrowArray *filtered, frz_error **err)
{
    struct ArrowSchema schema = {0};
    struct ArrowArray compacted = {0};
    int64_t kept = 0;

    FRZ_TRY(read_filter_columns(reader, rows, filtered, err));
    fill_ones(reader->matches, rows->selected);
    FRZ_TRY(test_rows(reader, filtered, &kept, err));
    if (kept == rows->selected)
        return FRZ_OK;
    if (kept == 0) {
        rows->selected = 0;
        return FRZ_OK;
    }
    const frz_field row = {.name = "", .required = true, .type = reader->filter_type};
    FRZ_TRY(frz_type_to_arrow(&row, &schema, err));
    const frz_status status =
        frz_arrow_array_filter(&schema, filtered, reader->matches, kept, &compacted, err);
    frz_arrow_schema_clear(&schema);
    FRZ_TRY(status);
    frz_arrow_array_clear(filtered);
    *filtered = compacted;
    narrow(reader, rows, kept);
    return FRZ_OK;
}

static frz_status read_output(frz_task_reader *reader, const frz_row_selection *rows,
                              struct ArrowArray *filtered, struct ArrowArray *out, frz_error **err)
{
    frz_buffer validity = {0};
    const column_set *set = &reader->output;
    FRZ_TRY(frz_arrow_array_init(out, rows->selected, 0, &validity, 1, (int64_t)set->columns.count,
                                 err));
    for (size_t i = 0; i < set->columns.count; i++) {
        if (reader->shared[i] < 0 || !filtered->children) {
            FRZ_TRY(frz_column_reader_read(&set->readers[i], rows, out->children[i], err));
            continue;
        }
        assert(filtered->children); /* what is shared was read for the filter */
        struct ArrowArray *column = filtered->children[reader->shared[i]];
        *out->children[i] = *column;
        column->release = NULL;
    }
    return FRZ_OK;
}

static frz_status read_batch(frz_task_reader *reader, frz_row_selection *rows,
                             struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowArray filtered = {0};
    struct ArrowArray batch = {0};

    apply_deletes(reader, rows);
    if (rows->selected && reader->filters)
        FRZ_TRY_DONE(apply_filter(reader, rows, &filtered, err));
    if (rows->selected) {
        FRZ_TRY_DONE(read_output(reader, rows, &filtered, &batch, err));
        *out = batch;
        batch = (struct ArrowArray){0};
    }

done:
    frz_arrow_array_clear(&filtered);
    frz_arrow_array_clear(&batch);
    return status;
}

frz_status frz_task_reader_next(frz_task_reader *reader, struct ArrowArray *out, frz_error **err)
{
    frz_row_selection rows = {0};
    frz_status status = FRZ_OK;
    while (status == FRZ_OK && !rows.selected) {
        status = next_rows(reader, &rows, err);
        if (status == FRZ_OK)
            status = read_batch(reader, &rows, out, err);
    }
    return status == FRZ_OK || status == FRZ_END
               ? status
               : frz_context(err, status, "data file %s", reader->path);
}
