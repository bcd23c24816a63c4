/*
 * A program of somebody else, built against an installed frazil: rows come from a stream of its
 * own, and go through every way of writing. It knows the public headers alone, and cleans up after
 * itself.
 *
 * Usage: embedding WAREHOUSE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <frazil/frazil.h>

/* Whatever should succeed; the first failure is printed and ends the program. */
static void must(frz_status status, frz_error *err, const char *what)
{
    if (status == FRZ_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, frz_status_name(status),
            err ? frz_error_message(err) : "");
    exit(1);
}

#define MUST(call)                \
    do {                          \
        frz_error *err = NULL;    \
        must((call), err, #call); \
    } while (0)

/* Memory that must be there. */
static void *room(size_t count, size_t size)
{
    void *made = calloc(count + 1, size);
    if (!made)
        abort();
    return made;
}

/* Rows of id and name, ids from `next` to `end` - 1 and all of one name, two to a batch. */
typedef struct producer {
    int64_t next;
    int64_t end;
    char name;
} producer;

static void schema_release(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i]->release)
            schema->children[i]->release(schema->children[i]);
        free(schema->children[i]);
    }
    free(schema->children);
    schema->release = NULL;
}

static int producer_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    static const char *const columns[][2] = {{"id", "l"}, {"name", "u"}};
    (void)stream;
    *out = (struct ArrowSchema){
        .format = "+s", .name = "", .n_children = 2, .release = schema_release};
    out->children = room(2, sizeof *out->children);
    for (int i = 0; i < 2; i++) {
        out->children[i] = room(1, sizeof **out->children);
        *out->children[i] = (struct ArrowSchema){.format = columns[i][1],
                                                 .name = columns[i][0],
                                                 .flags = ARROW_FLAG_NULLABLE,
                                                 .release = schema_release};
    }
    return 0;
}

static void array_release(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release)
            array->children[i]->release(array->children[i]);
        free(array->children[i]);
    }
    for (int64_t i = 0; i < array->n_buffers; i++)
        free((void *)(uintptr_t)array->buffers[i]);
    free(array->children);
    free((void *)array->buffers);
    array->release = NULL;
}

static void array_init(struct ArrowArray *out, int64_t length, int64_t buffers)
{
    *out = (struct ArrowArray){.length = length, .n_buffers = buffers, .release = array_release};
    out->buffers = room((size_t)buffers, sizeof *out->buffers);
}

static int producer_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    producer *self = stream->private_data;
    const int64_t left = self->end - self->next;
    const int64_t count = left < 2 ? left : 2;
    *out = (struct ArrowArray){0};
    if (count == 0)
        return 0;
    int64_t *ids = room((size_t)count, sizeof *ids);
    int32_t *ends = room((size_t)count + 1, sizeof *ends);
    char *names = room((size_t)count, 1);
    for (int32_t i = 0; i < count; i++) {
        ids[i] = self->next++;
        ends[i + 1] = i + 1;
        names[i] = self->name;
    }
    array_init(out, count, 1);
    out->n_children = 2;
    out->children = room(2, sizeof *out->children);
    out->children[0] = room(1, sizeof **out->children);
    out->children[1] = room(1, sizeof **out->children);
    array_init(out->children[0], count, 2);
    array_init(out->children[1], count, 3);
    out->children[0]->buffers[1] = ids;
    out->children[1]->buffers[1] = ends;
    out->children[1]->buffers[2] = names;
    return 0;
}

static const char *producer_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return NULL;
}

static void producer_release(struct ArrowArrayStream *stream)
{
    free(stream->private_data);
    stream->release = NULL;
}

static struct ArrowArrayStream rows(int64_t first, int64_t count, char name)
{
    producer *self = room(1, sizeof *self);
    *self = (producer){first, first + count, name};
    return (struct ArrowArrayStream){.get_schema = producer_schema,
                                     .get_next = producer_next,
                                     .get_last_error = producer_error,
                                     .release = producer_release,
                                     .private_data = self};
}

static frz_status print(void *context, const void *bytes, size_t size, frz_error **err)
{
    (void)context;
    (void)err;
    return fwrite(bytes, 1, size, stdout) == size ? FRZ_OK : FRZ_IO;
}

static void show(const frz_table *table)
{
    static const char *const columns[] = {"id", "name", "_row_id"};
    frz_scan *scan = NULL;
    struct ArrowArrayStream out = {0};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    frz_print_options how = FRZ_PRINT_OPTIONS_INIT;
    options.select = columns;
    options.select_count = 3;
    how.format = FRZ_ROW_FORMAT_CSV;
    MUST(frz_scan_new(table, &options, &scan, &err));
    MUST(frz_scan_stream(scan, &out, &err));
    frz_scan_free(scan);
    MUST(frz_rows_print(&out, &how, print, NULL, NULL, &err));
}

