/* Plans a scan once and reads its files from several threads, each file by whoever is free.
 *
 *     cc parallel_plan.c $(pkg-config --cflags --libs frazil) -lpthread -o parallel_plan
 *     ./parallel_plan sales.orders "amount > 100"
 */
#include <frazil/frazil.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS = 4 };

/* What the threads share: the plan is immutable, the counters are atomic. */
typedef struct work {
    const frz_plan *plan;
    atomic_size_t next_file;
    atomic_llong rows;
    atomic_bool failed;
} work;

static frz_status read_file(work *shared, size_t file, frz_error **err)
{
    struct ArrowArrayStream stream = {0};
    frz_status status = frz_plan_file_stream(shared->plan, file, &stream, err);
    while (status == FRZ_OK) {
        struct ArrowArray batch = {0};
        if (stream.get_next(&stream, &batch) != 0)
            status = frz_error_raise(err, FRZ_IO, "%s", stream.get_last_error(&stream));
        if (status != FRZ_OK || !batch.release)
            break;
        atomic_fetch_add(&shared->rows, batch.length);
        batch.release(&batch);
    }
    if (stream.release)
        stream.release(&stream);
    return status;
}

static void *run(void *context)
{
    work *shared = context;
    for (;;) {
        const size_t file = atomic_fetch_add(&shared->next_file, 1);
        if (file >= frz_plan_file_count(shared->plan) || atomic_load(&shared->failed))
            return NULL;
        frz_error *err = NULL;
        if (read_file(shared, file, &err) != FRZ_OK) {
            fprintf(stderr, "%s\n", frz_error_message(err));
            atomic_store(&shared->failed, true);
        }
        frz_error_free(err);
    }
}

int main(int argc, char **argv)
{
    frz_error *err = NULL;
    frz_catalog *catalog = NULL;
    frz_table *table = NULL;
    frz_scan *scan = NULL;
    frz_plan *plan = NULL;
    pthread_t threads[THREADS];
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = argc > 2 ? argv[2] : NULL;

    frz_status status = argc > 1 ? frz_catalog_open(NULL, &catalog, &err)
                                 : frz_error_raise(&err, FRZ_INVALID, "usage: TABLE [FILTER]");
    if (status == FRZ_OK)
        status = frz_catalog_load_table(catalog, argv[1], &table, &err);
    if (status == FRZ_OK)
        status = frz_scan_new(table, &options, &scan, &err);
    if (status == FRZ_OK)
        status = frz_scan_plan(scan, &plan, &err);
    work shared = {.plan = plan, .failed = status != FRZ_OK};
    size_t started = 0;
    while (status == FRZ_OK && started < THREADS &&
           pthread_create(&threads[started], NULL, run, &shared) == 0)
        started++;
    for (size_t i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
    if (status != FRZ_OK)
        fprintf(stderr, "%s: %s\n", frz_status_name(status), frz_error_message(err));
    else if (!atomic_load(&shared.failed))
        printf("%lld rows in %zu files, %zu threads\n", (long long)atomic_load(&shared.rows),
               frz_plan_file_count(plan), started);

    frz_plan_free(plan);
    frz_scan_free(scan);
    frz_table_free(table);
    frz_catalog_free(catalog);
    frz_error_free(err);
    return atomic_load(&shared.failed) ? 1 : 0;
}
