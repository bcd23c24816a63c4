#include "avro/skip.h"

#include "fixture.h"

static frz_arena arena;

static const frz_avro_skip *compile(const char *json, bool *has_prefix_out)
{
    frz_error *err = NULL;
    const frz_avro_schema *schema = NULL;
    const frz_avro_skip *skip = NULL;
    frz_avro_skip_compiler compiler = {.arena = &arena};
    CHECK_OK(frz_avro_schema_parse(frz_slice_of_text(json), NULL, &arena, &schema, &err), err);
    CHECK_OK(frz_avro_skip_compile(&compiler, schema, &skip, &err), err);
    if (has_prefix_out)
        *has_prefix_out = compiler.has_prefix;
    frz_avro_skip_compiler_clear(&compiler);
    return skip;
}

static int clear_arena(void **state)
{
    (void)state;
    frz_arena_clear(&arena);
    return 0;
}

static frz_avro_fault skip_all(const frz_avro_skip *skip, frz_slice bytes, size_t *used_out)
{
    frz_avro_bytes in = {.p = bytes.data, .end = bytes.data + bytes.size};
    if (!frz_avro_skip_value(&in, skip, 50))
        return in.fault;
    *used_out = (size_t)(in.p - bytes.data);
    return FRZ_AVRO_FAULT_NONE;
}

static void test_neighbours_of_one_kind_are_merged(void **state)
{
    (void)state;
    const frz_avro_skip *s =
        compile("{\"type\":\"record\",\"name\":\"r\",\"fields\":["
                "{\"name\":\"a\",\"type\":\"int\"},{\"name\":\"n\",\"type\":\"null\"},"
                "{\"name\":\"b\",\"type\":\"long\"},{\"name\":\"c\",\"type\":\"double\"},"
                "{\"name\":\"d\",\"type\":\"boolean\"}]}",
                NULL);
    CHECK(s->kind == FRZ_AVRO_SKIP_SEQUENCE && s->part_count == 2 && s->size_min == 11);
    CHECK(s->parts[0]->kind == FRZ_AVRO_SKIP_VARINTS && s->parts[0]->count == 2);
    CHECK(s->parts[1]->kind == FRZ_AVRO_SKIP_BYTES && s->parts[1]->count == 9);
}

static void test_maps_of_longs_are_passed_by_counting(void **state)
{
    (void)state;
    const frz_avro_skip *s = compile(
        "{\"type\":\"array\",\"logicalType\":\"map\",\"items\":{\"type\":\"record\",\"name\":"
        "\"kv\","
        "\"fields\":[{\"name\":\"key\",\"type\":\"int\"},{\"name\":\"value\",\"type\":\"long\"}]}}",
        NULL);
    frz_buffer bytes = {0};
    size_t used = 0;
    CHECK(s->parts[0]->kind == FRZ_AVRO_SKIP_VARINTS && s->parts[0]->count == 2);
    for (int64_t count = 1; count < 60; count++) {
        frz_buffer_reset(&bytes);
        put_long(&bytes, count);
        for (int64_t i = 0; i < count; i++) {
            put_long(&bytes, i * 37);
            put_long(&bytes, INT64_C(1) << (i % 62));
        }
        put_long(&bytes, 0);
        frz_buffer_append_text(&bytes, "tail");
        CHECK(skip_all(s, frz_buffer_slice(&bytes), &used) == FRZ_AVRO_FAULT_NONE);
        CHECK(used == bytes.size - 4);
        for (size_t size = 0; size < used; size++) {
            size_t cut = 0;
            CHECK(skip_all(s, frz_slice_of(bytes.data, size), &cut) != FRZ_AVRO_FAULT_NONE);
        }
    }
    frz_buffer_clear(&bytes);
}

static void test_sized_blocks_are_jumped(void **state)
{
    (void)state;
    const frz_avro_skip *s = compile("{\"type\":\"map\",\"values\":\"string\"}", NULL);
    static const uint8_t jumped[] = {3, 6, 0xff, 0xff, 0xff, 0, 7};
    static const uint8_t read[] = {2, 2, 'k', 4, 'v', 'w', 0, 7};
    size_t used = 0;
    CHECK(skip_all(s, frz_slice_of(jumped, sizeof jumped), &used) == FRZ_AVRO_FAULT_COUNT);
    static const uint8_t fits[] = {1, 6, 0xff, 0xff, 0xff, 0, 7};
    CHECK(skip_all(s, frz_slice_of(fits, sizeof fits), &used) == FRZ_AVRO_FAULT_NONE && used == 6);
    CHECK(skip_all(s, frz_slice_of(read, sizeof read), &used) == FRZ_AVRO_FAULT_NONE && used == 7);
}

