/*
 * Tables whose data and delete files are Avro, in shapes that other writers give them: files made
 * by fastavro (avro_shapes.py).
 */
#include "scan/foreign_fixture.h"

#include "avro_shapes.inc"
#include "scan/avro_fixture.h"
#include "scan/delete_fixture.h"

#define AVRO_FILE "mem://avro/rows.avro"

static frz_data_file avro_entry(int64_t rows)
{
    return (frz_data_file){.format = FRZ_FORMAT_AVRO,
                           .format_text = frz_slice_of_text("AVRO"),
                           .path = frz_slice_of_text(AVRO_FILE),
                           .record_count = rows};
}

static void put_file(const numbered_table *self, const char *location, frz_slice bytes)
{
    frz_error *err = NULL;
    CHECK_OK(frz_io_write_file(self->storage, location, bytes, &err), err);
}

/* A table of that schema (field ids 1, 2, 3 ..., nested ones after) with one Avro file. */
static numbered_table table_of(const char *schema, frz_slice bytes, int64_t rows)
{
    numbered_table self = numbered_open(&(table_shape){.schema = schema});
    put_file(&self, AVRO_FILE, bytes);
    foreign_register(&self, avro_entry(rows));
    return self;
}

#define BYTES(array) frz_slice_of(array, sizeof(array))

/* Appendix A, "Avro": optional fields are unions with null; the specification's own have null
 * first, those of Hive and old Spark second; some have one branch only. */
static void d140_unions_are_read_in_either_order(void **state)
{
    (void)state;
    numbered_table self =
        table_of("id long, s string, n int, i int, st struct<x: int>", BYTES(unions_avro), 3);
    check_json(self.table, NULL, NULL,
               "{\"id\":1,\"s\":\"one\",\"n\":null,\"i\":null,\"st\":{\"x\":5}}\n"
               "{\"id\":2,\"s\":null,\"n\":null,\"i\":7,\"st\":null}\n"
               "{\"id\":3,\"s\":\"three\",\"n\":null,\"i\":8,\"st\":{\"x\":null}}\n");
    check_json(self.table, "st.x is null", "id", "{\"id\":2}\n{\"id\":3}\n");
    check_json(self.table, "s is not null and n is null", "i,_pos",
               "{\"i\":null,\"_pos\":0}\n{\"i\":8,\"_pos\":2}\n");
    numbered_close(&self);
}

/* "Maps": those of other keys are arrays of records with logicalType map; an array of records with
 * two fields called key and value is none without it. */
static void d141_the_logical_type_makes_a_map(void **state)
{
    (void)state;
    numbered_table self =
        table_of("id long, m map<string, struct<a: long, b: string>>, k map<int, string>, "
                 "l list<struct<key: int, value: string>>",
                 BYTES(maps_avro), 2);
    check_json(self.table, NULL, NULL,
               "{\"id\":1,\"m\":{\"x\":{\"a\":1,\"b\":\"q\"},\"y\":null},"
               "\"k\":[[5,\"five\"],[6,null]],"
               "\"l\":[{\"key\":1,\"value\":\"v\"}]}\n"
               "{\"id\":2,\"m\":{},\"k\":[],\"l\":[]}\n");
    check_json(self.table, NULL, "l.element.value,m.value.b",
               "{\"l\":[{\"value\":\"v\"}],\"m\":{\"x\":{\"b\":\"q\"},\"y\":null}}\n"
               "{\"l\":[],\"m\":{}}\n");
    numbered_close(&self);
}

static void test_a_list_of_pairs_is_not_read_as_a_map(void **state)
{
    (void)state;
    numbered_table self =
        table_of("id long, m int, k int, l map<int, string>", BYTES(maps_avro), 2);
    check_json(self.table, NULL, "id", "{\"id\":1}\n{\"id\":2}\n");
    check_json_fails(self.table, "l", FRZ_UNSUPPORTED, "rows.avro: column l: the file stores");
    numbered_close(&self);
}

