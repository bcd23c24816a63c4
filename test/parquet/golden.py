#!/usr/bin/env python3
"""Compares what we read from the golden Parquet files with their right answers.

Usage: golden.py DUMP_PROGRAM [-v] [NAME_PART]. Needs no package beyond Python itself. Prints per source how many
files are read right, refused as they must be, or refused by name; exits 1 on any other outcome. Says "skipped"
where the test data is absent.
"""
import json
import math
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

TIMEOUT_SECONDS = 60
MEMORY_BYTES = 3 << 30
TEMPORAL = re.compile(r"^(-?\d{4,6}-\d\d-\d\dT)?\d\d:\d\d:\d\d\.\d+Z?$")

# Valid files beyond this library, each refused by name: the words that the refusal must contain.
REFUSED = {
    "parquet-testing/data/large_string_map.brotli.parquet": "over the limit parquet_page_size",
}

# Answers of the oracles that are not the format's. We give something else, and the reason.
DEPARTURES = {
    "duckdb/bug13053.parquet": "the oracle renames columns that differ in case only",
    "duckdb/bug13053-2.parquet": "the oracle renames columns of one name",
    "duckdb/silly-names.parquet": "the oracle renames a column whose name is empty",
    "duckdb/negative-timetz.parquet": "a negative TIME is no time of day; the oracle adds a day",
    "hyparquet/strings.parquet": "the oracle overlooks logicalType STRING without converted type",
    "impala/data/dateless_timestamps.parq": "Julian day 0 overflows the oracle's nanoseconds (D064)",
    "impala/data/int64_timestamps_nano.parquet": "the oracle rounds UTC nanoseconds to microseconds",
    "impala/data/no_scale.parquet": "the answer is a number, not decimal text",
    "impala/parquet_nested_types_encodings/AvroSingleFieldGroupInList.parquet": "LIST rule 4: named array",
    "impala/parquet_nested_types_encodings/ThriftSingleFieldGroupInList.parquet": "LIST rule 4: named _tuple",
    "parquet-testing/data/map_no_value.parquet": "the answer has another form: objects for maps",
    "velox/map_key_value.parquet": "the oracle does not take MAP_KEY_VALUE for MAP",
    "velox/nested_array_struct.parquet": "a bare repeated group is a list of that group",
    "velox/proto-struct-with-array.parquet": "a bare repeated group is a list of that group",
}


def holds_variant(entry):
    """Their answers are decoded variants, which is above Parquet: only reading is judged here."""
    return "VARIANT" in json.dumps([entry.get("footer"), entry.get("columns")])


def testdata():
    source = os.environ.get("FRAZIL_SOURCE_DIR", ".")
    return Path(os.environ.get("FRAZIL_TESTDATA", source + "/../shared/testdata"))


