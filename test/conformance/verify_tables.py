#!/usr/bin/env python3
"""`frazil verify --deep` over every golden table: sound, or it breaks the rules that are known of its writer and no others.

Usage: verify_tables.py COMMAND [--only WORD]
"""
import argparse
import json
import os
import re
import sys
from collections import Counter
from pathlib import Path

from judge import REFUSALS, Judge
from plain_tables import path_maps

REWRITTEN = "its files were written again, smaller, after the commit"
NO_LOG = "the repository that it is from left the older metadata files out"
ROUNDED = "its snapshot ids went through a JSON program of doubles: manifests and lists have the exact ones"
# Table -> the rules that it breaks, and why. `metadata-log-file` is allowed to all that are no whole copy (NO_LOG).
DEPARTURES = {
    "spark-1.12/s50_identity_all": ({"manifest-partitions"}, "Java compares uuids signed: bounds of a summary are the wrong way round"),
    "spark-1.12/h50_identity_some": ({"manifest-partitions"}, "Java compares uuids signed: bounds of a summary are the wrong way round"),
    "duckdb-iceberg/big_query_error": ({"manifest-length"}, "paths in its manifests were edited"),
    "duckdb-iceberg/null_stats/default/test_nulls": ({"manifest-length"}, "paths in its manifests were edited"),
    "duckdb-iceberg/equality_deletes/warehouse/mydb/mytable": ({"manifest-list"}, "a manifest list of an old snapshot is not in the repository"),
    "duckdb-iceberg/timestamptz_ns": ({"next-row-id"}, "written by hand: V3 without next-row-id"),
    **{f"duckdb-iceberg/{name}": ({"file-size"}, REWRITTEN) for name in (
        "partition_bigint", "partition_bool", "partition_decimal_bigint", "partition_decimal_integer", "partition_decimal_smallint",
        "partition_double", "partition_fixed_length_binary/default.db/partition_fixed_length_binary", "partition_float",
        "partition_integer", "partition_time/default.db/partition_time", "partition_timestamp/default.db/partition_timestamp")},
    "iceberg-cxx/partitioned_table_with_missing_spec": ({"manifest-file"}, "made so: its manifest is of a spec that the table lacks"),
    "impala/hadoop_catalog/ice/airports_parquet": ({"data-columns"}, "its files have no field ids (field report D066)"),
    "impala/hadoop_catalog/ice/iceberg_legacy_partition_schema_evolution_orc": (
        {"manifest-added-by", "summary-changes", "summary-totals", "snapshot-continuity"}, "put together by hand of two tables"),
    "impala/hadoop_catalog/ice/iceberg_uppercase_col": ({"column-ids"}, "written by hand: last-column-id 1 with 17 columns"),
    "impala/hadoop_catalog/ice/iceberg_v2_delete_positional": ({"file-size"}, REWRITTEN),
    "impala/iceberg_v3/iceberg_v3_all_types": ({"manifest-added-by", "summary-changes", "snapshot-continuity"}, ROUNDED),
    "impala/iceberg_v3/trino_variant": ({"manifest-added-by", "summary-changes", "snapshot-continuity"}, ROUNDED),
    "impala/iceberg_with_puffin_stats": ({"manifest-length"}, "paths in its manifest were edited"),
    "pg_lake/spark_generated_iceberg_test_2": ({"manifest-list"}, "manifest lists of old snapshots are not in the repository"),
}
# What is rightly not read of a table, and of tables that cannot be verified, by the words of the refusal.
NOT_READ = {
    "impala/iceberg_migrated_complex_test": "cannot be read as",  # its name mapping has other columns' ids (plain_tables.py)
}
REFUSED = {
    "duckdb-iceberg/equality_delete_extra_column/warehouse/ns/t": "expected a 64-bit integer",
    "duckdb-iceberg/generated_bounds": "storage of scheme s3 is not built in",
}


def spark_tables(folder):
    for answer in sorted(folder.glob("*/expected.json")):
        stated = json.loads(answer.read_text())
        yield stated["table"], folder / stated["metadata_file"], ["--path-map", f"file:/frazil-golden/warehouse={folder}"]


def plain_tables(folder):
    for answer in sorted((folder / "expected").glob("*.json")):
        stated = json.loads(answer.read_text())
        if "table" in stated:
            latest = folder / stated["table"] / "metadata" / stated["latest_metadata"]
            yield stated["table"], latest, path_maps(folder.name, folder, stated)


def unexplained(finding):
    """What is not checked must be what this library is known not to read."""
    return finding["rule"] == "not-checked" and not any(re.search(words, finding["found"]) for words in REFUSALS.values())


def check(judge, name, latest, options, kinds):
    """What is wrong with the outcome; nothing when it is as it should be. Counts the table among its kind."""
    code, out, message = judge.ask("verify", latest, "--deep", "--output", "json", *options)
    if name in REFUSED:
        kinds["refused"] += 1
        return "" if REFUSED[name] in message else f"not refused: {message[-300:]}"
    if not out:
        return f"exit {code}: {message[-300:]}"
    report = json.loads(out)
    if code != (7 if report["errors"] else 0):
        return f"exit {code} with {report['errors']} errors"
    for finding in report["findings"]:
        if unexplained(finding) and NOT_READ.get(name, "\n") not in finding["found"]:
            return f"not checked: {finding['found']}"
    found = {finding["rule"] for finding in report["findings"]}
    rules = found - {"not-checked"} - (set() if name.startswith("spark-1.12/") else {"metadata-log-file"})
    kinds["with known departures" if rules else "sound but for " + " and ".join(sorted(found)) if found else "sound"] += 1
    known = DEPARTURES.get(name, (set(), ""))[0]
    if rules == known:
        return ""
    detail = [f for f in report["findings"] if f["rule"] in rules - known]
    return f"breaks {sorted(rules)}, known are {sorted(known)}: {json.dumps(detail[:3])}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command")
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    root = Path(os.environ.get("FRAZIL_TESTDATA") or Path(os.environ.get("FRAZIL_SOURCE_DIR", ".")) / "../shared/testdata")
    root = root / "iceberg-tables"
    if not root.is_dir():
        print("skipped: all golden tables; they are not here")
        return 0
    judge, met, kinds, failures = Judge(given.command), set(), Counter(), []
    for folder in sorted(root.iterdir()):
        source = spark_tables(folder) if folder.name.startswith("spark") else plain_tables(folder)
        for name, latest, options in source:
            name = f"{folder.name}/{name}"
            if given.only not in name:
                continue
            met.add(name)
            problem = check(judge, name, latest, options, kinds)
            if problem:
                failures.append(f"{name}: {problem}")
    failures += [f"{name} is no golden table any more" for name in {*DEPARTURES, *NOT_READ, *REFUSED} - met if not given.only]
    print("\n".join(failures))
    print(f"{len(met)} tables verified, {len(failures)} not as they should be: " +
          "; ".join(f"{kinds[kind]} {kind}" for kind in sorted(kinds, key=lambda kind: (kind != "sound", kind))))
    return 1 if failures or not met else 0


if __name__ == "__main__":
    sys.exit(main())