/* "Schema Evolution": int to long, float to double, decimals to more digits. */
static void test_numbers_are_promoted_and_fixed_forms_kept(void **state)
{
    (void)state;
    numbered_table self =
        table_of("i long, f double, d decimal(18, 2), b decimal(38, 4), u uuid, x fixed(3), "
                 "e string",
                 BYTES(numbers_avro), 2);
    check_json(
        self.table, NULL, NULL,
        "{\"i\":-2147483648,\"f\":1.5,\"d\":\"-1234567.89\","
        "\"b\":\"-9999999999999999999999999999999999.9999\","
        "\"u\":\"f79c3e09-677c-4bbd-a479-3f349cb785e7\",\"x\":\"0x616263\",\"e\":\"HEARTS\"}\n"
        "{\"i\":7,\"f\":-0.25,\"d\":\"0.01\",\"b\":\"12.3456\","
        "\"u\":\"00000000-0000-0000-0000-000000000001\",\"x\":\"0x00ff01\",\"e\":\"CLUBS\"}\n");
    check_json(self.table, "d < 0 and u = 'f79c3e09-677c-4bbd-a479-3f349cb785e7'", "i",
               "{\"i\":-2147483648}\n");
    check_json(self.table, "e = 'CLUBS' or f > 2", "e", "{\"e\":\"CLUBS\"}\n");
    numbered_close(&self);
}

/* Other writers have the logical type uuid on strings (Avro specification, "UUID"). */
static void test_uuids_of_text_are_read(void **state)
{
    (void)state;
    numbered_table self = table_of("u uuid, n int, s struct<a: int>", BYTES(uuids_avro), 3);
    check_json(self.table, NULL, "u",
               "{\"u\":\"f79c3e09-677c-4bbd-a479-3f349cb785e7\"}\n"
               "{\"u\":\"f79c3e09-677c-4bbd-a479-3f349cb785e8\"}\n{\"u\":null}\n");
    check_json(self.table, "u > 'f79c3e09-677c-4bbd-a479-3f349cb785e7'", "s",
               "{\"s\":{\"a\":null}}\n");
    numbered_close(&self);
}

static void test_null_in_a_required_column_is_refused_by_name(void **state)
{
    (void)state;
    numbered_table self =
        table_of("u uuid, n int not null, s struct<a: int not null>", BYTES(uuids_avro), 3);
    check_json(self.table, NULL, "_pos", "{\"_pos\":0}\n{\"_pos\":1}\n{\"_pos\":2}\n");
    check_json_fails(self.table, "n", FRZ_CORRUPT,
                     "rows.avro: n is required, but it is null in value 1 of a batch");
    check_json_fails(self.table, "s", FRZ_CORRUPT, "rows.avro: s.a is required");
    numbered_close(&self);
}

/* Appendix A, "Avro", note 1: adjust-to-utc is false when absent; the table's type decides how the
 * stored number is read. */
