/*
 * Changes of a table's columns (spec "Schema Evolution", "Default values", "Identifier Field IDs"):
 * each leads from one schema to the next, and is refused where the specification, or Java beyond
 * it, refuses it. Ids never change and never come back.
 *
 * Columns are named by dotted paths as frz_schema_find_name takes them; what is quoted ("a.b".c) is
 * one name whatever it holds.
 */
#ifndef FRZ_SPEC_SCHEMA_UPDATE_H
#define FRZ_SPEC_SCHEMA_UPDATE_H

#include "spec/schema.h"

typedef struct frz_schema_update {
    frz_schema *schema;     /* a reference: what the changes so far have made */
    int32_t last_column_id; /* the last id that any field has had */
    int format_version;
    bool case_insensitive; /* of the paths, and of names that clash */
} frz_schema_update;

/* Where a column stands among its siblings: at the end, or where one of these says. */
typedef struct frz_column_place {
    bool first;
    const char *after; /* a path, or the name of a sibling */
} frz_column_place;

/* Starts from `schema`, of which it keeps a reference. */
void frz_schema_update_open(frz_schema_update *self, const frz_schema *schema,
                            int32_t last_column_id, int format_version);
void frz_schema_update_clear(frz_schema_update *self);

/* For the schema of a new table: FRZ_INVALID when a column has the name of a metadata column. */
FRZ_MUST_CHECK frz_status frz_schema_check_names(const frz_schema *schema, frz_error **err);

typedef struct frz_new_column {
    const char *path;
    const char *definition; /* DDL behind the name: type [not null] [default L] [comment 'C'] */
    bool required;          /* these three add to the definition; NULL: what it says */
    const char *default_value;
    const char *comment;
    frz_column_place place;
} frz_new_column;

/* The field gets the next id, what is nested in it the ones after, in Java's order; initial and
 * write default are both set. */
FRZ_MUST_CHECK frz_status frz_schema_update_add(frz_schema_update *self,
                                                const frz_new_column *column, int32_t *id_out,
                                                frz_error **err);
FRZ_MUST_CHECK frz_status frz_schema_update_drop(frz_schema_update *self, const char *path,
                                                 frz_error **err);
FRZ_MUST_CHECK frz_status frz_schema_update_rename(frz_schema_update *self, const char *path,
                                                   const char *name, frz_error **err);
FRZ_MUST_CHECK frz_status frz_schema_update_move(frz_schema_update *self, const char *path,
                                                 const frz_column_place *place, frz_error **err);

/* What becomes of a column; NULL and false leave it as it is. */
typedef struct frz_column_change {
    const char *type; /* DDL; promoted from the present one */
    bool optional;
    const char
        *default_value;  /* the write default alone: "The initial-default ... cannot change" */
    const char *comment; /* empty: none */
} frz_column_change;
FRZ_MUST_CHECK frz_status frz_schema_update_change(frz_schema_update *self, const char *path,
                                                   const frz_column_change *change,
                                                   frz_error **err);

/* Replaces the identifier fields; none for a count of 0. */
FRZ_MUST_CHECK frz_status frz_schema_update_set_identifier(frz_schema_update *self,
                                                           const char *const *paths, size_t count,
                                                           frz_error **err);

/*
 * Union by name with another schema (Java's UnionByNameVisitor): its columns that are not there are
 * added, as optional ones; types that are wider there are promoted, what is optional there becomes
 * so, comments and write defaults are taken over. Nothing is dropped, narrowed or moved.
 */
FRZ_MUST_CHECK frz_status frz_schema_update_union(frz_schema_update *self, const frz_schema *other,
                                                  frz_error **err);

/* FRZ_INVALID, with near names, when there is none. */
FRZ_MUST_CHECK frz_status frz_schema_update_find(const frz_schema_update *self, const char *path,
                                                 const frz_field **out, frz_error **err);

#endif
