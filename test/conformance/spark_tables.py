"""Golden tables of Java 1.12 and Spark 4.1: expected.json in each folder gives rows at every snapshot and ref, metadata
columns, filters, and metadata tables."""
import gzip
import json
import re

from judge import Outcome
from rows import canonical, difference, unread, without

# Filters whose function is not in the language of --where.
FUNCTION = re.compile(r"\b(try_variant_get|is_variant_null|variant_get|schema_of_variant)\(")
# Remarks that some answers carry behind the filter, and Spark's words for our l[0].
REWRITES = [(re.compile(r" \((unsigned order|prefix \w+)\)$"), ""), (re.compile(r"\bget\((\w+), (\d+)\)"), r"\1[\2]")]
# Answers that are wrong, with the ids of the rows they lack. NaN is the greatest value, so it passes `>`; these rows
# stand in files whose bounds (which leave NaN out, "Bounds") made Java prune them.
LACKING = {("s70_schema_evolution", "c > 1.5"): {2}, ("s81_metrics_modes", "d > 1"): {1, 3, 4}}
# Snapshots whose answer is Java's and not the specification's: the ids that are right. Java prunes the equality delete
# file by bounds that leave its NaN out (peers.md), so row 2 outlives its delete.
REFUTED = {("s41_eq_nan_java_bug", 3): {1}}

# Filters for which Java leaves out files with matching rows (peers.md): it compares uuids signed, its expression parser
# takes nanoseconds for microseconds, and bounds that leave NaN out make it lose files that hold it.
JAVA_LOSES_NAN = {*LACKING, ("h35_eq_float_keys", "f > 1"), ("s35_eq_float_keys", "f > 1")}
JAVA_PRUNES_WRONGLY = re.compile(r"\buuid '|\btimestamp(tz)?_ns '")
METADATA_TABLES = ("snapshots", "history", "refs", "metadata_log_entries", "manifests", "partitions", "files",
                   "delete_files", "entries", "all_delete_files", "position_deletes")


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class SparkTables:
    def __init__(self, judge, folder, java_plans):
        self.judge, self.folder, self.source, self.java_plans = judge, folder, folder.name, java_plans

    def run(self, only=None):
        for answer in sorted(self.folder.glob("*/expected.json")):
            if not only or only in answer.parent.name:
                Table(self, json.loads(answer.read_text())).run()


