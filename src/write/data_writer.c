#include "write/data_writer.h"

#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"
#include "spec/tuple_key.h"
#include "write/partition_key.h"
#include "write/row_sorter.h"
#include "write/sort_key.h"

enum { OPEN_FILES_MAX = 100, PIECE_ROWS = 16384 };

static const uint64_t buffered_size_max = UINT64_C(192) << 20;

/* One partition of the table that rows have gone to. It stays for the whole write: about 200 bytes
 * each. */
typedef struct partition {
    const frz_value *values;    /* in the context's arena */
    frz_data_file_writer *file; /* NULL while none is open */
    uint64_t last_used;
    bool waits;    /* its rows go to the sorter */
    int64_t *rows; /* of the current piece */
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
    bool sorted;            /* all rows go to the sorter, by partition and sort order */
    frz_sort_key sort_key;  /* in `arena` */
    frz_row_sorter *sorter; /* NULL until rows wait */
    frz_sort_keys keys;     /* of the rows that go there */
    uint32_t *groups;       /* of the rows of a piece: their partitions */
    int64_t *waiting;       /* rows of the piece that go there */
    size_t waiting_count;
    size_t waiting_capacity;
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
        FRZ_TRY_DONE(
            frz_sort_key_bind(options->sort, options->root, &self->arena, &self->sort_key, err));
    self->sorted = self->sort_key.count > 0;
    self->keys.stride = self->sorted ? self->sort_key.stride : FRZ_KEY_UNIT;
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
    frz_row_sorter_free(self->sorter);
    frz_free(self->waiting);
    frz_sort_keys_clear(&self->keys);
    frz_free(self->groups);
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
    if (self->sorted)
        file.sort_order_id = self->options.sort->order_id;
    self->files[self->file_count++] = file;
    return FRZ_OK;
}

static uint64_t buffered_size(const partition *part)
{
    return part->file ? frz_data_file_writer_memory(part->file) : 0;
}

/* Finishes files until one more may be open: for rows that must not wait. */
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

/* The largest file ends where many take too much memory together; what its partition still gets
 * waits in the sorter. */
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
        largest->waits = !self->options.placement;
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
        if (self->options.placement)
            FRZ_TRY(make_room(self, err));
        FRZ_TRY(frz_data_file_writer_open(&self->options.files, part->values, &part->file, err));
        self->open_count++;
    }
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

/* The partition of a row; `index` is that of the row before, where `known`. */
static frz_status locate_row(frz_data_writer *self, const struct ArrowArray *piece, int64_t row,
                             bool *known, size_t *index, frz_error **err)
{
    const size_t count = self->spec->field_count;
    FRZ_TRY(
        frz_partition_tuple(self->transforms, count, piece, row, &self->scratch, self->tuple, err));
    if (!*known || !same_tuple(self->tuple, self->partitions[*index].values, count))
        FRZ_TRY(find_partition(self, index, err));
    *known = true;
    return FRZ_OK;
}

/* Sorts the rows of a piece into its partitions; runs of one partition are looked up once. */
static frz_status route(frz_data_writer *self, const struct ArrowArray *piece, frz_error **err)
{
    size_t index = 0;
    bool known = false;
    frz_arena_clear(&self->scratch);
    self->touched_count = 0;
    for (int64_t row = 0; row < piece->length; row++) {
        FRZ_TRY(locate_row(self, piece, row, &known, &index, err));
        FRZ_TRY(assign_row(self, index, row, err));
    }
    return FRZ_OK;
}

static frz_status add_to_sorter(frz_data_writer *self, struct ArrowArray *rows, frz_error **err)
{
    const frz_row_sorter_options options = {.io = self->options.spill_io,
                                            .arrow = self->options.files.arrow,
                                            .key_stride = self->keys.stride,
                                            .memory = self->options.sort_memory,
                                            .folder = self->options.spill_folder};
    if (!self->sorter)
        FRZ_TRY(frz_row_sorter_new(&options, &self->sorter, err));
    return frz_row_sorter_add(self->sorter, rows, &self->keys, err);
}

/* The partitions of the rows of a piece, as groups. */
static frz_status find_groups(frz_data_writer *self, const struct ArrowArray *piece,
                              frz_error **err)
{
    size_t index = 0;
    bool known = false;
    if (!self->groups && !(self->groups = frz_alloc_array(PIECE_ROWS, sizeof *self->groups)))
        return frz_fail_memory(err);
    for (int64_t row = 0; row < piece->length; row++) {
        FRZ_TRY(locate_row(self, piece, row, &known, &index, err));
        self->groups[row] = (uint32_t)index;
    }
    return FRZ_OK;
}

