/*
 * Positions, row ids and deletes behind row groups and pages that were skipped: ordinals of the
 * file always, whatever was not read.
 */
#include "scan/row_ranges.h"

#include "scan/table_fixture.h"

#include "parquet/made_file.h"
#include "parquet/writer.h"
#include "scan/plan_depth.h"

/* 400 rows in one file: four row groups of ten pages each. */
static numbered_table four_groups(void)
{
    numbered_table self = numbered_open(&(table_shape){0});
    append_numbers(&self, 0, 400);
    return self;
}

static frz_plan_depth look_inside(const frz_table *table, const char *where)
{
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    frz_plan *plan = NULL;
    frz_plan_depth depth = {0};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = where;
    CHECK_OK(frz_scan_new(table, &options, &scan, &err), err);
    CHECK_OK(frz_scan_plan(scan, &plan, &err), err);
    CHECK_OK(frz_plan_look_inside(plan, &depth, &err), err);
    frz_plan_free(plan);
    frz_scan_free(scan);
    return depth;
}

static void test_positions_and_row_ids_count_skipped_groups_and_pages(void **state)
{
    (void)state;
    numbered_table self = four_groups();
    check_query(self.table, "id = 257", "id,_pos,_row_id", "257:257:257");
    check_query(self.table, "name = 'name-000399'", "_row_id,_pos,id", "399:399:399");
    check_query(self.table, "id in (9, 10, 199, 200)", "_pos,id", "9:9 10:10 199:199 200:200");
    const frz_plan_depth depth = look_inside(self.table, "id = 257");
    CHECK(depth.groups.considered == 4 && depth.groups.kept == 1);
    CHECK(strcmp(depth.groups.dropped[0].reason, "statistics") == 0);
    CHECK(depth.groups.dropped[0].count == 3);
    CHECK(depth.pages.considered == depth.pages.kept + depth.pages.dropped[0].count);
    CHECK(depth.pages.considered == 70 && depth.pages.kept == 7); /* seven leaves of ten pages */
    CHECK(strcmp(depth.pages.dropped[0].reason, "page_index") == 0);
    /* What is read and what is saved is all there is, but for dictionaries. */
    const frz_plan_depth all = look_inside(self.table, NULL);
    const int64_t saved = depth.groups.dropped[0].bytes + depth.pages.dropped[0].bytes;
    CHECK(depth.groups.dropped[0].bytes > depth.bytes && depth.pages.dropped[0].bytes > 0);
    CHECK(saved + depth.bytes <= all.bytes && saved + depth.bytes > all.bytes * 9 / 10);
    append_numbers(&self, 400, 300);
    check_query(self.table, "id = 655", "_pos,_row_id", "255:655");
    numbered_close(&self);
}

/* The base of positions advances over groups without deletes and over skipped ones. */
static void d039_d040_a_vector_hits_its_rows_behind_skipped_groups(void **state)
{
    (void)state;
    numbered_table self = four_groups();
    delete_where(&self, "id = 250 or id = 200");
    check_query(self.table, "id between 249 and 251", "id,_pos", "249:249 251:251");
    check_query(self.table, "id in (199, 200, 201)", "id,_row_id", "199:199 201:201");
    CHECK(count_rows(self.table, NULL) == 398);
    numbered_close(&self);
}

/* Positions are those of the file before any filter. */
static void d038_deletes_come_before_the_filter(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){0});
    append_numbers(&self, 4, 3);
    delete_where(&self, "id = 5");
    check_query(self.table, "id in (4, 6)", "id,_pos", "4:0 6:2");
    check_query(self.table, "id >= 5", "id,_pos", "6:2");
    numbered_close(&self);
}

/* A delete whose predicate holds in one of the later groups only. */
static void d003_a_delete_names_absolute_positions(void **state)
{
    (void)state;
    numbered_table self = four_groups();
    delete_where(&self, "name = 'name-000231' or id = 239");
    delete_where(&self, "id = 398");
    check_query(self.table, "_deleted", "id,_pos,_deleted",
                "231:231:true 239:239:true 398:398:true");
    check_query(self.table, "id between 230 and 232", "id,_deleted",
                "230:false 231:true 232:false");
    check_query(self.table, "id between 230 and 232", "id", "230 232");
    numbered_close(&self);
}

