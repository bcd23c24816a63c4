/*
 * Random evolutions: whatever is asked for, ids stay with their fields, new ones were never used, a
 * change that is refused changes nothing, and every schema survives its JSON.
 */
#include "spec/schema_fixture.h"

enum { SEQUENCES = 300, STEPS = 40, NAMES = 6 };

static uint64_t seed;

static uint32_t pick(uint32_t count)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % count;
}

static const char *const names[NAMES] = {"a", "b", "c", "d", "e", "element"};
static const char *const types[] = {"int",
                                    "long",
                                    "float",
                                    "date",
                                    "decimal(9,2)",
                                    "decimal(12,2)",
                                    "timestamp",
                                    "double",
                                    "string",
                                    "list<struct<a int, b date>>",
                                    "map<string, struct<c int>>",
                                    "struct<a int, d struct<e float>>",
                                    "list<int>",
                                    "int not null default 7"};

/* The path of a random field, or of none. */
static const char *random_path(const frz_schema *schema)
{
    const size_t count = frz_schema_field_count(schema);
    if (pick(12) == 0)
        return names[pick(NAMES)];
    return frz_schema_path(schema, frz_schema_field_at(schema, pick((uint32_t)count))->id);
}

static frz_status random_add(frz_schema_update *update)
{
    char path[512];
    const frz_new_column column = {.path = path,
                                   .definition = types[pick(sizeof types / sizeof *types)],
                                   .place = {.first = pick(3) == 0}};
    int32_t id = 0;
    if (pick(2))
        (void)snprintf(path, sizeof path, "%s", names[pick(NAMES)]);
    else
        (void)snprintf(path, sizeof path, "%.400s.%s", random_path(update->schema),
                       names[pick(NAMES)]);
    const int32_t last = update->last_column_id;
    const frz_status status = frz_schema_update_add(update, &column, &id, NULL);
    CHECK(status != FRZ_OK || id == last + 1);
    return status;
}

static frz_status random_union(frz_schema_update *update)
{
    char ddl[128];
    (void)snprintf(ddl, sizeof ddl, "%s %s, x%u int", names[pick(5)], types[pick(9)], pick(3));
    frz_schema *other = schema_of(ddl);
    const frz_status status = frz_schema_update_union(update, other, NULL);
    frz_schema_unref(other);
    return status;
}

static frz_status random_change(frz_schema_update *update, uint32_t kind)
{
    char path[512];
    char other[512];
    (void)snprintf(path, sizeof path, "%s", random_path(update->schema));
    (void)snprintf(other, sizeof other, "%s", random_path(update->schema));
    const frz_column_place place = {.first = pick(2), .after = pick(2) ? other : NULL};
    const frz_column_change change = {.type = pick(2) ? types[pick(9)] : NULL,
                                      .optional = pick(2),
                                      .default_value = pick(4) ? NULL : "1",
                                      .comment = pick(2) ? "text" : NULL};
    const char *identifier = path;
    switch (kind) {
    case 0:
        return frz_schema_update_drop(update, path, NULL);
    case 1:
        return frz_schema_update_rename(update, path, names[pick(NAMES)], NULL);
    case 2:
        return frz_schema_update_move(update, path, &place, NULL);
    case 3:
        return frz_schema_update_change(update, path, &change, NULL);
    case 4:
        return frz_schema_update_set_identifier(update, &identifier, pick(2), NULL);
    case 5:
        return random_union(update);
    default:
        return random_add(update);
    }
}

/* Every field of `after` is one of `before` or has an id beyond all that were given before. */
static void check_ids(const frz_schema *before, const frz_schema *after, int32_t last)
{
    for (size_t i = 0; i < frz_schema_field_count(after); i++) {
        const frz_field *field = frz_schema_field_at(after, i);
        const frz_field *old = frz_schema_find_id(before, field->id);
        const frz_field *parent = frz_schema_parent(after, field->id);
        const frz_field *old_parent = old ? frz_schema_parent(before, field->id) : NULL;
        CHECK(old || field->id > last);
        if (old) /* "nor is moving fields from a nested struct into its immediate parent" */
            CHECK((parent ? parent->id : -1) == (old_parent ? old_parent->id : -1));
        if (old && old->required != field->required)
            CHECK(old->required);
        if (old && old->type->field_count == 0 && old->type->kind != FRZ_TYPE_UNKNOWN)
            CHECK(frz_type_promotes(old->type, field->type, 3));
        if (old && old->initial_default && old->type->kind == field->type->kind)
            CHECK(frz_value_same(old->initial_default, field->initial_default));
    }
}

static void check_json(const frz_schema *schema)
{
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_buffer text = {0};
    frz_schema *read = NULL;
    frz_json_writer writer = frz_json_writer_to(&text, 0);
    frz_schema_write_json(schema, &writer);
    frz_json_reader reader = frz_json_reader_over(frz_buffer_slice(&text), &arena);
    CHECK_OK(frz_schema_read_json(&reader, &read, &err), err);
    CHECK(frz_type_equal(frz_schema_type(schema), frz_schema_type(read)));
    frz_schema_unref(read);
    frz_buffer_clear(&text);
    frz_arena_clear(&arena);
}

static void random_evolutions_keep_their_ids(void **state)
{
    int made = 0;
    int refused = 0;
    (void)state;
    for (uint64_t sequence = 1; sequence <= SEQUENCES; sequence++) {
        seed = sequence;
        frz_schema_update update =
            update_of("a long, b struct<a int, c list<struct<d date>>>, c map<int, int>", 3);
        for (int step = 0; step < STEPS; step++) {
            frz_schema *before = frz_schema_ref(update.schema);
            const int32_t last = update.last_column_id;
            const frz_status status = random_change(&update, pick(10));
            CHECK(status == FRZ_OK || status == FRZ_INVALID);
            if (status == FRZ_OK) {
                made++;
                check_ids(before, update.schema, last);
                check_json(update.schema);
            } else {
                refused++;
                check_ids(before, update.schema, last); /* a union may have begun */
            }
            CHECK(update.last_column_id >= last);
            CHECK(update.last_column_id >= frz_schema_highest_id(update.schema));
            frz_schema_unref(before);
        }
        frz_schema_update_clear(&update);
    }
    CHECK(made > SEQUENCES * STEPS / 8 && refused > SEQUENCES * STEPS / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_evolutions_keep_their_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
