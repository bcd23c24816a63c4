/* Covers: spec/schema_edit
 *
 * Rules of schema changes: spec "Schema Evolution", "Default values",
 * "Identifier Field IDs". */
#include "spec/schema_update.h"

#include "spec/schema_fixture.h"

static const char orders[] =
    "id long not null, name string, at struct<zip int, city string>, items list<struct<sku string, "
    "n int>>, tags map<string, struct<v int>>, m map<struct<k int>, int>";

static void columns_are_added_at_every_depth_with_new_ids(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_schema_update update = update_of("id long, at struct<zip int>, items list<struct<n int>>, "
                                         "tags map<string, struct<v int>>",
                                         3);
    const int32_t last = update.last_column_id;
    CHECK_OK(add_column(&update, "price", "decimal(9,2)", &err), err);
    CHECK_OK(add_column(&update, "at.city", "string comment 'of the shop'", &err), err);
    CHECK_OK(add_column(&update, "items.sku", "string", &err), err);
    CHECK_OK(add_column(&update, "items.element.x", "int", &err), err);
    CHECK_OK(add_column(&update, "tags.w", "int", &err), err);
    check_schema(&update, "id long, at struct<zip: int, city: string comment 'of the shop'>, "
                          "items list<struct<n: int, sku: string, x: int>>, "
                          "tags map<string, struct<v: int, w: int>>, price decimal(9, 2)");
    CHECK(id_of(&update, "price") == last + 1);
    CHECK(id_of(&update, "at.city") == last + 2);
    CHECK(id_of(&update, "items.element.sku") == last + 3);
    CHECK(id_of(&update, "items.element.x") == last + 4);
    CHECK(id_of(&update, "tags.value.w") == last + 5);
    CHECK(update.last_column_id == last + 5);
    frz_schema_update_clear(&update);
}

/* Java's order: the field itself, then what is nested in it, a level at a time. */
static void d004_nested_fields_of_a_new_column_count(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_schema_update update = update_of("id int, t struct<a int, b int>", 3);
    CHECK(update.last_column_id == 4);
    CHECK_OK(add_column(&update, "c", "struct<x int, l list<int>, y struct<z int>>", &err), err);
    CHECK(id_of(&update, "c") == 5 && id_of(&update, "c.x") == 6 && id_of(&update, "c.l") == 7);
    CHECK(id_of(&update, "c.y") == 8 && id_of(&update, "c.l.element") == 9);
    CHECK(id_of(&update, "c.y.z") == 10 && update.last_column_id == 10);
    /* A dropped column's id does not come back. */
    CHECK_OK(frz_schema_update_drop(&update, "c", &err), err);
    CHECK_OK(add_column(&update, "c", "int", &err), err);
    CHECK(id_of(&update, "c") == 11);
    frz_schema_update_clear(&update);
}

static void a_new_column_goes_where_it_is_told(void **state)
{
    (void)state;
    frz_error *err = NULL;
    int32_t id = 0;
    frz_schema_update update = update_of("a int, s struct<x int, y int>", 2);
    frz_new_column column = {.path = "z", .definition = "int", .place = {.first = true}};
    CHECK_OK(frz_schema_update_add(&update, &column, &id, &err), err);
    column = (frz_new_column){.path = "b", .definition = "int", .place = {.after = "a"}};
    CHECK_OK(frz_schema_update_add(&update, &column, &id, &err), err);
    column = (frz_new_column){.path = "s.m", .definition = "int", .place = {.after = "s.x"}};
    CHECK_OK(frz_schema_update_add(&update, &column, &id, &err), err);
    check_schema(&update, "z int, a int, b int, s struct<x: int, m: int, y: int>");
    column = (frz_new_column){.path = "s.n", .definition = "int", .place = {.after = "a"}};
    CHECK_FAILS(frz_schema_update_add(&update, &column, &id, &err), FRZ_INVALID, err,
                "in another struct");
    column.place = (frz_column_place){.first = true, .after = "x"};
    CHECK_FAILS(frz_schema_update_add(&update, &column, &id, &err), FRZ_INVALID, err, "not both");
    frz_schema_update_clear(&update);
}

