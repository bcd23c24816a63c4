"""Golden tables of many writers: expected/NAME.json beside the tables gives the rows of each metadata file and snapshot."""
import json

from judge import Outcome
from rows import difference, unread, without

# Tables whose answers cannot be compared, with the reason.
UNUSABLE = {
    # current-snapshot-id 9876543210123456789 is no 64-bit long (Appendix C); Java refuses it too.
    "equality_delete_extra_column/warehouse/ns/t": "snapshot id beyond 64 bits",
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
# Metadata that must be refused, with the words of the refusal.
MUST_REFUSE = {"partitioned_table_with_missing_spec": "spec"}
# Tables whose files are refused, with the words of the refusal; their answers come from readers that go by name or position.
REFUSED_RIGHTLY = {
    # Field report D066: a file without field ids of a table without name mapping.
    "hadoop_catalog/ice/airports_parquet": "no field ids",
    # Its name mapping gives field ids that the table's schema has for other columns: string_col is 4, a list there.
    "iceberg_migrated_complex_test": "cannot be read as",
}
# What no row answers but the plan: filter, and how many data files it may keep.
PLANS = {"generated_bounds": ("block_number between 5000000 and 5000100", 0)}


def path_maps(source, folder, answer):
    """Prefixes recorded in the files and where they lie here."""
    table, prefix = folder / answer["table"], answer["recorded_location_prefix"]
    if prefix == "./lineitem_iceberg":  # manifests and files leave out the dot
        return ["--path-map", f"lineitem_iceberg={table}"]
    maps = [(prefix, table), ("data/persistent", folder), ("s3a://warehouse", folder)]
    if "/" not in prefix.split("://")[-1] or prefix == "s3a://warehouse/partitioned_table":
        maps = maps[1:]
    if prefix.endswith("/" + answer["table"]):  # data files may lie beside the table
        maps.append((prefix.removesuffix("/" + answer["table"]), folder))
    if source == "impala":
        # Manifests name data files by path, delete files name them by URI.
        maps += [(start + inside, folder) for start in ("", "hdfs://localhost:20500")
                 for inside in ("/test-warehouse/iceberg_test", "/test-warehouse")]
        maps += [("hdfs://localhost:20500" + prefix, table)]
    return [option for old, new in maps for option in ("--path-map", f"{old}={new}")]


def restated(table, rows):
    forms = RESTATED.get(table)
    if not forms or not isinstance(rows, list):
        return rows
    return [{name: forms.get(name, {}).get(value, value) for name, value in row.items()} for row in rows]


def lineage(rows):
    wanted = [name for name in ("_row_id", "_last_updated_sequence_number") if rows and name in rows[0]]
    return ["--select", "*," + ",".join(wanted)] if wanted else []


class PlainTables:
    def __init__(self, judge, folder):
        self.judge, self.folder, self.source = judge, folder, folder.name

    def run(self, only=None):
        for answer in sorted((self.folder / "expected").glob("*.json")):
            stated = json.loads(answer.read_text())
            if "table" in stated and (not only or only in stated["table"]):
                self.table(stated)

    def check_rows(self, expected, location, *options):
        try:
            got = self.judge.lines("scan", location, "--output", "jsonl", *options)
        except Outcome as outcome:
            if outcome.reason != "variant" or not isinstance(expected, list):
                raise
            return self.check_readable(expected, location, *options)
        if isinstance(expected, int):
            return "" if len(got) == expected else f"{expected} rows wanted, {len(got)} got"
        return difference(expected, got)

    def check_readable(self, expected, location, *options):
        """The columns that are read, of a table with others."""
        metadata = json.loads(location.read_text())
        fields = [field for schema in metadata["schemas"] for field in schema["fields"]]
        left_out = {field["name"] for field in fields if unread(field["type"])}
        expected = [without(row, {name for name in row if name in left_out or name.startswith("_")}) for row in expected]
        names = ",".join(dict.fromkeys(field["name"] for field in fields if field["name"] not in left_out))
        options = [option for option in options if "_row_id" not in option and option != "--select"]
        problem = difference(expected, self.judge.lines("scan", location, "--output", "jsonl", "--select", names, *options))
        if problem:
            return problem
        raise Outcome("partly", "without columns of type variant")

    def check_refusal(self, word, location, *options):
        code, _, message = self.judge.ask("scan", location, *options)
        return "" if code == 7 and word in message else f"not refused for its {word}: exit {code}: {message[-300:]}"

    def check_plan(self, filter, at_most, location, *options):
        code, out, message = self.judge.ask("plan", location, "--where", filter, "--output", "json", *options)
        if code:
            raise Outcome("failed", message[-400:])
        kept = len(json.loads(out)["files"])
        return "" if kept <= at_most else f"{kept} files planned, at most {at_most} may match"

    def table(self, answer):
        name, judge = answer["table"], self.judge
        metadata = self.folder / name / "metadata"
        latest = metadata / answer["latest_metadata"]
        maps = path_maps(self.source, self.folder, answer)
        if name in PLANS:
            judge.case(self.source, f"{name} plan", lambda: self.check_plan(*PLANS[name], latest, *maps))
            return  # its data files do not exist
        if name in MUST_REFUSE:
            judge.case(self.source, name, lambda: self.check_refusal(MUST_REFUSE[name], latest, *maps))
            return
        if name in UNUSABLE:
            judge.refused(self.source, name, UNUSABLE[name])
            return
        for file, state in answer["metadata_files"].items():
            if "format_version" not in state:
                judge.case(self.source, f"{name} {file}", lambda: self.check_refusal("format-version", metadata / file, *maps))
                continue
            self.state(f"{name} {file}", name, state.get("current", {}), metadata / file, maps)
        for snapshot, state in answer["snapshots"].items():
            self.state(f"{name} snapshot {snapshot}", name, state, latest, [*maps, "--snapshot-id", snapshot])

    def state(self, name, table, state, location, options):
        """One snapshot: its rows, or their number where the answer holds no more."""
        if table in REFUSED_RIGHTLY and state.get("row_count"):
            self.judge.case(self.source, name, lambda: self.check_refusal(REFUSED_RIGHTLY[table], location, *options))
            return
        rows = restated(table, state.get("rows", state.get("row_count")))
        problems = json.dumps([state.get("oracle_error"), state.get("oracle_errors")])
        if state and (rows is None or "not read by this oracle" in problems):
            self.judge.refused(self.source, name, "files missing from the collection" if "missing file" in problems
                               else "without an answer: ORC" if "ORC" in problems else "without an answer")
            return
        if rows is None:
            return
        self.judge.case(self.source, name, lambda: self.check_rows(
            rows, location, *options, *lineage(rows if isinstance(rows, list) else [])))
