"""Tables that Spark and PyIceberg made: frazil reads them, appends and deletes, and all read again."""
from functools import partial

from tables import SMALL

SPARK_TYPES = """id BIGINT NOT NULL, b BOOLEAN, i INT, f FLOAT, d DOUBLE, dec9 DECIMAL(9,2), dec38 DECIMAL(38,10), dt DATE,
    ts TIMESTAMP_NTZ, tz TIMESTAMP, s STRING, bin BINARY, st STRUCT<x: INT, y: STRING>, l ARRAY<INT>, m MAP<STRING, BIGINT>,
    ls ARRAY<STRUCT<p: INT, q: ARRAY<STRING>>>"""
SPARK_ROWS = """SELECT id, if(id % 3 = 0, null, id % 2 = 0), CAST(id - 5 AS INT), CAST(id / 3 AS FLOAT), id / 7,
    CAST(id * 1.25 AS DECIMAL(9,2)), CAST(id AS DECIMAL(38,10)), date_add(DATE '1969-12-20', CAST(id AS INT)),
    TIMESTAMP_NTZ '1969-12-31 12:00:00' + make_interval(0, 0, 0, 0, CAST(id AS INT), 0, 0.000001),
    if(id % 5 = 0, null, TIMESTAMP '2026-01-01 00:00:00' + make_interval(0, 0, 0, CAST(id AS INT))), concat('s', id % 11),
    CAST(concat('b', id) AS BINARY), named_struct('x', CAST(id AS INT), 'y', null), array(1, null, CAST(id AS INT)),
    map('k', id), if(id % 4 = 0, null, array(named_struct('p', CAST(id AS INT), 'q', array('q', null)))) FROM range({}, {})"""
PARTITIONS = {"plain": "", "days": "days(tz), bucket(3, id)", "hours": "hours(ts), truncate(2, s)",
              "months": "months(dt), b", "years": "years(tz), truncate(5, i), dec9"}
PYTHON_PARTITIONS = {"plain": [], "days": [("ts", "day"), ("id", "bucket[3]")], "text": [("s", "truncate[2]"), ("dt", "month")]}


# Rows of ours for a table with SPARK_TYPES; the columns left out are null.
OUR_ROWS = [("id", "", lambda i: i), ("b", "", lambda i: [True, None][i % 2]), ("i", "", lambda i: i), ("s", "", lambda i: f"ours-{i}"),
    ("f", "", lambda i: i / 2), ("dec9", "", lambda i: f"{i}.25"), ("dec38", "", lambda i: f"{i}.0000000001"),
    ("dt", "", lambda i: "2026-03-%02d" % (1 + i % 28)), ("ts", "", lambda i: "2026-03-%02dT01:02:03.000004" % (1 + i % 28)),
    ("tz", "", lambda i: "2026-03-%02dT01:02:03.000004Z" % (1 + i % 28)), ("bin", "", lambda i: "0x00"),
    ("l", "", lambda i: [i]), ("st", "", lambda i: {"x": i, "y": "ours"})]


def made_by_spark(suite, version, name):
    table = f"t.s_{name}_v{version}"
    partition = f"PARTITIONED BY ({PARTITIONS[name]})" if PARTITIONS[name] else ""
    mode = "merge-on-read" if version > 1 else "copy-on-write"
    suite.spark.sql(f"CREATE TABLE default.{table} ({SPARK_TYPES}) USING iceberg {partition} TBLPROPERTIES ('format-version'='{version}', "
                    f"'write.delete.mode'='{mode}', 'write.update.mode'='{mode}')")
    suite.spark.sql(f"INSERT INTO default.{table} {SPARK_ROWS.format(0, 50)}")
    suite.spark.sql(f"DELETE FROM default.{table} WHERE id % 7 = 0")
    suite.spark.sql(f"UPDATE default.{table} SET s = 'updated', b = true WHERE id IN (8, 9)")
    suite.all_agree(table, version)
    suite.append(table, OUR_ROWS, 100, 20)
    suite.delete(table, "id in (10, 11, 101) or s = 'updated' and id = 8")
    suite.spark.sql(f"INSERT INTO default.{table} {SPARK_ROWS.format(200, 210)}")
    suite.spark.sql(f"DELETE FROM default.{table} WHERE id IN (12, 102, 203)")
    suite.delete(table, "id in (13, 103, 204)")
    suite.delete(table, "id in (15, 105, 205)", "--mode", "copy-on-write")
    suite.all_agree(table, version, moment=" after frazil's and Spark's changes")
    suite.metadata_agrees(table)


