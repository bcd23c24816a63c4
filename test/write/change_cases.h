/*
 * Every operation that commits to a table, each from a table that holds "1:a 2:b 3:c" in one file,
 * with what the table is before and after: for tests that let each of them meet the same fault.
 */
#ifndef FRZ_TEST_CHANGE_CASES_H
#define FRZ_TEST_CHANGE_CASES_H

#include "table_fixture.h"

#include "frazil/alter.h"
#include "frazil/delta.h"
#include "frazil/load.h"
#include "frazil/text.h"

typedef struct change_case {
    const char *name;
    int format_version;
    frz_status (*run)(frz_table *table, frz_error **err);
    const char *before; /* rows of main */
    const char *after;
    void (*set_up)(frz_table *table); /* more that the table holds before; NULL: nothing */
    /* Whether metadata tells that it happened; NULL where the rows do. */
    bool (*is_done)(const frz_metadata *metadata);
    bool meets_append; /* another's append in between is a conflict */
} change_case;

static inline frz_status run_append(frz_table *table, frz_error **err)
{
    struct ArrowArrayStream rows = {0};
    FRZ_TRY(rows_of("4:d 5:e", &rows, err));
    return frz_table_append(table, &rows, NULL, NULL, err);
}

static inline frz_status run_delete(frz_table *table, frz_error **err)
{
    return frz_table_delete(table, "id = 2", FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, err);
}

static inline frz_status run_rewrite(frz_table *table, frz_error **err)
{
    return frz_table_delete(table, "id = 2", FRZ_DELETE_MODE_COPY_ON_WRITE, NULL, NULL, err);
}

static inline frz_status run_truncate(frz_table *table, frz_error **err)
{
    return frz_table_truncate(table, NULL, NULL, err);
}

static inline frz_status run_update(frz_table *table, frz_error **err)
{
    return frz_table_update(table, "name = upper(name) || '!'", "id = 2",
                            FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, err);
}

static inline frz_status run_rewriting_update(frz_table *table, frz_error **err)
{
    return frz_table_update(table, "name = cast(id * 2 as string)", "id = 2",
                            FRZ_DELETE_MODE_COPY_ON_WRITE, NULL, NULL, err);
}

static inline frz_status run_merge(frz_table *table, frz_delete_mode mode, frz_error **err)
{
    static const char *const keys[] = {"id"};
    static const frz_merge_clause clauses[] = {{FRZ_MERGE_DELETE, "source.name = 'gone'", NULL},
                                               {FRZ_MERGE_UPDATE, NULL, NULL}};
    frz_merge_options how = FRZ_MERGE_OPTIONS_INIT;
    struct ArrowArrayStream rows = {0};
    how.keys = keys;
    how.key_count = 1;
    how.matched = clauses;
    how.matched_count = 2;
    how.insert_not_matched = true;
    how.mode = mode;
    FRZ_TRY(rows_of("1:gone 2:B 9:new", &rows, err));
    return frz_table_merge(table, &rows, &how, NULL, NULL, err);
}

static inline frz_status run_merge_on_read(frz_table *table, frz_error **err)
{
    return run_merge(table, FRZ_DELETE_MODE_MERGE_ON_READ, err);
}

static inline frz_status run_rewriting_merge(frz_table *table, frz_error **err)
{
    return run_merge(table, FRZ_DELETE_MODE_COPY_ON_WRITE, err);
}

static inline frz_status run_overwrite(frz_table *table, frz_error **err)
{
    frz_overwrite_options how = FRZ_OVERWRITE_OPTIONS_INIT;
    struct ArrowArrayStream rows = {0};
    how.where = "id >= 2 and id < 9";
    FRZ_TRY(rows_of("7:x 8:y", &rows, err));
    return frz_table_overwrite(table, &rows, 1, &how, NULL, NULL, err);
}

