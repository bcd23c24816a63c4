/*
 * Avro container files: the header, the schema, and every row, whole, with a projection, and by
 * several threads, who read no more and no less.
 */
#include "arrow/array.h"
#include "arrow/schema.h"
#include "avro/reader.h"
#include "target.h"

/* Returns how many rows the file has, -1 when it fails or is cut off here. */
static int64_t read_all(const uint8_t *data, size_t size, const frz_avro_projection *projection,
                        frz_pool *pool)
{
    int64_t rows = 0;
    frz_limits limits = frz_limits_default;
    frz_avro_reader *reader = NULL;
    frz_error *err = NULL;
    struct ArrowSchema schema = {0};
    fuzz_input input = fuzz_input_over(data, size);
    limits.avro_block_size = (size_t)1 << 20;
    limits.avro_header_size = (size_t)1 << 20;
    limits.schema_columns = 1000;
    limits.parse_budget = (size_t)64 << 20;
    frz_status status = frz_avro_reader_open(&input.base, &limits, &reader, &err);
    if (status == FRZ_OK)
        frz_avro_reader_use_pool(reader, pool);
    if (status == FRZ_OK && projection)
        status = frz_avro_reader_project(reader, projection, &err);
    if (status == FRZ_OK)
        status = frz_avro_reader_arrow_schema(reader, &schema, &err);
    for (int batches = 0; status == FRZ_OK && batches < 1024; batches++) {
        struct ArrowArray batch = {0};
        status = frz_avro_reader_next(reader, &batch, &err);
        if (status == FRZ_OK)
            FUZZ_CHECK(frz_arrow_array_validate(&schema, &batch, NULL) == FRZ_OK);
        rows += status == FRZ_OK ? batch.length : 0;
        frz_arrow_array_clear(&batch);
    }
    FUZZ_CHECK((err != NULL) == (status != FRZ_OK && status != FRZ_END));
    frz_error_free(err);
    frz_arrow_schema_clear(&schema);
    frz_avro_reader_close(reader);
    return status == FRZ_END ? rows : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int32_t keys[] = {1, 3};
    static const frz_avro_projection file_fields[] = {
        {.field_id = 102},
        {.field_id = 100},
        {.field_id = 109, .map_keys = keys, .map_key_count = 2},
        {.field_id = 125, .map_keys = keys, .map_key_count = 2},
        {.field_id = 9999, .absent_format = "l"},
    };
    static const frz_avro_projection fields[] = {
        {.field_id = 2, .children = file_fields, .child_count = 5},
        {.field_id = 0},
        {.field_id = INT32_MIN, .name = "b"},
    };
    static const frz_avro_projection root = {
        .field_id = INT32_MIN, .children = fields, .child_count = 3};
    static frz_pool *pool;
    if (!pool)
        FUZZ_CHECK(frz_pool_new(2, &pool, NULL) == FRZ_OK);
    (void)read_all(data, size, &root, NULL);
    const int64_t alone = read_all(data, size, NULL, NULL);
    const int64_t together = read_all(data, size, NULL, pool);
    FUZZ_CHECK(alone == together || alone < 0 || together < 0);
    return 0;
}
