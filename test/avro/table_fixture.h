/*
 * A table of entries like those of a manifest, written through the writer: status, path, an
 * optional nested record with a map of int keys, a list, a fixed and a decimal.
 */
#ifndef FRZ_TEST_AVRO_TABLE_FIXTURE_H
#define FRZ_TEST_AVRO_TABLE_FIXTURE_H

#include "arrow/builder.h"
#include "fixture.h"

static const char table_json[] =
    "{\"type\":\"record\",\"name\":\"entry\",\"fields\":["
    "{\"name\":\"status\",\"type\":\"int\",\"field-id\":0},"
    "{\"name\":\"path\",\"type\":\"string\",\"field-id\":1},"
    "{\"name\":\"file\",\"field-id\":2,\"type\":[\"null\",{\"type\":\"record\",\"name\":\"r2\","
    "\"fields\":["
    "{\"name\":\"sizes\",\"field-id\":108,\"type\":[\"null\",{\"type\":\"array\",\"logicalType\":"
    "\"map\","
    "\"items\":{\"type\":\"record\",\"name\":\"k117_v118\",\"fields\":["
    "{\"name\":\"key\",\"type\":\"int\",\"field-id\":117},"
    "{\"name\":\"value\",\"type\":\"long\",\"field-id\":118}]}}]},"
    "{\"name\":\"splits\",\"field-id\":132,\"type\":{\"type\":\"array\",\"element-id\":133,"
    "\"items\":"
    "\"long\"}},"
    "{\"name\":\"count\",\"type\":[\"long\",\"null\"],\"field-id\":103}]}]},"
    "{\"name\":\"hash\",\"type\":{\"type\":\"fixed\",\"name\":\"f4\",\"size\":4},\"field-id\":3},"
    "{\"name\":\"price\",\"field-id\":4,\"type\":[\"null\",{\"type\":\"fixed\",\"name\":\"d9\","
    "\"size\":4,"
    "\"logicalType\":\"decimal\",\"precision\":9,\"scale\":2}]}]}";

static inline void leaf(struct ArrowSchema *out, const char *format, const char *name,
                        bool nullable)
{
    frz_error *err = NULL;
    CHECK_OK(frz_arrow_schema_init(out, format, name, nullable, FRZ_ARROW_NO_FIELD_ID, 0, &err),
             err);
}

static inline void parent(struct ArrowSchema *out, const char *format, const char *name,
                          bool nullable, int64_t children)
{
    frz_error *err = NULL;
    CHECK_OK(
        frz_arrow_schema_init(out, format, name, nullable, FRZ_ARROW_NO_FIELD_ID, children, &err),
        err);
}

static inline struct ArrowSchema table_schema(void)
{
    struct ArrowSchema s = {0};
    parent(&s, "+s", "", false, 5);
    leaf(s.children[0], "i", "status", false);
    leaf(s.children[1], "u", "path", false);
    parent(s.children[2], "+s", "file", true, 3);
    struct ArrowSchema *file = s.children[2];
    parent(file->children[0], "+m", "sizes", true, 1);
    parent(file->children[0]->children[0], "+s", "entries", false, 2);
    leaf(file->children[0]->children[0]->children[0], "i", "key", false);
    leaf(file->children[0]->children[0]->children[1], "l", "value", false);
    parent(file->children[1], "+l", "splits", false, 1);
    leaf(file->children[1]->children[0], "l", "element", false);
    leaf(file->children[2], "l", "count", true);
    leaf(s.children[3], "w:4", "hash", false);
    leaf(s.children[4], "d:9,2", "price", true);
    return s;
}