static void d153_times_are_read_with_and_without_adjust_to_utc(void **state)
{
    (void)state;
    numbered_table self = table_of(
        "d date, tm time, tu time, ms timestamptz, us timestamp, uz timestamptz, un timestamptz, "
        "ns timestamp_ns, lo timestamp, dt timestamp, lm timestamp",
        BYTES(times_avro), 2);
    check_json(self.table, NULL, "d,tm,tu,ms,us,uz",
               "{\"d\":\"1969-12-31\",\"tm\":\"23:59:59.999000\",\"tu\":\"00:00:00.000001\","
               "\"ms\":\"1970-01-01T00:00:01.500000Z\",\"us\":\"1969-12-31T23:59:59.999999\","
               "\"uz\":\"1970-01-01T00:00:01.000000Z\"}\n"
               "{\"d\":\"1970-01-01\",\"tm\":\"00:00:00.000000\",\"tu\":\"23:59:59.999999\","
               "\"ms\":\"1969-12-31T23:59:59.999000Z\",\"us\":\"1970-01-01T00:00:00.000000\","
               "\"uz\":\"1970-01-01T00:00:00.000000Z\"}\n");
    check_json(self.table, NULL, "un,ns,lo,dt,lm",
               "{\"un\":\"1970-01-01T00:00:00.000001Z\","
               "\"ns\":\"1969-12-31T23:59:59.999999999\",\"lo\":\"1970-01-02T00:00:00.000000\","
               "\"dt\":\"1970-01-02T00:00:00.000000\",\"lm\":\"1969-12-31T23:59:59.999000\"}\n"
               "{\"un\":\"1970-01-01T00:00:00.000000Z\","
               "\"ns\":\"1970-01-01T00:00:01.000000001\",\"lo\":\"1970-01-01T00:00:00.000000\","
               "\"dt\":\"1969-12-31T00:00:00.000000\",\"lm\":\"1970-01-02T00:00:00.001000\"}\n");
    check_json(self.table, "dt < '1970-01-01T00:00:00'", "d", "{\"d\":\"1970-01-01\"}\n");
    numbered_close(&self);
}

/* "Column Projection": element, key and value are the names below lists and maps, of both forms. */
static void test_files_without_ids_are_read_by_name(void **state)
{
    (void)state;
    numbered_table self = table_of("id long, ab string, loc struct<latitude: double>, "
                                   "l list<struct<x: long>>, m map<string, struct<y: int>>, "
                                   "k map<int, struct<z: int>>, later int",
                                   BYTES(names_avro), 2);
    check_json_fails(self.table, "ab", FRZ_UNSUPPORTED,
                     "rows.avro: column ab: the file has no field ids, and the table no name "
                     "mapping (schema.name-mapping.default)");
    check_json(self.table, NULL, "_pos", "{\"_pos\":0}\n{\"_pos\":1}\n");
    const char *mapping =
        "[{\"field-id\":1,\"names\":[\"id\",\"record_id\"]},{\"field-id\":2,\"names\":[\"a_b\"]},"
        "{\"field-id\":3,\"names\":[\"loc\"],\"fields\":[{\"field-id\":8,\"names\":[\"lat\"]}]},"
        "{\"field-id\":4,\"names\":[\"l\"],\"fields\":[{\"field-id\":9,\"names\":[\"element\"],"
        "\"fields\":[{\"field-id\":10,\"names\":[\"x\"]}]}]},"
        "{\"field-id\":5,\"names\":[\"m\"],\"fields\":[{\"field-id\":11,\"names\":[\"key\"]},"
        "{\"field-id\":12,\"names\":[\"value\"],\"fields\":[{\"field-id\":13,\"names\":[\"y\"]}]}]}"
        ","
        "{\"field-id\":6,\"names\":[\"k\"],\"fields\":[{\"field-id\":14,\"names\":[\"key\"]},"
        "{\"field-id\":15,\"names\":[\"value\"],\"fields\":[{\"field-id\":16,\"names\":[\"z\"]}]}]}"
        ","
        "{\"names\":[\"unmapped\"]},{\"field-id\":7,\"names\":[]}]";
    map_names(&self, mapping);
    check_json(self.table, NULL, NULL,
               "{\"id\":1,\"ab\":\"s\",\"loc\":{\"latitude\":1.5},\"l\":[{\"x\":5},null],"
               "\"m\":{\"k\":{\"y\":6}},\"k\":[[3,{\"z\":4}]],\"later\":null}\n"
               "{\"id\":2,\"ab\":null,\"loc\":null,\"l\":[],\"m\":{},\"k\":[],\"later\":null}\n");
    check_json(self.table, "loc.latitude > 1", "id", "{\"id\":1}\n");
    numbered_close(&self);
}

#define FIELD(id, name, type) \
    "{\"id\":" #id ",\"name\":\"" name "\",\"required\":false,\"type\":" type "}"
