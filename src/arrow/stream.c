#include "arrow/stream.h"

#include <errno.h>

#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"

typedef struct stream_private {
    const frz_arrow_source_ops *ops;
    void *self;
    frz_error *last_error; /* of the last call; the C interface hands out its text */
    frz_status last_status;
    bool ended;
} stream_private;

/* The errno that other producers give for the same trouble. */
static int errno_of(frz_status status)
{
    switch (status) {
    case FRZ_OK:
    case FRZ_END:
        return 0;
    case FRZ_INVALID:
    case FRZ_CORRUPT:
        return EINVAL;
    case FRZ_NO_MEMORY:
        return ENOMEM;
    case FRZ_NOT_FOUND:
        return ENOENT;
    case FRZ_ALREADY_EXISTS:
        return EEXIST;
    case FRZ_PERMISSION:
        return EACCES;
    case FRZ_UNSUPPORTED:
        return ENOSYS;
    case FRZ_CANCELLED:
        return ECANCELED;
    case FRZ_IO:
    case FRZ_CONFLICT:
    case FRZ_UNKNOWN_STATE:
    case FRZ_NETWORK:
        return EIO;
    }
    return EIO;
}

static frz_status status_of(int code)
{
    switch (code) {
    case EINVAL:
        return FRZ_INVALID;
    case ENOMEM:
        return FRZ_NO_MEMORY;
    case ENOENT:
        return FRZ_NOT_FOUND;
    case EEXIST:
        return FRZ_ALREADY_EXISTS;
    case EACCES:
        return FRZ_PERMISSION;
    case ENOSYS:
        return FRZ_UNSUPPORTED;
    case ECANCELED:
        return FRZ_CANCELLED;
    default:
        return FRZ_IO;
    }
}

static frz_error **fresh_error(stream_private *own)
{
    frz_error_free(own->last_error);
    own->last_error = NULL;
    return &own->last_error;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    stream_private *own = stream->private_data;
    *out = (struct ArrowSchema){0};
    own->last_status = own->ops->schema(own->self, out, fresh_error(own));
    return errno_of(own->last_status);
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    stream_private *own = stream->private_data;
    *out = (struct ArrowArray){0};
    if (own->ended)
        return 0;
    own->last_status = own->ops->next(own->self, out, fresh_error(own));
    own->ended = own->last_status == FRZ_END;
    return errno_of(own->last_status);
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    const stream_private *own = stream->private_data;
    return own->last_error ? frz_error_message(own->last_error) : NULL;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    stream_private *own = stream->private_data;
    own->ops->free(own->self);
    frz_error_free(own->last_error);
    frz_free(own);
    *stream = (struct ArrowArrayStream){0};
}

frz_status frz_arrow_stream_from(const frz_arrow_source_ops *ops, void *self,
                                 struct ArrowArrayStream *out, frz_error **err)
{
    stream_private *own = frz_alloc_zero(sizeof *own);
    if (!own) {
        ops->free(self);
        return frz_fail_memory(err);
    }
    own->ops = ops;
    own->self = self;
    *out = (struct ArrowArrayStream){.get_schema = get_schema,
                                     .get_next = get_next,
                                     .get_last_error = get_last_error,
                                     .release = release_stream,
                                     .private_data = own};
    return FRZ_OK;
}

/* The failure of the last call on `stream`: of ours as it was, of others by errno and text. */
static frz_status fail_stream(struct ArrowArrayStream *stream, int code, frz_error **err)
{
    if (stream->release == release_stream) {
        stream_private *own = stream->private_data;
        if (err && !*err) {
            *err = own->last_error;
            own->last_error = NULL;
        }
        return own->last_status;
    }
    const char *text = stream->get_last_error(stream);
    return frz_fail_origin(err, status_of(code), code, "Arrow stream: %s",
                           text ? text : "no message given");
}

frz_status frz_arrow_stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out,
                                   frz_error **err)
{
    struct ArrowSchema schema = {0};
    const int code = stream->get_schema(stream, &schema);
    if (code)
        return fail_stream(stream, code, err);
    *out = schema;
    return FRZ_OK;
}

frz_status frz_arrow_stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out,
                                 frz_error **err)
{
    struct ArrowArray batch = {0};
    const int code = stream->get_next(stream, &batch);
    if (code)
        return fail_stream(stream, code, err);
    if (!batch.release)
        return FRZ_END;
    *out = batch;
    return FRZ_OK;
}

frz_status frz_arrow_stream_each(struct ArrowArrayStream *stream,
                                 frz_status (*take)(void *context, const struct ArrowArray *batch,
                                                    frz_error **err),
                                 void *context, int64_t *rows_out, frz_error **err)
{
    int64_t count = 0;
    for (;;) {
        struct ArrowArray batch = {0};
        frz_status status = frz_arrow_stream_next(stream, &batch, err);
        if (status == FRZ_END)
            break;
        FRZ_TRY(status);
        count += batch.length;
        status = take(context, &batch, err);
        frz_arrow_array_clear(&batch);
        FRZ_TRY(status);
    }
    *rows_out = count;
    return FRZ_OK;
}
