"""create, list, describe, drop, rename: tables and namespaces of the embedded catalog."""

import json
import os
import sqlite3

from command import CommandTest, main

EVERY_TYPE = (
    "a boolean, b int, c long, d float, e double, f decimal(9,2), g date, h time, i timestamp, j timestamptz, "
    "k timestamp_ns, l timestamptz_ns, m string, n uuid, o fixed(4), p binary, q unknown, r list<int>, "
    "s map<string, long>, t struct<x: int, y: list<struct<z: string>>>"
)


class Create(CommandTest):
    def metadata_file(self, table):
        location = self.frazil("describe", table, "--output", "json").json()["metadata_location"]
        with open(location.removeprefix("file://"), encoding="utf-8") as file:
            return json.load(file)

    def test_every_type_of_iceberg(self):
        out = self.frazil("create", "a.b.t", "--schema", EVERY_TYPE).out
        self.assertEqual(out, f"created table a.b.t, format version 3, at file://{self.folder}/warehouse/a/b/t\n")
        fields = self.metadata_file("a.b.t")["schemas"][0]["fields"]
        self.assertEqual(
            [f["type"] for f in fields[:17]],
            ["boolean", "int", "long", "float", "double", "decimal(9, 2)", "date", "time", "timestamp", "timestamptz",
             "timestamp_ns", "timestamptz_ns", "string", "uuid", "fixed[4]", "binary", "unknown"])
        self.assertEqual([f["type"]["type"] for f in fields[17:]], ["list", "map", "struct"])
        self.assertEqual(len(set(self.ids(fields))), len(list(self.ids(fields))))

    def ids(self, fields):
        for field in fields:
            yield field["id"]
            yield from self.ids(field["type"].get("fields", []) if isinstance(field["type"], dict) else [])

    def test_names_of_sql_and_spark(self):
        names = {
            "bigint": "long", "integer": "int", "smallint": "int", "tinyint": "int", "varchar(10)": "string", "char(3)": "string",
            "text": "string", "real": "float", "bool": "boolean", "numeric(10,3)": "decimal(10, 3)", "dec(4,2)": "decimal(4, 2)",
            "varbinary": "binary", "bytea": "binary", "double precision": "double", "timestamp_ntz": "timestamp",
            "timestamp_ltz": "timestamptz", "timestamp with time zone": "timestamptz",
            "timestamp without time zone": "timestamp", "BIGINT": "long", "String": "string", "byte": "int", "short": "int",
        }
        ddl = ", ".join(f"c{i} {name}" for i, name in enumerate(names))
        self.frazil("create", "a.t", "--schema", ddl + ", l array<bigint>, s struct<a:int, b string>, m map<int,varchar>")
        fields = self.metadata_file("a.t")["schemas"][0]["fields"]
        self.assertEqual([f["type"] for f in fields[: len(names)]], list(names.values()))
        self.assertEqual(fields[-3]["type"]["element"], "long")
        self.assertEqual([f["name"] for f in fields[-2]["type"]["fields"]], ["a", "b"])
        self.assertEqual((fields[-1]["type"]["key"], fields[-1]["type"]["value"]), ("int", "string"))

    def test_not_null_default_and_comment(self):
        self.frazil("create", "a.t", "--schema",
                    "id bigint not null comment 'the ''id''', p decimal(9,2) default 1.5 comment 'p', s string default 'x'")
        fields = self.metadata_file("a.t")["schemas"][0]["fields"]
        self.assertEqual(fields[0], {"id": 1, "name": "id", "required": True, "type": "long", "doc": "the 'id'"})
        self.assertEqual(fields[1]["write-default"], "1.50")
        self.assertEqual(fields[2]["write-default"], "x")
        self.assertNotIn("initial-default", fields[1])
        self.write("a.csv", "id\n7\n")
        self.frazil("append", "a.t", "a.csv")
        self.assertEqual(self.scan("a.t"), [{"id": 7, "p": "1.50", "s": "x"}])

    def test_partition_sort_properties_location_and_version(self):
        where = self.folder / "else where"
        self.frazil("create", "a.t", "--schema", "id long, ts timestamptz, s string, d date, e date", "--partition",
                    "id, bucket(16, id) as shard, truncate(4, s), year(ts), month(d), day(e) as h", "--sort",
                    "ts asc nulls first, bucket(4, id) desc nulls last, s", "--property", "write.delete.mode=copy-on-write",
                    "--property", "x=y=z", "--format-version", "2", "--location", f"file://{where}")
        metadata = self.metadata_file("a.t")
        self.assertEqual(metadata["format-version"], 2)
        self.assertEqual(metadata["location"], f"file://{where}")
        self.assertEqual(metadata["properties"]["x"], "y=z")
        self.assertEqual([(f["name"], f["transform"], f["field-id"]) for f in metadata["partition-specs"][0]["fields"]],
                         [("id", "identity", 1000), ("shard", "bucket[16]", 1001), ("s_trunc", "truncate[4]", 1002),
                          ("ts_year", "year", 1003), ("d_month", "month", 1004), ("h", "day", 1005)])
        self.assertEqual([(f["transform"], f["direction"], f["null-order"]) for f in metadata["sort-orders"][0]["fields"]],
                         [("identity", "asc", "nulls-first"), ("bucket[4]", "desc", "nulls-last"), ("identity", "asc", "nulls-first")])
        self.assertTrue(list(where.glob("metadata/00000-*.metadata.json")))

    def test_versions_are_3_unless_asked_and_types_of_version_3_need_it(self):
        for version in (1, 2, 3):
            out = self.frazil("create", f"v.t{version}", "--format-version", version, "--schema", "a int").out
            self.assertIn(f"format version {version}", out)
            self.assertEqual(self.metadata_file(f"v.t{version}")["format-version"], version)
        err = self.fails(2, "create", "v.x", "--schema", "a timestamp_ns", "--format-version", 2)
        self.assertIn("column a", err)
        self.assertIn("format version 3", err)
        for wrong in ("0", "4", "x", ""):
            self.fails(2, "create", "v.x", "--schema", "a int", "--format-version", wrong)
        self.fails(4, "describe", "v.x")

    def test_output_is_an_object(self):
        made = self.frazil("create", "a.t", "--schema", "a int", "--output", "json").json()
        self.assertEqual((made["table"], made["format_version"]), ("a.t", 3))
        self.assertTrue(os.path.exists(made["metadata_location"].removeprefix("file://")))

    def test_wrong_ddl_points_at_the_column(self):
        for option, text, column, words in (
                ("--schema", "a itn", 2, "expected a type"), ("--schema", "a int, a int", 7, "second column named a"),
                ("--schema", "a int,, b int", 6, ""), ("--schema", "a decimal(39,2)", 2, "P from 1 to 38"), ("--schema", "a list<int", 10, ""),
                ("--partition", "abd", 0, "near: abc"), ("--partition", "bucket(0, abc)", 7, "got 0"),
                ("--partition", "foo(abc)", 0, "got foo"), ("--sort", "abc upward", 4, "")):
            schema = [] if option == "--schema" else ["--schema", "abc int"]
            err = self.fails(2, "create", "a.t", *schema, option, text)
            self.assertIn(words, err)
            lines = err.splitlines()
            self.assertEqual(lines[1:], ["  " + text, " " * (2 + column) + "^"], err)
        self.assertEqual(self.files(), [])

    def test_an_existing_table_is_not_touched(self):
        self.frazil("create", "a.t", "--schema", "a int")
        before = self.files()
        err = self.fails(1, "create", "a.t", "--schema", "b string")
        self.assertIn("exists", err)
        self.assertEqual(self.files(), before)
        self.assertIn("a int", self.frazil("describe", "a.t").out)

    def test_names_that_could_not_be_said_again_are_refused(self):
        self.frazil("create", "a.t", "--schema", "x int")
        for name in ("a/b.c", "a.t@x", "a..b", ".b", "a."):
            err = self.fails(2, "create", name, "--schema", "x int")
            self.assertEqual(len(err.splitlines()), 1, err)
            self.fails(2, "rename", "a.t", name)
        self.fails(2, "create", "namespace", "a/b")
        self.assertEqual(self.frazil("list").out, "a\n")

    def test_describe_and_tree_take_no_ref(self):
        self.numbers("a.t")
        for verb in ("describe", "tree"):
            self.assertIn("@main", self.fails(2, verb, "a.t@main"))

    def test_a_table_needs_a_namespace_and_a_schema(self):
        self.assertIn("NAMESPACE.TABLE", self.fails(2, "create", "t", "--schema", "a int"))
        self.assertIn("--schema", self.fails(2, "create", "a.t"))
        self.fails(2, "create")


