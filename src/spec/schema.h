/*
 * A table schema: a struct type with an id, and look-ups by field id and by name.
 *
 * Reference counted and immutable; may be read by many threads.
 */
#ifndef FRZ_SPEC_SCHEMA_H
#define FRZ_SPEC_SCHEMA_H

#include "base/limits.h"
#include "frazil/arrow.h"
#include "json/reader.h"
#include "json/writer.h"
#include "spec/type.h"
#include "spec/value.h"

typedef struct frz_schema frz_schema;

enum {
    FRZ_FIELD_ID_MAX = 2147483447, /* "Reserved Field IDs" */
    FRZ_FIELD_ID_FILE = 2147483646,
    FRZ_FIELD_ID_POS = 2147483645,
    FRZ_FIELD_ID_DELETED = 2147483644,
    FRZ_FIELD_ID_SPEC_ID = 2147483643,
    FRZ_FIELD_ID_PARTITION = 2147483642,
    FRZ_FIELD_ID_CONTENT_OFFSET = 2147483641, /* this and the next: Java's, in position_deletes */
    FRZ_FIELD_ID_CONTENT_SIZE = 2147483640,
    FRZ_FIELD_ID_DELETE_FILE_PATH = 2147483546,
    FRZ_FIELD_ID_DELETE_POS = 2147483545,
    FRZ_FIELD_ID_DELETE_ROW = 2147483544,
    FRZ_FIELD_ID_ROW_ID = 2147483540,
    FRZ_FIELD_ID_LAST_UPDATED_SEQUENCE_NUMBER = 2147483539
};

/*
 * Copies fields (deeply). Checks what the specification asks, FRZ_INVALID otherwise: ids unique and
 * none reserved (but the metadata columns themselves may stand at the top, for schemas that are
 * read), names unique in each struct and as dotted paths, unknown columns optional, defaults of
 * their column's type, null for unknown, variant, geometry and geography, empty for structs,
 * identifier fields allowed.
 */
FRZ_MUST_CHECK frz_status frz_schema_new(int32_t schema_id, const frz_field *fields,
                                         size_t field_count, const int32_t *identifier_ids,
                                         size_t identifier_count, frz_schema **out,
                                         frz_error **err);
frz_schema *frz_schema_ref(const frz_schema *schema);
/* Accepts NULL. */
void frz_schema_unref(const frz_schema *schema);

int32_t frz_schema_id(const frz_schema *schema);
/* The whole as a struct type. */
const frz_type *frz_schema_type(const frz_schema *schema);
const int32_t *frz_schema_identifier_ids(const frz_schema *schema, size_t *count_out);
/* The highest id of any field, nested ones, elements, keys and values included; 0 when empty. */
int32_t frz_schema_highest_id(const frz_schema *schema);

/* NULL when absent. Any depth. */
const frz_field *frz_schema_find_id(const frz_schema *schema, int32_t id);
/* The parent field of a nested field; NULL for top-level ones. */
const frz_field *frz_schema_parent(const frz_schema *schema, int32_t id);
/*
 * Dotted path ("a.b", "l.element", "m.value"); names that contain dots themselves are found too,
 * and as in Java "l.x" for "l.element.x" where nothing else has that path. Without case an exact
 * match comes first; a path that then fits several fields finds none. Case is that of ASCII
 * letters.
 */
const frz_field *frz_schema_find_name(const frz_schema *schema, frz_slice path,
                                      bool case_sensitive);
/* The dotted path of a field; NULL when absent. Borrowed. */
const char *frz_schema_path(const frz_schema *schema, int32_t id);

/* All fields in pre-order, nested ones included. */
size_t frz_schema_field_count(const frz_schema *schema);
const frz_field *frz_schema_field_at(const frz_schema *schema, size_t index);

/*
 * Spec "Primitive Types" and "Default values": FRZ_INVALID naming the first column whose type, or
 * whose initial default, the format version does not have.
 */
FRZ_MUST_CHECK frz_status frz_schema_check_version(const frz_schema *schema, int format_version,
                                                   frz_error **err);

/*
 * Appendix C. The checks of frz_schema_new, as FRZ_CORRUPT, except that two fields may have the
 * same dotted path (the first is found) and that no reserved id is allowed. Unknown members are
 * skipped.
 */
FRZ_MUST_CHECK frz_status frz_schema_read_json(frz_json_reader *json, frz_schema **out,
                                               frz_error **err);
void frz_schema_write_json(const frz_schema *schema, frz_json_writer *json);

/* As an Arrow struct schema: uuid is w:16 with extension arrow.uuid, field ids in the metadata. */
FRZ_MUST_CHECK frz_status frz_type_to_arrow(const frz_field *field, struct ArrowSchema *out,
                                            frz_error **err);
FRZ_MUST_CHECK frz_status frz_schema_to_arrow(const frz_schema *schema, struct ArrowSchema *out,
                                              frz_error **err);

/* Near names for "no such column" messages: appends up to three, comma-separated. */
void frz_schema_suggest(const frz_schema *schema, frz_slice name, frz_buffer *out);

#endif
