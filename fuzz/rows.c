/*
 * CSV and JSON lines: the first byte chooses (c, else JSON lines), the rest is the file. What is
 * read prints to a file that reads and prints to the same again.
 */
#include "arrow/schema.h"
#include "base/buffer.h"
#include "frazil/text.h"
#include "spec/ddl.h"
#include "target.h"

static void make_schema(struct ArrowSchema *out)
{
    static const char ddl[] =
        "b boolean, i int, l long, f float, d double, dec decimal(9,2), dt date, tm time, "
        "ts timestamp, tz timestamptz, tn timestamp_ns, s string, u uuid, x fixed(4), bin binary, "
        "r int not null, li list<int>, m map<string, long>, k map<int, string>, "
        "st struct<a: int, c: string>";
    frz_schema *schema = NULL;
    FUZZ_CHECK(frz_ddl_parse_schema(frz_slice_of(ddl, sizeof ddl - 1), &schema, NULL) == FRZ_OK);
    FUZZ_CHECK(frz_schema_to_arrow(schema, out, NULL) == FRZ_OK);
    frz_schema_unref(schema);
}

static frz_status append(void *context, const void *bytes, size_t size, frz_error **err)
{
    (void)err;
    frz_buffer_append(context, bytes, size);
    return FRZ_OK;
}

/* The rows of a file as text of the same format. */
static frz_status print(frz_slice file, frz_row_format format, const struct ArrowSchema *schema,
                        frz_buffer *out)
{
    frz_print_options options = FRZ_PRINT_OPTIONS_INIT;
    fuzz_storage storage = fuzz_storage_over(file.data, file.size);
    struct ArrowArrayStream rows = {0};
    frz_error *err = NULL;
    options.format = format;
    frz_status status = frz_rows_open("f", format, schema, &storage.io, &rows, &err);
    if (status == FRZ_OK)
        status = frz_rows_print(&rows, &options, append, out, NULL, &err);
    FUZZ_CHECK(frz_error_status(err) == status);
    frz_error_free(err);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ArrowSchema schema;
    frz_buffer first = {0};
    frz_buffer second = {0};
    if (size == 0)
        return 0;
    if (!schema.release)
        make_schema(&schema);
    const frz_row_format format = data[0] == 'c' ? FRZ_ROW_FORMAT_CSV : FRZ_ROW_FORMAT_JSONL;
    if (print(frz_slice_of(data + 1, size - 1), format, &schema, &first) == FRZ_OK) {
        FUZZ_CHECK(print(frz_buffer_slice(&first), format, &schema, &second) == FRZ_OK);
        FUZZ_CHECK(frz_slice_equal(frz_buffer_slice(&first), frz_buffer_slice(&second)));
    }
    frz_buffer_clear(&first);
    frz_buffer_clear(&second);
    return 0;
}
