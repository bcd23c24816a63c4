"""Writes the measured tables into docs/conformance.md, between its marks."""
import json
from pathlib import Path

from judge import KINDS

MARKS = ("<!-- measured: begin -->", "<!-- measured: end -->")
PEERS = Path(__file__).parent / "peers.json"


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
    return table(["source", "cases", "equal", "equal in part", "refused by name", "failed"], rows)


def reasons(judge):
    total = {}
    for source, counted in judge.reasons.items():
        for reason, count in counted.items():
            total.setdefault(reason, {})[source] = count
    return table(["reason", "cases", "sources"], [
        [reason, sum(found.values()), ", ".join(sorted(found))] for reason, found in sorted(total.items())])


def peers():
    if not PEERS.is_file():
        return ""
    measured = json.loads(PEERS.read_text())
    names = list(measured["peers"])
    rows = [[source, len(states), *(sum(state.get(name) == "equal" for state in states.values()) for name in names)]
            for source, states in measured["sources"].items()]
    return table(["source", "states"] + [f"{name} {version}" for name, version in measured["peers"].items()], rows)


def write(path, judge):
    text = path.read_text()
    before, after = text[:text.index(MARKS[0])], text[text.index(MARKS[1]):]
    parts = [MARKS[0], "### Against the stated answers", outcomes(judge),
             "What is not wholly equal, and why:", reasons(judge)]
    path.write_text(before + "\n\n".join(parts) + "\n" + after)
