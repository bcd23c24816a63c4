"""The peers of the benchmarks: `peers.py WORK ARGUMENTS...` says its name, then what it answers (a
line each), and then does its work once for every line that it reads, and says how many nanoseconds
of processor time it took (of wall time, where the disk is waited for). One thread each."""
import gc
import os
import sys
import time

os.environ["PYICEBERG_MAX_WORKERS"] = "1"


def columns_of(text):
    return None if text == "*" else text.split(",")


def pyarrow_name():
    import pyarrow
    pyarrow.set_cpu_count(1)
    pyarrow.set_io_thread_count(1)
    return f"pyarrow {pyarrow.__version__}"


def duckdb_connection():
    import duckdb
    return duckdb.connect(config={"threads": "1"}), f"DuckDB {duckdb.__version__}"


def pyarrow_read(path, columns):
    """Reads columns of one Parquet file batch by batch."""
    name = pyarrow_name()
    import pyarrow.parquet

    def run():
        with pyarrow.parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(65536, columns=columns_of(columns), use_threads=False):
                batch.num_rows
    return name + " batches", "", run


def pyarrow_read_table(path, columns):
    """Reads columns of one Parquet file at once."""
    name = pyarrow_name()
    import pyarrow.parquet

    def run():
        with pyarrow.parquet.ParquetFile(path) as file:
            file.read(columns=columns_of(columns), use_threads=False)
    return name + " at once", "", run


def duckdb_read(path, columns):
    """Reads columns of one Parquet file as a stream of Arrow batches."""
    connection, name = duckdb_connection()

    def run():
        reader = connection.execute(f"SELECT {columns} FROM read_parquet('{path}')")
        for batch in reader.to_arrow_reader(65536):
            batch.num_rows
    return name, "", run


def duckdb_iceberg(metadata, snapshot, columns):
    """Reads columns of one snapshot of a table as a stream of Arrow batches."""
    import duckdb_extension_avro
    import duckdb_extension_iceberg
    connection, name = duckdb_connection()
    connection.close()
    import duckdb
    connection = duckdb.connect(config={"threads": "1", "allow_unsigned_extensions": "true"})
    for module, extension in ((duckdb_extension_avro, "avro"),
                              (duckdb_extension_iceberg, "iceberg")):
        folder = os.path.join(os.path.dirname(module.__file__), "extensions")
        for base, _, files in os.walk(folder):
            if f"{extension}.duckdb_extension" in files:
                connection.execute(f"LOAD '{base}/{extension}.duckdb_extension'")
    question = f"SELECT {columns} FROM iceberg_scan('{metadata}', snapshot_from_id => {snapshot})"

    def run():
        for batch in connection.execute(question).to_arrow_reader(65536):
            batch.num_rows
    return name + " iceberg", "", run


def pyiceberg_scan(metadata, snapshot, columns):
    pyarrow_name()
    import pyiceberg
    from pyiceberg.table import StaticTable
    table = StaticTable.from_metadata(metadata)
    wanted = tuple(columns_of(columns) or ["*"])

    def run():
        for batch in table.scan(snapshot_id=int(snapshot),
                                selected_fields=wanted).to_arrow_batch_reader():
            batch.num_rows
    return f"PyIceberg {pyiceberg.__version__}", "", run


def pyarrow_write(source, target):
    """Writes the rows of `source`, held in memory, as zstd level 1."""
    name = pyarrow_name()
    import pyarrow.parquet
    rows = pyarrow.parquet.read_table(source)

    def run():
        pyarrow.parquet.write_table(rows, target, compression="zstd", compression_level=1,
                                    write_page_index=True)
    return name, "", run


def duckdb_write(source, target):
    connection, name = duckdb_connection()
    connection.execute(f"CREATE TABLE rows AS SELECT * FROM read_parquet('{source}')")

    def run():
        connection.execute(f"COPY rows TO '{target}' (FORMAT parquet, CODEC zstd, "
                           "COMPRESSION_LEVEL 1)")
    return name, "", run


def own_table(folder, name, rows):
    from pyiceberg.catalog import load_catalog
    catalog = load_catalog("peer", type="sql", uri=f"sqlite:///{folder}/peer.db",
                           warehouse=f"file://{folder}/peer")
    catalog.create_namespace_if_not_exists("peer")
    return catalog.create_table(f"peer.{name}", schema=rows.schema)