#define DEFAULTED(id, name, type, value)                                      \
    "{\"id\":" #id ",\"name\":\"" name "\",\"required\":false,\"type\":" type \
    ",\"initial-default\":" value "}"

static frz_status add_defaults(frz_metadata_builder *builder, frz_error **err)
{
    return change_schema(
        builder,
        "{\"type\":\"struct\",\"schema-id\":1,\"fields\":[" FIELD(1, "id", "\"long\"") "," DEFAULTED(2, "s", "\"string\"", "\"z\"") "," DEFAULTED(
            3, "n", "\"int\"",
            "4") "," FIELD(5, "st",
                           "{\"type\":\"struct\",\"fields\":[" FIELD(6, "x", "\"int\"") "," DEFAULTED(
                               7, "y", "\"int\"",
                               "6") "]}") "," DEFAULTED(8, "added", "\"date\"",
                                                        "\"2020-01-02\"") "," DEFAULTED(9, "new",
                                                                                        "{\"type\":"
                                                                                        "\"struct\""
                                                                                        ",\"fields"
                                                                                        "\":"
                                                                                        "[" DEFAULTED(
                                                                                            10, "a",
                                                                                            "\"uuid"
                                                                                            "\"",
                                                                                            "\"f79c"
                                                                                            "3e09-"
                                                                                            "677c-"
                                                                                            "4bbd-"
                                                                                            "a479-"
                                                                                            "3f349c"
                                                                                            "b785e7"
                                                                                            "\"") "]}",
                                                                                        "{}") "]}",
        err);
}

/* "Default values": what the file lacks has its initial default, a stored null stays null. */
static void test_missing_columns_have_their_initial_defaults(void **state)
{
    (void)state;
    numbered_table self =
        table_of("id long, s string, n int, i int, st struct<x: int>", BYTES(unions_avro), 3);
    change_metadata(&self, add_defaults);
    check_json(self.table, NULL, "id,s,n,st,added",
               "{\"id\":1,\"s\":\"one\",\"n\":null,\"st\":{\"x\":5,\"y\":6},"
               "\"added\":\"2020-01-02\"}\n"
               "{\"id\":2,\"s\":null,\"n\":null,\"st\":null,\"added\":\"2020-01-02\"}\n"
               "{\"id\":3,\"s\":\"three\",\"n\":null,\"st\":{\"x\":null,\"y\":6},"
               "\"added\":\"2020-01-02\"}\n");
    check_json(self.table, "st.y = 6 and added < '2021-01-01'", "new.a,st.y",
               "{\"new\":{\"a\":\"f79c3e09-677c-4bbd-a479-3f349cb785e7\"},\"st\":{\"y\":6}}\n"
               "{\"new\":{\"a\":\"f79c3e09-677c-4bbd-a479-3f349cb785e7\"},\"st\":{\"y\":6}}\n");
    numbered_close(&self);
}

/* What has no Arrow type is refused only where it is asked for. */
static void test_types_that_contain_themselves_spoil_no_other_column(void **state)
{
    (void)state;
    numbered_table self = table_of("id long, list struct<v: int>, u string", BYTES(odd_avro), 2);
    check_json(self.table, "id > 11", "id", "{\"id\":12}\n");
    check_json_fails(self.table, "u", FRZ_UNSUPPORTED, "column u: a union of several types");
    check_json(self.table, NULL, "list", "{\"list\":{\"v\":1}}\n{\"list\":{\"v\":1}}\n");
    numbered_close(&self);
}