/* "When a required field is added, both defaults must be set to a non-null value". */
static void defaults_of_new_columns_are_initial_and_write_defaults(void **state)
{
    (void)state;
    frz_error *err = NULL;
    int32_t id = 0;
    frz_schema_update update = update_of("id int", 3);
    frz_new_column column = {.path = "country", .definition = "string", .default_value = "US"};
    CHECK_OK(frz_schema_update_add(&update, &column, &id, &err), err);
    const frz_field *field = frz_schema_find_id(update.schema, id);
    CHECK(field->initial_default && field->write_default && !field->required);
    CHECK(frz_slice_is_text(field->initial_default->bytes, "US"));
    column =
        (frz_new_column){.path = "n", .definition = "int", .required = true, .default_value = "-5"};
    CHECK_OK(frz_schema_update_add(&update, &column, &id, &err), err);
    CHECK(frz_schema_find_id(update.schema, id)->initial_default->integer == -5);
    CHECK_FAILS(add_column(&update, "r", "int not null", &err), FRZ_INVALID, err,
                "a required column is added with a default alone");
    CHECK_FAILS(add_column(&update, "r", "struct<a int not null> not null default {}", &err),
                FRZ_INVALID, err, "column a: a required column");
    CHECK_OK(add_column(&update, "r", "struct<a int not null default 1> not null default {}", &err),
             err);
    field = frz_schema_find_name(update.schema, frz_slice_of_text("r.a"), true);
    CHECK(field->initial_default->integer == 1);
    /* In a struct that is null in old rows a required field needs none. */
    CHECK_OK(add_column(&update, "q", "struct<a int not null>", &err), err);
    frz_schema_update_clear(&update);
}

static void what_needs_version_3_says_so(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_schema_update update = update_of("id int, d date, u int", 2);
    const frz_column_change to_timestamp = {.type = "timestamp"};
    CHECK_FAILS(add_column(&update, "t", "timestamp_ns", &err), FRZ_INVALID, err,
                "needs format version 3, the table has 2 (frazil upgrade T --to 3");
    CHECK_FAILS(add_column(&update, "t", "int default 5", &err), FRZ_INVALID, err,
                "an initial default needs format version 3");
    CHECK_FAILS(frz_schema_update_change(&update, "d", &to_timestamp, &err), FRZ_INVALID, err,
                "date cannot become timestamp; format version 3 allows it");
    check_schema(&update, "id int, d date, u int");
    frz_schema_update_clear(&update);
}

static void names_are_taken_once(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_schema_update update = update_of(orders, 3);
    CHECK_FAILS(add_column(&update, "name", "int", &err), FRZ_INVALID, err, "name exists already");
    CHECK_FAILS(add_column(&update, "items.sku", "int", &err), FRZ_INVALID, err,
                "column items.element.sku exists already");
    CHECK_OK(add_column(&update, "NAME", "int", &err), err);
    CHECK_FAILS(add_column(&update, "_row_id", "long", &err), FRZ_INVALID, err,
                "name of a metadata column");
    CHECK_OK(add_column(&update, "at._row_id", "long", &err), err);
    CHECK_FAILS(add_column(&update, "", "int", &err), FRZ_INVALID, err, "no path");
    CHECK_FAILS(add_column(&update, "at.", "int", &err), FRZ_INVALID, err, "no path");
    frz_schema_update_clear(&update);
    update = update_of("Name string", 3);
    update.case_insensitive = true;
    CHECK_FAILS(add_column(&update, "name", "int", &err), FRZ_INVALID, err, "Name exists already");
    CHECK_OK(frz_schema_update_rename(&update, "NAME", "name", &err), err);
    check_schema(&update, "name string");
    frz_schema_update_clear(&update);
}

static void quoted_names_may_hold_dots(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_schema_update update = update_of("id int, s struct<x int>", 3);
    CHECK_OK(add_column(&update, "\"a.b\"", "struct<c int>", &err), err);
    CHECK_OK(add_column(&update, "\"a.b\".d", "int", &err), err);
    check_schema(&update, "id int, s struct<x: int>, \"a.b\" struct<c: int, d: int>");
    CHECK_OK(frz_schema_update_drop(&update, "\"a.b\".c", &err), err);
    CHECK_OK(frz_schema_update_rename(&update, "\"a.b\"", "plain", &err), err);
    check_schema(&update, "id int, s struct<x: int>, plain struct<d: int>");
    frz_schema_update_clear(&update);
}