def pyiceberg_append(folder, source):
    """Appends the rows of `source` to a table of its own, with its own defaults."""
    pyarrow_name()
    import pyarrow.parquet
    import pyiceberg
    rows = pyarrow.parquet.read_table(source)
    table = own_table(folder, f"t{os.getpid()}", rows)
    return f"PyIceberg {pyiceberg.__version__}", "", lambda: table.append(rows)


def pyiceberg_update(folder, source):
    """Adds 1 to `value` in the rows of ten buckets, other ones each time: reads them, and overwrites
    them by a filter, as there is no update."""
    pyarrow_name()
    import pyarrow.compute
    import pyarrow.parquet
    import pyiceberg
    from pyiceberg.expressions import And, GreaterThanOrEqual, LessThan
    rows = pyarrow.parquet.read_table(source)
    table = own_table(folder, "updated", rows)
    table.append(rows)
    del rows
    first = 0

    def run():
        nonlocal first
        taken = And(GreaterThanOrEqual("bucket", first), LessThan("bucket", first + 10))
        first += 10
        found = table.scan(row_filter=taken).to_arrow()
        value = pyarrow.compute.add(found["value"], 1)
        table.overwrite(found.set_column(found.schema.get_field_index("value"), "value", value), overwrite_filter=taken)
    return f"PyIceberg {pyiceberg.__version__} overwrite", "", run


def pyiceberg_table(folder, source):
    """Makes a table of one file with the rows of `source`, and answers its metadata file and the
    data file."""
    pyarrow_name()
    import pyarrow.parquet
    import pyiceberg
    rows = pyarrow.parquet.read_table(source)
    table = own_table(folder, "written", rows)
    table.append(rows)
    (task,) = table.scan().plan_files()
    answer = f"{table.metadata_location} {task.file.file_path.removeprefix('file://')}"
    return f"PyIceberg {pyiceberg.__version__}", answer, lambda: None


def pyiceberg_manifest(path):
    """Decodes every entry of a manifest of Java's layout, with PyIceberg's compiled decoder."""
    import pyiceberg
    from pyiceberg.avro.file import AvroFile
    from pyiceberg.io.pyarrow import PyArrowFileIO
    io = PyArrowFileIO()

    def run():
        with AvroFile(io.new_input(path)) as reader:
            for _ in reader:
                pass
    return f"PyIceberg {pyiceberg.__version__} (all)", "", run


def pyiceberg_plan(metadata):
    """Plans a scan of all files of a table."""
    import pyiceberg
    from pyiceberg.table import StaticTable
    table = StaticTable.from_metadata(metadata)

    def run():
        sum(1 for _ in table.scan().plan_files())
    return f"PyIceberg {pyiceberg.__version__}", "", run


def pyiceberg_vector(path, offset, size):
    """Loads one deletion vector blob: PyIceberg's own decoder, to positions."""
    import pyiceberg
    from pyiceberg.table.deletion_vector import DeletionVector
    with open(path, "rb") as file:
        file.seek(int(offset))
        blob = file.read(int(size))

    def run():
        DeletionVector._deserialize_bitmap(blob[8:-4])
    return f"PyIceberg {pyiceberg.__version__}", "", run


def roaring_vector(path, offset, size):
    """Loads one deletion vector blob with CRoaring, its checksum by zlib."""
    import zlib

    import pyroaring
    with open(path, "rb") as file:
        file.seek(int(offset))
        blob = file.read(int(size))

    def run():
        zlib.crc32(memoryview(blob)[4:-4])
        pyroaring.BitMap64.deserialize(blob[8:-4])
    return f"CRoaring {pyroaring.__version__} zlib", "", run


WALL = {pyiceberg_append}

# Short work is done so many times in a row.
TIMES = {pyiceberg_vector: 50, roaring_vector: 50}


def main():
    try:
        work = globals()[sys.argv[1]]
        name, answer, run = work(*sys.argv[2:])
    except ImportError as error:
        print(f"{sys.argv[1]}: {error}", flush=True)
        return
    print(f"{name}\n{answer}", flush=True)
    clock = time.perf_counter_ns if work in WALL else time.process_time_ns
    gc.disable()
    for _ in sys.stdin:
        start = clock()
        for _ in range(TIMES.get(work, 1)):
            run()
        print((clock() - start) / TIMES.get(work, 1), flush=True)
        gc.collect()


if __name__ == "__main__":
    main()
