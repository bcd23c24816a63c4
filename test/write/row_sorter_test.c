/*
 * Covers: write/run_merge write/sorted_run write/sort_piece.
 */
#include "write/row_sorter.h"

#include "arrow_equal.h"
#include "base/fail.h"
#include "frazil/io.h"
#include "io/fault.h"
#include "io/file.h"
#include "write/run_merge.h"

/* Rows are one long and one text; the key is the group and four bytes of the long. */
static struct ArrowSchema schema_of_rows(void)
{
    return parse_schema("+s![l! u]");
}

static frz_status make_rows(const struct ArrowSchema *schema, int64_t start, int64_t count,
                            uint64_t modulus, struct ArrowArray *out, frz_sort_keys *keys)
{
    frz_arrow_builder *builder = NULL;
    FRZ_TRY(frz_arrow_builder_new(schema, &builder, NULL));
    frz_sort_keys_reset(keys);
    for (int64_t i = start; i < start + count; i++) {
        char text[48];
        const uint64_t scattered = (uint64_t)i * UINT64_C(2654435761) % modulus;
        const int size = snprintf(text, sizeof text, "row %lld", (long long)i);
        frz_arrow_append_i64(frz_arrow_builder_child(builder, 0), i);
        frz_arrow_append_bytes(frz_arrow_builder_child(builder, 1),
                               frz_slice_of(text, (size_t)size));
        frz_arrow_append_struct(builder);
        const uint32_t key[2] = {__builtin_bswap32((uint32_t)(scattered % 3)),
                                 __builtin_bswap32((uint32_t)(scattered / 3))};
        frz_sort_keys_append(keys, frz_slice_of(key, sizeof key));
    }
    const frz_status status = frz_arrow_builder_finish(builder, out, NULL);
    frz_arrow_builder_free(builder);
    return status == FRZ_OK ? frz_sort_keys_check(keys, NULL) : status;
}

/* Bytes of keys; 0: they are taken to be of any size. */
static size_t stride_of_keys = FRZ_KEY_UNIT;

static frz_status add_all(frz_row_sorter *sorter, const struct ArrowSchema *schema, int64_t count,
                          uint64_t modulus, frz_error **err)
{
    frz_sort_keys keys = {.stride = stride_of_keys};
    frz_status status = FRZ_OK;
    for (int64_t start = 0; status == FRZ_OK && start < count; start += 50) {
        struct ArrowArray batch = {0};
        const int64_t left = count - start;
        status = make_rows(schema, start, left < 50 ? left : 50, modulus, &batch, &keys);
        if (status == FRZ_OK)
            status = frz_row_sorter_add(sorter, &batch, &keys, err);
        frz_arrow_array_clear(&batch);
    }
    frz_sort_keys_clear(&keys);
    return status;
}

/* What came before, to be compared with what comes now. */
typedef struct seen {
    bool *rows;
    int64_t count;
    uint64_t group;
    uint64_t place;
    int64_t id;
} seen;

static void see(seen *self, uint32_t group, const struct ArrowArray *batch, uint64_t modulus)
{
    const int64_t *ids = batch->children[0]->buffers[1];
    for (int64_t i = 0; i < batch->length; i++) {
        char text[48];
        const int64_t id = ids[i];
        const uint64_t scattered = (uint64_t)id * UINT64_C(2654435761) % modulus;
        const uint64_t place = scattered / 3;
        const int32_t *ends = batch->children[1]->buffers[1];
        const int size = snprintf(text, sizeof text, "row %lld", (long long)id);
        CHECK(ends[i + 1] - ends[i] == size);
        CHECK(memcmp((const char *)batch->children[1]->buffers[2] + ends[i], text, (size_t)size) ==
              0);
        CHECK(group == scattered % 3 && !self->rows[id]);
        if (self->count > 0 && group == self->group)
            CHECK(place > self->place || (place == self->place && id > self->id));
        else
            CHECK(self->count == 0 || group > self->group);
        self->rows[id] = true;
        self->count++;
        self->group = group;
        self->place = place;
        self->id = id;
    }
}

