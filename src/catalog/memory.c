#include "catalog/memory.h"

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "catalog/identifier.h"
#include "catalog/mutex.h"
#include "catalog/refusal.h"

typedef struct memory_table {
    char *identifier; /* owned */
    char *location;   /* owned */
} memory_table;

typedef struct memory_property {
    char *space; /* owned: the namespace */
    char *key;
    char *value;
} memory_property;

typedef struct memory_backend {
    frz_catalog_backend base;
    pthread_mutex_t mutex; /* recursive: held through lock, taken again by load and swap */
    memory_table *tables;
    size_t table_count;
    size_t table_capacity;
    memory_property *properties;
    size_t property_count;
    size_t property_capacity;
    frz_names spaces;
} memory_backend;

static memory_backend *enter(frz_catalog_backend *backend)
{
    memory_backend *self = (memory_backend *)backend;
    (void)pthread_mutex_lock(&self->mutex);
    return self;
}

static frz_status leave(memory_backend *self, frz_status status)
{
    (void)pthread_mutex_unlock(&self->mutex);
    return status;
}

static memory_table *find_table(memory_backend *self, const char *identifier)
{
    for (size_t i = 0; i < self->table_count; i++) {
        if (strcmp(self->tables[i].identifier, identifier) == 0)
            return &self->tables[i];
    }
    return NULL;
}

static frz_status list_namespaces(frz_catalog_backend *backend, const char *parent, frz_names *out,
                                  frz_error **err)
{
    memory_backend *self = enter(backend);
    frz_status status = FRZ_OK;
    frz_names found = {0};
    const frz_slice above = parent ? frz_slice_of_text(parent) : frz_slice_of(NULL, 0);

    if (parent && !frz_names_contain(&self->spaces, above)) {
        status = frz_refuse_no_namespace(above, err);
        goto done;
    }
    for (size_t i = 0; i < self->spaces.count; i++) {
        const frz_slice child =
            frz_namespace_child(above, frz_slice_of_text(self->spaces.items[i]));
        if (child.size > 0 && !frz_names_contain(&found, child))
            FRZ_TRY_DONE(frz_names_add(&found, child, err));
    }
    frz_names_take_sorted(&found, out);

done:
    frz_names_free(&found);
    return leave(self, status);
}

static void free_property(memory_property *property)
{
    frz_free(property->space);
    frz_free(property->key);
    frz_free(property->value);
}

static frz_status add_property(memory_backend *self, const char *space, const frz_option *option,
                               frz_error **err)
{
    memory_property made = {frz_copy_text(space), frz_copy_text(option->key),
                            frz_copy_text(option->value)};
    if (!made.space || !made.key || !made.value ||
        !frz_grow_array((void **)&self->properties, &self->property_capacity, self->property_count,
                        sizeof made)) {
        free_property(&made);
        return frz_fail_memory(err);
    }
    self->properties[self->property_count++] = made;
    return FRZ_OK;
}

static frz_status create_namespace(frz_catalog_backend *backend, const char *name,
                                   const frz_option *properties, size_t property_count,
                                   frz_error **err)
{
    memory_backend *self = enter(backend);
    frz_status status = FRZ_OK;
    const frz_slice whole = frz_slice_of_text(name);
    const size_t spaces_before = self->spaces.count;
    const size_t properties_before = self->property_count;

    if (frz_names_contain(&self->spaces, whole)) {
        status = frz_refuse_namespace_exists(name, err);
        goto done;
    }
    for (frz_slice level = whole; level.size > 0; level = frz_namespace_parent(level)) {
        if (!frz_names_contain(&self->spaces, level))
            FRZ_TRY_DONE(frz_names_add(&self->spaces, level, err));
    }
    for (size_t i = 0; i < property_count; i++)
        FRZ_TRY_DONE(add_property(self, name, &properties[i], err));

done:
    if (status != FRZ_OK) {
        while (self->spaces.count > spaces_before)
            frz_free(self->spaces.items[--self->spaces.count]);
        while (self->property_count > properties_before)
            free_property(&self->properties[--self->property_count]);
    }
    return leave(self, status);
}

