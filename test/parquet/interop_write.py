#!/usr/bin/env python3
"""Files that frazil writes, read by pyarrow and DuckDB: values, statistics, page index, field ids.

Usage: interop_write.py LIBRARY. Runs under the interpreter that FRAZIL_PEERS_PYTHON names; exits 77
(skipped) when that is unset.
"""
import os
import sys

if __name__ == "__main__" and "FRAZIL_INTEROP_RUNS" not in os.environ:
    PEERS = os.environ.get("FRAZIL_PEERS_PYTHON")
    if not PEERS:
        print("skipped: all cases, FRAZIL_PEERS_PYTHON is not set")
        sys.exit(77)
    os.environ["FRAZIL_INTEROP_RUNS"] = "1"
    os.execv(PEERS, [PEERS, *sys.argv])

import ctypes
import datetime
import decimal
import json
import math
import random
import struct
import tempfile
import unittest
import uuid

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

CODECS = {"none": 0, "snappy": 1, "gzip": 2, "zstd": 4, "lz4": 5, "brotli": 8}
LEVEL_DEFAULT = -(2**31)


class Options(ctypes.Structure):
    _fields_ = [
        ("codec", ctypes.c_int32), ("codec_level", ctypes.c_int32),
        ("row_group_size", ctypes.c_uint64), ("row_group_rows", ctypes.c_int64),
        ("page_size", ctypes.c_uint32), ("page_rows", ctypes.c_int32),
        ("dictionary_size", ctypes.c_uint32), ("dictionary_off", ctypes.c_int32),
        ("data_page_v2", ctypes.c_int32),
        ("plain_column", ctypes.c_char_p), ("silent_column", ctypes.c_char_p),
    ]


class WriteError(Exception):
    pass


def write(table, path, codec="zstd", batch_rows=None, **options):
    """Writes a pyarrow table through frazil; returns the writer's summary."""
    stream = table.to_reader(max_chunksize=batch_rows) if batch_rows else table.to_reader()
    # struct ArrowArrayStream: five pointers
    c_stream = (ctypes.c_void_p * 5)()
    stream._export_to_c(ctypes.addressof(c_stream))
    chosen = Options(codec=CODECS[codec], codec_level=options.pop("codec_level", LEVEL_DEFAULT),
                     **options)
    message = ctypes.create_string_buffer(4096)
    summary = ctypes.create_string_buffer(1 << 22)
    status = LIBRARY.interop_write(path.encode(), c_stream, ctypes.byref(chosen), message, 4096,
                                   summary, 1 << 22)
    if status:
        raise WriteError(message.value.decode())
    return json.loads(summary.value)


def with_ids(schema, start=1):
    """The schema with field ids 1, 2, 3 ... at all levels."""
    counter = [start - 1]

    def number(field):
        counter[0] += 1
        own = counter[0]
        kind = field.type
        if pa.types.is_struct(kind):
            kind = pa.struct([number(kind.field(i)) for i in range(kind.num_fields)])
        elif pa.types.is_map(kind):
            kind = pa.map_(number(pa.field("key", kind.key_type, False)), number(kind.item_field))
        elif pa.types.is_list(kind):
            kind = pa.list_(number(kind.value_field.with_name("element")))
        return field.with_type(kind).with_metadata({"PARQUET:field_id": str(own)})

    return pa.schema([number(f) for f in schema])


