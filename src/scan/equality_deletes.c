#include "scan/equality_deletes.h"

#include <pthread.h>

#include "arrow/schema.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"
#include "scan/row_reader.h"

enum {
    PASS_SHARE = 4,                /* of the memory of all tables, for a pass */
    RESERVED_MAX = 4 * 1024 * 1024 /* keys that room is made for by what a manifest says */
};

/* Delete columns, resolved once for all probes that have them. */
typedef struct key_set {
    const int32_t *ids;
    size_t count;
    frz_arena arena;
    frz_equality_keys keys;
    bool resolved; /* under the lock */
} key_set;

struct frz_equality_probe {
    frz_equality_deletes *owner;
    key_set *set;
    const frz_manifest_entry **entries; /* ascending by sequence */
    size_t count;
    size_t capacity;
    pthread_mutex_t building;
    /* Under the owner's lock: */
    frz_key_table *table; /* NULL: not built, or dropped */
    frz_key_bits *bits;   /* likewise */
    size_t memory;        /* of both */
    size_t users;
    uint64_t used_at;
    bool too_large;  /* a table, for all the memory there is */
    bool bits_unfit; /* the keys are no integers, or lie too far apart */
};

struct frz_equality_scope {
    const frz_manifest_entry *const *entries; /* borrowed */
    size_t entry_count;
    frz_equality_probe **probes; /* in the arena */
    size_t count;
};

struct frz_equality_deletes {
    const frz_scan *scan;
    uint64_t seed;
    frz_arena arena;
    frz_map set_of_ids; /* -> key_set */
    key_set **sets;
    size_t set_count;
    size_t set_capacity;
    frz_equality_probe **probes;
    size_t probe_count;
    size_t probe_capacity;
    pthread_mutex_t passing; /* held by the one that works in passes */
    pthread_mutex_t lock;    /* over the rest, and what is said so above */
    size_t memory;
    uint64_t uses;
};

static void lock(frz_equality_deletes *deletes)
{
    (void)pthread_mutex_lock(&deletes->lock);
}

static void unlock(frz_equality_deletes *deletes)
{
    (void)pthread_mutex_unlock(&deletes->lock);
}

frz_status frz_equality_deletes_new(const frz_scan *scan, frz_equality_deletes **out,
                                    frz_error **err)
{
    frz_equality_deletes *deletes = frz_alloc_zero(sizeof *deletes);
    if (!deletes)
        return frz_fail_memory(err);
    deletes->scan = scan;
    frz_random_bytes(&deletes->seed, sizeof deletes->seed);
    (void)pthread_mutex_init(&deletes->passing, NULL);
    (void)pthread_mutex_init(&deletes->lock, NULL);
    *out = deletes;
    return FRZ_OK;
}

void frz_equality_deletes_free(frz_equality_deletes *deletes)
{
    if (!deletes)
        return;
    for (size_t i = 0; i < deletes->probe_count; i++) {
        frz_key_table_free(deletes->probes[i]->table);
        frz_key_bits_free(deletes->probes[i]->bits);
        frz_free(deletes->probes[i]->entries);
        (void)pthread_mutex_destroy(&deletes->probes[i]->building);
    }
    for (size_t i = 0; i < deletes->set_count; i++)
        frz_arena_clear(&deletes->sets[i]->arena);
    frz_free(deletes->probes);
    frz_free(deletes->sets);
    frz_map_clear(&deletes->set_of_ids);
    (void)pthread_mutex_destroy(&deletes->passing);
    (void)pthread_mutex_destroy(&deletes->lock);
    frz_arena_clear(&deletes->arena);
    frz_free(deletes);
}

uint64_t frz_equality_probe_seed(const frz_equality_probe *probe)
{
    return probe->owner->seed;
}

static frz_status find_set(frz_equality_deletes *deletes, const frz_data_file *file, key_set **out,
                           frz_error **err)
{
    const int32_t *ids = NULL;
    size_t count = 0;
    FRZ_TRY(frz_equality_ids_sort(file->equality_ids, file->equality_id_count, &deletes->arena,
                                  &ids, &count, err));
    const frz_slice key = frz_slice_of(ids, count * sizeof *ids);
    const frz_map_value *found = frz_map_find(&deletes->set_of_ids, key);
    if (found) {
        *out = found->pointer;
        return FRZ_OK;
    }
    key_set *set = frz_arena_alloc(&deletes->arena, sizeof *set);
    if (!set || !frz_grow_array((void **)&deletes->sets, &deletes->set_capacity, deletes->set_count,
                                sizeof(void *)))
        return frz_fail_memory(err);
    set->ids = ids;
    set->count = count;
    if (!frz_map_put(&deletes->set_of_ids, key, (frz_map_value){.pointer = set}))
        return frz_fail_memory(err);
    deletes->sets[deletes->set_count++] = set;
    *out = set;
    return FRZ_OK;
}

