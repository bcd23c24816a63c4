#include "write/inputs.h"

#include <string.h>

#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "write/input.h"

static frz_status open_input(const frz_transaction *transaction, struct ArrowArrayStream *rows,
                             frz_input_columns **out, frz_error **err)
{
    struct ArrowSchema given = {0};
    FRZ_TRY(frz_arrow_stream_schema(rows, &given, err));
    const frz_status status =
        frz_input_columns_new(&given, frz_metadata_schema(transaction->table->metadata),
                              !transaction->options->case_insensitive, out, err);
    frz_arrow_schema_clear(&given);
    return status;
}

static frz_status read_batches(const frz_transaction *transaction, frz_input_columns *input,
                               struct ArrowArrayStream *rows, frz_inputs_take take, void *self,
                               frz_error **err)
{
    for (;;) {
        struct ArrowArray batch = {0};
        struct ArrowArray columns = {0};
        FRZ_TRY(frz_transaction_check_cancelled(transaction, err));
        frz_status status = frz_arrow_stream_next(rows, &batch, err);
        if (status != FRZ_OK)
            return status == FRZ_END ? FRZ_OK : status;
        FRZ_TRY(frz_input_columns_run(input, &batch, &columns, err));
        status = take(self, &columns, err);
        frz_arrow_array_clear(&columns);
        if (status != FRZ_OK)
            return status;
    }
}

/* Says which input is at fault, unless the message opens with its name anyway.
 */
static frz_status name_input(const char *name, frz_status status, frz_error **err)
{
    const bool of_input =
        status == FRZ_INVALID || status == FRZ_CORRUPT || status == FRZ_UNSUPPORTED;
    if (!of_input || !err || !*err || strncmp(frz_error_message(*err), name, strlen(name)) == 0)
        return status;
    return frz_context(err, status, "%s", name);
}

frz_status frz_inputs_read(const frz_transaction *transaction, struct ArrowArrayStream *inputs,
                           size_t count, frz_inputs_take take, void *self, frz_error **err)
{
    const char *const *names = transaction->options->input_names;
    for (size_t i = 0; i < count; i++) {
        frz_input_columns *input = NULL;
        frz_status status = open_input(transaction, &inputs[i], &input, err);
        if (status == FRZ_OK)
            status = read_batches(transaction, input, &inputs[i], take, self, err);
        frz_input_columns_free(input);
        if (status != FRZ_OK)
            return names ? name_input(names[i], status, err) : status;
    }
    return FRZ_OK;
}