def flat_table(rows, seed, null_part=0.2):
    """Every primitive type of Iceberg V3, with nulls."""
    rng = random.Random(seed)

    def column(make):
        return [None if rng.random() < null_part else make() for _ in range(rows)]

    day = datetime.date(1970, 1, 1)
    stamp = datetime.datetime(1970, 1, 1)
    micros = lambda: stamp + datetime.timedelta(microseconds=rng.randrange(-10**15, 10**15))
    digits = lambda p, s: decimal.Decimal(rng.randrange(-10**p + 1, 10**p)).scaleb(-s, decimal.Context(prec=40))
    nanos = lambda: rng.randrange(-2**62, 2**62)
    return pa.table({
        "b": pa.array(column(lambda: rng.random() < 0.5), pa.bool_()),
        "i": pa.array(column(lambda: rng.randrange(-2**31, 2**31)), pa.int32()),
        "l": pa.array(column(lambda: rng.randrange(-2**63, 2**63)), pa.int64()),
        "few": pa.array(column(lambda: rng.randrange(5)), pa.int64()),
        "f": pa.array(column(lambda: struct.unpack("f", struct.pack("f", rng.gauss(0, 1e3)))[0]), pa.float32()),
        "d": pa.array(column(lambda: rng.gauss(0, 1e9)), pa.float64()),
        "d9": pa.array(column(lambda: digits(9, 2)), pa.decimal128(9, 2)),
        "d18": pa.array(column(lambda: digits(18, 4)), pa.decimal128(18, 4)),
        "d20": pa.array(column(lambda: digits(20, 0)), pa.decimal128(20, 0)),
        "d38": pa.array(column(lambda: digits(38, 10)), pa.decimal128(38, 10)),
        "date": pa.array(column(lambda: day + datetime.timedelta(days=rng.randrange(-10**5, 10**6))), pa.date32()),
        "time": pa.array(column(lambda: rng.randrange(86400 * 10**6)), pa.time64("us")),
        "ts": pa.array(column(micros), pa.timestamp("us")),
        "tstz": pa.array(column(micros), pa.timestamp("us", "UTC")),
        "tsns": pa.array(column(nanos), pa.timestamp("ns")),
        "tstzns": pa.array(column(nanos), pa.timestamp("ns", "UTC")),
        "s": pa.array(column(lambda: "".join(rng.choice("aé漢😀z") for _ in range(rng.randrange(12)))), pa.string()),
        "word": pa.array(column(lambda: rng.choice(["red", "green", "", "blue"])), pa.string()),
        "u": pa.array(column(lambda: rng.randbytes(16)), pa.uuid()),
        "fix": pa.array(column(lambda: rng.randbytes(7)), pa.binary(7)),
        "bin": pa.array(column(lambda: rng.randbytes(rng.randrange(20))), pa.binary()),
    })


def nested_table(rows, seed):
    """Structs, lists and maps in each other, with nulls and empties at every level."""
    rng = random.Random(seed)

    def value(kind, nullable=True):
        if nullable and rng.random() < 0.2:
            return None
        if pa.types.is_struct(kind):
            return {kind.field(i).name: value(kind.field(i).type, kind.field(i).nullable)
                    for i in range(kind.num_fields)}
        if pa.types.is_map(kind):
            keys = rng.sample(range(1000), rng.choice([0, 1, 3]))
            return [(str(k) if pa.types.is_string(kind.key_type) else k, value(kind.item_type))
                    for k in keys]
        if pa.types.is_list(kind):
            return [value(kind.value_type) for _ in range(rng.choice([0, 0, 1, 2, 7]))]
        if pa.types.is_string(kind):
            return rng.choice(["x", "", "yy"]) * rng.randrange(4)
        return rng.randrange(-100, 100)

    point = pa.struct([pa.field("x", pa.int32(), False), pa.field("t", pa.string())])
    kinds = {
        "st": point,
        "li": pa.list_(pa.int64()),
        "ls": pa.list_(pa.string()),
        "ll": pa.list_(pa.list_(pa.int32())),
        "lp": pa.list_(point),
        "mp": pa.map_(pa.string(), pa.int64()),
        "ml": pa.map_(pa.int32(), pa.list_(pa.string())),
        "deep": pa.struct([pa.field("m", pa.map_(pa.string(), point)),
                           pa.field("l", pa.list_(pa.map_(pa.int32(), pa.list_(pa.int64()))))]),
    }
    return pa.table({name: pa.array([value(kind) for _ in range(rows)], kind)
                     for name, kind in kinds.items()})


