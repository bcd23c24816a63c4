/*
 * Alterations: recorded changes, and the draft that they are made on, once for each attempt of the
 * commit. alteration.c has the list and the draft; alter_columns.c, alter_layout.c, alter_table.c
 * and alter_refs.c have the changes; alter_commit.c commits them.
 */
#ifndef FRZ_WRITE_ALTERATION_H
#define FRZ_WRITE_ALTERATION_H

#include "frazil/alter.h"
#include "spec/list.h"
#include "spec/partition_update.h"
#include "spec/schema_update.h"
#include "spec/update.h"

/*
 * The table as the changes so far have made it. Schema, spec and order are kept apart until all
 * changes are made: however many columns change, one schema is added.
 */
typedef struct frz_alter_draft {
    const frz_metadata *base; /* borrowed */
    frz_metadata_builder *builder;
    frz_arena *arena; /* of the attempt */
    int format_version;
    frz_schema_update schema;
    bool has_partition;
    frz_partition_update partition; /* opened by the first change of it */
    const frz_sort_order *order;    /* NULL: as in base */
    frz_list refs;                  /* frz_snapshot_ref: as they stand now */
    frz_list items;                 /* frz_alter_item */
    bool changed;
} frz_alter_draft;

typedef struct frz_alter_step frz_alter_step;
typedef frz_status (*frz_alter_apply)(const frz_alter_step *step, frz_alter_draft *draft,
                                      frz_error **err);

/* What others must not change between the version that was looked at and the one that is replaced
 * (the requirements of the REST protocol); bits. */
typedef enum frz_alter_basis {
    FRZ_ALTER_BASIS_NONE = 0,
    FRZ_ALTER_BASIS_SCHEMA = 1,
    FRZ_ALTER_BASIS_SPEC = 2,
    FRZ_ALTER_BASIS_ORDER = 4
} frz_alter_basis;

/* One recorded change; which members it has is known to its function. */
struct frz_alter_step {
    frz_alter_apply apply;
    frz_alter_basis basis;
    const char *ref; /* the reference that it moves; NULL: none */
    const char *name;
    const char *text;
    const char *extra;
    frz_column_options column;
    frz_ref_options reference;
    const char *const *names;
    size_t name_count;
    int64_t number;
    frz_schema *schema; /* a reference */
};

struct frz_alteration {
    frz_arena arena;
    frz_list steps;       /* frz_alter_step * */
    size_t references;    /* beside the caller's */
    frz_alteration *self; /* not const, for those that hold it const */
};

/* One frz_alteration_free more frees it. */
frz_alteration *frz_alteration_ref(const frz_alteration *changes);

/* A new last step; NULL when memory is short. Texts of it are copied with frz_alter_keep. */
frz_alter_step *frz_alter_step_add(frz_alteration *changes, frz_alter_apply apply, frz_error **err);

/* A copy in the alteration; NULL stays NULL. */
FRZ_MUST_CHECK frz_status frz_alter_keep(frz_alteration *changes, const char *text,
                                         const char **out, frz_error **err);

/* Says what was done, for the result. */
FRZ_MUST_CHECK frz_status frz_alter_note(frz_alter_draft *draft, const char *change,
                                         frz_error **err, const char *format, ...) FRZ_PRINTF(4, 5);

/* `arena` is borrowed; the draft is cleared in every case. */
FRZ_MUST_CHECK frz_status frz_alter_draft_open(frz_alter_draft *draft, const frz_metadata *base,
                                               bool case_insensitive, frz_arena *arena,
                                               frz_error **err);
/* Makes the changes, and gives the builder of the new version; NULL when nothing changes. */
FRZ_MUST_CHECK frz_status frz_alter_draft_apply(frz_alter_draft *draft,
                                                const frz_alteration *changes,
                                                frz_metadata_builder **out, frz_error **err);
void frz_alter_draft_clear(frz_alter_draft *draft);

/* The spec and the order that the table has after the changes so far. */
const frz_partition_spec *frz_alter_draft_spec(const frz_alter_draft *draft);
const frz_sort_order *frz_alter_draft_order(const frz_alter_draft *draft);
/* NULL when absent. */
frz_snapshot_ref *frz_alter_draft_find_ref(const frz_alter_draft *draft, const char *name);

#endif