static frz_status sort_piece(frz_data_writer *self, struct ArrowArray *piece, frz_error **err)
{
    size_t only = 0;
    const bool partitioned = self->spec->field_count > 0;
    frz_arena_clear(&self->scratch);
    if (partitioned)
        FRZ_TRY(find_groups(self, piece, err));
    else
        FRZ_TRY(find_partition(self, &only, err));
    FRZ_TRY(frz_sort_key_fill(&self->sort_key, piece, partitioned ? self->groups : NULL,
                              &self->scratch, &self->keys, err));
    return add_to_sorter(self, piece, err);
}

/* The rows of the piece that are this partition's wait. */
static frz_status let_wait(frz_data_writer *self, size_t index, frz_error **err)
{
    partition *part = &self->partitions[index];
    const uint32_t group = __builtin_bswap32((uint32_t)index);
    part->waits = true;
    for (size_t i = 0; i < part->row_count; i++) {
        if (!frz_grow_array((void **)&self->waiting, &self->waiting_capacity, self->waiting_count,
                            sizeof *self->waiting))
            return frz_fail_memory(err);
        self->waiting[self->waiting_count++] = part->rows[i];
        frz_sort_keys_append(&self->keys, frz_slice_of(&group, sizeof group));
    }
    return frz_sort_keys_check(&self->keys, err);
}

static frz_status add_waiting(frz_data_writer *self, const struct ArrowArray *piece,
                              frz_error **err)
{
    struct ArrowArray rows = {0};
    if (self->waiting_count == 0)
        return FRZ_OK;
    FRZ_TRY(frz_arrow_array_take(self->options.files.arrow, piece, self->waiting,
                                 (int64_t)self->waiting_count, &rows, err));
    const frz_status status = add_to_sorter(self, &rows, err);
    frz_arrow_array_clear(&rows);
    return status;
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

/* Up to so many partitions have a file open; the rows of the others wait. */
static frz_status write_touched(frz_data_writer *self, size_t index, const struct ArrowArray *piece,
                                frz_error **err)
{
    partition *part = &self->partitions[index];
    const bool room = part->file || self->options.placement ||
                      self->open_count < (size_t)self->options.open_files_max;
    const frz_status status =
        room && !part->waits ? write_partition(self, part, piece, err) : let_wait(self, index, err);
    part->row_count = 0;
    return status;
}

static frz_status write_piece(frz_data_writer *self, struct ArrowArray *piece, frz_error **err)
{
    if (self->sorted)
        return sort_piece(self, piece, err);
    if (self->spec->field_count == 0) {
        size_t only = 0;
        FRZ_TRY(find_partition(self, &only, err));
        return write_rows(self, &self->partitions[only], piece, err);
    }
    FRZ_TRY(route(self, piece, err));
    frz_sort_keys_reset(&self->keys);
    self->waiting_count = 0;
    for (size_t i = 0; i < self->touched_count; i++)
        FRZ_TRY(write_touched(self, self->touched[i], piece, err));
    return add_waiting(self, piece, err);
}

frz_status frz_data_writer_write(frz_data_writer *self, struct ArrowArray *batch, frz_error **err)
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

frz_status frz_data_writer_partitions(frz_data_writer *self, const frz_value *const **out,
                                      size_t *count_out, frz_error **err)
{
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

static frz_status finish_open(frz_data_writer *self, frz_error **err)
{
    for (size_t i = 0; i < self->partition_count; i++) {
        if (self->partitions[i].file)
            FRZ_TRY(finish_file(self, &self->partitions[i], err));
    }
    return FRZ_OK;
}

/* What the sorter holds comes partition by partition: one file is open at a time. */
static frz_status write_waiting(frz_data_writer *self, frz_error **err)
{
    partition *open = NULL;
    for (;;) {
        struct ArrowArray rows = {0};
        uint32_t group = 0;
        if (self->options.cancelled && *(const volatile bool *)self->options.cancelled)
            return frz_fail(err, FRZ_CANCELLED, FRZ_NO_OFFSET, "stopped while rows were sorted");
        frz_status status = frz_row_sorter_next(self->sorter, &group, &rows, err);
        if (status != FRZ_OK)
            return status == FRZ_END ? FRZ_OK : status;
        partition *part = &self->partitions[group];
        if (open && open != part && open->file)
            status = finish_file(self, open, err);
        open = part;
        if (status == FRZ_OK)
            status = write_rows(self, part, &rows, err);
        frz_arrow_array_clear(&rows);
        if (status != FRZ_OK)
            return status;
    }
}

frz_status frz_data_writer_finish(frz_data_writer *self, const frz_data_file **out,
                                  size_t *count_out, frz_error **err)
{
    FRZ_TRY(finish_open(self, err));
    if (self->sorter) {
        FRZ_TRY(write_waiting(self, err));
        FRZ_TRY(finish_open(self, err));
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
