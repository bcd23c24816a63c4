/*
 * The catalog seam: what a back-end implements to hold the pointers of tables (spec "Metastore
 * Tables").
 *
 * A back-end never reads or writes table files: it maps identifiers to metadata locations and swaps
 * them. Namespaces and tables are given as dotted text.
 *
 * Thread rule: all members may be called from several threads at once.
 */
#ifndef FRZ_EXTEND_CATALOG_H
#define FRZ_EXTEND_CATALOG_H

#include <stddef.h>

#include "frazil/catalog.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct frz_catalog_backend frz_catalog_backend;

typedef struct frz_catalog_backend_ops {
    frz_status (*list_namespaces)(frz_catalog_backend *backend, const char *parent, frz_names *out,
                                  frz_error **err);
    frz_status (*create_namespace)(frz_catalog_backend *backend, const char *name,
                                   const frz_option *properties, size_t property_count,
                                   frz_error **err);
    frz_status (*drop_namespace)(frz_catalog_backend *backend, const char *name, frz_error **err);
    /* FRZ_NOT_FOUND when the namespace does not exist; *value_out NULL when it has no such
     * property, else to be freed with frz_text_free. */
    frz_status (*namespace_property)(frz_catalog_backend *backend, const char *name,
                                     const char *key, char **value_out, frz_error **err);
    frz_status (*list_tables)(frz_catalog_backend *backend, const char *name, frz_names *out,
                              frz_error **err);
    /* Free with frz_text_free. FRZ_NOT_FOUND. */
    frz_status (*load)(frz_catalog_backend *backend, const char *identifier,
                       char **metadata_location_out, frz_error **err);
    /* FRZ_ALREADY_EXISTS; FRZ_NOT_FOUND when the namespace is missing; FRZ_UNKNOWN_STATE. */
    frz_status (*create)(frz_catalog_backend *backend, const char *identifier,
                         const char *metadata_location, frz_error **err);
    /*
     * The compare-and-swap of every commit: FRZ_CONFLICT when the pointer is not `expected`,
     * FRZ_NOT_FOUND when the table is gone, FRZ_UNKNOWN_STATE when the answer was lost. Not safe to
     * retry blindly.
     */
    frz_status (*swap)(frz_catalog_backend *backend, const char *identifier, const char *expected,
                       const char *metadata_location, frz_error **err);
    frz_status (*drop)(frz_catalog_backend *backend, const char *identifier, frz_error **err);
    frz_status (*rename)(frz_catalog_backend *backend, const char *from, const char *to,
                         frz_error **err);
    /*
     * Optional: holds the catalog for this writer, so that the last attempt of a commit cannot
     * lose. Between lock and unlock the same thread may load and swap. FRZ_CONFLICT when it cannot
     * be had in time.
     */
    frz_status (*lock)(frz_catalog_backend *backend, frz_error **err);
    void (*unlock)(frz_catalog_backend *backend);
    /* Frees the instance. */
    void (*free)(frz_catalog_backend *backend);
} frz_catalog_backend_ops;

struct frz_catalog_backend {
    const frz_catalog_backend_ops *ops;
};

#ifdef __cplusplus
}
#endif

#endif
