#include "scan/stream.h"

#include "arrow/array.h"
#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/pool.h"
#include "scan/plan_object.h"
#include "scan/task_reader.h"

typedef struct plan_stream {
    frz_plan *plan; /* a reference */
    size_t task;    /* the next one to open */
    size_t task_end;
    frz_task_reader *reader; /* of task - 1 */
    frz_pool *pool;          /* for the blocks of Avro files; made when the first is read */
    int64_t left;            /* rows until the limit; -1 = no limit */
} plan_stream;

static frz_status stream_schema(void *self, struct ArrowSchema *out, frz_error **err)
{
    const plan_stream *stream = self;
    return frz_scan_arrow_schema(stream->plan->scan, out, err);
}

/* The next task. Blocks of Avro are decoded by as many threads as the scan allows a stream. */
static frz_status open_task(plan_stream *stream, frz_error **err)
{
    const frz_scan *scan = stream->plan->scan;
    const frz_scan_task *task = &stream->plan->tasks[stream->task++];
    const bool avro = task->entry->file.format == FRZ_FORMAT_AVRO;
    if (avro && scan->threads > 1 && !stream->pool)
        FRZ_TRY(frz_pool_new((size_t)scan->threads, &stream->pool, err));
    return frz_task_reader_open(scan, task, stream->pool, &stream->reader, err);
}

static frz_status next_batch(plan_stream *stream, struct ArrowArray *out, frz_error **err)
{
    for (;;) {
        if (stream->reader) {
            const frz_status status = frz_task_reader_next(stream->reader, out, err);
            if (status != FRZ_END)
                return status;
            frz_task_reader_close(stream->reader);
            stream->reader = NULL;
        }
        if (stream->task == stream->task_end)
            return FRZ_END;
        FRZ_TRY(open_task(stream, err));
    }
}

static frz_status stream_next(void *self, struct ArrowArray *out, frz_error **err)
{
    plan_stream *stream = self;
    struct ArrowArray batch = {0};
    if (stream->left == 0)
        return FRZ_END;
    FRZ_TRY(next_batch(stream, &batch, err));
    if (stream->left < 0 || batch.length <= stream->left) {
        stream->left -= stream->left < 0 ? 0 : batch.length;
        *out = batch;
        return FRZ_OK;
    }
    const frz_status status = frz_arrow_array_slice(&batch, 0, stream->left, out, err);
    frz_arrow_array_clear(&batch);
    stream->left = 0;
    return status;
}

static void stream_free(void *self)
{
    plan_stream *stream = self;
    frz_task_reader_close(stream->reader);
    frz_pool_free(stream->pool);
    frz_plan_free(stream->plan);
    frz_free(stream);
}

static const frz_arrow_source_ops stream_ops = {
    .schema = stream_schema, .next = stream_next, .free = stream_free};

frz_status frz_plan_stream(const frz_plan *plan, size_t first, size_t count,
                           struct ArrowArrayStream *out, frz_error **err)
{
    if (first > plan->task_count || count > plan->task_count - first)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "the plan has %zu files, not %zu",
                        plan->task_count, first + count);
    plan_stream *stream = frz_alloc_zero(sizeof *stream);
    if (!stream)
        return frz_fail_memory(err);
    stream->plan = frz_plan_ref(plan);
    stream->task = first;
    stream->task_end = first + count;
    stream->left = plan->scan->limit;
    return frz_arrow_stream_from(&stream_ops, stream, out, err);
}

frz_status frz_plan_file_stream(const frz_plan *plan, size_t index, struct ArrowArrayStream *out,
                                frz_error **err)
{
    return frz_plan_stream(plan, index, 1, out, err);
}

frz_status frz_scan_stream(frz_scan *scan, struct ArrowArrayStream *out, frz_error **err)
{
    frz_plan *plan = NULL;
    FRZ_TRY(frz_scan_plan(scan, &plan, err));
    const frz_status status = frz_plan_stream(plan, 0, plan->task_count, out, err);
    frz_plan_free(plan);
    return status;
}
