/*
 * Field ids for files that have none (spec "Column Projection", "Name Mapping
 * Serialization"): once they are in the file's schema, everything behind it goes by id.
 *
 * A file with any field id is taken as it is: the mapping gives "fallback field ids to be used when
 * a data file does not contain field id information", and columns without id of such a file are not
 * of the table.
 */
#ifndef FRZ_SCAN_FILE_IDS_H
#define FRZ_SCAN_FILE_IDS_H

#include "avro/schema.h"
#include "parquet/file.h"
#include "scan/scan.h"
#include "spec/manifest.h"

/*
 * The mapping of a scan: the one that its options gave, else the table's property; NULL when there
 * is none. FRZ_CORRUPT when the property is no mapping: a table whose files have ids is read in
 * spite of it.
 */
FRZ_MUST_CHECK frz_status frz_scan_name_mapping(const frz_scan *scan, const frz_name_mapping **out,
                                                frz_error **err);

/* Parses the mapping that scan options or the table give; to be called once, by frz_scan_new. */
FRZ_MUST_CHECK frz_status frz_scan_set_name_mapping(frz_scan *scan, const char *option,
                                                    frz_error **err);

/* Before any column of the file is looked at. Does nothing where the file has ids, or no mapping
 * exists. */
FRZ_MUST_CHECK frz_status frz_file_ids_assign(const frz_scan *scan, const frz_data_file *entry,
                                              frz_parquet_file *file, frz_error **err);

/* The same for the schema of an Avro file: *out is a copy in `arena` where anything was given, else
 * `schema`. */
FRZ_MUST_CHECK frz_status frz_avro_ids_assign(const frz_scan *scan, const frz_data_file *entry,
                                              const frz_avro_schema *schema, frz_arena *arena,
                                              const frz_avro_schema **out, frz_error **err);

/* All ids that a mapping has, whatever the partition: for a file that is no table's yet. */
void frz_parquet_ids_give(const frz_name_mapping *mapping, frz_parquet_file *file);
FRZ_MUST_CHECK frz_status frz_avro_ids_give(const frz_name_mapping *mapping,
                                            const frz_avro_schema *schema, frz_arena *arena,
                                            const frz_avro_schema **out, frz_error **err);

/* Whether any node of the file has an id. */
bool frz_file_has_ids(const frz_parquet_file *file);

/* Whether any field of a file's record has one. */
bool frz_avro_has_ids(const frz_avro_schema *schema);

#endif
