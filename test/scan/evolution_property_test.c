/*
 * Random tables whose schema evolves between appends and deletes: every snapshot, and the table as
 * another process finds it, reads as the model says, files without field ids under a name mapping
 * too, and so does each part that is projected; pruned and unpruned filters agree; rows keep their
 * lineage. Seeded: a failure names the seed, FRAZIL_SEED repeats it alone.
 */
#include "scan/random_schema.h"

#include "scan/foreign_fixture.h"
#include "scan/scan.h"
#include "spec/value_arrow.h"

enum { WORLDS = 60, STEPS = 6, ROWS_MAX = 25, FILTERS = 12 };

typedef struct model_row {
    const frz_type *type; /* as it was written */
    frz_value value;
    int born;       /* the commit that appended it */
    int died;       /* the one that deleted it; INT32_MAX = none */
    int64_t row_id; /* as first seen; -1 before */
    int64_t sequence;
} model_row;

typedef struct model {
    random_world world;
    uint64_t first_seed;
    numbered_table table;
    const frz_type *type;  /* current */
    const char *partition; /* NULL = unpartitioned */
    model_row rows[STEPS * ROWS_MAX];
    size_t row_count;
    int commits;
    int64_t snapshots[2 * STEPS + 1]; /* by commit, from 1 */
    const frz_type *types[2 * STEPS + 1];
} model;

static model *changing; /* for the callback of change_metadata */

static frz_status take_schema(frz_metadata_builder *builder, frz_error **err)
{
    int32_t id = 0;
    frz_schema *schema = NULL;
    FRZ_TRY(frz_schema_new(0, changing->type->fields, changing->type->field_count, NULL, 0, &schema,
                           err));
    frz_status status = frz_update_add_schema(builder, schema, &id, err);
    if (status == FRZ_OK)
        status = frz_update_set_current_schema(builder, id, err);
    frz_schema_unref(schema);
    return status;
}

static void record_commit(model *self)
{
    self->commits++;
    self->snapshots[self->commits] = self->table.table->metadata->current_snapshot_id;
    self->types[self->commits] = self->type;
}

/* The values as one batch of the type. */
static void make_batch(const frz_type *type, const frz_value *const *values, size_t count,
                       struct ArrowSchema *schema, struct ArrowArray *batch)
{
    frz_error *err = NULL;
    frz_arrow_builder *builder = NULL;
    const frz_field row = {.name = "", .required = true, .type = type};
    CHECK_OK(frz_type_to_arrow(&row, schema, &err), err);
    CHECK_OK(frz_arrow_builder_new(schema, &builder, &err), err);
    for (size_t i = 0; i < count; i++)
        frz_value_append(type, values[i], builder);
    CHECK_OK(frz_arrow_builder_finish(builder, batch, &err), err);
    frz_arrow_builder_free(builder);
}

static frz_value random_partition(model *self)
{
    return below(&self->world, 4)
               ? (frz_value){.form = FRZ_VALUE_INTEGER, .integer = below(&self->world, 3)}
               : null_value;
}

/* Rows of the model that the next commit is to bring. */
static size_t add_random_rows(model *self, const frz_value **added)
{
    const size_t count = 1 + (size_t)below(&self->world, ROWS_MAX);
    for (size_t i = 0; i < count; i++) {
        model_row *row = &self->rows[self->row_count];
        *row = (model_row){
            .type = self->type, .born = self->commits + 1, .died = INT32_MAX, .row_id = -1};
        row->value = random_value(&self->world, self->type);
        frz_value *items = fresh(&self->world, self->type->field_count, sizeof *items);
        memcpy(items, row->value.items.data, self->type->field_count * sizeof *items);
        for (size_t k = 0; k < self->type->field_count; k++)
            if (self->type->fields[k].id == ID_COLUMN)
                items[k].integer = (int64_t)self->row_count;
            else if (self->type->fields[k].id == PARTITION_COLUMN)
                items[k] = random_partition(self);
        row->value.items.data = items;
        added[i] = &row->value;
        self->row_count++;
    }
    return count;
}

