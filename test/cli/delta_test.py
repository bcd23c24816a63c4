"""Upserts by equality deletes, and data and delete files in Avro: what the command writes, and what it refuses."""

import json

from command import CommandTest, main


class Delta(CommandTest):
    def change(self, verb, *arguments):
        return self.frazil(verb, *arguments, "--output", "json").json()

    def names(self, table, *options):
        return sorted((tuple(row.values()) for row in self.scan(table, "--select", "id,name", *options)), key=str)

    def jsonl(self, name, *rows):
        return self.write(name, "".join(json.dumps(row) + "\n" for row in rows))

    def formats(self, table):
        return sorted((row["content"], row["file_format"], row["record_count"]) for row in self.metadata("files", table))

    def test_keys_stand_in_their_order(self):
        self.numbers("a.t", 3)
        self.jsonl("new.jsonl", *({"id": i * 37 % 101, "name": f"n{i * 53 % 101:03}"} for i in range(101)))
        for keys, order in (("id", "id"), ("name,id", "name")):
            self.change("upsert", "a.t", "new.jsonl", "--on", keys, "--equality-deletes")
            made = [row["file_path"] for row in self.metadata("delete-files", "a.t")
                    if row["content"] == 2 and len(row["equality_ids"]) == len(keys.split(","))]
            rows = [json.loads(line) for path in self.folder.rglob(made[0].rsplit("/", 1)[-1])
                    for line in self.frazil("inspect", str(path), "--rows").out.splitlines()]
            self.assertEqual((len(rows), [row[order] for row in rows]), (101, sorted(row[order] for row in rows)))

    def test_upsert_without_reading(self):
        for version, positions in (("2", (1, "PARQUET", 1)), ("3", (1, "PUFFIN", 1))):
            table = f"a.v{version}"
            self.numbers(table, 3, create=("--format-version", version))
            self.jsonl("new.jsonl", {"id": 1, "name": "one"}, {"id": 7, "name": "x"}, {"id": 7, "name": "seven"})
            made = self.change("upsert", table, "new.jsonl", "--on", "id", "--equality-deletes")
            self.assertEqual(made["operation"], "overwrite")
            self.assertEqual(made["summary"]["added-equality-deletes"], "2")
            self.assertEqual(made["summary"]["added-position-deletes"], "1")
            self.assertEqual(self.names(table), [(0, "n0"), (1, "one"), (2, "n2"), (7, "seven")])
            self.assertEqual(self.formats(table), [(0, "PARQUET", 3), (0, "PARQUET", 3), positions, (2, "PARQUET", 2)])
            deletes = [row for row in self.metadata("delete-files", table) if row["content"] == 2]
            self.assertEqual([row["equality_ids"] for row in deletes], [[1]])
            self.assertIsNone(deletes[0]["sort_order_id"])
            self.assertEqual(deletes[0]["readable_metrics"]["id"]["lower_bound"], 1)

    def test_rows_are_new_and_missing_columns_get_defaults(self):
        self.numbers("a.t", 2, extra=", n int default 5")
        self.write("new.csv", "id,name\n1,one\n")
        self.change("upsert", "a.t", "new.csv", "--on", "id", "--equality-deletes")
        rows = self.scan("a.t", "--select", "id,n,_row_id", "--where", "id = 1")
        self.assertEqual(rows, [{"id": 1, "n": 5, "_row_id": 2}])

    def test_keys_are_the_identifier_fields(self):
        self.numbers("a.t", 2)
        self.write("new.csv", "id,name\n1,one\n")
        self.assertIn("no identifier fields", self.fails(2, "upsert", "a.t", "new.csv", "--equality-deletes"))
        self.frazil("alter", "a.t", "set", "identifier", "id")
        self.change("upsert", "a.t", "new.csv", "--equality-deletes")
        self.assertEqual(self.names("a.t"), [(0, "n0"), (1, "one")])

    def test_partitions(self):
        self.frazil("create", "a.t", "--schema", "id long, name string")
        self.write("a.csv", "id,name\n1,a\n2,b\n")
        self.frazil("append", "a.t", "a.csv")
        self.frazil("alter", "a.t", "add", "partition", "field", "name")
        self.frazil("append", "a.t", "a.csv")
        self.write("b.csv", "id,name\n1,z\n")
        self.assertIn("partitioned by column name", self.fails(2, "upsert", "a.t", "b.csv", "--on", "id", "--equality-deletes"))
        self.assertIn("do not reach", self.fails(2, "upsert", "a.t", "b.csv", "--on", "id,name", "--equality-deletes"))
        self.change("upsert", "a.t", "b.csv", "--on", "id", "--equality-deletes", "--all-partitions")
        self.assertEqual(self.names("a.t"), [(1, "z"), (2, "b"), (2, "b")])

    def test_refusals(self):
        self.numbers("a.t", 2, extra=", x double")
        self.numbers("a.v1", 2, create=("--format-version", "1"))
        self.write("new.csv", "id,name,x\n1,one,2\n")
        self.write("short.csv", "id,name\n1,one\n")
        before = self.files()
        self.assertIn("column x (double)", self.fails(2, "upsert", "a.t", "new.csv", "--on", "x", "--equality-deletes"))
        self.assertIn("--mode", self.fails(2, "upsert", "a.t", "new.csv", "--on", "id", "--equality-deletes", "--mode", "merge-on-read"))
        self.assertIn("--all-partitions", self.fails(2, "upsert", "a.t", "new.csv", "--on", "id", "--all-partitions"))
        self.assertIn("upgrade the table", self.fails(2, "upsert", "a.v1", "short.csv", "--on", "id", "--equality-deletes").replace("\n", " "))
        self.assertEqual(self.files(), before)

    def test_a_branch_and_the_memory_limit(self):
        self.numbers("a.t", 2)
        self.write("many.csv", "id,name\n" + "".join(f"{i % 5000},x{i}\n" for i in range(20000)))
        self.change("upsert", "a.t@side", "many.csv", "--on", "id", "--equality-deletes", "--memory-limit", "1")
        self.assertEqual(self.count("a.t"), 2)
        self.assertEqual(self.count("a.t@side"), 5000)
        self.assertEqual(self.names("a.t@side", "--where", "id = 17"), [(17, "x15017")])

    def test_avro_data_and_delete_files(self):
        self.numbers("a.t", 4, create=("--property", "write.format.default=avro", "--format-version", "2"))
        self.change("delete", "a.t", "--where", "id = 1")
        self.write("new.csv", "id,name\n2,two\n3,x\n3,three\n")
        self.change("upsert", "a.t", "new.csv", "--on", "id", "--equality-deletes")
        self.change("update", "a.t", "--set", "name = upper(name)", "--where", "id = 2", "--mode", "copy-on-write")
        self.assertEqual(self.names("a.t"), [(0, "n0"), (2, "TWO"), (3, "three")])
        self.assertEqual({row["file_format"] for row in self.metadata("files", "a.t")}, {"AVRO"})
        metrics = self.metadata("data-files", "a.t")[-1]["readable_metrics"]
        self.assertIsNone(metrics["id"]["column_size"])
        self.assertEqual(metrics["id"]["null_value_count"], 0)

    def test_orc_is_refused_by_name(self):
        self.numbers("a.t", 0, create=("--property", "write.format.default=orc"))
        self.write("new.csv", "id,name\n2,two\n")
        self.assertIn("ORC files are not written", self.fails(7, "append", "a.t", "new.csv"))


if __name__ == "__main__":
    main()
