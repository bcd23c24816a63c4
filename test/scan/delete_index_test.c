/* Covers: spec/tuple_key */
#include "scan/delete_index.h"

#include "harness.h"
#include "spec/tuple_key.h"

static frz_manifest_entry data_at(const char *path, int64_t sequence)
{
    return (frz_manifest_entry){
        .status = FRZ_ENTRY_ADDED,
        .sequence_number = sequence,
        .file = {.content = FRZ_CONTENT_DATA, .path = frz_slice_of_text(path), .record_count = 10}};
}

static frz_manifest_entry vector_of(const char *path, int64_t sequence)
{
    frz_manifest_entry entry = data_at("dv.puffin", sequence);
    entry.file.content = FRZ_CONTENT_POSITION_DELETES;
    entry.file.format = FRZ_FORMAT_PUFFIN;
    entry.file.referenced_data_file = frz_slice_of_text(path);
    entry.file.content_offset = 4;
    entry.file.content_size = 40;
    return entry;
}

static frz_manifest_entry delete_file(const char *path, int64_t sequence, frz_file_content content)
{
    frz_manifest_entry entry = data_at(path, sequence);
    entry.file.content = content;
    return entry;
}

static size_t found(const frz_delete_index *index, const frz_manifest_entry *data,
                    const frz_manifest_entry **first)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_applied_deletes deletes;
    CHECK_OK(frz_delete_index_find(index, data, &arena, &deletes, &err), err);
    size_t count = deletes.position_count;
    *first = count ? deletes.positions[0] : NULL;
    for (size_t i = 0; i < FRZ_EQUALITY_SPANS; i++) {
        size_t more = 0;
        const frz_manifest_entry *const *entries =
            frz_equality_span_entries(&deletes.equalities[i], &more);
        *first = !count && more ? entries[0] : *first;
        count += more;
    }
    frz_arena_clear(&arena);
    return count;
}

static void test_a_vector_hides_position_deletes_of_its_data_file_only(void **state)
{
    (void)state;
    frz_delete_index *index = NULL;
    frz_error *err = NULL;
    const frz_manifest_entry *first = NULL;
    const frz_manifest_entry vector = vector_of("a", 3);
    const frz_manifest_entry positions = delete_file("p", 2, FRZ_CONTENT_POSITION_DELETES);
    const frz_manifest_entry a = data_at("a", 1);
    const frz_manifest_entry b = data_at("b", 1);
    frz_equality_deletes *owner = NULL;
    CHECK_OK(frz_equality_deletes_new(NULL, &owner, &err), err);
    CHECK_OK(frz_delete_index_new(NULL, owner, &index, &err), err);
    CHECK_OK(frz_delete_index_add(index, &vector, true, &err), err);
    CHECK_OK(frz_delete_index_add(index, &positions, true, &err), err);
    CHECK_OK(frz_delete_index_seal(index, &err), err);
    CHECK(found(index, &a, &first) == 1 && first == &vector);
    CHECK(found(index, &b, &first) == 1 && first == &positions);
    frz_delete_index_free(index);
    frz_equality_deletes_free(owner);
}

/* "The data file's data sequence number is less than or equal to the delete file's": equal for
 * positions, strictly less for equality deletes (D035). */
static void test_sequence_rules_differ_for_positions_and_equality(void **state)
{
    (void)state;
    frz_delete_index *index = NULL;
    frz_error *err = NULL;
    const frz_manifest_entry *first = NULL;
    const frz_manifest_entry positions = delete_file("p", 5, FRZ_CONTENT_POSITION_DELETES);
    const frz_manifest_entry equality = delete_file("e", 5, FRZ_CONTENT_EQUALITY_DELETES);
    frz_equality_deletes *owner = NULL;
    CHECK_OK(frz_equality_deletes_new(NULL, &owner, &err), err);
    CHECK_OK(frz_delete_index_new(NULL, owner, &index, &err), err);
    CHECK_OK(frz_delete_index_add(index, &positions, true, &err), err);
    CHECK_OK(frz_delete_index_add(index, &equality, true, &err), err);
    CHECK_OK(frz_delete_index_seal(index, &err), err);
    const frz_manifest_entry older = data_at("a", 4);
    const frz_manifest_entry same = data_at("a", 5);
    const frz_manifest_entry newer = data_at("a", 6);
    CHECK(found(index, &older, &first) == 2 && first == &positions);
    CHECK(found(index, &same, &first) == 1 && first == &positions);
    CHECK(found(index, &newer, &first) == 0);
    frz_delete_index_free(index);
    frz_equality_deletes_free(owner);
}

