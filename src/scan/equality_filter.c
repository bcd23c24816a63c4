#include "scan/equality_filter.h"

#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "scan/row_reader.h"

enum { CHUNK_ROWS = 2048 /* a multiple of 64 */ };

/* A probe as the batches of this task use it. */
typedef struct task_probe {
    frz_equality_probe *probe;
    const frz_equality_keys *keys;
    frz_equality_index index; /* acquired; empty when it is done with */
    size_t *columns;          /* where in a batch each key is */
    const struct ArrowArray **arrays;
    frz_key_rows rows;
} task_probe;

struct frz_equality_filter {
    const frz_scan *scan;
    const frz_scan_task *task;
    frz_arena arena;
    task_probe *probes;
    size_t count;
    uint64_t seed;
    frz_bitmap *marked;
    uint64_t *mask; /* of marking */
    int64_t mask_rows;
};

static bool is_open(const task_probe *used)
{
    return used->index.bits || used->index.table;
}

void frz_equality_filter_close(frz_equality_filter *filter)
{
    if (!filter)
        return;
    for (size_t i = 0; i < filter->count; i++) {
        if (is_open(&filter->probes[i]))
            frz_equality_probe_release(filter->probes[i].probe);
        frz_key_rows_clear(&filter->probes[i].rows);
    }
    frz_bitmap_free(filter->marked);
    frz_free(filter->mask);
    frz_arena_clear(&filter->arena);
    frz_free(filter);
}

static size_t probe_count(const frz_scan_task *task)
{
    size_t count = 0;
    for (size_t i = 0; i < FRZ_EQUALITY_SPANS; i++)
        if (task->equalities[i].scope)
            count += frz_equality_scope_probe_count(task->equalities[i].scope);
    return count;
}

/* The probes that delete rows newer than the data file's sequence number; `probes` has room. */
static frz_status find_probes(const frz_scan_task *task, task_probe *probes, size_t *count_out,
                              frz_error **err)
{
    size_t count = 0;
    for (size_t i = 0; i < FRZ_EQUALITY_SPANS; i++) {
        const frz_equality_scope *scope = task->equalities[i].scope;
        for (size_t k = 0; scope && k < frz_equality_scope_probe_count(scope); k++) {
            frz_equality_probe *probe = frz_equality_scope_probe(scope, k);
            if (frz_equality_probe_sequence(probe) <= task->entry->sequence_number)
                continue;
            probes[count].probe = probe;
            FRZ_TRY(frz_equality_probe_keys(probe, &probes[count].keys, err));
            count++;
        }
    }
    *count_out = count;
    return FRZ_OK;
}

static frz_status fill_mask(frz_equality_filter *filter, int64_t rows, frz_error **err)
{
    const size_t words = ((size_t)rows + 63) / 64;
    if (rows > filter->mask_rows) {
        frz_free(filter->mask);
        filter->mask_rows = 0;
        filter->mask = frz_alloc_array(words, sizeof *filter->mask);
        if (!filter->mask)
            return frz_fail_memory(err);
        filter->mask_rows = rows;
    }
    memset(filter->mask, 0xff, words * sizeof *filter->mask);
    return FRZ_OK;
}

/* The rows of a batch that an index may delete. */
typedef struct look {
    frz_equality_index index;
    const struct ArrowArray *const *columns; /* of the keys */
    int64_t count;
} look;

/* Clears the bits of the rows that are deleted, some rows at a time, so that their keys stay in the
 * processor's cache. */
static frz_status look_up(const frz_equality_filter *filter, task_probe *used, const look *at,
                          uint64_t *mask, frz_error **err)
{
    if (at->index.bits) {
        const frz_key_span all = {.columns = at->columns, .count = at->count};
        frz_key_bits_apply(at->index.bits, &all, mask);
        return FRZ_OK;
    }
    for (int64_t first = 0; first < at->count; first += CHUNK_ROWS) {
        const int64_t left = at->count - first;
        const frz_key_span span = {
            .columns = at->columns, .first = first, .count = left < CHUNK_ROWS ? left : CHUNK_ROWS};
        FRZ_TRY(frz_key_rows_fill(&used->rows, &used->keys->layout, &span, filter->seed, err));
        frz_key_table_apply(at->index.table, &used->rows, filter->task->entry->sequence_number,
                            mask + first / 64);
    }
    return FRZ_OK;
}

