/*
 * Where new files go: names and folders as Java gives them (LocationProviders, OutputFileFactory).
 */
#ifndef FRZ_WRITE_LOCATION_H
#define FRZ_WRITE_LOCATION_H

#include "spec/metadata.h"

/*
 * Appends {data path}/{partition path}/{file name}, or the object-storage layout when
 * write.object-storage.enabled says so. `values` are of the spec `spec_id`;
 * NULL leaves out the partition folders (a Puffin file holds vectors of several partitions).
 * Terminated.
 */
FRZ_MUST_CHECK frz_status frz_data_location(const frz_metadata *metadata, int32_t spec_id,
                                            const frz_value *values, const char *file_name,
                                            frz_buffer *out, frz_error **err);

#endif