static void test_a_group_of_deleted_rows_is_skipped(void **state)
{
    (void)state;
    numbered_table self = four_groups();
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_scan *scan = NULL;
    frz_plan *plan = NULL;
    frz_bitmap *deleted = NULL;
    frz_stored_file file = {0};
    frz_row_ranges ranges = {0};
    frz_funnel_level groups = {0};
    CHECK_OK(frz_scan_new(self.table, NULL, &scan, &err), err);
    CHECK_OK(frz_scan_plan(scan, &plan, &err), err);
    CHECK_OK(frz_stored_file_open(scan, &frz_plan_task(plan, 0)->entry->file, &file, &err), err);
    CHECK_OK(frz_bitmap_new(&deleted, &err), err);
    CHECK_OK(frz_bitmap_add_range(deleted, 100, 100, &err), err);
    const frz_row_query query = {.scan = scan,
                                 .task = frz_plan_task(plan, 0),
                                 .file = &file,
                                 .deleted = deleted,
                                 .groups = &groups};
    CHECK_OK(frz_row_ranges_select(&query, &arena, &ranges, &err), err);
    CHECK(groups.kept == 3 && strcmp(groups.dropped[0].reason, "all_deleted") == 0);
    CHECK(ranges.count == 3);
    CHECK(ranges.items[0].start == 0 && ranges.items[0].count == 100);
    CHECK(ranges.items[1].start == 200 && ranges.items[2].start == 300);
    frz_stored_file_close(&file);
    frz_bitmap_free(deleted);
    frz_arena_clear(&arena);
    frz_plan_free(plan);
    frz_scan_free(scan);
    delete_where(&self, "id between 100 and 200");
    check_query(self.table, "id between 98 and 202", "id,_pos", "98:98 99:99 201:201 202:202");
    CHECK(count_rows(self.table, "id < 300") == 199);
    numbered_close(&self);
}

static void test_ranges_of_pages_unite_and_intersect(void **state)
{
    (void)state;
    numbered_table self = four_groups();
    check_query(self.table, "id < 2 or id > 397", "id", "0 1 398 399");
    check_query(self.table, "(id = 15 or id = 35 or id = 36) and name >= 'name-000020'", "id",
                "35 36");
    check_query(self.table, "id = 5 or name = 'name-000019'", "id,_pos", "5:5 19:19");
    check_query(self.table, "id = 5 and name = 'name-000019'", "id", "");
    check_query(self.table, "id = 3 and name is null", "id,name", "3:-");
    check_query(self.table, "not (id >= 3) and not id = 1", "id", "0 2");
    const frz_plan_depth depth = look_inside(self.table, "id = 5 and name = 'name-000019'");
    CHECK(depth.groups.kept == 0 && depth.pages.considered == 0);
    CHECK(depth.groups.dropped[0].count == 1);
    CHECK(strcmp(depth.groups.dropped[0].reason, "page_index") == 0);
    numbered_close(&self);
}

/* A page of nulls alone has no bounds (PageIndex.md): it is read for IS NULL, and for nothing else.
 */
static void test_pages_of_nulls_are_told_by_the_column_index(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){
        .schema = "id long not null, name string", .page_rows = 1, .group_rows = 22});
    append_numbers(&self, 0, 22); /* 3, 10 and 17 have no name */
    check_query(self.table, "name is null", "id,_pos", "3:3 10:10 17:17");
    frz_plan_depth depth = look_inside(self.table, "name is null");
    CHECK(depth.pages.considered == 44 && depth.pages.kept == 6);
    check_query(self.table, "name is not null and id < 5", "id", "0 1 2 4");
    depth = look_inside(self.table, "name is not null and id < 5");
    CHECK(depth.pages.kept == 8);
    check_query(self.table, "name = 'name-000004' or name > 'name-000019'", "id", "4 20 21");
    depth = look_inside(self.table, "name = 'name-000004' or name > 'name-000019'");
    CHECK(depth.pages.kept == 6);
    numbered_close(&self);
}

static void test_positions_and_inherited_row_ids_prune_groups(void **state)
{
    (void)state;
    numbered_table self = four_groups();
    append_numbers(&self, 1000, 200);
    check_query(self.table, "_pos = 399", "id", "399");
    check_query(self.table, "_row_id in (350, 401)", "id,_pos", "1001:1 350:350");
    check_query(self.table, "_row_id is null", "id", "");
    const frz_plan_depth positions = look_inside(self.table, "_pos >= 250");
    CHECK(positions.groups.considered == 4 && positions.groups.kept == 2);
    const frz_plan_depth ids = look_inside(self.table, "_row_id = 401");
    CHECK(ids.groups.considered == 6 && ids.groups.kept == 1);
    numbered_close(&self);
}

