#!/usr/bin/env python3
"""Reads every golden table with the command and compares with the stated answers.

Usage: run.py FRAZIL [--testdata DIR] [--source NAME] [--table NAME] [--verbose]

Each case (rows of a snapshot or ref, a filter, a metadata table) is passed, refused by name (exit 7 and a reason
that names a feature which is not read yet), or failed. Prints a table per source; exits 1 when anything failed.
"""
import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

from rows import canonical, difference, load_json

# What frazil does not read yet, as its refusals name it.
NOT_YET = {
    "ORC": r"format (ORC|orc) is not read",
    "equality deletes": r"equality deletes are not read yet",
    "variant": r"columns of type variant cannot be read",
    "geometry, geography": r"columns of type geo(metry|graphy)\S* cannot be read",
    "encryption": r"is encrypted",
}
# Filters whose function is not in the language of --where.
FUNCTION = re.compile(r"try_variant_get|is_variant_null|variant_get|schema_of_variant|\bsize\(")
# Remarks that some answers carry behind the filter, and Spark's words for our l[0].
REWRITES = [(re.compile(r" \((unsigned order|prefix \w+)\)$"), ""), (re.compile(r"\bget\((\w+), (\d+)\)"), r"\1[\2]")]
# Answers that are wrong, with the ids of the rows they lack. NaN is the greatest value, so it passes `>`; these rows
# stand in files whose bounds (which leave NaN out, "Bounds") made Java prune them.
REFUTED = {
    ("s70_schema_evolution", "c > 1.5"): {2},
    ("s81_metrics_modes", "d > 1"): {1, 3, 4},
}

# Tables whose answers cannot be compared, with the reason.
UNUSABLE = {
    # current-snapshot-id 9876543210123456789 is no 64-bit long (Appendix C); Java refuses it too.
    "equality_delete_extra_column/warehouse/ns/t": "snapshot id beyond 64 bits",
    # Data files lie beside the table folder, under another prefix.
    "v_20240913/iceberg": "files outside of the table folder",
}

# Answers that hold partition values of a file as text of the oracle or of the path; here in the stated forms.
RESTATED = {
    "identity_partitioning": {
        "col_bool": {"false": False}, "col_float": {"2.25": 2.25}, "col_double": {"2.375": 2.375},
        "col_time": {"17:00": "17:00:00.000000"},
        "col_timestamp": {"2025-03-03T00:00:00": "2025-03-03T00:00:00.000000"},
        "col_timestamptz": {"2025-03-03T00:00:00+00:00Z": "2025-03-03T00:00:00.000000Z"},
        "col_varbinary": {"c29tZS12YXJiaW5hcnk=": "0x736f6d652d76617262696e617279"},
    },
}

METADATA_TABLES = {
    "snapshots": "snapshots", "history": "history", "refs": "refs", "metadata_log_entries": "metadata-log-entries",
    "manifests": "manifests", "partitions": "partitions", "files": "files", "delete_files": "delete-files",
    "entries": "entries",
}


class Outcome(Exception):
    def __init__(self, kind, reason):
        super().__init__(reason)
        self.kind, self.reason = kind, reason


