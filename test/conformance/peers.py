#!/usr/bin/env python3
"""Asks peers to read the golden tables, and Java which files it plans for each golden filter.

Usage: peers.py FRAZIL PEERS_FOLDER PLANS_FILE [--testdata DIR] [--source NAME] [--table NAME] [--peer NAME]

PEERS_FOLDER is made by test/interop/setup.sh. DuckDB does not find deletion vectors of moved tables: for its column, make
/frazil-golden/warehouse a link to iceberg-tables/spark-1.12. Each state of a table is asked once of each peer, with a time limit; what came
out goes to test/conformance/peers.json (the column of docs/conformance.md), Java's plans to PLANS_FILE, which run.py takes
as --java-plans.
"""
import argparse
import json
import os
import select
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from java_expression import translate
from plain_tables import MUST_REFUSE, PLANS, REFUSED_RIGHTLY, UNUSABLE, path_maps, restated
from rows import difference, unread
from spark_tables import FUNCTION, Table

HERE = Path(__file__).parent
TIMEOUT_SECONDS = 60


class Peer:
    """A child process that answers one line for each line; started again after it died or was too slow."""

    def __init__(self, name, command):
        self.name, self.command, self.version = name, command, ""
        self.process = None

    def start(self):
        environment = {**os.environ, "PYTHONPATH": str(HERE), "RUST_BACKTRACE": "0"}
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
                                        stderr=subprocess.DEVNULL)
        self.version = json.loads(self.line() or b'{"version": "?"}')["version"]

    def line(self):
        """One line, or None when none comes in time."""
        text, end = b"", time.monotonic() + TIMEOUT_SECONDS
        while not text.endswith(b"\n"):
            ready = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]
            part = os.read(self.process.stdout.fileno(), 1 << 20) if ready else b""
            if not part:
                return None
            text += part
        return text

    def ask(self, question):
        """Rows, or the text of what went wrong."""
        if self.process is None or self.process.poll() is not None:
            self.start()
        self.process.stdin.write(question.encode() + b"\n")
        self.process.stdin.flush()
        line = self.line()
        if line is None:
            self.close()
            return "died or gave no answer in time"
        answer = json.loads(line)
        return answer["rows"] if "rows" in answer else answer["error"]

    def close(self):
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None

    def rows(self, state):
        return self.ask(json.dumps({"metadata": str(state["location"]), "snapshot": state["snapshot"], "maps": state["maps"]}))


class Java(Peer):
    def maps(self, maps):
        self.ask("maps " + " ".join(f"{old}={new}" for old, new in maps.items()))

    def rows(self, state):
        self.maps(state["maps"])
        return self.ask(f"{state['snapshot'] or 0} {state['location']}")

    def plan(self, location, maps, expression):
        self.maps(maps)
        return self.ask(f"plan {location} {json.dumps(expression)}")


