/*
 * Keys of rows: bytes that compare by memcmp, none the start of another one. Their first
 * FRZ_GROUP_SIZE bytes are the group of the row, a big-endian number: rows of different groups are
 * never handed out together.
 *
 * Keys are compared by heads: the first bytes in which any two of them differ, as a number. What is
 * the same in all keys (the group of a table without partitions, the high bytes of small numbers)
 * takes no place there, so that a head mostly is all of a key.
 */
#ifndef FRZ_WRITE_SORT_KEYS_H
#define FRZ_WRITE_SORT_KEYS_H

#include "base/buffer.h"

enum {
    FRZ_GROUP_SIZE = 4,
    FRZ_KEY_UNIT = 8,    /* keys of one size are padded with zeros to a multiple of this */
    FRZ_KEY_WINDOW = 64, /* bytes of a key that heads are chosen from */
    FRZ_HEAD_SIZE = 8
};

/* Where heads come from: these bytes, most significant first. */
typedef struct frz_key_heads {
    uint8_t at[FRZ_HEAD_SIZE];
    uint8_t size;
    bool whole; /* keys of equal heads are equal */
} frz_key_heads;

/* All zero is without keys, which may be of any size. */
typedef struct frz_sort_keys {
    size_t stride;    /* bytes of each key, a multiple of FRZ_KEY_UNIT; 0: they have sizes of their
                         own */
    size_t count;     /* at most UINT32_MAX */
    frz_buffer bytes; /* one key behind the other */
    frz_buffer ends;  /* uint32_t, where each key ends in `bytes`; without stride only */
    bool packed; /* with stride: `bytes` are heads (uint64_t), and keys are `pattern` elsewhere */
    frz_key_heads heads;
    uint8_t pattern[FRZ_KEY_WINDOW];
} frz_sort_keys;

/* Of keys that are not packed. */
static inline frz_slice frz_sort_keys_at(const frz_sort_keys *keys, size_t index)
{
    if (keys->stride > 0)
        return frz_slice_of(keys->bytes.data + index * keys->stride, keys->stride);
    const uint32_t *ends = (const uint32_t *)(const void *)keys->ends.data;
    const uint32_t start = index > 0 ? ends[index - 1] : 0;
    return frz_slice_of(keys->bytes.data + start, ends[index] - start);
}

uint32_t frz_sort_keys_group(const frz_sort_keys *keys, size_t index);

/* Forgets the keys, keeps stride and memory; they are not packed any more. */
void frz_sort_keys_reset(frz_sort_keys *keys);
void frz_sort_keys_clear(frz_sort_keys *keys);
/* FRZ_NO_MEMORY when any change failed, or keys without stride take more than 4 GiB. */
FRZ_MUST_CHECK frz_status frz_sort_keys_check(const frz_sort_keys *keys, frz_error **err);
size_t frz_sort_keys_memory(const frz_sort_keys *keys);

/* One more key. With stride it is padded. */
void frz_sort_keys_append(frz_sort_keys *keys, frz_slice key);
/* Without stride: one more key, of what was appended to `bytes` since the last one ended. */
void frz_sort_keys_end(frz_sort_keys *keys);
/* All keys of `others`, which have the same stride. */
void frz_sort_keys_join(frz_sort_keys *keys, const frz_sort_keys *others);

/* Forgets the keys; those that come are heads of the pattern. */
void frz_sort_keys_pack(frz_sort_keys *keys, const frz_key_heads *heads, const void *pattern);
void frz_sort_keys_append_head(frz_sort_keys *keys, uint64_t head);
/* Packed keys become whole ones. */
FRZ_MUST_CHECK frz_status frz_sort_keys_unpack(frz_sort_keys *keys, frz_error **err);

/* Which bytes of keys differ. All zero is of no keys. */
typedef struct frz_key_span {
    uint64_t first[FRZ_KEY_WINDOW / 8];  /* the window of the first key, padded with zeros */
    uint64_t varies[FRZ_KEY_WINDOW / 8]; /* bits in which any key differs from it */
    bool started;
    bool beyond; /* there are keys longer than the window */
} frz_key_span;

void frz_key_span_add(frz_key_span *span, const frz_sort_keys *keys);
void frz_key_span_unite(frz_key_span *span, const frz_key_span *other);

frz_key_heads frz_key_heads_of(const frz_key_span *span);
bool frz_key_heads_same(const frz_key_heads *a, const frz_key_heads *b);
/* The heads of all keys, which are not packed, `step` numbers apart. */
void frz_key_heads_fill(const frz_key_heads *heads, const frz_sort_keys *keys, uint64_t *out,
                        size_t step);

#endif