static inline frz_status run_dynamic_overwrite(frz_table *table, frz_error **err)
{
    frz_overwrite_options how = FRZ_OVERWRITE_OPTIONS_INIT;
    struct ArrowArrayStream rows = {0};
    how.dynamic = true;
    FRZ_TRY(rows_of("7:x 8:y", &rows, err));
    return frz_table_overwrite(table, &rows, 1, &how, NULL, NULL, err);
}

/* Commits what `record` asks for. */
static inline frz_status alter_with(frz_table *table,
                                    frz_status (*record)(frz_alteration *changes,
                                                         const frz_table *table, frz_error **err),
                                    frz_error **err)
{
    frz_alteration *changes = NULL;
    frz_status status = frz_alteration_new(&changes, err);
    if (status == FRZ_OK)
        status = record(changes, table, err);
    if (status == FRZ_OK)
        status = frz_table_alter(table, changes, NULL, NULL, err);
    frz_alteration_free(changes);
    return status;
}

static inline frz_status record_column(frz_alteration *changes, const frz_table *table,
                                       frz_error **err)
{
    (void)table;
    FRZ_TRY(frz_alter_add_column(changes, "n", "int not null default 7", NULL, err));
    return frz_alter_add_partition(changes, "bucket(4, n)", NULL, err);
}

static inline frz_status run_alter(frz_table *table, frz_error **err)
{
    return alter_with(table, record_column, err);
}

static inline frz_status record_partition(frz_alteration *changes, const frz_table *table,
                                          frz_error **err)
{
    (void)table;
    return frz_alter_add_partition(changes, "bucket(4, id)", NULL, err);
}

static inline frz_status run_partition(frz_table *table, frz_error **err)
{
    return alter_with(table, record_partition, err);
}

static inline bool has_partition(const frz_metadata *metadata)
{
    return frz_metadata_spec(metadata)->field_count == 1;
}

static inline frz_status record_sort(frz_alteration *changes, const frz_table *table,
                                     frz_error **err)
{
    (void)table;
    return frz_alter_set_sort(changes, "id desc", err);
}

static inline frz_status run_sort(frz_table *table, frz_error **err)
{
    return alter_with(table, record_sort, err);
}

static inline bool has_sort(const frz_metadata *metadata)
{
    return metadata->default_sort_order_id != 0;
}

static inline frz_status record_property(frz_alteration *changes, const frz_table *table,
                                         frz_error **err)
{
    (void)table;
    return frz_alter_set_property(changes, "owner", "ada", err);
}

static inline frz_status run_property(frz_table *table, frz_error **err)
{
    return alter_with(table, record_property, err);
}

static inline bool has_property(const frz_metadata *metadata)
{
    return frz_metadata_property(metadata, "owner") != NULL;
}

static inline frz_status record_upgrade(frz_alteration *changes, const frz_table *table,
                                        frz_error **err)
{
    (void)table;
    return frz_alter_upgrade(changes, 3, err);
}

static inline frz_status run_upgrade(frz_table *table, frz_error **err)
{
    return alter_with(table, record_upgrade, err);
}

static inline bool is_upgraded(const frz_metadata *metadata)
{
    return metadata->format_version == 3;
}

static inline frz_status record_branch(frz_alteration *changes, const frz_table *table,
                                       frz_error **err)
{
    frz_ref_options options = FRZ_REF_OPTIONS_INIT;
    options.has_snapshot_id = true;
    options.snapshot_id = table->metadata->current_snapshot_id;
    return frz_alter_create_ref(changes, "audit", &options, err);
}

static inline frz_status run_branch(frz_table *table, frz_error **err)
{
    return alter_with(table, record_branch, err);
}

static inline bool has_branch(const frz_metadata *metadata)
{
    return frz_metadata_find_ref(metadata, "audit") != NULL;
}

static inline frz_status record_tag(frz_alteration *changes, const frz_table *table,
                                    frz_error **err)
{
    frz_ref_options options = FRZ_REF_OPTIONS_INIT;
    options.tag = true;
    options.has_snapshot_id = true;
    options.snapshot_id = table->metadata->current_snapshot_id;
    return frz_alter_create_ref(changes, "v1", &options, err);
}

