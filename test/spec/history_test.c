#include "harness.h"

#include "spec/history.h"

static frz_arena arena;

static int clear_arena(void **state)
{
    (void)state;
    frz_arena_clear(&arena);
    return 0;
}

typedef frz_status (*read_function)(frz_json_reader *json, frz_list *list, frz_error **err);

static frz_status read_text(read_function read, const char *text, frz_list *out, frz_error **err)
{
    frz_json_reader json = frz_json_reader_over(frz_slice_of_text(text), &arena);
    *out = (frz_list){0};
    return read(&json, out, err);
}

static void reads_and_writes_references(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_list list = {0};
    const char *text =
        "{\"main\":{\"snapshot-id\":3,\"type\":\"branch\",\"min-snapshots-to-keep\":2,"
        "\"max-snapshot-age-ms\":5000000000,\"max-ref-age-ms\":7},"
        "\"t\":{\"snapshot-id\":4,\"type\":\"tag\"}}";
    CHECK_OK(read_text(frz_snapshot_refs_read_json, text, &list, &err), err);
    const frz_snapshot_ref *refs = list.items;
    CHECK(list.count == 2 && !refs[0].is_tag && refs[1].is_tag);
    CHECK(refs[0].min_snapshots_to_keep == 2 && refs[0].max_snapshot_age_ms == INT64_C(5000000000));
    CHECK(refs[1].min_snapshots_to_keep == -1 && refs[1].max_ref_age_ms == -1);
    frz_buffer out = {0};
    frz_json_writer json = frz_json_writer_to(&out, 0);
    frz_snapshot_refs_write_json(refs, list.count, &json);
    CHECK(frz_slice_is_text(frz_buffer_slice(&out), text));
    frz_buffer_clear(&out);
    CHECK_OK(read_text(frz_snapshot_refs_read_json, "null", &list, &err), err);
    CHECK(list.count == 0);
    CHECK_OK(read_text(frz_snapshot_refs_read_json,
                       "{\"b\":{\"snapshot-id\":3,\"type\":\"BRANCH\",\"min-snapshots-to-keep\":"
                       "null,\"z\":1}}",
                       &list, &err),
             err);
    CHECK(list.count == 1);
}

static void names_what_is_wrong_with_a_reference(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_list list = {0};
    read_function read = frz_snapshot_refs_read_json;
    CHECK_FAILS(read_text(read, "{\"b\":{\"type\":\"tag\"}}", &list, &err), FRZ_CORRUPT, err,
                "reference b lacks snapshot-id");
    CHECK_FAILS(read_text(read, "{\"b\":{\"snapshot-id\":1}}", &list, &err), FRZ_CORRUPT, err,
                "reference b lacks type");
    CHECK_FAILS(read_text(read, "{\"b\":{\"type\":\"twig\",\"snapshot-id\":1}}", &list, &err),
                FRZ_CORRUPT, err, "\"twig\", expected branch or tag");
    CHECK_FAILS(read_text(read, "{\"b\":{\"type\":\"tag\",\"snapshot-id\":1,\"max-ref-age-ms\":0}}",
                          &list, &err),
                FRZ_CORRUPT, err, "max-ref-age-ms is 0");
    CHECK_FAILS(read_text(read,
                          "{\"b\":{\"type\":\"branch\",\"snapshot-id\":1,"
                          "\"min-snapshots-to-keep\":2147483648}}",
                          &list, &err),
                FRZ_CORRUPT, err, "min-snapshots-to-keep is 2147483648");
    CHECK_FAILS(read_text(read, "{\"b\\u0000\":{\"type\":\"tag\",\"snapshot-id\":1}}", &list, &err),
                FRZ_CORRUPT, err, "NUL");
}

static void reads_and_writes_logs(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_list list = {0};
    const char *snapshots = "[{\"timestamp-ms\":1,\"snapshot-id\":4598286611352242717}]";
    const char *files = "[{\"timestamp-ms\":1,\"metadata-file\":\"f:/a\"},"
                        "{\"timestamp-ms\":2,\"metadata-file\":\"f:/b\"}]";
    frz_buffer out = {0};
    frz_json_writer json = frz_json_writer_to(&out, 0);
    CHECK_OK(read_text(frz_snapshot_log_read_json, snapshots, &list, &err), err);
    frz_json_open_array(&json);
    frz_snapshot_log_write_items(list.items, list.count, &json);
    frz_json_close_array(&json);
    CHECK(frz_slice_is_text(frz_buffer_slice(&out), snapshots));
    frz_buffer_reset(&out);
    json = frz_json_writer_to(&out, 0);
    CHECK_OK(read_text(frz_metadata_log_read_json, files, &list, &err), err);
    frz_metadata_log_write_json(list.items, list.count, &json);
    CHECK(frz_slice_is_text(frz_buffer_slice(&out), files));
    frz_buffer_clear(&out);
    CHECK_FAILS(read_text(frz_snapshot_log_read_json, "[{\"timestamp-ms\":1}]", &list, &err),
                FRZ_CORRUPT, err, "lacks snapshot-id");
    CHECK_FAILS(read_text(frz_metadata_log_read_json, "[{\"metadata-file\":\"a\"}]", &list, &err),
                FRZ_CORRUPT, err, "lacks timestamp-ms");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(reads_and_writes_references, clear_arena),
        cmocka_unit_test_teardown(names_what_is_wrong_with_a_reference, clear_arena),
        cmocka_unit_test_teardown(reads_and_writes_logs, clear_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