/* Row i, all of it computed from i, so that readers can be checked without a copy. */
static inline void append_row(frz_arrow_builder *b, int64_t i)
{
    char path[64];
    uint8_t hash[4];
    frz_arrow_builder *file = frz_arrow_builder_child(b, 2);
    frz_arrow_append_i64(frz_arrow_builder_child(b, 0), i % 3);
    (void)snprintf(path, sizeof path, "s3://bucket/data/%lld.parquet", (long long)(i * i));
    frz_arrow_append_bytes(frz_arrow_builder_child(b, 1), frz_slice_of_text(path));
    if (i % 5 == 4) {
        frz_arrow_append_null(file);
    } else {
        frz_arrow_builder *sizes = frz_arrow_builder_child(file, 0);
        frz_arrow_builder *entries = frz_arrow_builder_child(sizes, 0);
        frz_arrow_builder *splits = frz_arrow_builder_child(file, 1);
        if (i % 7 == 0) {
            frz_arrow_append_null(sizes);
        } else {
            for (int64_t key = 1; key <= i % 11; key++) {
                frz_arrow_append_i64(frz_arrow_builder_child(entries, 0), key);
                frz_arrow_append_i64(frz_arrow_builder_child(entries, 1), i * 1000 + key);
                frz_arrow_append_struct(entries);
            }
            frz_arrow_append_list(sizes);
        }
        for (int64_t split = 0; split < i % 4; split++)
            frz_arrow_append_i64(frz_arrow_builder_child(splits, 0), split * 4 + i);
        frz_arrow_append_list(splits);
        if (i % 2)
            frz_arrow_append_i64(frz_arrow_builder_child(file, 2), -i);
        else
            frz_arrow_append_null(frz_arrow_builder_child(file, 2));
        frz_arrow_append_struct(file);
    }
    for (int byte = 0; byte < 4; byte++)
        hash[byte] = (uint8_t)(i + byte);
    frz_arrow_append_bytes(frz_arrow_builder_child(b, 3), frz_slice_of(hash, 4));
    if (i % 6 == 5)
        frz_arrow_append_null(frz_arrow_builder_child(b, 4));
    else
        frz_arrow_append_decimal(frz_arrow_builder_child(b, 4), i - 50);
    frz_arrow_append_struct(b);
}

/* A batch of rows 0, 1, 2 ... and its schema. */
typedef struct table {
    struct ArrowSchema schema;
    struct ArrowArray batch;
} table;

static inline table make_table(int64_t rows)
{
    frz_error *err = NULL;
    table t = {.schema = table_schema()};
    frz_arrow_builder *builder = NULL;
    CHECK_OK(frz_arrow_builder_new(&t.schema, &builder, &err), err);
    for (int64_t i = 0; i < rows; i++)
        append_row(builder, i);
    CHECK_OK(frz_arrow_builder_finish(builder, &t.batch, &err), err);
    frz_arrow_builder_free(builder);
    return t;
}

static inline void clear_table(table *t)
{
    frz_arrow_array_clear(&t->batch);
    frz_arrow_schema_clear(&t->schema);
}

static inline frz_status write_batch(const table *t, frz_codec codec, size_t block_size,
                                     frz_buffer *file, frz_error **err)
{
    const frz_avro_key_value metadata[] = {{"content", {(const uint8_t *)"data", 4}}};
    const frz_avro_writer_options options = {.struct_size = sizeof options,
                                             .codec = codec,
                                             .block_size = block_size,
                                             .metadata = metadata,
                                             .metadata_count = 1};
    frz_avro_writer *writer = NULL;
    buffer_output output = output_to(file);
    uint64_t size = 0;
    frz_status status =
        frz_avro_writer_open(&output.base, frz_slice_of_text(table_json), &options, &writer, err);
    if (status == FRZ_OK)
        status = frz_avro_writer_write(writer, &t->schema, &t->batch, err);
    if (status == FRZ_OK)
        status = frz_avro_writer_finish(writer, &size, err);
    CHECK(status != FRZ_OK || size == file->size);
    frz_avro_writer_free(writer);
    return status;
}

static inline frz_status write_table(int64_t rows, frz_codec codec, size_t block_size,
                                     frz_buffer *file, frz_error **err)
{
    table t = make_table(rows);
    const frz_status status = write_batch(&t, codec, block_size, file, err);
    clear_table(&t);
    return status;
}

#endif
