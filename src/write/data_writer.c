#include "write/data_writer.h"

#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"
#include "spec/tuple_key.h"
#include "write/partition_key.h"
#include "write/sort_buffer.h"

enum { OPEN_FILES_MAX = 100, PIECE_ROWS = 16384 };

static const uint64_t buffered_size_max = UINT64_C(192) << 20;

/* One partition of the table that rows have gone to. It stays for the whole write: about 200 bytes
 * each. */
typedef struct partition {
    const frz_value *values;    /* in the context's arena */
    frz_data_file_writer *file; /* NULL while none is open */
    uint64_t last_used;
    int64_t last_run; /* the filling of the sort buffer that the open file has rows of */
    bool sorted;      /* the open file has rows of one filling alone */
    int64_t *rows;    /* of the current piece */
    size_t row_count;
    size_t row_capacity;
} partition;

struct frz_data_writer {
    frz_data_writer_options options;
    frz_arena arena; /* keys of the map */
    const frz_partition_spec *spec;
    frz_bound_transform *transforms;
    frz_value *tuple;  /* of the row at hand */
    frz_arena scratch; /* of its bytes */
    frz_buffer key;
    frz_map by_key; /* to indexes of partitions */
    partition *partitions;
    size_t partition_count;
    size_t partition_capacity;
    size_t *touched; /* partitions that have rows of the current piece */
    size_t touched_count;
    size_t touched_capacity;
    size_t open_count;
    frz_sort_buffer *sort; /* NULL: rows stay in the order they come */
    int64_t run;           /* fillings of the sort buffer so far */
    uint64_t clock;
    int64_t piece_start;  /* of the current piece in its batch */
    frz_data_file *files; /* in the context's arena, once finished; a heap array before */
    size_t file_count;
    size_t file_capacity;
};

frz_status frz_data_writer_new(const frz_data_writer_options *options, frz_data_writer **out,
                               frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_data_writer *self = frz_alloc_zero(sizeof *self);
    if (!self)
        return frz_fail_memory(err);
    self->options = *options;
    if (self->options.open_files_max == 0)
        self->options.open_files_max = OPEN_FILES_MAX;
    self->spec = frz_metadata_find_spec(options->files.metadata, options->files.spec_id);
    self->tuple = frz_arena_array(&self->arena, self->spec->field_count + 1, sizeof *self->tuple);
    if (!self->tuple) {
        status = frz_fail_memory(err);
        goto done;
    }
    FRZ_TRY_DONE(
        frz_partition_bind(self->spec, options->root, &self->arena, &self->transforms, err));
    if (options->sort && options->sort->field_count > 0)
        FRZ_TRY_DONE(frz_sort_buffer_new(options->sort, options->root, options->files.arrow,
                                         &self->sort, err));
    *out = self;
    self = NULL;

done:
    frz_data_writer_free(self);
    return status;
}

void frz_data_writer_free(frz_data_writer *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->partition_count; i++) {
        frz_data_file_writer_abort(self->partitions[i].file);
        frz_free(self->partitions[i].rows);
    }
    frz_sort_buffer_free(self->sort);
    frz_free(self->partitions);
    frz_free(self->touched);
    frz_free(self->files);
    frz_map_clear(&self->by_key);
    frz_buffer_clear(&self->key);
    frz_arena_clear(&self->scratch);
    frz_arena_clear(&self->arena);
    frz_free(self);
}

static frz_status finish_file(frz_data_writer *self, partition *part, frz_error **err)
{
    frz_data_file file;
    if (!frz_grow_array((void **)&self->files, &self->file_capacity, self->file_count,
                        sizeof *self->files))
        return frz_fail_memory(err);
    frz_data_file_writer *writer = part->file;
    part->file = NULL;
    self->open_count--;
    FRZ_TRY(frz_data_file_writer_finish(writer, &file, err));
    if (self->sort && part->sorted)
        file.sort_order_id = self->options.sort->order_id;
    self->files[self->file_count++] = file;
    return FRZ_OK;
}

static uint64_t buffered_size(const partition *part)
{
    return part->file ? frz_data_file_writer_waiting(part->file) : 0;
}

/* Finishes files until one more may be open. */
static frz_status make_room(frz_data_writer *self, frz_error **err)
{
    while (self->open_count >= (size_t)self->options.open_files_max) {
        partition *oldest = NULL;
        for (size_t i = 0; i < self->partition_count; i++) {
            partition *part = &self->partitions[i];
            if (part->file && (!oldest || part->last_used < oldest->last_used))
                oldest = part;
        }
        if (!oldest)
            return FRZ_OK; /* open_count counts open files: there is one */
        FRZ_TRY(finish_file(self, oldest, err));
    }
    return FRZ_OK;
}