static inline frz_status run_tag(frz_table *table, frz_error **err)
{
    return alter_with(table, record_tag, err);
}

static inline bool has_tag(const frz_metadata *metadata)
{
    return frz_metadata_find_ref(metadata, "v1") != NULL;
}

static inline frz_status record_rollback(frz_alteration *changes, const frz_table *table,
                                         frz_error **err)
{
    return frz_alter_rollback(changes, table->metadata->snapshots[0].snapshot_id, err);
}

static inline frz_status run_rollback(frz_table *table, frz_error **err)
{
    return alter_with(table, record_rollback, err);
}

static inline void append_again(frz_table *table)
{
    append_rows(table, "4:d");
}

/* A staged snapshot, and one that came after it. */
static inline void stage(frz_table *table)
{
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    options.wap_id = "staged";
    CHECK_OK(rows_of("4:d", &rows, &err), err);
    CHECK_OK(frz_table_append(table, &rows, &options, NULL, &err), err);
    append_rows(table, "5:e");
}

static inline frz_status run_publish(frz_table *table, frz_error **err)
{
    return frz_table_publish(table, "staged", NULL, NULL, err);
}

static inline frz_status run_cherry_pick(frz_table *table, frz_error **err)
{
    return frz_table_cherry_pick(table, table->metadata->snapshots[1].snapshot_id, NULL, NULL, err);
}

/* The next snapshot of main, on a branch of its own. */
static inline void write_ahead(frz_table *table)
{
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    options.branch = "ahead";
    CHECK_OK(rows_of("4:d", &rows, &err), err);
    CHECK_OK(frz_table_append(table, &rows, &options, NULL, &err), err);
}

static inline frz_status record_forward(frz_alteration *changes, const frz_table *table,
                                        frz_error **err)
{
    (void)table;
    return frz_alter_fast_forward(changes, "main", "ahead", err);
}

static inline frz_status run_forward(frz_table *table, frz_error **err)
{
    return alter_with(table, record_forward, err);
}

static inline frz_status run_delta(frz_table *table, frz_error **err)
{
    static const char *const key[] = {"id"};
    frz_delta_options how = FRZ_DELTA_OPTIONS_INIT;
    frz_delta *delta = NULL;
    struct ArrowArrayStream rows = {0};
    how.keys = key;
    how.key_count = 1;
    frz_status status = frz_delta_open(table, &how, NULL, &delta, err);
    if (status == FRZ_OK)
        status = rows_of("2:B 2:C 4:d", &rows, err);
    if (status == FRZ_OK)
        status = frz_delta_upsert(delta, &rows, err);
    if (status == FRZ_OK)
        status = frz_delta_commit(delta, NULL, err);
    frz_delta_free(delta);
    return status;
}

static inline frz_status record_avro(frz_alteration *changes, const frz_table *table,
                                     frz_error **err)
{
    (void)table;
    return frz_alter_set_property(changes, "write.format.default", "avro", err);
}

static inline void write_avro(frz_table *table)
{
    frz_error *err = NULL;
    CHECK_OK(alter_with(table, record_avro, &err), err);
}

/* A Parquet file without field ids beside the table. */
static inline void put_file(frz_table *table)
{
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    CHECK_OK(rows_of("4:d 5:e", &rows, &err), err);
    CHECK_OK(frz_rows_write_file(&rows, "mem://wh/foreign/x.parquet", NULL, table->io, NULL, &err),
             err);
}

static inline frz_status run_add_files(frz_table *table, frz_error **err)
{
    static const char *const paths[] = {"mem://wh/foreign/x.parquet"};
    frz_add_files_options how = FRZ_ADD_FILES_OPTIONS_INIT;
    how.name_mapping = true;
    return frz_table_add_files(table, paths, 1, &how, NULL, NULL, err);
}