static frz_status new_probe(frz_equality_deletes *deletes, key_set *set, frz_equality_probe **out,
                            frz_error **err)
{
    frz_equality_probe *probe = frz_arena_alloc(&deletes->arena, sizeof *probe);
    if (!probe || !frz_grow_array((void **)&deletes->probes, &deletes->probe_capacity,
                                  deletes->probe_count, sizeof(void *)))
        return frz_fail_memory(err);
    probe->owner = deletes;
    probe->set = set;
    (void)pthread_mutex_init(&probe->building, NULL);
    deletes->probes[deletes->probe_count++] = probe;
    *out = probe;
    return FRZ_OK;
}

static frz_status probe_of(frz_equality_deletes *deletes, frz_equality_scope *scope,
                           const frz_data_file *file, frz_equality_probe **out, frz_error **err)
{
    key_set *set = NULL;
    FRZ_TRY(find_set(deletes, file, &set, err));
    for (size_t i = 0; i < scope->count; i++) {
        if (scope->probes[i]->set == set) {
            *out = scope->probes[i];
            return FRZ_OK;
        }
    }
    FRZ_TRY(new_probe(deletes, set, out, err));
    scope->probes[scope->count++] = *out;
    return FRZ_OK;
}

frz_status frz_equality_scope_new(frz_equality_deletes *deletes,
                                  const frz_manifest_entry *const *entries, size_t count,
                                  frz_equality_scope **out, frz_error **err)
{
    frz_equality_scope *scope = frz_arena_alloc(&deletes->arena, sizeof *scope);
    if (!scope)
        return frz_fail_memory(err);
    scope->probes = frz_arena_array(&deletes->arena, count, sizeof(void *));
    if (!scope->probes)
        return frz_fail_memory(err);
    scope->entries = entries;
    scope->entry_count = count;
    for (size_t i = 0; i < count; i++) {
        frz_equality_probe *probe = NULL;
        FRZ_TRY(probe_of(deletes, scope, &entries[i]->file, &probe, err));
        if (!frz_grow_array((void **)&probe->entries, &probe->capacity, probe->count,
                            sizeof *probe->entries))
            return frz_fail_memory(err);
        probe->entries[probe->count++] = entries[i];
    }
    *out = scope;
    return FRZ_OK;
}

const frz_manifest_entry *const *frz_equality_span_entries(const frz_equality_span *span,
                                                           size_t *count_out)
{
    *count_out = span->scope ? span->scope->entry_count - span->first : 0;
    return span->scope ? span->scope->entries + span->first : NULL;
}

size_t frz_equality_scope_probe_count(const frz_equality_scope *scope)
{
    return scope->count;
}

frz_equality_probe *frz_equality_scope_probe(const frz_equality_scope *scope, size_t index)
{
    return scope->probes[index];
}

int64_t frz_equality_probe_sequence(const frz_equality_probe *probe)
{
    return probe->entries[probe->count - 1]->sequence_number;
}

frz_status frz_equality_probe_keys(frz_equality_probe *probe, const frz_equality_keys **out,
                                   frz_error **err)
{
    key_set *set = probe->set;
    frz_status status = FRZ_OK;
    lock(probe->owner);
    if (!set->resolved)
        status = frz_equality_keys_resolve(probe->owner->scan->metadata, set->ids, set->count,
                                           &set->arena, &set->keys, err);
    set->resolved = status == FRZ_OK;
    unlock(probe->owner);
    if (status != FRZ_OK) {
        const frz_data_file *file = &probe->entries[0]->file;
        return frz_context(err, status, "equality delete file %.*s", (int)file->path.size,
                           (const char *)file->path.data);
    }
    *out = &set->keys;
    return FRZ_OK;
}

/* Drops the keys whose last use is longest ago and that nobody uses now; under the lock. */
static bool drop_one(frz_equality_deletes *deletes)
{
    frz_equality_probe *oldest = NULL;
    for (size_t i = 0; i < deletes->probe_count; i++) {
        frz_equality_probe *probe = deletes->probes[i];
        if (probe->memory && !probe->users && (!oldest || probe->used_at < oldest->used_at))
            oldest = probe;
    }
    if (!oldest)
        return false;
    frz_key_table_free(oldest->table);
    frz_key_bits_free(oldest->bits);
    oldest->table = NULL;
    oldest->bits = NULL;
    deletes->memory -= oldest->memory;
    oldest->memory = 0;
    return true;
}

/* Makes memory for one table go from `have` to `want`; false when there is not so much. */
static bool claim(frz_equality_deletes *deletes, size_t have, size_t want)
{
    const size_t most = deletes->scan->limits.equality_delete_memory;
    bool fits = want <= most;
    lock(deletes);
    while (fits && want > have && deletes->memory - have > most - want)
        fits = drop_one(deletes);
    if (fits)
        deletes->memory += want - have;
    unlock(deletes);
    return fits;
}

