#include "arrow/owner.h"

#include <stdatomic.h>

#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"

/*
 * Memory shared by arrays of ours: either one buffer, or a whole foreign array that is released
 * with the last of the arrays that borrow from it. Counted across threads, since batches travel.
 */
struct frz_arrow_owner {
    atomic_size_t references;
    void *buffer;
    struct ArrowArray foreign;
};

/* What an array of ours carries; the children live behind it and may be moved out by a consumer. */
typedef struct array_private {
    frz_arrow_owner **owners; /* owner_count; NULL entries own nothing */
    int64_t owner_count;
    const void **buffers;
    struct ArrowArray *children;
    struct ArrowArray **child_pointers;
    int64_t child_count;
} array_private;

frz_arrow_owner *frz_arrow_owner_of_buffer(void *buffer)
{
    frz_arrow_owner *owner = frz_alloc_zero(sizeof *owner);
    if (owner) {
        atomic_init(&owner->references, 1);
        owner->buffer = buffer;
    }
    return owner;
}

frz_arrow_owner *frz_arrow_owner_of_array(struct ArrowArray *foreign)
{
    frz_arrow_owner *owner = frz_arrow_owner_of_buffer(NULL);
    if (owner) {
        owner->foreign = *foreign;
        foreign->release = NULL;
    }
    return owner;
}

const struct ArrowArray *frz_arrow_owner_array(const frz_arrow_owner *owner)
{
    return &owner->foreign;
}

struct ArrowArray frz_arrow_owner_give_back(frz_arrow_owner *owner)
{
    const struct ArrowArray foreign = owner->foreign;
    owner->foreign = (struct ArrowArray){0};
    return foreign;
}

frz_arrow_owner *frz_arrow_owner_ref(frz_arrow_owner *owner)
{
    if (owner)
        atomic_fetch_add_explicit(&owner->references, 1, memory_order_relaxed);
    return owner;
}

void frz_arrow_owner_unref(frz_arrow_owner *owner)
{
    if (!owner || atomic_fetch_sub_explicit(&owner->references, 1, memory_order_acq_rel) != 1)
        return;
    frz_free(owner->buffer);
    frz_arrow_array_clear(&owner->foreign);
    frz_free(owner);
}

static void release_array(struct ArrowArray *array)
{
    array_private *own = array->private_data;
    for (int64_t i = 0; i < own->owner_count; i++)
        frz_arrow_owner_unref(own->owners[i]);
    for (int64_t i = 0; i < own->child_count; i++)
        frz_arrow_array_clear(&own->children[i]);
    if (array->dictionary) {
        frz_arrow_array_clear(array->dictionary);
        frz_free(array->dictionary);
    }
    frz_free(own);
    *array = (struct ArrowArray){0};
}

frz_status frz_arrow_array_shell(struct ArrowArray *out, int64_t buffer_count, int64_t child_count,
                                 frz_error **err)
{
    const size_t buffers = (size_t)buffer_count;
    const size_t children = (size_t)child_count;
    const size_t each_buffer = sizeof(frz_arrow_owner *) + sizeof(const void *);
    const size_t each_child = sizeof(struct ArrowArray *) + sizeof(struct ArrowArray);
    array_private *own = NULL;
    size_t of_buffers = 0;
    size_t of_children = 0;
    size_t total = 0;
    if (frz_size_mul(buffers, each_buffer, &of_buffers) &&
        frz_size_mul(children, each_child, &of_children) &&
        frz_size_add(of_buffers, of_children, &total) && frz_size_add(total, sizeof *own, &total))
        own = frz_alloc_zero(total);
    if (!own)
        return frz_fail_memory(err);

    void *after_own = own + 1;
    own->owners = after_own;
    void *after_owners = own->owners + buffers;
    own->owner_count = buffer_count;
    own->buffers = after_owners;
    own->child_pointers = (struct ArrowArray **)(void *)(own->buffers + buffers);
    own->children = (struct ArrowArray *)(void *)(own->child_pointers + children);
    own->child_count = child_count;
    for (size_t i = 0; i < children; i++)
        own->child_pointers[i] = &own->children[i];
    *out = (struct ArrowArray){.n_buffers = buffer_count,
                               .n_children = child_count,
                               .buffers = buffer_count ? own->buffers : NULL,
                               .children = child_count ? own->child_pointers : NULL,
                               .release = release_array,
                               .private_data = own};
    return FRZ_OK;
}

void frz_arrow_array_borrow(struct ArrowArray *array, int64_t index, const void *bytes,
                            frz_arrow_owner *owner)
{
    array_private *own = array->private_data;
    own->buffers[index] = bytes;
    own->owners[index] = frz_arrow_owner_ref(owner);
}

frz_status frz_arrow_array_give(struct ArrowArray *array, int64_t index, frz_buffer *buffer,
                                frz_error **err)
{
    array_private *own = array->private_data;
    frz_status status = frz_buffer_check(buffer, err);
    if (status == FRZ_OK && buffer->size) {
        own->owners[index] = frz_arrow_owner_of_buffer(buffer->data);
        if (own->owners[index]) {
            own->buffers[index] = buffer->data;
            *buffer = (frz_buffer){0};
        } else {
            status = frz_fail_memory(err);
        }
    }
    frz_buffer_clear(buffer);
    return status;
}

frz_status frz_arrow_array_replace(struct ArrowArray *array, int64_t index, frz_buffer *buffer,
                                   frz_error **err)
{
    array_private *own = array->private_data;
    frz_arrow_owner_unref(own->owners[index]);
    own->owners[index] = NULL;
    own->buffers[index] = NULL;
    return frz_arrow_array_give(array, index, buffer, err);
}

bool frz_arrow_array_is_ours(const struct ArrowArray *array)
{
    return array->release == release_array;
}

frz_arrow_owner *frz_arrow_array_owner(const struct ArrowArray *array, int64_t index)
{
    const array_private *own = array->private_data;
    return own->owners[index];
}

frz_status frz_arrow_array_share(const struct ArrowArray *array, frz_arrow_owner *owner,
                                 struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowArray copy = {0};
    FRZ_TRY_DONE(frz_arrow_array_shell(&copy, array->n_buffers, array->n_children, err));
    for (int64_t i = 0; i < array->n_buffers; i++)
        frz_arrow_array_borrow(&copy, i, array->buffers[i],
                               owner ? owner : frz_arrow_array_owner(array, i));
    for (int64_t i = 0; i < array->n_children; i++)
        FRZ_TRY_DONE(frz_arrow_array_share(array->children[i], owner, copy.children[i], err));
    if (array->dictionary) {
        copy.dictionary = frz_alloc_zero(sizeof *copy.dictionary);
        if (!copy.dictionary) {
            status = frz_fail_memory(err);
            goto done;
        }
        FRZ_TRY_DONE(frz_arrow_array_share(array->dictionary, owner, copy.dictionary, err));
    }
    copy.length = array->length;
    copy.null_count = array->null_count;
    copy.offset = array->offset;
    *out = copy;
    copy = (struct ArrowArray){0};
done:
    frz_arrow_array_clear(&copy);
    return status;
}