def plain(value, kind):
    """A Python value in a form that is equal for pyarrow and DuckDB."""
    if value is None:
        return None
    if pa.types.is_map(kind):
        if isinstance(value, dict):
            value = list(value.items())
        return [(plain(k, kind.key_type), plain(v, kind.item_type)) for k, v in value]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return [plain(v, kind.value_type) for v in value]
    if pa.types.is_struct(kind):
        return {kind.field(i).name: plain(value[kind.field(i).name], kind.field(i).type)
                for i in range(kind.num_fields)}
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    return value


def values_of(column, kind):
    """A column as Python values; nanoseconds as numbers, uuids as uuids whoever gave them."""
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        column = column.cast(pa.timestamp("ns", kind.tz)).cast(pa.int64())
    values = column.to_pylist()
    if isinstance(kind, pa.UuidType):
        return [v if v is None or isinstance(v, uuid.UUID) else uuid.UUID(v) for v in values]
    return [plain(v, kind) for v in values]


class Case(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "t.parquet")

    def tearDown(self):
        self.folder.cleanup()

    def check_arrow(self, table, path=None):
        read = pq.read_table(path or self.path, page_checksum_verification=True)
        self.assertEqual(read.column_names, table.column_names)
        for name in table.column_names:
            kind = table.schema.field(name).type
            want = values_of(table[name], kind)
            got = values_of(read[name], kind)
            self.assertEqual(len(got), len(want), name)
            for row, (g, w) in enumerate(zip(got, want)):
                self.assertEqual(g, w, f"{name}, row {row}")
        return read

    def check_duckdb(self, table, path=None):
        """Through Arrow, which DuckDB fills from its own Parquet reader."""
        con = duckdb.connect()
        con.execute("set timezone = 'UTC'")
        read = con.execute(f"select * from read_parquet('{path or self.path}')").to_arrow_table()
        self.assertEqual(read.num_rows, table.num_rows)
        for name in table.column_names:
            kind = table.schema.field(name).type
            if pa.types.is_timestamp(kind) and kind.unit == "ns" and kind.tz:
                continue  # DuckDB has no such type: it drops the nanoseconds
            want = values_of(table[name], kind)
            got = values_of(read[name], kind)
            for row, (g, w) in enumerate(zip(got, want)):
                self.assertEqual(g, w, f"{name}, row {row}")


