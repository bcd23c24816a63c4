"""Rows as input files of every kind that the command takes, and as they come out of them."""
import json
from decimal import Decimal

import history_avro
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


def may_lack(history, field):
    return field.id != 1 and not (field.required and field.write is None) and history.random.random() < 0.2


def new_path(history, kind):
    return history.warehouse / f"{history.table}-{history.new_name('f')}.{kind}"


def json_lines(history, rows):
    path = new_path(history, "jsonl")
    path.write_text("".join(json.dumps(shown_row(history.model.schema, values)) + "\n" for values in rows))
    return str(path), rows


def sparse_json_lines(history, rows):
    """Lines without some members, which get their write default."""
    path, lines, out = new_path(history, "jsonl"), [], []
    for values in rows:
        gone = [field for field in history.model.schema if may_lack(history, field)]
        shown = shown_row(history.model.schema, values)
        lines.append(json.dumps({name: item for name, item in shown.items() if name not in {field.name for field in gone}}))
        out.append({**values, **{field.id: field.write for field in gone}})
    path.write_text("\n".join(lines) + "\n")
    return str(path), out


def avro(history, rows):
    path = new_path(history, "avro")
    path.write_bytes(history_avro.container(history.model.schema, rows))
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
    given = [field for field in fields if not may_lack(history, field)]
    history.random.shuffle(given)
    path = new_path(history, "csv")
    lines = [",".join(field.name for field in given), *(",".join(csv_cell(value_of(f, values)) for f in given) for values in rows)]
    path.write_text("\n".join(lines) + "\n")
    ids = {field.id for field in given}
    return str(path), [{field.id: values[field.id] if field.id in ids else field.write for field in history.model.schema} for values in rows], ids


def files(history, rows, several):
    """(paths, rows as the table gets them): one file, or each half in one of its kind."""
    kinds = [json_lines, sparse_json_lines, avro, csv]
    if several and len(rows) > 1:
        half = len(rows) // 2
        first, second = (kind(history, part) for kind, part in zip(history.random.sample(kinds, 2), (rows[:half], rows[half:])))
        return [first[0], second[0]], [*first[1], *second[1]]
    made = history.random.choice(kinds)(history, rows)
    return [made[0]], made[1]


def source(history, rows):
    """(path, rows for inserts, ids of the fields that the file has)."""
    if history.random.random() < 0.5:
        return csv(history, rows)
    made = history.random.choice([json_lines, avro])(history, rows)
    return *made, {field.id for field in history.model.schema}
