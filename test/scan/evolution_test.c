/*
 * Tables whose schema went on while their files stayed: what each file then reads as (spec "Schema
 * Evolution", "Column Projection", "Default values").
 *
 * Covers: scan/constant scan/reshape
 */
#include "scan/foreign_fixture.h"

#include "base/clock.h"

static numbered_table table_of(const char *ddl)
{
    return numbered_open(&(table_shape){.schema = ddl});
}

/* A file of `schema` with `rows`, under the current schema `now`. */
static numbered_table evolved(const char *schema, const char *rows, const char *now)
{
    numbered_table self = table_of("id int");
    foreign_append(&self, &(foreign_file){.schema = schema, .rows = rows});
    evolve(&self, now);
    return self;
}

static void check_evolved(const char *schema, const char *rows, const char *now, const char *want)
{
    numbered_table self = evolved(schema, rows, now);
    check_json(self.table, NULL, NULL, want);
    numbered_close(&self);
}

/* Reordered, renamed, dropped in the middle, added: by id in structs wherever they are nested. */
static void d067_children_go_by_id_at_every_depth(void **state)
{
    (void)state;
    check_evolved("1 s {2 a int; 3 b int; 4 c int}; 5 l [6 {7 x int; 8 y int}]; "
                  "9 m <10 string, 11 {12 p int; 13 q [14 {15 u int; 16 v int}]}>",
                  "{'s':{'a':1,'b':2,'c':3},'l':[{'x':4,'y':5},null],"
                  "'m':[['k',{'p':6,'q':[{'u':7,'v':8}]}],['n',null]]}\n"
                  "{'s':null,'l':null,'m':null}\n",
                  "9 map <10 string, 11 {13 q [14 {16 v int; 17 w int; 15 vv int}]; 12 pp int}>; "
                  "1 s {4 c int; 18 b int; 2 aa int}; 5 l [6 {8 y int; 19 z string; 7 x int}]",
                  "{'map':{'k':{'q':[{'v':8,'w':null,'vv':7}],'pp':6},'n':null},"
                  "'s':{'c':3,'b':null,'aa':1},'l':[{'y':5,'z':null,'x':4},null]}\n"
                  "{'map':null,'s':null,'l':null}\n");
}

/* A struct of which the file has none of the wanted fields is still null where it was null. */
static void test_a_struct_keeps_its_nulls_when_all_its_fields_are_new(void **state)
{
    (void)state;
    check_evolved("1 s {2 a int; 3 b [4 int]}; 5 l [6 {7 x int}]; 8 m <9 string, 10 {11 y int}>",
                  "{'s':{'a':1,'b':[1,2]},'l':[{'x':4},null],'m':[['k',{'y':6}],['n',null]]}\n"
                  "{'s':{'a':null,'b':null},'l':[],'m':[]}\n{'s':null,'l':null,'m':null}\n",
                  "1 s {12 c int; 13 d int = 7}; 5 l [6 {14 z int = 8}]; "
                  "8 m <9 string, 10 {15 w string = 'x'}>",
                  "{'s':{'c':null,'d':7},'l':[{'z':8},null],'m':{'k':{'w':'x'},'n':null}}\n"
                  "{'s':{'c':null,'d':7},'l':[],'m':{}}\n{'s':null,'l':null,'m':null}\n");
}

