/*
 * create: a table from a schema, from a file, or from what another table holds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "inputs.h"
#include "print.h"
#include "verbs.h"

/* What a table is created from. All zero is closed. */
typedef struct creation {
    frz_table_create_options options;
    frz_option *properties;
    cli_inputs inputs; /* of --from */
    frz_table *source; /* of --from-table */
    char *source_name;
    frz_scan *scan;
    cli_columns columns;
    struct ArrowSchema schema; /* of the rows */
    struct ArrowArrayStream rows;
    bool loads; /* the rows go into the table */
} creation;

static void close_creation(creation *self)
{
    if (self->rows.release)
        self->rows.release(&self->rows);
    if (self->schema.release)
        self->schema.release(&self->schema);
    frz_scan_free(self->scan);
    frz_table_free(self->source);
    free(self->source_name);
    columns_clear(&self->columns);
    inputs_close(&self->inputs);
    free(self->properties);
}

static frz_status print_created(const cli_session *session, const frz_table *table,
                                const frz_commit *commit, frz_error **err)
{
    const char *rows = NULL;
    for (size_t i = 0; commit && i < commit->summary_count; i++) {
        if (strcmp(commit->summary[i].key, "added-records") == 0)
            rows = commit->summary[i].value;
    }
    if (session->output == CLI_OUTPUT_JSON || session->output == CLI_OUTPUT_JSONL) {
        (void)fputs("{\"table\": ", stdout);
        print_json_text(stdout, session->arguments[0]);
        (void)printf(", \"format_version\": %d, \"location\": ", frz_table_format_version(table));
        print_json_text(stdout, frz_table_location(table));
        (void)fputs(", \"metadata_location\": ", stdout);
        print_json_text(stdout, frz_table_metadata_location(table));
        if (commit) {
            (void)printf(", \"added_records\": %s", rows ? rows : "0");
            (void)fputs(", \"snapshot_id\": ", stdout);
            if (commit->operation)
                print_json_id(session, stdout, commit->snapshot_id);
            else
                (void)fputs("null", stdout);
        }
        (void)fputs("}\n", stdout);
    } else {
        (void)printf("created table %s, format version %d, at %s\n", session->arguments[0],
                     frz_table_format_version(table), frz_table_location(table));
        if (commit)
            (void)printf("with %s rows\n", rows ? rows : "0");
    }
    return print_flush(err);
}

static frz_status table_options(cli_session *session, creation *self, frz_error **err)
{
    const frz_table_create_options none = FRZ_TABLE_CREATE_OPTIONS_INIT;
    bool given = false;
    int64_t version = 0;
    self->options = none;
    self->options.schema = session_option(session, "--schema");
    self->options.partition = session_option(session, "--partition");
    self->options.sort = session_option(session, "--sort");
    self->options.location = session_option(session, "--location");
    frz_status status = session_number(session, "--format-version", &given, &version, err);
    if (status == FRZ_OK && given && (version < 1 || version > 3))
        status = frz_error_raise(err, FRZ_INVALID, "--format-version is 1, 2 or 3");
    self->options.format_version = (int)version;
    if (status == FRZ_OK)
        status = session_properties(session, "--property", &self->properties,
                                    &self->options.property_count, err);
    self->options.properties = self->properties;
    return status;
}

static frz_status take_schema(creation *self, struct ArrowArrayStream *rows, const char *name,
                              frz_error **err)
{
    if (rows->get_schema(rows, &self->schema) != 0)
        return frz_error_raise(err, FRZ_INVALID, "%s: %s", name, rows->get_last_error(rows));
    if (!self->options.schema)
        self->options.arrow_schema = &self->schema;
    return FRZ_OK;
}

/* Rows of text are read as the types of `schema`; without, as those that they show. */
static frz_status open_rows(cli_session *session, creation *self, const struct ArrowSchema *schema,
                            frz_error **err)
{
    frz_rows_options how;
    const char *nulls[INPUT_NULLS_MAX];
    const frz_status status = inputs_options(session, &how, nulls, err);
    how.schema = schema;
    how.infer = !schema;
    return status == FRZ_OK ? inputs_open_one(session, session_option(session, "--from"), &how,
                                              &self->inputs, err)
                            : status;
}

