#include "writing.h"

#include <stdlib.h>

enum { SORT_MEBIBYTES_MAX = 2048 }; /* of frz_write_options.sort_memory */

static frz_status choose_branch(const cli_session *session, cli_writing *out, frz_error **err)
{
    const char *ref = NULL;
    const char *branch = session_option(session, "--branch");
    const frz_status status = session_split_name(session->arguments[0], &out->name, &ref, err);
    if (status != FRZ_OK)
        return status;
    if (branch && ref)
        return frz_error_raise(err, FRZ_INVALID, "give --branch or TABLE@BRANCH, not both");
    out->options.branch = branch ? branch : ref;
    if (out->options.branch && !*out->options.branch)
        return frz_error_raise(err, FRZ_INVALID, "a branch needs a name");
    return FRZ_OK;
}

static frz_status choose_open_files(const cli_session *session, cli_writing *out, frz_error **err)
{
    bool given = false;
    int64_t number = 0;
    const frz_status status = session_number(session, "--max-open-files", &given, &number, err);
    if (status != FRZ_OK)
        return status;
    if (given && (number < 1 || number > INT32_MAX))
        return frz_error_raise(err, FRZ_INVALID, "--max-open-files wants a number from 1");
    out->options.open_files_max = (int32_t)number;
    return FRZ_OK;
}

frz_status writing_open(cli_session *session, cli_writing *out, frz_error **err)
{
    const frz_write_options none = FRZ_WRITE_OPTIONS_INIT;
    out->options = none;
    out->options.cancelled = session_watch_signals();
    out->options.wap_id = session_option(session, "--wap-id");
    frz_status status = session_properties(session, "--snapshot-property", &out->properties,
                                           &out->options.snapshot_property_count, err);
    out->options.snapshot_properties = out->properties;
    out->options.idempotency_key = session_option(session, "--idempotency-key");
    if (status == FRZ_OK && out->options.idempotency_key && !*out->options.idempotency_key)
        status = frz_error_raise(err, FRZ_INVALID, "--idempotency-key wants a key");
    if (status == FRZ_OK && out->options.wap_id && !*out->options.wap_id)
        status = frz_error_raise(err, FRZ_INVALID, "--wap-id wants an id");
    if (status == FRZ_OK)
        status = choose_open_files(session, out, err);
    if (status == FRZ_OK)
        status = session_mebibytes(session, "--sort-memory", SORT_MEBIBYTES_MAX,
                                   &out->options.sort_memory, err);
    if (status == FRZ_OK)
        status = choose_branch(session, out, err);
    return status == FRZ_OK ? session_table_to_change(session, out->name, &out->table, err)
                            : status;
}

void writing_close(cli_writing *writing)
{
    frz_table_free(writing->table);
    free(writing->properties);
    free(writing->name);
}
