/*
 * Table metadata. What is read is printed, and read again to the same text; a builder on it
 * finishes or says why not.
 */
#include "spec/update.h"

#include "target.h"

static frz_metadata *parse(frz_slice text)
{
    frz_metadata *metadata = NULL;
    frz_error *err = NULL;
    const frz_status status = frz_metadata_parse(text, NULL, &metadata, &err);
    FUZZ_CHECK((status == FRZ_OK) == (metadata != NULL) && frz_error_status(err) == status);
    frz_error_free(err);
    return metadata;
}

static void check_update(const frz_metadata *base)
{
    frz_metadata_builder *builder = NULL;
    frz_metadata *next = NULL;
    frz_error *err = NULL;
    FUZZ_CHECK(frz_metadata_builder_new(base, 0, &builder, &err) == FRZ_OK);
    frz_status status = frz_update_upgrade(builder, 3, &err);
    if (status == FRZ_OK)
        status = frz_update_remove_snapshots(builder, &base->current_snapshot_id, 1, &err);
    if (status == FRZ_OK)
        status = frz_metadata_builder_finish(builder, "file:/base", 1, &next, NULL, NULL, &err);
    FUZZ_CHECK((status == FRZ_OK) == (next != NULL) && frz_error_status(err) == status);
    frz_error_free(err);
    frz_metadata_unref(next);
    frz_metadata_builder_free(builder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    frz_buffer first = {0};
    frz_buffer second = {0};
    frz_metadata *metadata = parse(frz_slice_of(data, size));
    if (!metadata)
        return 0;
    FUZZ_CHECK(frz_metadata_print(metadata, &first, NULL) == FRZ_OK);
    frz_metadata *again = parse(frz_buffer_slice(&first));
    FUZZ_CHECK(again && frz_metadata_print(again, &second, NULL) == FRZ_OK);
    FUZZ_CHECK(frz_slice_equal(frz_buffer_slice(&first), frz_buffer_slice(&second)));
    check_update(metadata);
    frz_metadata_unref(metadata);
    frz_metadata_unref(again);
    frz_buffer_clear(&first);
    frz_buffer_clear(&second);
    return 0;
}