#define ROWS "1:a 2:b 3:c"
/* What rows of another that were appended meanwhile are called: see rows_without_rival. */
static const change_case change_cases[] = {
    {"append", 3, run_append, ROWS, "1:a 2:b 3:c 4:d 5:e", NULL, NULL, false},
    {"append to format 1", 1, run_append, ROWS, "1:a 2:b 3:c 4:d 5:e", NULL, NULL, false},
    {"add files", 3, run_add_files, ROWS, "1:a 2:b 3:c 4:d 5:e", put_file, NULL, false},
    {"delete by vector", 3, run_delete, ROWS, "1:a 3:c", NULL, NULL, false},
    {"delete by positions", 2, run_delete, ROWS, "1:a 3:c", NULL, NULL, false},
    {"delete by rewriting", 3, run_rewrite, ROWS, "1:a 3:c", NULL, NULL, false},
    {"truncate", 3, run_truncate, ROWS, "", NULL, NULL, false},
    {"update by vector", 3, run_update, ROWS, "1:a 2:B! 3:c", NULL, NULL, false},
    {"update by positions", 2, run_update, ROWS, "1:a 2:B! 3:c", NULL, NULL, false},
    {"update by rewriting", 3, run_rewriting_update, ROWS, "1:a 2:4 3:c", NULL, NULL, false},
    {"merge by vector", 3, run_merge_on_read, ROWS, "2:B 3:c 9:new", NULL, NULL, false},
    {"merge by positions", 2, run_merge_on_read, ROWS, "2:B 3:c 9:new", NULL, NULL, false},
    {"merge by rewriting", 3, run_rewriting_merge, ROWS, "2:B 3:c 9:new", NULL, NULL, false},
    {"overwrite", 3, run_overwrite, ROWS, "1:a 7:x 8:y", NULL, NULL, false},
    {"dynamic overwrite", 3, run_dynamic_overwrite, ROWS, "7:x 8:y", NULL, NULL, true},
    {"delta by vector", 3, run_delta, ROWS, "1:a 2:C 3:c 4:d", NULL, NULL, false},
    {"delta by positions", 2, run_delta, ROWS, "1:a 2:C 3:c 4:d", NULL, NULL, false},
    {"delta in Avro", 2, run_delta, ROWS, "1:a 2:C 3:c 4:d", write_avro, NULL, false},
    {"append in Avro", 3, run_append, ROWS, "1:a 2:b 3:c 4:d 5:e", write_avro, NULL, false},
    {"alter columns", 3, run_alter, ROWS, "1:a:7 2:b:7 3:c:7", NULL, NULL, false},
    {"alter partition", 3, run_partition, ROWS, ROWS, NULL, has_partition, false},
    {"alter sort", 3, run_sort, ROWS, ROWS, NULL, has_sort, false},
    {"alter properties", 2, run_property, ROWS, ROWS, NULL, has_property, false},
    {"upgrade", 2, run_upgrade, ROWS, ROWS, NULL, is_upgraded, false},
    {"branch", 3, run_branch, ROWS, ROWS, NULL, has_branch, false},
    {"tag", 3, run_tag, ROWS, ROWS, NULL, has_tag, false},
    {"rollback", 3, run_rollback, "1:a 2:b 3:c 4:d", ROWS, append_again, NULL, true},
    {"fast-forward", 3, run_forward, ROWS, "1:a 2:b 3:c 4:d", write_ahead, NULL, true},
    {"publish", 3, run_publish, "1:a 2:b 3:c 5:e", "1:a 2:b 3:c 4:d 5:e", stage, NULL, false},
    {"cherry-pick", 3, run_cherry_pick, "1:a 2:b 3:c 5:e", "1:a 2:b 3:c 4:d 5:e", stage, NULL,
     false},
};
enum { CHANGE_CASES = sizeof change_cases / sizeof *change_cases };

#endif
