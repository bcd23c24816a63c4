"""delete: modes and defaults, whole files by metadata, and what each format version writes."""

from command import CommandTest, main


class Delete(CommandTest):
    def delete(self, table, where, *options):
        return self.frazil("delete", table, "--where", where, "--output", "json", *options).json()

    def kinds(self, table):
        """(content, file format) of the live files."""
        return sorted((f["content"], f["file_format"]) for f in self.metadata("files", table))

    def test_version_3_writes_deletion_vectors(self):
        self.numbers("a.t")
        made = self.delete("a.t", "id = 3 or name = 'n7'")
        self.assertEqual((made["operation"], made["summary"]["added-dvs"], made["summary"]["added-position-deletes"]), ("delete", "1", "2"))
        self.assertEqual(self.kinds("a.t"), [(0, "PARQUET"), (1, "PUFFIN")])
        self.assertEqual(self.column("a.t", "id"), [0, 1, 2, 4, 5, 6, 8, 9])
        self.delete("a.t", "id = 4")
        self.assertEqual(self.kinds("a.t"), [(0, "PARQUET"), (1, "PUFFIN")])
        self.assertEqual(self.metadata("delete-files", "a.t")[0]["record_count"], 3)

    def test_version_2_writes_position_deletes_and_version_1_rewrites(self):
        self.numbers("a.two", create=("--format-version", "2"))
        self.assertEqual(self.delete("a.two", "id = 3")["operation"], "delete")
        self.assertEqual(self.kinds("a.two"), [(0, "PARQUET"), (1, "PARQUET")])
        self.numbers("a.one", create=("--format-version", "1"))
        self.assertEqual(self.delete("a.one", "id = 3")["operation"], "overwrite")
        self.assertEqual(self.kinds("a.one"), [(0, "PARQUET")])
        for table in ("a.one", "a.two"):
            self.assertEqual(self.column(table, "id"), [0, 1, 2, 4, 5, 6, 7, 8, 9])
        self.assertIn("format version 1 has no delete files", self.fails(2, "delete", "a.one", "--where", "id = 4", "--mode", "merge-on-read"))

    def test_mode_is_the_flag_then_the_property_then_merge_on_read(self):
        self.numbers("a.cow", create=("--property", "write.delete.mode=copy-on-write"))
        self.assertEqual(self.delete("a.cow", "id = 3")["operation"], "overwrite")
        self.assertEqual(self.kinds("a.cow"), [(0, "PARQUET")])
        self.delete("a.cow", "id = 4", "--mode", "merge-on-read")
        self.assertEqual(self.kinds("a.cow"), [(0, "PARQUET"), (1, "PUFFIN")])
        self.numbers("a.mor")
        self.delete("a.mor", "id = 3", "--mode", "copy-on-write")
        self.assertEqual(self.kinds("a.mor"), [(0, "PARQUET")])
        ids = self.scan("a.mor", "--select", "id,_row_id")
        self.assertEqual([r["id"] for r in ids], [r["_row_id"] for r in ids])
        self.assertIn("--mode", self.fails(2, "delete", "a.mor", "--where", "id = 1", "--mode", "lazy"))

    def test_whole_files_go_by_metadata_alone(self):
        self.frazil("create", "a.t", "--schema", "id long, d date", "--partition", "d")
        self.write("x.csv", "id,d\n" + "".join(f"{i},2024-01-0{i % 3 + 1}\n" for i in range(30)))
        self.frazil("append", "a.t", "x.csv")
        made = self.delete("a.t", "d = date '2024-01-02'")
        self.assertEqual((made["operation"], made["summary"]["deleted-data-files"], made["summary"]["deleted-records"]), ("delete", "1", "10"))
        self.assertEqual(self.kinds("a.t"), [(0, "PARQUET")] * 2)
        made = self.delete("a.t", "true")
        self.assertEqual((made["summary"]["total-records"], made["summary"]["total-data-files"]), ("0", "0"))
        self.assertEqual(self.count("a.t"), 0)

    def test_nothing_to_delete_commits_nothing(self):
        self.numbers("a.t")
        self.assertIn("nothing to commit", self.frazil("delete", "a.t", "--where", "id = 77").out)
        self.assertEqual(self.delete("a.t", "id = 77"), {"snapshot_id": None, "operation": None, "summary": {}})
        self.assertEqual(len(self.snapshot_ids("a.t")), 1)

    def test_branch_and_properties(self):
        self.numbers("a.t")
        self.frazil("append", "a.t", "numbers.csv", "--branch", "dev")
        made = self.delete("a.t", "id < 5", "--branch", "dev", "--snapshot-property", "why=test")
        self.assertEqual(made["summary"]["why"], "test")
        self.assertEqual((self.count("a.t"), self.count("a.t@dev")), (10, 10))

    def test_three_valued_logic_leaves_nulls(self):
        self.numbers("a.t", rows=0)
        self.write("x.csv", "id,name\n1,a\n2,\n3,c\n")
        self.frazil("append", "a.t", "x.csv")
        self.delete("a.t", "name <> 'a'")
        self.assertEqual(self.column("a.t", "id"), [1, 2])
        self.delete("a.t", "not (name = 'zz')")
        self.assertEqual(self.column("a.t", "id"), [2])

    def test_a_wrong_filter_changes_nothing(self):
        self.numbers("a.t")
        before = self.files()
        self.assertIn("--where", self.fails(2, "delete", "a.t"))
        self.fails(2, "delete", "a.t", "--where", "")
        self.fails(2, "delete", "a.t", "--where", "idd = 1")
        self.fails(4, "delete", "a.none", "--where", "true")
        self.assertEqual((self.files(), self.count("a.t")), (before, 10))


if __name__ == "__main__":
    main()