class Values(Case):
    def test_every_codec_and_page_version(self):
        table = flat_table(3000, 1)
        for codec in CODECS:
            for v2 in (0, 1):
                with self.subTest(codec=codec, v2=v2):
                    path = os.path.join(self.folder.name, f"{codec}{v2}.parquet")
                    write(table, path, codec, data_page_v2=v2, page_rows=700)
                    self.check_arrow(table, path)
                    self.check_duckdb(table, path)
                    found = pq.ParquetFile(path).metadata.row_group(0).column(1).compression
                    self.assertEqual(found.lower(), {"none": "uncompressed"}.get(codec, codec))

    def test_nested_shapes(self):
        for seed in range(8):
            table = nested_table(1000, seed)
            for v2 in (0, 1):
                path = os.path.join(self.folder.name, f"{seed}{v2}.parquet")
                write(table, path, data_page_v2=v2, page_rows=90, batch_rows=333)
                self.check_arrow(table, path)
                self.check_duckdb(table, path)

    def test_types_and_field_ids(self):
        table = flat_table(10, 2)
        table = table.cast(with_ids(table.schema))
        nested = nested_table(10, 3)
        nested = nested.cast(with_ids(nested.schema, 100))
        for source in (table, nested):
            path = os.path.join(self.folder.name, f"{source.num_columns}.parquet")
            write(source, path)
            read = pq.read_schema(path)
            for name in source.column_names:
                self.check_field(read.field(name), source.schema.field(name))

    def check_field(self, read, want):
        self.assertEqual(read.metadata and read.metadata.get(b"PARQUET:field_id"),
                         want.metadata and want.metadata.get(b"PARQUET:field_id"), want.name)
        self.assertEqual(read.nullable, want.nullable, want.name)
        if pa.types.is_nested(want.type):
            if pa.types.is_map(want.type):
                self.check_field(read.type.key_field, want.type.key_field)
                self.check_field(read.type.item_field, want.type.item_field)
            else:
                for i in range(want.type.num_fields):
                    self.check_field(read.type.field(i), want.type.field(i))
        else:
            self.assertEqual(read.type, want.type, want.name)

    def test_required_columns_and_no_rows(self):
        schema = pa.schema([pa.field("a", pa.int32(), False), pa.field("s", pa.string(), False)])
        for rows in (0, 1, 9000):
            path = os.path.join(self.folder.name, f"{rows}.parquet")
            table = pa.table([pa.array(range(rows), pa.int32()), pa.array(map(str, range(rows)), pa.string())],
                             schema=schema)
            summary = write(table, path)
            self.assertEqual(summary["rows"], rows)
            self.assertEqual(summary["size"], os.path.getsize(path))
            self.assertEqual(len(summary["groups"]), 1 if rows else 0)
            self.check_arrow(table, path)
            self.check_duckdb(table, path)
            self.assertEqual(pq.read_schema(path).field("a").nullable, False)

    def test_columns_of_nulls(self):
        kinds = [pa.int32(), pa.string(), pa.list_(pa.int64()), pa.struct([("a", pa.float64())]),
                 pa.bool_(), pa.decimal128(38, 0)]
        table = pa.table({str(i): pa.nulls(5000, k) for i, k in enumerate(kinds)})
        for v2 in (0, 1):
            for codec in ("none", "zstd", "snappy"):
                path = os.path.join(self.folder.name, f"{v2}{codec}.parquet")
                write(table, path, codec, data_page_v2=v2, page_rows=1000)
                self.check_arrow(table, path)
                self.check_duckdb(table, path)
                chunk = pq.ParquetFile(path).metadata.row_group(0).column(0)
                self.assertEqual(chunk.statistics.null_count, 5000)
                self.assertFalse(chunk.statistics.has_min_max)

    def test_null_typed_columns_are_left_out(self):
        write(pa.table({"a": pa.array([1, 2]), "n": pa.nulls(2)}), self.path)
        self.assertEqual(pq.read_table(self.path).column_names, ["a"])


