"""plan, the metadata tables, tree and inspect: shapes that other programs read."""

import json

from command import CommandTest, main

FILES = ["content", "file_path", "file_format", "spec_id", "partition", "record_count", "file_size_in_bytes", "column_sizes", "value_counts",
         "null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds", "key_metadata", "split_offsets", "equality_ids",
         "sort_order_id", "first_row_id", "referenced_data_file", "content_offset", "content_size_in_bytes", "readable_metrics"]
COLUMNS = {
    "snapshots": ["committed_at", "snapshot_id", "parent_id", "operation", "manifest_list", "summary"],
    "history": ["made_current_at", "snapshot_id", "parent_id", "is_current_ancestor"],
    "refs": ["name", "type", "snapshot_id", "max_reference_age_in_ms", "min_snapshots_to_keep", "max_snapshot_age_in_ms"],
    "files": FILES,
    "data-files": FILES,
    "delete-files": FILES,
    "manifests": ["content", "path", "length", "partition_spec_id", "added_snapshot_id", "added_data_files_count",
                  "existing_data_files_count", "deleted_data_files_count", "added_delete_files_count", "existing_delete_files_count",
                  "deleted_delete_files_count", "partition_summaries"],
    "entries": ["status", "snapshot_id", "sequence_number", "file_sequence_number", "data_file", "readable_metrics"],
    "partitions": ["partition", "spec_id", "record_count", "file_count", "total_data_file_size_in_bytes", "position_delete_record_count",
                   "position_delete_file_count", "equality_delete_record_count", "equality_delete_file_count", "last_updated_at",
                   "last_updated_snapshot_id"],
    "metadata-log-entries": ["timestamp", "file", "latest_snapshot_id", "latest_schema_id", "latest_sequence_number"],
}


COLUMNS |= {
    "position-deletes": ["file_path", "pos", "row", "partition", "spec_id", "delete_file_path", "content_offset", "content_size_in_bytes"],
    "all-files": FILES,
    "all-data-files": FILES,
    "all-delete-files": FILES,
    "all-manifests": COLUMNS["manifests"] + ["reference_snapshot_id", "key_metadata"],
    "all-entries": COLUMNS["entries"],
}
WHOLE = ["snapshots", "history", "refs", "metadata-log-entries", "all-files", "all-data-files", "all-delete-files", "all-manifests",
         "all-entries"]


class Days(CommandTest):
    """Three days of ten rows; one row of the second day is deleted, and the first day as a whole."""

    def setUp(self):
        super().setUp()
        self.frazil("create", "a.t", "--schema", "id long, name string, d date", "--partition", "day(d)")
        self.write("x.csv", "id,name,d\n" + "".join(f"{i},n{i},2024-01-0{i % 3 + 1}\n" for i in range(30)))
        self.frazil("append", "a.t", "x.csv")
        self.frazil("delete", "a.t", "--where", "id = 4")
        self.frazil("delete", "a.t", "--where", "d = date '2024-01-01'")


class Plan(Days):
    def test_json_has_the_stated_shape(self):
        plan = self.frazil("plan", "a.t", "--where", "d = date '2024-01-02' and id < 11", "--output", "json").json()
        self.assertEqual(list(plan), ["snapshot_id", "levels", "bytes", "deletes_left_out_by_path", "ignored_page_indexes", "files"])
        self.assertEqual(plan["snapshot_id"], self.snapshot_ids("a.t")[-1])
        self.assertEqual([level["level"] for level in plan["levels"]], ["manifest_list", "manifest", "file", "row_group", "page", "delete_file"])
        for level in plan["levels"]:
            self.assertEqual(list(level), ["level", "considered", "kept", "dropped", "saved_bytes"])
            self.assertLessEqual(set(level["saved_bytes"]), set(level["dropped"]))
            self.assertEqual(level["considered"] - level["kept"], sum(level["dropped"].values()))
        self.assertEqual(plan["levels"][1]["dropped"], {"partition": 1})
        self.assertEqual(len(plan["files"]), 1)
        file = plan["files"][0]
        self.assertEqual(list(file), ["path", "record_count", "deletes", "residual"])
        self.assertIn("d_day=2024-01-02", file["path"])
        self.assertEqual((file["record_count"], file["residual"]), (10, "d = date '2024-01-02' AND id < 11"))
        vector = self.metadata("delete-files", "a.t")[0]
        self.assertEqual(file["deletes"], [{"path": vector["file_path"], "content": 1, "offset": vector["content_offset"],
                                            "size": vector["content_size_in_bytes"]}])
        self.assertGreater(plan["bytes"], 0)

    def test_bounds_drop_files_and_say_so(self):
        plan = self.frazil("plan", "a.t", "--where", "id > 100", "--output", "json").json()
        self.assertEqual((plan["files"], plan["bytes"]), ([], 0))
        sizes = sum(row["file_size_in_bytes"] for row in self.metadata("data-files", "a.t"))
        self.assertEqual(plan["levels"][2], {"level": "file", "considered": 2, "kept": 0, "dropped": {"column_bounds": 2},
                                             "saved_bytes": {"column_bounds": sizes}})

    def test_text_for_people(self):
        out = self.frazil("plan", "a.t", "--where", "d = date '2024-01-02'").out
        for word in ("manifest_list", "row_group", "page", "dropped: 1 by partition", "delete files found: 1", "bytes to read: "):
            self.assertIn(word, out)

    def test_an_empty_table_has_a_plan(self):
        self.frazil("create", "a.none", "--schema", "x int")
        plan = self.frazil("plan", "a.none", "--output", "json").json()
        self.assertEqual((plan["snapshot_id"], plan["files"], len(plan["levels"])), (None, [], 6))

    def test_ids_as_strings(self):
        plan = self.frazil("plan", "a.t", "--output", "json", "--json-ids", "string").json()
        self.assertEqual(plan["snapshot_id"], str(self.snapshot_ids("a.t")[-1]))
        self.assertIsInstance(plan["bytes"], int)


