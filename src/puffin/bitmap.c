#include "puffin/bitmap.h"

#include "base/fail.h"
#include "base/mem.h"
#include "puffin/container.h"

frz_status frz_bitmap_new(frz_bitmap **out, frz_error **err)
{
    frz_bitmap *bitmap = frz_alloc_zero(sizeof *bitmap);
    if (!bitmap)
        return frz_fail_memory(err);
    *out = bitmap;
    return FRZ_OK;
}

static void clear(frz_bitmap *bitmap)
{
    for (size_t i = 0; i < bitmap->container_count; i++)
        frz_container_clear(&bitmap->containers[i]);
    frz_free(bitmap->containers);
    frz_buffer_clear(&bitmap->blob);
    *bitmap = (frz_bitmap){0};
}

void frz_bitmap_free(frz_bitmap *bitmap)
{
    if (!bitmap)
        return;
    clear(bitmap);
    frz_free(bitmap);
}

/* The first container whose key is at least `key`. Files of consecutive rows have consecutive keys,
 * so its place is guessed before it is searched. */
static size_t find(const frz_bitmap *bitmap, uint64_t key)
{
    size_t low = 0;
    size_t high = bitmap->container_count;
    if (high == 0 || key <= bitmap->containers[0].key)
        return 0;
    const uint64_t guess = key - bitmap->containers[0].key;
    if (guess < high && bitmap->containers[guess].key == key)
        return (size_t)guess;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (bitmap->containers[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const frz_bitmap *bitmap, size_t index, uint64_t key)
{
    return index < bitmap->container_count && bitmap->containers[index].key == key;
}

/* Puts `container` before index `at`; its memory goes to the bitmap. */
static bool insert(frz_bitmap *bitmap, size_t at, const frz_container *container)
{
    if (!frz_grow_array((void **)&bitmap->containers, &bitmap->container_capacity,
                        bitmap->container_count, sizeof *bitmap->containers))
        return false;
    memmove(&bitmap->containers[at + 1], &bitmap->containers[at],
            (bitmap->container_count - at) * sizeof *bitmap->containers);
    bitmap->containers[at] = *container;
    bitmap->container_count++;
    return true;
}

frz_status frz_bitmap_add(frz_bitmap *bitmap, int64_t position, frz_error **err)
{
    if (position < 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "position %lld is negative",
                        (long long)position);
    const uint64_t key = (uint64_t)position >> 16;
    const size_t at = find(bitmap, key);
    if (is_at(bitmap, at, key)) {
        frz_container *container = &bitmap->containers[at];
        if (container->kind == FRZ_CONTAINER_BITSET &&
            !container->borrowed) { /* most adds, in bulk */
            uint8_t *byte = &container->data[(position & 0xffff) >> 3];
            const uint32_t fresh = ~(uint32_t)*byte >> (position & 7) & 1;
            *byte |= (uint8_t)(1u << (position & 7));
            container->count += fresh;
            bitmap->cardinality += fresh;
            return FRZ_OK;
        }
        const int added = frz_container_add(container, (uint16_t)position);
        bitmap->cardinality += added > 0;
        return added < 0 ? frz_fail_memory(err) : FRZ_OK;
    }
    frz_container fresh = {.key = key};
    if (frz_container_add(&fresh, (uint16_t)position) < 0 || !insert(bitmap, at, &fresh)) {
        frz_container_clear(&fresh);
        return frz_fail_memory(err);
    }
    bitmap->cardinality++;
    return FRZ_OK;
}

/* [first, last] within one container. */
static bool add_span(frz_bitmap *bitmap, uint64_t key, uint32_t first, uint32_t last)
{
    const size_t at = find(bitmap, key);
    if (is_at(bitmap, at, key)) {
        frz_container *container = &bitmap->containers[at];
        const uint32_t before = container->count;
        if (!frz_container_add_range(container, first, last))
            return false;
        bitmap->cardinality += container->count - before;
        return true;
    }
    frz_container fresh = {.key = key};
    if (!frz_container_add_range(&fresh, first, last) || !insert(bitmap, at, &fresh)) {
        frz_container_clear(&fresh);
        return false;
    }
    bitmap->cardinality += fresh.count;
    return true;
}

static bool add_spans(frz_bitmap *bitmap, uint64_t first, uint64_t last)
{
    for (uint64_t key = first >> 16; key <= last >> 16; key++) {
        const uint32_t low = key == first >> 16 ? (uint32_t)(first & 0xffff) : 0;
        const uint32_t high = key == last >> 16 ? (uint32_t)(last & 0xffff) : 0xffff;
        if (!add_span(bitmap, key, low, high))
            return false;
    }
    return true;
}

frz_status frz_bitmap_add_range(frz_bitmap *bitmap, int64_t start, int64_t count, frz_error **err)
{
    if (start < 0 || count < 0 || count - 1 > INT64_MAX - start)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "positions from %lld, %lld of them",
                        (long long)start, (long long)count);
    if (count == 0)
        return FRZ_OK;
    const uint64_t last = (uint64_t)start + (uint64_t)count - 1;
    if ((uint64_t)start >> 16 == last >> 16) /* one container: changes or does not */
        return add_spans(bitmap, (uint64_t)start, last) ? FRZ_OK : frz_fail_memory(err);
    frz_bitmap range = {0};
    frz_status status = FRZ_OK;
    if (add_spans(&range, (uint64_t)start, last))
        status = frz_bitmap_or(bitmap, &range, err);
    else
        status = frz_fail_memory(err);
    clear(&range);
    return status;
}

/* Appends the union of two containers of one key, or a copy of the one that is there. */
static bool append_union(frz_bitmap *sum, const frz_container *a, const frz_container *b)
{
    frz_container result = {0};
    if (!(a && b ? frz_container_or(a, b, &result) : frz_container_copy(a ? a : b, &result)))
        return false;
    if (!insert(sum, sum->container_count, &result)) {
        frz_container_clear(&result);
        return false;
    }
    sum->cardinality += result.count;
    return true;
}

frz_status frz_bitmap_or(frz_bitmap *into, const frz_bitmap *other, frz_error **err)
{
    frz_bitmap sum = {0};
    size_t i = 0;
    size_t j = 0;
    if (other->container_count == 0)
        return FRZ_OK;
    while (i < into->container_count || j < other->container_count) {
        const frz_container *a = i < into->container_count ? &into->containers[i] : NULL;
        const frz_container *b = j < other->container_count ? &other->containers[j] : NULL;
        if (a && b && a->key < b->key)
            b = NULL;
        else if (a && b && b->key < a->key)
            a = NULL;
        if (!append_union(&sum, a, b)) {
            clear(&sum);
            return frz_fail_memory(err);
        }
        i += a != NULL;
        j += b != NULL;
    }
    clear(into);
    *into = sum;
    return FRZ_OK;
}

bool frz_bitmap_contains(const frz_bitmap *bitmap, int64_t position)
{
    if (position < 0)
        return false;
    const uint64_t key = (uint64_t)position >> 16;
    const size_t at = find(bitmap, key);
    return is_at(bitmap, at, key) && frz_container_has(&bitmap->containers[at], (uint16_t)position);
}

int64_t frz_bitmap_cardinality(const frz_bitmap *bitmap)
{
    return bitmap->cardinality;
}

/* The part of [start, end) in the container, as [*low_out, *high_out) of its values; false when it
 * lies behind. */
static bool overlap(const frz_container *container, uint64_t start, uint64_t end, uint32_t *low_out,
                    uint32_t *high_out)
{
    const uint64_t base = container->key << 16;
    if (base >= end)
        return false;
    *low_out = start > base ? (uint32_t)(start - base) : 0;
    *high_out = end - base < FRZ_CONTAINER_SPAN ? (uint32_t)(end - base) : FRZ_CONTAINER_SPAN;
    return true;
}

/* Clips to what can hold members; false when nothing is left. */
static bool clip(int64_t *start, int64_t *count)
{
    if (*start < 0) {
        if (*count <= 0 || *count + *start <= 0)
            return false;
        *count += *start;
        *start = 0;
    }
    if (*count - 1 > INT64_MAX - *start)
        *count = INT64_MAX - *start + 1;
    return *count > 0;
}

int64_t frz_bitmap_count_range(const frz_bitmap *bitmap, int64_t start, int64_t count)
{
    int64_t found = 0;
    uint32_t low = 0;
    uint32_t high = 0;
    if (!clip(&start, &count))
        return 0;
    const uint64_t end = (uint64_t)start + (uint64_t)count;
    for (size_t i = find(bitmap, (uint64_t)start >> 16); i < bitmap->container_count; i++) {
        const frz_container *container = &bitmap->containers[i];
        if (!overlap(container, (uint64_t)start, end, &low, &high))
            break;
        found += frz_container_rank(container, high);
        found -= low ? frz_container_rank(container, low) : 0;
    }
    return found;
}

int64_t frz_bitmap_last(const frz_bitmap *bitmap)
{
    if (bitmap->container_count == 0)
        return -1;
    const frz_container *last = &bitmap->containers[bitmap->container_count - 1];
    return (int64_t)(last->key << 16) + frz_container_last(last);
}

int64_t frz_bitmap_clear_mask(const frz_bitmap *bitmap, int64_t start, int64_t count,
                              uint64_t *mask)
{
    int64_t changed = 0;
    uint32_t low = 0;
    uint32_t high = 0;
    if (start < 0 || count <= 0 || count - 1 > INT64_MAX - start)
        return 0;
    const uint64_t end = (uint64_t)start + (uint64_t)count;
    for (size_t i = find(bitmap, (uint64_t)start >> 16); i < bitmap->container_count; i++) {
        const frz_container *container = &bitmap->containers[i];
        if (!overlap(container, (uint64_t)start, end, &low, &high))
            break;
        const uint64_t bit = (container->key << 16) + low - (uint64_t)start;
        changed += frz_container_clear_mask(container, low, high, mask, bit);
    }
    return changed;
}

size_t frz_bitmap_list(const frz_bitmap *bitmap, int64_t from, int64_t *out, size_t capacity)
{
    size_t count = 0;
    const uint64_t start = from < 0 ? 0 : (uint64_t)from;
    for (size_t i = find(bitmap, start >> 16); i < bitmap->container_count && count < capacity;
         i++) {
        const frz_container *container = &bitmap->containers[i];
        const uint32_t low = container->key == start >> 16 ? (uint32_t)(start & 0xffff) : 0;
        count += frz_container_list(container, low, out + count, capacity - count);
    }
    return count;
}

size_t frz_bitmap_memory(const frz_bitmap *bitmap)
{
    size_t size = sizeof *bitmap + bitmap->blob.capacity +
                  bitmap->container_capacity * sizeof *bitmap->containers;
    for (size_t i = 0; i < bitmap->container_count; i++)
        if (!bitmap->containers[i].borrowed)
            size += frz_container_size(&bitmap->containers[i]);
    return size;
}