/* Bounds of file_path, cut to a prefix or not, leave out data files that they exclude. */
static void test_position_deletes_are_left_out_by_their_paths(void **state)
{
    (void)state;
    static const struct {
        const char *lower;
        const char *upper;
        const char *path;
        bool applies;
    } cases[] = {
        {"m/b", "m/d", "m/a", false}, {"m/b", "m/d", "m/b", true},
        {"m/b", "m/d", "m/d", true},  {"m/b", "m/d", "m/e", false},
        {"m/b", "m/d", "m/d1", true}, /* the upper bound may be cut, and not raised */
        {"m/b", NULL, "m/a", false},  {NULL, "m/d", "m/e", false},
        {"m/d", "m/b", "m/z", true}, /* the wrong way round */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        frz_delete_index *index = NULL;
        frz_equality_deletes *owner = NULL;
        frz_error *err = NULL;
        frz_arena arena = {0};
        frz_applied_deletes deletes;
        frz_column_metrics bounds = {.field_id = FRZ_FIELD_ID_DELETE_FILE_PATH,
                                     .has_lower = cases[i].lower != NULL,
                                     .has_upper = cases[i].upper != NULL};
        bounds.lower = frz_slice_of_text(cases[i].lower ? cases[i].lower : "");
        bounds.upper = frz_slice_of_text(cases[i].upper ? cases[i].upper : "");
        frz_manifest_entry narrow = delete_file("p", 5, FRZ_CONTENT_POSITION_DELETES);
        const frz_manifest_entry open = delete_file("q", 5, FRZ_CONTENT_POSITION_DELETES);
        narrow.file.columns = &bounds;
        narrow.file.column_count = 1;
        CHECK_OK(frz_equality_deletes_new(NULL, &owner, &err), err);
        CHECK_OK(frz_delete_index_new(NULL, owner, &index, &err), err);
        CHECK_OK(frz_delete_index_add(index, &narrow, true, &err), err);
        CHECK_OK(frz_delete_index_add(index, &open, true, &err), err);
        CHECK_OK(frz_delete_index_seal(index, &err), err);
        const frz_manifest_entry data = data_at(cases[i].path, 1);
        CHECK_OK(frz_delete_index_find(index, &data, &arena, &deletes, &err), err);
        if (deletes.position_count != (cases[i].applies ? 2 : 1) ||
            deletes.left_out != !cases[i].applies)
            fail_msg("case %zu", i);
        CHECK(deletes.positions[deletes.position_count - 1] == &open);
        frz_arena_clear(&arena);
        frz_delete_index_free(index);
        frz_equality_deletes_free(owner);
    }
}

