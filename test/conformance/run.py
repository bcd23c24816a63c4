#!/usr/bin/env python3
"""Reads every golden table and file with the command and compares with the stated answers.

Usage: run.py FRAZIL [--bitmaps PROGRAM] [--java-plans FILE] [--testdata DIR] [--part PART] [--source NAME] [--table NAME]
              [--verbose] [--document FILE]

A case is one state of a table, one filter, one metadata table, or one file. It is equal to its answer; equal in the
columns that are read (`partly`); refused by name; or failed. Prints a table of all sources; exits 1 when anything failed.
With --document the table is written between the marks of that file.
"""
import argparse
import json
import os
import sys
from pathlib import Path

import document
from golden_files import GoldenFiles
from impala_queries import ImpalaQueries
from judge import KINDS, Judge
from plain_tables import PlainTables
from spark_tables import SparkTables

PARTS = ("iceberg-tables", "parquet", "avro", "manifests", "metadata-json", "puffin", "dv", "roaring")


def testdata(options):
    source = Path(os.environ.get("FRAZIL_SOURCE_DIR", Path(__file__).parents[2]))
    return Path(options.testdata or os.environ.get("FRAZIL_TESTDATA") or source.parent / "shared" / "testdata")


def run_part(judge, part, root, options):
    for folder in sorted(path for path in (root / part).iterdir() if path.is_dir()):
        if options.source and options.source != folder.name:
            continue
        if part != "iceberg-tables":
            GoldenFiles(judge, part, folder, options.bitmaps).run(options.table)
        elif folder.name == "spark-1.12":
            plans = json.loads(Path(options.java_plans).read_text()) if options.java_plans else {}
            SparkTables(judge, folder, plans).run(options.table)
        else:
            PlainTables(judge, folder).run(options.table)
            if folder.name == "impala":
                ImpalaQueries(judge, folder).run(options.table)


def report(judge):
    print(f"{'source':<32}" + "".join(f"{kind:>9}" for kind in KINDS))
    for source in sorted(judge.results):
        counts = judge.results[source]
        print(f"{source:<32}" + "".join(f"{counts[kind]:>9}" for kind in KINDS))
        for reason, count in sorted(judge.reasons[source].items()):
            print(f"    {reason}: {count}")
    for failure in judge.failures:
        print(f"failed: {failure}")
    return 1 if judge.failures else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("frazil")
    parser.add_argument("--bitmaps", help="the program that prints Roaring bitmaps and deletion vectors")
    parser.add_argument("--java-plans", help="the files that Java plans for each filter, as peers.py writes them")
    parser.add_argument("--testdata")
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--source")
    parser.add_argument("--table", help="part of a table's or file's name")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--document", help="file between whose marks the measured tables are written")
    options = parser.parse_args()
    root = testdata(options)
    if not root.is_dir():
        print("skipped: the golden tables and files, there is no test data at FRAZIL_TESTDATA or ../shared/testdata")
        return 0
    judge = Judge(os.path.abspath(options.frazil), options.verbose)
    for part in options.part or PARTS:
        run_part(judge, part, root, options)
    if options.document:
        document.write(Path(options.document), judge)
    return report(judge)


if __name__ == "__main__":
    sys.exit(main())
