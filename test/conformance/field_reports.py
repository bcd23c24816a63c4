#!/usr/bin/env python3
"""Checks that each field report of the reading side has a test named after it, or a stated reason for having none.

Usage: field_reports.py [SOURCE_DIR]. The reports: FRAZIL_FIELD_REPORTS, else reference/field-reports.md beside the test data.
A test names its report in its function, `d031_what_it_says` (C or Python); reasons stand in docs/conformance.md as
`D031 | why`. A report that has both, a reason that names no report, and a test of an unknown number are wrong too.
"""
import os
import re
import sys
from collections import defaultdict
from pathlib import Path

KINDS = {"commit", "defaults", "dv", "eq-delete", "geo", "lineage", "manifest", "metadata", "parquet", "partition", "path",
         "pos-delete", "projection", "promotion", "stats", "time", "variant"}
REPORT = re.compile(r"^### (D\d{3}) \[([\w-]+)\]", re.M)
FUNCTION = re.compile(r"\b(?:static void|def)\s+(?:test_)?((?:d\d{3}_)+)")
REASON = re.compile(r"^(D\d{3}) \| (.+)$", re.M)


def tests(source):
    """The numbers that test functions name, with the files they stand in."""
    found = defaultdict(set)
    for path in sorted(p for kind in ("*.c", "*.h", "*.py") for p in (source / "test").rglob(kind)):
        for names in FUNCTION.findall(path.read_text(errors="replace")):
            for number in re.findall(r"d(\d{3})", names):
                found["D" + number].add(path.relative_to(source).as_posix())
    return found


def main():
    source = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("FRAZIL_SOURCE_DIR", ".")).resolve()
    testdata = Path(os.environ.get("FRAZIL_TESTDATA") or source.parent / "shared/testdata")
    reports = Path(os.environ.get("FRAZIL_FIELD_REPORTS") or testdata.parent / "reference/field-reports.md")
    if not reports.is_file():
        print(f"skipped: there is no {reports}")
        return 0
    kinds = dict(REPORT.findall(reports.read_text()))
    tested = tests(source)
    reasons = dict(REASON.findall((source / "docs/conformance.md").read_text()))
    wrong = []
    for number, kind in sorted(kinds.items()):
        if number in tested and number in reasons:
            wrong.append(f"{number} [{kind}]: a reason for having no test, and tests in {', '.join(sorted(tested[number]))}")
        elif kind in KINDS and number not in tested and number not in reasons:
            wrong.append(f"{number} [{kind}]: no test named {number.lower()}_..., no line in docs/conformance.md")
    wrong += [f"{number}: there is no such report" for number in sorted((set(tested) | set(reasons)) - set(kinds))]
    print("\n".join(wrong))
    covered = sum(kind in KINDS and (number in tested or number in reasons) for number, kind in kinds.items())
    print(f"{covered} of {sum(kind in KINDS for kind in kinds.values())} reports covered, {len(reasons)} by a reason")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