static void test_unions_take_any_number_of_branches(void **state)
{
    (void)state;
    const frz_avro_skip *s = compile("[\"double\",\"null\",\"string\",\"int\"]", NULL);
    static const uint8_t values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 2, 4, 2, 'x', 6, 9};
    size_t used = 0;
    size_t at = 0;
    static const size_t sizes[] = {9, 1, 3, 2};
    for (size_t i = 0; i < 4; i++, at += used) {
        CHECK(skip_all(s, frz_slice_of(values + at, sizeof values - at), &used) ==
              FRZ_AVRO_FAULT_NONE);
        CHECK(used == sizes[i]);
    }
    static const uint8_t fifth[] = {8};
    CHECK(skip_all(s, frz_slice_of(fifth, 1), &used) == FRZ_AVRO_FAULT_BRANCH);
}

static void test_recursive_types_end_at_the_limit(void **state)
{
    (void)state;
    const frz_avro_skip *list =
        compile("{\"type\":\"record\",\"name\":\"l\",\"fields\":[{\"name\":\"v\","
                "\"type\":\"int\"},{\"name\":\"next\",\"type\":[\"null\",\"l\"]}]}",
                NULL);
    uint8_t bytes[200];
    size_t used = 0;
    memset(bytes, 2, sizeof bytes);
    CHECK(skip_all(list, frz_slice_of(bytes, sizeof bytes), &used) == FRZ_AVRO_FAULT_DEPTH);
    bytes[5] = 0;
    CHECK(skip_all(list, frz_slice_of(bytes, sizeof bytes), &used) == FRZ_AVRO_FAULT_NONE &&
          used == 6);
    const frz_avro_skip *endless =
        compile("{\"type\":\"record\",\"name\":\"e\",\"fields\":[{\"name\":\"x\",\"type\":\"e\"},"
                "{\"name\":\"y\",\"type\":\"e\"}]}",
                NULL);
    CHECK(skip_all(endless, frz_slice_of(bytes, 0), &used) == FRZ_AVRO_FAULT_DEPTH);
}

/* A doubling of records 30 deep would take 2^30 steps if it were walked. */
static void test_wide_records_are_added_up_not_walked(void **state)
{
    (void)state;
    char json[16384];
    size_t at = 0;
    size_t used = 0;
    for (int i = 0; i < 30; i++)
        at += (size_t)snprintf(
            json + at, sizeof json - at,
            "{\"type\":\"record\",\"name\":\"r%d\",\"fields\":[{\"name\":\"a\",\"type\":", i);
    at += (size_t)snprintf(json + at, sizeof json - at, "\"boolean\"");
    for (int i = 29; i >= 0; i--)
        at += i == 29 ? (size_t)snprintf(json + at, sizeof json - at, "}]}")
                      : (size_t)snprintf(json + at, sizeof json - at,
                                         "},{\"name\":\"b\",\"type\":\"r%d\"}]}", i + 1);
    const frz_avro_skip *s = compile(json, NULL);
    CHECK(s->kind == FRZ_AVRO_SKIP_BYTES && s->count == UINT64_C(1) << 29);
    CHECK(skip_all(s, frz_slice_of("abc", 3), &used) == FRZ_AVRO_FAULT_ENDS);
}

static bool has_prefix(int field_id, const char *logical_type)
{
    char json[1024];
    bool found = false;
    (void)snprintf(
        json, sizeof json,
        "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"p\",\"field-id\":%d,"
        "\"type\":{\"type\":\"record\",\"name\":\"q\",\"fields\":[{\"name\":\"f\","
        "\"type\":{\"type\":\"fixed\",\"name\":\"f16\",\"size\":16%s}}]}}]}",
        field_id, logical_type);
    (void)compile(json, &found);
    return found;
}

static void test_only_plain_fixed_partition_values_may_have_prefixes(void **state)
{
    (void)state;
    CHECK(has_prefix(102, ""));
    CHECK(!has_prefix(103, ""));
    CHECK(!has_prefix(102, ",\"logicalType\":\"uuid\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_neighbours_of_one_kind_are_merged, clear_arena),
        cmocka_unit_test_teardown(test_maps_of_longs_are_passed_by_counting, clear_arena),
        cmocka_unit_test_teardown(test_sized_blocks_are_jumped, clear_arena),
        cmocka_unit_test_teardown(test_unions_take_any_number_of_branches, clear_arena),
        cmocka_unit_test_teardown(test_recursive_types_end_at_the_limit, clear_arena),
        cmocka_unit_test_teardown(test_wide_records_are_added_up_not_walked, clear_arena),
        cmocka_unit_test_teardown(test_only_plain_fixed_partition_values_may_have_prefixes,
                                  clear_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
