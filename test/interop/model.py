"""A table as the specification describes it, in plain Python: what each snapshot's rows are, by field id, with their row ids and
last updated sequence numbers.

Rows do not change once they are made, so snapshots share them: a branch is a name of a snapshot, and a rollback moves a name. A value is
kept under the id of its field; a row that has none for a field reads the field's initial default (spec "Default values").
"""
import dataclasses
import re
from collections import Counter, defaultdict, namedtuple
from decimal import Decimal

# `id` and `sequence` are None where a snapshot has no row lineage, before version 3.
Row = namedtuple("Row", "values id sequence")
# What an operation makes of the rows of its parent: `updated` are pairs of a row and its new values, `inserted` values.
Change = namedtuple("Change", "kept updated inserted")


@dataclasses.dataclass(frozen=True)
class Field:
    id: int
    name: str
    kind: str  # as in DDL, or "struct"
    required: bool = False
    initial: object = None
    write: object = None
    fields: tuple = ()  # of a struct


@dataclasses.dataclass(frozen=True)
class Snapshot:
    id: int
    parent: int
    sequence: int
    rows: tuple
    schema: tuple
    lineage: bool
    added: tuple  # values of the rows that it inserted
    operation: str


def same(change, rows):
    return not change.updated and not change.inserted and len(change.kept) == len(rows)


def keep_all(rows):
    return Change(list(rows), [], [])


# Values.


def value_of(field, values):
    value = values[field.id] if field.id in values else field.initial
    if field.kind == "timestamp" and isinstance(value, str) and len(value) == 10:  # it was a date
        return f"{value}T00:00:00.000000"
    return value


def shown(field, values):
    """As frazil prints it."""
    value = value_of(field, values)
    if value is None:
        return None
    if field.fields:
        return {child.name: shown(child, value) for child in field.fields}
    return format(value, "f") if isinstance(value, Decimal) else value


def shown_row(schema, values):
    return {field.name: shown(field, values) for field in schema}


def shown_rows(snapshot, schema, lineage):
    """Rows of a snapshot (None: a branch without one) read with a schema."""
    rows = []
    for row in snapshot.rows if snapshot else ():
        printed = shown_row(schema, row.values)
        if lineage:
            printed.update(_row_id=row.id, _last_updated_sequence_number=row.sequence)
        rows.append(printed)
    return rows


def key(row):
    """What a printed row is counted by; numbers are equal as Python has them."""
    return tuple((name, key(item) if isinstance(item, dict) else item) for name, item in sorted(row.items()))


def account(want, got):
    """How two sets of printed rows differ; empty when they do not."""
    want, got = Counter(map(key, want)), Counter(map(key, got))
    missing, extra = want - got, got - want
    if not missing and not extra:
        return ""
    return (f"{sum(missing.values())} rows are not there {list(missing)[:2]!s:.600}; "
            f"{sum(extra.values())} are not expected {list(extra)[:2]!s:.600}")


# Schemas.


def json_type(field):
    if field.fields:
        return {"type": "struct", "fields": [json_field(child) for child in field.fields]}
    return field.kind.replace(",", ", ")


def json_field(field):
    """As metadata.json has it, but for comments."""
    out = {"id": field.id, "name": field.name, "required": field.required, "type": json_type(field)}
    for key, value in (("initial-default", field.initial), ("write-default", field.write)):
        if value is not None:
            out[key] = format(value, "f") if isinstance(value, Decimal) else value
    return out


def six_digits(moment):
    """A moment with all digits of its microseconds: Java leaves out zeros at their end."""
    return re.sub(r"(T\d\d:\d\d:\d\d)\.?(\d*)", lambda parts: f"{parts[1]}.{parts[2]:0<6}", moment)


def without_comments(written):
    """The same of what metadata.json has."""
    out = {key: value for key, value in written.items() if key != "doc"}
    if str(out["type"]).startswith("timestamp"):
        out.update({key: six_digits(out[key]) for key in ("initial-default", "write-default") if key in out})
    if isinstance(out["type"], dict):
        out["type"] = {"type": "struct", "fields": [without_comments(child) for child in out["type"]["fields"]]}
    elif out["type"].startswith("decimal"):
        out["type"] = ", ".join(part.strip() for part in out["type"].split(","))
    return out


def find(schema, path):
    """The field at a dotted path, None when there is none."""
    name, _, rest = path.partition(".")
    field = next((field for field in schema if field.name == name), None)
    return find(field.fields, rest) if field and rest else field


def replaced(schema, field_id, new):
    """The schema with another field, or none, in place of the one of that id, at any depth."""
    out = []
    for field in schema:
        if field.id == field_id:
            out += [new] if new else []
        else:
            out.append(dataclasses.replace(field, fields=replaced(field.fields, field_id, new)) if field.fields else field)
    return tuple(out)


def placed(schema, field, after):
    """The schema with the field first, or behind the one of the name AFTER."""
    rest = [other for other in schema if other.id != field.id]
    place = 0 if after is None else 1 + next(i for i, other in enumerate(rest) if other.name == after)
    return (*rest[:place], field, *rest[place:])