static void test_partition_scope_needs_spec_and_tuple(void **state)
{
    (void)state;
    frz_delete_index *index = NULL;
    frz_error *err = NULL;
    const frz_manifest_entry *first = NULL;
    const frz_value p1 = {.form = FRZ_VALUE_INTEGER, .integer = 1};
    const frz_value p2 = {.form = FRZ_VALUE_INTEGER, .integer = 2};
    frz_manifest_entry deletes = delete_file("e", 9, FRZ_CONTENT_EQUALITY_DELETES);
    deletes.file.partition = &p1;
    deletes.file.partition_count = 1;
    frz_equality_deletes *owner = NULL;
    CHECK_OK(frz_equality_deletes_new(NULL, &owner, &err), err);
    CHECK_OK(frz_delete_index_new(NULL, owner, &index, &err), err);
    CHECK_OK(frz_delete_index_add(index, &deletes, false, &err), err);
    CHECK_OK(frz_delete_index_seal(index, &err), err);
    frz_manifest_entry data = data_at("a", 1);
    data.file.partition = &p1;
    data.file.partition_count = 1;
    CHECK(found(index, &data, &first) == 1);
    data.file.partition = &p2;
    CHECK(found(index, &data, &first) == 0);
    data.file.partition = &p1;
    data.file.spec_id = 1;
    CHECK(found(index, &data, &first) == 0);
    frz_delete_index_free(index);
    frz_equality_deletes_free(owner);
}

/* Two live deletion vectors of one data file are not a table to read. */
static void d002_two_vectors_of_one_file_are_refused(void **state)
{
    (void)state;
    frz_delete_index *index = NULL;
    frz_error *err = NULL;
    const frz_manifest_entry one = vector_of("a", 3);
    const frz_manifest_entry two = vector_of("a", 4);
    frz_manifest_entry lacking = vector_of("b", 4);
    lacking.file.content_offset = -1;
    frz_equality_deletes *owner = NULL;
    CHECK_OK(frz_equality_deletes_new(NULL, &owner, &err), err);
    CHECK_OK(frz_delete_index_new(NULL, owner, &index, &err), err);
    CHECK_OK(frz_delete_index_add(index, &one, true, &err), err);
    CHECK_FAILS(frz_delete_index_add(index, &two, true, &err), FRZ_CORRUPT, err,
                "data file a has two deletion vectors");
    CHECK_FAILS(frz_delete_index_add(index, &lacking, true, &err), FRZ_CORRUPT, err,
                "lacks referenced_data_file, content_offset");
    frz_delete_index_free(index);
    frz_equality_deletes_free(owner);
}

/* Without the data file's path a vector would apply to whatever it might span. */
static void d076_a_vector_without_its_data_file_is_refused(void **state)
{
    (void)state;
    frz_delete_index *index = NULL;
    frz_error *err = NULL;
    frz_manifest_entry lacking = vector_of("a", 3);
    lacking.file.referenced_data_file = (frz_slice){0};
    frz_equality_deletes *owner = NULL;
    CHECK_OK(frz_equality_deletes_new(NULL, &owner, &err), err);
    CHECK_OK(frz_delete_index_new(NULL, owner, &index, &err), err);
    CHECK_FAILS(frz_delete_index_add(index, &lacking, true, &err), FRZ_CORRUPT, err,
                "deletion vector dv.puffin lacks referenced_data_file");
    frz_delete_index_free(index);
    frz_equality_deletes_free(owner);
}

/* The bounds of file_path name the one data file of a V2 delete file. */
static void test_equal_path_bounds_scope_a_delete_file(void **state)
{
    (void)state;
    frz_delete_index *index = NULL;
    frz_error *err = NULL;
    const frz_manifest_entry *first = NULL;
    const frz_column_metrics paths = {.field_id = FRZ_FIELD_ID_DELETE_FILE_PATH,
                                      .has_lower = true,
                                      .has_upper = true,
                                      .lower = frz_slice_of_text("a"),
                                      .upper = frz_slice_of_text("a")};
    frz_manifest_entry deletes = delete_file("p", 9, FRZ_CONTENT_POSITION_DELETES);
    deletes.file.columns = &paths;
    deletes.file.column_count = 1;
    frz_equality_deletes *owner = NULL;
    CHECK_OK(frz_equality_deletes_new(NULL, &owner, &err), err);
    CHECK_OK(frz_delete_index_new(NULL, owner, &index, &err), err);
    CHECK_OK(frz_delete_index_add(index, &deletes, true, &err), err);
    CHECK_OK(frz_delete_index_seal(index, &err), err);
    const frz_manifest_entry a = data_at("a", 1);
    const frz_manifest_entry b = data_at("b", 1);
    CHECK(found(index, &a, &first) == 1);
    CHECK(found(index, &b, &first) == 0);
    frz_delete_index_free(index);
    frz_equality_deletes_free(owner);
}