static const char *const key[] = {"id"};

static void write_rows(frz_table *table)
{
    static const frz_merge_clause clauses[] = {
        {FRZ_MERGE_DELETE, "source.id = 5", NULL},
        {FRZ_MERGE_UPDATE, NULL, "name = name || source.name"}};
    struct ArrowArrayStream input = rows(0, 7, 'a');
    frz_commit *commit = NULL;
    frz_merge_options merge = FRZ_MERGE_OPTIONS_INIT;
    frz_overwrite_options overwrite = FRZ_OVERWRITE_OPTIONS_INIT;
    MUST(frz_table_append(table, &input, NULL, &commit, &err));
    printf("%s\n", commit->operation);
    frz_commit_free(commit);
    MUST(
        frz_table_update(table, "name = 'u'", "id < 2", FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err));
    merge.keys = key;
    merge.key_count = 1;
    merge.matched = clauses;
    merge.matched_count = 2;
    merge.insert_not_matched = true;
    input = rows(5, 4, 'm');
    MUST(frz_table_merge(table, &input, &merge, NULL, NULL, &err));
    overwrite.where = "id = 3";
    input = rows(3, 1, 'o');
    MUST(frz_table_overwrite(table, &input, 1, &overwrite, NULL, NULL, &err));
}

static void write_at_once(frz_table *table)
{
    struct ArrowArrayStream input = rows(20, 3, 't');
    frz_table *staged = NULL;
    frz_transaction_report *report = NULL;
    MUST(frz_table_begin(table, &staged, &err));
    MUST(frz_table_append(staged, &input, NULL, NULL, &err));
    MUST(frz_table_delete(staged, "id = 20", FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, &err));
    MUST(frz_table_commit(staged, NULL, &report, &err));
    for (size_t i = 0; i < report->operation_count; i++)
        printf("%s\n", report->operations[i]->operation);
    frz_transaction_report_free(report);
    frz_table_free(staged);
    MUST(frz_table_refresh(table, &err));
}

static void write_unread(frz_table *table)
{
    frz_delta_options how = FRZ_DELTA_OPTIONS_INIT;
    frz_delta *delta = NULL;
    struct ArrowArrayStream input = rows(21, 1, 'd');
    how.keys = key;
    how.key_count = 1;
    MUST(frz_delta_open(table, &how, NULL, &delta, &err));
    MUST(frz_delta_upsert(delta, &input, &err));
    input = rows(30, 1, 'n');
    MUST(frz_delta_insert(delta, &input, &err));
    MUST(frz_delta_commit(delta, NULL, &err));
    frz_delta_free(delta);
}

/* A struct that was not set up is refused, and the rows are released. */
static void write_wrongly(frz_table *table)
{
    struct ArrowArrayStream input = rows(40, 1, 'x');
    frz_write_options unset;
    frz_error *err = NULL;
    memset(&unset, 0, sizeof unset);
    if (frz_table_append(table, &input, &unset, NULL, &err) != FRZ_INVALID || input.release)
        exit(1);
    frz_error_free(err);
}

static void verify(const frz_table *table)
{
    frz_verify_options options = FRZ_VERIFY_OPTIONS_INIT;
    frz_verify_report *report = NULL;
    options.deep = true;
    options.threads = 2;
    MUST(frz_table_verify(table, &options, &report, &err));
    if (frz_verify_report_at(report, 0))
        exit(1);
    frz_verify_report_free(report);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    const frz_option properties[] = {{"warehouse", argv[1]}};
    frz_catalog *catalog = NULL;
    frz_table *table = NULL;
    frz_catalog_options options = FRZ_CATALOG_OPTIONS_INIT;
    frz_table_create_options create = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.properties = properties;
    options.property_count = 1;
    create.schema = "id long not null, name string";
    create.sort = "id";
    MUST(frz_catalog_open(&options, &catalog, &err));
    MUST(frz_catalog_create_table(catalog, "n.t", &create, &table, &err));
    write_rows(table);
    write_at_once(table);
    write_unread(table);
    write_wrongly(table);
    verify(table);
    frz_table_free(table);
    MUST(frz_catalog_load_table(catalog, "n.t", &table, &err));
    frz_catalog_free(catalog); /* the table stays */
    show(table);
    frz_table_free(table);
    return 0;
}
