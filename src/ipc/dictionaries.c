#include "ipc/dictionaries.h"

#include "arrow/concat.h"
#include "arrow/normalize.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "ipc/format.h"

frz_status frz_ipc_dictionaries_init(frz_ipc_dictionaries *out, const frz_ipc_schema *schema,
                                     frz_error **err)
{
    struct ArrowArray *values = frz_alloc_array(schema->dictionary_count, sizeof *values);
    if (!values)
        return frz_fail_memory(err);
    *out = (frz_ipc_dictionaries){.values = values, .count = schema->dictionary_count};
    return FRZ_OK;
}

/* The one column of a batch of values, plain. */
static frz_status read_values(const frz_flat_table *data, frz_ipc_column *values,
                              const frz_ipc_body *body, const frz_ipc_batch_options *options,
                              struct ArrowArray *out, frz_error **err)
{
    struct ArrowArray batch = {0};
    const frz_ipc_column only = {.path = values->path, .children = values, .child_count = 1};
    FRZ_TRY(frz_ipc_batch_read(data, &only, body, options, &batch, err));
    struct ArrowArray sent = *batch.children[0];
    batch.children[0]->release = NULL;
    frz_arrow_array_clear(&batch);
    const frz_status status = frz_arrow_normalize(&values->arrow, &sent, out, err);
    frz_arrow_array_clear(&sent);
    return status;
}

/* Puts *more, which is taken also on failure, behind the values that there are. */
static frz_status append_values(const struct ArrowSchema *schema, struct ArrowArray *values,
                                struct ArrowArray *more, frz_error **err)
{
    const struct ArrowArray parts[] = {*values, *more};
    struct ArrowArray joined = {0};
    const frz_status status = frz_arrow_array_concat(schema, parts, 2, &joined, err);
    frz_arrow_array_clear(more);
    if (status != FRZ_OK)
        return status;
    frz_arrow_array_clear(values);
    *values = joined;
    return FRZ_OK;
}

frz_status frz_ipc_dictionaries_read(frz_ipc_dictionaries *dictionaries,
                                     const frz_flat_table *table, const frz_ipc_schema *schema,
                                     const frz_ipc_body *body, const frz_ipc_batch_options *options,
                                     frz_error **err)
{
    const int64_t id = frz_flat_i64(table, FRZ_IPC_DICTIONARY_ID, 0);
    const frz_flat_table data = frz_flat_child(table, FRZ_IPC_DICTIONARY_DATA);
    const bool is_delta = frz_flat_u8(table, FRZ_IPC_DICTIONARY_IS_DELTA, 0) != 0;
    const frz_map_value *found = frz_map_find_i64(&schema->dictionaries, id);
    struct ArrowArray more = {0};
    if (!found)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "dictionary %lld is of no column",
                        (long long)id);
    const frz_ipc_column *column = found->pointer;
    struct ArrowArray *values = &dictionaries->values[column->dictionary_index];
    if (values->release && !is_delta && !dictionaries->may_replace)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "dictionary %lld comes twice, which only a stream allows", (long long)id);
    FRZ_TRY(read_values(&data, column->values, body, options, &more, err));
    if (values->release && is_delta)
        return append_values(column->plain_values, values, &more, err);
    frz_arrow_array_clear(values);
    *values = more;
    return FRZ_OK;
}

void frz_ipc_dictionaries_clear(frz_ipc_dictionaries *dictionaries)
{
    for (size_t i = 0; i < dictionaries->count; i++)
        frz_arrow_array_clear(&dictionaries->values[i]);
    frz_free(dictionaries->values);
    *dictionaries = (frz_ipc_dictionaries){0};
}
