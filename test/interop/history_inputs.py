"""Rows as input files of every kind that the command takes, and as they come out of them."""
import json
from decimal import Decimal

from model import shown_row, value_of
from model_filters import sample


def random_rows(history, count, ids=None):
    """Values for rows with new ids, or with those given."""
    rows = []
    for i in range(count):
        values = {field.id: sample(history.random, field) for field in history.model.schema}
        values[1] = ids[i] if ids else history.serial + 1000
        history.serial += not ids
        rows.append(values)
    return rows


def json_lines(history, rows):
    """Every column; a member that is missing would be null."""
    path = history.warehouse / f"{history.table}-{history.new_name('f')}.jsonl"
    path.write_text("".join(json.dumps(shown_row(history.model.schema, values)) + "\n" for values in rows))
    return str(path), rows


def csv_cell(value):
    """An empty field without quotes is null."""
    if value is None:
        return ""
    if isinstance(value, str) and (value == "" or any(c in value for c in ',"\n')):
        return '"' + value.replace('"', '""') + '"'
    if isinstance(value, bool):
        return str(value).lower()
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def csv(history, rows):
    """Some of the columns, in any order: the others get their write default."""
    fields = [field for field in history.model.schema if not field.fields]
    given = [field for field in fields if field.id == 1 or field.required and field.write is None or history.random.random() < 0.8]
    history.random.shuffle(given)
    path = history.warehouse / f"{history.table}-{history.new_name('f')}.csv"
    lines = [",".join(field.name for field in given), *(",".join(csv_cell(value_of(f, values)) for f in given) for values in rows)]
    path.write_text("\n".join(lines) + "\n")
    ids = {field.id for field in given}
    return str(path), [{field.id: values[field.id] if field.id in ids else field.write for field in history.model.schema} for values in rows], ids


def files(history, rows, several):
    """(paths, rows as the table gets them): one file, or each half in one of its kind."""
    if several and len(rows) > 1:
        half = len(rows) // 2
        first, second = json_lines(history, rows[:half]), csv(history, rows[half:])
        return [first[0], second[0]], [*first[1], *second[1]]
    made = history.random.choice([json_lines, csv])(history, rows)
    return [made[0]], made[1]


def source(history, rows):
    """(path, rows for inserts, ids of the fields that the file has)."""
    if history.random.random() < 0.5:
        return csv(history, rows)
    return *json_lines(history, rows), {field.id for field in history.model.schema}