/* "Position Delete Files" of Avro: repeated positions, the row column, other files' positions. */
static void test_position_deletes_of_avro_delete_rows_of_avro(void **state)
{
    (void)state;
    numbered_table self =
        numbered_open(&(table_shape){.schema = "id int, name string", .format_version = 2});
    frz_buffer rows = {0};
    put_people(&rows, 5, 2);
    put_file(&self, AVRO_FILE, frz_buffer_slice(&rows));
    put_file(&self, "mem://avro/deletes.avro", BYTES(deletes_avro));
    foreign_register(&self, avro_entry(5));
    frz_data_file deletes = avro_entry(4);
    deletes.content = FRZ_CONTENT_POSITION_DELETES;
    deletes.path = frz_slice_of_text("mem://avro/deletes.avro");
    foreign_register(&self, deletes);
    check_json(self.table, NULL, "id,_pos",
               "{\"id\":1,\"_pos\":1}\n{\"id\":3,\"_pos\":3}\n{\"id\":4,\"_pos\":4}\n");
    check_json(self.table, "id >= 2 and name is not null", "_pos", "{\"_pos\":3}\n{\"_pos\":4}\n");
    check_json(self.table, NULL, "id,_deleted",
               "{\"id\":0,\"_deleted\":true}\n{\"id\":1,\"_deleted\":false}\n"
               "{\"id\":2,\"_deleted\":true}\n{\"id\":3,\"_deleted\":false}\n"
               "{\"id\":4,\"_deleted\":false}\n");
    CHECK(count_rows(self.table, NULL) == 3);
    frz_buffer_clear(&rows);
    numbered_close(&self);
}

/* "Equality Delete Files" of Avro: NULL equals NULL; what is no key does not count. */
static void test_equality_deletes_of_avro_delete_rows_of_avro(void **state)
{
    (void)state;
    static const int32_t name_id = 2;
    numbered_table self =
        numbered_open(&(table_shape){.schema = "id int, name string", .format_version = 2});
    frz_buffer rows = {0};
    put_people(&rows, 8, 3);
    put_file(&self, AVRO_FILE, frz_buffer_slice(&rows));
    put_file(&self, "mem://avro/keys.avro", BYTES(keys_avro));
    foreign_register(&self, avro_entry(8));
    frz_data_file deletes = avro_entry(2);
    deletes.content = FRZ_CONTENT_EQUALITY_DELETES;
    deletes.path = frz_slice_of_text("mem://avro/keys.avro");
    deletes.equality_ids = &name_id;
    deletes.equality_id_count = 1;
    foreign_register(&self, deletes);
    check_json(self.table, NULL, "id,_pos",
               "{\"id\":0,\"_pos\":0}\n{\"id\":1,\"_pos\":1}\n{\"id\":4,\"_pos\":4}\n"
               "{\"id\":6,\"_pos\":6}\n{\"id\":7,\"_pos\":7}\n");
    CHECK(count_rows(self.table, "name = 'n3'") == 0 && count_rows(self.table, NULL) == 5);
    frz_buffer_clear(&rows);
    numbered_close(&self);
}

/* "Row lineage assignment": null is inherited, row by row. */
static void test_row_ids_are_stored_or_inherited(void **state)
{
    (void)state;
    numbered_table self = table_of("id int", BYTES(lineage_avro), 3);
    check_json(self.table, NULL, "id,_row_id,_last_updated_sequence_number",
               "{\"id\":1,\"_row_id\":70,\"_last_updated_sequence_number\":1}\n"
               "{\"id\":2,\"_row_id\":1,\"_last_updated_sequence_number\":0}\n"
               "{\"id\":3,\"_row_id\":2,\"_last_updated_sequence_number\":1}\n");
    check_json(self.table, "_row_id = 2 or _row_id = 70", "id", "{\"id\":1}\n{\"id\":3}\n");
    numbered_close(&self);
}

/* A table of 10,000 people in small blocks. */
static numbered_table many_people(int64_t record_count)
{
    frz_buffer rows = {0};
    put_people(&rows, 10000, 137);
    numbered_table self = table_of("id long, name string, p struct<x: int, y: string>",
                                   frz_buffer_slice(&rows), record_count);
    frz_buffer_clear(&rows);
    return self;
}

/* Positions and row ids are ordinals in the file over blocks, batches, vectors and filters, however
 * many threads decode. */
