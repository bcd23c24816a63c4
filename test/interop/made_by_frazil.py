"""What frazil makes, read by the others at every snapshot."""
from functools import partial

from compare import differ
from tables import COLUMNS, LINEAGE, NAMED, NANOS, NOTHING, PARTITIONS, SMALL, TIME, ZONED_NANOS

ID = COLUMNS[0]


def every_kind_of_change(suite, table, columns, version):
    """Appends, rows deleted twice from one file, whole files, copy-on-write."""
    suite.append(table, columns, 0, 60)
    suite.append(table, columns, 60, 60)
    suite.delete(table, "id in (1, 5, 61, 62, 119)")
    suite.delete(table, "id between 30 and 40 or id = 7")
    suite.append(table, columns, 120, 10)
    suite.append(table, columns, 130, 5)
    suite.delete(table, "id >= 130")  # a whole file where the table is not partitioned
    if version > 1:
        suite.delete(table, "id in (8, 125)", "--mode", "copy-on-write")
        suite.delete(table, "id in (9, 63)")


def all_types(suite, version, name):
    table = f"t.f_{name}_v{version}"
    suite.create(table, COLUMNS, version, PARTITIONS[name])
    every_kind_of_change(suite, table, COLUMNS, version)
    suite.all_agree(table, version)
    suite.check("filters prune the same rows", lambda: suite.filters_agree(table))


def times(suite):
    table = "t.f_time_v2"
    suite.create(table, [ID, TIME], 2, "bucket(3, tm)")
    every_kind_of_change(suite, table, [ID, TIME], 2)
    suite.all_agree(table, 2, without=["Spark"])


def types_of_v3(suite, name, partition):
    """The types that Spark refuses; DuckDB has no unknown and no timestamptz_ns."""
    columns, table = [ID, TIME, NANOS, ZONED_NANOS, NOTHING, NAMED["fx"]], f"t.f_types_{name}_v3"
    suite.create(table, columns, 3, partition)
    every_kind_of_change(suite, table, columns, 3)
    suite.all_agree(table, 3, without=["Spark", "DuckDB"])


def nanoseconds_by_duckdb(suite):
    table = "t.f_nanos_v3"
    suite.create(table, [ID, NANOS, TIME], 3)
    every_kind_of_change(suite, table, [ID, NANOS, TIME], 3)
    suite.all_agree(table, 3, without=["Spark"])


def codecs(suite, codec):
    table = f"t.f_codec_{codec}"
    suite.create(table, COLUMNS, 3, "", [f"write.parquet.compression-codec={codec}", "write.metadata.compression-codec=gzip",
                                         "write.parquet.page-row-limit=7", "write.parquet.row-group-limit=25"])
    every_kind_of_change(suite, table, COLUMNS, 3)
    # Java's Parquet has no Brotli without a native library that no registry of ours brings: BrotliCodec was not found.
    suite.all_agree(table, 3, without=["Spark", "Java"] if codec == "brotli" else [])


def write_defaults(suite):
    table = "t.f_defaults_v3"
    suite.create(table, [ID], 3, more=", n int default 7, s string default 'none', amount decimal(9,2) default 1.50")
    suite.append(table, [ID], 0, 20)
    suite.append(table, [ID, ("n", "int", lambda i: None)], 20, 20)
    suite.delete(table, "id = 3")
    suite.all_agree(table, 3)
    suite.check("the defaults were written", lambda: differ(
        [{"id": 1, "n": 7, "s": "none", "amount": "1.50"}], suite.spark.rows(table, where="id = 1")))


def branches(suite, version):
    table = f"t.f_branches_v{version}"
    suite.create(table, SMALL, version, "bucket(2, id)")
    suite.append(table, SMALL, 0, 30)
    suite.append(table, SMALL, 100, 20, "--branch", "audit")
    suite.delete(table, "id in (2, 105)", "--branch", "audit")
    suite.append(table, SMALL, 30, 5)
    suite.all_agree(table, version, moment=", branches too")
    suite.check("Spark reads the branch by its name", lambda: differ(
        suite.frazil.rows(f"{table}@audit"), suite.spark.rows(table, "audit")))
    suite.spark.sql(f"ALTER TABLE default.{table} CREATE TAG of_main")
    suite.spark.sql(f"ALTER TABLE default.{table} CREATE BRANCH of_spark")
    suite.spark.sql(f"INSERT INTO default.{table}.branch_of_spark VALUES (500, true, 1, 'branch')")
    suite.spark.sql(f"DELETE FROM default.{table}.branch_audit WHERE id IN (3, 106)")
    suite.append(table, SMALL, 200, 5, "--branch", "of_spark")
    suite.delete(table, "id in (4, 500)", "--branch", "of_spark")
    for ref in ("of_main", "of_spark", "audit", "main"):
        suite.check(f"{ref} of both has equal rows", lambda: differ(
            suite.frazil.rows(f"{table}@{ref}"), suite.spark.rows(table, ref)))
    lineage = LINEAGE if version == 3 else []
    suite.check("lineage is equal on Spark's branch", lambda: differ(
        suite.frazil.rows(f"{table}@of_spark", "--select", ",".join(["*", *lineage])), suite.spark.rows(table, "of_spark", lineage)))


def scenarios():
    for version in (1, 2, 3):
        for name in PARTITIONS:
            yield f"frazil makes V{version} {name}", partial(all_types, version=version, name=name)
    yield "frazil makes V2 with time", times
    for name, partition in (("plain", ""), ("hours", "hour(tn), bucket(3, zn)")):
        yield f"frazil makes V3 with nanoseconds and unknown, {name}", partial(types_of_v3, name=name, partition=partition)
    yield "frazil makes V3 with nanoseconds for DuckDB", nanoseconds_by_duckdb
    for codec in ("snappy", "gzip", "lz4", "brotli", "uncompressed"):
        yield f"frazil makes V3 with {codec} in small row groups and pages", partial(codecs, codec=codec)
    yield "frazil makes V3 with write defaults", write_defaults
    for version in (2, 3):
        yield f"frazil makes V{version} with branches", partial(branches, version=version)
