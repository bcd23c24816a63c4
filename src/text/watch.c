#include "frazil/text.h"

#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "base/mem.h"

typedef struct watched_rows {
    struct ArrowArrayStream inner; /* owned */
    frz_rows_watcher watch;
    void *context;
    int64_t passed;
} watched_rows;

static frz_status watched_schema(void *self, struct ArrowSchema *out, frz_error **err)
{
    watched_rows *rows = self;
    return frz_arrow_stream_schema(&rows->inner, out, err);
}

static frz_status watched_next(void *self, struct ArrowArray *out, frz_error **err)
{
    watched_rows *rows = self;
    FRZ_TRY(rows->watch(rows->context, rows->passed, err));
    FRZ_TRY(frz_arrow_stream_next(&rows->inner, out, err));
    rows->passed += out->length;
    return FRZ_OK;
}

static void watched_free(void *self)
{
    watched_rows *rows = self;
    frz_arrow_stream_clear(&rows->inner);
    frz_free(rows);
}

static const frz_arrow_source_ops watched_ops = {
    .schema = watched_schema, .next = watched_next, .free = watched_free};

frz_status frz_rows_watch(struct ArrowArrayStream *rows, frz_rows_watcher watch, void *context,
                          frz_error **err)
{
    watched_rows *watched = frz_alloc_zero(sizeof *watched);
    if (!watched) {
        frz_arrow_stream_clear(rows);
        return frz_fail_memory(err);
    }
    *watched = (watched_rows){.inner = *rows, .watch = watch, .context = context};
    *rows = (struct ArrowArrayStream){0};
    return frz_arrow_stream_from(&watched_ops, watched, rows, err);
}