/* A file of `count` rows id, _row_id, _last_updated_sequence_number: the lineage of each page of
 * ten rows is null in even pages; else ids from 1000 and sequence number 1. */
static void write_with_lineage(frz_io *storage, const char *location, int64_t count)
{
    frz_error *err = NULL;
    struct ArrowSchema schema = {0};
    struct ArrowArray batch = {0};
    frz_arrow_builder *builder = NULL;
    frz_output *output = NULL;
    frz_parquet_writer *writer = NULL;
    static const struct {
        const char *name;
        int32_t id;
    } columns[] = {{"id", 1},
                   {"_row_id", FRZ_FIELD_ID_ROW_ID},
                   {"_last_updated_sequence_number", FRZ_FIELD_ID_LAST_UPDATED_SEQUENCE_NUMBER}};
    CHECK_OK(frz_arrow_schema_init(&schema, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, 3, &err), err);
    for (size_t i = 0; i < 3; i++)
        CHECK_OK(frz_arrow_schema_init(schema.children[i], "l", columns[i].name, i > 0,
                                       columns[i].id, 0, &err),
                 err);
    CHECK_OK(frz_arrow_builder_new(&schema, &builder, &err), err);
    for (int64_t n = 0; n < count; n++) {
        frz_arrow_append_i64(frz_arrow_builder_child(builder, 0), n);
        for (size_t i = 1; i < 3; i++) {
            if (n / 10 % 2 == 0)
                frz_arrow_append_null(frz_arrow_builder_child(builder, i));
            else
                frz_arrow_append_i64(frz_arrow_builder_child(builder, i), i == 1 ? 1000 + n : 1);
        }
        frz_arrow_append_struct(builder);
    }
    CHECK_OK(frz_arrow_builder_finish(builder, &batch, &err), err);
    const frz_parquet_writer_options options = {
        .struct_size = sizeof options, .row_group_rows = 20, .page_rows = 10};
    CHECK_OK(frz_io_remove(storage, location, &err), err);
    CHECK_OK(frz_io_create(storage, location, &output, &err), err);
    CHECK_OK(frz_parquet_writer_open(output, &schema, &options, &writer, &err), err);
    CHECK_OK(frz_parquet_writer_write(writer, &batch, &err), err);
    CHECK_OK(frz_parquet_writer_finish(writer, NULL, &err), err);
    frz_parquet_writer_free(writer);
    CHECK_OK(frz_output_commit(output, &err), err);
    frz_arrow_builder_free(builder);
    frz_arrow_array_clear(&batch);
    frz_arrow_schema_clear(&schema);
}

/* "Row lineage assignment": stored values win, null ones are inherited; neither the statistics of
 * pages nor of groups may take a null for "no value". */
static void d044_stored_lineage_wins_and_its_nulls_are_inherited(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){.schema = "id long not null"});
    append_numbers(&self, 0, 5);
    append_numbers(&self, 0, 40);
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    frz_plan *plan = NULL;
    CHECK_OK(frz_scan_new(self.table, NULL, &scan, &err), err);
    CHECK_OK(frz_scan_plan(scan, &plan, &err), err);
    for (size_t i = 0; i < frz_plan_file_count(plan); i++) {
        const frz_plan_file *file = frz_plan_file_at(plan, i);
        if (file->record_count == 40)
            write_with_lineage(self.storage, file->path, 40);
    }
    frz_plan_free(plan);
    frz_scan_free(scan);
    check_query(self.table, "_row_id = 7", "id,_pos", "2:2");
    check_query(self.table, "_row_id = 1013", "id,_row_id", "13:1013");
    check_query(self.table, "_row_id = 18", "id", "");
    check_query(self.table, "_row_id = 25", "id,_last_updated_sequence_number", "20:2");
    check_query(self.table, "_last_updated_sequence_number = 2 and id > 28", "id", "29");
    check_query(self.table, "_last_updated_sequence_number = 1 and id > 37", "id", "38 39");
    check_query(self.table, "_last_updated_sequence_number > 1 and id < 12 and id > 7", "id",
                "8 9");
    check_query(self.table, "_row_id is null", "id", "");
    numbered_close(&self);
}

enum { MADE_PAGES = 6, MADE_PAGE_ROWS = 4, MADE_ROWS = MADE_PAGES * MADE_PAGE_ROWS };