class Table:
    def __init__(self, owner, answer):
        self.judge, self.source, self.answer = owner.judge, owner.source, answer
        self.name = answer["table"]
        self.location = owner.folder / answer["metadata_file"]
        self.recorded, self.here = "file:/frazil-golden/warehouse", str(owner.folder)
        self.maps = ["--path-map", f"{self.recorded}={self.here}"]
        self.java_plans = owner.java_plans.get(self.name, {})
        text = self.location.read_bytes()
        metadata = json.loads(gzip.decompress(text) if text[:2] == b"\x1f\x8b" else text)
        schemas = metadata.get("schemas") or [metadata["schema"]]
        self.schemas = {schema.get("schema-id", 0): schema["fields"] for schema in schemas}
        self.current = self.schemas[metadata.get("current-schema-id", 0)]
        self.snapshot_schema = {str(snapshot["snapshot-id"]): self.schemas.get(snapshot.get("schema-id"), self.current)
                                for snapshot in metadata["snapshots"]}

    def run(self):
        for snapshot in self.answer["snapshots"]:
            self.snapshot(snapshot)
        for ref in self.answer.get("refs", []):
            self.ref(ref)
        rows = self.answer.get("current_rows_with_metadata_columns")
        if rows:
            rows = self.right(rows, self.answer["snapshots"][-1])
            self.case("metadata columns", lambda: self.check_rows(rows, self.current))
        for test in self.answer["filters"]:
            self.filter(test)
        for table in METADATA_TABLES:
            if table in self.answer["metadata_tables"]:
                self.case(f"table {table}", lambda: self.check_metadata(table))

    def case(self, name, check):
        self.judge.case(self.source, f"{self.name} {name}", check)

    def right(self, rows, snapshot):
        """The rows of an answer that the specification gives, too."""
        right = REFUTED.get((self.name, snapshot["sequence_number"]))
        return [row for row in rows if row["id"] in right] if right and isinstance(rows, list) else rows

    def snapshot(self, snapshot):
        rows = self.right(snapshot.get("rows", snapshot["count"]), snapshot)
        identifier = snapshot["snapshot_id"]
        self.case(f"snapshot {identifier}", lambda: self.check_rows(
            rows, self.snapshot_schema[identifier], "--snapshot-id", identifier))

    def ref(self, ref):
        """A tag is read with the schema of its snapshot, a branch with the current one."""
        rows = ref.get("rows")
        schema = self.current if ref["type"] == "BRANCH" else self.snapshot_schema[ref["snapshot_id"]]
        if rows is None:
            same = next(s for s in self.answer["snapshots"] if s["snapshot_id"] == ref["same_rows_as_snapshot"])
            rows = self.right(same.get("rows", ref["count"]), same)
        self.case(f"ref {ref['name']}", lambda: self.check_rows(rows, schema, "--ref", ref["name"]))

    def check_rows(self, expected, schema, *options):
        """All columns at once, or those that are read, with the metadata columns that the answer states."""
        left_out = [field["name"] for field in schema if unread(field["type"])]
        names = ["*"] if not left_out else [quoted(field["name"]) for field in schema if field["name"] not in left_out]
        if isinstance(expected, list) and expected:
            names += [name for name in expected[0] if name.startswith("_")]
            expected = [without(row, left_out) for row in expected]
        got = self.judge.lines("scan", self.location, "--output", "jsonl", "--select", ",".join(names), *self.maps, *options)
        if isinstance(expected, int):
            problem = "" if len(got) == expected else f"{expected} rows wanted, {len(got)} got"
        else:
            problem = difference(expected, got)
        if left_out and not problem:
            raise Outcome("partly", "without columns of type " + ", ".join(
                sorted({str(field["type"]).split("(")[0] for field in schema if field["name"] in left_out})))
        return problem

    def filter(self, test):
        function = FUNCTION.search(test["sql"])
        if function:
            self.judge.refused(self.source, f"{self.name} filter {test['sql']}", f"{function[1]}() in a filter")
            return
        sql, expected = self.rewritten(test["sql"]), test.get("rows", test["count"])
        lacking = LACKING.get((self.name, sql), set())
        if lacking:
            expected = expected + [row for row in self.answer["snapshots"][-1]["rows"] if row["id"] in lacking]
        expected = self.right(expected, self.answer["snapshots"][-1])
        self.case(f"filter {sql}", lambda: self.check_filter(expected, sql))
        self.case(f"filter {sql} unpruned", lambda: self.check_filter(expected, sql, "--no-pruning"))
        self.case(f"plan {sql}", lambda: self.check_plan(sql))

    @staticmethod
    def rewritten(sql):
        """The filter in the language of --where."""
        for pattern, replacement in REWRITES:
            sql = pattern.sub(replacement, sql)
        return sql

    def check_filter(self, expected, sql, *options):
        fields = list(expected[0]) if isinstance(expected, list) and expected else None
        schema = self.current if fields is None else [field for field in self.current if field["name"] in fields]
        if fields and len(schema) < len(self.current):  # some answers state ids alone
            return self.check_rows_of(expected, schema, sql, *options)
        return self.check_rows(expected, self.current, "--where", sql, *options)

    def check_rows_of(self, expected, schema, sql, *options):
        names = ",".join(quoted(field["name"]) for field in schema)
        got = self.judge.lines("scan", self.location, "--output", "jsonl", "--select", names, "--where", sql, *self.maps, *options)
        return difference(expected, got)

    def plan(self, sql, *options):
        code, out, message = self.judge.ask("plan", self.location, "--where", sql, "--select", "_file", "--output", "json", *self.maps,
                                            *options)
        if code:
            self.judge.refuse(code, message)
        return {file["path"] for file in json.loads(out)["files"]}

    def check_plan(self, sql):
        """The planned files hold every matching row (found without pruning), and are among those that Java plans."""
        planned = self.plan(sql)
        holding = {row["_file"] for row in self.judge.lines(
            "scan", self.location, "--output", "jsonl", "--select", "_file", "--where", sql, "--no-pruning", *self.maps)}
        if holding - planned:
            return f"not planned, though rows match: {sorted(holding - planned)[:2]}"
        java = self.java_plans.get(sql)
        known = JAVA_PRUNES_WRONGLY.search(sql) or (self.name, sql) in JAVA_LOSES_NAN
        more = planned - set(java) if java is not None and not known else set()
        return f"planned, though Java does not: {sorted(more)[:2]}" if more else ""

    def check_metadata(self, table):
        expected = self.answer["metadata_tables"][table]
        options, partly = self.maps, False
        if table == "position_deletes" and any(unread(field["type"]) for field in self.current):
            # Its column `row` has the columns of the table.
            expected, partly = [without(row, ["row"]) for row in expected], True
            options = [*options, "--select", ",".join(expected[0]) if expected else "pos"]
        got = [self.as_recorded(row) for row in self.judge.lines(
            table.replace("_", "-"), self.location, "--output", "jsonl", *options)]
        wanted = [canonical(ids_as_text(row)) for row in expected]
        kept = [canonical(ids_as_text(stated_columns(row, expected[0] if expected else {}))) for row in got]
        if sorted(wanted) == sorted(kept) and partly:
            raise Outcome("partly", "without the column row")
        if sorted(wanted) == sorted(kept):
            return ""
        missing = [row for row in wanted if row not in kept]
        extra = [row for row in kept if row not in wanted]
        return f"{len(wanted)} rows wanted, {len(kept)} got; missing {missing[:1]!s:.500}; extra {extra[:1]!s:.500}"

    def as_recorded(self, row):
        """The metadata file that was opened is listed by the path it was opened with."""
        if "file" in row:
            row["file"] = row["file"].replace(self.here, self.recorded, 1)
        return row


def ids_as_text(value):
    """Snapshot ids stand as strings in the answers."""
    if isinstance(value, dict):
        return {key: as_id(key, ids_as_text(item)) for key, item in value.items()}
    if isinstance(value, list):
        return [ids_as_text(item) for item in value]
    return value


def as_id(key, value):
    if key.endswith("snapshot_id") or key == "parent_id":
        return None if value is None else str(value)
    return value


def stated_columns(got, wanted):
    """Leaves out columns that the answers do not state."""
    if isinstance(got, dict) and isinstance(wanted, dict) and "$map" not in wanted:
        return {key: stated_columns(got[key], wanted[key]) for key in got if key in wanted}
    return got
