"""add-files: files that are there become data files; what is refused leaves the table as it was."""

from command import CommandTest, main


class Load(CommandTest):
    def parquet(self, name, rows, schema):
        """A Parquet file without field ids, as other writers make them: columns of `schema`, rows of CSV."""
        table = f"made.t{abs(hash(name)) % 10**9}"
        self.frazil("create", table, "--schema", schema)
        self.write("rows.csv", rows)
        self.frazil("append", table, "rows.csv")
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self.frazil("scan", table, "--output", "parquet", "--to", str(path))
        self.frazil("drop", "table", table, "--purge", "--yes")
        return name

    def test_a_file_of_the_same_columns_is_added(self):
        self.numbers("a.t", 2)
        name = self.parquet("in/more.parquet", "id,name\n7,x\n8,y\n", "id long not null, name string")
        result = self.frazil("add-files", "a.t", name, "--snapshot-property", "by=me", "--output", "json")
        made = result.json()
        self.assertEqual((made["operation"], made["summary"]["added-records"], made["summary"]["by"]), ("append", "2", "me"))
        self.assertIn("added 1 files of 2 rows", result.err)
        self.assertIn("1 files lie outside of the table's location", result.err)
        self.assertEqual(self.frazil("add-files", "a.t@audit", name, "--skip-live", "--quiet").err, "")
        self.assertEqual(sorted(self.column("a.t", "id")), [0, 1, 7, 8])
        self.assertEqual(sorted(self.column("a.t", "_row_id")), [0, 1, 2, 3])
        path = [row["file_path"] for row in self.metadata("files", "a.t") if "more" in row["file_path"]]
        self.assertEqual(path, [f"file://{self.folder}/in/more.parquet"])
        # The file stays when its rows go.
        self.frazil("delete", "a.t", "--where", "id >= 7")
        self.assertTrue((self.folder / name).exists())

    def test_refusals_say_what_to_do_and_leave_nothing(self):
        self.numbers("a.t", 1)
        before = self.files()
        name = self.parquet("in/other.parquet", "name,id\nx,1\n", "name string, id long")
        self.assertIn("the file was written for another table", self.fails(2, "add-files", "a.t", name))
        self.assertIn("neither a file nor a folder", self.fails(4, "add-files", "a.t", "nowhere"))
        self.write("x.csv", "id\n1\n")
        self.assertIn("neither Parquet nor Avro", self.fails(7, "add-files", "a.t", "x.csv"))
        self.assertIn("not partitioned by day", self.fails(2, "add-files", "a.t", name, "--partition", "day=1"))
        good = self.parquet("in/good.parquet", "id,name\n1,x\n", "id long not null, name string")
        self.frazil("add-files", "a.t", good)
        self.assertIn("is a data file of the table already", self.fails(1, "add-files", "a.t", good))
        self.assertIn("is given twice", self.fails(2, "add-files", "a.t", good, f"file://{self.folder}/{good}"))
        self.assertEqual([f for f in self.files() if f.startswith("a/t/data")], [f for f in before if f.startswith("a/t/data")])

    def test_partitions_of_folders_and_options(self):
        self.frazil("create", "a.t", "--schema", "id long, region string, day date", "--partition", "region, day")
        for region in ("eu", "us"):
            self.parquet(f"in/region={region}/day=2026-01-02/f.parquet", "id\n1\n", "id long")
        self.frazil("add-files", "a.t", "in")
        self.assertEqual(sorted((r["region"], r["day"]) for r in self.scan("a.t")), [("eu", "2026-01-02"), ("us", "2026-01-02")])
        self.assertEqual(self.count("a.t", "--where", "region = 'us'"), 1)
        loose = self.parquet("loose.parquet", "id\n5\n", "id long")
        self.frazil("add-files", "a.t", loose, "--partition", "region=x=y", "--partition", "day=__HIVE_DEFAULT_PARTITION__")
        self.assertEqual(self.scan("a.t", "--where", "id = 5"), [{"id": 5, "region": "x=y", "day": None}])
        known = self.parquet("known.parquet", "id,region\n1,eu\n", "id long, region string")
        self.assertIn("column region holds eu to eu", self.fails(2, "add-files", "a.t", known, "--partition", "region=de"))

    def test_a_table_is_created_from_a_file(self):
        self.write("x.csv", "id,price,day,at,zip,on\n1,2.5,2026-01-02,2026-01-02T03:04:05Z,00123,true\n2,,,,x,\n")
        self.frazil("create", "a.t", "--from", "x.csv", "--partition", "day(day)", "--sort", "id desc", "--property", "k=v")
        self.assertIn("schema            id long, price double, day date, at timestamptz, zip string, on boolean", self.frazil("describe", "a.t").out)
        self.assertEqual(self.count("a.t"), 0)
        made = self.frazil("create", "a.u", "--from", "x.csv", "--with-rows", "--output", "json").json()
        self.assertEqual(made["added_records"], 2)
        self.assertEqual(len(self.snapshot_ids("a.u")), 1)
        self.assertEqual(self.column("a.u", "zip"), ["00123", "x"])
        parquet = self.parquet("p.parquet", "id,name\n1,x\n", "id long not null, name string")
        self.frazil("create", "a.p", "--from", parquet, "--with-rows")
        self.assertIn("schema            id long not null, name string", self.frazil("describe", "a.p").out)
        self.write("l.jsonl", '{"id": 1, "s": {"a": [1, 2]}}\n{"id": 2, "more": "x"}\n')
        self.frazil("create", "a.l", "--from", "l.jsonl", "--with-rows")
        self.assertEqual(self.scan("a.l"), [{"id": 1, "s": {"a": [1, 2]}, "more": None}, {"id": 2, "s": None, "more": "x"}])
        self.frazil("create", "a.s", "--schema", "id int, s struct<a: list<long>>, more string", "--from", "l.jsonl", "--with-rows")
        self.assertEqual(self.count("a.s"), 2)
        self.frazil("create", "a.n", "--from", "x.csv", "--sample-rows", "1", "--no-header", "--format", "csv")
        self.assertIn("column1", self.frazil("describe", "a.n").out)

    def test_a_table_is_created_from_another(self):
        self.numbers("a.t", 5)
        first = self.snapshot_ids("a.t")[0]
        self.frazil("delete", "a.t", "--where", "id = 3")
        made = self.frazil("create", "b.u", "--from-table", "a.t", "--where", "id >= 2", "--select", "name,id", "--output", "json").json()
        self.assertEqual(made["added_records"], 2)
        self.assertEqual(sorted(tuple(r.values()) for r in self.scan("b.u")), [("n2", 2), ("n4", 4)])
        self.assertEqual(self.snapshot_ids("b.u"), [made["snapshot_id"]])
        self.frazil("tag", "create", "a.t", "old", "--snapshot-id", str(first))
        self.frazil("create", "b.old", "--from-table", "a.t@old")
        self.assertEqual(self.count("b.old"), 5)
        self.assertEqual(self.frazil("create", "b.none", "--from-table", "a.t", "--where", "id > 99").out.splitlines()[1], "with 0 rows")
        self.assertEqual(self.count("b.none"), 0)

    def test_a_create_that_fails_leaves_nothing(self):
        self.write("x.csv", "id\n" + "".join(f"{i}\n" for i in range(20000)) + "x\n")
        bad = ("create", "new.t", "--from", "x.csv", "--sample-rows", "10", "--with-rows")
        self.assertIn('x.csv:20002: column id: "x" is no long', self.fails(2, *bad))
        self.assertEqual(self.frazil("list").out, "")
        self.assertEqual(self.files(), [])
        self.assertIn("create wants --schema", self.fails(2, "create", "new.t"))
        self.assertIn("not both", self.fails(2, "create", "new.t", "--from", "x.csv", "--from-table", "a.t"))
        self.assertIn("--with-rows goes", self.fails(2, "create", "new.t", "--schema", "id long", "--with-rows"))
        self.assertIn("go with --from-table", self.fails(2, "create", "new.t", "--from", "x.csv", "--where", "id = 1"))
        self.fails(4, "create", "new.t", "--from-table", "no.t")
        self.write("m.jsonl", '{"a": {"b": 1}}\n{"a": [1]}\n')
        self.assertIn("column a: it holds objects in some lines and arrays in others", self.fails(2, "create", "new.t", "--from", "m.jsonl"))
        self.numbers("a.t", 1)
        self.assertIn("table a.t exists", self.fails(1, "create", "a.t", "--from-table", "a.t"))

    def test_a_table_is_registered(self):
        self.numbers("a.t", 3)
        described = self.frazil("describe", "a.t", "--output", "json").json()
        self.frazil("drop", "table", "a.t")
        location = described["metadata_location"]
        made = self.frazil("register", "b.c.u", location, "--output", "json").json()
        self.assertEqual((made["uuid"], made["metadata_location"]), (described["uuid"], location))
        self.assertEqual(self.count("b.c.u"), 3)
        self.assertIn("table b.c.u exists", self.fails(1, "register", "b.c.u", location))
        self.fails(4, "register", "b.v", "nowhere")
        self.write("x.metadata.json", "{}")
        self.fails(7, "register", "b.v", "x.metadata.json")
        self.assertIn("cannot be a name", self.fails(2, "register", "b/v", location))
        self.frazil("append", "b.c.u", self.write("n.csv", "id,name\n9,n9\n"))
        self.assertEqual(self.count("b.c.u"), 4)


if __name__ == "__main__":
    main()
