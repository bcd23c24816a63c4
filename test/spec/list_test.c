#include "harness.h"

#include "spec/list.h"

static void keeps_items_in_order_while_it_grows(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_list list = {0};
    for (int i = 0; i < 1000; i++) {
        int *item = frz_list_add(&list, &arena, sizeof *item);
        CHECK(item != NULL && *item == 0);
        *item = i;
    }
    CHECK(list.count == 1000);
    for (int i = 0; i < 1000; i++)
        CHECK(((int *)list.items)[i] == i);
    frz_arena_clear(&arena);
}

static void closes_the_gap_of_a_removed_item(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_list list = {0};
    for (int i = 0; i < 4; i++)
        *(int *)frz_list_add(&list, &arena, sizeof(int)) = i;
    frz_list_remove(&list, 3, sizeof(int));
    frz_list_remove(&list, 0, sizeof(int));
    CHECK(list.count == 2);
    CHECK(((int *)list.items)[0] == 1 && ((int *)list.items)[1] == 2);
    frz_arena_clear(&arena);
}

static void stops_at_the_budget_of_the_arena(void **state)
{
    (void)state;
    frz_arena arena = {.budget = 4096};
    frz_list list = {0};
    size_t added = 0;
    while (frz_list_add(&list, &arena, 64))
        added++;
    CHECK(added > 4 && added < 64);
    CHECK(list.count == added);
    frz_arena_clear(&arena);
}

static void room_is_made_once(void **state)
{
    frz_arena arena = {0};
    frz_list list = {0};
    (void)state;
    *(int *)frz_list_add(&list, &arena, sizeof(int)) = 7;
    CHECK(frz_list_reserve(&list, &arena, 100, sizeof(int)));
    const void *items = list.items;
    for (int i = 1; i < 100; i++)
        *(int *)frz_list_add(&list, &arena, sizeof(int)) = 7 + i;
    CHECK(list.items == items && list.count == 100);
    CHECK(((int *)list.items)[0] == 7 && ((int *)list.items)[99] == 106);
    CHECK(frz_list_reserve(&list, &arena, 5, sizeof(int)) && list.items == items);
    frz_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(room_is_made_once),
        cmocka_unit_test(keeps_items_in_order_while_it_grows),
        cmocka_unit_test(closes_the_gap_of_a_removed_item),
        cmocka_unit_test(stops_at_the_budget_of_the_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