class ForeignArrow(Case):
    """Types that are not ours come out as what Iceberg has for them."""

    def expect(self, source, want):
        write(pa.table({"c": source}), self.path)
        read = pq.read_table(self.path)["c"]
        self.assertEqual(read.type, want.type)
        self.assertEqual(read.to_pylist(), want.to_pylist())
        os.remove(self.path)

    def test_integers_and_half(self):
        for kind, top in ((pa.int8(), 127), (pa.uint8(), 255), (pa.int16(), 32767), (pa.uint16(), 65535)):
            self.expect(pa.array([0, None, top], kind), pa.array([0, None, top], pa.int32()))
        self.expect(pa.array([2**32 - 1, None], pa.uint32()), pa.array([2**32 - 1, None], pa.int64()))
        self.expect(pa.array([2**63 - 1, None], pa.uint64()), pa.array([2**63 - 1, None], pa.int64()))
        halves = [1.5, None, -0.0, 65504.0, 2**-24, 2**-14, float("inf"), 3 * 2**-20]
        self.expect(pa.array(halves, pa.float16()), pa.array(halves, pa.float32()))

    def test_clocks(self):
        at = datetime.datetime(2020, 2, 3, 4, 5, 6, 789000)
        for unit in ("s", "ms"):
            stamp = at.replace(microsecond=0) if unit == "s" else at
            self.expect(pa.array([stamp, None], pa.timestamp(unit)), pa.array([stamp, None], pa.timestamp("us")))
            self.expect(pa.array([stamp.time(), None], pa.time32(unit)),
                        pa.array([stamp.time(), None], pa.time64("us")))
        self.expect(pa.array([at.time(), None], pa.time64("ns")), pa.array([at.time(), None], pa.time64("us")))
        self.expect(pa.array([at.date(), datetime.date(1960, 5, 6)], pa.date64()),
                    pa.array([at.date(), datetime.date(1960, 5, 6)], pa.date32()))

    def test_decimals(self):
        some = [decimal.Decimal("1.25"), None, decimal.Decimal("-0.01")]
        self.expect(pa.array(some, pa.decimal32(5, 2)), pa.array(some, pa.decimal128(5, 2)))
        self.expect(pa.array(some, pa.decimal64(15, 2)), pa.array(some, pa.decimal128(15, 2)))
        big = [decimal.Decimal(10**38 - 1), None, decimal.Decimal(1 - 10**38)]
        self.expect(pa.array(big, pa.decimal256(38, 0)), pa.array(big, pa.decimal128(38, 0)))

    def test_bytes(self):
        words = ["", "abc", None, "a text of more than twelve bytes", "é"]
        for kind in (pa.large_string(), pa.string_view()):
            self.expect(pa.array(words, kind), pa.array(words, pa.string()))
            self.expect(pa.array(words * 9, kind)[3:21], pa.array(words * 9, pa.string())[3:21])
        raw = [b"", b"\x00\xff", None, b"more than twelve bytes, or so"]
        for kind in (pa.large_binary(), pa.binary_view()):
            self.expect(pa.array(raw, kind), pa.array(raw, pa.binary()))

    def test_dictionaries_and_runs(self):
        words = pa.array(["x", "y", None, "x", "y"] * 50)
        self.expect(words.dictionary_encode(), words)
        self.expect(words.dictionary_encode()[7:99], words[7:99])
        nulls_inside = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 0], pa.uint8()), pa.array(["a", None]))
        self.expect(nulls_inside, pa.array(["a", None, None, "a"]))
        self.expect(pa.DictionaryArray.from_arrays(pa.array([None, None], pa.int32()), pa.array([], pa.int64())),
                    pa.array([None, None], pa.int64()))
        numbers = pa.array([1, 1, 1, None, None, 7, 7, 8])
        runs = pa.RunEndEncodedArray.from_arrays(pa.array([3, 5, 7, 8], pa.int16()), pa.array([1, None, 7, 8]))
        self.expect(runs, numbers)
        self.expect(runs[2:7], numbers[2:7])

    def test_lists(self):
        lists = [[1, None], None, [], [3]]
        want = pa.array(lists, pa.list_(pa.int64()))
        want = want.cast(pa.list_(pa.field("element", pa.int64())))
        for kind in (pa.large_list(pa.int64()), pa.list_view(pa.int64()), pa.large_list_view(pa.int64())):
            self.expect(pa.array(lists, kind), want)
            self.expect(pa.array(lists * 5, kind)[1:18],
                        pa.array(lists * 5, pa.list_(pa.field("element", pa.int64())))[1:18])
        pairs = [[1, 2], None, [None, 4]]
        self.expect(pa.array(pairs, pa.list_(pa.int64(), 2)),
                    pa.array(pairs, pa.list_(pa.field("element", pa.int64()))))

    def test_slices_of_everything(self):
        table = pa.concat_tables([flat_table(500, 4)]).slice(3, 333)
        nested = nested_table(500, 5).slice(7, 401)
        for source in (table, nested):
            path = os.path.join(self.folder.name, f"{source.num_columns}.parquet")
            write(source, path)
            self.check_arrow(source, path)

    def test_what_iceberg_cannot_hold_is_refused_by_name(self):
        cases = [
            (pa.array([1], pa.duration("s")), "duration"),
            (pa.array([None], pa.month_day_nano_interval()), "interval"),
            (pa.array([decimal.Decimal(1)], pa.decimal256(76, 0)), "has no Iceberg type"),
            (pa.array([2**63], pa.uint64()), "above 2^63-1"),
            (pa.array([1], pa.time64("ns")), "nanoseconds"),
            (pa.array([2**62], pa.timestamp("s")), "outside of the range"),
            (pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])]), "union"),
        ]
        for source, words in cases:
            with self.assertRaisesRegex(WriteError, words.replace("^", "\\^")):
                write(pa.table({"c": source}), self.path)
            self.assertFalse(os.path.exists(self.path))

    def test_a_null_in_a_required_column_is_named(self):
        schema = pa.schema([pa.field("a", pa.int64(), False)])
        table = pa.Table.from_arrays([pa.array([1, 2, None])], schema=schema)
        with self.assertRaisesRegex(WriteError, 'column "a": null in a required field, row 2'):
            write(table, self.path)