/* A table, or bits, as they are filled. */
typedef struct filling {
    frz_equality_probe *probe;
    const frz_equality_keys *keys;
    frz_key_table *table;
    frz_key_bits *bits; /* NULL: a table */
    frz_key_rows rows;
    size_t claimed;
    size_t wanted; /* what there was no memory for; 0 when there was */
    /* In passes: */
    frz_equality_visit visit;
    void *context;
} filling;

/* Keeps what is filled within the memory of all tables; FRZ_END when it does not fit. */
static frz_status make_room(filling *self, size_t wanted)
{
    if (wanted <= self->claimed)
        return FRZ_OK;
    if (!claim(self->probe->owner, self->claimed, wanted)) {
        self->wanted = wanted;
        return FRZ_END;
    }
    self->claimed = wanted;
    return FRZ_OK;
}

/* In passes: what is full is used, and begun anew. */
static frz_status end_pass(filling *self, frz_error **err)
{
    if (frz_key_table_count(self->table) == 0)
        return FRZ_OK;
    FRZ_TRY(self->visit(self->context, self->table, err));
    frz_key_table_free(self->table);
    self->table = NULL;
    return frz_key_table_new(&self->keys->layout, &self->table, err);
}

static frz_status add_batch(filling *self, const struct ArrowArray *batch, int64_t sequence,
                            frz_error **err)
{
    frz_equality_deletes *owner = self->probe->owner;
    const size_t most = owner->scan->limits.equality_delete_memory;
    const frz_key_span span = {.columns = (const struct ArrowArray *const *)batch->children,
                               .count = batch->length};
    if (self->bits) {
        FRZ_TRY(make_room(self, frz_key_bits_memory_with(self->bits, &span)));
        return frz_key_bits_add(self->bits, &span, err);
    }
    FRZ_TRY(frz_key_rows_fill(&self->rows, &self->keys->layout, &span, owner->seed, err));
    if (!self->visit)
        FRZ_TRY(make_room(self, frz_key_table_memory_with(self->table, &self->rows)));
    else if (frz_key_table_memory_with(self->table, &self->rows) > most / PASS_SHARE)
        FRZ_TRY(end_pass(self, err));
    return frz_key_table_add(self->table, &self->rows, sequence, err);
}

static frz_status add_rows(filling *self, frz_row_reader *reader, int64_t sequence, frz_error **err)
{
    frz_status status = FRZ_OK;
    while (status == FRZ_OK) {
        struct ArrowArray batch = {0};
        status = frz_row_reader_next(reader, &batch, err);
        if (status == FRZ_END)
            return FRZ_OK;
        if (status == FRZ_OK)
            status = add_batch(self, &batch, sequence, err);
        frz_arrow_array_clear(&batch);
    }
    return status;
}

/* Makes room for the keys of a file at once, where there is memory for so many. */
static frz_status reserve(filling *self, const frz_data_file *file, frz_error **err)
{
    const size_t more =
        file->record_count < RESERVED_MAX ? (size_t)file->record_count : RESERVED_MAX;
    if (self->visit || self->bits)
        return FRZ_OK;
    const size_t wanted = frz_key_table_memory_for(self->table, more);
    if (wanted > self->claimed && !claim(self->probe->owner, self->claimed, wanted))
        return FRZ_OK;
    self->claimed = wanted > self->claimed ? wanted : self->claimed;
    return frz_key_table_reserve(self->table, more, err);
}

/* FRZ_END when there is no room for more. */
static frz_status add_file(filling *self, const frz_manifest_entry *entry, frz_error **err)
{
    frz_row_reader *reader = NULL;
    frz_status status =
        frz_row_reader_open(self->probe->owner->scan, &entry->file, self->keys->type, &reader, err);
    if (status == FRZ_OK)
        status = reserve(self, &entry->file, err);
    if (status == FRZ_OK)
        status = add_rows(self, reader, entry->sequence_number, err);
    frz_row_reader_close(reader);
    if (status == FRZ_OK || status == FRZ_END)
        return status;
    return frz_context(err, status, "equality delete file %.*s", (int)entry->file.path.size,
                       (const char *)entry->file.path.data);
}

static frz_status begin(filling *self, frz_error **err)
{
    FRZ_TRY(frz_equality_probe_keys(self->probe, &self->keys, err));
    return frz_key_table_new(&self->keys->layout, &self->table, err);
}