def plain(value):
    """A value in a form where equal means equal: floats as 32-bit where that is all they have."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, float):
        if math.isfinite(value) and abs(value) < 3.5e38:
            return float(struct.unpack("f", struct.pack("f", value))[0])
        return value
    if isinstance(value, int) and abs(value) > 2 ** 64:
        return float(value)
    if isinstance(value, str) and TEMPORAL.match(value):
        return value.rstrip("Z").rstrip("0").rstrip(".")
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return value


def key(row):
    def fold(value):
        if isinstance(value, bool) or value is None or isinstance(value, str):
            return json.dumps(value)
        if isinstance(value, (int, float)):
            return "n%r" % (float(value) if abs(value) < 2 ** 53 else value)
        if isinstance(value, list):
            return "[" + ",".join(map(fold, value)) + "]"
        return "{" + ",".join(json.dumps(k) + ":" + fold(v) for k, v in value.items()) + "}"
    return fold(plain(row))


def limit_memory():
    import resource
    if not os.environ.get("FRAZIL_NO_MEMORY_LIMIT"):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def dump(program, path, *args):
    try:
        got = subprocess.run([program, path, *map(str, args)], capture_output=True, timeout=TIMEOUT_SECONDS,
                             preexec_fn=limit_memory)
    except subprocess.TimeoutExpired:
        return None, [], "no answer in %d seconds" % TIMEOUT_SECONDS
    return got.returncode, got.stdout.splitlines(), got.stderr.decode(errors="replace").strip()


def parse(lines):
    return [json.loads(line) for line in lines]


def compare(got, want):
    a, b = sorted(map(key, got)), sorted(map(key, want))
    if a == b:
        return None
    if len(a) != len(b):
        return "%d rows, expected %d" % (len(a), len(b))
    for x, y in zip(a, b):
        if x != y:
            at = next((i for i, (p, q) in enumerate(zip(x, y)) if p != q), min(len(x), len(y)))
            return "got ...%s, expected ...%s" % (x[max(0, at - 30):at + 60], y[max(0, at - 30):at + 60])
    return None


def check_accept(program, folder, name, entry, code, lines, message):
    if code != 0:
        return "not read: %s" % message
    rows_file = entry.get("rows_file")
    if not rows_file or not (folder / rows_file).exists():
        rows = entry.get("rows")
        return None if rows is None or rows == len(lines) else "%d rows, expected %s" % (len(lines), rows)
    got = parse(lines)
    if holds_variant(entry):
        return None if len(got) == entry["rows"] else "%d rows, expected %d" % (len(got), entry["rows"])
    wrong = compare(got, parse((folder / rows_file).read_bytes().splitlines()))
    if wrong:
        return wrong
    # Metamorphic: other batches, and every third row through masks, are the same rows.
    for args, rows in (((7,), got), ((100, 3), got[::3])) if len(got) <= 20000 else ():
        again, lines, message = dump(program, folder / name, *args)
        if again != 0 or list(map(key, parse(lines))) != list(map(key, rows)):
            return "batches of %s give other rows: %s" % (args, message)
    return None


def check(program, folder, name, entry):
    """The outcome's word, and what is wrong with it (None when nothing)."""
    where = folder.name + "/" + name
    verdict = entry.get("verdict") or ""
    code, lines, message = dump(program, folder / name, 1024)
    if code is None or code not in (0, 7):
        return "failed", "exit %s: %s" % (code, message[-300:])
    if code == 7 and len(message.splitlines()) != 1:
        return "failed", "refused in more than one line: " + message[-300:]
    if where in REFUSED:
        return ("refused by name", None) if REFUSED[where] in message else ("failed", "not refused: " + message)
    if "without-crc/reject-with-crc" in verdict:
        return ("rejected", None) if "CRC" in message else ("failed", "its wrong CRC is not seen")
    if verdict.startswith("accept"):
        wrong = check_accept(program, folder, name, entry, code, lines, message)
        if where in DEPARTURES:
            return ("departs from the answer", None) if wrong and code == 0 else ("failed", message)
        if holds_variant(entry) and not wrong:
            return "read, variants not decoded", None
        return ("failed", wrong) if wrong else ("right", None)
    if verdict.startswith("reject-or-safe"):
        return "safe", None
    if verdict.startswith("reject") or verdict.startswith("needs-keys"):
        return ("rejected", None) if code == 7 else ("failed", "read, but must be rejected")
    return "not judged", None


def main():
    program = str(Path(sys.argv[1]).resolve())
    verbose = "-v" in sys.argv
    part = next((a for a in sys.argv[2:] if a != "-v"), "")
    root = testdata() / "parquet"
    if not root.is_dir():
        print("skipped: the golden Parquet files are not there")
        return 0
    failures, totals = [], {}
    for answers in sorted(root.glob("*/expected.json")):
        counts = {}
        for name, entry in json.loads(answers.read_text())["files"].items():
            where = answers.parent.name + "/" + name
            if part not in where or not (answers.parent / name).is_file():
                continue
            if "not a Parquet" in (entry.get("verdict") or ""):
                continue
            outcome, wrong = check(program, answers.parent, name, entry)
            counts[outcome] = counts.get(outcome, 0) + 1
            totals[outcome] = totals.get(outcome, 0) + 1
            if wrong:
                failures.append("%s: %s" % (where, wrong))
                print("FAILED", failures[-1])
            elif verbose or outcome in ("refused by name", "departs from the answer", "not judged"):
                print(outcome + ":", where)
        print(answers.parent.name + ":", ", ".join("%s %d" % c for c in sorted(counts.items())))
    print("total:", ", ".join("%s %d" % c for c in sorted(totals.items())))
    return 1 if failures or not (totals or part) else 0


if __name__ == "__main__":
    sys.exit(main())