static void columns_only_go_into_structs(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_schema_update update = update_of(orders, 3);
    CHECK_FAILS(add_column(&update, "name.x", "int", &err), FRZ_INVALID, err,
                "column name is a string: only a struct takes new columns");
    CHECK_FAILS(add_column(&update, "nowhere.x", "int", &err), FRZ_INVALID, err,
                "no column nowhere");
    CHECK_FAILS(add_column(&update, "m.key.x", "int", &err), FRZ_INVALID, err,
                "the key of a map cannot be changed");
    CHECK_FAILS(add_column(&update, "m.x", "int", &err), FRZ_INVALID, err, "column m.value is a");
    frz_schema_update_clear(&update);
}

static void columns_are_dropped(void **state)
{
    (void)state;
    frz_error *err = NULL;
    const char *const identifier[] = {"id", "at.zip"};
    frz_schema_update update =
        update_of("id long not null, at struct<zip int not null, c int> not null, l list<int>, "
                  "m map<struct<k int, j int>, int>, o struct<x int>",
                  3);
    CHECK_OK(frz_schema_update_set_identifier(&update, identifier, 2, &err), err);
    CHECK_FAILS(frz_schema_update_drop(&update, "id", &err), FRZ_INVALID, err,
                "column id identifies rows");
    CHECK_FAILS(frz_schema_update_drop(&update, "at", &err), FRZ_INVALID, err,
                "column at.zip identifies rows");
    CHECK_OK(frz_schema_update_drop(&update, "at.c", &err), err);
    CHECK_FAILS(frz_schema_update_drop(&update, "l.element", &err), FRZ_INVALID, err,
                "is the element of a list");
    CHECK_FAILS(frz_schema_update_drop(&update, "m.key.k", &err), FRZ_INVALID, err, "key of a map");
    CHECK_FAILS(frz_schema_update_drop(&update, "o.x", &err), FRZ_INVALID, err,
                "the only one of its struct");
    CHECK_FAILS(frz_schema_update_drop(&update, "ID", &err), FRZ_INVALID, err,
                "no column ID; near: id");
    CHECK_OK(frz_schema_update_set_identifier(&update, NULL, 0, &err), err);
    CHECK_OK(frz_schema_update_drop(&update, "id", &err), err);
    CHECK_OK(frz_schema_update_drop(&update, "at", &err), err);
    check_schema(&update, "l list<int>, m map<struct<k: int, j: int>, int>, o struct<x: int>");
    frz_schema_update_clear(&update);
}

static void a_rename_keeps_the_id(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_schema_update update = update_of(orders, 3);
    const int32_t id = id_of(&update, "items.element.sku");
    CHECK_OK(frz_schema_update_rename(&update, "items.sku", "code", &err), err);
    CHECK(id_of(&update, "items.element.code") == id);
    CHECK_FAILS(frz_schema_update_rename(&update, "items.code", "n", &err), FRZ_INVALID, err,
                "column items.element.n exists already");
    CHECK_FAILS(frz_schema_update_rename(&update, "id", "", &err), FRZ_INVALID, err,
                "needs a name");
    CHECK_FAILS(frz_schema_update_rename(&update, "id", "_file", &err), FRZ_INVALID, err,
                "metadata column");
    CHECK_FAILS(frz_schema_update_rename(&update, "tags.value", "v2", &err), FRZ_INVALID, err,
                "is the value of a map");
    frz_schema_update_clear(&update);
}

static void columns_move_among_their_siblings(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_schema_update update = update_of("a int, b int, c int, s struct<x int, y int, z int>", 3);
    frz_column_place place = {.first = true};
    CHECK_OK(frz_schema_update_move(&update, "c", &place, &err), err);
    place = (frz_column_place){.after = "b"};
    CHECK_OK(frz_schema_update_move(&update, "a", &place, &err), err);
    place = (frz_column_place){.after = "z"};
    CHECK_OK(frz_schema_update_move(&update, "s.x", &place, &err), err);
    check_schema(&update, "c int, b int, a int, s struct<y: int, z: int, x: int>");
    place = (frz_column_place){.after = "a"};
    CHECK_FAILS(frz_schema_update_move(&update, "s.x", &place, &err), FRZ_INVALID, err,
                "in another struct");
    CHECK_FAILS(frz_schema_update_move(&update, "a", &place, &err), FRZ_INVALID, err,
                "cannot move after itself");
    place = (frz_column_place){0};
    CHECK_FAILS(frz_schema_update_move(&update, "a", &place, &err), FRZ_INVALID, err,
                "say where it moves");
    frz_schema_update_clear(&update);
}

