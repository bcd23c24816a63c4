#!/usr/bin/env python3
"""Writes avro_shapes.inc: Avro data files made by fastavro, an implementation that is not ours.

Usage: avro_shapes.py > avro_shapes.inc   (needs fastavro; the file is kept in the tree)
"""
import decimal
import io
import uuid

import fastavro

D = decimal.Decimal


def field(name, type_, id_=None, **more):
    out = {"name": name, "type": type_, **more}
    if id_ is not None:
        out["field-id"] = id_
    return out


def record(name, *fields):
    return {"type": "record", "name": name, "fields": list(fields)}


def entries(name, key, value):
    return {"type": "array", "logicalType": "map", "items": record(name, key, value)}


# name -> (schema, rows)
SHAPES = {
    # Unions with null second, with one branch, with nothing but null.
    "unions": (
        record("r", field("id", ["long"], 1), field("s", ["string", "null"], 2), field("n", ["null"], 3),
               field("i", ["null", "int"], 4), field("st", [record("st", field("x", ["int", "null"], 6)), "null"], 5)),
        [{"id": 1, "s": "one", "n": None, "i": None, "st": {"x": 5}},
         {"id": 2, "s": None, "n": None, "i": 7, "st": None},
         {"id": 3, "s": "three", "n": None, "i": 8, "st": {"x": None}}]),
    # Maps of string keys, and of others as arrays of records; an array of two-field records that is no map.
    "maps": (
        record("r", field("id", "int", 1),
               field("m", {"type": "map", "key-id": 5, "value-id": 6,
                           "values": ["null", record("mv", field("a", "int", 7), field("b", "string", 8))]}, 2),
               field("k", entries("k9_v10", field("key", "int", 9), field("value", ["null", "string"], 10)), 3),
               field("l", {"type": "array", "element-id": 11,
                           "items": record("pair", field("key", "int", 12), field("value", "string", 13))}, 4)),
        [{"id": 1, "m": {"x": {"a": 1, "b": "q"}, "y": None}, "k": [{"key": 5, "value": "five"}, {"key": 6, "value": None}],
          "l": [{"key": 1, "value": "v"}]},
         {"id": 2, "m": {}, "k": [], "l": []}]),
    "numbers": (
        record("r", field("i", "int", 1), field("f", "float", 2),
               field("d", {"type": "fixed", "name": "d4", "size": 4, "logicalType": "decimal", "precision": 9, "scale": 2}, 3),
               field("b", {"type": "bytes", "logicalType": "decimal", "precision": 38, "scale": 4}, 4),
               field("u", {"type": "fixed", "name": "u16", "size": 16, "logicalType": "uuid"}, 5),
               field("x", {"type": "fixed", "name": "f3", "size": 3}, 6),
               field("e", {"type": "enum", "name": "suit", "symbols": ["CLUBS", "HEARTS"]}, 7)),
        [{"i": -2147483648, "f": 1.5, "d": D("-1234567.89"), "b": D("-9999999999999999999999999999999999.9999"),
          "u": uuid.UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7").bytes, "x": b"abc", "e": "HEARTS"},
         {"i": 7, "f": -0.25, "d": D("0.01"), "b": D("12.3456"), "u": uuid.UUID(int=1).bytes, "x": b"\0\xff\1", "e": "CLUBS"}]),
    "times": (
        record("r", field("d", {"type": "int", "logicalType": "date"}, 1),
               field("tm", {"type": "int", "logicalType": "time-millis"}, 2),
               field("tu", {"type": "long", "logicalType": "time-micros"}, 3),
               field("ms", {"type": "long", "logicalType": "timestamp-millis", "adjust-to-utc": True}, 4),
               field("us", {"type": "long", "logicalType": "timestamp-micros"}, 5),
               field("uz", {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": True}, 6),
               field("un", {"type": "long", "logicalType": "timestamp-micros"}, 7),
               field("ns", {"type": "long", "logicalType": "timestamp-nanos", "adjust-to-utc": False}, 8),
               field("lo", {"type": "long", "logicalType": "local-timestamp-micros"}, 9),
               field("dt", {"type": "int", "logicalType": "date"}, 10),
               field("lm", {"type": "long", "logicalType": "local-timestamp-millis"}, 11)),
        [{"d": -1, "tm": 86399999, "tu": 1, "ms": 1500, "us": -1, "uz": 1000000, "un": 1, "ns": -1, "lo": 86400000000,
          "dt": 1, "lm": -1},
         {"d": 0, "tm": 0, "tu": 86399999999, "ms": -1, "us": 0, "uz": 0, "un": 0, "ns": 1000000001, "lo": 0, "dt": -1,
          "lm": 86400001}]),
    # No ids: names, with what is nested in lists and maps.
    "names": (
        record("r", field("record_id", "int"), field("a_b", ["null", "string"]),
               field("loc", ["null", record("loc", field("lat", "double"), field("extra", "int"))]),
               field("l", {"type": "array", "items": ["null", record("lx", field("x", "int"))]}),
               field("m", {"type": "map", "values": record("my", field("y", "int"))}),
               field("k", entries("kv", field("key", "int"), field("value", record("kz", field("z", "int"))))),
               field("unmapped", "int")),
        [{"record_id": 1, "a_b": "s", "loc": {"lat": 1.5, "extra": 3}, "l": [{"x": 5}, None], "m": {"k": {"y": 6}},
          "k": [{"key": 3, "value": {"z": 4}}], "unmapped": 9},
         {"record_id": 2, "a_b": None, "loc": None, "l": [], "m": {}, "k": [], "unmapped": 9}]),
    # A type that contains itself, and a union of two types, beside a column that is readable.
    "odd": (
        record("r", field("list", record("node", field("v", "int", 4), field("next", ["null", "node"], 5)), 2),
               field("u", ["null", "int", "string"], 3), field("id", "int", 1)),
        [{"list": {"v": 1, "next": {"v": 2, "next": None}}, "u": "x", "id": 11},
         {"list": {"v": 1, "next": None}, "u": 3, "id": 12}]),
    # Row ids and sequence numbers, stored and to be inherited.
    "lineage": (
        record("r", field("id", "int", 1), field("_row_id", ["null", "long"], 2147483540),
               field("_last_updated_sequence_number", ["null", "long"], 2147483539)),
        [{"id": 1, "_row_id": 70, "_last_updated_sequence_number": None},
         {"id": 2, "_row_id": None, "_last_updated_sequence_number": 0},
         {"id": 3, "_row_id": None, "_last_updated_sequence_number": None}]),
    # UUIDs as strings, and null under what a table may require.
    "uuids": (
        record("r", field("u", ["null", {"type": "string", "logicalType": "uuid"}], 1), field("n", ["null", "int"], 2),
               field("s", record("s", field("a", ["null", "int"], 4)), 3)),
        [{"u": "f79c3e09-677c-4bbd-a479-3f349cb785e7", "n": 1, "s": {"a": 5}},
         {"u": "F79C3E09-677C-4BBD-A479-3F349CB785E8", "n": None, "s": {"a": None}},
         {"u": None, "n": 3, "s": {"a": 7}}]),
    # Equality deletes, with a column that is no key.
    "keys": (
        record("r", field("name", ["null", "string"], 2), field("id", "int", 1)),
        [{"name": "n3", "id": 9}, {"name": None, "id": 9}]),
    # Position deletes with the row.
    "deletes": (
        record("r", field("file_path", "string", 2147483546), field("pos", "long", 2147483545),
               field("row", ["null", record("row", field("id", "int", 1))], 2147483544)),
        [{"file_path": "mem://avro/rows.avro", "pos": 2, "row": {"id": 3}},
         {"file_path": "mem://avro/other.avro", "pos": 0, "row": None},
         {"file_path": "mem://avro/rows.avro", "pos": 0, "row": None},
         {"file_path": "mem://avro/rows.avro", "pos": 2, "row": None}]),
}


def encode(schema, rows):
    out = io.BytesIO()
    fastavro.writer(out, fastavro.parse_schema(schema), rows, sync_marker=b"0123456789abcdef")
    return out.getvalue()


def main():
    print("/* Made by avro_shapes.py with fastavro. */")
    for name, (schema, rows) in SHAPES.items():
        data = encode(schema, rows)
        print(f"\nstatic const uint8_t {name}_avro[{len(data)}] = {{")
        for at in range(0, len(data), 20):
            print("    " + " ".join(f"{byte}," for byte in data[at:at + 20]))
        print("};")


if __name__ == "__main__":
    main()
