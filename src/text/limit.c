#include "frazil/text.h"

#include "arrow/array.h"
#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "base/mem.h"

typedef struct limited_rows {
    struct ArrowArrayStream inner; /* owned */
    int64_t left;
} limited_rows;

static frz_status limited_schema(void *self, struct ArrowSchema *out, frz_error **err)
{
    limited_rows *rows = self;
    return frz_arrow_stream_schema(&rows->inner, out, err);
}

static frz_status limited_next(void *self, struct ArrowArray *out, frz_error **err)
{
    limited_rows *rows = self;
    struct ArrowArray batch = {0};
    if (rows->left == 0)
        return FRZ_END;
    FRZ_TRY(frz_arrow_stream_next(&rows->inner, &batch, err));
    if (batch.length <= rows->left) {
        rows->left -= batch.length;
        *out = batch;
        return FRZ_OK;
    }
    const frz_status status = frz_arrow_array_slice(&batch, 0, rows->left, out, err);
    frz_arrow_array_clear(&batch);
    rows->left = 0;
    return status;
}

static void limited_free(void *self)
{
    limited_rows *rows = self;
    frz_arrow_stream_clear(&rows->inner);
    frz_free(rows);
}

static const frz_arrow_source_ops limited_ops = {
    .schema = limited_schema, .next = limited_next, .free = limited_free};

frz_status frz_rows_limit(struct ArrowArrayStream *rows, int64_t limit, frz_error **err)
{
    limited_rows *limited = frz_alloc_zero(sizeof *limited);
    if (!limited || limit < 0) {
        frz_free(limited);
        frz_arrow_stream_clear(rows);
        return limit < 0 ? frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "limit %lld is negative",
                                    (long long)limit)
                         : frz_fail_memory(err);
    }
    *limited = (limited_rows){.inner = *rows, .left = limit};
    *rows = (struct ArrowArrayStream){0};
    return frz_arrow_stream_from(&limited_ops, limited, rows, err);
}
