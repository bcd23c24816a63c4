"""Golden files of one kind each: rows of Parquet and Avro files and manifests, fields of metadata, blobs of Puffin files,
members of bitmaps. Each folder's expected.json says what must be read, and what must be refused."""
import hashlib
import json
import sys
from pathlib import Path

from judge import Outcome
from rows import difference, plain_moments

sys.path.insert(0, str(Path(__file__).parents[1] / "parquet"))
import golden as parquet_golden  # the answers of its oracles that are not the format's

# Answers of Avro's oracles that are not the specification's, or in a form of their own.
AVRO_DEPARTURES = {
    "arrow-rs/skippable_types.avro": "durations as bytes",
    "duckdb-avro/localtimestamp-millis.avro": "local timestamps as numbers",
}
# How `frazil inspect` calls what the summaries of metadata files state.
SUMMARY = {
    "format-version": "format_version", "table-uuid": "table_uuid", "location": "location",
    "last-sequence-number": "last_sequence_number", "last-column-id": "last_column_id",
    "current-schema-id": "current_schema_id", "default-spec-id": "default_spec_id",
    "default-sort-order-id": "default_sort_order_id", "current-snapshot-id": "current_snapshot_id",
    "count schemas": "schemas", "count partition-specs": "partition_specs", "count sort-orders": "sort_orders",
    "count snapshots": "snapshots", "count metadata-log": "metadata_log", "count refs": "refs", "count properties": "properties",
}


# Files among the metadata that are none, with what they are.
NO_METADATA = {
    "iceberg-go/metrics/testdata/commit_report.json": "a report of the REST catalog",
    "iceberg-go/metrics/testdata/scan_report.json": "a report of the REST catalog",
    "iceberg-rust/rest-catalog/create_table_response.json": "a response of the REST catalog",
    "iceberg-rust/rest-catalog/update_table_response.json": "a response of the REST catalog",
}
# Accepted by their answers; Java refuses it as we do: its current-snapshot-id is none of its snapshots.
MUST_REFUSE = {"pg_lake/TableMetadataV2ValidMinimal.json"}
# The stated last-column-id is below ids in use, which count (field report D004).
RAISED = {"iceberg-rust/example_empty_table_metadata_v2.json", "iceberg-rust/example_table_metadata_v2.json"}


def load_lines(path):
    return [json.loads(line) for line in path.read_text().split("\n") if line.strip()]


def pairs_as_maps(value):
    """Avro maps with keys that are no text stand as lists of records of key and value."""
    if isinstance(value, list):
        if value and all(isinstance(item, dict) and set(item) == {"key", "value"} for item in value):
            return {"$map": [[item["key"], pairs_as_maps(item["value"])] for item in value]}
        return [pairs_as_maps(item) for item in value]
    if isinstance(value, dict):
        return {key: pairs_as_maps(item) for key, item in value.items()}
    return value