/* A field that a stored struct lacks has its default, in lists and maps too; a null struct none. */
static void d083_missing_children_have_their_defaults(void **state)
{
    (void)state;
    static const char file[] = "1 s {2 a int}; 3 l [4 {5 x int}]; 6 m <7 string, 8 {9 y int}>";
    static const char rows[] = "{'s':{'a':1},'l':[{'x':2},null],'m':[['k',{'y':3}],['n',null]]}\n"
                               "{'s':null,'l':null,'m':null}\n";
    check_evolved(file, rows,
                  "1 s {2 a int; 10 b int = 5; 11! c string = 'z'}; "
                  "3 l [4 {5 x int; 12 b int = 6}]; 6 m <7 string, 8 {9 y int; 13 b int = 7}>",
                  "{'s':{'a':1,'b':5,'c':'z'},'l':[{'x':2,'b':6},null],"
                  "'m':{'k':{'y':3,'b':7},'n':null}}\n{'s':null,'l':null,'m':null}\n");
    static const char *const wrong[][2] = {
        {"1 s {2 a int; 10! b int}", "required column s.b is not in the file"},
        {"3 l [4 {5 x int; 10! b int}]", "required column l.element.b is not in the file"},
        {"6 m <7 string, 8 {10! b int}>", "required column m.value.b is not in the file"},
        {"1 s {2 a int; 10 t {11! b int} = {}}",
         "column s.t: required column b is not in the file"},
        {"10! b int", "required column b is not in the file and has no initial default"},
        {"10 t {11 u {12! b int} = {}} = {}", "column t: column u: required column b is not in"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        numbered_table self = evolved(file, rows, wrong[i][0]);
        check_json_fails(self.table, NULL, FRZ_CORRUPT, wrong[i][1]);
        numbered_close(&self);
    }
    /* Where the struct is absent and null by default, what it requires is of no account. */
    check_evolved("1 a int", "{'a':1}\n", "1 a int; 2 t {3! b int}", "{'a':1,'t':null}\n");
}

static void d144_columns_of_nested_types_come_as_typed_null(void **state)
{
    (void)state;
    numbered_table self =
        evolved("1 id int", "{'id':1}\n{'id':2}\n",
                "1 id int; 2 xs [3 int]; 4 m <5 string, 6 {7 a [8 long]}>; 9 s {10 b {11 c uuid}}");
    check_json(self.table, NULL, NULL,
               "{'id':1,'xs':null,'m':null,'s':null}\n{'id':2,'xs':null,'m':null,'s':null}\n");
    check_json(self.table, "xs is null and s.b.c is null", "s.b.c,id",
               "{'s':null,'id':1}\n{'s':null,'id':2}\n");
    append_json(&self, "{'id':3,'xs':[1],'m':[['k',{'a':[2]}]],'s':{'b':{'c':null}}}\n");
    check_json(self.table, "xs is not null", NULL,
               "{'id':3,'xs':[1],'m':{'k':{'a':[2]}},'s':{'b':{'c':null}}}\n");
    numbered_close(&self);
}

/* The table of "Default values". */
static void test_the_defaults_of_a_point(void **state)
{
    (void)state;
    static const char file[] = "1 id int; 2 p {3 x int}";
    static const char rows[] = "{'id':1,'p':{'x':3}}\n{'id':2,'p':null}\n";
    check_evolved(file, rows, "1 id int; 2 p {3 x int = 0; 4 y int = 0}",
                  "{'id':1,'p':{'x':3,'y':0}}\n{'id':2,'p':null}\n");
    check_evolved(file, rows, "1 id int; 2 p {4 y int = 0; 5 z {6 w int = 9} = {}} = {}",
                  "{'id':1,'p':{'y':0,'z':{'w':9}}}\n{'id':2,'p':null}\n");
    check_evolved(file, rows, "1 id int; 7 q {8 x int = 0; 9 y int}",
                  "{'id':1,'q':null}\n{'id':2,'q':null}\n");
    check_evolved(file, rows, "1 id int; 7 q {8 x int = 0; 9 y int} = {}",
                  "{'id':1,'q':{'x':0,'y':null}}\n{'id':2,'q':{'x':0,'y':null}}\n");
}

/* Initial defaults of every type; a null that is stored stays null. */
static void test_defaults_of_every_type(void **state)
{
    (void)state;
    static const char schema[] =
        "1 id int; 2 b boolean = true; 3 i int = -7; 4 l long = 9007199254740993; 5 f float = 1.5; "
        "6 d double = -0.1; 7 dec decimal(9,2) = '14.20'; 8 day date = '1969-12-31'; "
        "9 t time = '12:34:56.000789'; 10 ts timestamp = '2024-02-29T01:02:03.000004'; "
        "11 tz timestamptz = '2024-02-29T01:02:03.000004+00:00'; "
        "12 ns timestamp_ns = '2024-02-29T01:02:03.123456789'; "
        "13 nz timestamptz_ns = '1969-12-31T23:59:59.999999999+00:00'; 14 s string = 'h\xc3\xa9'; "
        "15 u uuid = 'f79c3e09-677c-4bbd-a479-3f349cb785e7'; 16 fx fixed[3] = '0001ff'; "
        "17 bin binary = ''; 18 xs [19 int] = [1,null]; 20 k unknown; "
        "21 m <22 string, 23 double> = {'keys':['k'],'values':[2.5]}; "
        "24 st {25 a int = 1; 26 b {27 c string = 'q'} = {}} = {}";
    static const char values[] =
        "'b':true,'i':-7,'l':9007199254740993,'f':1.5,'d':-0.1,'dec':'14.20','day':'1969-12-31',"
        "'t':'12:34:56.000789','ts':'2024-02-29T01:02:03.000004',"
        "'tz':'2024-02-29T01:02:03.000004Z','ns':'2024-02-29T01:02:03.123456789',"
        "'nz':'1969-12-31T23:59:59.999999999Z','s':'h\xc3\xa9',"
        "'u':'f79c3e09-677c-4bbd-a479-3f349cb785e7','fx':'0x0001ff','bin':'0x','xs':[1,null],"
        "'k':null,'m':{'k':2.5},'st':{'a':1,'b':{'c':'q'}}}\n";
    static const char *const filters[] = {
        "b",
        "i = -7",
        "l = 9007199254740993",
        "f = 1.5",
        "d < 0",
        "dec = 14.20",
        "day = date '1969-12-31'",
        "t > time '12:34:56'",
        "ts < timestamp '2024-03-01'",
        "ns >= timestamp_ns '2024-02-29T01:02:03.123456789'",
        "s like 'h%'",
        "u = 'f79c3e09-677c-4bbd-a479-3f349cb785e7'",
        "bin = X''",
        "st.a = 1",
        "st.b.c = 'q'",
        "k is null",
        "xs is not null",
    };
    char want[1024];
    numbered_table self = evolved("1 id int", "{'id':1}\n", schema);
    (void)snprintf(want, sizeof want, "{'id':1,%s", values);
    check_json(self.table, NULL, NULL, want);
    append_json(&self, "{'id':2,'b':null,'i':null,'l':null,'f':null,'d':null,'dec':null,"
                       "'day':null,'t':null,'ts':null,'tz':null,'ns':null,'nz':null,'s':null,"
                       "'u':null,'fx':null,'bin':null,'xs':null,'m':null,'st':null}\n");
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        check_json(self.table, filters[i], "id", i == 15 ? "{'id':2}\n{'id':1}\n" : "{'id':1}\n");
        CHECK(count_rows(self.table, filters[i]) == (i == 15 ? 2 : 1));
    }
    CHECK(count_rows(self.table, "i is null") == 1 && count_rows(self.table, "st is null") == 1);
    numbered_close(&self);
}

