#include "harness.h"

#include "spec/partition.h"

static frz_status read_spec(const char *text, frz_arena *arena, frz_partition_spec *out,
                            frz_error **err)
{
    frz_json_reader json = frz_json_reader_over(frz_slice_of_text(text), arena);
    return frz_partition_spec_read_json(&json, arena, out, err);
}

static void check_written(const frz_partition_spec *spec, const char *want)
{
    frz_buffer text = {0};
    frz_json_writer json = frz_json_writer_to(&text, 0);
    frz_partition_spec_write_json(spec, &json);
    if (!frz_slice_is_text(frz_buffer_slice(&text), want))
        fail_msg("written %.*s", (int)text.size, (const char *)text.data);
    frz_buffer_clear(&text);
}

/* Appendix C's example, a transform we do not know, and several sources (V3): all are kept. */
static const char whole[] =
    "{\"spec-id\":5,\"fields\":["
    "{\"name\":\"ts_day\",\"transform\":\"day\",\"source-id\":4,\"field-id\":1000},"
    "{\"name\":\"id_bucket\",\"transform\":\"bucket[16]\",\"source-id\":1,\"field-id\":1001},"
    "{\"name\":\"z\",\"transform\":\"zorder[3]\",\"source-ids\":[1,2],\"field-id\":1007}]}";

static void test_round_trips(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_partition_spec spec = {0};
    CHECK_OK(read_spec(whole, &arena, &spec, &err), err);
    CHECK(spec.spec_id == 5 && spec.field_count == 3);
    CHECK(spec.fields[1].transform.kind == FRZ_TRANSFORM_BUCKET);
    CHECK(spec.fields[1].transform.parameter == 16 && spec.fields[1].source_ids[0] == 1);
    CHECK(spec.fields[2].source_count == 2 && spec.fields[2].source_ids[1] == 2);
    check_written(&spec, whole);
    CHECK_OK(read_spec("{\"fields\":[],\"spec-id\":0,\"new\":[1]}", &arena, &spec, &err), err);
    check_written(&spec, "{\"spec-id\":0,\"fields\":[]}");
    frz_arena_clear(&arena);
}

static void test_version_1_fields_get_ids_from_1000(void **state)
{
    (void)state;
    static const char text[] = "[{\"source-id\":1,\"name\":\"a\",\"transform\":\"identity\"},"
                               "{\"source-id\":2,\"name\":\"b\",\"transform\":\"void\"}]";
    frz_arena arena = {0};
    frz_buffer written = {0};
    frz_error *err = NULL;
    frz_partition_spec spec = {.spec_id = 9};
    frz_json_reader json = frz_json_reader_over(frz_slice_of_text(text), &arena);
    CHECK_OK(frz_partition_fields_read_json(&json, &arena, &spec, &err), err);
    CHECK(spec.spec_id == 9 && spec.field_count == 2);
    CHECK(spec.fields[0].field_id == 1000 && spec.fields[1].field_id == 1001);
    frz_json_writer writer = frz_json_writer_to(&written, 0);
    frz_partition_fields_write_json(&spec, &writer);
    CHECK(frz_slice_is_text(
        frz_buffer_slice(&written),
        "[{\"name\":\"a\",\"transform\":\"identity\",\"source-id\":1,\"field-id\":1000},"
        "{\"name\":\"b\",\"transform\":\"void\",\"source-id\":2,\"field-id\":1001}]"));
    frz_buffer_clear(&written);
    frz_arena_clear(&arena);
}

#define SPEC(fields) "{\"spec-id\":1,\"fields\":[" fields "]}"
#define FIELD(more) "{\"name\":\"a\",\"transform\":\"day\",\"source-id\":1" more "}"

static void test_refuses_broken_specs(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t offset;
        const char *message;
    } rows[] = {
        {"{\"spec-id\":1}", 0, "partition spec: expected the members spec-id and fields"},
        {" {\"fields\":[]}", 1, "expected the members spec-id and fields"},
        {"{\"spec-id\":\"1\",\"fields\":[]}", 11, "expected a number"},
        {SPEC("{\"name\":\"a\",\"transform\":\"day\"}"), 23,
         "partition field: expected the members name, transform and source-id or source-ids"},
        {SPEC("{\"name\":\"a\",\"source-id\":1}"), 23, "expected the members name"},
        {SPEC("{\"transform\":\"day\",\"source-id\":1}"), 23, "expected the members name"},
        {SPEC("{\"source-ids\":[]}"), 37, "source-ids: expected at least one id"},
        {SPEC("{\"transform\":\"bucket[0]\"}"), 36,
         "transform \"bucket[0]\": expected a parameter"},
        {SPEC(FIELD(",\"field-id\":-1")), 78, "partition field id -1 is negative"},
        {SPEC(FIELD(",\"field-id\":1000") "," FIELD("")), 22, "1 of 2 fields have no field-id"},
        {SPEC(FIELD(",\"field-id\":7") ",{\"name\":\"b\",\"transform\":\"day\",\"source-id\":1,"
                                       "\"field-id\":7}"),
         22, "partition spec: field id 7 of both a and b"},
    };
    frz_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        frz_error *err = NULL;
        frz_partition_spec spec = {.spec_id = -7};
        uint64_t offset = 999;
        CHECK(read_spec(rows[i].text, &arena, &spec, &err) == FRZ_CORRUPT && spec.spec_id == -7);
        CHECK(frz_error_offset(err, &offset));
        if (offset != rows[i].offset || !strstr(frz_error_message(err), rows[i].message))
            fail_msg("%s: %d %s", rows[i].text, (int)offset, frz_error_message(err));
        frz_error_free(err);
    }
    frz_arena_clear(&arena);
}

static void read_and_write_once(void)
{
    frz_arena arena = {0};
    frz_buffer text = {0};
    frz_error *err = NULL;
    frz_partition_spec spec = {0};
    frz_status status = read_spec(whole, &arena, &spec, &err);
    if (status == FRZ_OK) {
        frz_json_writer json = frz_json_writer_to(&text, 0);
        frz_partition_spec_write_json(&spec, &json);
        status = frz_buffer_check(&text, &err);
    }
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_error_free(err);
    frz_buffer_clear(&text);
    frz_arena_clear(&arena);
}

static void test_short_memory_is_reported(void **state)
{
    (void)state;
    sweep_allocation_failures(read_and_write_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_version_1_fields_get_ids_from_1000),
        cmocka_unit_test(test_refuses_broken_specs),
        cmocka_unit_test(test_short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
