/*
 * Configuration files in the layout of .pyiceberg.yaml: `default-catalog: NAME` and
 * `catalog: { NAME: { key: value } }`. Keys are compared in lower case, values are texts.
 */
#ifndef FRZ_CATALOG_CONFIG_FILE_H
#define FRZ_CATALOG_CONFIG_FILE_H

#include "base/arena.h"
#include "frazil/catalog.h"

typedef struct frz_config_section {
    const char *name;
    frz_option *options;
    size_t count;
} frz_config_section;

typedef struct frz_config_file {
    const char *path;
    const char *default_catalog; /* NULL when not given */
    frz_config_section *sections;
    size_t section_count;
} frz_config_file;

/* FRZ_NOT_FOUND when there is no such file. */
FRZ_MUST_CHECK frz_status frz_config_file_read(const char *path, frz_arena *arena,
                                               frz_config_file *out, frz_error **err);

/* NULL when the file has no such catalog. */
const frz_config_section *frz_config_file_section(const frz_config_file *file, const char *name);

/* A copy in lower case (ASCII); NULL when memory is short. */
char *frz_config_lower(frz_arena *arena, const char *text, size_t size);

#endif
