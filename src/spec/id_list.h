/*
 * Lists of field ids in JSON: identifier-field-ids, source-ids.
 */
#ifndef FRZ_SPEC_ID_LIST_H
#define FRZ_SPEC_ID_LIST_H

#include "base/arena.h"
#include "json/reader.h"
#include "json/writer.h"

/* An array of 32-bit numbers, into `arena`; *ids_out is not NULL even when there are none. */
FRZ_MUST_CHECK frz_status frz_id_list_read_json(frz_json_reader *json, frz_arena *arena,
                                                const int32_t **ids_out, size_t *count_out,
                                                frz_error **err);
void frz_id_list_write_json(const int32_t *ids, size_t count, frz_json_writer *json);

#endif