/* The table of valid promotions, and no other. */
static void types_are_promoted_as_the_version_allows(void **state)
{
    static const struct {
        const char *from;
        const char *to;
        int since; /* 0 = never */
    } cases[] = {
        {"int", "long", 1},
        {"float", "double", 1},
        {"decimal(9,2)", "decimal(12,2)", 1},
        {"date", "timestamp", 3},
        {"date", "timestamp_ns", 3},
        {"date", "timestamptz", 0},
        {"date", "timestamptz_ns", 0},
        {"unknown", "int", 3},
        {"unknown", "struct<a int, b list<string>>", 3},
        {"long", "int", 0},
        {"double", "float", 0},
        {"int", "double", 0},
        {"int", "string", 0},
        {"decimal(9,2)", "decimal(8,2)", 0},
        {"decimal(9,2)", "decimal(12,3)", 0},
        {"timestamp", "timestamp_ns", 0},
        {"string", "struct<a int>", 0},
        {"struct<a int>", "int", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int version = 2; version <= 3; version++) {
            char ddl[64];
            frz_error *err = NULL;
            const frz_column_change change = {.type = cases[i].to};
            if (version < 3 && strcmp(cases[i].from, "unknown") == 0)
                continue; /* no such column */
            (void)snprintf(ddl, sizeof ddl, "k int, c %s", cases[i].from);
            frz_schema_update update = update_of(ddl, version);
            const int32_t last = update.last_column_id;
            const frz_status status = frz_schema_update_change(&update, "c", &change, &err);
            const bool allowed = cases[i].since && version >= cases[i].since;
            if (status != (allowed ? FRZ_OK : FRZ_INVALID))
                fail_msg("%s to %s in version %d: %s", cases[i].from, cases[i].to, version,
                         frz_error_message(err));
            CHECK(id_of(&update, "c") == 2);
            if (strncmp(cases[i].to, "struct", 6) == 0 && allowed)
                CHECK(update.last_column_id == last + 3);
            frz_error_free(err);
            frz_schema_update_clear(&update);
        }
    }
}

static void defaults_follow_a_promotion_and_the_initial_one_never_changes(void **state)
{
    (void)state;
    frz_error *err = NULL;
    int32_t id = 0;
    frz_schema_update update = update_of("id int", 3);
    const frz_new_column column = {
        .path = "d", .definition = "date", .default_value = "1970-01-02"};
    frz_column_change change = {.type = "timestamp"};
    CHECK_OK(frz_schema_update_add(&update, &column, &id, &err), err);
    CHECK_OK(frz_schema_update_change(&update, "d", &change, &err), err);
    const frz_field *field = frz_schema_find_id(update.schema, id);
    CHECK(field->initial_default->integer == INT64_C(86400000000));
    CHECK(field->write_default->integer == INT64_C(86400000000));
    change = (frz_column_change){.default_value = "1970-01-01T00:00:01"};
    CHECK_OK(frz_schema_update_change(&update, "d", &change, &err), err);
    field = frz_schema_find_id(update.schema, id);
    CHECK(field->initial_default->integer == INT64_C(86400000000));
    CHECK(field->write_default->integer == 1000000);
    change.default_value = "null";
    CHECK_OK(frz_schema_update_change(&update, "d", &change, &err), err);
    CHECK(!frz_schema_find_id(update.schema, id)->write_default);
    change.default_value = "yesterday";
    CHECK_FAILS(frz_schema_update_change(&update, "d", &change, &err), FRZ_INVALID, err,
                "yesterday");
    frz_schema_update_clear(&update);
}

