#include "frazil/text.h"

#include "arrow/array.h"
#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "harness.h"

/* Batches of four null rows: three, then the end or a failure that has a status and an offset. */
typedef struct source {
    int batches;
    bool fails;
} source;

static frz_status source_schema(void *self, struct ArrowSchema *out, frz_error **err)
{
    (void)self;
    return frz_arrow_schema_init(out, "i", "x", true, FRZ_ARROW_NO_FIELD_ID, 0, err);
}

static frz_status source_next(void *self, struct ArrowArray *out, frz_error **err)
{
    source *from = self;
    struct ArrowSchema schema = {0};
    if (from->batches++ == 3)
        return from->fails ? frz_fail(err, FRZ_CORRUPT, 77, "a bad page") : FRZ_END;
    FRZ_TRY(source_schema(self, &schema, err));
    const frz_status status = frz_arrow_array_nulls(&schema, 4, out, err);
    frz_arrow_schema_clear(&schema);
    return status;
}

static void source_free(void *self)
{
    (void)self;
}

static const frz_arrow_source_ops ops = {
    .schema = source_schema, .next = source_next, .free = source_free};

/* What the watcher saw, and when it stops. */
typedef struct watching {
    int64_t last;
    int calls;
    int64_t stop_at;
} watching;

static frz_status watch(void *context, int64_t rows, frz_error **err)
{
    watching *self = context;
    self->last = rows;
    self->calls++;
    return rows >= self->stop_at ? frz_error_raise(err, FRZ_CANCELLED, "enough") : FRZ_OK;
}

static frz_status run(source *from, watching *self, int64_t *rows, frz_error **err)
{
    struct ArrowArrayStream stream = {0};
    *rows = 0;
    FRZ_TRY(frz_arrow_stream_from(&ops, from, &stream, err));
    frz_status status = frz_rows_watch(&stream, watch, self, err);
    while (status == FRZ_OK) {
        struct ArrowArray batch = {0};
        status = frz_arrow_stream_next(&stream, &batch, err);
        *rows += batch.length;
        frz_arrow_array_clear(&batch);
    }
    frz_arrow_stream_clear(&stream);
    return status;
}

static void test_all_rows_pass_and_are_counted(void **state)
{
    (void)state;
    frz_error *err = NULL;
    source from = {0};
    watching self = {.stop_at = 100};
    int64_t rows = 0;
    CHECK(run(&from, &self, &rows, &err) == FRZ_END);
    CHECK(err == NULL);
    CHECK(rows == 12 && self.last == 12 && self.calls == 4);
}

static void test_the_watcher_stops_the_stream(void **state)
{
    (void)state;
    frz_error *err = NULL;
    source from = {0};
    watching self = {.stop_at = 8};
    int64_t rows = 0;
    CHECK(run(&from, &self, &rows, &err) == FRZ_CANCELLED);
    CHECK(strcmp(frz_error_message(err), "enough") == 0);
    CHECK(rows == 8 && from.batches == 2);
    frz_error_free(err);
}

static void test_a_failure_keeps_its_status_and_offset(void **state)
{
    (void)state;
    frz_error *err = NULL;
    source from = {.fails = true};
    watching self = {.stop_at = 100};
    int64_t rows = 0;
    uint64_t offset = 0;
    CHECK(run(&from, &self, &rows, &err) == FRZ_CORRUPT);
    CHECK(frz_error_offset(err, &offset) && offset == 77);
    CHECK(rows == 12);
    frz_error_free(err);
}

static void sweep_body(void)
{
    source from = {0};
    watching self = {.stop_at = 100};
    int64_t rows = 0;
    const frz_status status = run(&from, &self, &rows, NULL);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_END));
}

static void test_memory_failures(void **state)
{
    (void)state;
    sweep_allocation_failures(sweep_body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_rows_pass_and_are_counted),
        cmocka_unit_test(test_the_watcher_stops_the_stream),
        cmocka_unit_test(test_a_failure_keeps_its_status_and_offset),
        cmocka_unit_test(test_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
