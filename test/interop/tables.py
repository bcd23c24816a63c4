"""The columns, partitionings and filters of the suite's tables."""

LINEAGE = ["_row_id", "_last_updated_sequence_number"]
FLOATS = [0.1, -1.25, "NaN", "Infinity", "-Infinity", 3.4e38, 1e-45]
DOUBLES = [0.1, -0.125, "NaN", "Infinity", "-Infinity", 1.7e308, 5e-324]


def among(*values):
    return lambda i: values[i % len(values)]


# A column, its type in DDL, and its value in row i. PyIceberg, DuckDB, Spark and Java read all of these.
COLUMNS = [
    ("id", "long not null", lambda i: i),
    ("b", "boolean", among(True, False, None)),
    ("i", "int", lambda i: [None, -(2**31), 2**31 - 1, i][i % 4]),
    ("f", "float", lambda i: [None, i / 4, *FLOATS][i % 9]),
    ("d", "double", lambda i: [None, *DOUBLES, i / 8][i % 9]),
    ("dec9", "decimal(9,2)", lambda i: [None, "-0.01", "9999999.99", f"{i}.50"][i % 4]),
    ("dec18", "decimal(18,0)", lambda i: [None, "-999999999999999999", str(i)][i % 3]),
    ("dec38", "decimal(38,10)", lambda i: [None, "-9999999999999999999999999999.9999999999", f"{i}.0000000001"][i % 3]),
    ("dt", "date", lambda i: [None, "1969-12-31", "2024-02-29", "2026-01-%02d" % (1 + i % 28)][i % 4]),
    ("ts", "timestamp", lambda i: [None, "1969-12-31T23:59:59.999999", "2026-01-%02dT10:00:00.000001" % (1 + i % 28)][i % 3]),
    ("tz", "timestamptz", lambda i: [None, "1970-01-01T00:00:00.000000Z", "2026-02-%02dT22:30:00.500000Z" % (1 + i % 28)][i % 3]),
    ("s", "string", lambda i: [None, "", "caf\u00e9 \U0001F600", f"name-{i}"][i % 4]),
    ("bin", "binary", lambda i: [None, "0x", "0x00ff%02x" % (i % 256)][i % 3]),
    ("u", "uuid", lambda i: [None, f"f0000000-0000-4000-8000-{i:012x}"][i % 2]),
    ("fx", "fixed(3)", lambda i: [None, "0x%06x" % i][i % 2]),
    ("st", "struct<x: int, y: string, z: struct<w: date>>", lambda i: [
        None, {"x": i, "y": None, "z": {"w": "2026-01-01"}}, {"x": None, "y": f"y{i}", "z": None}][i % 3]),
    ("l", "list<int>", lambda i: [None, [], [1, None, i]][i % 3]),
    ("m", "map<string, long>", lambda i: [None, {}, {"a": i, "b": None}][i % 3]),
    ("ls", "list<struct<p: int, q: list<string>>>", lambda i: [None, [], [{"p": i, "q": ["q", None]}, {"p": None, "q": None}]][i % 3]),
    ("ml", "map<int, list<double>>", lambda i: [None, [], [[i, [0.5, None]], [-1, None]]][i % 3]),
]
NAMED = {name: column for column in COLUMNS for name in [column[0]]}
SMALL = [NAMED[name] for name in ("id", "b", "i", "s")]
TIME = ("tm", "time", among(None, "00:00:00.000000", "23:59:59.999999"))
NANOS = ("tn", "timestamp_ns", lambda i: [None, "1969-12-31T23:59:59.999999999", "2026-01-02T03:04:05.%09d" % i][i % 3])
ZONED_NANOS = ("zn", "timestamptz_ns", lambda i: [
    None, "1970-01-01T00:00:00.000000001Z", "2026-01-02T03:04:05.%09dZ" % i][i % 3])
NOTHING = ("nothing", "unknown", lambda i: None)

PARTITIONS = {
    "plain": "",
    "days": "day(ts), bucket(4, id)",
    "text": "truncate(2, s), b",
    "months": "month(tz) as month_of_tz, dt",
    "buckets": "bucket(2, dec9), bucket(2, s), bucket(2, u), bucket(2, fx), bucket(2, bin), bucket(2, tz)",
    "cuts": "truncate(1048576, i), truncate(50, dec9), truncate(1, bin), year(dt), hour(ts)",
}

# Filters as frazil, Spark and PyIceberg write them; None where the peer has no such filter or means something else.
FILTERS = [
    ("id = 17", "id = 17", "id = 17"),
    ("id in (2, 40, 64) and b is not null", "id in (2, 40, 64) and b is not null", "id in (2, 40, 64) and b is not null"),
    ("s = 'name-3'", "s = 'name-3'", "s = 'name-3'"),
    ("s like 'name-1%'", "s like 'name-1%'", "s like 'name-1%'"),
    ("s <> ''", "s <> ''", None),  # PyIceberg lets null pass
    ("i > 100", "i > 100", "i > 100"),
    ("dec9 = 27.50", "dec9 = 27.50", "dec9 = 27.50"),
    ("dec18 < 0", "dec18 < 0", "dec18 < 0"),
    ("dec38 > 100", "dec38 > 100", None),  # PyIceberg does not convert the literal's scale
    ("dt < date '2000-01-01'", "dt < date '2000-01-01'", "dt < '2000-01-01'"),
    ("ts >= timestamp '2026-01-10 10:00:00.000001'", "ts >= timestamp_ntz '2026-01-10 10:00:00.000001'",
     "ts >= '2026-01-10T10:00:00.000001'"),
    ("tz > timestamptz '2026-02-20T22:30:00Z'", "tz > timestamp '2026-02-20 22:30:00+00:00'", "tz > '2026-02-20T22:30:00+00:00'"),
    ("bin = X'00ff0b'", "bin = X'00ff0b'", None),  # no such literal
    ("u = 'f0000000-0000-4000-8000-00000000000b'", "u = 'f0000000-0000-4000-8000-00000000000b'",
     "u = 'f0000000-0000-4000-8000-00000000000b'"),
    # pyarrow derives "no NaN" from a row group whose min and max are one value, also in files of its own; the Parquet
    # specification says that these say nothing of NaN.
    ("isnan(f)", "isnan(f)", None),
    # Java prunes > by upper bounds, which exclude NaN, though Spark's NaN is the largest value; Arrow's NaN is not greater.
    ("f > 1", None, None),
    ("f > 1 and not isnan(f)", "f > 1 and not isnan(f)", "f > 1 and f is not nan"),
    ("d <= 0.1", "d <= 0.1", "d <= 0.1"),
    ("st.x > 20", "st.x > 20", "st.x > 20"),
    ("st is null or i is null", "st is null or i is null", None),  # no filters on structs
]
