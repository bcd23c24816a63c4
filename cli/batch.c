#include "batch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print.h"

enum { NAME_SIZE = 256 };

static frz_status out_of_memory(frz_error **err)
{
    (void)frz_error_raise(err, FRZ_NO_MEMORY, "out of memory");
    return FRZ_NO_MEMORY;
}

static cli_batch_table *find_table(const cli_batch *batch, const char *name)
{
    for (size_t i = 0; i < batch->table_count; i++)
        if (strcmp(batch->tables[i].name, name) == 0)
            return &batch->tables[i];
    return NULL;
}

static frz_status add_table(cli_batch *batch, frz_catalog *catalog, const char *name,
                            cli_batch_table **out, frz_error **err)
{
    frz_table *table = NULL;
    cli_batch_table *grown =
        realloc(batch->tables, (batch->table_count + 1) * sizeof *batch->tables);
    if (!grown)
        return out_of_memory(err);
    batch->tables = grown;
    cli_batch_table added = {.name = strdup(name)};
    frz_status status = added.name ? FRZ_OK : out_of_memory(err);
    if (status == FRZ_OK)
        status = frz_catalog_load_table(catalog, name, &table, err);
    if (status == FRZ_OK)
        status = frz_table_begin(table, &added.staged, err);
    frz_table_free(table);
    if (status != FRZ_OK) {
        free(added.name);
        return status;
    }
    grown[batch->table_count++] = added;
    *out = &grown[batch->table_count - 1];
    return FRZ_OK;
}

static frz_status check_single(const cli_batch *batch, const char *name, frz_error **err)
{
    for (size_t i = 0; !batch->per_table && i < batch->table_count; i++)
        if (strcmp(batch->tables[i].name, name) != 0 &&
            frz_table_staged_count(batch->tables[i].staged) > 0)
            return frz_error_raise(
                err, FRZ_INVALID,
                "a transaction changes one table, here %s: %s would be committed "
                "on its own; --per-table does so",
                batch->tables[i].name, name);
    return FRZ_OK;
}

/* A conflict in the end is told by the line of its statement. */
static frz_status name_statement(const cli_batch *batch, frz_table *staged, frz_error **err)
{
    char name[NAME_SIZE];
    const int size = snprintf(name, sizeof name, "%s:%d: %s", batch->script, batch->statement->line,
                              batch->statement->text);
    if (size >= (int)sizeof name)
        memcpy(name + sizeof name - sizeof "...", "...", sizeof "...");
    return frz_table_name_operations(staged, name, err);
}

frz_status batch_table(cli_batch *batch, frz_catalog *catalog, const char *name, bool changes,
                       frz_table **out, frz_error **err)
{
    cli_batch_table *table = find_table(batch, name);
    frz_status status = changes ? check_single(batch, name, err) : FRZ_OK;
    if (status == FRZ_OK && !table)
        status = add_table(batch, catalog, name, &table, err);
    if (status != FRZ_OK || !table)
        return status;
    status = name_statement(batch, table->staged, err);
    if (status != FRZ_OK)
        return status;
    batch->table = (size_t)(table - batch->tables);
    batch->first = frz_table_staged_count(table->staged);
    return frz_table_reopen(table->staged, out, err);
}

/* Text that a function writes; NULL when memory is short. */
typedef struct memory_text {
    char *text;
    size_t size;
    FILE *stream;
} memory_text;

static FILE *text_open(memory_text *text)
{
    *text = (memory_text){0};
    text->stream = open_memstream(&text->text, &text->size);
    return text->stream;
}

static char *text_close(memory_text *text)
{
    if (!text->stream || fclose(text->stream) != 0) {
        free(text->text);
        return NULL;
    }
    return text->text;
}

/* Takes the texts. */
static frz_status add_entry(cli_session *session, bool rows, char *json, char *line,
                            frz_error **err)
{
    cli_batch *batch = session->batch;
    cli_batch_entry *grown =
        realloc(batch->entries, (batch->entry_count + 1) * sizeof *batch->entries);
    if (grown)
        batch->entries = grown;
    if (!grown || !json || !line) {
        free(json);
        free(line);
        return out_of_memory(err);
    }
    const size_t staged = frz_table_staged_count(batch->tables[batch->table].staged);
    grown[batch->entry_count++] = (cli_batch_entry){.statement = batch->statement,
                                                    .table = batch->table,
                                                    .first = batch->first,
                                                    .count = staged - batch->first,
                                                    .rows = rows,
                                                    .json = json,
                                                    .line = line};
    print_note(session, "%d: %s", batch->statement->line, line);
    return FRZ_OK;
}

static void write_commit_line(FILE *out, const frz_commit *commit)
{
    if (!commit || !commit->operation)
        (void)fputs("nothing to commit: no row is affected", out);
    else if (commit->already_committed)
        (void)fprintf(out, "already committed as snapshot %" PRId64, commit->snapshot_id);
    else
        (void)fprintf(out, "%s: snapshot %" PRId64 ", sequence number %" PRId64, commit->operation,
                      commit->snapshot_id, commit->sequence_number);
    for (size_t i = 0; commit && i < commit->summary_count; i++)
        if (strcmp(commit->summary[i].key, "added-records") == 0 ||
            strcmp(commit->summary[i].key, "deleted-records") == 0 ||
            strcmp(commit->summary[i].key, "added-position-deletes") == 0)
            (void)fprintf(out, ", %s %s", commit->summary[i].value, commit->summary[i].key);
}

frz_status batch_record_commit(cli_session *session, const frz_commit *commit, frz_error **err)
{
    memory_text json;
    memory_text line;
    if (text_open(&json))
        print_commit_json(session, json.stream, commit);
    if (text_open(&line))
        write_commit_line(line.stream, commit);
    char *json_text = text_close(&json);
    return add_entry(session, true, json_text, text_close(&line), err);
}

