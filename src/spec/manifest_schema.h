/*
 * The schemas of manifests and manifest lists (spec "Manifest Entry Fields", "Data File Fields",
 * "Manifest Lists"), per format version: as Avro text with field ids, and as Arrow for what we hand
 * to the writer.
 */
#ifndef FRZ_SPEC_MANIFEST_SCHEMA_H
#define FRZ_SPEC_MANIFEST_SCHEMA_H

#include "avro/schema.h"
#include "base/buffer.h"
#include "frazil/arrow.h"
#include "spec/type.h"

/* Field ids of the specification. */
enum {
    FRZ_ENTRY_ID_STATUS = 0,
    FRZ_ENTRY_ID_SNAPSHOT_ID = 1,
    FRZ_ENTRY_ID_DATA_FILE = 2,
    FRZ_ENTRY_ID_SEQUENCE_NUMBER = 3,
    FRZ_ENTRY_ID_FILE_SEQUENCE_NUMBER = 4,

    FRZ_FILE_ID_FILE_PATH = 100,
    FRZ_FILE_ID_FILE_FORMAT = 101,
    FRZ_FILE_ID_PARTITION = 102,
    FRZ_FILE_ID_RECORD_COUNT = 103,
    FRZ_FILE_ID_FILE_SIZE = 104,
    FRZ_FILE_ID_BLOCK_SIZE = 105,
    FRZ_FILE_ID_COLUMN_SIZES = 108,
    FRZ_FILE_ID_VALUE_COUNTS = 109,
    FRZ_FILE_ID_NULL_VALUE_COUNTS = 110,
    FRZ_FILE_ID_LOWER_BOUNDS = 125,
    FRZ_FILE_ID_UPPER_BOUNDS = 128,
    FRZ_FILE_ID_KEY_METADATA = 131,
    FRZ_FILE_ID_SPLIT_OFFSETS = 132,
    FRZ_FILE_ID_CONTENT = 134,
    FRZ_FILE_ID_EQUALITY_IDS = 135,
    FRZ_FILE_ID_NAN_VALUE_COUNTS = 137,
    FRZ_FILE_ID_SORT_ORDER_ID = 140,
    FRZ_FILE_ID_FIRST_ROW_ID = 142,
    FRZ_FILE_ID_REFERENCED_DATA_FILE = 143,
    FRZ_FILE_ID_CONTENT_OFFSET = 144,
    FRZ_FILE_ID_CONTENT_SIZE = 145,

    FRZ_LIST_ID_PATH = 500,
    FRZ_LIST_ID_LENGTH = 501,
    FRZ_LIST_ID_SPEC_ID = 502,
    FRZ_LIST_ID_SNAPSHOT_ID = 503,
    FRZ_LIST_ID_ADDED_FILES = 504,
    FRZ_LIST_ID_EXISTING_FILES = 505,
    FRZ_LIST_ID_DELETED_FILES = 506,
    FRZ_LIST_ID_PARTITIONS = 507,
    FRZ_LIST_ID_SUMMARY = 508,
    FRZ_LIST_ID_CONTAINS_NULL = 509,
    FRZ_LIST_ID_LOWER_BOUND = 510,
    FRZ_LIST_ID_UPPER_BOUND = 511,
    FRZ_LIST_ID_ADDED_ROWS = 512,
    FRZ_LIST_ID_EXISTING_ROWS = 513,
    FRZ_LIST_ID_DELETED_ROWS = 514,
    FRZ_LIST_ID_SEQUENCE_NUMBER = 515,
    FRZ_LIST_ID_MIN_SEQUENCE_NUMBER = 516,
    FRZ_LIST_ID_CONTENT = 517,
    FRZ_LIST_ID_CONTAINS_NAN = 518,
    FRZ_LIST_ID_KEY_METADATA = 519,
    FRZ_LIST_ID_FIRST_ROW_ID = 520
};

typedef enum frz_manifest_form {
    FRZ_FORM_INT,
    FRZ_FORM_LONG,
    FRZ_FORM_BOOLEAN,
    FRZ_FORM_STRING,
    FRZ_FORM_BYTES,
    FRZ_FORM_LONG_MAP,  /* int -> long; item_id key, second_id value */
    FRZ_FORM_BYTES_MAP, /* int -> bytes */
    FRZ_FORM_LONG_LIST,
    FRZ_FORM_INT_LIST,
    FRZ_FORM_SUMMARIES, /* list of field_summary */
    FRZ_FORM_PARTITION,
    FRZ_FORM_DATA_FILE
} frz_manifest_form;

typedef struct frz_manifest_column {
    int32_t id;
    const char *name;
    frz_manifest_form form;
    int8_t since; /* format versions that have it, both inclusive */
    int8_t until;
    int8_t required; /* from this version on; V1 fields that only V1 requires have -1 */
    int32_t item_id; /* element, or key */
    int32_t value_id;
    const char *doc;
} frz_manifest_column;

/* The columns of each record in the order of Java's writers, all versions; see
 * frz_manifest_column_in. */
extern const frz_manifest_column frz_entry_columns[];
extern const size_t frz_entry_column_count;
extern const frz_manifest_column frz_file_columns[];
extern const size_t frz_file_column_count;
extern const frz_manifest_column frz_summary_columns[];
extern const size_t frz_summary_column_count;
/* V1 has another order. */
const frz_manifest_column *frz_list_columns(int format_version, size_t *count_out);

/* The name of a field of any of the four records by its id. */
const char *frz_manifest_column_name(int32_t id);

/* Whether a file's schema has field ids; those of a few writers have only names. */
bool frz_manifest_has_ids(const frz_avro_schema *schema);

bool frz_manifest_column_in(const frz_manifest_column *column, int format_version);

/* Avro schema texts; short memory sticks in the buffer. */
void frz_manifest_avro_schema(int format_version, const frz_type *partition, frz_buffer *out);
void frz_manifest_list_avro_schema(int format_version, frz_buffer *out);

FRZ_MUST_CHECK frz_status frz_manifest_arrow_schema(int format_version, const frz_type *partition,
                                                    struct ArrowSchema *out, frz_error **err);
FRZ_MUST_CHECK frz_status frz_manifest_list_arrow_schema(int format_version,
                                                         struct ArrowSchema *out, frz_error **err);

#endif