class Runner:
    def __init__(self, options):
        self.options = options
        self.results = defaultdict(Counter)
        self.refusals = defaultdict(Counter)
        self.failures = []

    def frazil(self, *arguments):
        """The lines of a successful run; raises Outcome otherwise."""
        done = subprocess.run([self.options.frazil, *arguments], capture_output=True, text=True, timeout=120)
        if done.returncode == 0:
            return [load_json(line) for line in done.stdout.splitlines() if line.strip()]
        message = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"no message, exit {done.returncode}"
        if done.returncode == 7:
            for name, pattern in NOT_YET.items():
                if re.search(pattern, done.stderr):
                    raise Outcome("refused", name)
        raise Outcome("failed", f"exit {done.returncode}: {message[:400]}")

    def case(self, source, name, check):
        try:
            problem = check()
            kind, reason = ("failed", problem) if problem else ("passed", "")
        except Outcome as outcome:
            kind, reason = outcome.kind, outcome.reason
        except subprocess.TimeoutExpired:
            kind, reason = "failed", "no answer in 120 s"
        self.results[source][kind] += 1
        if kind == "refused":
            self.refusals[source][reason] += 1
        if kind == "failed":
            self.failures.append(f"{source} {name}: {reason}")
        if self.options.verbose and kind != "passed":
            print(f"{kind}: {source} {name}: {reason}", flush=True)

    def rows(self, location, maps, *options):
        arguments = ["scan", location, "--output", "jsonl", *options]
        for old, new in maps:
            arguments += ["--path-map", f"{old}={new}"]
        return self.frazil(*arguments)

    def check_rows(self, expected, location, maps, *options):
        got = self.rows(location, maps, *options)
        if isinstance(expected, int):
            return "" if len(got) == expected else f"{expected} rows wanted, {len(got)} got"
        if expected and got and set(expected[0]) < set(got[0]):  # some answers state ids alone
            got = [{name: row[name] for name in expected[0]} for row in got]
        return difference(expected, got)

    # Tables of many writers: expected/NAME.json beside the tables.
    def plain_source(self, folder):
        source = folder.name
        for answer in sorted((folder / "expected").glob("*.json")):
            if answer.name == "stated.json" or (self.options.table and self.options.table not in answer.name):
                continue
            stated = json.loads(answer.read_text())
            if "table" in stated:
                self.plain_table(source, folder, stated)

    def plain_table(self, source, folder, answer):
        table = folder / answer["table"]
        prefix = answer["recorded_location_prefix"]
        maps = [(prefix, str(table)), ("data/persistent", str(folder)), ("s3a://warehouse", str(folder))]
        if "/" not in prefix.split("://")[-1] or prefix == "s3a://warehouse/partitioned_table":
            maps = maps[1:]
        if answer["missing_files"] or answer["table"] in UNUSABLE:
            self.results[source]["refused"] += 1
            self.refusals[source][UNUSABLE.get(answer["table"], "files missing from the collection")] += 1
            return
        if source == "impala":
            # Manifests name data files by path, delete files name them by URI.
            maps += [(start + inside, str(folder)) for start in ("", "hdfs://localhost:20500")
                     for inside in ("/test-warehouse/iceberg_test", "/test-warehouse")]
            maps += [("hdfs://localhost:20500" + prefix, str(table))]
        for name, state in answer["metadata_files"].items():
            rows = self.restated(answer["table"], state.get("current", {}).get("rows"))
            if rows is None:
                continue
            self.case(source, f"{answer['table']} {name}", lambda: self.check_rows(
                rows, str(table / "metadata" / name), maps, *self.lineage(state.get("format_version"), rows)))
        latest = str(table / "metadata" / answer["latest_metadata"])
        for snapshot, state in answer["snapshots"].items():
            rows = self.restated(answer["table"], state.get("rows"))
            if rows is None:
                continue
            version = answer["metadata_files"][answer["latest_metadata"]].get("format_version")
            self.case(source, f"{answer['table']} snapshot {snapshot}", lambda: self.check_rows(
                rows, latest, maps, "--snapshot-id", snapshot, *self.lineage(version, rows)))

    @staticmethod
    def restated(table, rows):
        forms = RESTATED.get(table)
        if not forms or not rows:
            return rows
        return [{name: forms.get(name, {}).get(value, value) for name, value in row.items()} for row in rows]

    @staticmethod
    def lineage(version, rows):
        wanted = [name for name in ("_row_id", "_last_updated_sequence_number") if rows and name in rows[0]]
        return ["--select", "*," + ",".join(wanted)] if wanted else []

    # Tables of Java 1.12 and Spark 4.1: expected.json in each.
    def spark_source(self, folder):
        for answer in sorted(folder.glob("*/expected.json")):
            if not self.options.table or self.options.table in answer.parent.name:
                self.spark_table(folder, json.loads(answer.read_text()))

    def spark_table(self, folder, answer):
        source, name = folder.name, answer["table"]
        location = str(folder / answer["metadata_file"])
        maps = [("file:/frazil-golden/warehouse", str(folder))]
        for snapshot in answer["snapshots"]:
            expected = snapshot.get("rows", snapshot["count"])
            self.case(source, f"{name} snapshot {snapshot['snapshot_id']}", lambda: self.check_rows(
                expected, location, maps, "--snapshot-id", snapshot["snapshot_id"],
                *self.lineage(3, expected if isinstance(expected, list) else [])))
        for ref in answer.get("refs", []):
            expected = ref.get("rows", ref["count"])
            self.case(source, f"{name} ref {ref['name']}", lambda: self.check_rows(
                expected, location, maps, "--ref", ref["name"],
                *self.lineage(3, expected if isinstance(expected, list) else [])))
        current = answer.get("current_rows_with_metadata_columns")
        if current:
            extra = [column for column in current[0] if column.startswith("_")]
            self.case(source, f"{name} metadata columns", lambda: self.check_rows(
                current, location, maps, "--select", "*," + ",".join(extra)))
        for test in answer["filters"]:
            if FUNCTION.search(test["sql"]):
                self.results[source]["refused"] += 1
                self.refusals[source]["function not in --where"] += 1
                continue
            sql, expected = test["sql"], test.get("rows", test["count"])
            for pattern, replacement in REWRITES:
                sql = pattern.sub(replacement, sql)
            lacking = REFUTED.get((name, sql), set())
            if lacking:
                expected = expected + [row for row in answer["snapshots"][-1]["rows"] if row["id"] in lacking]
            self.case(source, f"{name} filter {sql}", lambda: self.check_rows(
                expected, location, maps, "--where", sql))
        for table, verb in METADATA_TABLES.items():
            if table in answer["metadata_tables"]:
                self.case(source, f"{name} table {table}", lambda: self.check_metadata(
                    answer["metadata_tables"][table], verb, location, maps))

    def check_metadata(self, expected, verb, location, maps):
        arguments = [verb, location, "--output", "jsonl"]
        for old, new in maps:
            arguments += ["--path-map", f"{old}={new}"]
        got = [self.recorded(row, maps) for row in self.frazil(*arguments)]
        wanted = [canonical(self.only_stated(row)) for row in expected]
        kept = [canonical(self.only_stated(self.like(row, expected[0] if expected else {}))) for row in got]
        if sorted(wanted) == sorted(kept):
            return ""
        missing = [row for row in wanted if row not in kept]
        extra = [row for row in kept if row not in wanted]
        return f"{len(wanted)} rows wanted, {len(kept)} got; missing {missing[:1]!s:.500}; extra {extra[:1]!s:.500}"

    @staticmethod
    def recorded(row, maps):
        """The metadata file that was opened is listed by the path it was opened with."""
        if "file" in row:
            for old, new in maps:
                row["file"] = row["file"].replace(new, old, 1)
        return row

    @classmethod
    def only_stated(cls, value):
        """Ids stand as strings in the answers."""
        if isinstance(value, dict):
            return {key: cls.as_id(key, cls.only_stated(item)) for key, item in value.items()}
        if isinstance(value, list):
            return [cls.only_stated(item) for item in value]
        return value

    @staticmethod
    def as_id(key, value):
        if key.endswith("snapshot_id") or key == "parent_id":
            return None if value is None else str(value)
        return value

    @classmethod
    def like(cls, got, wanted):
        """Leaves out columns that the answers do not state."""
        if isinstance(got, dict) and isinstance(wanted, dict) and "$map" not in wanted:
            return {key: cls.like(got[key], wanted[key]) for key in got if key in wanted}
        return got

    def report(self):
        print(f"{'source':<20}{'passed':>8}{'refused':>9}{'failed':>8}")
        for source in sorted(self.results):
            counts = self.results[source]
            print(f"{source:<20}{counts['passed']:>8}{counts['refused']:>9}{counts['failed']:>8}")
            for reason, count in sorted(self.refusals[source].items()):
                print(f"    refused: {reason}: {count}")
        for failure in self.failures:
            print(f"failed: {failure}")
        return 1 if self.failures else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("frazil")
    parser.add_argument("--testdata")
    parser.add_argument("--source")
    parser.add_argument("--table")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    options.frazil = os.path.abspath(options.frazil)
    root = options.testdata or os.environ.get("FRAZIL_TESTDATA") or str(
        Path(os.environ.get("FRAZIL_SOURCE_DIR", Path(__file__).parents[2])).parent / "shared" / "testdata")
    tables = Path(root) / "iceberg-tables"
    if not tables.is_dir():
        print("skipped: 179 golden tables, there is no test data at FRAZIL_TESTDATA or ../shared/testdata")
        return 0
    runner = Runner(options)
    for folder in sorted(tables.iterdir()):
        if options.source and options.source != folder.name:
            continue
        if folder.name == "spark-1.12":
            runner.spark_source(folder)
        elif (folder / "expected").is_dir():
            runner.plain_source(folder)
    return runner.report()


if __name__ == "__main__":
    sys.exit(main())
