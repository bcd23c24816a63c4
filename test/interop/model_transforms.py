"""Partition transforms of values (spec "Partition Transforms", "Appendix B: 32-bit Hash Requirements"), for the model of a dynamic overwrite."""
import datetime
import re
from decimal import Decimal

from model import value_of

EPOCH = datetime.datetime(1970, 1, 1)
# What a column of a kind may be partitioned by.
TERMS = {"int": ["bucket(3, {})", "truncate(10, {})", "{}"], "long": ["bucket(4, {})"], "date": ["month({})", "day({})", "bucket(2, {})"],
         "timestamp": ["day({})", "month({})", "bucket(2, {})"], "string": ["truncate(2, {})", "bucket(3, {})", "{}"],
         "decimal(9,2)": ["truncate(20, {})", "bucket(2, {})"], "boolean": ["{}"]}
SPARK_NAMES = {"day": "days", "month": "months", "year": "years"}


def murmur3(data):
    mask, rotate = 0xFFFFFFFF, lambda x, by: ((x << by) | (x >> (32 - by))) & 0xFFFFFFFF
    hashed = 0
    for at in range(0, len(data) // 4 * 4, 4):
        block = int.from_bytes(data[at:at + 4], "little") * 0xCC9E2D51 & mask
        hashed = (rotate(hashed ^ rotate(block, 15) * 0x1B873593 & mask, 13) * 5 + 0xE6546B64) & mask
    tail = int.from_bytes(data[len(data) // 4 * 4:], "little")
    if tail:
        hashed ^= rotate(tail * 0xCC9E2D51 & mask, 15) * 0x1B873593 & mask
    hashed ^= len(data)
    hashed = (hashed ^ hashed >> 16) * 0x85EBCA6B & mask
    hashed = (hashed ^ hashed >> 13) * 0xC2B2AE35 & mask
    return hashed ^ hashed >> 16


def moment(value):
    return datetime.datetime.fromisoformat(value)


def hashed_bytes(kind, value):
    if kind in ("int", "long"):
        return value.to_bytes(8, "little", signed=True)
    if kind == "date":
        return (moment(value) - EPOCH).days.to_bytes(8, "little", signed=True)
    if kind == "timestamp":
        return ((moment(value) - EPOCH) // datetime.timedelta(microseconds=1)).to_bytes(8, "little", signed=True)
    if kind.startswith("decimal"):
        unscaled = int(value.scaleb(2))
        return unscaled.to_bytes((unscaled + (unscaled < 0)).bit_length() // 8 + 1, "big", signed=True)
    return value.encode()


def transformed(transform, kind, value):
    """TRANSFORM as metadata.json names it."""
    if value is None or transform == "identity":
        return value
    name, width = re.match(r"(\w+)(?:\[(\d+)\])?$", transform).groups()
    if name == "bucket":
        return (murmur3(hashed_bytes(kind, value)) & 0x7FFFFFFF) % int(width)
    if name == "truncate":
        if isinstance(value, str):
            return value[:int(width)]
        unit = Decimal(width).scaleb(-2) if isinstance(value, Decimal) else int(width)
        return value // unit * unit if not isinstance(value, Decimal) else value - (value % unit + unit) % unit
    return (moment(value).date(), moment(value).strftime("%Y-%m"), moment(value).year)[("day", "month", "year").index(name)]


def partition_of(model, values):
    """The tuple of a row under the model's spec; as text, so that 1 and True differ."""
    by_id = {field.id: field for field in model.schema}
    return repr([transformed(transform, by_id[source].kind, value_of(by_id[source], values)) for source, transform in model.spec])


def term_transform(term):
    """`bucket(3, c)` as metadata.json says it: (transform, column)."""
    found = re.match(r"(\w+)\((?:(\d+), )?(\w+)\)$", term)
    if not found:
        return "identity", term
    name, width, column = found.groups()
    return name + (f"[{width}]" if width else ""), column


def spark_term(term):
    name = term.partition("(")[0]
    return term.replace(name, SPARK_NAMES.get(name, name), 1)
