#include "text/jsonl.h"

#include "base/fail.h"
#include "text/source.h"

bool frz_jsonl_is_blank(frz_slice record)
{
    for (size_t i = 0; i < record.size; i++) {
        if (record.data[i] != ' ' && record.data[i] != '\t')
            return false;
    }
    return true;
}

static frz_status read_row(frz_text_source *source, frz_slice record, frz_error **err)
{
    if (frz_jsonl_is_blank(record))
        return FRZ_END;
    frz_json_kind kind = FRZ_JSON_NULL;
    frz_json_reader json = frz_json_reader_over(record, &source->values);
    FRZ_TRY(frz_json_peek(&json, &kind, err));
    if (kind != FRZ_JSON_OBJECT)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "expected one JSON object per line");
    FRZ_TRY(frz_text_read_json(&json, &source->root, &source->values, source->builder, err));
    return frz_json_expect_end(&json, err);
}

frz_status frz_jsonl_open(const char *location, frz_io *io, const struct ArrowSchema *schema,
                          const frz_rows_options *options, struct ArrowArrayStream *out,
                          frz_error **err)
{
    frz_text_source *source = NULL;
    FRZ_TRY(frz_text_source_new(location, io, &source, err));
    source->read_row = read_row;
    source->any_case = options->case_insensitive;
    const frz_status status = frz_text_source_set_schema(source, schema, NULL, err);
    if (status != FRZ_OK) {
        frz_text_source_free(source);
        return status;
    }
    return frz_text_source_stream(source, out, err);
}
