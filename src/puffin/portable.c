/*
 * The portable 64-bit serialisation of bitmaps, both ways (Roaring spec, "Extension for 64-bit
 * implementations"): a count, then for each upper half of positions that occurs a 32-bit bitmap.
 *
 * Decoding validates every container in place, in bytes that the bitmap owns.
 */
#include "base/cursor.h"
#include "base/fail.h"
#include "base/mem.h"
#include "puffin/bitmap.h"
#include "puffin/container.h"

#define COOKIE_NO_RUNS 12346u
#define COOKIE_RUNS 12347u
#define NO_OFFSET_THRESHOLD 4u
/* The fewest bytes of a 32-bit bitmap with its key: key, cookie, count. */
#define BITMAP_SIZE_MIN 12u

/* How a container is written. */
typedef struct plan {
    frz_container_kind kind;
    uint32_t size;
} plan;

/* The smallest of the three; array or bitset is decided by the number of members ("Descriptive
 * header"). */
static plan plan_container(const frz_container *container)
{
    const uint32_t as_runs = 2 + 4 * frz_container_runs(container);
    plan best = {FRZ_CONTAINER_BITSET, FRZ_CONTAINER_BITSET_SIZE};
    if (container->count <= FRZ_CONTAINER_ARRAY_MAX)
        best = (plan){FRZ_CONTAINER_ARRAY, 2 * container->count};
    if (as_runs < best.size)
        best = (plan){FRZ_CONTAINER_RUN, as_runs};
    return best;
}

static void append_u16(frz_buffer *out, uint32_t value)
{
    const uint8_t bytes[2] = {(uint8_t)value, (uint8_t)(value >> 8)};
    frz_buffer_append(out, bytes, sizeof bytes);
}

