/* Covers: scan/absent */
#include "scan/file_ids.h"

#include "scan/foreign_fixture.h"

#include "scan/absent.h"

static const numbered_table *swept;
static size_t swept_size; /* of its rows as text */
static const char nested_file[] =
    "1 record_id int; 2 a.b string; 3 loc {4 lat double}; 5 l [6 {7 x int}]; "
    "8 m <9 string, 10 {11 y int}>; 12 unmapped int";
static const char nested_rows[] =
    "{'record_id':1,'a.b':'s','loc':{'lat':1.5},'l':[{'x':5},null],"
    "'m':[['k',{'y':6}]],'unmapped':9}\n"
    "{'record_id':2,'a.b':null,'loc':null,'l':null,'m':null,'unmapped':9}\n";
static const char nested_mapping[] =
    "[{'field-id':1,'names':['id','record_id']},"
    "{'field-id':2,'names':['a.b']},"
    "{'field-id':3,'names':['loc'],'fields':[{'field-id':7,'names':['lat']}]},"
    "{'field-id':4,'names':['l'],'fields':[{'field-id':8,'names':['element'],"
    "'fields':[{'field-id':9,'names':['x']}]}]},"
    "{'field-id':5,'names':['m'],'fields':[{'field-id':10,'names':['key']},"
    "{'field-id':11,'names':['value'],'fields':[{'field-id':12,'names':['y']}]}]},"
    "{'names':['unmapped']},{'field-id':6,'names':[]}]";

static const char nested_result[] =
    "{'id':1,'ab':'s','loc':{'latitude':1.5},'l':[{'x':5},null],"
    "'m':{'k':{'y':6}},'later':null}\n"
    "{'id':2,'ab':null,'loc':null,'l':null,'m':null,'later':null}\n";

static numbered_table nested_table(void)
{
    numbered_table self = numbered_open(&(table_shape){
        .schema = "id long, ab string, loc struct<latitude: double>, l list<struct<x: long>>, "
                  "m map<string, struct<y: int>>, later int"});
    foreign_append(&self, &(foreign_file){nested_file, .no_ids = true, .rows = nested_rows});
    return self;
}

/* "Column Projection": two names for one id, nested ones, a literal dot, names without id, ids
 * without names. */
static void d066_files_without_ids_are_read_by_name(void **state)
{
    (void)state;
    numbered_table self = nested_table();
    map_names(&self, nested_mapping);
    check_json(self.table, NULL, NULL, nested_result);
    check_json(self.table, "loc.latitude > 1", "l.element.x,id", "{'l':[{'x':5},null],'id':1}\n");
    check_json(self.table, "later is null and id = 2", "_pos", "{'_pos':1}\n");
    numbered_close(&self);
}

/* Without a mapping every value would be null: the column is named instead. What needs no column
 * of the file is still read. */
static void d066_files_without_ids_and_mapping_are_refused(void **state)
{
    (void)state;
    numbered_table self = nested_table();
    check_json_fails(self.table, "_pos,ab", FRZ_UNSUPPORTED,
                     ".parquet: column ab: the file has no field ids, and the table no name "
                     "mapping (schema.name-mapping.default)");
    check_json(self.table, NULL, "_pos", "{'_pos':0}\n{'_pos':1}\n");
    CHECK(count_rows(self.table, NULL) == 2);
    numbered_close(&self);
}

/* The mapping of the options goes before the table's. */
static void test_a_scan_may_bring_its_own_mapping(void **state)
{
    (void)state;
    numbered_table self = nested_table();
    name_list list;
    frz_error *err = NULL;
    frz_buffer text = {0};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    map_names(&self, nested_mapping);
    select_columns(&options, "id,later", &list);
    char *own = quoted("[{'field-id':6,'names':['record_id','unmapped']}]");
    options.name_mapping = own;
    CHECK_OK(scan_json(self.table, &options, &text, &err), err);
    frz_buffer_append_byte(&text, 0);
    char *want = quoted("{'id':null,'later':1}\n{'id':null,'later':2}\n");
    assert_string_equal((char *)text.data, want);
    frz_free(want);
    frz_free(own);
    frz_buffer_clear(&text);
    options.name_mapping = "{}";
    CHECK_FAILS(scan_json(self.table, &options, &text, &err), FRZ_CORRUPT, err,
                "name mapping: JSON at offset 0: expected an array");
    numbered_close(&self);
}

/* A property that is no mapping spoils only what needs it. */
static void test_a_bad_mapping_is_only_judged_where_it_is_needed(void **state)
{
    (void)state;
    static const char file[] = "1 whatever long";
    numbered_table self = numbered_open(&(table_shape){.schema = "id long"});
    map_names(&self, "[{'names':7}]");
    foreign_append(&self, &(foreign_file){.schema = file, .rows = "{'whatever':7}\n"});
    check_json(self.table, NULL, NULL, "{'id':7}\n");
    foreign_append(&self, &(foreign_file){file, .no_ids = true, .rows = "{'whatever':8}\n"});
    check_json_fails(self.table, NULL, FRZ_CORRUPT,
                     "schema.name-mapping.default: JSON at offset 10: expected an array");
    numbered_close(&self);
}

/* A file with ids is read by them alone, whatever it calls its columns and whatever the mapping
 * says; also under names that Avro forced upon a writer. */
static void d103_names_do_not_count_where_there_are_ids(void **state)
{
    (void)state;
    static const char file[] = "2 a_x2Eb int; 9 id int; 1 _9col int";
    numbered_table self = numbered_open(&(table_shape){.schema = "id int, ab int, c int"});
    map_names(&self, "[{'field-id':1,'names':['id']},{'field-id':3,'names':['a_x2Eb']}]");
    foreign_append(&self, &(foreign_file){file, .rows = "{'a_x2Eb':2,'id':3,'_9col':1}\n"});
    check_json(self.table, NULL, NULL, "{'id':1,'ab':2,'c':null}\n");
    numbered_close(&self);
}