static void check_sorted(int64_t count, uint64_t modulus, uint64_t memory, bool files)
{
    frz_error *err = NULL;
    frz_row_sorter *sorter = NULL;
    frz_io *memory_io = NULL;
    frz_io *io = NULL;
    struct ArrowSchema schema = schema_of_rows();
    seen all = {.rows = frz_alloc_array((size_t)count + 1, sizeof *all.rows)};
    CHECK_OK(frz_io_memory_new(&memory_io, &err), err);
    CHECK_OK(frz_io_fault_new(memory_io, &io, &err), err);
    const frz_row_sorter_options options = {
        .arrow = &schema, .key_stride = stride_of_keys, .memory = memory, .fan_in = 32, .io = io};
    CHECK_OK(frz_row_sorter_new(&options, &sorter, &err), err);
    CHECK_OK(add_all(sorter, &schema, count, modulus, &err), err);
    for (;;) {
        uint32_t group = 0;
        struct ArrowArray batch = {0};
        const frz_status status = frz_row_sorter_next(sorter, &group, &batch, &err);
        if (status == FRZ_END)
            break;
        CHECK_OK(status, err);
        CHECK(batch.length > 0);
        see(&all, group, &batch, modulus);
        frz_arrow_array_clear(&batch);
    }
    CHECK(all.count == count);
    size_t calls = 0;
    (void)frz_io_fault_trace(io, &calls);
    CHECK((calls > 0) == files);
    frz_row_sorter_free(sorter);
    frz_free(all.rows);
    frz_io_free(io);
    frz_io_free(memory_io);
    frz_arrow_schema_clear(&schema);
}

static void test_rows_that_fit_are_sorted_without_a_file(void **state)
{
    (void)state;
    check_sorted(0, 1000003, 1 << 20, false);
    check_sorted(1, 1000003, 1 << 20, false);
    check_sorted(3000, 1000003, 1 << 20, false);
    check_sorted(3000, 7, 1 << 20, false);       /* equal keys keep their order */
    check_sorted(9000, 1000003, 1 << 20, false); /* of several pieces */
    check_sorted(9000, 7, 1 << 20, false);
}

static void test_rows_that_do_not_fit_are_merged_from_runs(void **state)
{
    (void)state;
    check_sorted(3000, 1000003, 64 << 10, true);
    check_sorted(3000, 7, 64 << 10, true);
    check_sorted(20000, 1000003, 64 << 10, true);
    check_sorted(20000, 60, 64 << 10, true);
}

/* Keys that may be of any size are compared as a whole, and keep their order, too. */
static void test_keys_without_stride_are_merged(void **state)
{
    (void)state;
    stride_of_keys = 0;
    check_sorted(3000, 1000003, 1 << 20, false);
    check_sorted(20000, 1000003, 64 << 10, true);
    check_sorted(20000, 60, 64 << 10, true);
    check_sorted(50 * 80, 60, 1, true);
    stride_of_keys = FRZ_KEY_UNIT;
}

/* A run for every batch, more than the fan-in squared of them: three levels. */
static void test_runs_are_merged_when_they_are_many(void **state)
{
    (void)state;
    check_sorted(50 * 1100, 1000003, 1, true);
    check_sorted(50 * 1100, 91, 1, true);
}

/* Nothing of a run has a name once it is read, and nothing is there when the sorter is gone. */
static void test_no_file_is_left(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_io *io = NULL;
    struct ArrowSchema schema = schema_of_rows();
    CHECK_OK(frz_io_memory_new(&io, &err), err);
    for (int64_t count = 50; count < 4000; count += 1900) {
        frz_row_sorter *sorter = NULL;
        uint32_t group = 0;
        uint64_t size = 0;
        struct ArrowArray batch = {0};
        const frz_row_sorter_options options = {
            .arrow = &schema, .key_stride = stride_of_keys, .memory = 1, .io = io};
        CHECK_OK(frz_row_sorter_new(&options, &sorter, &err), err);
        CHECK_OK(add_all(sorter, &schema, count, 1000003, &err), err);
        CHECK_OK(frz_row_sorter_next(sorter, &group, &batch, &err), err);
        frz_arrow_array_clear(&batch);
        for (int number = 1; number < 100; number++) {
            char name[32];
            (void)snprintf(name, sizeof name, "run-%d", number);
            CHECK(frz_io_stat(io, name, &size, NULL) == FRZ_NOT_FOUND);
        }
        frz_row_sorter_free(sorter);
    }
    frz_io_free(io);
    frz_arrow_schema_clear(&schema);
}

