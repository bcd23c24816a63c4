"""append: files of every format as one snapshot, and inputs that are refused with file, line and column."""

import subprocess

from command import FRAZIL, CommandTest, main

COLUMNS = "id int not null, s string, d decimal(5,2), ts timestamp, b boolean, u uuid, l list<int>, f float"


class Append(CommandTest):
    def test_files_of_all_formats_become_one_snapshot(self):
        self.frazil("create", "a.t", "--schema", "id long, name string")
        self.write("a.csv", "id,name\n1,one\n")
        self.write("b.jsonl", '{"id": 2, "name": "two"}\n{"name": "none", "id": 3}\n')
        self.frazil("append", "a.t", "a.csv")
        self.frazil("scan", "a.t", "--to", "c.parquet")
        made = self.frazil("append", "a.t", "a.csv", "b.jsonl", "c.parquet", "--output", "json").json()
        self.assertEqual(made["operation"], "append")
        self.assertEqual((made["summary"]["added-records"], made["summary"]["total-records"]), ("4", "5"))
        self.assertEqual(self.snapshot_ids("a.t")[-1], made["snapshot_id"])
        self.assertEqual(len(self.snapshot_ids("a.t")), 2)
        self.assertEqual(sorted(self.column("a.t", "id")), [1, 1, 1, 2, 3])

    def test_format_is_told_when_the_name_does_not(self):
        self.numbers("a.t", rows=0)
        self.write("rows.txt", "id\n1\n")
        self.assertIn("xml", self.fails(2, "append", "a.t", "rows.txt", "--format", "xml"))
        self.frazil("append", "a.t", "rows.txt", "--format", "csv")
        self.write("rows2.txt", '{"id": 2}\n')
        self.frazil("append", "a.t", "rows2.txt", "--format", "jsonl")
        self.frazil("scan", "a.t", "--to", "rows3.bin", "--output", "parquet")
        self.frazil("append", "a.t", "rows3.bin", "--format", "parquet")
        self.assertEqual(sorted(self.column("a.t", "id")), [1, 1, 2, 2])

    def test_branch_and_snapshot_properties(self):
        self.numbers("a.t")
        self.write("more.csv", "id\n77\n")
        made = self.frazil("append", "a.t", "more.csv", "--branch", "audit", "--snapshot-property", "who=ada",
                           "--snapshot-property", "why=a=b", "--output", "json").json()
        self.assertEqual((made["summary"]["who"], made["summary"]["why"]), ("ada", "a=b"))
        self.assertEqual((self.count("a.t"), self.count("a.t@audit"), self.count("a.t", "--ref", "audit")), (10, 11, 11))
        self.fails(2, "append", "a.t", "more.csv", "--snapshot-property", "novalue")

    def test_a_branch_is_named_behind_the_table_too(self):
        self.numbers("a.t")
        self.write("more.csv", "id\n77\n")
        self.frazil("append", "a.t@audit", "more.csv")
        self.frazil("delete", "a.t@audit", "--where", "id = 0")
        self.assertEqual((self.count("a.t"), self.count("a.t@audit")), (10, 10))
        self.assertIn("not both", self.fails(2, "append", "a.t@audit", "more.csv", "--branch", "audit"))
        self.assertIn("needs a name", self.fails(2, "append", "a.t@", "more.csv"))

    def test_a_staged_snapshot_moves_no_branch(self):
        self.numbers("a.t")
        self.write("more.csv", "id\n77\n")
        made = self.frazil("append", "a.t", "more.csv", "--wap-id", "load-7", "--output", "json").json()
        self.assertEqual(made["summary"]["wap.id"], "load-7")
        self.assertEqual((self.count("a.t"), self.count("a.t", "--snapshot-id", str(made["snapshot_id"]))), (10, 11))
        self.assertEqual(len(self.metadata("history", "a.t")), 1)
        self.fails(2, "append", "a.t", "more.csv", "--wap-id", "")

    def test_a_key_is_committed_once(self):
        self.frazil("create", "a.t", "--schema", "id long, name string")
        rows = self.write("r.csv", "id,name\n1,a\n2,b\n")
        key = ("--idempotency-key", "load-7")
        first = self.frazil("append", "a.t", rows, *key, "--output", "json").json()
        self.assertEqual(first["summary"]["frazil.idempotency-key"], "load-7")
        self.assertNotIn("already_committed", first)
        again = self.frazil("append", "a.t", rows, *key)
        self.assertEqual(again.out, f"already committed as snapshot {first['snapshot_id']}\n")
        told = self.frazil("append", "a.t", rows, *key, "--output", "json").json()
        self.assertEqual((told["snapshot_id"], told["already_committed"]), (first["snapshot_id"], True))
        self.frazil("delete", "a.t", "--where", "id = 1", "--idempotency-key", "gone")
        self.frazil("append", "a.t", self.write("one.csv", "id,name\n1,c\n"))
        self.frazil("delete", "a.t", "--where", "id = 1", "--idempotency-key", "gone")
        self.assertEqual(self.count("a.t"), 2)
        self.fails(2, "append", "a.t", rows, "--idempotency-key", "")

    def test_of_loaders_at_once_with_one_key_one_lands(self):
        self.frazil("create", "a.t", "--schema", "id long, name string")
        rows = self.write("r.csv", "id,name\n1,a\n2,b\n")
        command = [FRAZIL, "append", "a.t", str(rows), "--idempotency-key", "load-7"]
        loaders = [subprocess.Popen(command, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, text=True) for _ in range(6)]
        said = [loader.communicate(timeout=120)[0] for loader in loaders]
        self.assertEqual([loader.returncode for loader in loaders], [0] * 6)
        self.assertEqual(sum(text.startswith("already committed as snapshot ") for text in said), 5, said)
        self.assertEqual(self.count("a.t"), 2)
        self.assertEqual(len(list((self.folder).rglob("*.parquet"))), 1)

    def test_csv_null_empty_quotes_and_line_ends(self):
        self.numbers("a.t", rows=0)
        self.write("a.csv", 'name,id\r\n,1\r\n"",2\r\n"a ""q"", b\nc",3\r\nplain,4')
        self.frazil("append", "a.t", "a.csv")
        self.assertEqual([(r["id"], r["name"]) for r in self.scan("a.t")], [(1, None), (2, ""), (3, 'a "q", b\nc'), (4, "plain")])

    def test_output_for_people_names_the_snapshot(self):
        self.numbers("a.t", rows=0)
        self.write("a.csv", "id\n1\n")
        out = self.frazil("append", "a.t", "a.csv").out
        self.assertIn(f"snapshot {self.snapshot_ids('a.t')[0]}\noperation append\n", out)
        self.assertRegex(out, r"added-records +1\n")

    def test_rows_go_to_their_partitions_in_the_order_of_the_table(self):
        self.frazil("create", "a.t", "--schema", "id long, d date", "--partition", "month(d)", "--sort", "id desc")
        self.write("a.csv", "id,d\n1,2024-01-01\n5,2024-02-01\n2,2024-01-31\n9,\n3,2024-01-15\n")
        self.frazil("append", "a.t", "a.csv")
        files = self.metadata("files", "a.t")
        self.assertEqual(sorted((f["record_count"], str(f["partition"]["d_month"])) for f in files), [(1, "649"), (1, "None"), (3, "648")])
        self.assertEqual(self.column("a.t", "id", "--where", "d < date '2024-02-01'"), [3, 2, 1])
        self.assertIn("/d_month=2024-01/", " ".join(f["file_path"] for f in files))