static void test_positions_hold_over_blocks_batches_and_deletes(void **state)
{
    (void)state;
    numbered_table self = many_people(10000);
    delete_where(&self, "id < 50 or id between 4001 and 9001");
    static const int32_t batches[] = {0, 1, 64, 100, 137, 5000};
    for (size_t i = 0; i < 2 * sizeof batches / sizeof *batches; i++) {
        collected rows = {0};
        frz_error *err = NULL;
        name_list list;
        frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
        options.batch_rows = batches[i / 2];
        options.threads = i % 2 ? 4 : 1;
        options.where = "p.x is not null and name is not null and id > 100";
        select_columns(&options, "_pos,_row_id,id,p.y", &list);
        CHECK_OK(collect(self.table, &options, &rows, &err), err);
        int64_t n = 101;
        row_walk walk = {.rows = &rows, .row = -1};
        while (walk_next(&walk)) {
            const struct ArrowArray *batch = &rows.batches[walk.batch];
            while ((n >= 4001 && n <= 9001) || n % 3 == 2 || n % 4 == 3)
                n++;
            for (int column = 0; column < 3; column++)
                CHECK(long_at(batch->children[column], walk.row) == n);
            n++;
        }
        CHECK(n > 9990 && n <= 10000);
        collected_clear(&rows);
    }
    numbered_close(&self);
}

/* The manifest's count is what positions, counts and row ids rest on. */
static void test_more_or_fewer_rows_than_the_manifest_says_are_refused(void **state)
{
    (void)state;
    numbered_table fewer = many_people(10001);
    check_json_fails(fewer.table, "id", FRZ_CORRUPT,
                     "the file has 10000 rows, its manifest entry says 10001");
    numbered_close(&fewer);
    numbered_table more = many_people(9999);
    check_json_fails(more.table, "id", FRZ_CORRUPT, "rows, its manifest entry says 9999");
    numbered_close(&more);
    numbered_table edge = many_people(137 * 60);
    check_json_fails(edge.table, "id", FRZ_CORRUPT, "rows, its manifest entry says 8220");
    numbered_close(&edge);
}

static void test_orc_is_refused_by_name(void **state)
{
    (void)state;
    numbered_table self = numbered_open(&(table_shape){.schema = "id long"});
    put_file(&self, AVRO_FILE, frz_slice_of_text("ORC"));
    frz_data_file orc = avro_entry(1);
    orc.format = FRZ_FORMAT_ORC;
    orc.format_text = frz_slice_of_text("ORC");
    foreign_register(&self, orc);
    check_json_fails(self.table, "id", FRZ_UNSUPPORTED, "rows.avro: format ORC is not read yet");
    numbered_close(&self);
}

/* "Field-level Metrics": manifests of Avro files have none, which prunes nothing. */
static void d059_files_without_metrics_are_not_pruned(void **state)
{
    (void)state;
    numbered_table self = many_people(10000);
    CHECK(count_rows(self.table, "id is null") == 0);
    CHECK(count_rows(self.table, "name is null") == 3333);
    CHECK(count_rows(self.table, "name is not null") == 6667);
    CHECK(count_rows(self.table, "id = 9999") == 1);
    CHECK(count_rows(self.table, "not (id < 9999)") == 1);
    numbered_close(&self);
}

static const numbered_table *swept;
static size_t swept_size;

static void read_once(void)
{
    check_swept_scan(swept->table, "id < 3", swept_size);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    numbered_table self = table_of("id long, ab string, loc struct<latitude: double>, "
                                   "l list<struct<x: long>>, m map<string, struct<y: int>>",
                                   BYTES(names_avro), 2);
    const char *mapping =
        "[{\"field-id\":1,\"names\":[\"record_id\"]},{\"field-id\":2,\"names\":[\"a_b\"]},"
        "{\"field-id\":4,\"names\":[\"l\"],\"fields\":[{\"field-id\":7,\"names\":[\"element\"]}]}]";
    map_names(&self, mapping);
    frz_error *err = NULL;
    frz_buffer text = {0};
    CHECK_OK(scan_json(self.table, NULL, &text, &err), err);
    swept_size = text.size;
    swept = &self;
    sweep_allocation_failures(read_once);
    frz_buffer_clear(&text);
    numbered_close(&self);
}