static void test_a_folder_that_is_not_there_is_named(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_row_sorter *sorter = NULL;
    struct ArrowSchema schema = schema_of_rows();
    const frz_row_sorter_options options = {.arrow = &schema,
                                            .key_stride = stride_of_keys,
                                            .memory = 1,
                                            .folder = "/nonexistent/frazil"};
    CHECK_OK(frz_row_sorter_new(&options, &sorter, &err), err);
    CHECK_FAILS(add_all(sorter, &schema, 50, 1000003, &err), FRZ_NOT_FOUND, err,
                "/nonexistent/frazil");
    frz_row_sorter_free(sorter);
    frz_arrow_schema_clear(&schema);
}

static frz_status sort_over(frz_io *io, const struct ArrowSchema *schema, uint64_t memory,
                            int64_t count, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_row_sorter *sorter = NULL;
    int64_t rows = 0;
    const frz_row_sorter_options options = {
        .arrow = schema, .key_stride = stride_of_keys, .memory = memory, .fan_in = 32, .io = io};
    FRZ_TRY_DONE(frz_row_sorter_new(&options, &sorter, err));
    FRZ_TRY_DONE(add_all(sorter, schema, count, 1000003, err));
    while (status == FRZ_OK) {
        uint32_t group = 0;
        struct ArrowArray batch = {0};
        status = frz_row_sorter_next(sorter, &group, &batch, err);
        rows += batch.length;
        frz_arrow_array_clear(&batch);
    }
    if (status == FRZ_END) {
        status = FRZ_OK;
        CHECK(rows == count);
    }

done:
    frz_row_sorter_free(sorter);
    return status;
}

/* A full disk, at the first calls of storage and at some of each kind later: while runs are
 * written, merged and read. */
static void test_storage_calls_may_fail(void **state)
{
    (void)state;
    struct ArrowSchema schema = schema_of_rows();
    int64_t countdown = 0;
    for (bool fired = true; fired; countdown += countdown < 40 ? 1 : 211) {
        frz_error *err = NULL;
        frz_io *memory = NULL;
        frz_io *fault = NULL;
        CHECK_OK(frz_io_memory_new(&memory, &err), err);
        CHECK_OK(frz_io_fault_new(memory, &fault, &err), err);
        frz_io_fault_fail_after(fault, countdown);
        const frz_status status = sort_over(fault, &schema, 1, 50 * 33, &err);
        fired = frz_io_fault_fired(fault);
        CHECK(status == (fired ? FRZ_IO : FRZ_OK));
        frz_error_free(err);
        frz_io_free(fault);
        frz_io_free(memory);
    }
    CHECK(countdown > 1000);
    frz_arrow_schema_clear(&schema);
}

static struct ArrowSchema swept_schema;
static uint64_t swept_memory;

static void sort_under_failure(void)
{
    frz_io *io = NULL;
    frz_status status = frz_io_memory_new(&io, NULL);
    if (status == FRZ_OK)
        status = sort_over(io, &swept_schema, swept_memory, 60, NULL);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_io_free(io);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    swept_schema = schema_of_rows();
    for (swept_memory = 1; swept_memory < 2000000; swept_memory += 1000000)
        sweep_allocation_failures(sort_under_failure);
    frz_arrow_schema_clear(&swept_schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_that_fit_are_sorted_without_a_file),
        cmocka_unit_test(test_rows_that_do_not_fit_are_merged_from_runs),
        cmocka_unit_test(test_keys_without_stride_are_merged),
        cmocka_unit_test(test_runs_are_merged_when_they_are_many),
        cmocka_unit_test(test_no_file_is_left),
        cmocka_unit_test(test_a_folder_that_is_not_there_is_named),
        cmocka_unit_test(test_storage_calls_may_fail),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
