#include "spec/list.h"

#include <string.h>

enum { FIRST_CAPACITY = 4 };

bool frz_list_reserve(frz_list *list, frz_arena *arena, size_t count, size_t item_size)
{
    if (count <= list->capacity)
        return true;
    void *items = frz_arena_array(arena, count, item_size);
    if (!items)
        return false;
    if (list->count)
        memcpy(items, list->items, list->count * item_size);
    list->items = items;
    list->capacity = count;
    return true;
}

void *frz_list_add(frz_list *list, frz_arena *arena, size_t item_size)
{
    const size_t capacity = list->capacity ? list->capacity * 2 : FIRST_CAPACITY;
    if (list->count == list->capacity && !frz_list_reserve(list, arena, capacity, item_size))
        return NULL;
    uint8_t *item = (uint8_t *)list->items + list->count * item_size;
    memset(item, 0, item_size);
    list->count++;
    return item;
}

void frz_list_remove(frz_list *list, size_t index, size_t item_size)
{
    uint8_t *item = (uint8_t *)list->items + index * item_size;
    memmove(item, item + item_size, (list->count - index - 1) * item_size);
    list->count--;
}