static frz_status limit_memory(frz_data_writer *self, frz_error **err)
{
    if (self->open_count < 2) /* a single file flushes its own row groups */
        return FRZ_OK;
    for (;;) {
        partition *largest = NULL;
        uint64_t total = 0;
        uint64_t most = 0;
        for (size_t i = 0; i < self->partition_count; i++) {
            const uint64_t size = buffered_size(&self->partitions[i]);
            total += size;
            if (size > most) {
                most = size;
                largest = &self->partitions[i];
            }
        }
        if (total <= buffered_size_max || !largest)
            return FRZ_OK;
        FRZ_TRY(finish_file(self, largest, err));
    }
}

/* The rows of the current piece that went to the partition's file, which had `position` before. */
static void tell_placement(const frz_data_writer *self, const partition *part, int64_t position,
                           int64_t count)
{
    const frz_row_placement *to = self->options.placement;
    const frz_placed_rows placed = {
        .location = frz_data_file_writer_location(part->file),
        .position = position,
        .rows = part->row_count > 0 ? part->rows : NULL,
        .start = self->piece_start,
        .count = count,
    };
    if (to)
        to->placed(to->self, &placed);
}

static frz_status write_rows(frz_data_writer *self, partition *part, const struct ArrowArray *rows,
                             frz_error **err)
{
    if (!part->file) {
        FRZ_TRY(make_room(self, err));
        FRZ_TRY(frz_data_file_writer_open(&self->options.files, part->values, &part->file, err));
        self->open_count++;
        part->sorted = true;
        part->last_run = self->run;
    }
    part->sorted = part->sorted && part->last_run == self->run;
    part->last_used = ++self->clock;
    const int64_t position = frz_data_file_writer_rows(part->file);
    FRZ_TRY(frz_data_file_writer_write(part->file, rows, err));
    tell_placement(self, part, position, rows->length);
    if (frz_data_file_writer_size(part->file) >= self->options.target_file_size)
        return finish_file(self, part, err);
    return limit_memory(self, err);
}

static frz_status add_partition(frz_data_writer *self, size_t *out, frz_error **err)
{
    const size_t count = self->spec->field_count;
    frz_slice key;
    frz_value *values = frz_arena_array(self->options.files.arena, count + 1, sizeof *values);
    if (!values || !frz_arena_slice(&self->arena, frz_buffer_slice(&self->key), &key) ||
        !frz_grow_array((void **)&self->partitions, &self->partition_capacity,
                        self->partition_count, sizeof *self->partitions))
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        if (!frz_value_copy(&self->tuple[i], self->options.files.arena, &values[i]))
            return frz_fail_memory(err);
    }
    const frz_map_value index = {.number = (int64_t)self->partition_count};
    if (!frz_map_put(&self->by_key, key, index))
        return frz_fail_memory(err);
    self->partitions[self->partition_count] = (partition){.values = values};
    *out = self->partition_count++;
    return FRZ_OK;
}

static frz_status find_partition(frz_data_writer *self, size_t *out, frz_error **err)
{
    frz_buffer_reset(&self->key);
    frz_tuple_key(self->tuple, self->spec->field_count, &self->key);
    FRZ_TRY(frz_buffer_check(&self->key, err));
    const frz_map_value *found = frz_map_find(&self->by_key, frz_buffer_slice(&self->key));
    if (!found)
        return add_partition(self, out, err);
    *out = (size_t)found->number;
    return FRZ_OK;
}

static frz_status assign_row(frz_data_writer *self, size_t index, int64_t row, frz_error **err)
{
    partition *part = &self->partitions[index];
    if (!frz_grow_array((void **)&part->rows, &part->row_capacity, part->row_count,
                        sizeof *part->rows))
        return frz_fail_memory(err);
    if (part->row_count == 0) {
        if (!frz_grow_array((void **)&self->touched, &self->touched_capacity, self->touched_count,
                            sizeof *self->touched))
            return frz_fail_memory(err);
        self->touched[self->touched_count++] = index;
    }
    part->rows[part->row_count++] = row;
    return FRZ_OK;
}

static bool same_tuple(const frz_value *a, const frz_value *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (a[i].form != b[i].form || !frz_value_same(&a[i], &b[i]))
            return false;
    }
    return true;
}