static void test_equality_deletes_take_rows_of_an_avro_file(void **state)
{
    (void)state;
    numbered_table self =
        table_of("id long, s string, n int, i int, st struct<x: int>", BYTES(unions_avro), 3);
    delete_keys(&self, 2, "s", "string", "- none");
    check_query(self.table, NULL, "id,s,_pos", "1:one:0 3:three:2");
    check_query(self.table, "i > 7", "id", "3");
    check_query(self.table, NULL, "id,_deleted", "1:false 2:true 3:false");
    CHECK(count_rows(self.table, NULL) == 2);
    numbered_close(&self);
}

/* The same file as an equality delete file: its ids are 1, 2 and 3. */
static void test_an_avro_file_deletes_by_its_keys(void **state)
{
    (void)state;
    static const int32_t ids[] = {1};
    frz_error *err = NULL;
    frz_transaction transaction;
    written_commit commit = {.delete_count = 1};
    numbered_table self = numbered_open(&(table_shape){.schema = "id long, s string"});
    append_numbers(&self, 0, 6);
    put_file(&self, AVRO_FILE, BYTES(unions_avro));
    commit.deletes[0] = avro_entry(3);
    commit.deletes[0].content = FRZ_CONTENT_EQUALITY_DELETES;
    commit.deletes[0].file_size = sizeof unions_avro;
    commit.deletes[0].content_offset = commit.deletes[0].content_size = -1;
    commit.deletes[0].first_row_id = -1;
    commit.deletes[0].sort_order_id = -1;
    commit.deletes[0].equality_ids = ids;
    commit.deletes[0].equality_id_count = 1;
    CHECK_OK(frz_transaction_open(self.table, NULL, &transaction, &err), err);
    CHECK_OK(frz_transaction_commit(&transaction, written_prepare, &commit, NULL, &err), err);
    frz_transaction_close(&transaction, FRZ_OK);
    check_query(self.table, NULL, "id", "0 4 5");
    numbered_close(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d140_unions_are_read_in_either_order),
        cmocka_unit_test(test_equality_deletes_take_rows_of_an_avro_file),
        cmocka_unit_test(test_an_avro_file_deletes_by_its_keys),
        cmocka_unit_test(d141_the_logical_type_makes_a_map),
        cmocka_unit_test(test_a_list_of_pairs_is_not_read_as_a_map),
        cmocka_unit_test(test_numbers_are_promoted_and_fixed_forms_kept),
        cmocka_unit_test(test_uuids_of_text_are_read),
        cmocka_unit_test(test_null_in_a_required_column_is_refused_by_name),
        cmocka_unit_test(d153_times_are_read_with_and_without_adjust_to_utc),
        cmocka_unit_test(test_files_without_ids_are_read_by_name),
        cmocka_unit_test(test_missing_columns_have_their_initial_defaults),
        cmocka_unit_test(test_types_that_contain_themselves_spoil_no_other_column),
        cmocka_unit_test(test_position_deletes_of_avro_delete_rows_of_avro),
        cmocka_unit_test(test_equality_deletes_of_avro_delete_rows_of_avro),
        cmocka_unit_test(test_row_ids_are_stored_or_inherited),
        cmocka_unit_test(test_positions_hold_over_blocks_batches_and_deletes),
        cmocka_unit_test(test_more_or_fewer_rows_than_the_manifest_says_are_refused),
        cmocka_unit_test(test_orc_is_refused_by_name),
        cmocka_unit_test(d059_files_without_metrics_are_not_pruned),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
