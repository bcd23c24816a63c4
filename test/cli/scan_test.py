"""scan and count: outputs, value forms, selections, limits, the exact snapshot, and T in all its forms."""

import csv
import io
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

from command import CommandTest, main

VALUES = [
    '{"a":true,"b":-2147483648,"c":9223372036854775807,"d":1.5,"e":0.1,"f":"1.50","g":"2024-02-29","h":"12:34:56.789",'
    '"i":"2024-01-02T03:04:05.123456","j":"2024-01-02T03:04:05+02:00","k":"2024-01-02T03:04:05.123456789","l":"2024-01-02T03:04:05.1Z",'
    '"m":"h\\u00e9\\"\\n","n":"F79C3E09-677C-4bbd-a479-3f349cb785e7","o":"0xdeadBEEF","p":"0x","r":[1,null,3],"s":{"x":1,"y":null},'
    '"t":{"x":1,"y":[{"z":"q"},null]},"v":[[1,"one"],[2,null]]}',
    '{"c":-9223372036854775808,"d":"NaN","e":"-Infinity","f":"-1234567.89"}',
    '{"d":"Infinity","e":"NaN"}',
]
SHOWN = (
    '{"a":true,"b":-2147483648,"c":9223372036854775807,"d":1.5,"e":0.1,"f":"1.50","g":"2024-02-29","h":"12:34:56.789000",'
    '"i":"2024-01-02T03:04:05.123456","j":"2024-01-02T01:04:05.000000Z","k":"2024-01-02T03:04:05.123456789",'
    '"l":"2024-01-02T03:04:05.100000000Z","m":"hé\\"\\n","n":"f79c3e09-677c-4bbd-a479-3f349cb785e7","o":"0xdeadbeef","p":"0x","q":null,'
    '"r":[1,null,3],"s":{"x":1,"y":null},"t":{"x":1,"y":[{"z":"q"},null]},"v":[[1,"one"],[2,null]]}\n'
)
TYPES = (
    "a boolean, b int, c long, d float, e double, f decimal(9,2), g date, h time, i timestamp, j timestamptz, k timestamp_ns, "
    "l timestamptz_ns, m string, n uuid, o fixed(4), p binary, q unknown, r list<int>, s map<string,long>, "
    "t struct<x: int, y: list<struct<z: string>>>, v map<int,string>"
)


class Values(CommandTest):
    def setUp(self):
        super().setUp()
        self.frazil("create", "a.t", "--schema", TYPES)
        self.write("v.jsonl", "\n".join(VALUES))
        self.frazil("append", "a.t", "v.jsonl")

    def test_jsonl_forms(self):
        out = self.frazil("scan", "a.t", "--output", "jsonl").out
        self.assertTrue(out.startswith(SHOWN), out)
        rows = self.scan("a.t")
        self.assertEqual((rows[1]["c"], rows[1]["d"], rows[1]["e"], rows[1]["f"]), (-(2**63), "NaN", "-Infinity", "-1234567.89"))
        self.assertEqual((rows[2]["d"], rows[2]["e"]), ("Infinity", "NaN"))
        self.assertIsNone(rows[2]["t"])

    def test_every_form_can_be_read_again(self):
        whole = self.frazil("scan", "a.t", "--output", "jsonl").out
        for name in ("x.parquet", "x.jsonl", "x.csv"):
            table = "b." + name[2:]
            self.frazil("scan", "a.t", "--to", name)
            self.frazil("create", table, "--schema", TYPES)
            self.frazil("append", table, name)
            self.assertEqual(self.frazil("scan", table, "--output", "jsonl").out, whole, name)

    def test_json_ids_as_strings(self):
        rows = self.frazil("scan", "a.t", "--select", "b,c,_row_id", "--output", "json", "--json-ids", "string").json()
        self.assertEqual(rows[0], {"b": -(2**31), "c": "9223372036854775807", "_row_id": "0"})