class Tables(Days):
    def test_columns_are_those_of_java(self):
        for verb, columns in COLUMNS.items():
            rows = self.metadata(verb, "a.t")
            self.assertTrue(rows, verb)
            for row in rows:
                self.assertEqual(list(row), columns, verb)
        self.assertEqual(list(self.metadata("entries", "a.t")[0]["data_file"]), FILES[:-1])
        self.assertEqual(list(self.metadata("manifests", "a.t")[0]["partition_summaries"][0]),
                         ["contains_null", "contains_nan", "lower_bound", "upper_bound"])

    def test_an_unpartitioned_table_has_no_partition_columns(self):
        self.numbers("a.u")
        self.assertEqual(list(self.metadata("files", "a.u")[0]), [c for c in FILES if c != "partition"])
        self.assertEqual(list(self.metadata("partitions", "a.u")[0]), COLUMNS["partitions"][2:])
        self.frazil("delete", "a.u", "--where", "id = 4")
        self.assertEqual(list(self.metadata("position-deletes", "a.u")[0]), [c for c in COLUMNS["position-deletes"] if c != "partition"])

    def test_contents(self):
        first, second, third = self.snapshot_ids("a.t")
        history = self.metadata("history", "a.t")
        self.assertEqual([(r["snapshot_id"], r["parent_id"]) for r in history], [(first, None), (second, first), (third, second)])
        self.assertEqual(self.metadata("refs", "a.t")[0]["snapshot_id"], third)
        self.assertEqual([r["operation"] for r in self.metadata("snapshots", "a.t")], ["append", "delete", "delete"])
        self.assertEqual(len(self.metadata("data-files", "a.t")), 2)
        self.assertEqual(len(self.metadata("delete-files", "a.t")), 1)
        self.assertEqual(sorted(r["status"] for r in self.metadata("entries", "a.t")), [0, 0, 1, 2])
        days = {r["partition"]["d_day"]: r for r in self.metadata("partitions", "a.t")}
        self.assertEqual((days["2024-01-02"]["record_count"], days["2024-01-02"]["position_delete_record_count"]), (10, 1))
        self.assertEqual(len(self.metadata("metadata-log-entries", "a.t")), 4)
        metrics = self.metadata("data-files", "a.t")[0]["readable_metrics"]["id"]
        self.assertEqual((metrics["value_count"], metrics["null_value_count"], metrics["lower_bound"]), (10, 0, 1))

    def test_tables_of_all_snapshots(self):
        first, second, third = self.snapshot_ids("a.t")
        self.assertEqual(len(self.metadata("all-data-files", "a.t")), 5)  # 3 added, 2 of them kept in the rewritten manifest
        self.assertEqual(len({r["file_path"] for r in self.metadata("all-data-files", "a.t")}), 3)
        self.assertEqual(len(self.metadata("all-delete-files", "a.t")), 1)
        self.assertEqual(len(self.metadata("all-files", "a.t")), 6)
        self.assertEqual(sorted(r["status"] for r in self.metadata("all-entries", "a.t")), [0, 0, 1, 1, 1, 1, 2])
        lists = [r["reference_snapshot_id"] for r in self.metadata("all-manifests", "a.t")]
        self.assertEqual([lists.count(i) for i in (first, second, third)], [1, 2, 2])
        only = self.metadata("all-manifests", "a.t", "--where", f"reference_snapshot_id = {second}", "--select", "reference_snapshot_id")
        self.assertEqual(only, [{"reference_snapshot_id": second}] * 2)

    def test_position_deletes(self):
        vector = self.metadata("delete-files", "a.t")[0]
        deleted = self.metadata("position-deletes", "a.t")
        self.assertEqual(deleted, [{"file_path": vector["referenced_data_file"], "pos": 1, "row": None, "partition": {"d_day": "2024-01-02"},
                                    "spec_id": 0, "delete_file_path": vector["file_path"], "content_offset": vector["content_offset"],
                                    "content_size_in_bytes": vector["content_size_in_bytes"]}])
        self.frazil("create", "a.old", "--schema", "id long, name string", "--format-version", "2", "--property",
                    "write.delete.mode=merge-on-read")
        self.frazil("append", "a.old", "x.csv", status=2)  # a column that the table lacks
        self.write("y.csv", "id,name\n" + "".join(f"{i},n{i}\n" for i in range(6)))
        self.frazil("append", "a.old", "y.csv")
        self.frazil("delete", "a.old", "--where", "id in (1, 4)")
        deleted = self.metadata("position-deletes", "a.old", "--select", "pos,row.name,spec_id")
        self.assertEqual(deleted, [{"pos": 1, "row": None, "spec_id": 0}, {"pos": 4, "row": None, "spec_id": 0}])
        self.assertEqual(self.metadata("position-deletes", "a.old", "--where", "pos > 1 and row.id is null", "--select", "pos"), [{"pos": 4}])

    def test_where_and_select(self):
        files = self.metadata("files", "a.t", "--where", "partition.d_day = date '2024-01-02' and content = 0", "--select",
                              "record_count, partition.d_day, readable_metrics.id.upper_bound")
        self.assertEqual(files, [{"record_count": 10, "partition": {"d_day": "2024-01-02"}, "readable_metrics": {"id": {"upper_bound": 28}}}])
        entries = self.metadata("entries", "a.t", "--where", "status = 2 and data_file.record_count > 3", "--select", "data_file.partition")
        self.assertEqual(entries, [{"data_file": {"partition": {"d_day": "2024-01-01"}}}])
        self.assertEqual(self.metadata("snapshots", "a.t", "--where", "summary['operation'] = 'x' or operation = 'append'", "--select",
                                       "operation"), [{"operation": "append"}])
        self.assertEqual(self.metadata("partitions", "a.t", "--where", "record_count > 100"), [])
        self.assertEqual(len(self.metadata("files", "a.t", "--limit", "2")), 2)
        self.assertEqual(self.metadata("files", "a.t", "--limit", "0"), [])
        self.assertIn("no column \"file\"", self.fails(2, "files", "a.t", "--select", "file"))
        self.assertIn("_file", self.fails(2, "files", "a.t", "--select", "_file"))
        self.assertIn("--limit", self.fails(2, "files", "a.t", "--limit", "-1"))
        self.fails(2, "files", "a.t", "--where", "record_count > 'x'")

    def test_time_travel_is_for_tables_of_one_snapshot(self):
        first = self.snapshot_ids("a.t")[0]
        for verb in COLUMNS:
            if verb in WHOLE:
                self.assertIn("shows the whole table", self.fails(2, verb, "a.t@main"))
                self.fails(2, verb, "a.t", "--snapshot-id", first)
            else:
                rows = self.metadata(verb, "a.t", "--snapshot-id", first)
                self.assertEqual(len(rows), {"manifests": 1, "delete-files": 0, "position-deletes": 0}.get(verb, 3), verb)

    def test_outputs_and_ids(self):
        ids = [row["snapshot_id"] for row in self.metadata("snapshots", "a.t", "--json-ids", "string")]
        self.assertEqual(ids, [str(i) for i in self.snapshot_ids("a.t")])
        self.assertTrue(self.frazil("refs", "a.t", "--output", "csv").out.startswith("name,type,snapshot_id,"))
        self.assertEqual(json.loads(self.frazil("refs", "a.t", "--output", "jsonl").out)["name"], "main")
        self.assertIn("snapshot_id |", self.frazil("history", "a.t").out)
        described = self.frazil("describe", "a.t", "--output", "json", "--json-ids", "string").json()
        self.assertEqual(described["current_snapshot"]["snapshot_id"], ids[-1])
        self.assertEqual(described["schema"]["fields"][0]["id"], 1)

    def test_tables_of_an_empty_table(self):
        self.frazil("create", "a.none", "--schema", "x int")
        for verb in COLUMNS:
            self.assertEqual(len(self.metadata(verb, "a.none")), 1 if verb == "metadata-log-entries" else 0, verb)


