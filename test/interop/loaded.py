"""Tables that frazil makes of what is there: files of pyarrow added, tables registered, created from files and from each other."""
import datetime
import decimal
import json
from functools import partial

from compare import differ

REGIONS = ("eu", "us/x", None)
DDL = "id long not null, name string, price decimal(9,2), day date, at timestamp, tags list<string>, st struct<x: int, y: string>, region string"
# Java's IcebergGenerics does not look at the name mapping: files without ids get ids by the place of their top-level columns
# (ParquetSchemaUtil.addFallbackIds), and what is nested none. Spark, whose reader takes the mapping, is asked instead.
JAVA_NAME_MAPPING = "Java"
NESTED_IN_STRUCT = (10, 11)  # PyIceberg gives no bounds of these


def arrow_table(first, count, day):
    import pyarrow as pa

    ids = range(first, first + count)
    return pa.table({
        "id": pa.array(ids, pa.int64()),
        "name": pa.array([None if i % 5 == 0 else f"caf\u00e9-{i}" for i in ids]),
        "price": pa.array([decimal.Decimal(i) / 4 if i % 3 else None for i in ids], pa.decimal128(9, 2)),
        "day": pa.array([day for _ in ids], pa.date32()),
        "at": pa.array([datetime.datetime(2026, 1, 1, 0, i % 60, 0, i) for i in ids], pa.timestamp("us")),
        "tags": pa.array([[], ["a", None], None, ["b"]][i % 4] for i in ids),
        "st": pa.array([None if i % 7 == 0 else {"x": i, "y": None} for i in ids], pa.struct([("x", pa.int32()), ("y", pa.string())])),
    })


def write_files(suite, name):
    """Hive's folders, files without field ids; the region is in the folder's name alone."""
    import urllib.parse

    import pyarrow.parquet as pq

    root = suite.warehouse / "foreign" / name
    for number, region in enumerate(REGIONS):
        value = "__HIVE_DEFAULT_PARTITION__" if region is None else urllib.parse.quote(region, safe="")
        for day in (1, 2):
            folder = root / f"region={value}"
            folder.mkdir(parents=True, exist_ok=True)
            table = arrow_table(100 * number + 10 * day, 10, datetime.date(2026, 1, day))
            pq.write_table(table, folder / f"day{day}.parquet", row_group_size=4)
        (folder / "_SUCCESS").touch()
    return root


def added(suite, version):
    table = f"t.l_added_v{version}"
    root = write_files(suite, f"added{version}")
    suite.frazil.run("create", table, "--schema", DDL, "--partition", "region, day(day)", "--format-version", str(version))
    suite.frazil.run("add-files", table, str(root / "region=eu"), "--name-mapping", "--quiet")
    suite.frazil.run("add-files", table, str(root), "--skip-live", "--quiet")
    suite.delete(table, "id in (11, 112, 213)")
    suite.frazil.run("alter", table, "rename", "column", "name", "to", "title")
    suite.frazil.run("alter", table, "update", "column", "price", "decimal(12,2)")
    suite.all_agree(table, version, without=[JAVA_NAME_MAPPING])
    for ours, theirs in (("region = 'us/x' and id < 115", "region = 'us/x' and id < 115"), ("region is null", "region is null"),
                         ("title = 'caf\u00e9-12'", "title = 'caf\u00e9-12'"), ("day = date '2026-01-02'", "day = date '2026-01-02'")):
        suite.check(f"Spark and frazil find the same rows where {ours}", lambda: differ(
            suite.frazil.rows(table, "--where", ours), suite.spark.rows(table, where=theirs)))
    suite.spark.sql(f"DELETE FROM default.{table} WHERE id IN (22, 121)")
    suite.check("Spark's deletes from added files are read", lambda: differ(
        suite.spark.rows(table), suite.frazil.rows(table)))