/* Every promotion, at the top, in structs, lists and maps; filters in the new type. */
static void test_every_promotion(void **state)
{
    (void)state;
    static const char old[] =
        "1 i int; 2 f float; 3 d decimal(4,2); 4 day date; 5 day2 date; 6 u unknown; "
        "7 s {8 i int; 9 day date}; 10 l [11 int]; 12 m <13 int, 14 {15 d decimal(9,0)}>; "
        "16 big decimal(18,3); 17 fs [18 float]";
    static const char now[] =
        "1 i long; 2 f double; 3 d decimal(12,2); 4 day timestamp; 5 day2 timestamp_ns; 6 u int; "
        "7 s {8 i long; 9 day timestamp_ns}; 10 l [11 long]; 12 m <13 long, 14 {15 d "
        "decimal(38,0)}>; "
        "16 big decimal(38,3); 17 fs [18 double]";
    numbered_table self =
        evolved(old,
                "{'i':-2147483648,'f':0.1,'d':'-99.99','day':'1969-12-31','day2':'2262-04-11',"
                "'s':{'i':7,'day':'1970-01-02'},'l':[1,null,-3],'m':[[5,{'d':'-999999999'}]],"
                "'big':'-123456789012345.678','fs':[1.5,null]}\n"
                "{'i':null,'s':null,'l':null}\n",
                now);
    check_json(
        self.table, NULL, NULL,
        "{'i':-2147483648,'f':0.10000000149011612,'d':'-99.99','day':'1969-12-31T00:00:00.000000',"
        "'day2':'2262-04-11T00:00:00.000000000','u':null,"
        "'s':{'i':7,'day':'1970-01-02T00:00:00.000000000'},'l':[1,null,-3],"
        "'m':[[5,{'d':'-999999999'}]],'big':'-123456789012345.678','fs':[1.5,null]}\n"
        "{'i':null,'f':null,'d':null,'day':null,'day2':null,'u':null,'s':null,'l':null,"
        "'m':null,'big':null,'fs':null}\n");
    append_json(&self, "{'i':9007199254740993,'u':4,'day':'1969-12-31T00:00:00.000001'}\n");
    check_json(self.table, "i > 2147483647", "i,u", "{'i':9007199254740993,'u':4}\n");
    check_json(self.table, "day = timestamp '1969-12-31T00:00:00'", "i", "{'i':-2147483648}\n");
    check_json(self.table, "day < timestamp '1969-12-31T00:00:00'", "i", "");
    check_json(self.table, "s.day > timestamp_ns '1970-01-01' and d < -99", "s.i",
               "{'s':{'i':7}}\n");
    check_json(self.table, "f = 0.10000000149011612", "i", "{'i':-2147483648}\n");
    check_json(self.table, "u = 4 or u > 7", "u", "{'u':4}\n");
    numbered_close(&self);
}

