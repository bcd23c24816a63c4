"""Tables that frazil writes in Avro, and those that it upserts by equality deletes, read and changed by the others."""
import json
from functools import partial
from pathlib import Path

from compare import differ
from made_by_frazil import every_kind_of_change
from peers import Failure
from plain import plain
from row_changes import every_kind
from tables import COLUMNS, FILTERS, LINEAGE, NAMED, NANOS, NOTHING, PARTITIONS, SMALL, TIME, ZONED_NANOS

AVRO = "write.format.default=avro"
WITHOUT_AVRO = {"PyIceberg": "PyIceberg 0.12 reads no Avro data files (_get_file_format)",
                "DuckDB": "DuckDB's iceberg extension reads Parquet data files alone"}
WITHOUT_KEYS = {"PyIceberg": "PyIceberg 0.12 does not yet read equality deletes"}


def at_each_snapshot(suite, table, version, without):
    """Who reads such tables reads equal rows at every snapshot, with equal lineage on V3; who does not says so."""
    lineage = LINEAGE if version == 3 else []
    metadata = suite.frazil.metadata(table)
    readers = {
        "PyIceberg": lambda s: suite.pyiceberg.rows(table, s),
        "DuckDB": lambda s: suite.duckdb.rows(metadata, s, lineage),
        "Spark": lambda s: suite.spark.rows(table, s, lineage),
        "Java": lambda s: suite.java.rows(metadata, s),
    }
    for peer, read in readers.items():
        extra = lineage if peer in ("DuckDB", "Spark") else ()
        if peer in without:
            suite.check(f"{peer} refuses the table", partial(refuses, suite, table, read, without[peer]))
        else:
            excuse = suite.vectors_alike if peer == "DuckDB" and version == 3 else None
            suite.check(f"{peer} reads equal rows at every snapshot", lambda read=read, extra=extra, excuse=excuse: suite.at_each_snapshot(
                table, read, extra, excuse=excuse))


def refuses(suite, table, read, fault):
    try:
        read(suite.frazil.snapshots(table)[-1])
    except Exception:  # each peer has words of its own
        suite.allow(fault)
        return ""
    return "it reads the table: take it into the comparison"


def path_of(location):
    return Path(location.removeprefix("file://").removeprefix("file:"))


def by_fastavro(suite, table):
    """Each Avro data file, read by a library that knows no Iceberg, has the rows that the manifest counts."""
    import fastavro

    for file in suite.frazil.lines("files", table):
        if file["file_format"] != "AVRO":
            continue
        with open(path_of(file["file_path"]), "rb") as stream:
            reader = fastavro.reader(stream)
            rows = list(reader)
            ids = {field["field-id"] for field in reader.writer_schema["fields"]}
        if len(rows) != file["record_count"]:
            return f"{file['file_path']}: {len(rows)} rows, the manifest says {file['record_count']}"
        if not ids:
            return f"{file['file_path']}: no field ids"
        column = next(iter(rows[0]))
        counts = dict(file["value_counts"] or [])
        if counts and min(counts.values()) < 0:
            return f"{file['file_path']}: {column} has counts {counts}"
    return ""


def scalar_bounds(suite, table):
    """The bounds and counts of a primitive column are those of the rows that fastavro reads."""
    import fastavro

    for file in suite.frazil.lines("data-files", table):
        with open(path_of(file["file_path"]), "rb") as stream:
            rows = list(fastavro.reader(stream))
        for name in ("id", "i", "dt", "dec9"):
            if name not in rows[0]:
                continue
            values = [row[name] for row in rows if row[name] is not None]
            metrics = file["readable_metrics"][name]
            want = (len(rows), len(rows) - len(values), plain(min(values, default=None)), plain(max(values, default=None)))
            have = (metrics["value_count"], metrics["null_value_count"], metrics["lower_bound"], metrics["upper_bound"])
            if want != have:
                return f"{name} of {file['file_path']}: fastavro {want}, manifest {have}"
    return ""


def spark_filters(suite, table):
    for ours, sparks, _ in FILTERS:
        if sparks:
            problem = differ(suite.frazil.rows(table, "--where", ours), suite.spark.rows(table, where=sparks))
            if problem:
                return f"{ours} by Spark: {problem}"
    return ""


def avro_types(suite, version, name, codec):
    table = f"t.a_{name}_{codec}_v{version}"
    suite.create(table, COLUMNS, version, PARTITIONS[name], [AVRO, f"write.avro.compression-codec={codec}"])
    every_kind_of_change(suite, table, COLUMNS, version)
    at_each_snapshot(suite, table, version, WITHOUT_AVRO)
    if codec != "zstd":  # fastavro has it with one more library only
        suite.check("fastavro reads every file", lambda: by_fastavro(suite, table))
        suite.check("bounds and counts are those of the rows", lambda: scalar_bounds(suite, table))
    suite.check("Spark filters alike by our bounds", lambda: spark_filters(suite, table))