static void columns_become_optional_but_not_required(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_schema_update update =
        update_of("id long not null, n int, l list<int not null>, m map<string, int not null>", 3);
    const frz_column_change optional = {.optional = true};
    const frz_column_change required = {.type = "int not null"};
    const frz_column_change comment = {.comment = "text"};
    CHECK_OK(frz_schema_update_change(&update, "id", &optional, &err), err);
    CHECK_OK(frz_schema_update_change(&update, "l.element", &optional, &err), err);
    CHECK_OK(frz_schema_update_change(&update, "m.value", &optional, &err), err);
    check_schema(&update, "id long, n int, l list<int>, m map<string, int>");
    CHECK_FAILS(frz_schema_update_change(&update, "n", &required, &err), FRZ_INVALID, err,
                "cannot become required");
    CHECK_FAILS(frz_schema_update_change(&update, "m.key", &optional, &err), FRZ_INVALID, err,
                "key of a map");
    CHECK_FAILS(frz_schema_update_change(&update, "l.element", &comment, &err), FRZ_INVALID, err,
                "neither default nor comment");
    CHECK_OK(frz_schema_update_change(&update, "n", &comment, &err), err);
    check_schema(&update, "id long, n int comment 'text', l list<int>, m map<string, int>");
    frz_schema_update_clear(&update);
}

/* "Float, double, and optional fields cannot be used as identifier fields", nor what is in lists,
 * maps and optional structs. */
static void identifier_fields_are_required_and_comparable(void **state)
{
    (void)state;
    frz_error *err = NULL;
    size_t count = 0;
    const char *const good[] = {"s.a", "id", "id"};
    const char *const bad[] = {"f", "o", "l.element", "p.a", "absent"};
    frz_schema_update update =
        update_of("id long not null, f double not null, o int, l list<int not null> not null, "
                  "s struct<a int not null> not null, p struct<a int not null>",
                  3);
    CHECK_OK(frz_schema_update_set_identifier(&update, good, 3, &err), err);
    const int32_t *ids = frz_schema_identifier_ids(update.schema, &count);
    CHECK(count == 2 && ids[0] == 1 && ids[1] == id_of(&update, "s.a"));
    for (size_t i = 0; i < 5; i++) {
        CHECK(frz_schema_update_set_identifier(&update, &bad[i], 1, &err) == FRZ_INVALID);
        frz_error_free(err);
        err = NULL;
    }
    const frz_column_change optional = {.optional = true};
    CHECK_FAILS(frz_schema_update_change(&update, "id", &optional, &err), FRZ_INVALID, err, "id");
    frz_schema_update_clear(&update);
}

static void change_all(void)
{
    frz_schema *schema = NULL;
    const char *const identifier[] = {"id"};
    const frz_column_change change = {.type = "long", .comment = "c", .default_value = "7"};
    const frz_column_place place = {.first = true};
    if (frz_ddl_parse_schema(frz_slice_of_text("id int not null, s struct<a int, b int>"), &schema,
                             NULL) != FRZ_OK)
        return;
    frz_schema_update update;
    frz_schema_update_open(&update, schema, 4, 3);
    frz_schema_unref(schema);
    frz_status status = add_column(&update, "s.\"c.d\"", "struct<x int default 1>", NULL);
    if (status == FRZ_OK)
        status = frz_schema_update_set_identifier(&update, identifier, 1, NULL);
    if (status == FRZ_OK)
        status = frz_schema_update_change(&update, "s.a", &change, NULL);
    if (status == FRZ_OK)
        status = frz_schema_update_move(&update, "s", &place, NULL);
    if (status == FRZ_OK)
        status = frz_schema_update_rename(&update, "s.b", "e", NULL);
    if (status == FRZ_OK)
        status = frz_schema_update_drop(&update, "s.e", NULL);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_schema_update_clear(&update);
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    sweep_allocation_failures(change_all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_added_at_every_depth_with_new_ids),
        cmocka_unit_test(d004_nested_fields_of_a_new_column_count),
        cmocka_unit_test(a_new_column_goes_where_it_is_told),
        cmocka_unit_test(defaults_of_new_columns_are_initial_and_write_defaults),
        cmocka_unit_test(what_needs_version_3_says_so),
        cmocka_unit_test(names_are_taken_once),
        cmocka_unit_test(quoted_names_may_hold_dots),
        cmocka_unit_test(columns_only_go_into_structs),
        cmocka_unit_test(columns_are_dropped),
        cmocka_unit_test(a_rename_keeps_the_id),
        cmocka_unit_test(columns_move_among_their_siblings),
        cmocka_unit_test(types_are_promoted_as_the_version_allows),
        cmocka_unit_test(defaults_follow_a_promotion_and_the_initial_one_never_changes),
        cmocka_unit_test(columns_become_optional_but_not_required),
        cmocka_unit_test(identifier_fields_are_required_and_comparable),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
