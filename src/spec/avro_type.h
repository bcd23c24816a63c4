/*
 * Iceberg types as Avro schemas (spec Appendix A, "Avro"): field ids, element, key and value ids,
 * logical types, unions with null for what is optional. Names of records are Java's ("r" and the
 * field id), those of fields are made legal (frz_avro_name_print) and kept in iceberg-field-name.
 */
#ifndef FRZ_SPEC_AVRO_TYPE_H
#define FRZ_SPEC_AVRO_TYPE_H

#include "json/writer.h"
#include "spec/value.h"

/* One schema that is being written. A named type stands in full once, later uses are its name. */
typedef struct frz_avro_types {
    frz_json_writer *json; /* borrowed; its buffer's failure reports short memory */
    frz_buffer named;      /* of const frz_type *, the named ones so far */
} frz_avro_types;

/* A type as it stands within a schema, without the union that makes it optional. `id` is the field
 * that has it. */
void frz_avro_type_write(frz_avro_types *self, const frz_type *type, int32_t id);

/* The key "name", with the name made legal, and the name as it is when that differs. */
void frz_avro_name_write(frz_json_writer *json, const char *name);

void frz_avro_types_clear(frz_avro_types *self);

/* The schema of files that hold rows of the struct `root`. Appends. */
FRZ_MUST_CHECK frz_status frz_rows_avro_schema(const frz_type *root, const char *name,
                                               frz_buffer *out, frz_error **err);

/*
 * A name that Avro allows ("Names"): other characters become _x and their UTF-16 codes in
 * hexadecimal, a leading digit gets an underscore, as Java sanitizes. Appends.
 */
void frz_avro_name_print(const char *name, frz_buffer *out);

#endif