static void append_random_rows(model *self)
{
    const frz_value *added[ROWS_MAX];
    const size_t count = add_random_rows(self, added);
    frz_error *err = NULL;
    struct ArrowSchema schema = {0};
    struct ArrowArray batch = {0};
    struct ArrowArrayStream stream = {0};
    make_batch(self->type, added, count, &schema, &batch);
    CHECK_OK(rows_from(&schema, &batch, &stream, &err), err);
    CHECK_OK(frz_table_append(self->table.table, &stream, NULL, NULL, &err), err);
    record_commit(self);
}

/* The names of today as a name mapping. */
static void print_mapping(const frz_type *type, frz_buffer *out)
{
    frz_buffer_append_byte(out, '[');
    for (size_t i = 0; i < type->field_count; i++) {
        const frz_field *field = &type->fields[i];
        frz_buffer_printf(out, "%s{\"field-id\":%d,\"names\":[\"%s\"]", i ? "," : "", field->id,
                          field->name);
        if (field->type->field_count) {
            frz_buffer_append_text(out, ",\"fields\":");
            print_mapping(field->type, out);
        }
        frz_buffer_append_byte(out, '}');
    }
    frz_buffer_append_byte(out, ']');
}

static void write_without_ids(const model *self, const frz_value *const *rows, size_t count,
                              const char *location)
{
    static const frz_parquet_writer_options options = {.struct_size = sizeof options,
                                                       .row_group_rows = 5};
    frz_error *err = NULL;
    frz_output *output = NULL;
    frz_parquet_writer *writer = NULL;
    struct ArrowSchema schema = {0};
    struct ArrowSchema bare = {0};
    struct ArrowArray batch = {0};
    make_batch(self->type, rows, count, &schema, &batch);
    CHECK_OK(without_ids(&schema, &bare, &err), err);
    CHECK_OK(frz_io_create(self->table.storage, location, &output, &err), err);
    CHECK_OK(frz_parquet_writer_open(output, &bare, &options, &writer, &err), err);
    CHECK_OK(frz_parquet_writer_write(writer, &batch, &err), err);
    CHECK_OK(frz_parquet_writer_finish(writer, NULL, &err), err);
    CHECK_OK(frz_output_commit(output, &err), err);
    frz_parquet_writer_free(writer);
    frz_arrow_schema_clear(&schema);
    frz_arrow_schema_clear(&bare);
    frz_arrow_array_clear(&batch);
}

/* A migrated file. In a table partitioned by identity the value of the partition stands for what
 * the file says ("Column Projection", the order of its rules). */
static void append_without_ids(model *self)
{
    static const char location[] = "mem://migrated/0.parquet";
    const frz_value *added[ROWS_MAX];
    const bool identity = self->partition != NULL;
    const frz_value partition = random_partition(self);
    frz_buffer mapping = {0};
    const size_t count = add_random_rows(self, added);
    write_without_ids(self, added, count, location);
    for (size_t i = self->row_count - count; identity && i < self->row_count; i++) {
        frz_value *items = fresh(&self->world, self->type->field_count, sizeof *items);
        memcpy(items, self->rows[i].value.items.data, self->type->field_count * sizeof *items);
        for (size_t k = 0; k < self->type->field_count; k++)
            if (self->type->fields[k].id == PARTITION_COLUMN)
                items[k] = partition;
        self->rows[i].value.items.data = items;
    }
    print_mapping(self->type, &mapping);
    frz_buffer_append_byte(&mapping, 0);
    map_names(&self->table, (char *)mapping.data);
    frz_buffer_clear(&mapping);
    foreign_register(&self->table, (frz_data_file){.format = FRZ_FORMAT_PARQUET,
                                                   .format_text = frz_slice_of_text("PARQUET"),
                                                   .path = frz_slice_of_text(location),
                                                   .partition = &partition,
                                                   .partition_count = identity,
                                                   .record_count = (int64_t)count});
    record_commit(self);
}