/* Rows 0 to 23 of two columns, x and y, both the row's number, with bounds of x's pages. */
static void make_indexed_file(made_file *file, made_index_fault fault)
{
    static element_spec schema[] = {GROUP("root", NONE, 2, NONE),
                                    LEAF("x", 0, FRZ_PARQUET_INT32, NONE),
                                    LEAF("y", 0, FRZ_PARQUET_INT32, NONE)};
    static int32_t values[MADE_ROWS];
    static frz_slice bounds[2 * MADE_PAGES];
    schema[1].field_id = 1;
    schema[2].field_id = 2;
    made_begin(file);
    file->ordered = true;
    file->with_index = true;
    file->index_fault = fault;
    for (int i = 0; i < MADE_ROWS; i++)
        values[i] = i;
    for (int c = 0; c < 2; c++) {
        made_column *column = made_column_begin(file);
        for (int page = 0; page < MADE_PAGES; page++) {
            const int32_t *first = values + page * MADE_PAGE_ROWS;
            bounds[2 * page] = frz_slice_of(first, 4);
            bounds[2 * page + 1] = frz_slice_of(first + MADE_PAGE_ROWS - 1, 4);
            made_add_page(file, (made_page){.value_count = MADE_PAGE_ROWS,
                                            .values = frz_slice_of(first, 4 * MADE_PAGE_ROWS)});
        }
        column->bounded_pages = c == 0 ? MADE_PAGES : 0;
        column->page_bounds = bounds;
    }
    made_finish(file, schema, 3, MADE_ROWS);
}

static numbered_table table_of_index(made_index_fault fault)
{
    frz_error *err = NULL;
    made_file file;
    frz_scan *scan = NULL;
    frz_plan *plan = NULL;
    numbered_table self =
        numbered_open(&(table_shape){.schema = "x int, y int", .metrics = "none"});
    append_numbers(&self, 0, MADE_ROWS);
    make_indexed_file(&file, fault);
    CHECK_OK(frz_scan_new(self.table, NULL, &scan, &err), err);
    CHECK_OK(frz_scan_plan(scan, &plan, &err), err);
    replace_stored(self.storage, frz_plan_file_at(plan, 0)->path, frz_buffer_slice(&file.bytes));
    frz_plan_free(plan);
    frz_scan_free(scan);
    made_clear(&file);
    return self;
}

/* Where the index is wrong of where a page begins, what it says of pages that are not read would
 * lose rows: 10 and 11 here, which it says are in the fourth page. */
static void test_an_index_that_contradicts_its_pages_prunes_nothing(void **state)
{
    (void)state;
    for (int fault = MADE_INDEX_RIGHT; fault < MADE_INDEX_FAULTS; fault++) {
        numbered_table self = table_of_index((made_index_fault)fault);
        for (int row = 0; row < MADE_ROWS; row++) {
            char where[64];
            char want[64];
            (void)snprintf(where, sizeof where, "x = %d", row);
            (void)snprintf(want, sizeof want, "%d:%d:%d", row, row, row);
            check_query(self.table, where, "x,y,_pos", want);
        }
        check_query(self.table, "x in (2, 10, 14, 23)", "y,_pos", "2:2 10:10 14:14 23:23");
        check_query(self.table, "x < 3 or x > 21", "y", "0 1 2 22 23");
        const frz_plan_depth depth = look_inside(self.table, "x = 14");
        assert_int_equal(depth.ignored_indexes, fault == MADE_INDEX_NO_ORDER ? 2 : 0);
        numbered_close(&self);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_positions_and_row_ids_count_skipped_groups_and_pages),
        cmocka_unit_test(d039_d040_a_vector_hits_its_rows_behind_skipped_groups),
        cmocka_unit_test(d038_deletes_come_before_the_filter),
        cmocka_unit_test(d003_a_delete_names_absolute_positions),
        cmocka_unit_test(test_a_group_of_deleted_rows_is_skipped),
        cmocka_unit_test(test_ranges_of_pages_unite_and_intersect),
        cmocka_unit_test(test_pages_of_nulls_are_told_by_the_column_index),
        cmocka_unit_test(test_positions_and_inherited_row_ids_prune_groups),
        cmocka_unit_test(d044_stored_lineage_wins_and_its_nulls_are_inherited),
        cmocka_unit_test(test_an_index_that_contradicts_its_pages_prunes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
