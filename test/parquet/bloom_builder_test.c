#include "parquet/bloom_builder.h"

#include "base/fail.h"
#include "harness.h"
#include "parquet/bloom.h"
#include "parquet/made_bloom.h"

/* The bits that stand behind the header. */
static frz_parquet_bloom bits_of(const frz_buffer *printed, size_t size)
{
    CHECK(printed->size > size);
    return (frz_parquet_bloom){printed->data + printed->size - size,
                               size / FRZ_PARQUET_BLOOM_BLOCK_SIZE};
}

static int64_t member(int64_t i)
{
    return i * 1000003 - 77;
}

static void add_members(frz_parquet_bloom_builder *builder, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const int64_t value = member(i);
        CHECK(frz_parquet_bloom_builder_add(builder, frz_slice_of(&value, sizeof value),
                                            sizeof value));
    }
}

static frz_buffer build(const frz_parquet_bloom_options *options, int64_t count)
{
    frz_parquet_bloom_builder builder;
    frz_buffer out = {0};
    frz_parquet_bloom_builder_init(&builder, options);
    add_members(&builder, count);
    CHECK(frz_parquet_bloom_builder_print(&builder, &out));
    frz_parquet_bloom_builder_clear(&builder);
    return out;
}

static void test_sizes_are_those_of_other_writers(void **state)
{
    (void)state;
    /* BlockSplitBloomFilter.optimalNumOfBits of parquet-java, in bytes: rounded up to a power of
     * two, at least a block. */
    CHECK(frz_parquet_bloom_size(0, 0.01, 1 << 20) == 32);
    CHECK(frz_parquet_bloom_size(20, 0.01, 1 << 20) == 32);
    CHECK(frz_parquet_bloom_size(1000, 0.01, 1 << 20) == 2048);
    CHECK(frz_parquet_bloom_size(1000, 0.1, 1 << 20) == 1024);
    CHECK(frz_parquet_bloom_size(1e6, 0.01, 1 << 20) == 1 << 20);
    CHECK(frz_parquet_bloom_size(1e6, 0.01, 3 << 20) == 2 << 20);
    CHECK(frz_parquet_bloom_size(1e30, 0.01, 1000) == 512); /* never above what is allowed */
    CHECK(frz_parquet_bloom_size(1000, 0.01, 1) == 32);
}

static void test_bits_are_those_of_the_specification(void **state)
{
    (void)state;
    const frz_parquet_bloom_options options = {.on = true};
    made_bloom expected = {.block_count = 8};
    frz_buffer made = {0};
    for (int64_t i = 0; i < 200; i++) {
        const int64_t value = member(i);
        made_bloom_insert(&expected, &value, sizeof value);
    }
    made_bloom_print(&expected, 8 * 32, 1, &made);
    frz_buffer printed = build(&options, 200);
    CHECK(printed.size == made.size && memcmp(printed.data, made.data, made.size) == 0);
    frz_buffer_clear(&printed);
    frz_buffer_clear(&made);
}

/* Filters that were folded are those that were made in their size. */
static void test_many_values_are_counted_in_the_filter_and_folded(void **state)
{
    (void)state;
    const int64_t count = 5000; /* more hashes than 32 KiB hold */
    const frz_parquet_bloom_options options = {.on = true, .size_max = 32 << 10};
    const frz_parquet_bloom_options sized = {.on = true, .ndv = count, .size_max = 1 << 20};
    frz_buffer folded = build(&options, count);
    frz_buffer straight = build(&sized, count);
    CHECK(folded.size == straight.size && memcmp(folded.data, straight.data, folded.size) == 0);
    const frz_parquet_bloom bloom = bits_of(&folded, 8 << 10);
    int wrong = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t value = member(i);
        const int64_t other = value + 5;
        CHECK(frz_parquet_bloom_may_hold(&bloom, frz_slice_of(&value, sizeof value)));
        wrong += frz_parquet_bloom_may_hold(&bloom, frz_slice_of(&other, sizeof other));
    }
    CHECK(wrong < count / 50); /* a hundredth is asked for */
    frz_buffer_clear(&folded);
    frz_buffer_clear(&straight);
}

