/*
 * The keys that equality deletes name, each with the highest data sequence number that deletes it:
 * an open-addressing table over key rows (scan/key_rows.h).
 *
 * Most rows have no such key: a filter of a few bits per key, small enough for the processor's
 * cache, tells nearly all of them without a branch. Slots hold a part of the hash and the number of
 * a key, so that they tell most of the rest. Memory grows with the number of different keys and is
 * told in advance (frz_key_table_memory_with).
 *
 * Thread rule: once filled, any number of threads may look up.
 */
#ifndef FRZ_SCAN_KEY_TABLE_H
#define FRZ_SCAN_KEY_TABLE_H

#include "scan/key_rows.h"

typedef struct frz_key_table frz_key_table;

/* `layout` is borrowed. */
FRZ_MUST_CHECK frz_status frz_key_table_new(const frz_key_layout *layout, frz_key_table **out,
                                            frz_error **err);
/* Accepts NULL. */
void frz_key_table_free(frz_key_table *table);

size_t frz_key_table_count(const frz_key_table *table);
size_t frz_key_table_memory(const frz_key_table *table);
/* The most that it takes once `rows` are added; SIZE_MAX when they do not fit in any case. */
size_t frz_key_table_memory_with(const frz_key_table *table, const frz_key_rows *rows);

/* The memory with room for so many more keys, without their bytes apart; SIZE_MAX as above. Making
 * room in advance spares growing step by step. */
size_t frz_key_table_memory_for(const frz_key_table *table, size_t more);
FRZ_MUST_CHECK frz_status frz_key_table_reserve(frz_key_table *table, size_t more, frz_error **err);

/* Adds keys that a file of that sequence number deletes. */
FRZ_MUST_CHECK frz_status frz_key_table_add(frz_key_table *table, const frz_key_rows *rows,
                                            int64_t sequence, frz_error **err);

/* Clears the bit of each row (bit i = row i) whose key a sequence number above `sequence` deletes.
 * Rows whose bit is clear are not looked up. `rows` were hashed with the seed of those added. */
void frz_key_table_apply(const frz_key_table *table, const frz_key_rows *rows, int64_t sequence,
                         uint64_t *mask);

#endif
