/*
 * Golden Parquet files of other writers without field ids: legacy lists and maps under a name
 * mapping, whose names for what is nested in them are always element, key and value (spec "Column
 * Projection").
 */
#include "scan/foreign_fixture.h"

#include "scan/file_ids.h"

typedef struct golden_case {
    const char *file; /* below parquet/ */
    int64_t rows;
    const char *schema;
    const char *mapping;
    const char *want;
} golden_case;

#define IMPALA "impala/parquet_nested_types_encodings/"
#define TESTING "parquet-testing/data/"

static const golden_case cases[] = {
    {TESTING "old_list_structure.parquet", 1, "7 l [8 [9 long]]",
     "[{'field-id':7,'names':['a'],'fields':[{'field-id':8,'names':['element'],'fields':"
     "[{'field-id':9,'names':['element']}]}]}]",
     "{'l':[[1,2],[3,4]]}\n"},
    {IMPALA "AvroPrimitiveInList.parquet", 1, "1 ints [2 int]; 3 other int",
     "[{'field-id':1,'names':['list_of_ints'],'fields':[{'field-id':2,'names':['element']}]}]",
     "{'ints':[34,35,36],'other':null}\n"},
    {IMPALA "ThriftPrimitiveInList.parquet", 1, "1 ints [2 int]",
     "[{'field-id':1,'names':['list_of_ints'],'fields':[{'field-id':2,'names':['element']}]}]",
     "{'ints':[34,35,36]}\n"},
    {IMPALA "UnannotatedListOfPrimitives.parquet", 1, "1 ints [2 int]",
     "[{'field-id':1,'names':['list_of_ints'],'fields':[{'field-id':2,'names':['element']}]}]",
     "{'ints':[34,35,36]}\n"},
    {IMPALA "AvroSingleFieldGroupInList.parquet", 1, "1 g [2 {4 more int = 1; 3 n long}]",
     "[{'field-id':1,'names':['single_element_groups'],'fields':[{'field-id':2,'names':['element'],"
     "'fields':[{'field-id':3,'names':['count']}]}]}]",
     "{'g':[{'more':1,'n':1234},{'more':1,'n':2345}]}\n"},
    {IMPALA "ThriftSingleFieldGroupInList.parquet", 1, "1 g [2 {3 n long}]",
     "[{'field-id':1,'names':['single_element_groups'],'fields':[{'field-id':2,'names':['element'],"
     "'fields':[{'field-id':3,'names':['count']}]}]}]",
     "{'g':[{'n':1234},{'n':2345}]}\n"},
    {IMPALA "UnannotatedListOfGroups.parquet", 1, "1 p [2 {4 y double; 3 x double}]",
     "[{'field-id':1,'names':['list_of_points'],'fields':[{'field-id':2,'names':['element'],"
     "'fields':[{'field-id':3,'names':['x']},{'field-id':4,'names':['y']}]}]}]",
     "{'p':[{'y':1.0,'x':1.0},{'y':2.0,'x':2.0}]}\n"},
    {TESTING "incorrect_map_schema.parquet", 1, "1 m <2 string, 3 string>",
     "[{'field-id':1,'names':['my_map'],'fields':[{'field-id':2,'names':['key']},"
     "{'field-id':3,'names':['value']}]}]",
     "{'m':{'parent':'another','name':'report'}}\n"},
    {TESTING "nested_maps.snappy.parquet", 6, "1 m <2 string, 3 <4 int, 5 boolean>>; 9 c double",
     "[{'field-id':1,'names':['a'],'fields':[{'field-id':2,'names':['key']},{'field-id':3,'names':"
     "['value'],'fields':[{'field-id':4,'names':['key']},{'field-id':5,'names':['value']}]}]},"
     "{'field-id':9,'names':['c']}]",
     "{'m':{'a':[[1,true],[2,false]]},'c':1.0}\n{'m':{'b':[[1,true]]},'c':1.0}\n"
     "{'m':{'c':null},'c':1.0}\n{'m':{'d':[]},'c':1.0}\n{'m':{'e':[[1,true]]},'c':1.0}\n"
     "{'m':{'f':[[3,true],[4,false],[5,true]]},'c':1.0}\n"},
};

static void check_case(const char *testdata, const golden_case *given)
{
    char path[512];
    frz_error *err = NULL;
    frz_buffer bytes = {0};
    frz_io *local = NULL;
    (void)snprintf(path, sizeof path, "%s/parquet/%s", testdata, given->file);
    CHECK_OK(frz_io_local_new(&local, &err), err);
    CHECK_OK(frz_io_read_file(local, path, 1 << 20, &bytes, &err), err);
    frz_io_free(local);
    numbered_table self = numbered_open(&(table_shape){.schema = "unused int"});
    CHECK_OK(
        frz_io_write_file(self.storage, "mem://golden/0.parquet", frz_buffer_slice(&bytes), &err),
        err);
    frz_buffer_clear(&bytes);
    foreign_register(&self, (frz_data_file){.format = FRZ_FORMAT_PARQUET,
                                            .format_text = frz_slice_of_text("PARQUET"),
                                            .path = frz_slice_of_text("mem://golden/0.parquet"),
                                            .record_count = given->rows});
    evolve(&self, given->schema);
    map_names(&self, given->mapping);
    check_json(self.table, NULL, NULL, given->want);
    numbered_close(&self);
}

static void test_legacy_lists_and_maps_under_a_mapping(void **state)
{
    (void)state;
    const char *testdata = testdata_folder();
    const size_t count = sizeof cases / sizeof cases[0];
    if (!testdata) {
        (void)printf("skipped: %zu cases\n", count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        check_case(testdata, &cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_legacy_lists_and_maps_under_a_mapping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
