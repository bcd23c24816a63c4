#include "write/first_names.h"

#include <inttypes.h>

#include "base/fail.h"

frz_slice frz_first_name(const frz_first_names *names, frz_slice name)
{
    const frz_map_value *found = names ? frz_map_find(&names->map, name) : NULL;
    return found ? *(const frz_slice *)found->pointer : name;
}

frz_status frz_first_names_add(frz_first_names *names, frz_slice name, frz_slice before,
                               frz_error **err)
{
    frz_slice key;
    frz_slice *first = frz_arena_alloc(&names->arena, sizeof *first);
    if (!first || !frz_arena_slice(&names->arena, name, &key) ||
        !frz_arena_slice(&names->arena, frz_first_name(names, before), first) ||
        !frz_map_put(&names->map, key, (frz_map_value){.pointer = first}))
        return frz_fail_memory(err);
    return FRZ_OK;
}

void frz_delete_file_name(const frz_data_file *file, frz_buffer *out)
{
    frz_buffer_append(out, file->path.data, file->path.size);
    frz_buffer_printf(out, "@%" PRId64, file->content_offset);
}

void frz_first_names_clear(frz_first_names *names)
{
    frz_map_clear(&names->map);
    frz_arena_clear(&names->arena);
}