class Tree(Days):
    def test_text(self):
        lines = self.frazil("tree", "a.t").out.splitlines()
        self.assertEqual(lines[0], "a.t [catalog_pointer]")
        for line, word in zip(lines[1:4], ("[metadata]  format_version 3, snapshots 3", "[snapshot]  branch main, operation delete",
                                           "[manifest_list]  manifests 2")):
            self.assertIn(word, line)
        text = "\n".join(lines)
        self.assertEqual((text.count("[data_file]"), text.count("[deletion_vector]")), (3, 1))

    def test_json(self):
        node = self.frazil("tree", "a.t", "--output", "json").json()
        kinds = []
        while node:
            kinds.append(node["kind"])
            children = node.get("children", [])
            node = children[-1] if children else None
        self.assertEqual(kinds, ["catalog_pointer", "metadata", "snapshot", "manifest_list", "delete_manifest", "deletion_vector"])


class Inspect(Days):
    def file(self, pattern):
        return sorted((self.folder / "warehouse/a/t").glob(pattern))[-1]

    def inspect(self, pattern):
        path = self.file(pattern)
        found = self.frazil("inspect", path, "--output", "json").json()
        self.assertEqual((found["file"], found["size"]), (str(path), path.stat().st_size))
        self.assertIn(f"kind: {found['kind']}\n", self.frazil("inspect", path).out)
        self.assertEqual(self.frazil("inspect", f"file://{path}", "--output", "json").json()["kind"], found["kind"])
        return found, self.frazil("inspect", path, "--rows").rows()

    def test_metadata_json(self):
        found, rows = self.inspect("metadata/*.metadata.json")
        self.assertEqual((found["kind"], found["format_version"], found["snapshots"]), ("metadata", 3, 3))
        self.assertEqual([r["snapshot_id"] for r in rows], self.snapshot_ids("a.t"))

    def test_avro(self):
        found, rows = self.inspect("metadata/snap-*.avro")
        self.assertEqual((found["kind"], found["schema"]["name"]), ("avro", "manifest_file"))
        self.assertIn("manifest_path", rows[0])
        found, rows = self.inspect("metadata/*-m0.avro")
        self.assertEqual((found["metadata"]["format-version"], found["schema"]["name"]), ("3", "manifest_entry"))
        self.assertIn("file_path", rows[0]["data_file"])

    def test_parquet(self):
        found, rows = self.inspect("data/d_day=2024-01-02/*.parquet")
        self.assertEqual((found["kind"], found["rows"]), ("parquet", 10))
        self.assertEqual([(c["path"], c["field_id"]) for c in found["columns"]], [("id", 1), ("name", 2), ("d", 3)])
        self.assertEqual(rows[1], {"id": 4, "name": "n4", "d": "2024-01-02"})

    def test_puffin(self):
        found, rows = self.inspect("data/*.puffin")
        self.assertEqual((found["kind"], found["blobs"][0]["type"]), ("puffin", "deletion-vector-v1"))
        self.assertEqual(found["blobs"][0]["properties"]["cardinality"], "1")
        self.assertEqual(rows[0]["referenced_data_file"], found["blobs"][0]["properties"]["referenced-data-file"])

    def test_limit_and_outputs(self):
        path = self.file("data/d_day=2024-01-02/*.parquet")
        self.assertEqual(len(self.frazil("inspect", path, "--rows", "--limit", 3).rows()), 3)
        self.assertEqual(self.frazil("inspect", path, "--rows", "--limit", 0).out, "")
        self.assertEqual(len(self.frazil("inspect", path, "--rows", "--limit", 3, "--output", "json").json()), 3)
        self.assertEqual(self.frazil("inspect", path, "--rows", "--output", "csv").out.splitlines()[0], "id,name,d")
        self.fails(2, "inspect", path, "--rows", "--limit", -1)

    def test_what_is_none_of_them(self):
        self.assertIn("starts with bytes 69 64", self.fails(7, "inspect", "x.csv"))
        self.fails(7, "inspect", self.write("empty", ""))
        self.fails(4, "inspect", "none.parquet")
        self.assertIn("folder", self.fails(4, "inspect", self.folder))


if __name__ == "__main__":
    main()