/* With --schema the file is opened once the table tells its types. */
static frz_status open_file(cli_session *session, creation *self, frz_error **err)
{
    self->loads = session_flag(session, "--with-rows");
    if (self->options.schema)
        return self->loads ? FRZ_OK
                           : frz_error_raise(err, FRZ_INVALID,
                                             "--schema tells the columns: --from goes with it for "
                                             "rows alone (--with-rows)");
    const frz_status status = open_rows(session, self, NULL, err);
    return status == FRZ_OK
               ? take_schema(self, &self->inputs.streams[0], self->inputs.names[0], err)
               : status;
}

static frz_status open_by_table(cli_session *session, creation *self, const frz_table *table,
                                frz_error **err)
{
    struct ArrowSchema schema = {0};
    frz_status status = frz_table_arrow_schema(table, &schema, err);
    if (status != FRZ_OK)
        return status;
    status = open_rows(session, self, &schema, err);
    schema.release(&schema);
    return status;
}

static frz_status open_scan(cli_session *session, creation *self, const char *name, frz_error **err)
{
    const char *ref = NULL;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    frz_status status = session_table(session, name, &self->source, &self->source_name, &ref, err);
    if (status == FRZ_OK)
        status = session_selector(session, ref, &options.at, err);
    if (status == FRZ_OK)
        status = columns_read(session, &self->columns, err);
    options.select = self->columns.names;
    options.select_count = self->columns.count;
    options.where = session_option(session, "--where");
    if (status == FRZ_OK)
        status = frz_scan_new(self->source, &options, &self->scan, err);
    if (status == FRZ_OK)
        status = frz_scan_stream(self->scan, &self->rows, err);
    if (status == FRZ_OK)
        status = take_schema(self, &self->rows, name, err);
    self->loads = true;
    return status;
}

static frz_status open_source(cli_session *session, creation *self, frz_error **err)
{
    const char *file = session_option(session, "--from");
    const char *table = session_option(session, "--from-table");
    if (file && table)
        return frz_error_raise(err, FRZ_INVALID, "give --from or --from-table, not both");
    if (!file && session_flag(session, "--with-rows"))
        return frz_error_raise(err, FRZ_INVALID, "--with-rows goes with --from FILE");
    if (!table && (session_option(session, "--where") || session_option(session, "--select")))
        return frz_error_raise(err, FRZ_INVALID, "--where and --select go with --from-table");
    if (file)
        return open_file(session, self, err);
    if (table)
        return open_scan(session, self, table, err);
    return self->options.schema ? FRZ_OK
                                : frz_error_raise(err, FRZ_INVALID,
                                                  "create wants --schema 'name type, ...', --from "
                                                  "FILE or --from-table T");
}

/* The table is there with its rows, or not at all. */
static frz_status create_with_rows(cli_session *session, creation *self, frz_catalog *catalog,
                                   frz_error **err)
{
    frz_table *table = NULL;
    frz_commit *commit = NULL;
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    options.cancelled = session_watch_signals();
    options.case_insensitive = session_flag(session, "--ignore-case");
    frz_status status =
        frz_catalog_prepare_table(catalog, session->arguments[0], &self->options, &table, err);
    if (status == FRZ_OK && !self->scan && self->inputs.count == 0)
        status = open_by_table(session, self, table, err);
    options.input_names = self->scan ? NULL : self->inputs.names;
    if (status == FRZ_OK)
        status = frz_table_append_all(table, self->scan ? &self->rows : &self->inputs.streams[0], 1,
                                      &options, &commit, err);
    if (status == FRZ_OK)
        status = print_created(session, table, commit, err);
    frz_commit_free(commit);
    frz_table_free(table);
    return status;
}

static frz_status create_empty(cli_session *session, creation *self, frz_catalog *catalog,
                               frz_error **err)
{
    frz_table *table = NULL;
    frz_status status =
        frz_catalog_create_table(catalog, session->arguments[0], &self->options, &table, err);
    if (status == FRZ_OK)
        status = print_created(session, table, NULL, err);
    frz_table_free(table);
    return status;
}

frz_status cmd_create_table(cli_session *session, frz_error **err)
{
    frz_catalog *catalog = NULL;
    creation self = {0};
    frz_status status = session_new_name(session->arguments[0], err);
    if (status == FRZ_OK)
        status = table_options(session, &self, err);
    if (status == FRZ_OK)
        status = open_source(session, &self, err);
    if (status == FRZ_OK)
        status = session_catalog(session, &catalog, err);
    if (status == FRZ_OK)
        status = self.loads ? create_with_rows(session, &self, catalog, err)
                            : create_empty(session, &self, catalog, err);
    close_creation(&self);
    return status;
}