class Frazil(Peer):
    """The command itself, to be asked the same."""

    def start(self):
        self.version = subprocess.run([*self.command, "--version"], capture_output=True, text=True).stdout.split()[-1]

    def rows(self, state):
        self.version or self.start()
        maps = [option for old, new in state["maps"].items() for option in ("--path-map", f"{old}={new}")]
        at = ["--snapshot-id", state["snapshot"]] if state["snapshot"] else []
        done = subprocess.run([*self.command, "scan", str(state["location"]), "--output", "jsonl", *maps, *at],
                              capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
        return done.stderr if done.returncode else [json.loads(line) for line in done.stdout.split("\n") if line]


def open_peers(frazil, folder, only):
    python = str(folder / "python" / "bin" / "python")
    spark_jars = next((folder / "spark").glob("lib/python*/site-packages/pyspark/jars"))
    java = ["java", "-Xmx1g", "-Duser.timezone=UTC", "-cp", f"{folder}/jars/*:{spark_jars}/*",
            str(HERE.parent / "interop" / "JavaReader.java")]
    server = str(HERE / "peer_server.py")
    peers = [Java("Java", java), Frazil("frazil", [os.path.abspath(frazil)]), Peer("PyIceberg", [python, server, "pyiceberg"]),
             Peer("DuckDB", [python, server, "duckdb"])]
    return [peer for peer in peers if not only or peer.name == only]


def plain_states(folder, only):
    """Every state of the tables of one source that has rows for an answer."""
    for file in sorted((folder / "expected").glob("*.json")):
        answer = json.loads(file.read_text())
        name = answer.get("table")
        if not name or only and only not in name or name in UNUSABLE or name in MUST_REFUSE or name in PLANS or name in REFUSED_RIGHTLY \
                or name.endswith("variant"):
            continue
        options = path_maps(folder.name, folder, answer)[1::2]
        maps = dict(option.split("=", 1) for option in options)
        if folder.name != "duckdb-iceberg":
            maps.pop("data/persistent", None)
        latest = folder / name / "metadata" / answer["latest_metadata"]
        states = [(file, state.get("current", {}), latest.parent / file, None)
                  for file, state in answer["metadata_files"].items() if "format_version" in state]
        states += [(identifier, state, latest, identifier) for identifier, state in answer["snapshots"].items()]
        for title, state, location, snapshot in states:
            rows = restated(name, state.get("rows", state.get("row_count")))
            answered = "oracle" not in json.dumps([state.get("oracle_error"), state.get("oracle_errors")])
            if rows is not None and answered:
                yield {"name": f"{name} {title}", "rows": rows, "location": location, "snapshot": snapshot, "maps": maps}


class Owner:
    """What a Table wants of its owner."""

    def __init__(self, folder):
        self.judge, self.source, self.folder, self.java_plans = None, folder.name, folder, {}


def spark_tables(folder, only):
    for file in sorted(folder.glob("*/expected.json")):
        if not only or only in file.parent.name:
            yield Table(Owner(folder), json.loads(file.read_text()))


def spark_states(folder, only):
    for table in spark_tables(folder, only):
        for snapshot in table.answer["snapshots"]:
            schema = table.snapshot_schema[snapshot["snapshot_id"]]
            if any(unread(field["type"]) for field in schema):
                continue
            rows = table.right(snapshot.get("rows", snapshot["count"]), snapshot)
            yield {"name": f"{table.name} {snapshot['snapshot_id']}", "rows": rows, "location": table.location,
                   "snapshot": snapshot["snapshot_id"], "maps": {table.recorded: table.here}}


def outcome(got, wanted):
    if isinstance(got, str):
        return "refused"
    if isinstance(wanted, int):
        return "equal" if len(got) == wanted else "wrong"
    columns = [name for name in wanted[0] if not name.startswith("_")] if wanted else []
    same = lambda rows: [{name: row.get(name, "(no such column)") for name in columns} for row in rows]
    return "wrong" if len(got) != len(wanted) or difference(same(wanted), same(got)) else "equal"


def measure(peers, states):
    counts = {peer.name: Counter() for peer in peers}
    total = 0
    for state in states:
        total += 1
        for peer in peers:
            rows = peer.rows(state)
            result = outcome(rows, state["rows"])
            counts[peer.name][result] += 1
            print(f"{peer.name} {state['name']}: {result} {rows[:300] if isinstance(rows, str) else ''}", flush=True)
    return {"states": total, **{name: dict(count) for name, count in counts.items()}}


def java_plans(java, folder, only):
    """For each table and filter the files that Java plans; filters that it does not take are left out."""
    plans = {}
    for table in spark_tables(folder, only):
        plans[table.name] = found = {}
        for test in table.answer["filters"]:
            sql = table.rewritten(test["sql"])
            expression = test.get("iceberg_expr") or (None if FUNCTION.search(sql) else translate(sql, table.current))
            planned = java.plan(table.location, {table.recorded: table.here}, expression) if expression else "no expression"
            if isinstance(planned, str):
                print(f"no plan for {table.name} {sql}: {planned[:200]}", flush=True)
            else:
                found[sql] = planned
    return plans


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("frazil")
    parser.add_argument("peers", type=Path)
    parser.add_argument("plans", type=Path)
    parser.add_argument("--testdata", default=os.environ.get("FRAZIL_TESTDATA") or HERE.parents[2] / "shared" / "testdata")
    parser.add_argument("--source")
    parser.add_argument("--table")
    parser.add_argument("--peer")
    options = parser.parse_args()
    root = Path(options.testdata) / "iceberg-tables"
    if not root.is_dir():
        print(f"skipped: there is no {root}")
        return 0
    peers = open_peers(options.frazil, options.peers.resolve(), options.peer)
    measured = {}
    for folder in sorted(path for path in root.iterdir() if path.is_dir()):
        if not options.source or folder.name == options.source:
            states = spark_states if folder.name == "spark-1.12" else plain_states
            measured[folder.name] = measure(peers, states(folder, options.table))
    plans = java_plans(peers[0], root / "spark-1.12", options.table) if isinstance(peers[0], Java) else {}
    options.plans.write_text(json.dumps(plans, indent=1))
    if not (options.source or options.table or options.peer):
        (HERE / "peers.json").write_text(json.dumps(
            {"peers": {peer.name: peer.version for peer in peers}, "sources": measured}, indent=1) + "\n")
    print(json.dumps(measured, indent=1))
    for peer in peers:
        peer.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