static void test_a_date_too_far_for_its_new_type_fails(void **state)
{
    (void)state;
    numbered_table self =
        evolved("1 d date; 2 n int", "{'d':'2262-04-12','n':1}\n", "1 d timestamp_ns; 2 n int");
    check_json_fails(self.table, "d", FRZ_CORRUPT,
                     "column d: 106752 is outside the range of the promoted type");
    check_json(self.table, NULL, "n", "{'n':1}\n");
    numbered_close(&self);
}

/* What no promotion allows is refused, not converted ("Schema Evolution"). */
static void test_what_is_no_promotion_is_refused(void **state)
{
    (void)state;
    static const char *const types[][2] = {
        {"long", "int"},
        {"double", "float"},
        {"string", "int"},
        {"date", "timestamptz"},
        {"decimal(9,2)", "decimal(9,3)"},
        {"decimal(9,2)", "decimal(8,2)"},
        {"timestamp", "date"},
        {"int", "string"},
        {"int", "{2 a int}"},
        {"{2 a int}", "int"},
        {"[2 int]", "int"},
        {"[2 int]", "<2 int, 3 int>"},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char old[64];
        char now[64];
        (void)snprintf(old, sizeof old, "1 c %s", types[i][0]);
        (void)snprintf(now, sizeof now, "1 c %s", types[i][1]);
        numbered_table self = evolved(old, "{'c':null}\n", now);
        check_json_fails(self.table, NULL, FRZ_UNSUPPORTED, "column c: the file stores");
        numbered_close(&self);
    }
}

/* The bounds of files from before a promotion are shorter than those of after it. */
static void d113_bounds_from_before_a_promotion_prune(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){.schema = "i int, f float, d date"});
    append_json(&self, "{'i':1,'f':1.5,'d':'2024-01-01'}\n{'i':9,'f':2.5,'d':'2024-01-09'}\n");
    evolve(&self, "1 i long; 2 f double; 3 d timestamp");
    append_json(&self, "{'i':6,'f':2.5,'d':'2024-01-06T00:00:00'}\n");
    check_json(self.table, "i > 5", "i", "{'i':6}\n{'i':9}\n");
    check_json(self.table, "i = 1", "i", "{'i':1}\n");
    check_json(self.table, "i > 9", "i", "");
    check_json(self.table, "f < 2", "i", "{'i':1}\n");
    check_json(self.table, "d >= timestamp '2024-01-07'", "i", "{'i':9}\n");
    check_json(self.table, "d < timestamp '2024-01-01T00:00:00.000001'", "d",
               "{'d':'2024-01-01T00:00:00.000000'}\n");
    frz_error *err = NULL;
    frz_scan *scan = NULL;
    frz_plan *plan = NULL;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = "i > 9 or d < timestamp '2023-12-31'";
    CHECK_OK(frz_scan_new(self.table, &options, &scan, &err), err);
    CHECK_OK(frz_scan_plan(scan, &plan, &err), err);
    CHECK(frz_plan_file_count(plan) == 0);
    frz_plan_free(plan);
    frz_scan_free(scan);
    numbered_close(&self);
}

