#include "write/task_batches.h"

#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "scan/stream.h"

frz_status frz_task_batches(const frz_plan *plan, size_t task, const frz_transaction *transaction,
                            frz_task_visit visit, void *self, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowArrayStream stream = {0};
    FRZ_TRY_DONE(frz_plan_stream(plan, task, 1, &stream, err));
    for (;;) {
        struct ArrowArray batch = {0};
        FRZ_TRY_DONE(frz_transaction_check_cancelled(transaction, err));
        status = frz_arrow_stream_next(&stream, &batch, err);
        if (status != FRZ_OK)
            break;
        if (batch.length > 0)
            status = visit(self, &batch, err);
        frz_arrow_array_clear(&batch);
        if (status != FRZ_OK)
            goto done;
    }
    if (status == FRZ_END)
        status = FRZ_OK;

done:
    frz_arrow_stream_clear(&stream);
    return status;
}
