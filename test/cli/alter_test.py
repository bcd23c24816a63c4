"""alter, upgrade, properties: the words of each change, what it prints, and what is refused."""

from command import CommandTest, main


class Alter(CommandTest):
    def changed(self, *words, table="a.t"):
        made = self.frazil("alter", table, *words, "--output", "json").json()
        return [item["text"] for item in made["changes"]]

    def schema(self, table="a.t"):
        described = self.frazil("describe", table).out
        return next(line.split(None, 1)[1] for line in described.splitlines() if line.startswith("schema "))

    def test_columns_are_added_with_their_attributes(self):
        self.numbers("a.t", rows=2)
        out = self.frazil("alter", "a.t", "add", "column", "price", "decimal(9,2)", "not", "null", "default", "0",
                          "comment", "per unit", "--after", "id").out
        self.assertEqual(out, "added column price decimal(9, 2) not null, field id 3\n")
        self.assertEqual(self.changed("add", "column", "at", "struct<zip int>"), ["added column at struct<5: zip: optional int>, field id 4"])
        self.assertEqual(self.changed("add", "column", "at.city", "string", "--first"), ["added column at.city string, field id 6"])
        self.frazil("alter", "a.t", "add", "column", "t", "timestamp with time zone", "--default", "2024-01-01T00:00:00Z")
        self.frazil("alter", "a.t", "add", "column", "country", "string", "default", "US")
        self.assertEqual(self.schema(), "id long not null, price decimal(9, 2) not null default 0.00 comment 'per unit', name string, "
                         "at struct<city: string, zip: int>, t timestamptz default '2024-01-01T00:00:00.000000Z', "
                         "country string default 'US'")
        self.assertEqual({row["price"] for row in self.scan("a.t")}, {"0.00"})
        self.assertEqual({row["country"] for row in self.scan("a.t", "--where", "country = 'US'")}, {"US"})

    def test_a_default_is_given_as_a_person_writes_it(self):
        self.numbers("a.t", rows=1)
        for kind, given, value in [("int", "-5", -5), ("double", "-.5", "-0.5"), ("decimal(9,2)", "-1.50", "-1.50"), ("date", "2024-02-29", "2024-02-29"),
                                   ("uuid", "f79c3e09-677c-4bbd-a479-3f349cb785e7", "f79c3e09-677c-4bbd-a479-3f349cb785e7"),
                                   ("uuid", "079c3e09-677c-4bbd-a479-3f349cb785e7", "079c3e09-677c-4bbd-a479-3f349cb785e7"),
                                   ("time", "10:11:12", "10:11:12.000000"), ("string", "it's -1", "it's -1"), ("boolean", "true", True)]:
            self.frazil("alter", "a.t", "add", "column", "c", kind, "default", given)
            self.assertEqual(self.column("a.t", "c"), [value], (kind, given))
            self.frazil("alter", "a.t", "update", "column", "c", "--default", given)
            self.frazil("alter", "a.t", "drop", "column", "c")

    def test_no_default_makes_a_table_that_others_cannot_read(self):
        self.numbers("a.t", rows=1)
        for kind, given in (("struct<x: int>", "{}"), ("list<int>", "[]"), ("map<string, int>", "{}"), ("double", "nan"), ("float", "-infinity")):
            self.assertIn("column c: a default of ", self.fails(7, "alter", "a.t", "add", "column", "c", kind, "--default", given))
            self.assertIn("column c: a default of ", self.fails(7, "create", "a.u", "--schema", f"c {kind} default {given}"))
        self.changed("add", "column", "c", "struct<x: int not null default 3>")
        self.assertIn("a default of a struct", self.fails(7, "alter", "a.t", "update", "column", "c", "--default", "{}"))

    def test_no_name_makes_a_table_that_others_cannot_read(self):
        self.frazil("create", "a.t", "--schema", "id long, region string, ts timestamp", "--partition", "region, day(ts)", "--format-version", "2")
        for words in (("add", "column", "ts_day", "int"), ("rename", "column", "id", "to", "region_2"), ("rename", "column", "id", "to", "ts_day")):
            if words[-1] == "region_2":
                self.changed("rename", "column", "region", "to", "area")
                words = (*words[:-1], "region")
            self.assertIn("has the name of a partition field of column", self.fails(2, "alter", "a.t", *words))
        self.write("more.csv", "id,region\n1,eu\n")
        self.assertIn("has the name of a partition field", self.fails(2, "append", "a.t", "more.csv", "--evolve"))
        self.changed("drop", "partition", "field", "region")
        self.changed("drop", "column", "area")
        self.assertEqual(self.changed("add", "column", "region", "int"), ["added column region int, field id 4"])

    def test_a_void_field_comes_back_after_an_upgrade(self):
        self.numbers("a.t", rows=2, create=("--partition", "bucket(4, id)", "--format-version", "1"))
        self.changed("drop", "partition", "field", "id_bucket")
        self.frazil("upgrade", "a.t", "--to", "2")
        self.assertEqual(self.changed("add", "partition", "field", "bucket(4, id)"),
                         ["added partition field id_bucket, bucket[4] of column id, field id 1000"])
        self.frazil("append", "a.t", "numbers.csv")
        self.assertEqual(self.count("a.t"), 4)

    def test_terms_are_described_as_they_are_given(self):
        terms = 's."y.z" as "s.y.z", bucket(4, "we ird") as "a ""b"" c"'
        self.frazil("create", "a.t", "--schema", 's struct<"y.z": string>, "we ird" string', "--partition", terms, "--sort", '"we ird" asc nulls first')
        described = self.frazil("describe", "a.t").out
        self.assertIn(f"partition         {terms}\n", described)
        self.assertIn('sort              "we ird" asc nulls first\n', described)

    def test_columns_are_renamed_moved_updated_and_dropped(self):
        self.frazil("create", "a.t", "--schema", "id long not null, n int, f float not null, s struct<a int, b int>")
        self.assertEqual(self.changed("rename", "column", "s.a", "to", "c"), ["renamed column s.a to s.c, field id 5"])
        self.assertEqual(self.changed("move", "column", "s.c", "--after", "s.b"), ["moved column s.c after s.b"])
        self.assertEqual(self.changed("move", "column", "f", "--first"), ["moved column f to the front"])
        self.assertEqual(self.changed("update", "column", "n", "long", "--default", "5", "--comment", "count"),
                         ["updated column n long, field id 2"])
        self.assertEqual(self.changed("update", "column", "f", "double", "--optional"), ["updated column f double, field id 3"])
        self.assertEqual(self.changed("drop", "column", "s.b"), ["dropped column s.b int, field id 6"])
        self.assertEqual(self.changed("set", "identifier", "id"), ["identifier fields: id"])
        self.assertEqual(self.schema(), "f double, id long not null, n long default 5 comment 'count', s struct<c: int>")
        self.assertEqual(self.frazil("alter", "a.t", "set", "identifier", "id").out, "nothing to change: the table is so already\n")
        self.assertEqual(self.changed("set", "identifier", ""), ["identifier fields: none"])
        self.changed("rename", "column", "id", "to", "i, d")
        self.assertEqual(self.changed("set", "identifier", ' "i, d" '), ["identifier fields: i, d"])
        self.assertIn("no column x", self.fails(2, "alter", "a.t", "set", "identifier", '"i, d" , x'))

    def test_partitioning_and_sort_order(self):
        self.frazil("create", "a.t", "--schema", "id long, ts timestamp", "--partition", "day(ts)")
        self.assertEqual(self.changed("add", "partition", "field", "bucket(16, id)"),
                         ["added partition field id_bucket_16, bucket[16] of column id, field id 1001"])
        self.assertEqual(self.changed("replace", "partition", "field", "day(ts)", "hour(ts)", "as", "h"),
                         ["dropped partition field ts_day", "added partition field h, hour of column ts, field id 1002"])
        self.assertEqual(self.changed("drop", "partition", "field", "id_bucket_16"), ["dropped partition field id_bucket_16"])
        self.assertEqual(self.changed("set", "sort", "id desc, ts"), ["sort order: id desc nulls last, ts asc nulls first"])
        self.assertEqual(self.changed("set", "sort", "none"), ["sort order: none"])
        made = self.frazil("alter", "a.t", "add", "partition", "field", "id", "as", "ident", "--output", "json").json()
        self.assertEqual((made["committed"], made["spec_id"], made["sort_order_id"], made["format_version"]), (True, 4, 0, 3))
        self.write("r.csv", "id,ts\n1,2024-01-01T05:00:00\n")
        self.frazil("append", "a.t", "r.csv")
        self.assertEqual(self.metadata("partitions", "a.t")[0]["partition"]["ident"], 1)

    def test_columns_of_a_file_by_name(self):
        self.numbers("a.t")
        self.frazil("create", "a.wide", "--schema", "name string, price double, id int")
        self.frazil("scan", "a.wide", "--to", "wide.parquet")
        self.assertEqual(self.changed("add", "columns", "from", "wide.parquet"),
                         ["updated column id long, field id 1, which takes nulls now", "added column price double, field id 3"])
        self.assertEqual(self.changed("add", "columns", "from", "wide.parquet"), [])

    def test_columns_by_name_leave_identifiers_required(self):
        self.frazil("create", "a.t", "--schema", "id int not null, s struct<k: int not null, v: int not null> not null")
        self.frazil("alter", "a.t", "set", "identifier", "id,s.k")
        self.frazil("create", "a.wide", "--schema", "id long, s struct<k: int, v: int, w: int>")
        self.frazil("scan", "a.wide", "--to", "wide.parquet")
        self.assertEqual(self.changed("add", "columns", "from", "wide.parquet"),
                         ["updated column id long not null, field id 1", "updated column s.v int, field id 4, which takes nulls now",
                          "added column s.w int, field id 5"])

    def test_columns_of_every_type_are_found_again_by_name(self):
        columns = ("b boolean, i int, g long, f float, d double, n decimal(12, 2), w decimal(38, 0), a date, t time, ts timestamp, tz timestamptz, "
                   "tn timestamp_ns, s string, u uuid, x fixed(3), y binary, st struct<n: decimal(5, 1)>, l list<fixed(2)>, "
                   "m map<decimal(4, 0), struct<z: fixed(9)>>")
        self.frazil("create", "a.t", "--schema", columns)
        self.frazil("scan", "a.t", "--to", "same.parquet")
        self.assertEqual(self.changed("add", "columns", "from", "same.parquet"), [])
        self.frazil("create", "a.more", "--schema", columns.replace("z: fixed(9)", "z: fixed(9), more: int"))
        self.frazil("scan", "a.more", "--to", "more.parquet")
        self.assertEqual(self.changed("add", "columns", "from", "more.parquet"), ["added column m.value.more int, field id 25"])

    def test_new_places_of_files(self):
        self.numbers("a.t")
        self.assertEqual(self.changed("set", "location", "moved/"), [f"new files go to file://{self.folder}/moved"])
        self.frazil("append", "a.t", "numbers.csv")
        self.assertEqual(self.count("a.t"), 20)
        self.assertEqual(sum(name.startswith("data/") for name in self.files("moved")), 1)

    def test_what_cannot_be_changed_says_why(self):
        self.frazil("create", "a.t", "--schema", "id long not null, d date", "--partition", "id", "--format-version", "2")
        for status, words, text in [
                (2, ("drop", "column", "id"), "partitioned by it"),
                (2, ("drop", "column", "ID"), "near: id"),
                (2, ("add", "column", "id", "int"), "exists already"),
                (2, ("add", "column", "x", "int", "not", "null"), "with a default alone"),
                (2, ("add", "column", "x", "timestamp_ns"), "frazil upgrade T --to 3"),
                (2, ("add", "column", "x", "int", "default", "5"), "frazil upgrade T --to 3"),
                (2, ("update", "column", "d", "timestamp"), "frazil upgrade T --to 3"),
                (2, ("update", "column", "id", "int"), "long cannot become int"),
                (2, ("update", "column", "id"), "wants a TYPE"),
                (2, ("add", "column", "_pos", "long"), "metadata column"),
                (2, ("add", "column", "x", "int", "nonsense"), "expected"),
                (2, ("add", "column", "x", "int", "--first", "--after", "id"), "not both"),
                (2, ("move", "column", "id"), "wants --first or --after"),
                (2, ("rename", "column", "id", "into", "x"), "to NAME"),
                (2, ("drop", "column", "d", "--first"), "drop column PATH takes no --first"),
                (2, ("update", "column", "d", "--after", "id", "--comment", "x"), "takes no --after"),
                (2, ("add", "column", "x", "int", "--optional"), "takes no --optional"),
                (2, ("set", "sort", "id", "--default", "5"), "set sort 'TERMS' takes no --default"),
                (2, ("add", "column", "x", "int", "default", "5", "default", "6"), "default is given twice"),
                (2, ("add", "column", "x", "int", "default", "5", "--default", "6"), "default is given twice"),
                (2, ("add", "column", "x", "int", "comment"), "comment wants a value behind it"),
                (2, ("add", "partition", "field", "d", "as"), 'as N, not "as"'),
                (2, ("add", "column", "x", "int", "default", "abc"), '"abc" is no int: expected'),
                (2, ("add", "column", "x", "date", "default", "tomorrow"), '"tomorrow" is no date: expected YYYY-MM-DD'),
                (2, ("set", "identifier", "d"), "d"),
                (2, ("add", "partition", "field", "id"), "already"),
                (2, ("drop", "partition", "field", "d"), "no partition field d; the table has id"),
                (2, ("grow", "column"), "no such change"),
                (2, ("drop", "column"), "expected: frazil alter T drop column PATH"),
        ]:
            self.assertIn(text, self.fails(status, "alter", "a.t", *words), words)
        self.fails(4, "alter", "a.none", "drop", "column", "id")
        self.fails(4, "alter", "a.t", "add", "columns", "from", "absent.parquet")
        self.assertIn("takes no @", self.fails(2, "alter", "a.t@main", "drop", "column", "id"))

    def test_properties(self):
        self.numbers("a.t", rows=0)
        self.assertEqual(self.frazil("properties", "set", "a.t", "owner=ada", "note=a=b").out, "set owner = ada\nset note = a=b\n")
        self.assertEqual(self.frazil("properties", "get", "a.t", "note", "owner").out, "note=a=b\nowner=ada\n")
        self.assertEqual(self.frazil("properties", "get", "a.t", "--output", "json").json(),
                         {"write.parquet.compression-codec": "zstd", "owner": "ada", "note": "a=b"})
        self.assertEqual(self.frazil("properties", "remove", "a.t", "note", "absent").out, "removed note\n")
        self.assertIn("no property note", self.fails(4, "properties", "get", "a.t", "note"))
        self.assertIn("reserved", self.fails(2, "properties", "set", "a.t", "uuid=1"))
        self.assertIn("frazil upgrade", self.fails(2, "properties", "set", "a.t", "format-version=3"))
        self.assertIn("K=V", self.fails(2, "properties", "set", "a.t", "word"))

    def test_upgrade_audits_and_then_commits(self):
        self.numbers("a.t", create=("--format-version", "2"))
        dry = self.frazil("upgrade", "a.t", "--to", "3", "--dry-run").out
        self.assertIn("upgrade from format version 2 to 3\n", dry)
        self.assertIn("warning  raw files:", dry)
        self.assertIn("format version    2\n", self.frazil("describe", "a.t").out)
        made = self.frazil("upgrade", "a.t", "--to", "3", "--output", "json").json()
        self.assertEqual((made["audit"]["from"], made["audit"]["to"], made["format_version"]), (2, 3, 3))
        self.assertEqual([item["change"] for item in made["changes"]], ["upgrade"])
        self.assertEqual(set(self.column("a.t", "_row_id")), {None})
        self.frazil("delete", "a.t", "--where", "id = 3")
        self.assertEqual(sorted(self.column("a.t", "_row_id")), [0, 1, 2, 4, 5, 6, 7, 8, 9])
        self.assertIn("never back", self.fails(2, "upgrade", "a.t", "--to", "2"))
        self.assertIn("--to", self.fails(2, "upgrade", "a.t"))
        self.assertIn("nothing to change", self.frazil("upgrade", "a.t", "--to", "3").out)


if __name__ == "__main__":
    main()
