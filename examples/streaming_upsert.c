/* Keeps a table up to date from a feed that never ends: each file of changes is one commit, made
 * without reading the table. Rows of NAME.csv come in, in place of older ones with their key; keys
 * of NAME.deleted.csv (the key columns alone) go.
 *
 *     cc streaming_upsert.c $(pkg-config --cflags --libs frazil) -o streaming_upsert
 *     ./streaming_upsert sales.orders order_id batch1.csv batch2.deleted.csv
 */
#include <frazil/frazil.h>
#include <stdio.h>
#include <string.h>

static frz_status read_changes(frz_table *table, const char *file, frz_delta *delta,
                               frz_error **err)
{
    struct ArrowArrayStream rows = {0};
    struct ArrowSchema schema = {0};
    frz_status status = frz_table_arrow_schema(table, &schema, err);
    if (status == FRZ_OK) {
        status = frz_rows_open(file, FRZ_ROW_FORMAT_CSV, &schema, NULL, &rows, err);
        schema.release(&schema);
    }
    if (status != FRZ_OK)
        return status;
    return strstr(file, ".deleted.") ? frz_delta_delete_keys(delta, &rows, err)
                                     : frz_delta_upsert(delta, &rows, err); /* release the stream */
}

/* One file, one commit. When its outcome is unknown or it failed, the file may be given again: the
 * same rows under the same keys change nothing. */
static frz_status load(frz_table *table, const char *key, const char *file, frz_error **err)
{
    frz_delta *delta = NULL;
    frz_commit *commit = NULL;
    frz_delta_options how = FRZ_DELTA_OPTIONS_INIT;
    how.keys = &key;
    how.key_count = 1;
    frz_status status = frz_delta_open(table, &how, NULL, &delta, err);
    if (status == FRZ_OK)
        status = read_changes(table, file, delta, err);
    if (status == FRZ_OK)
        status = frz_delta_commit(delta, &commit, err);
    if (status == FRZ_OK)
        printf("%s: %s\n", file, commit->operation ? commit->operation : "nothing to do");
    frz_commit_free(commit);
    frz_delta_free(delta);
    return status;
}

int main(int argc, char **argv)
{
    frz_error *err = NULL;
    frz_catalog *catalog = NULL;
    frz_table *table = NULL;

    frz_status status = argc > 3 ? frz_catalog_open(NULL, &catalog, &err)
                                 : frz_error_raise(&err, FRZ_INVALID, "usage: TABLE KEY FILE...");
    if (status == FRZ_OK)
        status = frz_catalog_load_table(catalog, argv[1], &table, &err);
    for (int i = 3; status == FRZ_OK && i < argc; i++)
        status = load(table, argv[2], argv[i], &err);
    if (status != FRZ_OK)
        fprintf(stderr, "%s: %s\n", frz_status_name(status), frz_error_message(err));

    frz_table_free(table);
    frz_catalog_free(catalog);
    frz_error_free(err);
    return status == FRZ_OK ? 0 : 1;
}