def avro_of_v3(suite):
    """What Spark refuses: Java reads it."""
    columns, table = [NAMED["id"], TIME, NANOS, ZONED_NANOS, NOTHING, NAMED["fx"]], "t.a_types_v3"
    suite.create(table, columns, 3, "hour(tn)", [AVRO])
    every_kind_of_change(suite, table, columns, 3)
    metadata = suite.frazil.metadata(table)
    suite.check("Java reads equal rows at every snapshot", lambda: suite.at_each_snapshot(table, lambda s: suite.java.rows(metadata, s)))
    suite.check("fastavro reads every file", lambda: by_fastavro(suite, table))


def avro_changes(suite, version, mode):
    table = f"t.a_{mode.replace('-', '_')}_v{version}"
    suite.create(table, COLUMNS, version, PARTITIONS["days"], [AVRO])
    every_kind(suite, table, COLUMNS, ["--mode", mode])
    at_each_snapshot(suite, table, version, WITHOUT_AVRO)
    suite.check("fastavro reads every file", lambda: by_fastavro(suite, table))


def avro_in_turns(suite, version):
    """Spark writes Avro too, into the same table, and changes rows of ours."""
    table, run = f"t.a_turns_v{version}", suite.frazil.run
    suite.create(table, SMALL, version, "bucket(2, id)", [AVRO, *(f"write.{verb}.mode=merge-on-read" for verb in ("delete", "update", "merge"))])
    suite.append(table, SMALL, 0, 40)
    suite.spark.sql(f"UPDATE default.{table} SET i = id + 100 WHERE id BETWEEN 5 AND 15")
    run("update", table, "--set", "i = -1", "--where", "id between 8 and 21")
    suite.spark.sql(f"DELETE FROM default.{table} WHERE id IN (9, 20)")
    run("update", table, "--set", "i = 7", "--where", "id < 3", "--mode", "copy-on-write")
    at_each_snapshot(suite, table, version, WITHOUT_AVRO)


def avro_defaults(suite):
    """Columns with a default of their own: null comes last in their unions."""
    table, run = "t.avro_defaults_v3", suite.frazil.run
    suite.create(table, SMALL, 3, "", [AVRO])
    suite.append(table, SMALL, 0, 10)
    run("alter", table, "add", "column", "n", "int", "default", "7")
    run("alter", table, "add", "column", "w", "string not null", "default", "none")
    suite.append(table, [*SMALL, ("n", "int", lambda i: [None, i][i % 2]), ("w", "string", lambda i: f"w{i}")], 10, 10)
    run("update", table, "--set", "i = 1", "--where", "id in (3, 13)", "--mode", "copy-on-write")
    at_each_snapshot(suite, table, 3, WITHOUT_AVRO)
    suite.check("fastavro reads every file", lambda: by_fastavro(suite, table))


def changes(suite, rows, name="deltas.jsonl"):
    path = suite.warehouse / name
    with open(path, "w") as out:
        for row in rows:
            print(json.dumps(row), file=out)
    return str(path)


def upsert(suite, table, columns, numbers, shift, *options):
    rows = [{**{name: value(i + shift) for name, _, value in columns}, "id": i} for i in numbers]
    suite.frazil.run("upsert", table, changes(suite, rows), "--on", "id", "--equality-deletes", *options)


def stream(suite, version, file_format, partition):
    """Small loads, each with keys of loads before it, of itself, and new ones."""
    table = f"t.d_{file_format}_{'parted' if partition else 'plain'}_v{version}"
    properties = [f"write.format.default={file_format}"]
    suite.create(table, SMALL, version, partition, properties)
    suite.append(table, SMALL, 0, 30)
    upsert(suite, table, SMALL, [1, 2, 40, 41, 41, 2], 3)
    upsert(suite, table, SMALL, [2, 41, 50], 5)
    suite.delete(table, "id in (3, 50)", "--mode", "merge-on-read")
    upsert(suite, table, SMALL, [*range(10, 20), 10, 11, 3], 8)
    suite.frazil.run("update", table, "--set", "i = 1", "--where", "id in (10, 29)", "--mode", "copy-on-write")
    upsert(suite, table, SMALL, [29, 60], 1)
    at_each_snapshot(suite, table, version, {**WITHOUT_KEYS, **(WITHOUT_AVRO if file_format == "avro" else {})})
    suite.metadata_agrees(table)
    suite.check("counters of equality deletes are true", lambda: counters(suite, table))


