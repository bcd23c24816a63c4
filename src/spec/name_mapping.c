#include "spec/name_mapping.h"

#include <string.h>

#include "base/fail.h"
#include "base/map.h"
#include "spec/json_list.h"

enum { NO_FIELD_ID = -1 };

static frz_status read_mappings(frz_json_reader *json, frz_arena *arena, frz_name_mapping *parent,
                                frz_error **err);

static frz_status read_name(frz_json_reader *json, const frz_json_list *list, void *item,
                            frz_error **err)
{
    const char *name = NULL;
    FRZ_TRY(frz_json_read_text(json, &name, err));
    name = frz_arena_text(list->arena, name);
    memcpy(item, &name, sizeof name);
    return name ? FRZ_OK : frz_fail_memory(err);
}

static frz_status read_names(frz_json_reader *json, frz_arena *arena, frz_name_mapping *mapping,
                             frz_error **err)
{
    const frz_json_list list = {.arena = arena, .item_size = sizeof(char *), .read = read_name};
    frz_list names = {0};
    FRZ_TRY(frz_json_list_read(json, &list, &names, err));
    mapping->names = names.items;
    mapping->name_count = names.count;
    return FRZ_OK;
}

typedef struct mapping_members {
    frz_arena *arena;
    frz_name_mapping mapping;
} mapping_members;

static frz_status read_member(frz_json_reader *json, frz_slice key, void *context, frz_error **err)
{
    mapping_members *members = context;
    frz_name_mapping *mapping = &members->mapping;
    bool is_null = false;
    if (frz_slice_is_text(key, "names"))
        return read_names(json, members->arena, mapping, err);
    if (frz_slice_is_text(key, "field-id")) {
        const size_t offset = frz_json_value_offset(json);
        FRZ_TRY(frz_json_read_null(json, &is_null, err));
        if (is_null)
            return FRZ_OK;
        FRZ_TRY(frz_json_read_i32(json, &mapping->field_id, err));
        return mapping->field_id >= 0 ? FRZ_OK
                                      : frz_fail(err, FRZ_CORRUPT, offset,
                                                 "field id %d is negative", mapping->field_id);
    }
    if (frz_slice_is_text(key, "fields")) {
        FRZ_TRY(frz_json_read_null(json, &is_null, err));
        return is_null ? FRZ_OK : read_mappings(json, members->arena, mapping, err);
    }
    return frz_json_skip(json, err);
}

/* "names: A required list of 0 or more names"; a missing one is read as empty, as Java does. */
static frz_status read_mapping(frz_json_reader *json, const frz_json_list *list, void *item,
                               frz_error **err)
{
    mapping_members members = {.arena = list->arena, .mapping = {.field_id = NO_FIELD_ID}};
    FRZ_TRY(frz_json_read_members(json, read_member, &members, err));
    memcpy(item, &members.mapping, sizeof members.mapping);
    return FRZ_OK;
}

static frz_status read_mappings(frz_json_reader *json, frz_arena *arena, frz_name_mapping *parent,
                                frz_error **err)
{
    const frz_json_list list = {
        .arena = arena, .item_size = sizeof(frz_name_mapping), .read = read_mapping};
    frz_list children = {0};
    FRZ_TRY(frz_json_list_read(json, &list, &children, err));
    parent->children = children.items;
    parent->child_count = children.count;
    return FRZ_OK;
}

static frz_status index_names(const frz_name_mapping *parent, frz_map *owners, frz_error **err)
{
    for (size_t i = 0; i < parent->child_count; i++) {
        const frz_name_mapping *child = &parent->children[i];
        for (size_t j = 0; j < child->name_count; j++) {
            const frz_slice name = frz_slice_of_text(child->names[j]);
            const frz_map_value *owner = frz_map_find(owners, name);
            if (owner && owner->number != (int64_t)i)
                return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                                "the name %.200s stands in two mappings", child->names[j]);
            if (!frz_map_put(owners, name, (frz_map_value){.number = (int64_t)i}))
                return frz_fail_memory(err);
        }
    }
    return FRZ_OK;
}

/* A name that two mappings of one level share would give a column either id; Java refuses it too.
 */
static frz_status check_names_differ(const frz_name_mapping *parent, frz_error **err)
{
    frz_map owners = {0};
    const frz_status status = index_names(parent, &owners, err);
    frz_map_clear(&owners);
    if (status != FRZ_OK)
        return status;
    for (size_t i = 0; i < parent->child_count; i++)
        FRZ_TRY(check_names_differ(&parent->children[i], err));
    return FRZ_OK;
}

frz_status frz_name_mapping_parse(frz_slice json, frz_arena *arena, frz_name_mapping *out,
                                  frz_error **err)
{
    frz_name_mapping root = {.field_id = NO_FIELD_ID};
    frz_json_reader reader = frz_json_reader_over(json, arena);
    frz_status status = read_mappings(&reader, arena, &root, err);
    if (status == FRZ_OK)
        status = frz_json_expect_end(&reader, err);
    if (status == FRZ_OK)
        status = check_names_differ(&root, err);
    if (status == FRZ_OK)
        *out = root;
    return status;
}

const frz_name_mapping *frz_name_mapping_find(const frz_name_mapping *parent, frz_slice name)
{
    return frz_name_mapping_find_near(parent, name, 0);
}

const frz_name_mapping *frz_name_mapping_find_near(const frz_name_mapping *parent, frz_slice name,
                                                   size_t hint)
{
    for (size_t i = 0; i < parent->child_count; i++) {
        const frz_name_mapping *child = &parent->children[(hint + i) % parent->child_count];
        for (size_t j = 0; j < child->name_count; j++)
            if (frz_slice_is_text(name, child->names[j]))
                return child;
    }
    return NULL;
}
