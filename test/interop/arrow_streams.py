"""Arrow IPC of pyarrow and polars as input of frazil, and frazil's as theirs."""
import datetime
import decimal
import subprocess
from functools import partial

from compare import differ
from plain import arrow_rows

ROWS = 3000


def every_type():
    """Every type that an Iceberg type stands for, with nulls in all."""
    import pyarrow as pa

    def column(make, kind, step=7):
        return pa.array([None if i % step == 0 else make(i) for i in range(ROWS)], kind)

    moment = datetime.datetime(1969, 12, 31, 23, 59, 58)
    texts = [f"n{i % 13}" for i in range(ROWS)]
    columns = {
        "id": pa.array(range(ROWS), pa.int64()),
        "none": pa.nulls(ROWS),
        "b": column(lambda i: i % 3 == 0, pa.bool_()),
        "f": column(lambda i: i / 8, pa.float32()),
        "h": column(lambda i: i / 4, pa.float16()),
        "d": column(lambda i: i / 7, pa.float64()),
        "day": column(lambda i: datetime.date(1970, 1, 1) + datetime.timedelta(i - 1500), pa.date32()),
        "day64": column(lambda i: datetime.date(1970, 1, 1) + datetime.timedelta(i - 1500), pa.date64()),
        "ts": column(lambda i: moment + datetime.timedelta(microseconds=i * 999983), pa.timestamp("us")),
        "tz": column(lambda i: moment + datetime.timedelta(seconds=i * 9999), pa.timestamp("s", "UTC")),
        "ms": column(lambda i: moment + datetime.timedelta(milliseconds=i), pa.timestamp("ms", "Pacific/Auckland")),
        "ns": column(lambda i: i * 999_999_937 - 10**12, pa.timestamp("ns")),
        "t32": column(lambda i: datetime.time(i % 24, i % 60, i % 59), pa.time32("ms")),
        "t64": column(lambda i: datetime.time(i % 24, i % 60, i % 59, i), pa.time64("us")),
        "dec": column(lambda i: decimal.Decimal(i - 1500) / 100, pa.decimal128(20, 2)),
        "dec64": column(lambda i: decimal.Decimal(i - 1500) / 100, pa.decimal64(9, 2)),
        "s": column(lambda i: "ü" * (i % 19), pa.string()),
        "ls": column(lambda i: f"large {i}", pa.large_string()),
        "sv": column(lambda i: f"view {i}" + "." * (i % 30), pa.string_view()),
        "z": column(lambda i: bytes([i % 256]) * (i % 5), pa.binary()),
        "bv": column(lambda i: bytes([i % 256]) * (i % 40), pa.binary_view()),
        "w": column(lambda i: i.to_bytes(4, "big"), pa.binary(4)),
        "l": column(lambda i: [None if j == 2 else j for j in range(i % 5)], pa.list_(pa.int32())),
        "ll": column(lambda i: [f"{j}" for j in range(i % 3)], pa.large_list(pa.string())),
        "fl": column(lambda i: [i, None, -i], pa.list_(pa.int64(), 3)),
        "lv": column(lambda i: list(range(i % 4)), pa.list_view(pa.int16())),
        "st": column(lambda i: {"x": i, "y": {"z": None if i % 2 else f"{i}"}},
                     pa.struct([("x", pa.int32()), ("y", pa.struct([("z", pa.string())]))])),
        "m": column(lambda i: [(f"k{j}", None if j else i) for j in range(i % 3)], pa.map_(pa.string(), pa.int64())),
        "dict": pa.array([None if i % 7 == 0 else texts[i] for i in range(ROWS)]).dictionary_encode(),
        "ree": pa.RunEndEncodedArray.from_arrays(pa.array([ROWS // 2, ROWS], pa.int32()), pa.array(["a", None])),
    }
    for number, kind in enumerate((pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.uint64())):
        columns[f"i{number}"] = column(lambda i: i % 128, kind)
    return pa.table(columns)


def decoded(table):
    """The table as its Iceberg types hold it: what plain.py has no form for is cast."""
    import pyarrow as pa

    columns = {}
    for field in table.schema:
        column, kind = table.column(field.name), field.type
        if pa.types.is_dictionary(kind):
            column = column.cast(kind.value_type)
        elif pa.types.is_run_end_encoded(kind):
            column = pa.chunked_array([pa.array(column.to_pylist(), kind.value_type)])
        elif pa.types.is_list_view(kind) or pa.types.is_fixed_size_list(kind):
            column = pa.chunked_array([pa.array(column.to_pylist(), pa.list_(kind.value_type))])
        elif pa.types.is_timestamp(kind) and kind.unit in ("s", "ms"):
            column = column.cast(pa.timestamp("us", kind.tz))
        elif pa.types.is_date64(kind):
            column = column.cast(pa.date32())
        columns[field.name] = column
    return pa.table(columns)


def writings():
    """Names of files, and how pyarrow writes a table into one: slices and batches without rows among its batches."""
    import pyarrow as pa

    def write(path, table, is_file, **options):
        opened = (pa.ipc.new_file if is_file else pa.ipc.new_stream)(path, table.schema, options=pa.ipc.IpcWriteOptions(**options))
        with opened as writer:
            writer.write_table(table.slice(0, 1003))
            writer.write_table(table.slice(1003, 0))
            for batch in table.slice(1003).to_batches(max_chunksize=501):
                writer.write_batch(batch)

    for name, is_file, options in (
            ("plain.arrows", False, {}), ("plain.arrow", True, {}), ("lz4.arrows", False, {"compression": "lz4"}),
            ("lz4.feather", True, {"compression": "lz4"}), ("zstd.arrows", False, {"compression": "zstd"}),
            ("zstd.ipc", True, {"compression": "zstd"}), ("v4.arrows", False, {"metadata_version": pa.ipc.MetadataVersion.V4}),
            ("unified.arrow", True, {"unify_dictionaries": True}), ("deltas.arrows", False, {"emit_dictionary_deltas": True})):
        yield name, partial(write, is_file=is_file, **options)


def folder_of(suite):
    folder = suite.warehouse / "arrow"
    folder.mkdir(exist_ok=True)
    return folder


def read(suite):
    source = every_type()
    want = arrow_rows(decoded(source))
    for number, (name, write) in enumerate(writings()):
        path, table = folder_of(suite) / name, f"t.ipc_{number}"
        write(str(path), source)
        suite.frazil.run("create", table, "--from", str(path), "--with-rows")
        suite.check(f"{name} of pyarrow is read", lambda: differ(suite.frazil.rows(table), want))
    suite.check("rows are those that PyIceberg reads", lambda: differ(suite.frazil.rows("t.ipc_0"), suite.pyiceberg.rows("t.ipc_0")))


def replaced(suite):
    """A dictionary that another one takes the place of in the middle of a stream."""
    import pyarrow as pa

    path = folder_of(suite) / "replaced.arrows"
    schema = pa.schema([("id", pa.int32()), ("c", pa.dictionary(pa.int8(), pa.string())),
                        ("l", pa.list_(pa.dictionary(pa.int16(), pa.large_string())))])
    want = []
    with pa.ipc.new_stream(str(path), schema) as writer:
        for step in range(5):
            words = [f"{step}-{i}" for i in range(3 + step)]
            indexes = [i % len(words) if i % 5 else None for i in range(20)]
            inner = pa.DictionaryArray.from_arrays(pa.array([i % len(words) for i in range(40)], pa.int16()), pa.array(words, pa.large_string()))
            columns = [pa.array(range(20 * step, 20 * step + 20), pa.int32()),
                       pa.DictionaryArray.from_arrays(pa.array(indexes, pa.int8()), pa.array(words)),
                       pa.ListArray.from_arrays(pa.array(range(0, 42, 2), pa.int32()), inner)]
            writer.write_batch(pa.record_batch(columns, schema=schema))
            want += [{"id": 20 * step + i, "c": None if indexes[i] is None else words[indexes[i]],
                      "l": [words[2 * i % len(words)], words[(2 * i + 1) % len(words)]]} for i in range(20)]
    suite.frazil.run("create", "t.ipc_replaced", "--from", str(path), "--with-rows")
    suite.check("dictionaries of pyarrow that are replaced are read", lambda: differ(suite.frazil.rows("t.ipc_replaced"), want))


def of_polars(suite):
    import polars as pl

    frame = pl.DataFrame({
        "id": range(500), "s": [None if i % 5 == 0 else f"a text of polars, number {i}" for i in range(500)],
        "c": pl.Series([f"c{i % 7}" for i in range(500)], dtype=pl.Categorical), "l": [[i, None] for i in range(500)],
        "st": [{"x": i, "y": f"{i}"} for i in range(500)], "day": [datetime.date(2026, 1, 1 + i % 28) for i in range(500)],
        "ts": [datetime.datetime(2026, 1, 1, 0, 0, i % 60, i) for i in range(500)], "b": [i % 2 == 0 for i in range(500)]})
    want = [{**row, "day": row["day"].isoformat(), "ts": row["ts"].strftime("%Y-%m-%dT%H:%M:%S.%f")} for row in frame.to_dicts()]
    for number, (name, write, options) in enumerate((
            ("polars.arrow", frame.write_ipc, {}), ("polars-zstd.arrow", frame.write_ipc, {"compression": "zstd"}),
            ("polars-lz4.arrows", frame.write_ipc_stream, {"compression": "lz4"}), ("polars.arrows", frame.write_ipc_stream, {}))):
        path, table = folder_of(suite) / name, f"t.polars_{number}"
        write(path, **options)
        suite.frazil.run("create", table, "--from", str(path), "--with-rows")
        suite.check(f"{name} is read", lambda: differ(suite.frazil.rows(table), want))
    suite.check("rows are those that DuckDB reads", lambda: differ(
        suite.frazil.rows("t.polars_0"), suite.duckdb.rows(suite.frazil.metadata("t.polars_0"))))


def written(suite):
    """What frazil writes, to pyarrow and polars, equal to what it prints as JSON."""
    import polars as pl
    import pyarrow as pa

    path = folder_of(suite) / "source.arrows"
    with pa.ipc.new_stream(str(path), every_type().schema) as writer:
        writer.write_table(every_type())
    suite.frazil.run("create", "t.ipc_out", "--from", str(path), "--with-rows")
    suite.frazil.run("delete", "t.ipc_out", "--where", "id < 11 or id in (700, 1500)")
    ours = suite.frazil.rows("t.ipc_out")
    command = [suite.frazil.command, "scan", "t.ipc_out", "--output", "arrow"]
    data = subprocess.run(command, capture_output=True, check=True, env=suite.frazil.environment).stdout
    names = {"out.arrows": lambda at: pa.ipc.open_stream(at).read_all(), "out.arrow": lambda at: pa.ipc.open_file(at).read_all()}

    def equal(table):
        table.validate(full=True)
        return differ(ours, arrow_rows(table))

    suite.check("standard output is read by pyarrow", lambda: equal(pa.ipc.open_stream(data).read_all()))
    for name, read_all in names.items():
        at = str(folder_of(suite) / name)
        suite.frazil.run("scan", "t.ipc_out", "--to", at, "--quiet")
        suite.check(f"{name} is read by pyarrow", lambda: equal(read_all(at)))
    # polars has no type for maps and none for arrays of a nanosecond's own zone: those columns are left to pyarrow.
    some = "id,b,d,day,ts,tz,s,ls,sv,z,l,st,i0,i6,dec"
    few = suite.frazil.rows("t.ipc_out", "--select", some)
    suite.frazil.run("scan", "t.ipc_out", "--select", some, "--to", str(folder_of(suite) / "few.arrow"), "--quiet")
    data = subprocess.run([*command, "--select", some], capture_output=True, check=True, env=suite.frazil.environment).stdout
    for what, frame in (("a file", lambda: pl.read_ipc(folder_of(suite) / "few.arrow")), ("a stream", lambda: pl.read_ipc_stream(data))):
        suite.check(f"{what} is read by polars", lambda: differ(few, arrow_rows(frame().to_arrow())))
    suite.check("metadata tables are read", lambda: differ(
        suite.frazil.lines("snapshots", "t.ipc_out", "--select", "snapshot_id,operation"),
        pa.ipc.open_stream(subprocess.run([suite.frazil.command, "snapshots", "t.ipc_out", "--select", "snapshot_id,operation", "--output", "arrow"],
                                          capture_output=True, check=True, env=suite.frazil.environment).stdout).read_all().to_pylist(),
        key="snapshot_id"))


def broken(suite):
    """A scan that fails halfway leaves a stream that pyarrow refuses, too."""
    import pyarrow as pa

    columns = [("id", "long", lambda i: i), ("s", "string", lambda i: f"text {i}" * 9)]
    suite.create("t.ipc_broken", columns, 3)
    for step in range(2):
        suite.append("t.ipc_broken", columns, 20000 * step, 20000)
    last = suite.frazil.lines("files", "t.ipc_broken")[-1]["file_path"].removeprefix("file://")
    with open(last, "r+b") as file:
        kept = file.read()
        file.truncate(40)

    def refused():
        done = subprocess.run([suite.frazil.command, "scan", "t.ipc_broken", "--output", "arrow"], capture_output=True, env=suite.frazil.environment)
        if done.returncode == 0 or len(done.stdout) < 100000:
            return f"exit {done.returncode} after {len(done.stdout)} bytes"
        try:
            rows = pa.ipc.open_stream(done.stdout).read_all().num_rows
        except (pa.ArrowInvalid, OSError):
            return ""
        return f"pyarrow takes {rows} rows for the whole"

    suite.check("a stream of a scan that failed is refused by pyarrow", refused)
    with open(last, "wb") as file:
        file.write(kept)


def scenarios():
    yield "arrow streams: of pyarrow", read
    yield "arrow streams: dictionaries replaced", replaced
    yield "arrow streams: of polars", of_polars
    yield "arrow streams: written", written
    yield "arrow streams: cut off", broken
