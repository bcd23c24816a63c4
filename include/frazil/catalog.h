/*
 * Catalogs: where a table's name becomes the location of its current metadata, and where a commit
 * swaps that location (spec "Metastore Tables").
 *
 * Identifiers are dotted text: "ns.table", "a.b.table". Thread rule: a catalog may be used by
 * several threads at once.
 */
#ifndef FRZ_CATALOG_H
#define FRZ_CATALOG_H

#include <stddef.h>

#include "frazil/error.h"
#include "frazil/io.h"
#include "frazil/options.h"
#include "frazil/table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct frz_catalog frz_catalog;

typedef struct frz_option {
    const char *key;
    const char *value;
} frz_option;

/*
 * Which catalog. Members that are NULL are looked up in this order: FRAZIL_CATALOG /
 * FRAZIL_WAREHOUSE, PYICEBERG_*, the file `config_path`, $XDG_CONFIG_HOME/frazil/config.yaml,
 * .pyiceberg.yaml, and at last the embedded catalog: name "default", type sql, sqlite at
 * ./warehouse/catalog.db, warehouse ./warehouse.
 */
typedef struct frz_catalog_options {
    size_t struct_size;
    const char *name;
    const char *config_path;
    const frz_option *properties; /* win over everything: type, uri, warehouse, ... */
    size_t property_count;
    frz_io *io; /* storage of the tables; NULL = local files. Borrowed. */
} frz_catalog_options;
#define FRZ_CATALOG_OPTIONS_INIT FRZ_OPTIONS_INIT(frz_catalog_options)

/* `options` NULL = all defaults. FRZ_UNSUPPORTED names a catalog type that is not built in. */
FRZ_API FRZ_MUST_CHECK frz_status frz_catalog_open(const frz_catalog_options *options,
                                                   frz_catalog **out, frz_error **err);
/* Accepts NULL. Tables opened from it stay valid. */
FRZ_API void frz_catalog_free(frz_catalog *catalog);

/* Borrowed. */
FRZ_API const char *frz_catalog_name(const frz_catalog *catalog);

/* A list of names; free with frz_names_free. */
typedef struct frz_names {
    char **items;
    size_t count;
} frz_names;
/* Leaves it empty. */
FRZ_API void frz_names_free(frz_names *names);

/* Namespaces directly below `parent` (NULL = top), as full dotted names. */
FRZ_API FRZ_MUST_CHECK frz_status frz_catalog_list_namespaces(frz_catalog *catalog,
                                                              const char *parent, frz_names *out,
                                                              frz_error **err);
/* Makes missing parents. FRZ_ALREADY_EXISTS. */
FRZ_API FRZ_MUST_CHECK frz_status frz_catalog_create_namespace(frz_catalog *catalog,
                                                               const char *name,
                                                               const frz_option *properties,
                                                               size_t property_count,
                                                               frz_error **err);
/* FRZ_NOT_FOUND; FRZ_INVALID when it still holds tables or namespaces. */
FRZ_API FRZ_MUST_CHECK frz_status frz_catalog_drop_namespace(frz_catalog *catalog, const char *name,
                                                             frz_error **err);

/* Tables of one namespace, as full dotted names. */
FRZ_API FRZ_MUST_CHECK frz_status frz_catalog_list_tables(frz_catalog *catalog, const char *name,
                                                          frz_names *out, frz_error **err);

typedef struct frz_table_create_options {
    size_t struct_size;
    const char *schema;                     /* DDL: 'id long not null, ts timestamptz' */
    const struct ArrowSchema *arrow_schema; /* instead of `schema`; ids are assigned; borrowed */
    const char *partition;                  /* 'day(ts), bucket(16, id)'; NULL = unpartitioned */
    const char *sort;                       /* 'id desc nulls last'; NULL = unsorted */
    int format_version;                     /* 1 to 3; 0 = 3 */
    const char *location;                   /* NULL = by the catalog's rule */
    const frz_option *properties;
    size_t property_count;
} frz_table_create_options;
#define FRZ_TABLE_CREATE_OPTIONS_INIT FRZ_OPTIONS_INIT(frz_table_create_options)

/* Makes missing namespaces. FRZ_ALREADY_EXISTS. `out` may be NULL. */
FRZ_API FRZ_MUST_CHECK frz_status frz_catalog_create_table(frz_catalog *catalog,
                                                           const char *identifier,
                                                           const frz_table_create_options *options,
                                                           frz_table **out, frz_error **err);
/*
 * A table that is to be: nothing is there before the first write to it, of any verb, which creates
 * it with what it writes by one commit (FRZ_ALREADY_EXISTS when somebody else has by then), even
 * when it writes no row. Until then the handle reads as an empty table, and without metadata
 * location; freed without a write it leaves nothing.
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_catalog_prepare_table(frz_catalog *catalog,
                                                            const char *identifier,
                                                            const frz_table_create_options *options,
                                                            frz_table **out, frz_error **err);

/*
 * Makes a table that is there, by its metadata, one of the catalog: `location` is a metadata.json,
 * or a table's folder as frz_table_open takes it. Nothing is written but the pointer; a second
 * catalog that has the table too must not write to it any more. Makes missing namespaces.
 * FRZ_ALREADY_EXISTS (a table is never replaced); FRZ_NOT_FOUND when metadata or the manifest list
 * of its current snapshot is absent; FRZ_CORRUPT when the metadata is none, or lacks the uuid that
 * versions from 2 on have. `out` may be NULL.
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_catalog_register(frz_catalog *catalog, const char *identifier,
                                                       const char *location, frz_table **out,
                                                       frz_error **err);
/* The current version. FRZ_NOT_FOUND. Free with frz_table_free; the catalog may be freed before. */
FRZ_API FRZ_MUST_CHECK frz_status frz_catalog_load_table(frz_catalog *catalog,
                                                         const char *identifier, frz_table **out,
                                                         frz_error **err);
/* `purge` also removes every file that the table's metadata names (refused when gc.enabled=false);
 * files of the folder that no metadata names stay. */
FRZ_API FRZ_MUST_CHECK frz_status frz_catalog_drop_table(frz_catalog *catalog,
                                                         const char *identifier, bool purge,
                                                         frz_error **err);
/* Its files stay where they are. FRZ_NOT_FOUND: the table, or the namespace it would go to;
 * FRZ_ALREADY_EXISTS. */
FRZ_API FRZ_MUST_CHECK frz_status frz_catalog_rename_table(frz_catalog *catalog, const char *from,
                                                           const char *to, frz_error **err);

#ifdef __cplusplus
}
#endif

#endif
