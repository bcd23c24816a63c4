#include "write/placed_keys.h"

#include <string.h>

#include "arrow/array.h"
#include "arrow/builder.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "spec/schema.h"
#include "write/spill.h"

/* What a key costs beside its bytes: its slots in the map, which is at most full by half and twice
 * as large for a moment when it grows, and its entry. */
enum { KEY_OVERHEAD = 96, SPILL_ROWS = 4096, SPILL_COLUMNS = 3 };

static const uint64_t memory_limit_default = UINT64_C(256) << 20;

/* A data file of this commit that rows went to. */
typedef struct placed_file {
    const char *location; /* borrowed */
    frz_bitmap *deleted;  /* NULL: none */
} placed_file;

/* What a key names. */
typedef struct placed_entry {
    frz_slice key; /* in the arena */
    int32_t file;  /* -1: no row */
    bool deletes;  /* an equality delete was asked for */
    int64_t position;
} placed_entry;

struct frz_placed_keys {
    uint64_t memory_limit;
    frz_arena arena; /* of the object */
    const char *spill_folder;
    frz_map by_key; /* to indexes of entries */
    frz_arena keys;
    placed_entry *entries;
    size_t entry_count;
    size_t entry_capacity;
    uint64_t memory;
    placed_file *files;
    size_t file_count;
    size_t file_capacity;
    frz_map by_location; /* to indexes of files */
    frz_spill *spill;    /* NULL: all keys are in memory */
    frz_schema *schema;  /* of what is spilled, in this and the two next */
    struct ArrowSchema arrow;
    frz_arrow_builder *builder;
};

frz_status frz_placed_keys_new(uint64_t memory_limit, const char *spill_folder,
                               frz_placed_keys **out, frz_error **err)
{
    frz_placed_keys *self = frz_alloc_zero(sizeof *self);
    if (!self)
        return frz_fail_memory(err);
    self->memory_limit = memory_limit ? memory_limit : memory_limit_default;
    if (spill_folder) {
        self->spill_folder = frz_arena_text(&self->arena, spill_folder);
        if (!self->spill_folder) {
            frz_placed_keys_free(self);
            return frz_fail_memory(err);
        }
    }
    *out = self;
    return FRZ_OK;
}

static void clear_keys(frz_placed_keys *self)
{
    frz_map_clear(&self->by_key);
    frz_arena_clear(&self->keys);
    self->entry_count = 0;
    self->memory = 0;
}

void frz_placed_keys_free(frz_placed_keys *self)
{
    if (!self)
        return;
    clear_keys(self);
    for (size_t i = 0; i < self->file_count; i++)
        frz_bitmap_free(self->files[i].deleted);
    frz_free(self->files);
    frz_free(self->entries);
    frz_map_clear(&self->by_location);
    frz_spill_close(self->spill);
    frz_arrow_builder_free(self->builder);
    frz_arrow_schema_clear(&self->arrow);
    frz_schema_unref(self->schema);
    frz_arena_clear(&self->arena);
    frz_free(self);
}

static frz_status find_file(frz_placed_keys *self, const char *location, int32_t *out,
                            frz_error **err)
{
    if (self->file_count > 0 && self->files[self->file_count - 1].location == location) {
        *out = (int32_t)self->file_count - 1;
        return FRZ_OK;
    }
    const frz_slice key = frz_slice_of_text(location);
    const frz_map_value *found = frz_map_find(&self->by_location, key);
    if (found) {
        *out = (int32_t)found->number;
        return FRZ_OK;
    }
    if (!frz_grow_array((void **)&self->files, &self->file_capacity, self->file_count,
                        sizeof *self->files) ||
        !frz_map_put(&self->by_location, key, (frz_map_value){.number = (int64_t)self->file_count}))
        return frz_fail_memory(err);
    self->files[self->file_count] = (placed_file){.location = location};
    *out = (int32_t)self->file_count++;
    return FRZ_OK;
}

static frz_status delete_row(frz_placed_keys *self, int32_t file, int64_t position, frz_error **err)
{
    if (file < 0)
        return FRZ_OK;
    placed_file *of = &self->files[file];
    if (!of->deleted)
        FRZ_TRY(frz_bitmap_new(&of->deleted, err));
    return frz_bitmap_add(of->deleted, position, err);
}

static frz_status make_schema(frz_placed_keys *self, frz_error **err)
{
    const frz_field fields[SPILL_COLUMNS] = {
        {.id = 1, .name = "key", .required = true, .type = frz_type_of(FRZ_TYPE_BINARY)},
        {.id = 2, .name = "file", .required = true, .type = frz_type_of(FRZ_TYPE_INT)},
        {.id = 3, .name = "position", .required = true, .type = frz_type_of(FRZ_TYPE_LONG)},
    };
    FRZ_TRY(frz_schema_new(0, fields, SPILL_COLUMNS, NULL, 0, &self->schema, err));
    FRZ_TRY(frz_schema_to_arrow(self->schema, &self->arrow, err));
    return frz_arrow_builder_new(&self->arrow, &self->builder, err);
}

/* The most significant bits, as the map of a part uses the others. */
static uint8_t part_of(frz_slice key)
{
    return (uint8_t)(frz_hash_xxh3(key.data, key.size, 0) >> 56) % FRZ_SPILL_PARTITIONS;
}