static void delete_random_rows(model *self)
{
    frz_error *err = NULL;
    const frz_delete_mode mode =
        below(&self->world, 2) ? FRZ_DELETE_MODE_MERGE_ON_READ : FRZ_DELETE_MODE_COPY_ON_WRITE;
    char where[64];
    const int64_t low = below(&self->world, (int64_t)self->row_count);
    const int64_t high = low + below(&self->world, 4);
    const int64_t before = self->table.table->metadata->current_snapshot_id;
    (void)snprintf(where, sizeof where, "id between %lld and %lld", (long long)low,
                   (long long)high);
    CHECK_OK(frz_table_delete(self->table.table, where, mode, NULL, NULL, &err), err);
    if (self->table.table->metadata->current_snapshot_id == before)
        return;
    for (int64_t i = low; i <= high && i < (int64_t)self->row_count; i++)
        if (self->rows[i].died == INT32_MAX)
            self->rows[i].died = self->commits + 1;
    record_commit(self);
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The lines of a text in order, as one text; frees nothing. */
static void sort_lines(frz_buffer *text)
{
    const char *lines[STEPS * ROWS_MAX + 1];
    frz_buffer sorted = {0};
    size_t count = 0;
    frz_buffer_append_byte(text, 0);
    for (char *at = (char *)text->data; *at;) {
        char *end = strchr(at, '\n');
        *end = '\0';
        CHECK(count < sizeof lines / sizeof lines[0]);
        lines[count++] = at;
        at = end + 1;
    }
    qsort(lines, count, sizeof lines[0], compare_lines);
    for (size_t i = 0; i < count; i++) {
        frz_buffer_append_text(&sorted, lines[i]);
        frz_buffer_append_byte(&sorted, '\n');
    }
    frz_buffer_append_byte(&sorted, 0);
    frz_buffer_clear(text);
    *text = sorted;
}

/* What the rows alive after `commit` read as under `type`. */
static void print_model(model *self, int commit, const frz_type *type, frz_buffer *out)
{
    const frz_value *values[STEPS * ROWS_MAX];
    size_t count = 0;
    frz_error *err = NULL;
    struct ArrowSchema schema = {0};
    struct ArrowArray batch = {0};
    struct ArrowArrayStream stream = {0};
    frz_print_options print = FRZ_PRINT_OPTIONS_INIT;
    print.format = FRZ_ROW_FORMAT_JSONL;
    for (size_t i = 0; i < self->row_count; i++) {
        const model_row *row = &self->rows[i];
        if (row->born > commit || row->died <= commit)
            continue;
        frz_value *value = fresh(&self->world, 1, sizeof *value);
        *value = model_read(&self->world, row->type, &row->value, type);
        values[count++] = value;
    }
    make_batch(type, values, count, &schema, &batch);
    CHECK_OK(rows_from(&schema, &batch, &stream, &err), err);
    CHECK_OK(frz_rows_print(&stream, &print, keep_text, out, NULL, &err), err);
    sort_lines(out);
}

static void check_commit(model *self, const frz_table *table, int commit)
{
    frz_error *err = NULL;
    frz_buffer want = {0};
    frz_buffer got = {0};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.at.has_snapshot_id = commit > 0;
    if (commit > 0)
        options.at.snapshot_id = self->snapshots[commit];
    const int at = commit > 0 ? commit : self->commits;
    print_model(self, at, commit > 0 ? self->types[commit] : self->type, &want);
    CHECK_OK(scan_json(table, &options, &got, &err), err);
    sort_lines(&got);
    if (strcmp((char *)got.data, (char *)want.data) != 0)
        fail_msg("seed %llu, commit %d of %d: got\n%swant\n%s",
                 (unsigned long long)self->first_seed, at, self->commits, (char *)got.data,
                 (char *)want.data);
    frz_buffer_clear(&want);
    frz_buffer_clear(&got);
}

/* Any field by its path: what is read is the projected part of the model. */
static void check_projection(model *self)
{
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    frz_buffer want = {0};
    frz_buffer got = {0};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    const frz_schema *schema = frz_metadata_schema(self->table.table->metadata);
    const size_t at = (size_t)below(&self->world, (int64_t)frz_schema_field_count(schema));
    const char *path = frz_schema_path(schema, frz_schema_field_at(schema, at)->id);
    options.select = &path;
    options.select_count = 1;
    CHECK_OK(frz_scan_new(self->table.table, &options, &scan, &err), err);
    print_model(self, self->commits, scan->projection.type, &want);
    CHECK_OK(scan_json(self->table.table, &options, &got, &err), err);
    sort_lines(&got);
    if (strcmp((char *)got.data, (char *)want.data) != 0)
        fail_msg("seed %llu: %s: got\n%swant\n%s", (unsigned long long)self->first_seed, path,
                 (char *)got.data, (char *)want.data);
    frz_scan_free(scan);
    frz_buffer_clear(&want);
    frz_buffer_clear(&got);
}

/* One row of id, _row_id and _last_updated_sequence_number. New rows have the sequence number of
 * their commit; all others what they had. */
static void check_row(model *self, int64_t id, int64_t row_id, int64_t sequence)
{
    CHECK(id >= 0 && id < (int64_t)self->row_count);
    model_row *row = &self->rows[id];
    if (row->row_id < 0) {
        row->row_id = row_id;
        row->sequence = self->table.table->metadata->last_sequence_number;
    }
    for (int64_t i = 0; i < (int64_t)self->row_count; i++)
        if (i != id && self->rows[i].row_id == row_id)
            fail_msg("seed %llu: rows %lld and %lld have row id %lld",
                     (unsigned long long)self->first_seed, (long long)id, (long long)i,
                     (long long)row_id);
    if (row->row_id != row_id || row->sequence != sequence)
        fail_msg("seed %llu: row %lld had row id %lld of %lld, has %lld of %lld",
                 (unsigned long long)self->first_seed, (long long)id, (long long)row->row_id,
                 (long long)row->sequence, (long long)row_id, (long long)sequence);
}

/* "Row lineage assignment", whatever commits, rewrites and evolutions came. */
static void check_lineage(model *self)
{
    static const char *const columns[] = {"id", "_row_id", "_last_updated_sequence_number"};
    frz_error *err = NULL;
    collected rows = {0};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.select = columns;
    options.select_count = 3;
    CHECK_OK(collect(self->table.table, &options, &rows, &err), err);
    for (size_t b = 0; b < rows.count; b++) {
        const int64_t *values[3];
        for (size_t k = 0; k < 3; k++) {
            const struct ArrowArray *column = rows.batches[b].children[k];
            CHECK(column->null_count == 0);
            values[k] = (const int64_t *)column->buffers[1] + column->offset;
        }
        for (int64_t i = 0; i < rows.batches[b].length; i++)
            check_row(self, values[0][i], values[1][i], values[2][i]);
    }
    collected_clear(&rows);
}

/* Exactly the living rows that have it. */
static void check_lineage_filters(model *self)
{
    char where[64];
    const model_row *row = &self->rows[below(&self->world, (int64_t)self->row_count)];
    int64_t of_sequence = 0;
    (void)snprintf(where, sizeof where, "_row_id = %lld", (long long)row->row_id);
    CHECK(count_rows(self->table.table, where) == (row->died == INT32_MAX));
    for (size_t i = 0; i < self->row_count; i++)
        of_sequence += self->rows[i].died == INT32_MAX && self->rows[i].sequence <= row->sequence;
    (void)snprintf(where, sizeof where, "_last_updated_sequence_number <= %lld",
                   (long long)row->sequence);
    CHECK(count_rows(self->table.table, where) == of_sequence);
}

/* A primitive column of `type`, at the top or in structs, and its value in `row`; false when the
 * walk ends elsewhere. */
static bool choose_column(model *self, const frz_type *type, const frz_value *row, frz_buffer *path,
                          const frz_type **type_out, const frz_value **value_out)
{
    while (type->kind == FRZ_TYPE_STRUCT) {
        const size_t at = (size_t)below(&self->world, (int64_t)type->field_count);
        frz_buffer_printf(path, "%s%s", path->size ? "." : "", type->fields[at].name);
        if (row->form == FRZ_VALUE_STRUCT)
            row = &row->items.data[at];
        type = type->fields[at].type;
    }
    *type_out = type;
    *value_out = row;
    return frz_type_is_primitive(type) && type->kind != FRZ_TYPE_UNKNOWN;
}

static bool is_plain_number(const frz_type *type)
{
    return type->kind >= FRZ_TYPE_BOOLEAN && type->kind <= FRZ_TYPE_DECIMAL;
}

/* A comparison with the value that some row has; false when none came about. */
static bool print_filter(model *self, frz_buffer *out)
{
    static const char *const compares[] = {
        "=", "<>", "<", "<=", ">", ">=", "is null", "is not null"};
    const frz_type *type = NULL;
    const frz_value *value = NULL;
    const model_row *row = &self->rows[below(&self->world, (int64_t)self->row_count)];
    const frz_value read = model_read(&self->world, row->type, &row->value, self->type);
    const char *compare = compares[below(&self->world, 8)];
    if (!choose_column(self, self->type, &read, out, &type, &value))
        return false;
    frz_buffer_printf(out, " %s", compare);
    if (compare[0] == 'i')
        return true;
    if (value->form == FRZ_VALUE_NULL || value->form == FRZ_VALUE_STRUCT ||
        (value->form == FRZ_VALUE_NUMBER && !isfinite(value->number)))
        return false;
    const bool hex = type->kind == FRZ_TYPE_BINARY || type->kind == FRZ_TYPE_FIXED;
    const char *quote = is_plain_number(type) ? "" : "'";
    frz_buffer_printf(out, " %s%s", hex ? "X" : "", quote);
    if (hex)
        frz_value_encode_hex(value->bytes, out);
    else
        frz_value_print(type, value, out);
    frz_buffer_append_text(out, quote);
    return true;
}

static void check_filter(model *self, const char *filter, int *matched)
{
    frz_error *err = NULL;
    frz_buffer texts[2] = {{0}};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = filter;
    for (size_t i = 0; i < 2; i++) {
        options.no_pruning = i == 1;
        const frz_status status = scan_json(self->table.table, &options, &texts[i], &err);
        if (status != FRZ_OK)
            fail_msg("seed %llu: %s: %s", (unsigned long long)self->first_seed, filter,
                     frz_error_message(err));
        sort_lines(&texts[i]);
    }
    if (strcmp((char *)texts[0].data, (char *)texts[1].data) != 0)
        fail_msg("seed %llu: %s: got\n%sunpruned\n%s", (unsigned long long)self->first_seed, filter,
                 (char *)texts[0].data, (char *)texts[1].data);
    *matched += texts[0].size > 1;
    int64_t lines = 0;
    for (size_t i = 0; i < texts[0].size; i++)
        lines += texts[0].data[i] == '\n';
    CHECK(count_rows(self->table.table, filter) == lines);
    frz_buffer_clear(&texts[0]);
    frz_buffer_clear(&texts[1]);
}

static void open_model(model *self, uint64_t seed)
{
    static const char *const partitions[] = {NULL, "part", "bucket(2, id)"};
    *self = (model){.first_seed = seed, .world = {.seed = seed, .last_id = PARTITION_COLUMN}};
    self->partition = partitions[below(&self->world, 3)];
    self->table = numbered_open(&(table_shape){.schema = "id long not null, part int",
                                               .partition = self->partition,
                                               .group_rows = 4,
                                               .page_rows = 2});
    self->type = frz_type_copy(frz_schema_type(frz_metadata_schema(self->table.table->metadata)),
                               &self->world.arena);
}

static void live(model *self, int *matched)
{
    for (int step = 0; step < STEPS; step++) {
        for (int64_t i = below(&self->world, 7); i > 0; i--)
            self->type = evolve_once(&self->world, self->type);
        changing = self;
        change_metadata(&self->table, take_schema);
        const bool bucketed = self->partition && strchr(self->partition, '(');
        if (step == 2 && !bucketed)
            append_without_ids(self);
        else
            append_random_rows(self);
        check_lineage(self);
        if (below(&self->world, 3) == 0)
            delete_random_rows(self);
        check_lineage(self);
        check_lineage_filters(self);
        check_commit(self, self->table.table, 0);
    }
    for (int commit = 1; commit <= self->commits; commit++)
        check_commit(self, self->table.table, commit);
    frz_table *again = reopen(&self->table);
    check_commit(self, again, 0);
    frz_table_free(again);
    for (int i = 0; i < FILTERS; i++) {
        check_projection(self);
        frz_buffer filter = {0};
        if (print_filter(self, &filter)) {
            frz_buffer_append_byte(&filter, 0);
            check_filter(self, (char *)filter.data, matched);
        }
        frz_buffer_clear(&filter);
    }
}

static void test_evolved_tables_read_as_the_model(void **state)
{
    (void)state;
    static model self; /* its rows are many */
    const char *only = getenv("FRAZIL_SEED");
    int matched = 0;
    for (uint64_t i = 0; i < (only ? 1 : WORLDS); i++) {
        open_model(&self, only ? strtoull(only, NULL, 10) : 20261130 + i * 7919);
        live(&self, &matched);
        numbered_close(&self.table);
        frz_arena_clear(&self.world.arena);
    }
    CHECK(only || matched > WORLDS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_evolved_tables_read_as_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
