/*
 * Data files, Avro or Parquet by their first byte, as a table reads them: columns by field id, or
 * by name where the file has no ids, brought to the table's types.
 */
#include "arrow/array.h"
#include "arrow/schema.h"
#include "scan/row_reader.h"
#include "spec/ddl.h"
#include "target.h"

static const char ddl[] =
    "b boolean, i int, l long, f float, d double, dec decimal(18,2), dt date, tm time, "
    "ts timestamp, tz timestamptz, tn timestamp_ns, s string, u uuid, x fixed(4), bin binary, "
    "li list<long>, m map<string, struct<a: long>>, k map<int, string>, "
    "st struct<a: long, c: string, n: struct<z: double>>, ls list<struct<a: int, e: date>>";

static const char table_json[] =
    "{\"format-version\":1,\"location\":\"l\",\"last-updated-ms\":1,\"last-column-id\":0,"
    "\"schema\":{\"type\":\"struct\",\"fields\":[]},\"partition-spec\":[]}";

static const char *const letters[] = {"a", "b", "c", "d", "id", "key", "value", "element"};

/* Letters for every id and every depth. */
static frz_name_mapping mapping_of(frz_name_mapping *children, size_t count,
                                   const frz_name_mapping *below)
{
    for (size_t i = 0; i < count; i++)
        children[i] = (frz_name_mapping){.names = &letters[i],
                                         .name_count = 1,
                                         .field_id = (int32_t)i + 1,
                                         .children = below,
                                         .child_count = below ? count : 0};
    return (frz_name_mapping){.field_id = -1, .children = children, .child_count = count};
}

static void read_rows(const frz_scan *scan, const frz_data_file *entry, const frz_type *type,
                      const struct ArrowSchema *schema)
{
    frz_row_reader *reader = NULL;
    frz_error *err = NULL;
    frz_status status = frz_row_reader_open(scan, entry, type, &reader, &err);
    for (int batches = 0; status == FRZ_OK && batches < 64; batches++) {
        struct ArrowArray batch = {0};
        status = frz_row_reader_next(reader, &batch, &err);
        if (status == FRZ_OK)
            FUZZ_CHECK(frz_arrow_array_validate(schema, &batch, NULL) == FRZ_OK);
        frz_arrow_array_clear(&batch);
    }
    FUZZ_CHECK((err != NULL) == (status != FRZ_OK && status != FRZ_END));
    frz_error_free(err);
    frz_row_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static frz_schema *table;
    static struct ArrowSchema schema;
    enum { LETTERS = sizeof letters / sizeof *letters };
    frz_name_mapping inner[LETTERS];
    frz_name_mapping outer[LETTERS];
    (void)mapping_of(inner, LETTERS, NULL);
    const frz_name_mapping mapping = mapping_of(outer, LETTERS, inner);
    static frz_metadata *metadata;
    if (!metadata)
        FUZZ_CHECK(frz_metadata_parse(frz_slice_of_text(table_json), NULL, &metadata, NULL) ==
                   FRZ_OK);
    fuzz_storage storage = fuzz_storage_over(data, size);
    frz_scan scan = {.io = &storage.io,
                     .limits = frz_limits_default,
                     .metadata = metadata,
                     .name_mapping = &mapping};
    const frz_data_file entry = {.format =
                                     size && data[0] == 'O' ? FRZ_FORMAT_AVRO : FRZ_FORMAT_PARQUET,
                                 .path = frz_slice_of_text("f"),
                                 .file_size = (int64_t)size,
                                 .first_row_id = -1};
    if (!table) {
        FUZZ_CHECK(frz_ddl_parse_schema(frz_slice_of_text(ddl), &table, NULL) == FRZ_OK);
        FUZZ_CHECK(frz_schema_to_arrow(table, &schema, NULL) == FRZ_OK);
    }
    scan.limits.avro_block_size = (size_t)1 << 20;
    scan.limits.avro_header_size = (size_t)1 << 20;
    scan.limits.parquet_page_size = (size_t)1 << 20;
    scan.limits.schema_columns = 1000;
    scan.limits.parse_budget = (size_t)64 << 20;
    const frz_type *type = frz_schema_type(table);
    for (size_t i = 0; i < type->field_count; i++) {
        const frz_type one = {
            .kind = FRZ_TYPE_STRUCT, .fields = &type->fields[i], .field_count = 1};
        const struct ArrowSchema column = {
            .format = "+s", .n_children = 1, .children = &schema.children[i]};
        read_rows(&scan, &entry, &one, &column);
    }
    read_rows(&scan, &entry, type, &schema);
    return 0;
}
