"""Avro object container files of a model's rows, written in plain Python (Avro specification, "Object Container Files"), so that the command's
reader meets another writer than its own."""
import datetime
import json
import struct

from model import value_of
from model_transforms import EPOCH

SYNC = bytes(range(16))
NAMES = {"int": "int", "long": "long", "float": "float", "double": "double", "string": "string", "boolean": "boolean",
         "date": {"type": "int", "logicalType": "date"}, "timestamp": {"type": "long", "logicalType": "local-timestamp-micros"}}


def avro_type(field):
    if field.fields:
        kind = {"type": "record", "name": f"r{field.id}", "fields": [avro_field(child) for child in field.fields]}
    elif field.kind.startswith("decimal"):
        kind = {"type": "bytes", "logicalType": "decimal", "precision": 20 if "20" in field.kind else 9, "scale": 2}
    else:
        kind = NAMES[field.kind]
    return ["null", kind]


def avro_field(field):
    return {"name": field.name, "type": avro_type(field)}


def number(value):
    """Zig-zag, seven bits a byte."""
    value, out = value << 1 ^ value >> 63, bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def counted(data):
    return number(len(data)) + data


def encoded(field, value):
    if value is None:
        return number(0)
    if field.fields:
        body = b"".join(encoded(child, value_of(child, value)) for child in field.fields)
    elif field.kind in ("int", "long"):
        body = number(value)
    elif field.kind in ("float", "double"):
        body = struct.pack("<f" if field.kind == "float" else "<d", value)
    elif field.kind.startswith("decimal"):
        unscaled = int(value.scaleb(2))
        body = counted(unscaled.to_bytes(9, "big", signed=True))
    elif field.kind == "date":
        body = number((datetime.datetime.fromisoformat(value) - EPOCH).days)
    elif field.kind == "timestamp":
        body = number((datetime.datetime.fromisoformat(value) - EPOCH) // datetime.timedelta(microseconds=1))
    else:
        body = bytes([value]) if field.kind == "boolean" else counted(value.encode())
    return number(1) + body


def container(schema, rows):
    """Two blocks where there are two rows."""
    written = json.dumps({"type": "record", "name": "row", "fields": [avro_field(field) for field in schema]}).encode()
    out = b"Obj\x01" + number(2) + counted(b"avro.schema") + counted(written) + counted(b"avro.codec") + counted(b"null") + number(0) + SYNC
    for block in (rows[:len(rows) // 2], rows[len(rows) // 2:]):
        if block:
            data = b"".join(encoded(field, value_of(field, values)) for values in block for field in schema)
            out += number(len(block)) + counted(data) + SYNC
    return out
