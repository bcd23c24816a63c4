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


if __name__ == "__main__":
    main()