/* What marking with one index needs. */
typedef struct marking {
    frz_equality_filter *filter;
    task_probe *used;
    frz_equality_index index;
} marking;

/* Marks the rows of a batch, whose first has position `start`, that the index deletes. */
static frz_status mark_batch(const marking *self, const struct ArrowArray *batch, int64_t start,
                             frz_error **err)
{
    frz_equality_filter *filter = self->filter;
    const look at = {.index = self->index,
                     .columns = (const struct ArrowArray *const *)batch->children,
                     .count = batch->length};
    FRZ_TRY(fill_mask(filter, batch->length, err));
    FRZ_TRY(look_up(filter, self->used, &at, filter->mask, err));
    for (int64_t first = 0; first < batch->length; first += 64) {
        for (uint64_t gone = ~filter->mask[first / 64]; gone; gone &= gone - 1)
            FRZ_TRY(frz_bitmap_add(filter->marked, start + first + __builtin_ctzll(gone), err));
    }
    return FRZ_OK;
}

static frz_status mark_file(const marking *self, frz_error **err)
{
    const frz_equality_filter *filter = self->filter;
    frz_row_reader *reader = NULL;
    struct ArrowArray batch = {0};
    int64_t start = 0;
    frz_status status = frz_row_reader_open(filter->scan, &filter->task->entry->file,
                                            self->used->keys->type, &reader, err);
    while (status == FRZ_OK) {
        status = frz_row_reader_next(reader, &batch, err);
        if (status != FRZ_OK)
            break;
        status = mark_batch(self, &batch, start, err);
        start += batch.length;
        frz_arrow_array_clear(&batch);
    }
    frz_row_reader_close(reader);
    return status == FRZ_END ? FRZ_OK : status;
}

static frz_status mark_by_table(void *context, const frz_key_table *table, frz_error **err)
{
    marking *self = context;
    self->index = (frz_equality_index){.table = table};
    return mark_file(self, err);
}

static frz_status open_probe(frz_equality_filter *filter, task_probe *used, frz_error **err)
{
    marking self = {.filter = filter, .used = used};
    const int64_t sequence = filter->task->entry->sequence_number;
    FRZ_TRY(frz_equality_probe_acquire(used->probe, sequence, &used->index, err));
    if (is_open(used) && !filter->scan->keep_deleted)
        return FRZ_OK;
    if (!filter->marked)
        FRZ_TRY(frz_bitmap_new(&filter->marked, err));
    if (!is_open(used))
        return frz_equality_probe_passes(used->probe, sequence, mark_by_table, &self, err);
    self.index = used->index;
    FRZ_TRY(mark_file(&self, err));
    frz_equality_probe_release(used->probe);
    used->index = (frz_equality_index){0};
    return FRZ_OK;
}

static frz_status open_probes(frz_equality_filter *filter, size_t most, frz_error **err)
{
    filter->probes = frz_arena_array(&filter->arena, most, sizeof *filter->probes);
    if (!filter->probes)
        return frz_fail_memory(err);
    FRZ_TRY(find_probes(filter->task, filter->probes, &filter->count, err));
    for (size_t i = 0; i < filter->count; i++) {
        filter->seed = frz_equality_probe_seed(filter->probes[i].probe);
        FRZ_TRY(open_probe(filter, &filter->probes[i], err));
    }
    return FRZ_OK;
}

frz_status frz_equality_filter_open(const frz_scan *scan, const frz_scan_task *task,
                                    frz_equality_filter **out, frz_error **err)
{
    const size_t most = probe_count(task);
    *out = NULL;
    if (most == 0)
        return FRZ_OK;
    frz_equality_filter *filter = frz_alloc_zero(sizeof *filter);
    if (!filter)
        return frz_fail_memory(err);
    filter->scan = scan;
    filter->task = task;
    const frz_status status = open_probes(filter, most, err);
    if (status != FRZ_OK || filter->count == 0) {
        frz_equality_filter_close(filter);
        return status;
    }
    *out = filter;
    return FRZ_OK;
}

