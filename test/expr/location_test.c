#include "expr/location.h"

#include "expr/random.h"

static frz_schema *schema;

static bool same(const frz_value *a, const frz_value *b)
{
    if (a->form != b->form)
        return false;
    return a->form == FRZ_VALUE_NULL || a->form == FRZ_VALUE_STRUCT || frz_value_same(a, b);
}

static frz_location locate(int leaf, frz_arena *arena)
{
    char text[64];
    frz_location location;
    frz_error *err = NULL;
    (void)snprintf(text, sizeof text, "%s IS NULL OR i = 1", leaf_columns[leaf].path);
    const frz_expr *expr = sample_parse(schema, text, arena);
    const frz_reference *reference =
        expr->op == FRZ_EXPR_OR ? expr->left->reference : expr->reference;
    CHECK_OK(frz_location_init(&location, reference, frz_schema_type(schema), arena, &err), err);
    return location;
}

static void values_are_found_at_every_depth(void **state)
{
    (void)state;
    static table t;
    frz_arena arena = {0};
    rng r = {.state = 11};
    t = (table){0};
    fill_table(&t, &r, schema, 150);
    fill_batch(&t);
    for (int leaf = 0; leaf < LEAVES; leaf++) {
        if (strcmp(leaf_columns[leaf].path, "id") == 0)
            continue; /* IS NULL of a required column leaves no reference */
        const frz_location location = locate(leaf, &arena);
        CHECK(location.columnar == leaf_columns[leaf].direct);
        for (int64_t row = 0; row < t.row_count; row++) {
            const frz_value got = frz_location_value(&location, &t.batch, row);
            if (!same(&got, &t.leaves[row][leaf]))
                fail_msg("%s, row %d", leaf_columns[leaf].path, (int)row);
        }
    }
    clear_table(&t);
    frz_arena_clear(&arena);
}

static void nulls_of_parents_clear_the_bits_of_their_fields(void **state)
{
    (void)state;
    static table t;
    frz_arena arena = {0};
    rng r = {.state = 12};
    t = (table){0};
    fill_table(&t, &r, schema, 150);
    fill_batch(&t);
    for (int leaf = 0; leaf < LEAVES; leaf++) {
        if (!leaf_columns[leaf].direct || strcmp(leaf_columns[leaf].path, "id") == 0)
            continue;
        const frz_location location = locate(leaf, &arena);
        uint64_t mask[3] = {~(uint64_t)0, ~(uint64_t)0, 0x3fffff};
        frz_location_clear_nulls(&location, &t.batch, mask);
        for (int64_t row = 0; row < t.row_count; row++)
            CHECK((mask[row / 64] >> (row % 64) & 1) ==
                  (t.leaves[row][leaf].form != FRZ_VALUE_NULL));
    }
    clear_table(&t);
    frz_arena_clear(&arena);
}

static void bitmap_words_start_at_any_bit(void **state)
{
    (void)state;
    uint8_t bits[40];
    rng r = {.state = 13};
    for (size_t i = 0; i < sizeof bits; i++)
        bits[i] = (uint8_t)rng_next(&r);
    for (int64_t offset = 0; offset < 200; offset++) {
        for (int64_t count = 1; count <= 64; count++) {
            const uint64_t word = frz_bitmap_word(bits, offset, count);
            for (int64_t i = 0; i < 64; i++)
                CHECK((word >> i & 1) == (i < count && frz_bit_get(bits, offset + i)));
        }
    }
    /* The last bits of a buffer are read without the byte behind it. */
    uint8_t *last = frz_alloc(1);
    CHECK(last != NULL);
    *last = 0x80;
    CHECK(frz_bitmap_word(last, 7, 1) == 1);
    frz_free(last);
}

static void missing_fields_are_named(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_location location;
    const frz_type empty = {.kind = FRZ_TYPE_STRUCT};
    const frz_expr *expr = sample_parse(schema, "m['k'] = 1", &arena);
    CHECK_FAILS(frz_location_init(&location, expr->reference, &empty, &arena, &err), FRZ_INVALID,
                err, "the column m['k'] is not among the columns");
    frz_arena tight = {.budget = 1};
    CHECK(frz_location_init(&location, expr->reference, frz_schema_type(schema), &tight, NULL) ==
          FRZ_NO_MEMORY);
    frz_arena_clear(&arena);
}

static int open_schema(void **state)
{
    (void)state;
    schema = sample_schema();
    return schema ? 0 : -1;
}

static int close_schema(void **state)
{
    (void)state;
    frz_schema_unref(schema);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_found_at_every_depth),
        cmocka_unit_test(nulls_of_parents_clear_the_bits_of_their_fields),
        cmocka_unit_test(bitmap_words_start_at_any_bit),
        cmocka_unit_test(missing_fields_are_named),
    };
    return cmocka_run_group_tests(tests, open_schema, close_schema);
}