class Model:
    def __init__(self, version, schema, properties):
        self.version, self.schema, self.properties = version, schema, dict(properties)
        self.spec = []  # (source id, transform), of fields that are not void
        self.snapshots, self.refs, self.staged = {}, {}, {}  # refs: name -> (kind, snapshot id)
        self.last_field_id = max(field.id for top in schema for field in (top, *top.fields))
        self.held = set()  # ids of fields that some partition spec or sort order was made of
        self.row_ids = set()  # all that were ever given

    def field_ids(self, count):
        first = self.last_field_id + 1
        self.last_field_id += count
        return range(first, first + count)

    def head(self, ref="main"):
        return self.snapshots[self.refs[ref][1]] if ref in self.refs else None

    def rows(self, ref="main"):
        return self.head(ref).rows if self.head(ref) else ()

    def branches(self):
        return sorted(name for name, (kind, _) in self.refs.items() if kind == "branch")

    def tags(self):
        return sorted(name for name, (kind, _) in self.refs.items() if kind == "tag")

    def ancestors(self, snapshot_id):
        """That snapshot and those before it, newest first."""
        while snapshot_id in self.snapshots:
            yield snapshot_id
            snapshot_id = self.snapshots[snapshot_id].parent

    def schema_of(self, ref):
        """A branch is read with the table's schema, a tag with that of its snapshot."""
        kind, snapshot = self.refs.get(ref, ("branch", None))
        return self.schema if kind == "branch" else self.snapshots[snapshot].schema

    # The rules of a commit.

    def add(self, written, parent, change, observed, next_row_id):
        """Adds the snapshot that metadata.json has as WRITTEN, whose rows were OBSERVED as frazil prints them, with lineage at version
        3. NEXT_ROW_ID is that of the table before. An account of what is not as it must be."""
        lineage = "first-row-id" in written
        problem = self.facts(written, parent, lineage, next_row_id)
        if problem:
            return problem
        sequence = written.get("sequence-number", 0)
        span = range(written.get("first-row-id", 0), written.get("first-row-id", 0) + written.get("added-rows", 0))
        expected = [*change.kept, *(Row(values, row.id, sequence) for row, values in change.updated),
                    *(Row(values, None, sequence) for values in change.inserted)]
        rows, problem = (self.with_lineage(expected, observed, sequence, span) if lineage
                         else ([Row(row.values, None, None) for row in expected], account([shown_row(self.schema, row.values) for row in expected], observed)))
        if problem:
            return problem
        self.row_ids.update(row.id for row in rows if lineage)
        self.snapshots[written["snapshot-id"]] = Snapshot(
            written["snapshot-id"], parent.id if parent else None, sequence, tuple(rows), self.schema, lineage,
            tuple(change.inserted), written["summary"]["operation"])
        return ""

    def facts(self, written, parent, lineage, next_row_id):
        if written.get("parent-snapshot-id") != (parent.id if parent else None):
            return f"parent of the snapshot: {written.get('parent-snapshot-id')}, want {parent and parent.id}"
        if lineage != (self.version == 3):
            return f"a snapshot of version {self.version} has {'a' if lineage else 'no'} first-row-id"
        if lineage and written["first-row-id"] != next_row_id:
            return f"first-row-id {written['first-row-id']}, the table's next-row-id was {next_row_id}"
        latest = max((snapshot.sequence for snapshot in self.snapshots.values()), default=0)
        want = latest + 1 if self.version > 1 else 0
        if written.get("sequence-number", 0) != want:
            return f"sequence number {written.get('sequence-number')}, want {want}"
        return ""

    def with_lineage(self, expected, observed, sequence, span):
        """Rows whose id is known have it, and their number. Others take an id that no row had, out of the range of the snapshot; their
        number is the snapshot's, or, of rows from before the upgrade, one up to it. (rows, account)"""
        unmatched = defaultdict(list)
        for row in observed:
            row = dict(row)
            unmatched[row.pop("_row_id"), row.pop("_last_updated_sequence_number"), key(row)].append(row)
        rows, fresh, missing = [], [], []
        for row in expected:
            known = row.id, row.sequence, key(shown_row(self.schema, row.values))
            if row.id is None:
                fresh.append((row, known[2]))
            elif unmatched.get(known):
                unmatched[known].pop()
                rows.append(row)
            else:
                missing.append(known)
        by_values = defaultdict(list)
        for (row_id, number, values), left in unmatched.items():
            by_values[values] += [(row_id, number)] * len(left)
        for row, values in sorted(fresh, key=lambda pair: pair[0].sequence is None):  # the narrower ones first
            allowed = [pair for pair in by_values[values] if self.fits(pair, row, sequence, span)]
            if allowed:
                by_values[values].remove(allowed[0])
                rows.append(Row(row.values, *allowed[0]))
            else:
                missing.append((f"one of {span}", row.sequence or f"up to {sequence}", values))
        extra = [(*pair, values) for values, pairs in by_values.items() for pair in pairs]
        if missing or extra:
            return rows, f"rows with lineage: {len(missing)} not there {missing[:2]}; {len(extra)} not expected {extra[:2]}"
        ids = [row.id for row in rows]
        return rows, "" if len(set(ids)) == len(ids) else f"a row id occurs twice: {Counter(ids).most_common(1)}"

    def fits(self, pair, row, sequence, span):
        row_id, number = pair
        if row_id is None or number is None or row_id not in span or row_id in self.row_ids:
            return False
        return number == row.sequence if row.sequence is not None else 0 <= number <= sequence

