#!/usr/bin/env python3
"""Compares what we read from the golden Roaring bitmaps, deletion vectors and Puffin files with their right answers.

Usage: golden.py DUMP_PROGRAM [-v]. Every accept file must give the stated positions or blobs, every reject file one line
of refusal and exit 7; deletion vectors that a writer must produce byte for byte are encoded again. Says "skipped" where
the test data is absent.
"""
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

BLOB_KEYS = ("type", "fields", "snapshot-id", "sequence-number", "offset", "length")


def testdata():
    source = os.environ.get("FRAZIL_SOURCE_DIR", ".")
    return Path(os.environ.get("FRAZIL_TESTDATA", source + "/../shared/testdata"))


def dump(program, form, path):
    got = subprocess.run([program, path, form], capture_output=True, timeout=60)
    return got.returncode, got.stdout, got.stderr.decode(errors="replace")


def form_of(name, entry):
    """What a file is: its answer says so where it was read; refused ones are told by their names."""
    if "puffin" in entry or "blobs" in entry or name.endswith(".stats"):
        return "puffin"
    said = entry.get("format") or ""
    if said.startswith("deletion-vector"):
        return "vector"
    return "portable" if said.startswith("64-bit") or "64map" in name else "portable32"


def check_runs(entry, runs):
    """`runs` are texts "first-last"."""
    digest = hashlib.sha256("".join(run + "\n" for run in runs).encode()).hexdigest()
    if len(runs) != entry["runs"] or digest != entry["ranges_sha256"]:
        return "other positions: %d runs %s, expected %d" % (len(runs), runs[:5], entry["runs"])
    return None


def check_set(program, path, entry, form, text):
    runs = text.decode().splitlines()
    wrong = check_runs(entry, runs)
    ends = [[int(end) for end in run.split("-")] for run in runs]
    if not wrong and sum(last - first + 1 for first, last in ends) != entry["cardinality"]:
        wrong = "other positions than %d" % entry["cardinality"]
    if not wrong and form == "vector" and dump(program, "again", path)[1] != path.read_bytes():
        wrong = "encoding it again gives other bytes"
    return wrong


def check_blob(got, want):
    for name in BLOB_KEYS:
        if got[name] != want[name]:
            return "%s is %r, expected %r" % (name, got[name], want[name])
    if got["properties"] != want.get("properties", {}):
        return "properties %r" % got["properties"]
    if len(got["uncompressed_hex"]) != 2 * want["uncompressed_length"]:
        return "%d bytes, expected %d" % (len(got["uncompressed_hex"]) // 2, want["uncompressed_length"])
    if "uncompressed_hex" in want and got["uncompressed_hex"] != want["uncompressed_hex"]:
        return "other bytes"
    return None


def check_vectors(program, path, blobs):
    """The positions of the deletion vectors among the blobs, read at their places as a scan does."""
    for number, blob in enumerate(blobs):
        if "deletion_vector" not in blob:
            continue
        place = [str(blob["offset"]), str(blob["length"])]
        got = subprocess.run([program, path, "vector", *place], capture_output=True, timeout=60)
        wrong = check_runs(blob["deletion_vector"], got.stdout.decode().splitlines())
        if wrong:
            return "blob %d: %s" % (number, wrong)
    return None


def check_puffin(program, path, entry, text):
    want = entry.get("puffin", entry)
    got = json.loads(text)
    if got["properties"] != want["properties"] or len(got["blobs"]) != len(want["blobs"]):
        return "%d blobs, properties %r" % (len(got["blobs"]), got["properties"])
    for number, (one, other) in enumerate(zip(got["blobs"], want["blobs"])):
        wrong = check_blob(one, other)
        if wrong:
            return "blob %d: %s" % (number, wrong)
    return check_vectors(program, path, want["blobs"])


def check(program, path, name, entry):
    form = form_of(name, entry)
    code, text, message = dump(program, form, path)
    if entry["verdict"] == "reject":
        if code == 7 and len(message.splitlines()) == 1:
            return None
        return "not refused in one line: exit %d: %s" % (code, message.strip())
    if entry["verdict"] != "accept":
        return "no verdict that we know: %s" % entry["verdict"]
    if code != 0:
        return "not read: %s" % message.strip()
    if form == "puffin":
        return check_puffin(program, path, entry, text)
    return check_set(program, path, entry, form, text)


def main():
    program = str(Path(sys.argv[1]).resolve())
    verbose = "-v" in sys.argv
    total, failures = {}, 0
    for folder in ("roaring", "dv", "puffin"):
        for answers in sorted((testdata() / folder).glob("*/expected.json")):
            for name, entry in json.loads(answers.read_text())["files"].items():
                path = answers.parent / name
                if not path.is_file():
                    continue
                wrong = check(program, path, name, entry)
                outcome = "failed" if wrong else entry["verdict"]
                total[outcome] = total.get(outcome, 0) + 1
                failures += wrong is not None
                if wrong or verbose:
                    print("%s: %s/%s/%s: %s" % (outcome, folder, answers.parent.name, name, wrong or "right"))
    if not total:
        print("skipped: the golden bitmaps and Puffin files are not there")
        return 0
    print("total:", ", ".join("%s %d" % pair for pair in sorted(total.items())))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