def as_pyiceberg_adds_them(suite):
    """The same files added by PyIceberg to a table of its own: equal partitions, counts and bounds."""
    ours, theirs = "t.l_ours_v2", "t.l_theirs_v2"
    import pyarrow.parquet as pq

    folder = suite.warehouse / "foreign" / "both"
    folder.mkdir(parents=True)
    paths = []
    for day in (1, 2, 3):
        paths.append(folder / f"{day}.parquet")
        pq.write_table(arrow_table(100 * day, 20, datetime.date(2026, 1, day)), paths[-1], row_group_size=7)
    for table in (ours, theirs):
        suite.frazil.run("create", table, "--schema", DDL.replace("id long not null", "id long"), "--partition", "day", "--format-version", "2")
    suite.frazil.run("add-files", ours, *map(str, paths), "--name-mapping", "--quiet")
    suite.pyiceberg.table(theirs).add_files([f"file://{path}" for path in paths])
    names = ("file_path", "partition", "record_count", "file_size_in_bytes", "column_sizes", "value_counts", "null_value_counts",
             "lower_bounds", "upper_bounds", "split_offsets")

    def of(table):
        rows = suite.frazil.lines("files", table)
        for row in rows:
            for name in ("lower_bounds", "upper_bounds"):
                row[name] = [entry for entry in row[name] if entry[0] not in NESTED_IN_STRUCT]
        return [{name: json.dumps(row[name], sort_keys=True) for name in names} for row in rows]

    suite.check("entries are those of PyIceberg", lambda: differ(of(ours), of(theirs)))
    suite.check("the name mapping is that of PyIceberg", lambda: "" if mapping(suite, ours) == mapping(suite, theirs) else "they differ")
    suite.all_agree(ours, 2, without=[JAVA_NAME_MAPPING])


def mapping(suite, table):
    def flat(items):
        return sorted((item["field-id"], tuple(item["names"]), tuple(flat(item.get("fields", [])))) for item in items)

    return flat(json.loads(suite.pyiceberg.table(table).properties["schema.name-mapping.default"]))


def created(suite):
    import pyarrow.parquet as pq

    path = suite.warehouse / "foreign" / "one.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(arrow_table(0, 50, datetime.date(2026, 1, 1)), path)
    suite.frazil.run("create", "t.l_from_v3", "--from", str(path), "--with-rows", "--partition", "truncate(10, id)")
    suite.check("rows are those of pyarrow", lambda: differ(
        suite.pyiceberg.rows("t.l_from_v3"), suite.frazil.rows("t.l_from_v3")))
    suite.frazil.run("create", "t.l_select_v2", "--from-table", "t.l_from_v3", "--where", "id >= 10", "--select", "st,id,price",
                     "--format-version", "2")
    lines = suite.warehouse / "foreign" / "lines.jsonl"
    lines.write_text("".join(json.dumps({"id": i, "on": i % 2 == 0, "at": "2026-01-02T03:04:05Z", "l": [{"x": i}]}) + "\n" for i in range(20)))
    suite.frazil.run("create", "t.l_lines_v3", "--from", str(lines), "--with-rows")
    suite.all_agree("t.l_from_v3", 3, moment=" of a table from a file")
    suite.all_agree("t.l_select_v2", 2, moment=" of a table from another")
    suite.all_agree("t.l_lines_v3", 3, moment=" of a table from JSON lines")


def registered(suite):
    """A table of Spark's, dropped from the catalog, comes back; PyIceberg registers one of ours."""
    suite.spark.sql("CREATE TABLE default.t.l_spark (id BIGINT, name STRING) USING iceberg TBLPROPERTIES ('format-version' = '2')")
    suite.spark.sql("INSERT INTO default.t.l_spark VALUES (1, 'a'), (2, 'b')")
    location = suite.frazil.metadata("t.l_spark")
    suite.frazil.run("drop", "table", "t.l_spark")
    suite.frazil.run("register", "t.l_back_v2", location)
    suite.append("t.l_back_v2", [("id", "", lambda i: i), ("name", "", lambda i: f"n{i}")], 3, 4)
    suite.all_agree("t.l_back_v2", 2)
    location = suite.frazil.metadata("t.l_back_v2")
    suite.frazil.run("drop", "table", "t.l_back_v2")
    suite.pyiceberg.catalog.register_table("t.l_again", f"file://{location}")
    suite.check("a table that PyIceberg registered is read", lambda: differ(
        suite.pyiceberg.rows("t.l_again"), suite.frazil.rows("t.l_again")))


def scenarios():
    for version in (2, 3):
        yield f"loaded: files added, format version {version}", partial(added, version=version)
    yield "loaded: files added as by PyIceberg", as_pyiceberg_adds_them
    yield "loaded: created from files and tables", created
    yield "loaded: registered", registered
