/*
 * Members of JSON objects as table metadata has them: values that may be null or absent, string
 * maps, and members we do not know, which are kept as text and written back (design rule 5).
 */
#ifndef FRZ_SPEC_MEMBERS_H
#define FRZ_SPEC_MEMBERS_H

#include "json/reader.h"
#include "json/writer.h"
#include "spec/list.h"
#include "spec/snapshot.h"

/* A JSON null leaves *out as it is. */
FRZ_MUST_CHECK frz_status frz_member_i64(frz_json_reader *json, int64_t *out, frz_error **err);
FRZ_MUST_CHECK frz_status frz_member_i32(frz_json_reader *json, int32_t *out, frz_error **err);
FRZ_MUST_CHECK frz_status frz_member_text(frz_json_reader *json, const char **out, frz_error **err);

/*
 * An object of strings, appended to `list` as frz_property in json's arena. Numbers and booleans of
 * careless writers are taken as their text, members that are null are left out, and so is a null
 * map.
 */
FRZ_MUST_CHECK frz_status frz_member_properties(frz_json_reader *json, frz_list *list,
                                                frz_error **err);

/* The bytes of an array or object as they stand, in json's arena; null is empty. */
FRZ_MUST_CHECK frz_status frz_member_raw(frz_json_reader *json, frz_json_kind kind, frz_slice *out,
                                         frz_error **err);

/* Members we do not know, gathered as `"k":v,...`. All zero is valid; clear the text at the end. */
typedef struct frz_unknown_members {
    frz_buffer text;
    frz_json_writer json;
} frz_unknown_members;

/* Takes the value at the reader. */
FRZ_MUST_CHECK frz_status frz_unknown_members_keep(frz_unknown_members *members,
                                                   frz_json_reader *json, frz_slice key,
                                                   frz_error **err);
/* A copy in `arena`; empty when there are none. */
FRZ_MUST_CHECK frz_status frz_unknown_members_finish(frz_unknown_members *members, frz_arena *arena,
                                                     frz_slice *out, frz_error **err);
/* Writes gathered members into the open object. */
void frz_unknown_members_write(frz_slice members, frz_json_writer *json);

#endif
