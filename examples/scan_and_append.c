/* Opens the catalog, scans one table with a filter into an Arrow stream, and appends that stream to
 * another.
 *
 *     cc scan_and_append.c $(pkg-config --cflags --libs frazil) -o scan_and_append
 *     ./scan_and_append sales.orders "status = 'PAID'" sales.paid
 */
#include <frazil/frazil.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    frz_error *err = NULL;
    frz_catalog *catalog = NULL;
    frz_table *from = NULL;
    frz_table *to = NULL;
    frz_scan *scan = NULL;
    frz_commit *commit = NULL;
    struct ArrowArrayStream rows = {0};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = argc == 4 ? argv[2] : NULL;

    frz_status status = argc == 4 ? frz_catalog_open(NULL, &catalog, &err)
                                  : frz_error_raise(&err, FRZ_INVALID, "usage: FROM FILTER TO");
    if (status == FRZ_OK)
        status = frz_catalog_load_table(catalog, argv[1], &from, &err);
    if (status == FRZ_OK)
        status = frz_catalog_load_table(catalog, argv[3], &to, &err);
    if (status == FRZ_OK)
        status = frz_scan_new(from, &options, &scan, &err);
    if (status == FRZ_OK)
        status = frz_scan_stream(scan, &rows, &err);
    if (status == FRZ_OK)
        status = frz_table_append(to, &rows, NULL, &commit, &err); /* releases the stream */
    if (status == FRZ_OK && commit->operation)
        printf("snapshot %lld: %s\n", (long long)commit->snapshot_id, commit->operation);
    if (status != FRZ_OK)
        fprintf(stderr, "%s: %s\n", frz_status_name(status), frz_error_message(err));

    frz_commit_free(commit);
    frz_scan_free(scan);
    frz_table_free(from);
    frz_table_free(to);
    frz_catalog_free(catalog);
    frz_error_free(err);
    return status == FRZ_OK ? 0 : 1;
}