static void encode_header(const frz_container *containers, const plan *plans, uint32_t count,
                          frz_buffer *out)
{
    const size_t start = out->size;
    bool has_runs = false;
    for (uint32_t i = 0; i < count; i++)
        has_runs = has_runs || plans[i].kind == FRZ_CONTAINER_RUN;
    if (has_runs) {
        frz_buffer_append_u32le(out, COOKIE_RUNS | (count - 1) << 16);
        for (uint32_t i = 0; i < count; i += 8) {
            uint32_t flags = 0;
            for (uint32_t bit = 0; bit < 8 && i + bit < count; bit++)
                flags |= (uint32_t)(plans[i + bit].kind == FRZ_CONTAINER_RUN) << bit;
            frz_buffer_append_byte(out, (uint8_t)flags);
        }
    } else {
        frz_buffer_append_u32le(out, COOKIE_NO_RUNS);
        frz_buffer_append_u32le(out, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        append_u16(out, (uint32_t)containers[i].key & 0xffff);
        append_u16(out, containers[i].count - 1);
    }
    if (has_runs && count < NO_OFFSET_THRESHOLD)
        return;
    uint32_t offset = (uint32_t)(out->size - start) + 4 * count;
    for (uint32_t i = 0; i < count; i++) {
        frz_buffer_append_u32le(out, offset);
        offset += plans[i].size;
    }
}

/* The containers that share the upper half of their positions. */
static frz_status encode_group(const frz_container *containers, uint32_t count, frz_buffer *out,
                               frz_error **err)
{
    plan *plans = frz_alloc_array(count, sizeof *plans);
    if (!plans)
        return frz_fail_memory(err);
    for (uint32_t i = 0; i < count; i++)
        plans[i] = plan_container(&containers[i]);
    frz_buffer_append_u32le(out, (uint32_t)(containers[0].key >> 16));
    encode_header(containers, plans, count, out);
    for (uint32_t i = 0; i < count; i++)
        frz_container_print(&containers[i], plans[i].kind, out);
    frz_free(plans);
    return FRZ_OK;
}

static size_t group_end(const frz_bitmap *bitmap, size_t start)
{
    size_t end = start;
    while (end < bitmap->container_count &&
           bitmap->containers[end].key >> 16 == bitmap->containers[start].key >> 16)
        end++;
    return end;
}

frz_status frz_bitmap_encode(const frz_bitmap *bitmap, frz_buffer *out, frz_error **err)
{
    uint64_t groups = 0;
    for (size_t i = 0; i < bitmap->container_count; i = group_end(bitmap, i))
        groups++;
    frz_buffer_append_u64le(out, groups);
    for (size_t i = 0; i < bitmap->container_count;) {
        const size_t end = group_end(bitmap, i);
        FRZ_TRY(encode_group(&bitmap->containers[i], (uint32_t)(end - i), out, err));
        i = end;
    }
    return frz_buffer_check(out, err);
}

/* The header of one 32-bit bitmap. */
typedef struct header {
    size_t start; /* of the bitmap */
    uint32_t count;
    const uint8_t *run_flags; /* NULL when there are no runs */
    const uint8_t *keys;      /* pairs of key and members - 1 */
    const uint8_t *offsets;   /* NULL when there are none */
} header;

static frz_status ends(const frz_cursor *in, const char *what, frz_error **err)
{
    return frz_fail(err, FRZ_CORRUPT, in->pos, "bitmap: the bytes end inside %s", what);
}

static frz_status read_header(frz_cursor *in, header *out, frz_error **err)
{
    uint32_t count = 0;
    *out = (header){.start = in->pos};
    const uint32_t cookie = frz_cursor_u32le(in);
    if (in->failed)
        return ends(in, "a cookie", err);
    if (cookie == COOKIE_NO_RUNS) {
        count = frz_cursor_u32le(in);
        if (count > FRZ_CONTAINER_SPAN)
            return frz_fail(err, FRZ_CORRUPT, in->pos - 4, "bitmap: %u containers, at most 65536",
                            (unsigned)count);
    } else if ((cookie & 0xffff) == COOKIE_RUNS) {
        count = (cookie >> 16) + 1;
        out->run_flags = frz_cursor_take(in, (count + 7) / 8);
    } else {
        return frz_fail(err, FRZ_CORRUPT, out->start, "bitmap: cookie %u, expected 12346 or 12347",
                        (unsigned)cookie);
    }
    out->keys = frz_cursor_take(in, 4 * (size_t)count);
    if (!out->run_flags || count >= NO_OFFSET_THRESHOLD)
        out->offsets = frz_cursor_take(in, 4 * (size_t)count);
    if (in->failed)
        return ends(in, "a header", err);
    out->count = count; /* of a sound header alone */
    return FRZ_OK;
}

static bool array_ascends(const uint8_t *data, uint32_t count)
{
    uint16_t wrong = 0; /* as wide as the values: a vector compares as many as it holds */
    for (uint32_t i = 1; i < count; i++)
        wrong = (uint16_t)(wrong | (frz_load_u16(data, i - 1) >= frz_load_u16(data, i)));
    return !wrong;
}

static frz_status read_array(frz_cursor *in, frz_container *container, frz_error **err)
{
    const size_t start = in->pos;
    const uint8_t *data = frz_cursor_take(in, 2 * (size_t)container->count);
    if (!data)
        return ends(in, "an array container", err);
    if (!array_ascends(data, container->count))
        return frz_fail(err, FRZ_CORRUPT, start,
                        "bitmap: values of an array container do not ascend");
    container->kind = FRZ_CONTAINER_ARRAY;
    return FRZ_OK;
}

static frz_status read_bits(frz_cursor *in, frz_container *container, frz_error **err)
{
    const size_t start = in->pos;
    const uint8_t *data = frz_cursor_take(in, FRZ_CONTAINER_BITSET_SIZE);
    if (!data)
        return ends(in, "a bitset container", err);
    const uint32_t count = frz_container_count_bits(data);
    if (count != container->count)
        return frz_fail(err, FRZ_CORRUPT, start,
                        "bitmap: %u bits in a bitset container, expected %u", (unsigned)count,
                        (unsigned)container->count);
    container->kind = FRZ_CONTAINER_BITSET;
    return FRZ_OK;
}

static frz_status read_runs(frz_cursor *in, frz_container *container, frz_error **err)
{
    const size_t start = in->pos;
    const uint32_t runs = frz_cursor_u16le(in);
    const uint8_t *data = frz_cursor_take(in, 4 * (size_t)runs);
    uint32_t count = 0;
    uint32_t next = 0; /* the least value that the next run may start with */
    if (!data)
        return ends(in, "a run container", err);
    for (uint32_t i = 0; i < runs; i++) {
        const uint32_t first = frz_load_u16(data, 2 * (size_t)i);
        const uint32_t end = first + frz_load_u16(data, 2 * (size_t)i + 1) + 1;
        if (first < next || end > FRZ_CONTAINER_SPAN)
            return frz_fail(err, FRZ_CORRUPT, start + 2 + 4 * (size_t)i,
                            "bitmap: a run of a run container overlaps or leaves it");
        count += end - first;
        next = end;
    }
    if (count != container->count)
        return frz_fail(err, FRZ_CORRUPT, start,
                        "bitmap: %u values in a run container, expected %u", (unsigned)count,
                        (unsigned)container->count);
    container->kind = FRZ_CONTAINER_RUN;
    container->run_count = runs;
    return FRZ_OK;
}

static frz_status read_container(frz_cursor *in, const header *head, uint32_t index,
                                 frz_container *out, frz_error **err)
{
    const bool is_run = head->run_flags && head->run_flags[index / 8] >> (index % 8) & 1;
    if (head->offsets) {
        frz_cursor offset = frz_cursor_over(head->offsets + 4 * (size_t)index, 4);
        const uint32_t stored = frz_cursor_u32le(&offset);
        if (stored != in->pos - head->start)
            return frz_fail(err, FRZ_CORRUPT, in->pos,
                            "bitmap: offset %u of a container that begins at %zu", (unsigned)stored,
                            in->pos - head->start);
    }
    const size_t data = in->pos + (is_run ? 2 : 0);
    out->borrowed = true;
    out->count = (uint32_t)frz_load_u16(head->keys, 2 * (size_t)index + 1) + 1;
    if (is_run)
        FRZ_TRY(read_runs(in, out, err));
    else if (out->count <= FRZ_CONTAINER_ARRAY_MAX)
        FRZ_TRY(read_array(in, out, err));
    else
        FRZ_TRY(read_bits(in, out, err));
    /* The cursor reads the bitmap's own copy. */
    union {
        const uint8_t *read;
        uint8_t *write;
    } place = {.read = in->data + data};
    out->data = place.write;
    return FRZ_OK;
}

/* Room for `count` more containers; the header has shown that their keys are there. */
static bool reserve(frz_bitmap *bitmap, uint32_t count)
{
    const size_t needed = bitmap->container_count + count;
    if (needed <= bitmap->container_capacity)
        return true;
    const size_t doubled = 2 * bitmap->container_capacity;
    const size_t capacity = needed > doubled ? needed : doubled;
    frz_container *grown = frz_realloc(bitmap->containers, capacity * sizeof *grown);
    if (!grown)
        return false;
    bitmap->containers = grown;
    bitmap->container_capacity = capacity;
    return true;
}

static frz_status read_group(frz_bitmap *bitmap, frz_cursor *in, uint32_t upper, frz_error **err)
{
    header head = {0};
    FRZ_TRY(read_header(in, &head, err));
    if (!reserve(bitmap, head.count))
        return frz_fail_memory(err);
    for (uint32_t i = 0; i < head.count; i++) {
        const uint16_t key = frz_load_u16(head.keys, 2 * (size_t)i);
        if (i > 0 && key <= frz_load_u16(head.keys, 2 * (size_t)(i - 1)))
            return frz_fail(err, FRZ_CORRUPT, head.start,
                            "bitmap: keys of containers do not ascend: %u", (unsigned)key);
        frz_container container = {.key = (uint64_t)upper << 16 | key};
        FRZ_TRY(read_container(in, &head, i, &container, err));
        bitmap->containers[bitmap->container_count++] = container;
        bitmap->cardinality += container.count;
    }
    return FRZ_OK;
}

static frz_status read_groups(frz_bitmap *bitmap, frz_cursor *in, frz_error **err)
{
    const uint64_t count = frz_cursor_u64le(in);
    int64_t before = -1;
    if (in->failed)
        return ends(in, "the number of bitmaps", err);
    if (count > frz_cursor_left(in) / BITMAP_SIZE_MIN)
        return frz_fail(err, FRZ_CORRUPT, 0, "bitmap: %llu bitmaps in %zu bytes",
                        (unsigned long long)count, frz_cursor_left(in));
    for (uint64_t i = 0; i < count; i++) {
        const size_t start = in->pos;
        const uint32_t upper = frz_cursor_u32le(in);
        if (in->failed)
            return ends(in, "a key", err);
        if (upper > INT32_MAX)
            return frz_fail(err, FRZ_CORRUPT, start,
                            "bitmap: key %u, the highest bit of a position must be 0",
                            (unsigned)upper);
        if (upper <= before)
            return frz_fail(err, FRZ_CORRUPT, start, "bitmap: keys of bitmaps do not ascend: %u",
                            (unsigned)upper);
        before = upper;
        FRZ_TRY(read_group(bitmap, in, upper, err));
    }
    if (frz_cursor_left(in) > 0)
        return frz_fail(err, FRZ_CORRUPT, in->pos, "bitmap: %zu bytes behind its end",
                        frz_cursor_left(in));
    return FRZ_OK;
}

frz_status frz_bitmap_decode_taken(frz_buffer *bytes, size_t start, size_t size, frz_bitmap **out,
                                   frz_error **err)
{
    frz_bitmap *bitmap = NULL;
    frz_status status = FRZ_OK;
    FRZ_TRY(frz_bitmap_new(&bitmap, err));
    bitmap->blob = *bytes;
    *bytes = (frz_buffer){0};
    frz_cursor in = frz_cursor_over(bitmap->blob.data + start, size);
    FRZ_TRY_DONE(read_groups(bitmap, &in, err));
    *out = bitmap;
    bitmap = NULL;
done:
    frz_bitmap_free(bitmap);
    return status;
}

frz_status frz_bitmap_decode(frz_slice bytes, frz_bitmap **out, frz_error **err)
{
    frz_buffer copy = {0};
    frz_buffer_append(&copy, bytes.data, bytes.size);
    frz_status status = frz_buffer_check(&copy, err);
    if (status == FRZ_OK)
        status = frz_bitmap_decode_taken(&copy, 0, bytes.size, out, err);
    frz_buffer_clear(&copy);
    return status;
}
