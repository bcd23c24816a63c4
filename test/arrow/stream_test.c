#include "arrow/stream.h"

#include <errno.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "harness.h"

/* Three batches, then the end; or a failure at `fail_at`. */
typedef struct counting_source {
    int given;
    int fail_at;
    int *freed;
} counting_source;

static frz_status source_schema(void *self, struct ArrowSchema *out, frz_error **err)
{
    (void)self;
    return frz_arrow_schema_init(out, "n", "nothing", true, FRZ_ARROW_NO_FIELD_ID, 0, err);
}

static frz_status source_next(void *self, struct ArrowArray *out, frz_error **err)
{
    counting_source *source = self;
    if (source->given == source->fail_at)
        return frz_fail(err, FRZ_CORRUPT, 77, "bad page");
    if (source->given == 3)
        return FRZ_END;
    source->given++;
    return frz_arrow_array_init(out, source->given, source->given, NULL, 0, 0, err);
}

static void source_free(void *self)
{
    counting_source *source = self;
    ++*source->freed;
}

static const frz_arrow_source_ops source_ops = {source_schema, source_next, source_free};

static void test_batches_come_in_order_and_then_the_end(void **state)
{
    (void)state;
    frz_error *err = NULL;
    int freed = 0;
    counting_source source = {.fail_at = -1, .freed = &freed};
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    CHECK_OK(frz_arrow_stream_from(&source_ops, &source, &stream, &err), err);
    CHECK_OK(frz_arrow_stream_schema(&stream, &schema, &err), err);
    CHECK(strcmp(schema.name, "nothing") == 0);
    frz_arrow_schema_clear(&schema);
    for (int i = 1; i <= 3; i++) {
        struct ArrowArray batch;
        CHECK_OK(frz_arrow_stream_next(&stream, &batch, &err), err);
        CHECK(batch.length == i);
        frz_arrow_array_clear(&batch);
    }
    struct ArrowArray none = {0};
    CHECK(frz_arrow_stream_next(&stream, &none, &err) == FRZ_END && err == NULL);
    CHECK(frz_arrow_stream_next(&stream, &none, &err) == FRZ_END && none.release == NULL);
    CHECK(freed == 0);
    frz_arrow_stream_clear(&stream);
    CHECK(freed == 1 && stream.release == NULL);
    frz_arrow_stream_clear(&stream);
}

static void test_our_own_failure_keeps_status_and_offset(void **state)
{
    (void)state;
    frz_error *err = NULL;
    int freed = 0;
    uint64_t offset = 0;
    counting_source source = {.fail_at = 0, .freed = &freed};
    struct ArrowArrayStream stream;
    struct ArrowArray batch = {0};
    CHECK_OK(frz_arrow_stream_from(&source_ops, &source, &stream, &err), err);
    CHECK(frz_arrow_stream_next(&stream, &batch, &err) == FRZ_CORRUPT);
    CHECK(frz_error_offset(err, &offset) && offset == 77);
    CHECK(strstr(frz_error_message(err), "bad page"));
    frz_error_free(err);
    CHECK(frz_arrow_stream_next(&stream, &batch, NULL) == FRZ_CORRUPT);
    CHECK(stream.get_next(&stream, &batch) == EINVAL);
    CHECK(strstr(stream.get_last_error(&stream), "bad page"));
    frz_arrow_stream_clear(&stream);
    CHECK(freed == 1);
}

static int foreign_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    (void)stream;
    (void)out;
    return ENOENT;
}

static const char *foreign_error(struct ArrowArrayStream *stream)
{
    return stream->private_data;
}

static void foreign_release(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
}

static void test_a_foreign_failure_becomes_a_status(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowArray batch = {0};
    static char text[] = "no such part";
    struct ArrowArrayStream stream = {.get_next = foreign_next,
                                      .get_last_error = foreign_error,
                                      .release = foreign_release,
                                      .private_data = text};
    CHECK(frz_arrow_stream_next(&stream, &batch, &err) == FRZ_NOT_FOUND);
    CHECK(frz_error_origin(err) == ENOENT);
    CHECK(strstr(frz_error_message(err), "no such part"));
    frz_error_free(err);
    err = NULL;
    stream.private_data = NULL;
    CHECK_FAILS(frz_arrow_stream_next(&stream, &batch, &err), FRZ_NOT_FOUND, err,
                "no message given");
    frz_arrow_stream_clear(&stream);
}

static void test_the_source_is_freed_when_memory_is_short(void **state)
{
    (void)state;
    frz_error *err = NULL;
    int freed = 0;
    counting_source source = {.fail_at = -1, .freed = &freed};
    struct ArrowArrayStream stream = {0};
    frz_mem_fail_after(0);
    CHECK(frz_arrow_stream_from(&source_ops, &source, &stream, &err) == FRZ_NO_MEMORY);
    frz_mem_fail_after(-1);
    CHECK(freed == 1 && stream.release == NULL);
    frz_error_free(err);
}

typedef struct each_taken {
    int batches;
    int fail_at; /* batch; -1: none */
} each_taken;

static frz_status take_batch(void *context, const struct ArrowArray *batch, frz_error **err)
{
    each_taken *taken = context;
    CHECK(batch->length == ++taken->batches);
    return taken->batches == taken->fail_at ? frz_fail(err, FRZ_INVALID, 5, "enough") : FRZ_OK;
}

static void walk(int source_fails, int take_fails, frz_status want, int batches, int64_t rows_want)
{
    frz_error *err = NULL;
    int freed = 0;
    int64_t rows = -1;
    counting_source source = {.fail_at = source_fails, .freed = &freed};
    each_taken taken = {.fail_at = take_fails};
    struct ArrowArrayStream stream;
    CHECK_OK(frz_arrow_stream_from(&source_ops, &source, &stream, &err), err);
    const frz_status got = frz_arrow_stream_each(&stream, take_batch, &taken, &rows, &err);
    CHECK(got == want && taken.batches == batches && rows == rows_want);
    CHECK((err != NULL) == (want != FRZ_OK));
    frz_error_free(err);
    stream.release(&stream);
}

static void test_each_batch_is_taken_until_one_fails(void **state)
{
    (void)state;
    walk(-1, -1, FRZ_OK, 3, 6);
    walk(2, -1, FRZ_CORRUPT, 2, -1);
    walk(-1, 2, FRZ_INVALID, 2, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batches_come_in_order_and_then_the_end),
        cmocka_unit_test(test_our_own_failure_keeps_status_and_offset),
        cmocka_unit_test(test_a_foreign_failure_becomes_a_status),
        cmocka_unit_test(test_the_source_is_freed_when_memory_is_short),
        cmocka_unit_test(test_each_batch_is_taken_until_one_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
