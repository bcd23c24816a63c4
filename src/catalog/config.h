/*
 * Which catalog is meant: explicit options, FRAZIL_*, PYICEBERG_*, configuration files and defaults
 * folded into one answer.
 *
 * A key is taken from the first of: the options' properties; FRAZIL_WAREHOUSE (warehouse only);
 * PYICEBERG_CATALOG__<NAME>__<KEY>; the section of the catalog in the first configuration file that
 * has one. An empty value counts as not set. Files are looked at in this order: the options'
 * config_path, $XDG_CONFIG_HOME/frazil/config.yaml (~/.config when unset), .pyiceberg.yaml in
 * $PYICEBERG_HOME, ~ or the current folder (the first of these three that exists). Keys are not
 * mixed from several files.
 */
#ifndef FRZ_CATALOG_CONFIG_H
#define FRZ_CATALOG_CONFIG_H

#include "base/arena.h"
#include "frazil/catalog.h"

typedef struct frz_catalog_config {
    const char *name;
    const char *type;             /* lower case; "jdbc" and "sqlite" are given as "sql" */
    const char *uri;              /* NULL where the type has none */
    const char *warehouse;        /* absolute: has a scheme, no slash at the end */
    const frz_option *properties; /* everything that was set; keys in lower case */
    size_t property_count;
} frz_catalog_config;

/* Everything in `arena`. FRZ_NOT_FOUND when config_path does not exist; FRZ_INVALID names file and
 * line. */
FRZ_MUST_CHECK frz_status frz_catalog_config_resolve(const frz_catalog_options *options,
                                                     frz_arena *arena, frz_catalog_config *out,
                                                     frz_error **err);

/* NULL when not set. */
const char *frz_catalog_config_find(const frz_catalog_config *config, const char *key);

/* A local path or URI as an absolute location: one with a scheme stays as it is. */
FRZ_MUST_CHECK frz_status frz_location_absolute(const char *location, frz_arena *arena,
                                                const char **out, frz_error **err);

#endif