/* A column of the same name that came later has another id: null for old rows, be they of a file
 * with ids or of one whose names the mapping still binds to the old id. */
static void d104_a_name_that_comes_back_is_another_column(void **state)
{
    (void)state;
    static const char file[] = "1 id int; 2 c int";
    numbered_table self = numbered_open(&(table_shape){.schema = "id int, c int"});
    map_names(&self, "[{'field-id':1,'names':['id']},{'field-id':2,'names':['c']}]");
    foreign_append(&self, &(foreign_file){.schema = file, .rows = "{'id':1,'c':5}\n"});
    foreign_append(&self, &(foreign_file){file, .no_ids = true, .rows = "{'id':2,'c':6}\n"});
    check_json(self.table, NULL, NULL, "{'id':2,'c':6}\n{'id':1,'c':5}\n");
    evolve(&self, "1 id int; 3 c int");
    check_json(self.table, NULL, NULL, "{'id':2,'c':null}\n{'id':1,'c':null}\n");
    CHECK(count_rows(self.table, "c is null") == 2 && count_rows(self.table, "c = 5") == 0);
    numbered_close(&self);
}

/* Metrics of imported files stand under the ids of the mapping, not under positions in the file. */
static void d102_metrics_of_imported_files_go_by_mapped_ids(void **state)
{
    (void)state;
    static const char file[] = "1 b int; 2 a int";
    static const uint8_t bounds[4][4] = {{5}, {6}, {50}, {60}};
    frz_column_metrics metrics[2] = {{.field_id = 1}, {.field_id = 2}};
    for (size_t i = 0; i < 2; i++) {
        metrics[i].column_size = -1;
        metrics[i].value_count = 2;
        metrics[i].nan_count = -1;
        metrics[i].has_lower = metrics[i].has_upper = true;
        metrics[i].lower = frz_slice_of(bounds[2 * i], 4);
        metrics[i].upper = frz_slice_of(bounds[2 * i + 1], 4);
    }
    numbered_table self = numbered_open(&(table_shape){.schema = "a int, b int"});
    map_names(&self, "[{'field-id':1,'names':['a']},{'field-id':2,'names':['b']}]");
    foreign_append(&self,
                   &(foreign_file){file, .no_ids = true, .metrics = metrics, .metric_count = 2,
                                   .rows = "{'b':50,'a':5}\n{'b':60,'a':6}\n"});
    check_json(self.table, "a = 6", NULL, "{'a':6,'b':60}\n");
    check_json(self.table, "a = 50", NULL, "");
    check_json(self.table, "b < 60 and a is not null", NULL, "{'a':5,'b':50}\n");
    numbered_close(&self);
}

/* Migrated tables: the partition value of the file comes first, then the column by name, then the
 * default. */
static void d089_identity_partition_values_stand_for_columns(void **state)
{
    (void)state;
    static const char lone[] = "9 id int";
    static const char both[] = "9 id int; 8 p string";
    const frz_value text = {.form = FRZ_VALUE_BYTES, .bytes = frz_slice_of_text("a")};
    const frz_value null_value = {.form = FRZ_VALUE_NULL};
    numbered_table self =
        numbered_open(&(table_shape){.schema = "id int, p string default 'z'", .partition = "p"});
    map_names(&self, "[{'field-id':1,'names':['id']},{'field-id':2,'names':['p']}]");
    foreign_append(&self, &(foreign_file){lone, .no_ids = true, .rows = "{'id':1}\n",
                                          .partition = &text, .partition_count = 1});
    foreign_append(&self, &(foreign_file){lone, .no_ids = true, .rows = "{'id':2}\n",
                                          .partition = &null_value, .partition_count = 1});
    foreign_append(&self, &(foreign_file){both, .no_ids = true, .rows = "{'id':3,'p':'b'}\n",
                                          .partition = &text, .partition_count = 1});
    check_json(self.table, NULL, NULL, "{'id':3,'p':'a'}\n{'id':2,'p':null}\n{'id':1,'p':'a'}\n");
    check_json(self.table, "p is null", "id", "{'id':2}\n");
    check_json(self.table, "p = 'a' and id < 3", "p,id", "{'p':'a','id':1}\n");
    CHECK(count_rows(self.table, "p = 'b'") == 0 && count_rows(self.table, "p = 'z'") == 0);
    CHECK(count_rows(self.table, "p like 'a%'") == 2);
    numbered_close(&self);
}

static void read_once(void)
{
    check_swept_scan(swept->table, NULL, swept_size);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    numbered_table self = nested_table();
    map_names(&self, nested_mapping);
    swept = &self;
    swept_size = strlen(nested_result);
    check_json(self.table, NULL, NULL, nested_result);
    sweep_allocation_failures(read_once);
    numbered_close(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d066_files_without_ids_are_read_by_name),
        cmocka_unit_test(d066_files_without_ids_and_mapping_are_refused),
        cmocka_unit_test(test_a_scan_may_bring_its_own_mapping),
        cmocka_unit_test(test_a_bad_mapping_is_only_judged_where_it_is_needed),
        cmocka_unit_test(d103_names_do_not_count_where_there_are_ids),
        cmocka_unit_test(d104_a_name_that_comes_back_is_another_column),
        cmocka_unit_test(d102_metrics_of_imported_files_go_by_mapped_ids),
        cmocka_unit_test(d089_identity_partition_values_stand_for_columns),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
