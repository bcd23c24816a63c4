"""Two answers compared as multisets of rows; what differs is told by row and column."""
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "conformance"))
from rows import canonical  # noqa: E402

DOUBLES = ("d",)
PAIRED_MAPS = ("ml",)


def exact(row):
    """rows.py compares floats as float32, as peers widen these; doubles are compared to the last bit. frazil prints a map
    whose keys are no strings as a list of pairs."""
    row = {name: repr(float(value)) if name in DOUBLES and value is not None else value for name, value in row.items()}
    return {name: {"$map": value} if name in PAIRED_MAPS and isinstance(value, list) else value for name, value in row.items()}


def differing_cells(want, got, key):
    ours, theirs = ({row[key]: row for row in rows} for rows in (want, got))
    parts = [f"only ours: {sorted(set(ours) - set(theirs))[:10]}"] if set(ours) - set(theirs) else []
    parts += [f"only theirs: {sorted(set(theirs) - set(ours))[:10]}"] if set(theirs) - set(ours) else []
    seen = set()
    for name in sorted(set(ours) & set(theirs)):
        for column in ours[name]:
            a, b = ours[name][column], theirs[name].get(column, "(no such column)")
            if canonical(a) != canonical(b) and column not in seen:
                seen.add(column)
                parts.append(f"{key} {name} {column}: ours {a!r}, theirs {b!r}")
    extra = set(got[0]) - set(want[0]) if want and got else set()
    return parts + ([f"columns only theirs: {sorted(extra)}"] if extra else [])


def differ(want, got, key="id"):
    """A short account of how two sets of rows differ; empty when they do not."""
    want, got = [exact(row) for row in want], [exact(row) for row in got]
    if sorted(map(canonical, want)) == sorted(map(canonical, got)):
        return ""
    count = "" if len(want) == len(got) else f"{len(want)} rows are ours, {len(got)} theirs; "
    if want and got and key in want[0] and key in got[0]:
        return (count + "; ".join(differing_cells(want, got, key)[:8])) or "rows occur a different number of times"
    return count + f"ours {want[:2]}, theirs {got[:2]}"