def emptied(suite, version):
    """Equality deletes leave with the last row that is older, so that PyIceberg, which refuses them, reads the table again."""
    table = f"t.d_emptied_v{version}"
    suite.create(table, SMALL, version, "")
    suite.append(table, SMALL, 0, 10)
    upsert(suite, table, SMALL, [1, 2, 40], 3)
    suite.append(table, SMALL, 100, 10)
    suite.delete(table, "id <> 5 and id < 100", "--mode", "copy-on-write")
    suite.delete(table, "id in (103, 104) or id = 5", "--mode", "merge-on-read")
    suite.check("no equality delete is left", lambda: differ([], [row for row in suite.frazil.lines("delete-files", table) if row["content"] == 2]))
    last = suite.frazil.snapshots(table)[-1]
    for peer, rows in (("PyIceberg", lambda: suite.pyiceberg.rows(table, last)), ("Spark", lambda: suite.spark.rows(table, last, [])),
                       ("DuckDB", lambda: suite.duckdb.rows(suite.frazil.metadata(table), last, []))):
        suite.check(f"{peer} reads the table", lambda rows=rows: differ(suite.frazil.rows(table), rows()))
    suite.check("counters of equality deletes are true", lambda: counters(suite, table))
    suite.metadata_agrees(table)


def counters(suite, table):
    summary = suite.frazil.lines("snapshots", table)[-1]["summary"]
    deletes = suite.frazil.lines("delete-files", table)
    want = {"total-equality-deletes": sum(row["record_count"] for row in deletes if row["content"] == 2),
            "total-position-deletes": sum(row["record_count"] for row in deletes if row["content"] == 1),
            "total-delete-files": len(deletes)}
    wrong = {name: (summary.get(name), value) for name, value in want.items() if summary.get(name) != str(value)}
    return f"summary and truth: {wrong}" if wrong else ""


def keys_of_every_type(suite, version):
    """One load per key column, nulls among the keys (D081)."""
    table = f"t.d_keys_v{version}"
    columns = [entry for entry in COLUMNS if entry[0] not in ("f", "d", "st", "l", "m", "ls", "ml")]
    suite.create(table, columns, version)
    suite.append(table, columns, 0, 40)
    for number, (name, _, value) in enumerate(columns):
        rows = [{**{column: make(i + number) for column, _, make in columns}, name: value(i), "id": i} for i in (5, 9, 14, 24)]
        suite.frazil.run("upsert", table, changes(suite, rows), "--on", name, "--equality-deletes")
    at_each_snapshot(suite, table, version, WITHOUT_KEYS)


def compacted(suite, version):
    """Spark compacts what we upsert, and updates it; we go on."""
    table = f"t.d_compacted_v{version}"
    suite.create(table, SMALL, version, "", [f"write.{verb}.mode=merge-on-read" for verb in ("delete", "update", "merge")])
    suite.append(table, SMALL, 0, 30)
    upsert(suite, table, SMALL, [1, 2, 40, 40], 3)
    suite.spark.sql(f"UPDATE default.{table} SET i = 5 WHERE id IN (2, 7, 40)")
    upsert(suite, table, SMALL, [2, 7, 41], 4)
    suite.spark.sql(f"CALL default.system.rewrite_data_files(table => '{table}', options => map('delete-file-threshold', '1', 'rewrite-all', 'true'))")
    upsert(suite, table, SMALL, [7, 8], 6)
    suite.delete(table, "id = 8", "--mode", "merge-on-read")
    at_each_snapshot(suite, table, version, WITHOUT_KEYS)


def global_deletes(suite, version):
    table = f"t.d_global_v{version}"
    suite.create(table, SMALL, version)
    suite.append(table, SMALL, 0, 20)
    suite.frazil.run("alter", table, "add", "partition", "field", "b")
    suite.append(table, SMALL, 20, 20)
    upsert(suite, table, SMALL, [1, 5, 25, 25, 50], 1, "--all-partitions")
    at_each_snapshot(suite, table, version, WITHOUT_KEYS)


def scenarios():
    for version in (1, 2, 3):
        yield f"deltas: Avro of every type, V{version}", partial(avro_types, version=version, name="plain", codec="gzip")
    for name, codec in (("days", "zstd"), ("text", "snappy"), ("cuts", "uncompressed")):
        yield f"deltas: Avro of every type, {name}", partial(avro_types, version=3, name=name, codec=codec)
    yield "deltas: Avro with nanoseconds and unknown", avro_of_v3
    yield "deltas: Avro with defaults", avro_defaults
    for version in (2, 3):
        for mode in ("merge-on-read", "copy-on-write"):
            yield f"deltas: rows of Avro change, V{version} {mode}", partial(avro_changes, version=version, mode=mode)
        yield f"deltas: frazil and Spark change Avro in turns, V{version}", partial(avro_in_turns, version=version)
        for file_format in ("parquet", "avro"):
            for partition in ("", "bucket(3, id)"):
                yield (f"deltas: a stream of upserts, V{version} {file_format} {partition}",
                       partial(stream, version=version, file_format=file_format, partition=partition))
        yield f"deltas: keys leave with the last older row, V{version}", partial(emptied, version=version)
        yield f"deltas: keys of every type, V{version}", partial(keys_of_every_type, version=version)
        yield f"deltas: Spark compacts, V{version}", partial(compacted, version=version)
        yield f"deltas: global deletes, V{version}", partial(global_deletes, version=version)