/* The file's decimal is narrower, stored in four bytes, and its statistics are little-endian. */
static void d047_decimals_in_int32_match_in_wider_precision(void **state)
{
    (void)state;
    static const char *const types[] = {"9,0", "38,0"};
    for (size_t i = 0; i < 2; i++) {
        char now[32];
        (void)snprintf(now, sizeof now, "1 d decimal(%s)", types[i]);
        numbered_table self = evolved("1 d decimal(3,0)", "{'d':'659'}\n{'d':'-659'}\n", now);
        check_json(self.table, "d = 659", NULL, "{'d':'659'}\n");
        check_json(self.table, "d = -659", NULL, "{'d':'-659'}\n");
        check_json(self.table, "d > 0", NULL, "{'d':'659'}\n");
        CHECK(count_rows(self.table, "d < -659") == 0);
        numbered_close(&self);
    }
}

static void test_required_becomes_optional(void **state)
{
    (void)state;
    numbered_table self =
        evolved("1! a int; 2! s {3! b int}", "{'a':1,'s':{'b':2}}\n", "1 a int; 2 s {3 b int}");
    append_json(&self, "{'a':null,'s':null}\n{'a':3,'s':{'b':null}}\n");
    check_json(self.table, NULL, NULL,
               "{'a':null,'s':null}\n{'a':3,'s':{'b':null}}\n{'a':1,'s':{'b':2}}\n");
    CHECK(count_rows(self.table, "a is null") == 1 && count_rows(self.table, "s.b is null") == 2);
    numbered_close(&self);
}

static int64_t next_snapshot;

static frz_status make_refs(frz_metadata_builder *builder, frz_error **err)
{
    frz_snapshot_ref ref = {.name = "old",
                            .snapshot_id = next_snapshot,
                            .is_tag = true,
                            .min_snapshots_to_keep = -1,
                            .max_snapshot_age_ms = -1,
                            .max_ref_age_ms = -1};
    FRZ_TRY(frz_update_set_ref(builder, &ref, err));
    ref.name = "side";
    ref.is_tag = false;
    return frz_update_set_ref(builder, &ref, err);
}

static void check_at(const frz_table *table, const frz_snapshot_selector *at, const char *want)
{
    frz_error *err = NULL;
    frz_buffer text = {0};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.at = *at;
    CHECK_OK(scan_json(table, &options, &text, &err), err);
    frz_buffer_append_byte(&text, 0);
    char *json = quoted(want);
    assert_string_equal((char *)text.data, json);
    frz_free(json);
    frz_buffer_clear(&text);
}

/* By id, time and tag: the schema of the snapshot. A branch: the current one. */
static void test_which_schema_a_snapshot_is_read_with(void **state)
{
    (void)state;
    numbered_table self = table_of("id int, a int");
    append_json(&self, "{'id':1,'a':2}\n");
    const frz_snapshot *first = frz_metadata_current_snapshot(self.table->metadata);
    const int64_t time = first->timestamp_ms;
    next_snapshot = first->snapshot_id;
    change_metadata(&self, make_refs);
    evolve(&self, "1 id long; 3 b int = 7");
    while (frz_clock_now_ms() <= time) /* the next snapshot is of a later millisecond */
        ;
    append_json(&self, "{'id':2,'b':8}\n");
    const frz_snapshot_selector by_id = {
        .struct_size = sizeof by_id, .has_snapshot_id = true, .snapshot_id = next_snapshot};
    const frz_snapshot_selector by_time = {
        .struct_size = sizeof by_time, .has_as_of_ms = true, .as_of_ms = time};
    const frz_snapshot_selector by_tag = {.struct_size = sizeof by_tag, .ref = "old"};
    const frz_snapshot_selector by_branch = {.struct_size = sizeof by_branch, .ref = "side"};
    const frz_snapshot_selector now = FRZ_SNAPSHOT_SELECTOR_INIT;
    check_at(self.table, &by_id, "{'id':1,'a':2}\n");
    check_at(self.table, &by_time, "{'id':1,'a':2}\n");
    check_at(self.table, &by_tag, "{'id':1,'a':2}\n");
    check_at(self.table, &by_branch, "{'id':1,'b':7}\n");
    check_at(self.table, &now, "{'id':2,'b':8}\n{'id':1,'b':7}\n");
    numbered_close(&self);
}