static bool space_is_used(const memory_backend *self, frz_slice name)
{
    for (size_t i = 0; i < self->spaces.count; i++) {
        const frz_slice other = frz_slice_of_text(self->spaces.items[i]);
        if (other.size > name.size && frz_namespace_is_within(other, name))
            return true;
    }
    for (size_t i = 0; i < self->table_count; i++) {
        const frz_slice table = frz_slice_of_text(self->tables[i].identifier);
        if (frz_namespace_is_within(table, name))
            return true;
    }
    return false;
}

static void remove_space(memory_backend *self, const char *name)
{
    for (size_t i = 0; i < self->spaces.count; i++) {
        if (strcmp(self->spaces.items[i], name) == 0) {
            frz_free(self->spaces.items[i]);
            self->spaces.items[i] = self->spaces.items[--self->spaces.count];
            break;
        }
    }
    for (size_t i = self->property_count; i-- > 0;) {
        if (strcmp(self->properties[i].space, name) == 0) {
            free_property(&self->properties[i]);
            self->properties[i] = self->properties[--self->property_count];
        }
    }
}

static frz_status drop_namespace(frz_catalog_backend *backend, const char *name, frz_error **err)
{
    memory_backend *self = enter(backend);
    const frz_slice whole = frz_slice_of_text(name);
    if (!frz_names_contain(&self->spaces, whole))
        return leave(self, frz_refuse_no_namespace(whole, err));
    if (space_is_used(self, whole))
        return leave(self, frz_refuse_namespace_used(name, err));
    remove_space(self, name);
    return leave(self, FRZ_OK);
}

static frz_status namespace_property(frz_catalog_backend *backend, const char *name,
                                     const char *key, char **value_out, frz_error **err)
{
    memory_backend *self = enter(backend);
    const frz_slice whole = frz_slice_of_text(name);
    if (!frz_names_contain(&self->spaces, whole))
        return leave(self, frz_refuse_no_namespace(whole, err));
    char *value = NULL;
    for (size_t i = 0; i < self->property_count; i++) {
        const memory_property *property = &self->properties[i];
        if (strcmp(property->space, name) != 0 || strcmp(property->key, key) != 0)
            continue;
        value = frz_copy_text(property->value);
        if (!value)
            return leave(self, frz_fail_memory(err));
        break;
    }
    *value_out = value;
    return leave(self, FRZ_OK);
}

static frz_status list_tables(frz_catalog_backend *backend, const char *name, frz_names *out,
                              frz_error **err)
{
    memory_backend *self = enter(backend);
    frz_status status = FRZ_OK;
    frz_names found = {0};
    const frz_slice whole = frz_slice_of_text(name);

    if (!frz_names_contain(&self->spaces, whole)) {
        status = frz_refuse_no_namespace(whole, err);
        goto done;
    }
    for (size_t i = 0; i < self->table_count; i++) {
        const frz_slice table = frz_slice_of_text(self->tables[i].identifier);
        if (frz_slice_equal(frz_namespace_parent(table), whole))
            FRZ_TRY_DONE(frz_names_add(&found, table, err));
    }
    frz_names_take_sorted(&found, out);

done:
    frz_names_free(&found);
    return leave(self, status);
}

static frz_status load(frz_catalog_backend *backend, const char *identifier,
                       char **metadata_location_out, frz_error **err)
{
    memory_backend *self = enter(backend);
    const memory_table *table = find_table(self, identifier);
    if (!table)
        return leave(self, frz_refuse_no_table(identifier, err));
    char *copy = frz_copy_text(table->location);
    if (!copy)
        return leave(self, frz_fail_memory(err));
    *metadata_location_out = copy;
    return leave(self, FRZ_OK);
}