class GoldenFiles:
    def __init__(self, judge, part, folder, bitmaps):
        self.judge, self.part, self.folder, self.bitmaps = judge, part, folder, bitmaps
        self.source = f"{part}/{folder.name}"
        self.check = {"parquet": self.check_rows, "avro": self.check_rows, "manifests": self.check_rows,
                      "metadata-json": self.check_metadata, "puffin": self.check_puffin, "dv": self.check_vectors,
                      "roaring": self.check_bitmap}[part]

    def run(self, only=None):
        for name, answer in json.loads((self.folder / "expected.json").read_text())["files"].items():
            if (self.folder / name).is_file() and (not only or only in name) and "not a" not in answer["verdict"]:
                self.judge.case(self.source, name, lambda: self.file(name, answer))

    def file(self, name, answer):
        """Accepted files give their answer; rejected ones are refused in one line; others need only be survived."""
        verdict = answer["verdict"]
        if f"{self.folder.name}/{name}" in NO_METADATA:
            raise Outcome("refused", NO_METADATA[f"{self.folder.name}/{name}"])
        if f"{self.folder.name}/{name}" in MUST_REFUSE:
            verdict = "reject"
        if "view-uuid" in answer.get("summary", {}) or "view_metadata" in name or "/view/" in name:
            raise Outcome("refused", "view metadata")
        if verdict.startswith("accept-without"):
            code, _, message = self.judge.ask("inspect", self.folder / name, "--rows", "--output", "jsonl")
            return "" if code == 7 and "CRC" in message else "its wrong checksum is not seen"
        if verdict.startswith("accept"):
            return self.check(self.folder / name, name, answer)
        try:
            problem = self.check(self.folder / name, name, {"verdict": verdict})
        except Outcome as outcome:
            reason = outcome.reason
            if outcome.kind == "refused":
                return ""
            clean = reason.startswith("exit 7: ") and "\n" not in reason
            return "" if clean else f"not refused in one line: {reason}"
        must = not verdict.startswith(("reject-or", "accept"))
        return "read, though it must be refused" if must and not problem else ""

    def check_rows(self, path, name, answer):
        where = f"{self.folder.name}/{name}"
        got = self.judge.lines("inspect", path, "--rows", "--output", "jsonl")
        answers = answer.get("rows_file")
        if not answers:
            rows = answer.get("rows")
            return f"{rows} rows wanted, {len(got)} got" if rows not in (None, len(got)) else self.check_sample(answer, got)
        expected = load_lines(self.folder / answers)
        if self.part == "parquet" and parquet_golden.holds_variant(answer):
            if len(got) != len(expected):
                return f"{len(expected)} rows wanted, {len(got)} got"
            raise Outcome("partly", "variants as they are stored")
        departure = {**parquet_golden.DEPARTURES, **AVRO_DEPARTURES}.get(where)
        problem = self.rows_differ(expected, got)
        if departure and problem and len(expected) == len(got):
            raise Outcome("partly", "the oracle departs from the format")
        return problem

    def check_sample(self, answer, got):
        sample = (answer.get("sample_file") or "").split(" ")[0]
        if not sample:
            return ""
        expected = load_lines(self.folder / sample)  # as many of the first rows as of the last
        half = len(expected) // 2
        return self.rows_differ(expected, got[:half] + got[-half:])

    def rows_differ(self, expected, got):
        if self.part != "parquet":
            got = [pairs_as_maps(row) for row in got]
            expected = [pairs_as_maps(row) for row in expected]
            if all(set(row) == {"value"} for row in got):  # a file of no records: its values are our only column
                expected = [row if isinstance(row, dict) and set(row) == {"value"} else {"value": row} for row in expected]
        return difference([plain_moments(row) for row in expected], [plain_moments(row) for row in got])

    def inspect(self, path):
        code, out, message = self.judge.ask("inspect", path, "--output", "json")
        return json.loads(out) if code == 0 else self.judge.refuse(code, message)

    def check_metadata(self, path, name, answer):
        got = self.inspect(path)
        for key, wanted in answer.get("summary", {}).items():
            if key not in SUMMARY:
                continue
            value = got.get(SUMMARY[key])
            value = len(value) if isinstance(value, (list, dict)) else value
            if key == "count refs" and answer["summary"].get("current-snapshot-id", "-1") != "-1" and value == wanted + 1:
                continue  # main is the current snapshot where refs do not name it
            if key == "last-column-id" and f"{self.folder.name}/{name}" in RAISED:
                continue
            if str(value if value is not None else 0 if key.startswith("count ") else -1) != str(wanted):
                return f"{key}: {wanted} wanted, {value} got"
        return ""

    def check_puffin(self, path, name, answer):
        got = self.inspect(path)["blobs"]
        for wanted, blob in zip(answer.get("blobs", []), got):
            for key in ("type", "fields", "snapshot-id", "sequence-number", "offset", "length"):
                if blob[key.replace("-", "_")] != wanted[key]:
                    return f"{key}: {wanted[key]} wanted, {blob[key.replace('-', '_')]} got"
        wanted = len(answer.get("blobs", got))
        return "" if wanted == len(got) else f"{wanted} blobs wanted, {len(got)} got"

    def check_vectors(self, path, name, answer):
        if path.suffix != ".puffin":
            return self.check_bitmap(path, name, answer)
        problem = self.check_puffin(path, name, answer["puffin"])
        for blob in answer["puffin"]["blobs"]:
            problem = problem or self.check_members(path, blob["deletion_vector"], "vector", blob["offset"], blob["length"])
        return problem

    def check_bitmap(self, path, name, answer):
        form = answer.get("format", "64-bit" if name.startswith("64map") else "32-bit")
        return self.check_members(path, answer, "vector" if "blob" in form else "portable" if "64-bit" in form else "portable32")

    def check_members(self, path, answer, form, *range):
        """The program prints the runs of members, which the answers hold as a hash."""
        if not self.bitmaps:
            raise Outcome("refused", "no program for bitmaps was given")
        code, out, message = self.judge.ask(path, form, *range, command=self.bitmaps)
        if code:
            raise Outcome("failed", f"exit {code}: {message[-400:]}")
        if "ranges_sha256" in answer and hashlib.sha256(out.encode()).hexdigest() != answer["ranges_sha256"]:
            return f"other members than the answer's {answer['cardinality']}"
        return ""