static void test_tuple_keys_tell_null_nan_and_zeros_apart(void **state)
{
    (void)state;
    const frz_value null = {.form = FRZ_VALUE_NULL};
    const frz_value plus = {.form = FRZ_VALUE_NUMBER, .number = 0.0};
    const frz_value minus = {.form = FRZ_VALUE_NUMBER, .number = -0.0};
    const frz_value nan_one = {.form = FRZ_VALUE_NUMBER, .number = __builtin_nan("1")};
    const frz_value nan_two = {.form = FRZ_VALUE_NUMBER, .number = -__builtin_nan("2")};
    const frz_value *const values[] = {&null, &plus, &minus, &nan_one};
    for (size_t i = 0; i < 4; i++) {
        for (size_t k = 0; k < 4; k++) {
            frz_buffer a = {0};
            frz_buffer b = {0};
            frz_tuple_key(values[i], 1, &a);
            frz_tuple_key(values[k], 1, &b);
            CHECK(frz_slice_equal(frz_buffer_slice(&a), frz_buffer_slice(&b)) == (i == k));
            frz_buffer_clear(&a);
            frz_buffer_clear(&b);
        }
    }
    frz_buffer a = {0};
    frz_buffer b = {0};
    frz_tuple_key(&nan_one, 1, &a);
    frz_tuple_key(&nan_two, 1, &b);
    CHECK(frz_slice_equal(frz_buffer_slice(&a), frz_buffer_slice(&b)));
    frz_buffer_clear(&a);
    frz_buffer_clear(&b);
}

static void index_two(void)
{
    frz_delete_index *index = NULL;
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_equality_deletes *owner = NULL;
    frz_applied_deletes deletes = {0};
    const frz_manifest_entry vector = vector_of("a", 3);
    const frz_manifest_entry positions = delete_file("p", 2, FRZ_CONTENT_POSITION_DELETES);
    const frz_manifest_entry equality = delete_file("e", 2, FRZ_CONTENT_EQUALITY_DELETES);
    const frz_manifest_entry data = data_at("a", 1);
    frz_status status = frz_equality_deletes_new(NULL, &owner, &err);
    if (status == FRZ_OK)
        status = frz_delete_index_new(NULL, owner, &index, &err);
    if (status == FRZ_OK)
        status = frz_delete_index_add(index, &vector, true, &err);
    if (status == FRZ_OK)
        status = frz_delete_index_add(index, &positions, true, &err);
    if (status == FRZ_OK)
        status = frz_delete_index_add(index, &equality, true, &err);
    if (status == FRZ_OK)
        status = frz_delete_index_seal(index, &err);
    if (status == FRZ_OK)
        status = frz_delete_index_find(index, &data, &arena, &deletes, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    CHECK(status != FRZ_OK || (deletes.position_count == 1 && deletes.equalities[1].scope));
    frz_error_free(err);
    frz_arena_clear(&arena);
    frz_delete_index_free(index);
    frz_equality_deletes_free(owner);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    sweep_allocation_failures(index_two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_vector_hides_position_deletes_of_its_data_file_only),
        cmocka_unit_test(test_sequence_rules_differ_for_positions_and_equality),
        cmocka_unit_test(test_position_deletes_are_left_out_by_their_paths),
        cmocka_unit_test(test_partition_scope_needs_spec_and_tuple),
        cmocka_unit_test(d002_two_vectors_of_one_file_are_refused),
        cmocka_unit_test(d076_a_vector_without_its_data_file_is_refused),
        cmocka_unit_test(test_equal_path_bounds_scope_a_delete_file),
        cmocka_unit_test(test_tuple_keys_tell_null_nan_and_zeros_apart),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
