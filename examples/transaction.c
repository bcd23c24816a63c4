/* Several operations as one commit: rows of FILE come in, in place of those that match a filter,
 * and a property tells which file it was. Whoever reads the table sees all of it, or nothing.
 *
 *     cc transaction.c $(pkg-config --cflags --libs frazil) -o transaction
 *     ./transaction sales.orders "day = '2026-01-02'" day2.csv
 */
#include <frazil/frazil.h>
#include <stdio.h>

static frz_status append_file(frz_table *staged, const char *file, frz_error **err)
{
    struct ArrowArrayStream rows = {0};
    struct ArrowSchema schema = {0};
    frz_status status = frz_table_arrow_schema(staged, &schema, err);
    if (status == FRZ_OK) {
        status = frz_rows_open(file, FRZ_ROW_FORMAT_GUESS, &schema, NULL, &rows, err);
        schema.release(&schema);
    }
    return status == FRZ_OK ? frz_table_append(staged, &rows, NULL, NULL, err) : status;
}

static frz_status note_file(frz_table *staged, const char *file, frz_error **err)
{
    frz_alteration *changes = NULL;
    frz_status status = frz_alteration_new(&changes, err);
    if (status == FRZ_OK)
        status = frz_alter_set_property(changes, "loaded", file, err);
    if (status == FRZ_OK)
        status = frz_table_alter(staged, changes, NULL, NULL, err);
    frz_alteration_free(changes);
    return status;
}

static frz_status replace(frz_table *table, const char *where, const char *file, frz_error **err)
{
    frz_table *staged = NULL;
    frz_transaction_report *report = NULL;
    frz_status status = frz_table_begin(table, &staged, err);
    if (status == FRZ_OK)
        status = frz_table_delete(staged, where, FRZ_DELETE_MODE_DEFAULT, NULL, NULL, err);
    if (status == FRZ_OK)
        status = append_file(staged, file, err);
    if (status == FRZ_OK)
        status = note_file(staged, file, err);
    if (status == FRZ_OK)
        status = frz_table_commit(staged, NULL, &report, err);
    for (size_t i = 0; report && i < report->operation_count; i++)
        printf("%s\n",
               report->operations[i]->operation ? report->operations[i]->operation : "no snapshot");
    frz_transaction_report_free(report);
    frz_table_free(staged); /* rolls back what was not committed */
    return status;
}

int main(int argc, char **argv)
{
    frz_error *err = NULL;
    frz_catalog *catalog = NULL;
    frz_table *table = NULL;

    frz_status status = argc == 4 ? frz_catalog_open(NULL, &catalog, &err)
                                  : frz_error_raise(&err, FRZ_INVALID, "usage: TABLE WHERE FILE");
    if (status == FRZ_OK)
        status = frz_catalog_load_table(catalog, argv[1], &table, &err);
    if (status == FRZ_OK)
        status = replace(table, argv[2], argv[3], &err);
    if (status == FRZ_CONFLICT) { /* another writer was in the way: all of it once more */
        frz_error_free(err);
        err = NULL;
        status = replace(table, argv[2], argv[3], &err);
    }
    if (status != FRZ_OK)
        fprintf(stderr, "%s: %s\n", frz_status_name(status), frz_error_message(err));

    frz_table_free(table);
    frz_catalog_free(catalog);
    frz_error_free(err);
    return status == FRZ_OK ? 0 : 1;
}