static frz_status spill_some(frz_placed_keys *self, size_t from, size_t count, frz_error **err)
{
    uint8_t parts[SPILL_ROWS];
    struct ArrowArray rows = {0};
    for (size_t i = 0; i < count; i++) {
        const placed_entry *entry = &self->entries[from + i];
        parts[i] = part_of(entry->key);
        frz_arrow_append_bytes(frz_arrow_builder_child(self->builder, 0), entry->key);
        frz_arrow_append_i64(frz_arrow_builder_child(self->builder, 1), entry->file);
        frz_arrow_append_i64(frz_arrow_builder_child(self->builder, 2), entry->position);
        frz_arrow_append_struct(self->builder);
    }
    FRZ_TRY(frz_arrow_builder_finish(self->builder, &rows, err));
    const frz_status status = frz_spill_write(self->spill, &rows, parts, err);
    frz_arrow_array_clear(&rows);
    return status;
}

/* Each entry, row or none, says that what its key named before is gone. */
static frz_status spill_all(frz_placed_keys *self, frz_error **err)
{
    if (!self->builder)
        FRZ_TRY(make_schema(self, err));
    if (!self->spill)
        FRZ_TRY(frz_spill_open(self->spill_folder, &self->arrow, &self->spill, err));
    for (size_t i = 0; i < self->entry_count; i += SPILL_ROWS) {
        const size_t left = self->entry_count - i;
        FRZ_TRY(spill_some(self, i, left < SPILL_ROWS ? left : SPILL_ROWS, err));
    }
    clear_keys(self);
    return FRZ_OK;
}

static frz_status add_entry(frz_placed_keys *self, frz_slice key, placed_entry **out,
                            frz_error **err)
{
    placed_entry entry = {.file = -1};
    if (self->memory >= self->memory_limit)
        FRZ_TRY(spill_all(self, err));
    if (!frz_arena_slice(&self->keys, key, &entry.key) ||
        !frz_grow_array((void **)&self->entries, &self->entry_capacity, self->entry_count,
                        sizeof entry) ||
        !frz_map_put(&self->by_key, entry.key,
                     (frz_map_value){.number = (int64_t)self->entry_count}))
        return frz_fail_memory(err);
    self->entries[self->entry_count] = entry;
    self->memory += KEY_OVERHEAD + key.size;
    *out = &self->entries[self->entry_count++];
    return FRZ_OK;
}

frz_status frz_placed_keys_put(frz_placed_keys *self, frz_slice key, frz_row_place place,
                               bool deletes, bool *first_out, frz_error **err)
{
    int32_t file = -1;
    placed_entry *entry = NULL;
    const frz_map_value *found = frz_map_find(&self->by_key, key);
    if (place.location)
        FRZ_TRY(find_file(self, place.location, &file, err));
    if (found)
        entry = &self->entries[found->number];
    else
        FRZ_TRY(add_entry(self, key, &entry, err));
    FRZ_TRY(delete_row(self, entry->file, entry->position, err));
    entry->file = file;
    entry->position = place.position;
    *first_out = deletes && !entry->deletes;
    entry->deletes = entry->deletes || deletes;
    return FRZ_OK;
}

/* Rows of a part come in the order they were put: each takes the place of the one before. */
static frz_status seal_part(frz_placed_keys *self, size_t part, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowArray rows = {0};
    frz_map last = {0};
    status = frz_spill_read(self->spill, part, self->schema, &rows, err);
    if (status != FRZ_OK)
        return status == FRZ_END ? FRZ_OK : status;
    const int32_t *ends = rows.children[0]->buffers[1];
    const uint8_t *bytes = rows.children[0]->buffers[2];
    const int32_t *files = rows.children[1]->buffers[1];
    const int64_t *positions = rows.children[2]->buffers[1];
    for (int64_t i = 0; i < rows.length; i++) {
        const frz_slice key = frz_slice_of(bytes + ends[i], (size_t)(ends[i + 1] - ends[i]));
        const frz_map_value *found = frz_map_find(&last, key);
        if (found)
            FRZ_TRY_DONE(delete_row(self, files[found->number], positions[found->number], err));
        if (!frz_map_put(&last, key, (frz_map_value){.number = i})) {
            status = frz_fail_memory(err);
            goto done;
        }
    }

done:
    frz_map_clear(&last);
    frz_arrow_array_clear(&rows);
    return status;
}

frz_status frz_placed_keys_seal(frz_placed_keys *self, frz_error **err)
{
    if (!self->spill)
        return FRZ_OK;
    FRZ_TRY(spill_all(self, err));
    FRZ_TRY(frz_spill_finish(self->spill, err));
    for (size_t i = 0; i < FRZ_SPILL_PARTITIONS; i++)
        FRZ_TRY(seal_part(self, i, err));
    return FRZ_OK;
}

bool frz_placed_keys_spilled(const frz_placed_keys *self)
{
    return self->spill != NULL;
}

const frz_bitmap *frz_placed_keys_deleted(const frz_placed_keys *self, frz_slice location)
{
    const frz_map_value *found = frz_map_find(&self->by_location, location);
    return found ? self->files[found->number].deleted : NULL;
}