class Refusals(CommandTest):
    """Nothing is committed, no file is left behind, and the message says where."""

    def setUp(self):
        super().setUp()
        self.frazil("create", "a.t", "--schema", COLUMNS)
        self.before = self.files()

    def refused(self, status, name, text, *words):
        self.write(name, text)
        self.write("good.csv", "id\n" + "1\n" * 3000)
        err = self.fails(status, "append", "a.t", "good.csv", name)
        for word in words:
            self.assertIn(word, err)
        self.assertEqual(self.files(), self.before, err)
        self.assertEqual(self.snapshot_ids("a.t"), [])

    def test_values_out_of_range_or_of_another_type(self):
        for column, value in (("id", "99999999999"), ("id", "-2147483649"), ("id", "x"), ("id", "1.5"), ("d", "1.234"), ("d", "1234.00"),
                              ("ts", "2024-13-01T00:00:00"), ("ts", "2023-02-29T00:00:00"), ("b", "maybe"), ("u", "zzz"), ("l", "[1"),
                              ("f", "one")):
            header, row = ("id", value) if column == "id" else (f"id,{column}", f"1,{value}")
            good = "1" if column == "id" else "1,"
            self.refused(2 if column != "l" else 7, "bad.csv", f"{header}\n{good}\n{row}\n", "bad.csv:3: ", f"column {column}")
        for column, value in (("id", "2147483648"), ("id", "1.5"), ("id", '"x"'), ("d", '"1.234"'), ("b", '"maybe"'), ("l", '["x"]'), ("u", "5")):
            row = '{"id": %s}' % value if column == "id" else '{"id": 1, "%s": %s}' % (column, value)
            self.refused(2, "bad.jsonl", '{"id": 1}\n\n' + row + "\n", "bad.jsonl:3: ", f"column {column}")

    def test_null_in_a_required_column(self):
        self.refused(2, "bad.csv", "id,s\n1,a\n,b\n", "bad.csv:3: ", "column id", "null")
        self.refused(2, "bad.jsonl", '{"id": 1}\n{"id": null}\n', "bad.jsonl:2: ", "column id", "null")
        self.refused(2, "bad.jsonl", '{"id": 1}\n{"s": "x"}\n', "bad.jsonl:2: ", "column id", "missing", "required")
        self.refused(2, "bad.csv", "s\nx\n", "column id", "required")

    def test_lines_that_do_not_parse(self):
        self.refused(7, "bad.csv", 'id,s\n1,a\n2,"b\n', "bad.csv:3: ", "column s", "quote")
        self.refused(7, "bad.csv", "id,s\n1,a,c\n", "bad.csv:2: ", "2 fields")
        self.refused(7, "bad.csv", "id,s\n1,a\n1\n", "bad.csv:3: ", "2 fields", "got 1")
        self.refused(2, "bad.csv", b"id,s\n1,\xff\xfe\n", "bad.csv:2: ", "column s", "UTF-8")
        self.refused(7, "bad.csv", "", "bad.csv", "header")
        self.refused(2, "bad.csv", "id,nosuch\n1,a\n", "bad.csv:1: ", "nosuch")
        self.refused(2, "bad.csv", "id,s,id\n1,a,2\n", "bad.csv:1: ", "id")
        self.refused(7, "bad.jsonl", '{"id":1}\n{"id":1\n', "bad.jsonl:2: ")
        self.refused(7, "bad.jsonl", '{"id":1}{"id":2}\n', "bad.jsonl:1: ")
        self.refused(7, "bad.jsonl", "[1]\n", "bad.jsonl:1: ")
        self.refused(2, "bad.jsonl", '{"id":1,"zz":1}\n', "bad.jsonl:1: ", "zz")
        self.refused(2, "bad.jsonl", '{"id":1,"id":2}\n', "bad.jsonl:1: ", "id")

    def test_parquet_that_does_not_fit(self):
        self.frazil("create", "a.wide", "--schema", "id long, s string, extra int")
        self.write("wide.jsonl", '{"id": 1}\n{"id": 5000000000}\n')
        self.frazil("append", "a.wide", "wide.jsonl")
        self.frazil("scan", "a.wide", "--to", "wide.parquet")
        self.frazil("scan", "a.wide", "--select", "id", "--to", "long.parquet")
        self.frazil("scan", "a.wide", "--select", "s", "--to", "less.parquet")
        self.before = self.files()
        for name, words in (("wide.parquet", ("wide.parquet", "extra")), ("long.parquet", ("long.parquet", "column id", "cannot be read as int")),
                            ("less.parquet", ("less.parquet", "id", "required"))):
            err = self.fails(2, "append", "a.t", name)
            for word in words:
                self.assertIn(word, err)
            self.assertEqual(self.files(), self.before)
        for text in (b"hello", b"", b"PAR1" + b"x" * 40 + b"PAR1"):
            self.write("bad.parquet", text)
            self.assertIn("bad.parquet", self.fails(7, "append", "a.t", "bad.parquet"))
            self.assertEqual(self.files(), self.before)

    def test_missing_and_forbidden_inputs(self):
        self.assertIn("none.csv", self.fails(4, "append", "a.t", "none.csv"))
        self.fails(4, "append", "a.none", "good.csv")
        self.fails(2, "append", "a.t")
        (self.folder / "folder.csv").mkdir()
        self.assertIn("folder", self.fails(4, "append", "a.t", "folder.csv"))
        self.assertEqual(self.files(), self.before)

    def test_a_type_that_is_not_written_yet_is_refused_by_name(self):
        self.frazil("create", "a.v", "--schema", "id int, v variant")
        self.write("v.jsonl", '{"id": 1, "v": {"a": 1}}\n')
        self.assertIn("variant", self.fails(7, "append", "a.v", "v.jsonl"))


if __name__ == "__main__":
    main()