const frz_bitmap *frz_equality_filter_marked(const frz_equality_filter *filter)
{
    return filter && filter->marked && frz_bitmap_cardinality(filter->marked) ? filter->marked
                                                                              : NULL;
}

bool frz_equality_filter_has_probes(const frz_equality_filter *filter)
{
    for (size_t i = 0; filter && i < filter->count; i++)
        if (is_open(&filter->probes[i]))
            return true;
    return false;
}

/* The columns that grow as keys join them. */
typedef struct column_list {
    frz_field *fields; /* with room for all keys */
    size_t count;
} column_list;

static size_t find_or_add(column_list *list, const frz_field *key)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->fields[i].id == key->id && frz_type_equal(list->fields[i].type, key->type))
            return i;
    list->fields[list->count] = *key;
    return list->count++;
}

static frz_status start_list(const frz_type *type, const task_probe *probes, size_t probe_count,
                             frz_arena *arena, column_list *out, frz_error **err)
{
    size_t room = type->field_count;
    for (size_t i = 0; i < probe_count; i++)
        room += probes[i].keys->count;
    out->fields = frz_arena_array(arena, room, sizeof *out->fields);
    if (!out->fields)
        return frz_fail_memory(err);
    if (type->field_count)
        memcpy(out->fields, type->fields, type->field_count * sizeof *out->fields);
    out->count = type->field_count;
    return FRZ_OK;
}

static frz_status end_list(const column_list *list, frz_arena *arena, const frz_type **out,
                           frz_error **err)
{
    frz_type *type = frz_arena_alloc(arena, sizeof *type);
    if (!type)
        return frz_fail_memory(err);
    *type = (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = list->fields, .field_count = list->count};
    *out = type;
    return FRZ_OK;
}

frz_status frz_equality_filter_columns(frz_equality_filter *filter, const frz_type *type,
                                       frz_arena *arena, const frz_type **out, frz_error **err)
{
    column_list list = {0};
    FRZ_TRY(start_list(type, filter->probes, filter->count, arena, &list, err));
    for (size_t i = 0; i < filter->count; i++) {
        task_probe *used = &filter->probes[i];
        if (!is_open(used))
            continue;
        used->columns = frz_arena_array(&filter->arena, used->keys->count, sizeof *used->columns);
        used->arrays = frz_arena_array(&filter->arena, used->keys->count, sizeof *used->arrays);
        if (!used->columns || !used->arrays)
            return frz_fail_memory(err);
        for (size_t k = 0; k < used->keys->count; k++)
            used->columns[k] = find_or_add(&list, &used->keys->fields[k]);
    }
    return end_list(&list, arena, out, err);
}

frz_status frz_equality_filter_run(frz_equality_filter *filter, const struct ArrowArray *batch,
                                   uint64_t *mask, int64_t *kept_out, frz_error **err)
{
    const size_t words = ((size_t)batch->length + 63) / 64;
    if (batch->length % 64)
        mask[words - 1] &= (UINT64_C(1) << batch->length % 64) - 1;
    for (size_t i = 0; i < filter->count; i++) {
        task_probe *used = &filter->probes[i];
        if (!is_open(used))
            continue;
        for (size_t k = 0; k < used->keys->count; k++)
            used->arrays[k] = batch->children[used->columns[k]];
        const look at = {.index = used->index, .columns = used->arrays, .count = batch->length};
        FRZ_TRY(look_up(filter, used, &at, mask, err));
    }
    int64_t kept = 0;
    for (size_t i = 0; i < words; i++)
        kept += __builtin_popcountll(mask[i]);
    *kept_out = kept;
    return FRZ_OK;
}

frz_status frz_task_key_columns(const frz_scan_task *task, const frz_type *type, frz_arena *arena,
                                const frz_type **out, frz_error **err)
{
    column_list list = {0};
    size_t count = 0;
    task_probe *probes = frz_arena_array(arena, probe_count(task), sizeof *probes);
    if (!probes)
        return frz_fail_memory(err);
    FRZ_TRY(find_probes(task, probes, &count, err));
    FRZ_TRY(start_list(type, probes, count, arena, &list, err));
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < probes[i].keys->count; k++)
            (void)find_or_add(&list, &probes[i].keys->fields[k]);
    return end_list(&list, arena, out, err);
}
