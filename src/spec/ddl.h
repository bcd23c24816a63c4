/*
 * The text forms of schemas, partition specs and sort orders that `frazil create` takes:
 *
 *     id long not null comment 'key', price decimal(18,2) default 0, tags list<string>
 *     day(ts), bucket(16, id) as shard, truncate(4, name), region
 *     day(ts) asc nulls first, id desc
 *
 * Errors are FRZ_INVALID with the column of the text as offset.
 */
#ifndef FRZ_SPEC_DDL_H
#define FRZ_SPEC_DDL_H

#include "spec/partition.h"
#include "spec/schema.h"
#include "spec/sort.h"

/* Ids are assigned in the order Java assigns them (a level before its children), from 1. */
FRZ_MUST_CHECK frz_status frz_ddl_parse_schema(frz_slice text, frz_schema **out, frz_error **err);

/*
 * What stands behind a column's name: type [not null] [default L] [comment 'C'], into a field
 * without name and ids. All memory is in `arena`, as for the functions below.
 */
FRZ_MUST_CHECK frz_status frz_ddl_parse_column(frz_slice text, frz_arena *arena, frz_field *out,
                                               frz_error **err);

/*
 * A literal of the type: as DDL writes it, or its bare text (US, 2024-01-01). NULL for the word
 * null.
 */
FRZ_MUST_CHECK frz_status frz_ddl_parse_literal(frz_slice text, const frz_type *type,
                                                frz_arena *arena, const frz_value **out,
                                                frz_error **err);

/* A dotted path, cut before its last name; *parent_out NULL where it has only one. Names may be
 * quoted; without quotes anything but a dot belongs to a name. */
FRZ_MUST_CHECK frz_status frz_ddl_split_path(frz_slice text, frz_arena *arena,
                                             const char **parent_out, const char **name_out,
                                             frz_error **err);

/* One partition term; the name is NULL where none is given, the id is 0. */
FRZ_MUST_CHECK frz_status frz_ddl_parse_term(frz_slice text, const frz_schema *schema,
                                             frz_arena *arena, frz_partition_field *out,
                                             frz_error **err);

/* Field ids from 1000; names as Java gives them (ts_day, id_bucket, name_trunc). Empty text =
 * unpartitioned. */
FRZ_MUST_CHECK frz_status frz_ddl_parse_partition(frz_slice text, const frz_schema *schema,
                                                  frz_arena *arena, frz_partition_spec *out,
                                                  frz_error **err);

/* Order id 1; empty text = order id 0, unsorted. Default direction asc, nulls first; desc nulls
 * last. */
FRZ_MUST_CHECK frz_status frz_ddl_parse_sort(frz_slice text, const frz_schema *schema,
                                             frz_arena *arena, frz_sort_order *out,
                                             frz_error **err);

/* The DDL of a schema, for describe. */
void frz_ddl_print_schema(const frz_schema *schema, frz_buffer *out);

/* The terms of a partition spec with their names, and of a sort order, as DDL takes them, but for
 * columns that `schema` has no more; "none" without terms (and without order). */
void frz_ddl_print_partition(const frz_partition_spec *spec, const frz_schema *schema,
                             frz_buffer *out);
void frz_ddl_print_sort(const frz_sort_order *order, const frz_schema *schema, frz_buffer *out);

#endif
