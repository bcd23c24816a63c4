#include "frazil/text.h"

#include "arrow/array.h"
#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "harness.h"

/* Three batches of four null rows. */
static int batches;

static frz_status source_schema(void *self, struct ArrowSchema *out, frz_error **err)
{
    (void)self;
    return frz_arrow_schema_init(out, "i", "x", true, FRZ_ARROW_NO_FIELD_ID, 0, err);
}

static frz_status source_next(void *self, struct ArrowArray *out, frz_error **err)
{
    struct ArrowSchema schema = {0};
    if (batches++ == 3)
        return FRZ_END;
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

static frz_status count_limited(int64_t limit, int64_t *rows, frz_error **err)
{
    struct ArrowArrayStream stream = {0};
    batches = 0;
    *rows = 0;
    FRZ_TRY(frz_arrow_stream_from(&ops, &batches, &stream, err));
    frz_status status = frz_rows_limit(&stream, limit, err);
    while (status == FRZ_OK) {
        struct ArrowArray batch = {0};
        status = frz_arrow_stream_next(&stream, &batch, err);
        *rows += batch.length;
        frz_arrow_array_clear(&batch);
    }
    frz_arrow_stream_clear(&stream);
    return status;
}

static void test_a_limit_cuts_inside_a_batch_and_at_its_end(void **state)
{
    (void)state;
    frz_error *err = NULL;
    const int64_t limits[] = {0, 1, 4, 5, 11, 12, 100};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        int64_t rows = -1;
        CHECK(count_limited(limits[i], &rows, &err) == FRZ_END);
        CHECK(rows == (limits[i] < 12 ? limits[i] : 12));
    }
}

static void test_a_negative_limit_is_refused_and_the_stream_released(void **state)
{
    (void)state;
    frz_error *err = NULL;
    int64_t rows = 0;
    CHECK_FAILS(count_limited(-1, &rows, &err), FRZ_INVALID, err, "limit -1 is negative");
}

static void limit_once(void)
{
    frz_error *err = NULL;
    int64_t rows = 0;
    const frz_status status = count_limited(5, &rows, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_END));
    frz_error_free(err);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    sweep_allocation_failures(limit_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_limit_cuts_inside_a_batch_and_at_its_end),
        cmocka_unit_test(test_a_negative_limit_is_refused_and_the_stream_released),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
