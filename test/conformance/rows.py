"""Rows as multisets: one canonical form for what frazil prints and for what the golden answers say."""
import json
import re
import struct

# Answers write moments with or without a fraction, a plus sign beyond year 9999, and UTC as Z, +00:00 or nothing.
MOMENT = re.compile(r"^\+?(-?\d{4,6}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|\d\d:\d\d:\d\d)(\.\d+)?(Z|\+00:00)?$")


def load_json(text):
    return json.loads(text)


def number(value):
    """Integers exactly; floats as the nearest float32, because answers widen floats and frazil prints them short."""
    if isinstance(value, int):
        return f"n:{value}"
    if value == 0 or (value.is_integer() and abs(value) < 2**53):
        return f"n:{int(value)}"
    try:
        value = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        if abs(value) < 3.40282357e38:  # the greatest float, printed short
            value = 3.4028234663852886e38 if value > 0 else -3.4028234663852886e38
    return f"n:{value!r}"


def canonical(value):
    """Structs and maps become sorted pairs, so that both sides' ways of writing maps agree."""
    if value is None or isinstance(value, (bool, str)):
        return json.dumps(value, sort_keys=True)
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, dict):
        if set(value) == {"$map"}:
            return pairs(value["$map"])
        return pairs(list(value.items()))
    if all(isinstance(item, list) and len(item) == 2 for item in value):  # also an empty list, which may be a map
        return pairs(value)
    return "[" + ",".join(canonical(item) for item in value) + "]"


def pairs(items):
    return "{" + ",".join(sorted(canonical(key) + ":" + canonical(item) for key, item in items)) + "}"


def plain_moments(value):
    """The same value with moments in one spelling; for answers of files, whose oracles differ in that."""
    if isinstance(value, str):
        found = MOMENT.match(value)
        return found[1].replace(" ", "T") + (found[2] or "").rstrip("0").rstrip(".") if found else value
    if isinstance(value, list):
        return [plain_moments(item) for item in value]
    if isinstance(value, dict):
        return {key: plain_moments(item) for key, item in value.items()}
    return value


NOT_READ = re.compile(r"^(variant|geometry|geography)")


def unread(field_type):
    """Whether a type, or one inside it, is not read."""
    if isinstance(field_type, str):
        return bool(NOT_READ.match(field_type))
    parts = [field_type.get(key) for key in ("element", "key", "value") if key in field_type]
    return any(unread(part) for part in parts + [field["type"] for field in field_type.get("fields", [])])


def without(row, names):
    return {key: value for key, value in row.items() if key not in names}


def multiset(rows):
    return sorted(canonical(row) for row in rows)


def difference(want, got, limit=2):
    """A short account of two multisets that differ; empty when they do not."""
    want, got = multiset(want), multiset(got)
    if want == got:
        return ""
    missing, extra = list(want), []
    for row in got:
        if row in missing:
            missing.remove(row)
        else:
            extra.append(row)
    parts = [f"{len(want)} rows wanted, {len(got)} got"]
    parts += [f"missing {row[:300]}" for row in missing[:limit]]
    parts += [f"extra {row[:300]}" for row in extra[:limit]]
    return "; ".join(parts)