class Outputs(CommandTest):
    def setUp(self):
        super().setUp()
        self.numbers("a.t", rows=3)

    def test_json_jsonl_csv_and_table(self):
        self.assertEqual(self.frazil("scan", "a.t", "--output", "json").json(), [{"id": i, "name": f"n{i}"} for i in range(3)])
        self.assertEqual(self.frazil("scan", "a.t", "--output", "jsonl").out.splitlines()[2], '{"id":2,"name":"n2"}')
        rows = list(csv.reader(io.StringIO(self.frazil("scan", "a.t", "--output", "csv").out)))
        self.assertEqual(rows, [["id", "name"], ["0", "n0"], ["1", "n1"], ["2", "n2"]])
        table = self.frazil("scan", "a.t").out
        self.assertEqual([line.split() for line in table.splitlines()],
                         [["id", "|", "name"], ["----+------"], ["0", "|", "n0"], ["1", "|", "n1"], ["2", "|", "n2"]])

    def test_csv_tells_null_from_empty(self):
        self.write("e.csv", 'id,name\n8,\n9,""\n')
        self.frazil("append", "a.t", "e.csv")
        self.assertEqual(self.frazil("scan", "a.t", "--where", "id > 7", "--output", "csv").out, 'id,name\n8,\n9,""\n')

    def test_empty_results_are_well_formed(self):
        none = ("--where", "id > 100")
        self.assertEqual(self.frazil("scan", "a.t", *none, "--output", "json").json(), [])
        self.assertEqual(self.frazil("scan", "a.t", *none, "--output", "jsonl").out, "")
        self.assertEqual(self.frazil("scan", "a.t", *none, "--output", "csv").out, "id,name\n")
        self.frazil("create", "a.none", "--schema", "x int")
        self.assertEqual(self.frazil("scan", "a.none", "--output", "json").json(), [])
        self.assertEqual(self.count("a.none"), 0)

    def test_files_are_written_by_ending_or_output(self):
        for name in ("r.parquet", "r.jsonl", "r.csv", "r.json"):
            done = self.frazil("scan", "a.t", "--to", name)
            self.assertEqual((done.out, done.err), ("", f"wrote 3 rows to {name}\n"))
        self.assertEqual(self.frazil("scan", "a.t", "--to", "q.csv", "--quiet").err, "")
        self.assertEqual(json.loads((self.folder / "r.json").read_text())[1]["id"], 1)
        self.assertEqual((self.folder / "r.csv").read_text().splitlines()[0], "id,name")
        self.assertEqual(self.frazil("inspect", "r.parquet", "--output", "json").json()["rows"], 3)
        self.frazil("scan", "a.t", "--to", "x", "--output", "jsonl")
        self.assertEqual((self.folder / "x").read_text(), (self.folder / "r.jsonl").read_text())
        self.assertIn("exists", self.fails(1, "scan", "a.t", "--to", "x"))
        self.frazil("scan", "a.t", "--to", "new/folder/x.csv")
        self.assertEqual((self.folder / "new/folder/x.csv").read_text(), (self.folder / "r.csv").read_text())

    def test_parquet_goes_to_a_pipe(self):
        done = self.run_raw("scan", "a.t", "--output", "parquet")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.write("piped.parquet", done.stdout)
        self.assertEqual(self.frazil("inspect", "piped.parquet", "--rows").rows(), self.scan("a.t"))

    def test_a_failed_scan_leaves_no_file(self):
        data = next((self.folder / "warehouse").rglob("*.parquet"))
        data.write_bytes(data.read_bytes()[:100])
        self.sound = False
        self.fails(7, "scan", "a.t", "--to", "out.csv")
        self.assertFalse((self.folder / "out.csv").exists())

    def test_full_and_closed_outputs(self):
        with open("/dev/full", "wb") as full:
            done = self.run_raw("scan", "a.t", stdout=full)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr.decode(), r"^frazil: write standard output: No space left on device\n$")
        self.numbers("a.many", rows=50000)
        pipe = subprocess.run(f"'{os.environ['FRAZIL']}' scan a.many --output jsonl | head -1; echo ${{PIPESTATUS[0]}}", shell=True,
                              executable="/bin/bash", cwd=self.folder, env=self.environment, capture_output=True, check=False)
        self.assertEqual((pipe.stdout, pipe.stderr), (b'{"id":0,"name":"n0"}\n141\n', b""))


