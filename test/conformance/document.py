"""Writes the measured tables into docs/conformance.md, between its marks."""
import json
from pathlib import Path

from judge import KINDS

MARKS = ("<!-- measured: begin -->", "<!-- measured: end -->")
PEERS = Path(__file__).parent / "peers.json"
# Counts of tables of a larger set, of which spark-1.12 is a part, as its makers measured them.
CITED = {"Go 0.7.0": 82, "DuckDB 1.5.5": 66, "PyIceberg 0.12": 66, "Polars 2.1.0": 66, "Rust 0.10.1": 40}


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def outcomes(judge):
    """One line for each source, and the sum."""
    rows, total = [], dict.fromkeys(KINDS, 0)
    for source in sorted(judge.results, key=lambda name: ("/" in name, name)):
        counts = judge.results[source]
        for kind in KINDS:
            total[kind] += counts[kind]
        rows.append([source, sum(counts.values()), *(counts[kind] for kind in KINDS)])
    rows.append(["**all**", sum(total.values()), *total.values()])
    return table(["source", "cases", "equal", "equal in part", "refused or left out", "failed"], rows)


def reasons(judge):
    """Why cases are not wholly equal, each reason with its cases by source."""
    total = {}
    for source, counted in judge.reasons.items():
        for reason, count in counted.items():
            total.setdefault(reason, {})[source] = count
    rows = [[reason, sum(found.values()), ", ".join(f"{source} {count}" for source, count in sorted(found.items()))]
            for reason, found in sorted(total.items())]
    return table(["reason", "cases", "in"], rows).replace("|---|--:|--:|", "|---|--:|---|")


def peers():
    """States that each peer reads right, of those that it was asked for; what it reads wrong stands behind."""
    if not PEERS.is_file():
        return ""
    measured = json.loads(PEERS.read_text())
    names = sorted(measured["peers"], key=lambda name: (name != "frazil", name))
    rows, total = [], {name: [0, 0] for name in names}
    for source, found in measured["sources"].items():
        cells = []
        for name in names:
            right, wrong = found[name].get("equal", 0), found[name].get("wrong", 0)
            total[name] = [total[name][0] + right, total[name][1] + wrong]
            cells.append(f"{right} ({wrong})")
        rows.append([source, found["states"], *cells])
    rows.append(["**all**", sum(found["states"] for found in measured["sources"].values()),
                 *(f"{right} ({wrong})" for right, wrong in total.values())])
    return table(["source", "states", *(f"{name} {measured['peers'][name]}" for name in names)], rows)


def write(path, judge):
    text = path.read_text()
    before, after = text[:text.index(MARKS[0])], text[text.index(MARKS[1]):]
    cited = table(["peer", "tables right of 120"], sorted(CITED.items(), key=lambda pair: -pair[1]))
    parts = [MARKS[0], "### Against the stated answers", outcomes(judge), "What is not wholly equal, and why:", reasons(judge),
             "### Beside other readers", peers(), cited]
    path.write_text(before + "\n\n".join(parts) + "\n" + after)