static frz_status create(frz_catalog_backend *backend, const char *identifier,
                         const char *metadata_location, frz_error **err)
{
    memory_backend *self = enter(backend);
    const frz_slice space = frz_namespace_parent(frz_slice_of_text(identifier));
    if (!frz_names_contain(&self->spaces, space))
        return leave(self, frz_refuse_no_namespace(space, err));
    if (find_table(self, identifier))
        return leave(self, frz_refuse_table_exists(identifier, err));
    memory_table made = {frz_copy_text(identifier), frz_copy_text(metadata_location)};
    if (!made.identifier || !made.location ||
        !frz_grow_array((void **)&self->tables, &self->table_capacity, self->table_count,
                        sizeof made)) {
        frz_free(made.identifier);
        frz_free(made.location);
        return leave(self, frz_fail_memory(err));
    }
    self->tables[self->table_count++] = made;
    return leave(self, FRZ_OK);
}

static frz_status swap(frz_catalog_backend *backend, const char *identifier, const char *expected,
                       const char *metadata_location, frz_error **err)
{
    memory_backend *self = enter(backend);
    memory_table *table = find_table(self, identifier);
    if (!table)
        return leave(self, frz_refuse_no_table(identifier, err));
    if (strcmp(table->location, expected) != 0)
        return leave(self, frz_refuse_lost_swap(identifier, table->location, expected, err));
    char *copy = frz_copy_text(metadata_location);
    if (!copy)
        return leave(self, frz_fail_memory(err));
    frz_free(table->location);
    table->location = copy;
    return leave(self, FRZ_OK);
}

static frz_status drop(frz_catalog_backend *backend, const char *identifier, frz_error **err)
{
    memory_backend *self = enter(backend);
    memory_table *table = find_table(self, identifier);
    if (!table)
        return leave(self, frz_refuse_no_table(identifier, err));
    frz_free(table->identifier);
    frz_free(table->location);
    *table = self->tables[--self->table_count];
    return leave(self, FRZ_OK);
}

static frz_status rename_table(frz_catalog_backend *backend, const char *from, const char *to,
                               frz_error **err)
{
    memory_backend *self = enter(backend);
    memory_table *table = find_table(self, from);
    const frz_slice space = frz_namespace_parent(frz_slice_of_text(to));
    if (!table)
        return leave(self, frz_refuse_no_table(from, err));
    if (!frz_names_contain(&self->spaces, space))
        return leave(self, frz_refuse_no_namespace(space, err));
    if (find_table(self, to))
        return leave(self, frz_refuse_table_exists(to, err));
    char *copy = frz_copy_text(to);
    if (!copy)
        return leave(self, frz_fail_memory(err));
    frz_free(table->identifier);
    table->identifier = copy;
    return leave(self, FRZ_OK);
}

static frz_status lock(frz_catalog_backend *backend, frz_error **err)
{
    (void)err;
    (void)enter(backend);
    return FRZ_OK;
}

static void unlock(frz_catalog_backend *backend)
{
    (void)leave((memory_backend *)backend, FRZ_OK);
}

static void free_backend(frz_catalog_backend *backend)
{
    memory_backend *self = (memory_backend *)backend;
    for (size_t i = 0; i < self->table_count; i++) {
        frz_free(self->tables[i].identifier);
        frz_free(self->tables[i].location);
    }
    for (size_t i = 0; i < self->property_count; i++)
        free_property(&self->properties[i]);
    frz_free(self->tables);
    frz_free(self->properties);
    frz_names_free(&self->spaces);
    (void)pthread_mutex_destroy(&self->mutex);
    frz_free(self);
}

static const frz_catalog_backend_ops memory_ops = {
    .list_namespaces = list_namespaces,
    .create_namespace = create_namespace,
    .drop_namespace = drop_namespace,
    .namespace_property = namespace_property,
    .list_tables = list_tables,
    .load = load,
    .create = create,
    .swap = swap,
    .drop = drop,
    .rename = rename_table,
    .lock = lock,
    .unlock = unlock,
    .free = free_backend,
};

frz_status frz_catalog_memory_new(frz_catalog_backend **out, frz_error **err)
{
    memory_backend *self = frz_alloc_zero(sizeof *self);
    if (!self)
        return frz_fail_memory(err);
    self->base.ops = &memory_ops;
    const frz_status status = frz_catalog_mutex_init(&self->mutex, err);
    if (status != FRZ_OK) {
        frz_free(self);
        return status;
    }
    *out = &self->base;
    return FRZ_OK;
}