class Select(CommandTest):
    def setUp(self):
        super().setUp()
        self.frazil("create", "a.t", "--schema", 'id long, a struct<b: int, c: struct<d: string, e: int>>, l list<struct<x: int, y: int>>, '
                    '"odd, name" int, "dot.ted" int', "--partition", "bucket(2, id) as k")
        self.write("a.jsonl", "".join(
            '{"id": %d, "a": {"b": %d, "c": {"d": "s%d", "e": 1}}, "l": [{"x": 1, "y": 2}], "odd, name": 5, "dot.ted": 6}\n' % (i, i * 10, i)
            for i in range(4)))
        self.frazil("append", "a.t", "a.jsonl")

    def one(self, select):
        return self.scan("a.t", "--where", "id = 2", "--select", select)[0]

    def test_nested_columns(self):
        self.assertEqual(self.one("a.b"), {"a": {"b": 20}})
        self.assertEqual(self.one(" a.c.d , id "), {"a": {"c": {"d": "s2"}}, "id": 2})
        self.assertEqual(self.one("a.c.d,a.b"), {"a": {"b": 20, "c": {"d": "s2"}}})
        self.assertEqual(self.one("l.element.x"), {"l": [{"x": 1}]})
        self.assertEqual(list(self.one("id,a")), ["id", "a"])

    def test_quoted_names(self):
        self.assertEqual(self.one('"odd, name",id'), {"odd, name": 5, "id": 2})
        self.assertEqual(self.one('`odd, name`'), {"odd, name": 5})
        self.assertEqual(self.one('"dot.ted"'), {"dot.ted": 6})

    def test_metadata_columns_beside_the_star(self):
        row = self.one("*,_row_id,_last_updated_sequence_number,_file,_pos,_spec_id,_partition,_deleted")
        self.assertEqual(list(row), ["id", "a", "l", "odd, name", "dot.ted", "_row_id", "_last_updated_sequence_number", "_file", "_pos",
                                     "_spec_id", "_partition", "_deleted"])
        self.assertEqual((row["_last_updated_sequence_number"], row["_spec_id"], row["_deleted"]), (1, 0, False))
        self.assertTrue(row["_file"].endswith(".parquet"))
        self.assertIn(row["_partition"]["k"], (0, 1))
        self.assertEqual(sorted(self.column("a.t", "_row_id")), [0, 1, 2, 3])
        self.assertEqual(self.one("_pos, *")["id"], 2)

    def test_deleted_rows_appear_only_when_they_are_asked_for(self):
        self.frazil("delete", "a.t", "--where", "id = 2")
        self.assertEqual(sorted(self.column("a.t", "id")), [0, 1, 3])
        rows = sorted((r["id"], r["_deleted"]) for r in self.scan("a.t", "--select", "id,_deleted"))
        self.assertEqual(rows, [(0, False), (1, False), (2, True), (3, False)])
        self.assertEqual(self.scan("a.t", "--select", "id,_deleted", "--where", "_deleted"), [{"id": 2, "_deleted": True}])

    def test_wrong_names(self):
        self.assertIn("nosuch", self.fails(2, "scan", "a.t", "--select", "id,nosuch"))
        self.assertIn("near: id", self.fails(2, "scan", "a.t", "--select", "idd"))
        self.assertIn("a.c.x", self.fails(2, "scan", "a.t", "--select", "a.c.x"))
        for empty in ("", "id,", ",id", "id,,a"):
            self.assertIn("empty", self.fails(2, "scan", "a.t", "--select", empty))

    def test_limit(self):
        for limit in (0, 1, 3, 4, 100):
            self.assertEqual(len(self.scan("a.t", "--limit", limit)), min(limit, 4))
        for wrong in ("-1", "x", "1.5", "", "99999999999999999999"):
            self.assertIn("--limit", self.fails(2, "scan", "a.t", "--limit", wrong))