static void test_the_estimate_follows_the_values_up_to_a_full_filter(void **state)
{
    (void)state;
    static const struct {
        int64_t count;
        size_t size;
    } cases[] = {{5, 32}, {600, 1024}, {1300, 2048}, {2600, 4096}, {100000, 4096}};
    const frz_parquet_bloom_options options = {.on = true, .size_max = 4096};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        frz_buffer printed = build(&options, cases[i].count);
        CHECK(printed.size > cases[i].size && printed.size < cases[i].size + 32);
        frz_buffer_clear(&printed);
    }
}

static void test_values_that_repeat_count_once(void **state)
{
    (void)state;
    const frz_parquet_bloom_options options = {.on = true};
    frz_parquet_bloom_builder builder;
    frz_buffer once = build(&options, 300);
    frz_buffer out = {0};
    frz_parquet_bloom_builder_init(&builder, &options);
    for (int round = 0; round < 3; round++)
        add_members(&builder, 300);
    CHECK(frz_parquet_bloom_builder_print(&builder, &out));
    CHECK(out.size == once.size && memcmp(out.data, once.data, out.size) == 0);
    /* The next row group starts anew. */
    frz_buffer_reset(&out);
    CHECK(frz_parquet_bloom_builder_print(&builder, &out));
    const frz_parquet_bloom empty = bits_of(&out, 32);
    const int64_t value = member(1);
    CHECK(!frz_parquet_bloom_may_hold(&empty, frz_slice_of(&value, sizeof value)));
    frz_parquet_bloom_builder_clear(&builder);
    frz_buffer_clear(&once);
    frz_buffer_clear(&out);
}

static void test_texts_are_hashed_without_their_length(void **state)
{
    (void)state;
    static const char plain[] = "\3\0\0\0abc\0\0\0\0\1\0\0\0d";
    const frz_parquet_bloom_options options = {.on = true};
    frz_parquet_bloom_builder builder;
    frz_buffer out = {0};
    frz_parquet_bloom_builder_init(&builder, &options);
    CHECK(frz_parquet_bloom_builder_add(&builder, frz_slice_of(plain, sizeof plain - 1), 0));
    CHECK(frz_parquet_bloom_builder_print(&builder, &out));
    const frz_parquet_bloom bloom = bits_of(&out, 32);
    CHECK(frz_parquet_bloom_may_hold(&bloom, frz_slice_of_text("abc")));
    CHECK(frz_parquet_bloom_may_hold(&bloom, frz_slice_of_text("")));
    CHECK(frz_parquet_bloom_may_hold(&bloom, frz_slice_of_text("d")));
    CHECK(!frz_parquet_bloom_may_hold(&bloom, frz_slice_of_text("abd")));
    frz_parquet_bloom_builder_clear(&builder);
    frz_buffer_clear(&out);
}

static void build_under_failure(void)
{
    const frz_parquet_bloom_options options = {.on = true, .size_max = 4096};
    frz_parquet_bloom_builder builder;
    frz_buffer out = {0};
    bool made = true;
    frz_parquet_bloom_builder_init(&builder, &options);
    for (int64_t i = 0; made && i < 600; i++) {
        const int64_t value = member(i);
        made = frz_parquet_bloom_builder_add(&builder, frz_slice_of(&value, sizeof value),
                                             sizeof value);
    }
    made = made && frz_parquet_bloom_builder_print(&builder, &out);
    CHECK(made == !frz_mem_failed());
    frz_parquet_bloom_builder_clear(&builder);
    frz_buffer_clear(&out);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    sweep_allocation_failures(build_under_failure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_are_those_of_other_writers),
        cmocka_unit_test(test_bits_are_those_of_the_specification),
        cmocka_unit_test(test_many_values_are_counted_in_the_filter_and_folded),
        cmocka_unit_test(test_the_estimate_follows_the_values_up_to_a_full_filter),
        cmocka_unit_test(test_values_that_repeat_count_once),
        cmocka_unit_test(test_texts_are_hashed_without_their_length),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
