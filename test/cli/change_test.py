"""update, merge, upsert, overwrite, truncate: what they change, what they keep, and what they refuse."""

import json

from command import CommandTest, main

LINEAGE = "id,name,_row_id,_last_updated_sequence_number"


class Change(CommandTest):
    def change(self, verb, *arguments):
        return self.frazil(verb, *arguments, "--output", "json").json()

    def lineage(self, table, *options):
        return sorted(tuple(row.values()) for row in self.scan(table, "--select", LINEAGE, *options))

    def names(self, table, *options):
        return sorted(tuple(row.values()) for row in self.scan(table, "--select", "id,name", *options))

    def jsonl(self, name, *rows):
        return self.write(name, "".join(json.dumps(row) + "\n" for row in rows))

    def test_update_by_vectors_and_by_rewriting_keep_row_ids(self):
        for table, mode in (("a.mor", "merge-on-read"), ("a.cow", "copy-on-write")):
            self.numbers(table, 4)
            made = self.change("update", table, "--set", "name = upper(name) || '!'", "--where", "id >= 2", "--mode", mode)
            self.assertEqual(made["operation"], "overwrite")
            self.assertEqual("added-dvs" in made["summary"], mode == "merge-on-read")
            self.assertEqual(self.lineage(table), [(0, "n0", 0, 1), (1, "n1", 1, 1), (2, "N2!", 2, 2), (3, "N3!", 3, 2)])

    def test_update_mode_is_the_flag_then_the_property(self):
        self.numbers("a.t", create=("--property", "write.update.mode=copy-on-write"))
        self.assertNotIn("added-dvs", self.change("update", "a.t", "--set", "name = 'x'", "--where", "id = 1")["summary"])
        made = self.change("update", "a.t", "--set", "name = 'x'", "--where", "id = 2", "--mode", "merge-on-read")
        self.assertEqual(made["summary"]["added-dvs"], "1")
        self.assertIn("--mode", self.fails(2, "update", "a.t", "--set", "name = 'x'", "--mode", "lazy"))

    def test_update_refuses_with_place_or_row(self):
        self.numbers("a.t", 3)
        before = self.files()
        self.assertIn("--set", self.fails(2, "update", "a.t", "--where", "id = 1"))
        self.assertIn("no column nome", self.fails(2, "update", "a.t", "--set", "nome = 'x'"))
        self.assertIn("not taken as", self.fails(2, "update", "a.t", "--set", "name = id"))
        self.assertIn("row at position 0 of", self.fails(2, "update", "a.t", "--set", "id = 9223372036854775807 + id + 1"))
        self.assertIn("null in the required column id", self.fails(2, "update", "a.t", "--set", "id = null", "--where", "id = 2"))
        self.assertEqual(self.files(), before)

    def test_a_wrong_formula_or_condition_points_at_its_column(self):
        self.numbers("a.t", 1)
        self.jsonl("one.jsonl", {"id": 0, "name": "x"})
        merge = ("merge", "a.t", "one.jsonl", "--on", "id", "--when-matched", "update")
        for command, text, column in (
                (("update", "a.t", "--where", "id = 123456789", "--set", "id = 1.5"), "id = 1.5", 5),
                ((*merge, "--set", "name = nome"), "name = nome", 7),
                ((*merge, "--and", "source.nome = 'x'", "--set", "name = 'y'"), "source.nome = 'x'", 7)):
            self.assertEqual(self.fails(2, *command).splitlines()[1:], ["  " + text, " " * (2 + column) + "^"])
        several = (*merge, "--and", "id = 1", "--when-matched", "update", "--and", "nome = 1")
        self.assertEqual(len(self.fails(2, *several).splitlines()), 1, "which --and it is about is not told")

    def test_update_of_every_row_and_on_a_branch(self):
        self.numbers("a.t", 3)
        self.change("update", "a.t", "--set", "name = 'b'", "--branch", "audit", "--where", "id = 0")
        self.assertEqual(self.names("a.t@audit"), [(0, "b"), (1, "n1"), (2, "n2")])
        self.assertEqual(self.names("a.t"), [(0, "n0"), (1, "n1"), (2, "n2")])
        made = self.change("update", "a.t", "--set", "id = id + 10, name = DEFAULT")
        self.assertEqual(made["summary"]["deleted-data-files"], "1")
        self.assertEqual(self.names("a.t"), [(10, None), (11, None), (12, None)])

    def test_upsert(self):
        self.numbers("a.t", 3)
        self.jsonl("new.jsonl", {"id": 1, "name": "one"}, {"id": 7, "name": "seven"})
        made = self.change("upsert", "a.t", "new.jsonl", "--on", "id")
        self.assertEqual(made["operation"], "overwrite")
        self.assertEqual(self.names("a.t"), [(0, "n0"), (1, "one"), (2, "n2"), (7, "seven")])
        self.assertEqual(self.lineage("a.t", "--where", "id = 1"), [(1, "one", 1, 2)])
        self.jsonl("twice.jsonl", {"id": 1, "name": "x"}, {"id": 1, "name": "y"})
        self.assertIn("the key id = 1 stands in the input more than once", self.fails(2, "upsert", "a.t", "twice.jsonl", "--on", "id"))
        self.assertIn("--on", self.fails(2, "upsert", "a.t", "new.jsonl"))
        self.assertIn("no column ID", self.fails(2, "upsert", "a.t", "new.jsonl", "--on", "ID"))

    def test_the_key_is_the_identifier_fields_by_default(self):
        self.numbers("a.t", 3)
        self.jsonl("new.jsonl", {"id": 1, "name": "one"}, {"id": 7, "name": "seven"})
        for words in (("upsert", "a.t", "new.jsonl"), ("merge", "a.t", "new.jsonl", "--when-matched", "delete")):
            self.assertIn("no identifier fields: name the columns of the key (--on)", self.fails(2, *words))
        self.frazil("alter", "a.t", "set", "identifier", "id")
        self.change("upsert", "a.t", "new.jsonl")
        self.assertEqual(self.names("a.t"), [(0, "n0"), (1, "one"), (2, "n2"), (7, "seven")])
        self.change("merge", "a.t", "new.jsonl", "--when-matched", "delete")
        self.assertEqual(self.names("a.t"), [(0, "n0"), (2, "n2")])

    def test_keys_of_doubles_are_equal_where_sql_says_so(self):
        self.frazil("create", "a.t", "--schema", "d double, name string")
        self.write("x.csv", "d,name\n0.0,zero\nNaN,nan\n1.5,more\n")
        self.frazil("append", "a.t", "x.csv")
        self.write("y.csv", "d,name\n-0.0,ZERO\nnan,NAN\n")
        self.change("upsert", "a.t", "y.csv", "--on", "d")
        self.assertEqual(sorted(self.column("a.t", "name")), ["NAN", "ZERO", "more"])

    def test_upsert_keeps_what_no_line_has(self):
        self.frazil("create", "a.t", "--schema", "id long, name string, s struct<a: long, b: string>, source string")
        self.jsonl("all.jsonl", {"id": 1, "name": "one", "s": {"a": 1, "b": "b"}, "source": "x"})
        self.frazil("append", "a.t", "all.jsonl")
        self.jsonl("some.jsonl", {"id": 1, "s": {"a": 2}})
        self.change("upsert", "a.t", "some.jsonl", "--on", "id")
        self.assertEqual(self.scan("a.t"), [{"id": 1, "name": "one", "s": {"a": 2, "b": "b"}, "source": "x"}])
        self.write("some.csv", "id,source\n1,y\n2,z\n")
        self.change("merge", "a.t", "some.csv", "--on", "id", "--source-name", "new", "--when-matched", "update", "--and",
                    "new.source = 'y' and source = 'x'", "--set", "source = new.source || source")
        self.assertEqual(self.scan("a.t"), [{"id": 1, "name": "one", "s": {"a": 2, "b": "b"}, "source": "yx"}])
        self.assertIn("--source-name", self.fails(2, "merge", "a.t", "some.csv", "--on", "id", "--when-matched", "update", "--and", "id = 1"))

    def test_merge_with_conditions(self):
        self.numbers("a.t", 5)
        self.jsonl("changes.jsonl", {"id": 0, "name": "gone"}, {"id": 1, "name": "x"}, {"id": 2, "name": "y"}, {"id": 9, "name": "z"})
        made = self.change("merge", "a.t", "changes.jsonl", "--on", " id ", "--when-matched", "delete", "--and", "source.name = 'gone'",
                           "--when-matched", "update", "--and", "id < 2", "--set", "name = name || source.name", "--when-not-matched", "insert")
        self.assertEqual(made["operation"], "overwrite")
        self.assertEqual(self.names("a.t"), [(1, "n1x"), (2, "n2"), (3, "n3"), (4, "n4"), (9, "z")])
        self.change("merge", "a.t", "changes.jsonl", "--on", "id,name", "--when-not-matched-by-source", "delete")
        self.assertEqual(self.names("a.t"), [(9, "z")])

    def test_columns_compare_with_columns(self):
        """A Bloom filter or dictionary of one column says nothing of two; nor do its bounds."""
        bloom = [word for name in "abs" for word in ("--property", f"write.parquet.bloom-filter-enabled.column.{name}=true")]
        for file_format in ("parquet", "avro"):
            table = f"a.{file_format}"
            self.frazil("create", table, "--schema", "id int, a long, b int, s string, p struct<s: string>", "--partition", "a", *bloom,
                        "--property", f"write.format.default={file_format}")
            self.jsonl("rows.jsonl", *({"id": i, "a": i % 3, "b": i % 5 if i % 7 else None, "s": "x" * (i % 2), "p": {"s": "x"}} for i in range(30)))
            self.frazil("append", table, "rows.jsonl")
            kept = [i for i in range(30) if i % 7 and i % 3 == i % 5]
            self.assertEqual(sorted(row["id"] for row in self.scan(table, "--where", "a = b")), kept)
            self.assertEqual(self.frazil("count", table, "--where", "s <> p.s").out.strip(), "15")
            self.change("update", table, "--set", "s = 'same'", "--where", "a = b and s = p.s")
            self.assertEqual(sorted(row["id"] for row in self.scan(table, "--where", "s = 'same'")), [i for i in kept if i % 2])
            self.change("delete", table, "--where", "not a = b")
            self.assertEqual(sorted(row["id"] for row in self.scan(table)), sorted(kept + list(range(0, 30, 7))))
        self.assertEqual(self.frazil("snapshots", "a.avro", "--where", "snapshot_id = parent_id", "--output", "jsonl").out, "")
        self.assertEqual(len(self.frazil("snapshots", "a.avro", "--where", "committed_at = committed_at", "--output", "jsonl").out.splitlines()), 3)

    def test_merge_refuses_what_it_cannot_mean(self):
        self.numbers("a.t", 2)
        self.jsonl("one.jsonl", {"id": 1, "name": "x"})
        merge = ("merge", "a.t", "one.jsonl", "--on", "id")
        self.assertIn("merge wants", self.fails(2, *merge))
        self.assertIn("update or delete", self.fails(2, *merge, "--when-matched", "insert"))
        self.assertIn("is insert", self.fails(2, *merge, "--when-not-matched", "update"))
        self.assertIn("is delete", self.fails(2, *merge, "--when-not-matched-by-source", "update"))
        self.assertIn("behind the --when-matched", self.fails(2, *merge, "--and", "id = 1", "--when-matched", "update"))
        self.assertIn("behind --when-matched update", self.fails(2, *merge, "--when-matched", "delete", "--set", "id = 1"))
        self.assertIn("--memory-limit", self.fails(2, *merge, "--when-matched", "delete", "--memory-limit", "0"))
        self.assertIn("only the last", self.fails(2, *merge, "--when-matched", "delete", "--when-matched", "update"))

    def test_overwrite_by_filter(self):
        self.numbers("a.t", 6)
        self.write("new.csv", "id,name\n2,two\n4,four\n")
        made = self.change("overwrite", "a.t", "new.csv", "--where", "id between 2 and 4")
        self.assertEqual(made["operation"], "overwrite")
        self.assertEqual(self.names("a.t"), [(0, "n0"), (1, "n1"), (2, "two"), (4, "four"), (5, "n5")])
        self.assertIn("row 2 of the input does not match", self.fails(2, "overwrite", "a.t", "new.csv", "--where", "id < 3"))
        self.assertIn("--where E", self.fails(2, "overwrite", "a.t", "new.csv"))
        self.assertIn("--where E", self.fails(2, "overwrite", "a.t", "new.csv", "--where", "true", "--dynamic"))

    def test_overwrite_of_partitions(self):
        self.frazil("create", "a.t", "--schema", "id long, d date", "--partition", "d")
        self.write("x.csv", "id,d\n" + "".join(f"{i},2024-01-0{i % 3 + 1}\n" for i in range(9)))
        self.frazil("append", "a.t", "x.csv")
        self.write("y.csv", "id,d\n100,2024-01-02\n101,2024-01-05\n")
        made = self.change("overwrite", "a.t", "y.csv", "--dynamic")
        self.assertEqual((made["summary"]["deleted-data-files"], made["summary"]["deleted-records"]), ("1", "3"))
        self.assertEqual(sorted(self.column("a.t", "id")), [0, 2, 3, 5, 6, 8, 100, 101])

    def test_truncate(self):
        self.numbers("a.t", 3)
        made = self.change("truncate", "a.t")
        self.assertEqual((made["operation"], made["summary"]["total-records"]), ("delete", "0"))
        self.assertEqual(self.count("a.t"), 0)


if __name__ == "__main__":
    main()