class TimeTravel(CommandTest):
    def setUp(self):
        super().setUp()
        self.numbers("a.t")
        time.sleep(0.005)
        self.between = time.time_ns() // 1_000_000
        time.sleep(0.005)
        self.frazil("delete", "a.t", "--where", "id < 4")
        self.first, self.second = self.snapshot_ids("a.t")

    def iso(self, ms, offset_hours=0):
        moment = time.gmtime(ms // 1000 + offset_hours * 3600)
        return time.strftime("%Y-%m-%dT%H:%M:%S", moment) + f".{ms % 1000:03}"

    def test_snapshot_id(self):
        self.assertEqual((self.count("a.t"), self.count("a.t", "--snapshot-id", self.first)), (6, 10))
        self.assertEqual(len(self.scan("a.t", "--snapshot-id", self.first, "--where", "id < 5")), 5)
        self.assertIn("no snapshot 5", self.fails(4, "scan", "a.t", "--snapshot-id", 5))
        self.fails(2, "scan", "a.t", "--snapshot-id", "x")

    def test_as_of_in_every_form(self):
        at = self.between
        for text in (str(at), self.iso(at), self.iso(at) + "Z", self.iso(at).replace("T", " "), self.iso(at) + "+00:00",
                     self.iso(at, 2) + "+02:00", self.iso(at, -8) + "-08:00"):
            self.assertEqual(self.count("a.t", "--as-of", text), 10, text)
        self.assertEqual(self.count("a.t", "--as-of", "2999-01-01"), 6)
        self.fails(4, "count", "a.t", "--as-of", "2020-01-01")
        self.fails(4, "count", "a.t", "--as-of", self.iso(at) + "+02:00")
        for wrong in ("yesterday", "2024-13-01", "", "2024-01-01T25:00:00"):
            self.assertIn("ISO 8601", self.fails(2, "count", "a.t", "--as-of", wrong))

    def test_refs(self):
        self.write("x.csv", "id\n100\n")
        self.frazil("append", "a.t", "x.csv", "--branch", "dev")
        self.assertEqual((self.count("a.t", "--ref", "dev"), self.count("a.t@dev"), self.count("a.t", "--ref", "main")), (7, 7, 6))
        self.assertIn("nosuch", self.fails(4, "count", "a.t@nosuch"))
        for two in (("a.t@dev", "--ref", "main"), ("a.t@dev", "--snapshot-id", self.first), ("a.t", "--ref", "dev", "--as-of", "2999-01-01")):
            self.assertIn("not several", self.fails(2, "count", *two))

    def test_rows_appended_between_two_snapshots(self):
        self.write("x.csv", "id\n100\n101\n")
        self.frazil("append", "a.t", "x.csv")
        self.frazil("append", "a.t", "x.csv")
        third, last = self.snapshot_ids("a.t")[2:]
        ids = lambda *options: sorted(row["id"] for row in self.scan("a.t", "--select", "id", *options))
        self.assertEqual(ids("--from", self.second), [100, 100, 101, 101])
        self.assertEqual(ids("--from", self.second, "--to", third), [100, 101])
        self.assertEqual(ids("--from", third, "--ref", "main", "--where", "id > 100"), [101])
        self.assertEqual(ids("--from", last), [])
        self.assertEqual((self.count("a.t", "--from", third), self.count("a.t", "--from", self.second, "--to", third)), (2, 2))
        plan = self.frazil("plan", "a.t", "--from", third, "--to", last, "--output", "json").json()
        self.assertEqual((plan["from_snapshot_id"], plan["snapshot_id"], len(plan["files"])), (third, last, 1))
        self.assertIn("operation delete", self.fails(7, "scan", "a.t", "--from", self.first))
        self.assertIn("no ancestor", self.fails(2, "scan", "a.t", "--from", last, "--to", third))
        self.fails(4, "scan", "a.t", "--from", third, "--to", 5)
        self.assertIn("--from", self.fails(2, "count", "a.t", "--to", third))
        self.assertIn("--from", self.fails(2, "scan", "a.t", "--from", "x"))
        self.assertIn("--to", self.fails(2, "scan", "a.t", "--from", third, "--to", "x.csv"))
        self.assertIn("several", self.fails(2, "scan", "a.t", "--from", third, "--to", last, "--ref", "main"))

    def test_plan_and_metadata_tables_travel_too(self):
        plan = self.frazil("plan", "a.t", "--output", "json", "--snapshot-id", self.first).json()
        self.assertEqual((plan["snapshot_id"], plan["files"][0]["deletes"]), (self.first, []))
        self.assertEqual(len(self.metadata("files", "a.t", "--snapshot-id", self.first)), 1)
        self.assertEqual(len(self.metadata("files", "a.t")), 2)


class Location(CommandTest):
    """T as path, folder and URI, and tables that have moved."""

    def setUp(self):
        super().setUp()
        self.numbers("a.t")
        self.frazil("delete", "a.t", "--where", "id = 1")
        self.write("x.csv", "id\n100\n")
        self.frazil("append", "a.t", "x.csv", "--branch", "dev")
        self.table = self.folder / "warehouse/a/t"
        self.newest = sorted((self.table / "metadata").glob("*.metadata.json"))[-1]

    def test_metadata_file_folder_and_uri(self):
        relative = self.newest.relative_to(self.folder)
        for name in (relative, self.newest, f"file://{self.newest}", f"file:{self.newest}", "warehouse/a/t", "./warehouse/a/t/", self.table,
                     f"file://{self.table}", f"file://{self.table}/"):
            self.assertEqual(self.count(name), 9, name)
            self.assertEqual(self.count(f"{name}@dev".replace("/@", "@")), 10, name)
        self.assertFalse((self.folder / "elsewhere").exists())

    def test_a_location_needs_no_catalog(self):
        other = self.folder / "empty"
        other.mkdir()
        self.assertEqual(self.frazil("count", self.table, cwd=other).out, "9\n")
        self.assertEqual(os.listdir(other), [])

    def test_missing_places(self):
        for name in ("./none", "none/none", "file:///none/x.metadata.json", "none.json", "./none@dev"):
            self.fails(4, "count", name)
        (self.folder / "hollow/metadata").mkdir(parents=True)
        self.assertIn("holds no metadata file", self.fails(4, "count", "hollow"))
        self.assertIn("no table a.none", self.fails(4, "count", "a.none"))
        self.assertIn("NAMESPACE.TABLE", self.fails(2, "count", "none"))

    def test_version_hint_and_highest_version(self):
        metadata = self.folder / "copy/metadata"
        shutil.copytree(self.table / "metadata", metadata)
        moved = ("--path-map", f"file://{self.table}={self.table}")
        versions = sorted(metadata.glob("*.metadata.json"))
        os.rename(versions[1], metadata / "v7.metadata.json")
        os.rename(versions[2], metadata / "v8.metadata.json")
        self.assertEqual(self.count("copy", *moved), 9)
        os.rename(metadata / "v8.metadata.json", metadata / "v10.metadata.json")
        (metadata / "version-hint.text").write_text("7\n")
        self.assertEqual(self.count("copy", *moved), 9)  # a hint that lags behind hides no later version
        os.rename(metadata / "v10.metadata.json", metadata / "v6.metadata.json")
        self.assertEqual(self.count("copy", *moved), 10)
        os.rename(metadata / "v6.metadata.json", metadata / "v10.metadata.json")
        (metadata / "version-hint.text").write_text("99")
        self.assertEqual(self.count("copy", *moved), 9)
        (metadata / "version-hint.text").write_text("zz")
        self.assertIn("version-hint.text", self.fails(7, "count", "copy"))

    def test_two_files_of_the_highest_version_are_refused_and_both_named(self):
        twin = self.newest.with_name(self.newest.name[:6] + "00000000-0000-4000-8000-000000000000.metadata.json")
        shutil.copy(self.newest, twin)
        err = self.fails(2, "count", self.table)
        self.assertIn(twin.name, err)
        self.assertIn(self.newest.name, err)
        self.assertEqual(self.count(twin), 9)
        self.assertEqual(self.count("a.t"), 9)

    def test_path_map_takes_the_longest_match(self):
        moved = self.folder / "moved"
        os.rename(self.table, moved)
        old, rows = f"file://{self.table}", ("--where", "id > 4")
        self.assertIn("No such file", self.fails(4, "count", "moved", *rows))
        for new in (moved, f"file://{moved}", "moved"):
            self.assertEqual(self.count("moved", *rows, "--path-map", f"{old}={new}"), 5)
        wrong = f"file://{self.folder}/warehouse=/nowhere"
        for pair in ((wrong, f"{old}={moved}"), (f"{old}={moved}", wrong)):
            self.assertEqual(self.count("moved", *rows, "--path-map", pair[0], "--path-map", pair[1]), 5)
        os.rename(moved / "data", self.folder / "data-elsewhere")
        self.assertEqual(self.count("moved", *rows, "--path-map", f"{old}={moved}", "--path-map", f"{old}/data={self.folder}/data-elsewhere"), 5)
        self.fails(2, "count", "moved", "--path-map", "nothing")


class Count(CommandTest):
    def opened(self, *arguments):
        trace = self.folder / "trace"
        self.environment["ASAN_OPTIONS"] = "detect_leaks=0"  # its search for leaks is a tracer itself
        out = self.frazil(*arguments, prefix=("strace", "-f", "-e", "trace=open,openat", "-o", str(trace))).out
        return int(out), trace.read_text()

    def test_metadata_alone_answers_when_that_is_exact(self):
        self.frazil("create", "a.t", "--schema", "id long, d date", "--partition", "d")
        self.write("x.csv", "id,d\n" + "".join(f"{i},2024-01-0{i % 3 + 1}\n" for i in range(90)))
        self.frazil("append", "a.t", "x.csv")
        self.frazil("delete", "a.t", "--where", "id = 3")
        if not shutil.which("strace"):
            self.skipTest("strace is not installed")
        for where, rows in ((), 89), (("--where", "d = date '2024-01-02'"), 30), (("--where", "id >= 0"), 89), (("--where", "id > 500"), 0):
            count, trace = self.opened("count", "a.t", *where)
            self.assertEqual(count, rows, where)
            self.assertIn("metadata.json", trace)
            self.assertNotIn(".parquet", trace)
        count, trace = self.opened("count", "a.t", "--where", "id < 10")
        self.assertEqual(count, 9)
        self.assertIn(".parquet", trace)
        count, trace = self.opened("count", "a.t", "--where", "d = date '2024-01-02'", "--no-pruning")
        self.assertEqual((count, sum("O_RDONLY" in line for line in trace.splitlines() if ".parquet" in line)), (30, 3))

    def test_output_is_an_object(self):
        self.numbers("a.t")
        self.assertEqual(self.frazil("count", "a.t", "--output", "json").json(), {"count": 10})


class Zones(CommandTest):
    def test_d074_times_are_the_same_in_every_zone(self):
        rows = [{"a": "2024-03-10T02:30:00.000000", "b": "2024-03-10T02:30:00.000000Z"},  # no such time in Chicago
                {"a": "1969-12-31T23:59:59.999999", "b": "1969-12-31T23:59:59.999999Z"}]
        zones = ("America/Chicago", "UTC", "Asia/Kathmandu")
        for number, zone in enumerate(zones):
            self.environment["TZ"] = zone
            table = f"z.t{number}"
            self.frazil("create", table, "--schema", "a timestamp, b timestamptz", "--partition", "day(a), hour(b)")
            self.write("x.jsonl", "\n".join(json.dumps(row) for row in rows))
            self.frazil("append", table, "x.jsonl")
            for other in zones:
                self.environment["TZ"] = other
                self.assertCountEqual(self.scan(table), rows, (zone, other))
                where = "a = timestamp '2024-03-10T02:30:00' and b = timestamptz '2024-03-10T02:30:00Z'"
                self.assertEqual(self.scan(table, "--where", where), rows[:1], (zone, other))


class NameMapping(CommandTest):
    def test_files_with_ids_do_not_need_it_yet_it_is_read(self):
        self.frazil("create", "a.t", "--schema", "id long")
        self.write("x.csv", "id\n7\n")
        self.frazil("append", "a.t", "x.csv")
        self.write("m.json", '[{"field-id": 9, "names": ["id"]}]')
        self.assertEqual(self.scan("a.t", "--name-mapping", "m.json"), [{"id": 7}])
        self.assertEqual(self.frazil("count", "a.t", "--name-mapping", "m.json").out, "1\n")
        self.write("bad.json", '[{"names": 7}]')
        self.assertIn("name mapping: JSON at offset 11", self.frazil("scan", "a.t", "--name-mapping", "bad.json", status=7).err)
        self.frazil("plan", "a.t", "--name-mapping", "none.json", status=4)
        self.write("zero.json", b"[]\0")
        self.assertIn("zero byte", self.frazil("scan", "a.t", "--name-mapping", "zero.json", status=2).err)

    def test_it_goes_before_the_mapping_of_the_table(self):
        source = Path(os.environ.get("FRAZIL_TESTDATA", "")) / "iceberg-tables/duckdb-iceberg/column_mapping/warehouse"
        table = source / "default.db/my_table"
        if not table.is_dir():
            self.skipTest("1 golden table")
        arguments = ("scan", str(table), "--select", "id,name,age", "--limit", "1", "--output", "jsonl")
        arguments += ("--path-map", f"data/persistent={source.parents[1]}")
        whole = self.frazil(*arguments).json()
        self.write("m.json", '[{"field-id": 1, "names": ["age"]}, {"field-id": 3, "names": ["id"]}]')
        turned = self.frazil(*arguments, "--name-mapping", "m.json").json()
        self.assertEqual(turned, {"id": whole["age"], "name": None, "age": whole["id"]})


if __name__ == "__main__":
    main()