class Names(CommandTest):
    def test_namespaces_are_made_listed_and_dropped(self):
        self.frazil("create", "a.b.t", "--schema", "x int")
        self.frazil("create", "namespace", "c", "--property", "owner=ada")
        self.assertEqual(self.frazil("list").out.split(), ["a", "a.b", "c"])
        self.assertEqual(self.frazil("list", "--output", "json").json(), ["a", "a.b", "c"])
        self.assertEqual(self.frazil("list", "a.b").out.split(), ["a.b.t"])
        self.assertEqual(self.frazil("list", "a.b", "--output", "json").json(), ["a.b.t"])
        self.assertEqual(self.frazil("list", "c", "--output", "json").json(), [])
        self.assertIn("exists", self.fails(1, "create", "namespace", "c"))
        self.frazil("drop", "namespace", "c")
        self.fails(4, "drop", "namespace", "c")
        self.fails(4, "list", "c")
        self.assertIn("not empty", self.fails(2, "drop", "namespace", "a.b"))
        self.assertIn("not empty", self.fails(2, "drop", "namespace", "a"))

    def test_an_empty_catalog_lists_nothing(self):
        self.assertEqual(self.frazil("list").out, "")
        self.assertEqual(self.frazil("list", "--output", "json").json(), [])

    def test_rename_crosses_namespaces(self):
        self.numbers("a.t")
        self.fails(4, "rename", "a.t", "b.u")
        self.frazil("create", "namespace", "b")
        self.frazil("rename", "a.t", "b.u")
        self.assertEqual(self.count("b.u"), 10)
        self.fails(4, "count", "a.t")
        self.frazil("create", "b.v", "--schema", "x int")
        self.assertIn("exists", self.fails(1, "rename", "b.u", "b.v"))
        self.fails(4, "rename", "b.none", "b.w")
        self.assertEqual(self.frazil("list", "b").out.split(), ["b.u", "b.v"])

    def test_drop_keeps_files_and_purge_removes_all_of_them(self):
        self.numbers("a.t")
        self.frazil("delete", "a.t", "--where", "id = 3")
        kept = self.files()
        self.frazil("drop", "table", "a.t")
        self.assertEqual(self.files(), kept)
        self.fails(4, "drop", "table", "a.t")
        self.numbers("a.u")
        self.frazil("delete", "a.u", "--where", "id = 3")
        self.assertIn("--yes", self.fails(2, "drop", "table", "a.u", "--purge"))
        self.assertEqual(self.count("a.u"), 9)
        self.frazil("drop", "table", "a.u", "--purge", "--yes")
        self.assertEqual(self.files(), kept)
        self.fails(4, "count", "a.u")

    def test_describe(self):
        self.numbers("a.t", extra=", ts timestamptz", create=("--partition", "day(ts)", "--sort", "id desc", "--property", "k=v"))
        text = self.frazil("describe", "a.t").out
        for word in ("id long not null", "day(ts) as ts_day", "id desc nulls last", "k = v", f"file://{self.folder}/warehouse/a/t"):
            self.assertIn(word, text)
        found = self.frazil("describe", "a.t", "--output", "json").json()
        self.assertEqual((found["identifier"], found["format_version"], found["properties"]["k"]), ("a.t", 3, "v"))
        self.assertEqual(found["schema"]["fields"][0], {"id": 1, "name": "id", "required": True, "type": "long"})
        self.assertEqual(found["current_snapshot"]["snapshot_id"], self.snapshot_ids("a.t")[0])
        self.fails(4, "describe", "a.none")

    def test_the_catalog_is_the_file_that_pyiceberg_and_java_open(self):
        self.numbers("a.t")
        with sqlite3.connect(self.folder / "warehouse" / "catalog.db") as catalog:
            row = catalog.execute("select catalog_name, table_namespace, table_name, metadata_location, iceberg_type "
                                  "from iceberg_tables").fetchall()
        self.assertEqual(len(row), 1)
        self.assertEqual((row[0][:3], row[0][4]), (("default", "a", "t"), "TABLE"))
        self.assertTrue(row[0][3].startswith(f"file://{self.folder}/warehouse/a/t/metadata/00001-"))