frz_status batch_record_changes(cli_session *session, const frz_alter_result *result,
                                frz_error **err)
{
    memory_text json;
    memory_text line;
    if (text_open(&json)) {
        (void)fputs("\"changes\": [", json.stream);
        for (size_t i = 0; i < result->item_count; i++) {
            (void)fprintf(json.stream, "%s{\"change\": \"%s\", \"text\": ", i ? ", " : "",
                          result->items[i].change);
            print_json_text(json.stream, result->items[i].text);
            (void)fputc('}', json.stream);
        }
        (void)fputc(']', json.stream);
    }
    if (text_open(&line)) {
        for (size_t i = 0; i < result->item_count; i++)
            (void)fprintf(line.stream, "%s%s", i ? "; " : "", result->items[i].text);
        if (result->item_count == 0)
            (void)fputs("nothing to change: the table is so already", line.stream);
    }
    char *json_text = text_close(&json);
    return add_entry(session, false, json_text, text_close(&line), err);
}

static size_t committed_tables(const cli_batch *batch)
{
    size_t count = 0;
    for (size_t i = 0; i < batch->table_count; i++)
        count += batch->tables[i].report != NULL;
    return count;
}

frz_status batch_commit(cli_batch *batch, const frz_write_options *options, frz_error **err)
{
    for (size_t i = 0; i < batch->table_count; i++) {
        cli_batch_table *table = &batch->tables[i];
        if (frz_table_staged_count(table->staged) == 0)
            continue;
        const frz_status status = frz_table_commit(table->staged, options, &table->report, err);
        if (status != FRZ_OK)
            return status;
    }
    return FRZ_OK;
}

/* The snapshot as it was committed; NULL: the details of its time hold. */
static const frz_commit *settled(const cli_batch *batch, const cli_batch_entry *entry)
{
    const frz_transaction_report *report = batch->tables[entry->table].report;
    if (!report || !entry->rows || entry->count != 1 ||
        !report->operations[entry->first]->operation)
        return NULL;
    return report->operations[entry->first];
}

static void print_entry_json(const cli_session *session, const cli_batch *batch,
                             const cli_batch_entry *entry)
{
    const frz_commit *commit = settled(batch, entry);
    (void)printf("{\"line\": %d, \"statement\": ", entry->statement->line);
    print_json_text(stdout, entry->statement->text);
    (void)fputs(", ", stdout);
    if (commit)
        print_commit_json(session, stdout, commit);
    else
        (void)fputs(entry->json, stdout);
    (void)fputc('}', stdout);
}

static void open_transaction_json(const cli_batch_table *table)
{
    (void)fputs("{\"table\": ", stdout);
    print_json_text(stdout, table->name);
    (void)printf(", \"committed\": %s, \"metadata_location\": ", table->report ? "true" : "false");
    if (table->report)
        print_json_text(stdout, frz_table_metadata_location(table->staged));
    else
        (void)fputs("null", stdout);
    (void)fputs(", \"operations\": [", stdout);
}

/* False: no statement would change the table. */
static bool print_transaction_json(const cli_session *session, const cli_batch *batch, size_t table,
                                   bool others)
{
    bool opened = false;
    for (size_t i = 0; i < batch->entry_count; i++) {
        if (batch->entries[i].table != table)
            continue;
        (void)fputs(opened || others ? ", " : "", stdout);
        if (!opened)
            open_transaction_json(&batch->tables[table]);
        opened = true;
        print_entry_json(session, batch, &batch->entries[i]);
    }
    (void)fputs(opened ? "]}" : "", stdout);
    return opened;
}

static void print_json(const cli_session *session, const cli_batch *batch)
{
    bool some = false;
    (void)printf("{\"committed\": %s, \"transactions\": [",
                 committed_tables(batch) > 0 ? "true" : "false");
    for (size_t i = 0; i < batch->table_count; i++)
        some = print_transaction_json(session, batch, i, some) || some;
    (void)fputs("]}\n", stdout);
}

static void print_lines(const cli_batch *batch)
{
    for (size_t i = 0; i < batch->entry_count; i++) {
        const cli_batch_entry *entry = &batch->entries[i];
        const frz_commit *commit = settled(batch, entry);
        (void)printf("%d: ", entry->statement->line);
        if (commit)
            write_commit_line(stdout, commit);
        else
            (void)fputs(entry->line, stdout);
        (void)fputc('\n', stdout);
    }
    for (size_t i = 0; i < batch->table_count; i++) {
        const cli_batch_table *table = &batch->tables[i];
        if (table->report)
            (void)printf("committed %zu operations to %s\n", table->report->operation_count,
                         table->name);
    }
    if (committed_tables(batch) == 0)
        (void)puts("nothing was committed");
}

frz_status batch_print(const cli_session *session, const cli_batch *batch, frz_error **err)
{
    if (session->output == CLI_OUTPUT_JSON || session->output == CLI_OUTPUT_JSONL)
        print_json(session, batch);
    else
        print_lines(batch);
    return print_flush(err);
}

void batch_close(cli_batch *batch)
{
    for (size_t i = 0; i < batch->table_count; i++) {
        frz_transaction_report_free(batch->tables[i].report);
        frz_table_rollback(batch->tables[i].staged);
        frz_table_free(batch->tables[i].staged);
        free(batch->tables[i].name);
    }
    for (size_t i = 0; i < batch->entry_count; i++) {
        free(batch->entries[i].json);
        free(batch->entries[i].line);
    }
    free(batch->tables);
    free(batch->entries);
    *batch = (cli_batch){0};
}