static const char *next_partition;
static const int32_t *next_field_ids; /* of its fields */

static frz_status repartition(frz_metadata_builder *builder, frz_error **err)
{
    int32_t id = 0;
    frz_arena arena = {0};
    frz_partition_spec spec = {0};
    frz_schema *schema = schema_of(next_schema);
    frz_status status =
        frz_ddl_parse_partition(frz_slice_of_text(next_partition), schema, &arena, &spec, err);
    frz_partition_field fields[4];
    for (size_t i = 0; i < spec.field_count; i++) {
        fields[i] = spec.fields[i];
        fields[i].field_id = next_field_ids[i];
    }
    spec.fields = fields;
    if (status == FRZ_OK)
        status = frz_update_add_spec(builder, &spec, &id, err);
    if (status == FRZ_OK)
        status = frz_update_set_default_spec(builder, id, err);
    frz_schema_unref(schema);
    frz_arena_clear(&arena);
    return status;
}

static void partition_by(numbered_table *self, const char *schema, const char *terms,
                         const int32_t *field_ids)
{
    next_schema = schema;
    next_partition = terms;
    next_field_ids = field_ids;
    change_metadata(self, repartition);
}

/* The column of an old spec is gone: the table loads, old files are read, listed and matched by
 * their tuples. */
static void d114_the_column_of_an_old_spec_may_be_dropped(void **state)
{
    (void)state;
    numbered_table self =
        numbered_open(&(table_shape){.schema = "id int, d int", .partition = "d"});
    append_json(&self, "{'id':1,'d':20240101}\n{'id':2,'d':20240102}\n");
    partition_by(&self, "1 id int; 2 d int", "", NULL);
    evolve(&self, "1 id int");
    append_json(&self, "{'id':3}\n");
    frz_table *again = reopen(&self);
    check_json(again, "id > 1", "id,_partition",
               "{'id':3,'_partition':{'d':null}}\n{'id':2,'_partition':{'d':20240102}}\n");
    check_json(again, "_partition.d = 20240101", "id", "{'id':1}\n");
    check_json(again, "_partition.d is null", "id", "{'id':3}\n");
    frz_table_free(again);
    delete_where(&self, "id = 2 or id = 3");
    check_json(self.table, NULL, NULL, "{'id':1}\n");
    numbered_close(&self);
}

/* In format 1 a dropped partition field stays as void: its type is that of the source, in new
 * manifests it is null, and old ones are read with what they hold. */
static void d132_a_partition_field_that_became_void(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){
        .schema = "id int, s string", .partition = "bucket(2, s) as b", .format_version = 1});
    append_json(&self, "{'id':1,'s':'iceberg'}\n");
    check_json(self.table, NULL, "id,_partition", "{'id':1,'_partition':{'b':1}}\n");
    partition_by(&self, "1 id int; 2 s string", "void(s) as b", (const int32_t[]){1000});
    append_json(&self, "{'id':2,'s':'iceberg'}\n");
    check_json(self.table, NULL, "id,_partition,_spec_id",
               "{'id':2,'_partition':{'b':null},'_spec_id':1}\n"
               "{'id':1,'_partition':{'b':1},'_spec_id':0}\n");
    check_json(self.table, "s = 'iceberg' and _partition.b is null", "id", "{'id':2}\n");
    CHECK(count_rows(self.table, "s = 'iceberg'") == 2 && count_rows(self.table, "s = 'x'") == 0);
    numbered_close(&self);
}