class Configuration(CommandTest):
    def test_warehouse_and_catalog_come_from_flags_environment_and_pyiceberg(self):
        self.frazil("create", "a.t", "--schema", "x int", "--warehouse", self.folder / "w1")
        self.assertTrue((self.folder / "w1/catalog.db").exists())
        self.environment["FRAZIL_WAREHOUSE"] = str(self.folder / "w2")
        self.frazil("create", "a.t", "--schema", "x int")
        self.assertTrue((self.folder / "w2/catalog.db").exists())
        self.assertEqual(self.frazil("list", "a", "--warehouse", self.folder / "w1").out, "a.t\n")
        del self.environment["FRAZIL_WAREHOUSE"]
        self.write(".pyiceberg.yaml", "catalog:\n  default:\n    type: sql\n    uri: sqlite:///%s/y.db\n    warehouse: file://%s/w3\n"
                   "  other:\n    type: sql\n    uri: sqlite:///%s/o.db\n    warehouse: file://%s/w4\n" % ((self.folder,) * 4))
        self.assertIn("/w3/", self.frazil("create", "a.t", "--schema", "x int").out)
        self.environment["FRAZIL_CATALOG"] = "other"
        self.assertIn("/w4/", self.frazil("create", "a.t", "--schema", "x int").out)
        del self.environment["FRAZIL_CATALOG"]
        self.environment["PYICEBERG_CATALOG__DEFAULT__WAREHOUSE"] = f"file://{self.folder}/w5"
        self.assertIn("/w5/", self.frazil("create", "b.t", "--schema", "x int").out)
        self.assertIn("/w4/", self.frazil("create", "b.t", "--schema", "x int", "--catalog", "other").out)

    def test_an_unknown_kind_of_catalog_is_refused_by_name(self):
        self.write(".pyiceberg.yaml", "catalog:\n  default:\n    type: glue\n")
        self.assertIn("glue", self.fails(7, "list"))


if __name__ == "__main__":
    main()
