/*
 * One manifest entry on its way into a manifest: checked against what its format version allows,
 * then appended to the Arrow columns of manifest_schema.h.
 */
#ifndef FRZ_SPEC_MANIFEST_ROW_H
#define FRZ_SPEC_MANIFEST_ROW_H

#include "arrow/builder.h"
#include "spec/manifest.h"

typedef struct frz_manifest_row {
    int format_version;
    int32_t content;           /* of the manifest */
    int64_t snapshot_id;       /* of the commit: that of ADDED and DELETED entries */
    const frz_type *partition; /* the tuple's type */
    const frz_manifest_entry *entry;
} frz_manifest_row;

/* FRZ_INVALID names the file and what it lacks or may not have. */
FRZ_MUST_CHECK frz_status frz_manifest_row_check(const frz_manifest_row *row, frz_error **err);

/* `builder` is for frz_manifest_arrow_schema; failures stick in it. The row must have been checked.
 */
void frz_manifest_row_append(const frz_manifest_row *row, frz_arrow_builder *builder);

#endif