static frz_status add_files(filling *self, frz_error **err)
{
    const frz_equality_probe *probe = self->probe;
    frz_status status = FRZ_OK;
    for (size_t i = 0; status == FRZ_OK && i < probe->count; i++)
        status = add_file(self, probe->entries[i], err);
    frz_key_rows_clear(&self->rows);
    if (status == FRZ_OK) {
        const size_t memory =
            self->bits ? frz_key_bits_memory(self->bits) : frz_key_table_memory(self->table);
        (void)claim(probe->owner, self->claimed, memory);
        self->claimed = memory;
        return FRZ_OK;
    }
    (void)claim(probe->owner, self->claimed, 0);
    self->claimed = 0;
    frz_key_table_free(self->table);
    frz_key_bits_free(self->bits);
    self->table = NULL;
    self->bits = NULL;
    return status;
}

/* Builds the table; leaves *built without one when it does not fit. */
static frz_status build(filling *built, frz_error **err)
{
    FRZ_TRY(begin(built, err));
    const frz_status status = add_files(built, err);
    if (status == FRZ_END)
        built->probe->too_large =
            built->wanted > built->probe->owner->scan->limits.equality_delete_memory;
    return status == FRZ_END ? FRZ_OK : status;
}

static uint64_t key_count(const frz_equality_probe *probe)
{
    uint64_t count = 0;
    for (size_t i = 0; i < probe->count; i++)
        count += (uint64_t)probe->entries[i]->file.record_count;
    return count;
}

/* The same for bits. */
static frz_status build_bits(filling *built, frz_error **err)
{
    frz_equality_probe *probe = built->probe;
    FRZ_TRY(frz_equality_probe_keys(probe, &built->keys, err));
    probe->bits_unfit = !frz_key_bits_suit(&built->keys->layout);
    if (probe->bits_unfit)
        return FRZ_OK;
    FRZ_TRY(frz_key_bits_new(&built->keys->layout, key_count(probe), &built->bits, err));
    const frz_status status = add_files(built, err);
    probe->bits_unfit = status == FRZ_END;
    return status == FRZ_END ? FRZ_OK : status;
}

/* Counts one more user of the bits, or of the table; what was built becomes them before. */
static frz_equality_index take(frz_equality_probe *probe, bool bits, const filling *built)
{
    frz_equality_index index = {0};
    lock(probe->owner);
    if (built && built->bits)
        probe->bits = built->bits;
    if (built && built->table)
        probe->table = built->table;
    if (built)
        probe->memory += built->claimed;
    if (bits)
        index.bits = probe->bits;
    else
        index.table = probe->table;
    if (index.bits || index.table) {
        probe->users++;
        probe->used_at = ++probe->owner->uses;
    }
    unlock(probe->owner);
    return index;
}

static frz_status acquire_bits(frz_equality_probe *probe, frz_equality_index *out, frz_error **err)
{
    filling built = {.probe = probe};
    *out = take(probe, true, NULL);
    if (out->bits)
        return FRZ_OK;
    FRZ_TRY(build_bits(&built, err));
    *out = take(probe, true, &built);
    return FRZ_OK;
}

static frz_status acquire_table(frz_equality_probe *probe, frz_equality_index *out, frz_error **err)
{
    filling built = {.probe = probe};
    *out = take(probe, false, NULL);
    if (out->table || probe->too_large)
        return FRZ_OK;
    FRZ_TRY(build(&built, err));
    *out = take(probe, false, &built);
    return FRZ_OK;
}

frz_status frz_equality_probe_acquire(frz_equality_probe *probe, int64_t sequence,
                                      frz_equality_index *out, frz_error **err)
{
    frz_equality_index index = {0};
    frz_status status = FRZ_OK;
    (void)pthread_mutex_lock(&probe->building);
    if (sequence < probe->entries[0]->sequence_number && !probe->bits_unfit)
        status = acquire_bits(probe, &index, err);
    if (status == FRZ_OK && !index.bits)
        status = acquire_table(probe, &index, err);
    (void)pthread_mutex_unlock(&probe->building);
    if (status == FRZ_OK)
        *out = index;
    return status;
}

void frz_equality_probe_release(frz_equality_probe *probe)
{
    lock(probe->owner);
    probe->users--;
    unlock(probe->owner);
}

frz_status frz_equality_probe_passes(frz_equality_probe *probe, int64_t sequence,
                                     frz_equality_visit visit, void *context, frz_error **err)
{
    filling self = {.probe = probe, .visit = visit, .context = context};
    (void)pthread_mutex_lock(&probe->owner->passing);
    frz_status status = begin(&self, err);
    for (size_t i = 0; status == FRZ_OK && i < probe->count; i++)
        if (probe->entries[i]->sequence_number > sequence)
            status = add_file(&self, probe->entries[i], err);
    if (status == FRZ_OK)
        status = end_pass(&self, err);
    frz_key_table_free(self.table);
    frz_key_rows_clear(&self.rows);
    (void)pthread_mutex_unlock(&probe->owner->passing);
    return status;
}