/* Tuples of several specs go by partition field id, not by position. */
static void d087_partitions_of_several_specs_are_joined_by_field_id(void **state)
{
    (void)state;
    numbered_table self = numbered_open(
        &(table_shape){.schema = "a int, b date, c int", .partition = "a as p1, c as p2"});
    append_json(&self, "{'a':1,'b':'2022-02-22','c':3}\n");
    partition_by(&self, "1 a int; 2 b date; 3 c int", "c as p2, a as p1, year(b) as y",
                 (const int32_t[]){1001, 1000, 1002});
    append_json(&self, "{'a':1,'b':'2022-02-22','c':3}\n");
    check_json(self.table, NULL, "_partition,_spec_id",
               "{'_partition':{'p2':3,'p1':1,'y':52},'_spec_id':1}\n"
               "{'_partition':{'p2':3,'p1':1,'y':null},'_spec_id':0}\n");
    check_json(self.table, "_partition.p1 = 1 and _partition.y = 52", "_spec_id",
               "{'_spec_id':1}\n");
    numbered_close(&self);
}

/* Identity values of a column that was promoted since; bounds of manifests are short as well. */
static void test_partitions_of_promoted_columns(void **state)
{
    (void)state;
    numbered_table self = numbered_open(
        &(table_shape){.schema = "i int, d decimal(4,2), f float", .partition = "i, d, f"});
    append_json(&self, "{'i':1,'d':'1.50','f':0.5}\n{'i':-7,'d':null,'f':null}\n");
    evolve(&self, "1 i long; 2 d decimal(20,2); 3 f double");
    append_json(&self, "{'i':9007199254740993,'d':'123456789012345678.50','f':0.1}\n");
    frz_table *again = reopen(&self);
    check_json(again, "i = 1", "i,d,f,_partition",
               "{'i':1,'d':'1.50','f':0.5,'_partition':{'i':1,'d':'1.50','f':0.5}}\n");
    check_json(again, "i > 1", "i,_partition",
               "{'i':9007199254740993,"
               "'_partition':{'i':9007199254740993,'d':'123456789012345678.50','f':0.1}}\n");
    check_json(again, "d < 2", "i", "{'i':1}\n");
    check_json(again, "f = 0.5", "i", "{'i':1}\n");
    check_json(again, "d is null and f is null", "i", "{'i':-7}\n");
    frz_table_free(again);
    numbered_close(&self);
}

/* The first rule of "Column Projection" for fields of structs. */
static void test_identity_values_stand_for_nested_fields(void **state)
{
    (void)state;
    static const frz_value values[] = {{.form = FRZ_VALUE_INTEGER, .integer = 42},
                                       {.form = FRZ_VALUE_NULL}};
    numbered_table self = numbered_open(
        &(table_shape){.schema = "id int, s struct<a: int, p: int>", .partition = "s.p"});
    for (size_t i = 0; i < 2; i++)
        foreign_append(&self, &(foreign_file){.schema = "1 id int; 2 s {3 a int}",
                                              .rows = "{'id':1,'s':{'a':5}}\n{'id':2,'s':null}\n",
                                              .partition = &values[i],
                                              .partition_count = 1});
    check_json(self.table, NULL, NULL,
               "{'id':1,'s':{'a':5,'p':null}}\n{'id':2,'s':null}\n"
               "{'id':1,'s':{'a':5,'p':42}}\n{'id':2,'s':null}\n");
    check_json(self.table, "id = 1", "s.p", "{'s':{'p':null}}\n{'s':{'p':42}}\n");
    numbered_close(&self);
}

/* Columns and partition fields are numbered apart: column 1000 is not partition field 1000. */
static void d086_column_ids_beyond_1000_are_no_partition_fields(void **state)
{
    (void)state;
    frz_buffer ddl = {0};
    for (int i = 1; i <= 1010; i++)
        frz_buffer_printf(&ddl, "%sc%d int", i > 1 ? ", " : "", i);
    frz_buffer_append_byte(&ddl, 0);
    numbered_table self =
        numbered_open(&(table_shape){.schema = (char *)ddl.data, .partition = "c1005 as p"});
    append_json(&self, "{'c1':1,'c1000':7,'c1005':20}\n{'c1':2,'c1000':8,'c1005':30}\n");
    frz_table *again = reopen(&self);
    check_json(again, "c1000 = 7", "c1,c1005,_partition",
               "{'c1':1,'c1005':20,'_partition':{'p':20}}\n");
    check_json(again, "c1005 = 30", "c1,c1000", "{'c1':2,'c1000':8}\n");
    check_json(again, "c1000 = 20", "c1", "");
    check_json(again, "_partition.p = 30 and c1000 > 7", "c1", "{'c1':2}\n");
    frz_table_free(again);
    frz_buffer_clear(&ddl);
    numbered_close(&self);
}