class Statistics(Case):
    def test_bounds_of_every_type(self):
        table = flat_table(2000, 6)
        write(table, self.path)
        group = pq.ParquetFile(self.path).metadata.row_group(0)
        for i, name in enumerate(table.column_names):
            statistics = group.column(i).statistics
            values = [v for v in values_of(table[name], table.schema.field(name).type) if v is not None]
            self.assertEqual(statistics.null_count, table[name].null_count, name)
            if name in ("tsns", "tstzns"):
                self.assertEqual(statistics.min_raw, min(values), name)
                self.assertEqual(statistics.max_raw, max(values), name)
                continue
            if name == "u":
                continue  # below
            self.assertEqual(statistics.min, min(values), name)
            self.assertEqual(statistics.max, max(values), name)
        uuids = [v.bytes for v in table["u"].to_pylist() if v is not None]
        column = group.column(table.column_names.index("u")).statistics
        self.assertEqual(column.min_raw, min(uuids))
        self.assertEqual(column.max_raw, max(uuids))

    def test_floating_point_zero_and_nan(self):
        nan = float("nan")
        cases = [([0.0, nan], (-0.0, 0.0)), ([-0.0], (-0.0, 0.0)), ([nan, nan], None),
                 ([1.0, nan, -2.0], (-2.0, 1.0)), ([float("-inf"), float("inf")], (-math.inf, math.inf))]
        for kind in (pa.float32(), pa.float64()):
            for values, want in cases:
                path = os.path.join(self.folder.name, f"{kind}{values}.parquet")
                summary = write(pa.table({"d": pa.array(values + [None], kind)}), path)
                statistics = pq.ParquetFile(path).metadata.row_group(0).column(0).statistics
                leaf = summary["leaves"][0]
                self.assertEqual(leaf["nans"], sum(map(math.isnan, values)))
                self.assertEqual(leaf["nulls"], 1)
                self.assertEqual(leaf["bounds"], want is not None)
                self.assertEqual(statistics.has_min_max, want is not None)
                if want:
                    form = "<f" if kind == pa.float32() else "<d"
                    self.assertEqual(bytes.fromhex(leaf["min"]), struct.pack(form, want[0]))
                    self.assertEqual(bytes.fromhex(leaf["max"]), struct.pack(form, want[1]))
                    self.assertEqual((statistics.min, statistics.max), want)
                    self.assertEqual(math.copysign(1, statistics.min), math.copysign(1, want[0]))
                # all pages NaN alone: no column index (ColumnIndex.min_values)
                self.assertEqual(pq.ParquetFile(path).metadata.row_group(0).column(0).has_column_index,
                                 want is not None)

    def test_long_bounds_are_shortened(self):
        text = "漢" * 100
        table = pa.table({"s": [text, "é" * 40], "b": [b"\xff" * 80, b"\x01" * 80], "c": [b"\x01\xff" * 40] * 2})
        summary = write(table, self.path)
        group = pq.ParquetFile(self.path).metadata.row_group(0)
        text_bounds = group.column(0).statistics
        self.assertEqual(text_bounds.min, "é" * 32)
        self.assertEqual(text_bounds.max, "漢" * 20 + "漣")
        raw = group.column(1).statistics
        self.assertEqual(raw.min_raw, b"\x01" * 64)
        self.assertEqual(raw.max_raw, b"\xff" * 80)
        raised = group.column(2).statistics
        self.assertEqual(raised.max_raw, b"\x01\xff" * 31 + b"\x02")
        self.assertEqual(bytes.fromhex(summary["leaves"][0]["max"]), text.encode())
        self.check_arrow(table)
        self.check_duckdb(table)

    def test_a_filter_in_duckdb_uses_them_rightly(self):
        table = flat_table(20000, 7, 0.1)
        write(table, self.path, row_group_rows=1500, page_rows=200)
        con = duckdb.connect()
        con.execute("set timezone = 'UTC'")
        con.register("source", table.select(["i", "l", "f", "d", "d9", "d20", "date", "ts", "s", "word"]))
        for name in ("i", "l", "f", "d", "d9", "d20", "date", "ts", "s", "word"):
            for percent in (0.001, 0.5, 0.999):
                literal = f"(select quantile_disc({name}, {percent}) from source)"
                for operator in ("=", "<", ">="):
                    counts = [con.execute(f"select count(*), min({name}), max({name}) from {place} "
                                          f"where {name} {operator} {literal}").fetchone()
                              for place in ("source", f"read_parquet('{self.path}')")]
                    self.assertEqual(counts[0], counts[1], f"{name} {operator} {percent}")

    def test_statistics_off(self):
        table = pa.table({"a": [1, 2, None], "b": [1, 2, 3]})
        summary = write(table, self.path, silent_column=b"a")
        group = pq.ParquetFile(self.path).metadata.row_group(0)
        self.assertFalse(group.column(0).is_stats_set)
        self.assertFalse(group.column(0).has_column_index)
        self.assertTrue(group.column(0).has_offset_index)
        self.assertTrue(group.column(1).is_stats_set)
        self.assertEqual([(s["bounds"], s["nulls"], s["nans"]) for s in summary["leaves"]],
                         [(False, 1, -1), (True, 0, 0)])


