#include "write/placed_keys.h"

#include "harness.h"

static const char file_a[] = "mem://wh/a";
static const char file_b[] = "mem://wh/b";

static bool put(frz_placed_keys *keys, const char *key, const char *location, int64_t position,
                bool deletes)
{
    frz_error *err = NULL;
    bool first = false;
    const frz_row_place place = {location, position};
    CHECK_OK(frz_placed_keys_put(keys, frz_slice_of_text(key), place, deletes, &first, &err), err);
    return first;
}

/* The positions that go in a file, "0 4". */
static void expect_deleted(const frz_placed_keys *keys, const char *location, const char *expected)
{
    char text[256] = "";
    int64_t found[16];
    const frz_bitmap *deleted = frz_placed_keys_deleted(keys, frz_slice_of_text(location));
    const size_t count = deleted ? frz_bitmap_list(deleted, 0, found, 16) : 0;
    for (size_t i = 0; i < count; i++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%lld", i ? " " : "",
                       (long long)found[i]);
    assert_string_equal(text, expected);
}

static void a_key_names_the_last_row(void **state)
{
    frz_error *err = NULL;
    frz_placed_keys *keys = NULL;
    (void)state;
    CHECK_OK(frz_placed_keys_new(0, NULL, &keys, &err), err);
    CHECK(!put(keys, "k", file_a, 0, false));
    CHECK(!put(keys, "other", file_a, 1, false));
    CHECK(!put(keys, "k", file_a, 2, false)); /* 0 goes */
    CHECK(put(keys, "k", NULL, 0, true));     /* 2 goes; the key is deleted for the first time */
    CHECK(!put(keys, "k", NULL, 0, true));    /* nothing more to go, nor to be told */
    CHECK(!put(keys, "k", file_b, 7, true));
    CHECK(!put(keys, "k", file_a, 9, false)); /* 7 of b goes */
    CHECK_OK(frz_placed_keys_seal(keys, &err), err);
    CHECK(!frz_placed_keys_spilled(keys));
    expect_deleted(keys, file_a, "0 2");
    expect_deleted(keys, file_b, "7");
    CHECK(!frz_placed_keys_deleted(keys, frz_slice_of_text("mem://wh/c")));
    frz_placed_keys_free(keys);
}

/* A limit of a byte: every key but the newest waits in files. */
static void keys_in_files_are_put_together_in_order(void **state)
{
    frz_error *err = NULL;
    frz_placed_keys *keys = NULL;
    (void)state;
    CHECK_OK(frz_placed_keys_new(1, NULL, &keys, &err), err);
    CHECK(!put(keys, "k", file_a, 0, false));
    CHECK(!put(keys, "x", file_a, 1, false));
    CHECK(put(keys, "k", NULL, 0, true));
    CHECK(put(keys, "y", file_a, 2, true));
    CHECK(put(keys, "k", file_b, 3, true)); /* forgotten: told once more */
    CHECK(!put(keys, "z", file_a, 3, false));
    CHECK(!put(keys, "k", file_b, 4, false));
    CHECK(!put(keys, "x", file_a, 5, false));
    CHECK_OK(frz_placed_keys_seal(keys, &err), err);
    CHECK(frz_placed_keys_spilled(keys));
    expect_deleted(keys, file_a, "0 1");
    expect_deleted(keys, file_b, "3");
    frz_placed_keys_free(keys);
}

/* The same puts with and without files, by chance. */
static void files_change_nothing(void **state)
{
    enum { PUTS = 20000, KEYS = 3000 };
    frz_error *err = NULL;
    frz_placed_keys *whole = NULL;
    frz_placed_keys *parted = NULL;
    uint64_t random = 20261130;
    (void)state;
    CHECK_OK(frz_placed_keys_new(0, NULL, &whole, &err), err);
    CHECK_OK(frz_placed_keys_new(UINT64_C(100) << 10, NULL, &parted, &err), err);
    for (int64_t i = 0; i < PUTS; i++) {
        char key[32];
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        (void)snprintf(key, sizeof key, "key %d", (int)((random >> 33) % KEYS));
        const char *location = (random >> 60) == 0 ? NULL : (random >> 59) & 1 ? file_a : file_b;
        (void)put(whole, key, location, i, (random >> 57) & 1);
        (void)put(parted, key, location, i, (random >> 57) & 1);
    }
    CHECK_OK(frz_placed_keys_seal(whole, &err), err);
    CHECK_OK(frz_placed_keys_seal(parted, &err), err);
    CHECK(frz_placed_keys_spilled(parted) && !frz_placed_keys_spilled(whole));
    const char *const files[] = {file_a, file_b};
    for (size_t i = 0; i < 2; i++) {
        const frz_bitmap *a = frz_placed_keys_deleted(whole, frz_slice_of_text(files[i]));
        const frz_bitmap *b = frz_placed_keys_deleted(parted, frz_slice_of_text(files[i]));
        CHECK(frz_bitmap_cardinality(a) > PUTS / 4);
        CHECK(frz_bitmap_cardinality(a) == frz_bitmap_cardinality(b));
        for (int64_t at = 0; at < PUTS; at++)
            CHECK(frz_bitmap_contains(a, at) == frz_bitmap_contains(b, at));
    }
    frz_placed_keys_free(whole);
    frz_placed_keys_free(parted);
}

static void a_folder_that_there_is_not_is_named(void **state)
{
    frz_error *err = NULL;
    frz_placed_keys *keys = NULL;
    bool first = false;
    const frz_row_place place = {file_a, 0};
    (void)state;
    CHECK_OK(frz_placed_keys_new(1, "/no/such/folder", &keys, &err), err);
    CHECK_OK(frz_placed_keys_put(keys, frz_slice_of_text("k"), place, false, &first, &err), err);
    const frz_status status =
        frz_placed_keys_put(keys, frz_slice_of_text("l"), place, false, &first, &err);
    CHECK(status != FRZ_OK);
    CHECK(strstr(frz_error_message(err), "/no/such/folder") != NULL);
    frz_error_free(err);
    frz_placed_keys_free(keys);
}

static void put_some(void)
{
    frz_error *err = NULL;
    frz_placed_keys *keys = NULL;
    bool first = false;
    frz_status status = frz_placed_keys_new(150, "/tmp", &keys, &err);
    for (int64_t i = 0; status == FRZ_OK && i < 8; i++) {
        const char key[] = {(char)('a' + i % 3), 0};
        const frz_row_place place = {i % 2 ? file_a : file_b, i};
        status = frz_placed_keys_put(keys, frz_slice_of_text(key), place, true, &first, &err);
    }
    if (status == FRZ_OK)
        status = frz_placed_keys_seal(keys, &err);
    if (status == FRZ_OK) {
        CHECK(frz_placed_keys_spilled(keys));
        expect_deleted(keys, file_a, "1 3");
        expect_deleted(keys, file_b, "0 2 4");
    }
    CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    frz_error_free(err);
    frz_placed_keys_free(keys);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    sweep_allocation_failures(put_some);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_names_the_last_row),
        cmocka_unit_test(keys_in_files_are_put_together_in_order),
        cmocka_unit_test(files_change_nothing),
        cmocka_unit_test(a_folder_that_there_is_not_is_named),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