def evolved(suite, version):
    table = f"t.s_evolved_v{version}"
    name = f"default.{table}"
    suite.spark.sql(f"CREATE TABLE {name} (id BIGINT, i INT, f FLOAT, dec DECIMAL(5,2), s STRING) USING iceberg "
                    f"PARTITIONED BY (bucket(2, s)) TBLPROPERTIES ('format-version'='{version}', 'write.delete.mode'='merge-on-read')")
    suite.spark.sql(f"INSERT INTO {name} SELECT id, CAST(id AS INT), CAST(id / 3 AS FLOAT), CAST(id AS DECIMAL(5,2)), concat('s', id) FROM range(30)")
    for change in ("ALTER COLUMN i TYPE BIGINT", "ALTER COLUMN f TYPE DOUBLE", "ALTER COLUMN dec TYPE DECIMAL(20,2)",
                   "ADD COLUMNS (note STRING, ls ARRAY<STRUCT<a: INT>>)", "ADD COLUMN ls.element.b STRING", "RENAME COLUMN s TO name",
                   "ALTER COLUMN note FIRST", "REPLACE PARTITION FIELD bucket(2, name) WITH truncate(4, name)", "DROP COLUMN f"):
        suite.spark.sql(f"ALTER TABLE {name} {change}")
    suite.append(table, [("id", "", lambda i: i), ("i", "", lambda i: 2**50 + i), ("dec", "", lambda i: "999999999999999999.99"),
                         ("name", "", lambda i: f"name-{i}"), ("note", "", lambda i: "n"), ("ls", "", lambda i: [{"a": i, "b": "b"}, None])], 100, 20)
    suite.delete(table, "id in (3, 104) or name = 's5' or dec = 7.00 or i = 9")
    suite.spark.sql(f"DELETE FROM {name} WHERE id IN (4, 105) OR name = 'name-106'")
    suite.append(table, [("id", "", lambda i: i)], 200, 5)
    suite.all_agree(table, version)
    suite.metadata_agrees(table)


def made_by_pyiceberg(suite, version, name):
    import pyarrow as pa
    from pyiceberg.transforms import parse_transform

    table = f"t.p_{name}_v{version}"
    schema = pa.schema([pa.field("id", pa.int64(), nullable=False), ("b", pa.bool_()), ("i", pa.int32()), ("s", pa.string()),
                        ("ts", pa.timestamp("us")), ("tz", pa.timestamp("us", "UTC")), ("dt", pa.date32()), ("tm", pa.time64("us")),
                        ("dec", pa.decimal128(20, 3)), ("u", pa.uuid()), ("fx", pa.binary(4)), ("l", pa.list_(pa.int32())),
                        ("m", pa.map_(pa.string(), pa.int64())), ("st", pa.struct([("x", pa.int32()), ("y", pa.string())]))])
    made = suite.pyiceberg.catalog.create_table(table, schema=schema, properties={"format-version": str(version)})
    if PYTHON_PARTITIONS[name]:
        with made.update_spec() as update:
            for column, transform in PYTHON_PARTITIONS[name]:
                update.add_field(column, parse_transform(transform), f"{column}_part")
    suite.pyiceberg.append(table, [python_row(i) for i in range(40)])
    made.refresh()
    made.delete("id < 10")
    suite.all_agree(table, version, without=["Spark"])
    suite.append(table, SMALL, 100, 20)
    suite.delete(table, "id in (12, 13, 103) or u = '00000000-0000-0000-0000-00000000000f'")
    suite.pyiceberg.append(table, [python_row(i) for i in range(200, 210)])
    suite.delete(table, "id in (14, 104, 205)", "--mode", "copy-on-write")
    suite.all_agree(table, version, without=["Spark"], moment=" after frazil's and PyIceberg's changes")


def python_row(i):
    import datetime
    import decimal
    import uuid

    if i % 5 == 0:
        return {"id": i}
    moment = datetime.datetime(1969, 12, 25) + datetime.timedelta(days=i, microseconds=1)
    return {"id": i, "b": i % 2 == 0, "i": -i, "s": f"py-{i}", "ts": moment, "tz": moment.replace(tzinfo=datetime.timezone.utc),
            "dt": moment.date(), "tm": datetime.time(1, 2, 3, i), "dec": decimal.Decimal(i) / 8, "u": uuid.UUID(int=i), "fx": b"abc%c" % i,
            "l": [1, None, i], "m": [("k", i), ("n", None)], "st": {"x": i, "y": None}}


def scenarios():
    for version in (1, 2, 3):
        for name in PARTITIONS:
            yield f"Spark makes V{version} {name}", partial(made_by_spark, version=version, name=name)
    for version in (2, 3):
        yield f"Spark makes and evolves V{version}", partial(evolved, version=version)
    for version in (1, 2):
        for name in PYTHON_PARTITIONS:
            yield f"PyIceberg makes V{version} {name}", partial(made_by_pyiceberg, version=version, name=name)