/* Sorts the rows of a piece into its partitions; runs of one partition are looked up once. */
static frz_status route(frz_data_writer *self, const struct ArrowArray *piece, frz_error **err)
{
    const size_t count = self->spec->field_count;
    size_t index = 0;
    bool known = false;
    frz_arena_clear(&self->scratch);
    self->touched_count = 0;
    for (int64_t row = 0; row < piece->length; row++) {
        FRZ_TRY(frz_partition_tuple(self->transforms, count, piece, row, &self->scratch,
                                    self->tuple, err));
        if (!known || !same_tuple(self->tuple, self->partitions[index].values, count))
            FRZ_TRY(find_partition(self, &index, err));
        known = true;
        FRZ_TRY(assign_row(self, index, row, err));
    }
    return FRZ_OK;
}

static frz_status write_partition(frz_data_writer *self, partition *part,
                                  const struct ArrowArray *piece, frz_error **err)
{
    struct ArrowArray rows = {0};
    if ((int64_t)part->row_count == piece->length)
        return write_rows(self, part, piece, err);
    FRZ_TRY(frz_arrow_array_take(self->options.files.arrow, piece, part->rows,
                                 (int64_t)part->row_count, &rows, err));
    const frz_status status = write_rows(self, part, &rows, err);
    frz_arrow_array_clear(&rows);
    return status;
}

static frz_status write_piece(frz_data_writer *self, const struct ArrowArray *piece,
                              frz_error **err)
{
    if (self->spec->field_count == 0) {
        size_t only = 0;
        FRZ_TRY(find_partition(self, &only, err));
        return write_rows(self, &self->partitions[only], piece, err);
    }
    FRZ_TRY(route(self, piece, err));
    for (size_t i = 0; i < self->touched_count; i++) {
        partition *part = &self->partitions[self->touched[i]];
        FRZ_TRY(write_partition(self, part, piece, err));
        part->row_count = 0;
    }
    return FRZ_OK;
}

static frz_status write_pieces(frz_data_writer *self, struct ArrowArray *batch, frz_error **err)
{
    for (int64_t start = 0; start < batch->length; start += PIECE_ROWS) {
        const int64_t left = batch->length - start;
        const int64_t length = left < PIECE_ROWS ? left : PIECE_ROWS;
        struct ArrowArray piece = {0};
        self->piece_start = start;
        FRZ_TRY(frz_arrow_array_slice(batch, start, length, &piece, err));
        const frz_status status = write_piece(self, &piece, err);
        frz_arrow_array_clear(&piece);
        if (status != FRZ_OK)
            return status;
    }
    return FRZ_OK;
}

/* Writes what the sort buffer holds: each partition's rows in order. */
static frz_status flush_sorted(frz_data_writer *self, frz_error **err)
{
    struct ArrowArray rows = {0};
    frz_status status = frz_sort_buffer_take(self->sort, &rows, err);
    if (status == FRZ_END)
        return FRZ_OK;
    if (status != FRZ_OK)
        return status;
    self->run++;
    status = write_pieces(self, &rows, err);
    frz_arrow_array_clear(&rows);
    return status;
}

frz_status frz_data_writer_write(frz_data_writer *self, struct ArrowArray *batch, frz_error **err)
{
    if (!self->sort)
        return write_pieces(self, batch, err);
    FRZ_TRY(frz_sort_buffer_add(self->sort, batch, err));
    return frz_sort_buffer_is_full(self->sort) ? flush_sorted(self, err) : FRZ_OK;
}

frz_status frz_data_writer_partitions(frz_data_writer *self, const frz_value *const **out,
                                      size_t *count_out, frz_error **err)
{
    if (self->sort)
        FRZ_TRY(flush_sorted(self, err));
    const frz_value **tuples = frz_arena_array(self->options.files.arena, self->partition_count + 1,
                                               sizeof(const frz_value *));
    if (!tuples)
        return frz_fail_memory(err);
    for (size_t i = 0; i < self->partition_count; i++)
        tuples[i] = self->partitions[i].values;
    *out = tuples;
    *count_out = self->partition_count;
    return FRZ_OK;
}

frz_status frz_data_writer_finish(frz_data_writer *self, const frz_data_file **out,
                                  size_t *count_out, frz_error **err)
{
    if (self->sort)
        FRZ_TRY(flush_sorted(self, err));
    for (size_t i = 0; i < self->partition_count; i++) {
        if (self->partitions[i].file)
            FRZ_TRY(finish_file(self, &self->partitions[i], err));
    }
    frz_data_file *copy =
        frz_arena_array(self->options.files.arena, self->file_count + 1, sizeof *copy);
    if (!copy)
        return frz_fail_memory(err);
    if (self->file_count > 0)
        memcpy(copy, self->files, self->file_count * sizeof *copy);
    *out = copy;
    *count_out = self->file_count;
    return FRZ_OK;
}
