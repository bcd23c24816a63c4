#include "catalog/identifier.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

static frz_status check_levels(const char *text, const char *what, frz_error **err)
{
    const size_t size = strlen(text);
    if (size == 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "a %s must have a name", what);
    for (size_t i = 0; i < size; i++) {
        const bool level_starts = i == 0 || text[i - 1] == '.';
        if ((text[i] == '.' && level_starts) || (text[i] == '.' && i + 1 == size))
            return frz_fail(err, FRZ_INVALID, i, "%s \"%s\" has an empty level", what, text);
    }
    return FRZ_OK;
}

frz_status frz_namespace_check(const char *name, frz_error **err)
{
    return check_levels(name, "namespace", err);
}

frz_status frz_identifier_split(const char *identifier, frz_slice *namespace_out,
                                frz_slice *name_out, frz_error **err)
{
    FRZ_TRY(check_levels(identifier, "table", err));
    const char *dot = strrchr(identifier, '.');
    if (!dot)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "table \"%s\" names no namespace: expected NAMESPACE.TABLE", identifier);
    *namespace_out = frz_slice_of(identifier, (size_t)(dot - identifier));
    *name_out = frz_slice_of_text(dot + 1);
    return FRZ_OK;
}

frz_slice frz_namespace_parent(frz_slice name)
{
    size_t size = name.size;
    while (size > 0 && name.data[size - 1] != '.')
        size--;
    return size > 0 ? frz_slice_of(name.data, size - 1) : frz_slice_of(NULL, 0);
}

bool frz_namespace_is_within(frz_slice name, frz_slice parent)
{
    if (name.size < parent.size || memcmp(name.data, parent.data, parent.size) != 0)
        return false;
    return name.size == parent.size || name.data[parent.size] == '.';
}

frz_slice frz_namespace_child(frz_slice parent, frz_slice name)
{
    size_t start = 0;
    if (parent.size > 0) {
        if (!frz_namespace_is_within(name, parent) || name.size == parent.size)
            return frz_slice_of(NULL, 0);
        start = parent.size + 1;
    }
    size_t end = start;
    while (end < name.size && name.data[end] != '.')
        end++;
    return frz_slice_of(name.data, end);
}

frz_status frz_names_add(frz_names *names, frz_slice name, frz_error **err)
{
    const bool full = (names->count & (names->count - 1)) == 0; /* grows at powers of two */
    if (full) {
        const size_t capacity = names->count ? names->count * 2 : 1;
        char **grown = frz_realloc(names->items, capacity * sizeof *grown);
        if (!grown)
            return frz_fail_memory(err);
        names->items = grown;
    }
    char *copy = frz_copy_text_n((const char *)name.data, name.size);
    if (!copy)
        return frz_fail_memory(err);
    names->items[names->count++] = copy;
    return FRZ_OK;
}

bool frz_names_contain(const frz_names *names, frz_slice name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (frz_slice_is_text(name, names->items[i]))
            return true;
    }
    return false;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void frz_names_take_sorted(frz_names *names, frz_names *out)
{
    if (names->count > 1)
        qsort(names->items, names->count, sizeof *names->items, compare_names);
    *out = *names;
    *names = (frz_names){0};
}

void frz_names_free(frz_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        frz_free(names->items[i]);
    frz_free(names->items);
    *names = (frz_names){0};
}