/* Names that Avro does not allow, as partition columns: written escaped, read by field id. */
static void d115_partition_columns_of_any_name(void **state)
{
    (void)state;
    numbered_table self = numbered_open(
        &(table_shape){.schema = "`a.b` int, `9col` string, `\xf0\x9f\x98\x8e` int, `data#1` int",
                       .partition = "`a.b`, `9col`, `\xf0\x9f\x98\x8e`, `data#1`"});
    append_json(&self, "{'a.b':1,'9col':'x','\xf0\x9f\x98\x8e':3,'data#1':4}\n"
                       "{'a.b':5,'9col':null,'\xf0\x9f\x98\x8e':7,'data#1':8}\n");
    frz_table *again = reopen(&self);
    check_json(again, "`a.b` = 5 and `9col` is null", "_partition,data#1",
               "{'_partition':{'a.b':5,'9col':null,'\xf0\x9f\x98\x8e':7,'data#1':8},'data#1':8}\n");
    check_json(again, "`\xf0\x9f\x98\x8e` < 7", "9col", "{'9col':'x'}\n");
    frz_table_free(again);
    numbered_close(&self);
}

/* Null in the first partition field, in the second, in both, and in all files of a commit. */
static void d154_null_in_partition_fields(void **state)
{
    (void)state;
    numbered_table self = numbered_open(
        &(table_shape){.schema = "c1 int, c2 date, n int", .partition = "c1, month(c2)"});
    append_json(&self, "{'c1':null,'c2':'2024-02-29','n':1}\n{'c1':1,'c2':null,'n':2}\n"
                       "{'c1':null,'c2':null,'n':3}\n{'c1':7,'c2':'1969-12-31','n':4}\n");
    append_json(&self, "{'c1':null,'c2':null,'n':5}\n");
    frz_table *again = reopen(&self);
    check_json(again, "c1 is null and c2 is null", "n", "{'n':5}\n{'n':3}\n");
    check_json(again, "c1 is null and c2 is not null", "n,_partition",
               "{'n':1,'_partition':{'c1':null,'c2_month':649}}\n");
    check_json(again, "c1 < 7", "n", "{'n':2}\n");
    check_json(again, "c2 < date '1970-01-01'", "n", "{'n':4}\n");
    frz_table_free(again);
    delete_where(&self, "c1 is null and c2 is null");
    CHECK(count_rows(self.table, NULL) == 3 && count_rows(self.table, "c1 is null") == 1);
    numbered_close(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d067_children_go_by_id_at_every_depth),
        cmocka_unit_test(test_a_struct_keeps_its_nulls_when_all_its_fields_are_new),
        cmocka_unit_test(d083_missing_children_have_their_defaults),
        cmocka_unit_test(d144_columns_of_nested_types_come_as_typed_null),
        cmocka_unit_test(test_the_defaults_of_a_point),
        cmocka_unit_test(test_defaults_of_every_type),
        cmocka_unit_test(test_every_promotion),
        cmocka_unit_test(test_a_date_too_far_for_its_new_type_fails),
        cmocka_unit_test(test_what_is_no_promotion_is_refused),
        cmocka_unit_test(d113_bounds_from_before_a_promotion_prune),
        cmocka_unit_test(d047_decimals_in_int32_match_in_wider_precision),
        cmocka_unit_test(test_required_becomes_optional),
        cmocka_unit_test(test_which_schema_a_snapshot_is_read_with),
        cmocka_unit_test(d114_the_column_of_an_old_spec_may_be_dropped),
        cmocka_unit_test(d132_a_partition_field_that_became_void),
        cmocka_unit_test(d087_partitions_of_several_specs_are_joined_by_field_id),
        cmocka_unit_test(test_partitions_of_promoted_columns),
        cmocka_unit_test(test_identity_values_stand_for_nested_fields),
        cmocka_unit_test(d115_partition_columns_of_any_name),
        cmocka_unit_test(d154_null_in_partition_fields),
        cmocka_unit_test(d086_column_ids_beyond_1000_are_no_partition_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