class Layout(Case):
    def test_encodings_are_chosen_by_the_data(self):
        rng = random.Random(8)
        table = pa.table({
            "serial": pa.array(range(50000), pa.int64()),
            "few": pa.array([rng.randrange(10) for _ in range(50000)], pa.int64()),
            "noise": pa.array([rng.randrange(-2**63, 2**63) for _ in range(50000)], pa.int64()),
            "money": pa.array([decimal.Decimal(i) for i in range(50000)], pa.decimal128(18, 0)),
            "text": pa.array([f"name {i}" for i in range(50000)]),
            "flag": pa.array([i % 3 == 0 for i in range(50000)]),
            "off": pa.array([1] * 50000, pa.int32()),
        })
        write(table, self.path, plain_column=b"off")
        group = pq.ParquetFile(self.path).metadata.row_group(0)
        encodings = {name: set(group.column(i).encodings) - {"RLE"} for i, name in enumerate(table.column_names)}
        self.assertEqual(encodings, {
            "serial": {"DELTA_BINARY_PACKED"}, "few": {"PLAIN", "RLE_DICTIONARY"}, "noise": {"PLAIN"},
            "money": {"PLAIN"}, "text": {"PLAIN"}, "flag": {"PLAIN"}, "off": {"DELTA_BINARY_PACKED"}})
        self.check_arrow(table)
        self.check_duckdb(table)

    def test_a_dictionary_that_grows_too_large_is_left(self):
        words = [f"{i // 2:09d}" for i in range(40000)]
        table = pa.table({"s": words, "n": pa.array([i // 3 for i in range(40000)], pa.float64())})
        write(table, self.path, dictionary_size=64 * 1024, page_rows=3000)
        for i in range(2):
            self.assertEqual(set(pq.ParquetFile(self.path).metadata.row_group(0).column(i).encodings),
                             {"RLE", "PLAIN", "RLE_DICTIONARY"})
        self.check_arrow(table)
        self.check_duckdb(table)

    def test_row_groups_by_rows_and_bytes(self):
        table = flat_table(10000, 9)
        by_rows = write(table, self.path, row_group_rows=3000)
        metadata = pq.ParquetFile(self.path).metadata
        self.assertEqual([metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)],
                         [3000, 3000, 3000, 1000])
        starts = [min(metadata.row_group(g).column(0).dictionary_page_offset or 2**63,
                      metadata.row_group(g).column(0).data_page_offset) for g in range(4)]
        self.assertEqual(by_rows["groups"], starts)
        self.check_arrow(table)
        path = os.path.join(self.folder.name, "bytes.parquet")
        write(table, path, row_group_size=400000, page_rows=500)
        metadata = pq.ParquetFile(path).metadata
        self.assertGreater(metadata.num_row_groups, 2)
        self.check_arrow(table, path)
        self.check_duckdb(table, path)

    def test_pages_end_on_rows_and_within_their_limits(self):
        table = nested_table(5000, 10)
        write(table, self.path, page_rows=700, page_size=8192, codec="none")
        self.check_arrow(table)
        self.check_duckdb(table)
        # DuckDB lists pages of no file; pyarrow only says that the index is there
        group = pq.ParquetFile(self.path).metadata.row_group(0)
        for i in range(group.num_columns):
            self.assertTrue(group.column(i).has_offset_index and group.column(i).has_column_index)

    def test_values_larger_than_a_page(self):
        table = pa.table({"s": ["a" * 300000, None, "b", "c" * 700000] * 5})
        write(table, self.path, page_size=1000)
        self.check_arrow(table)
        self.check_duckdb(table)

    def test_summary_equals_the_footer(self):
        table = nested_table(2000, 11)
        table = table.cast(with_ids(table.schema))
        summary = write(table, self.path, row_group_rows=700)
        metadata = pq.ParquetFile(self.path).metadata
        for i, leaf in enumerate(summary["leaves"]):
            chunks = [metadata.row_group(g).column(i) for g in range(metadata.num_row_groups)]
            self.assertEqual(leaf["size"], sum(c.total_compressed_size for c in chunks))
            self.assertEqual(leaf["values"], sum(c.num_values for c in chunks))
            self.assertEqual(leaf["nulls"], sum(c.statistics.null_count for c in chunks))
        self.assertEqual(metadata.created_by, "frazil version 0.1.0")
        self.assertEqual(metadata.metadata[b"note"], b"from a test")

    def test_random_options(self):
        for seed in range(12):
            rng = random.Random(seed)
            table = flat_table(rng.randrange(1, 4000), seed, rng.choice([0, 0.5, 0.9]))
            options = dict(codec=rng.choice(list(CODECS)), data_page_v2=rng.randrange(2),
                           page_rows=rng.choice([1, 7, 64, 1000]), page_size=rng.choice([1, 100, 5000, 0]),
                           row_group_rows=rng.choice([0, 33, 500]), dictionary_size=rng.choice([1, 500, 0]),
                           dictionary_off=rng.randrange(2), batch_rows=rng.choice([1, 100, 100000]))
            if options["batch_rows"] == 1 or options["page_rows"] == 1:
                table = table.slice(0, 200)
            with self.subTest(seed=seed, **options):
                path = os.path.join(self.folder.name, f"{seed}.parquet")
                write(table, path, **options)
                self.check_arrow(table, path)
                self.check_duckdb(table, path)


if __name__ == "__main__":
    LIBRARY = ctypes.CDLL(sys.argv.pop(1))
    LIBRARY.interop_write.argtypes = [
        ctypes.c_char_p, ctypes.c_void_p, ctypes.POINTER(Options), ctypes.c_char_p, ctypes.c_size_t,
        ctypes.c_char_p, ctypes.c_size_t]
    unittest.main(verbosity=2)
