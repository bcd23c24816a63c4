"""Tables that frazil made: the others append, delete, update, merge, evolve and maintain; frazil reads that and goes on."""
from functools import partial

from compare import differ
from tables import COLUMNS, SMALL

# Manifests of V1 have no sequence numbers, which readers take for 0 (spec "Sequence Number Inheritance"); DuckDB 1.5.5 refuses
# them: required field 'sequence_number' is NULL. peers.md has the same of Java's tables.
DUCKDB_NULL_NUMBERS = "DuckDB"
MODES = ("merge-on-read", "copy-on-write")


def small_table(suite, table, version, mode, partition):
    properties = [f"write.{verb}.mode={mode}" for verb in ("delete", "update", "merge")]
    suite.create(table, SMALL, version, partition, properties)
    suite.append(table, SMALL, 0, 30)
    suite.delete(table, "id in (1, 2)")


def changed_by_spark(suite, version, mode, partition):
    table = f"t.c_{partition[:6] or 'flat'}_{mode[:4]}_v{version}"
    name = f"default.{table}"
    sql = suite.spark.sql
    small_table(suite, table, version, mode, partition)
    sql(f"INSERT INTO {name} SELECT id + 1000, id % 2 = 0, CAST(id AS INT), concat('spark-', id) FROM range(20)")
    sql(f"DELETE FROM {name} WHERE id IN (3, 4, 1005) OR s = 'spark-9'")
    suite.all_agree(table, version, moment=" after Spark's append and delete")
    suite.append(table, SMALL, 2000, 10)
    suite.delete(table, "id in (5, 1006, 2003)")
    sql(f"UPDATE {name} SET s = concat(s, '!'), i = -1 WHERE id IN (6, 1007, 2004)")
    suite.delete(table, "id in (7, 1008) or s = 'name-2004!'")
    sql(f"MERGE INTO {name} t USING (SELECT CAST(id + 1010 AS BIGINT) AS id FROM range(15)) n ON t.id = n.id "
        "WHEN MATCHED AND t.id = 1011 THEN DELETE WHEN MATCHED THEN UPDATE SET s = 'merged' "
        "WHEN NOT MATCHED THEN INSERT (id, b, i, s) VALUES (n.id, null, 0, 'new')")
    suite.all_agree(table, version, moment=" after Spark's update and merge")
    if version > 1:
        suite.delete(table, "id in (10, 1012, 2005)", "--mode", "merge-on-read")
    suite.delete(table, "id in (11, 1013, 2006)", "--mode", "copy-on-write")
    suite.append(table, SMALL, 3000, 5)
    sql(f"DELETE FROM {name} WHERE id IN (12, 1014, 3001)")
    suite.all_agree(table, version, moment=" after all")


def evolved_by_spark(suite, version):
    """Columns added, renamed, moved, promoted and dropped; another partition spec; frazil appends with each schema."""
    table = f"t.c_evolved_v{version}"
    name = f"default.{table}"
    suite.create(table, SMALL, version, "bucket(2, id)")
    suite.append(table, SMALL, 0, 20)
    for change in ("ADD COLUMN extra DOUBLE AFTER id", "ALTER COLUMN i TYPE BIGINT", "RENAME COLUMN s TO title",
                   "ADD COLUMN st STRUCT<x: INT>", "ADD COLUMN st.y STRING", "ADD PARTITION FIELD truncate(3, title)"):
        suite.spark.sql(f"ALTER TABLE {name} {change}")
    wider = [SMALL[0], SMALL[1], ("i", "long", lambda i: 2**40 + i), ("title", "string", lambda i: f"title-{i}"),
             ("extra", "double", lambda i: i / 2), ("st", "", lambda i: {"x": i, "y": "y"})]
    suite.append(table, wider, 100, 20)
    suite.spark.sql(f"INSERT INTO {name} (id, title, extra) VALUES (200, 'spark', 1.5)")
    suite.delete(table, "id in (3, 104) or title = 'name-7'")
    suite.all_agree(table, version, moment=" after new columns and a new spec")
    for change in ("DROP COLUMN b", "DROP PARTITION FIELD bucket(2, id)", "ADD COLUMN b STRING",
                   "ALTER COLUMN id DROP NOT NULL", "WRITE ORDERED BY title DESC NULLS LAST"):
        suite.spark.sql(f"ALTER TABLE {name} {change}")
    last = [("id", "", lambda i: i), ("b", "", lambda i: f"b{i}"), ("title", "", lambda i: f"title-{i % 7}")]
    suite.append(table, last, 300, 20)
    suite.delete(table, "b = 'b303' or id = 105 or extra = 53.0")
    suite.spark.sql(f"DELETE FROM {name} WHERE id = 304 OR st.x = 107")
    suite.all_agree(table, version, moment=" after a dropped column and field")


def upgraded_by_spark(suite):
    """V1 to V2 to V3, with files, position deletes and DVs of every version."""
    table = "t.c_upgraded"
    suite.create(table, SMALL, 1, "bucket(2, id)", ["write.delete.mode=merge-on-read"])
    suite.append(table, SMALL, 0, 20)
    suite.spark.sql(f"ALTER TABLE default.{table} SET TBLPROPERTIES ('format-version'='2')")
    suite.append(table, SMALL, 20, 20)
    suite.delete(table, "id in (1, 21)")
    suite.all_agree(table, 2, moment=" on V2", without=[DUCKDB_NULL_NUMBERS])
    suite.spark.sql(f"ALTER TABLE default.{table} SET TBLPROPERTIES ('format-version'='3')")
    suite.append(table, SMALL, 40, 20)
    suite.delete(table, "id in (2, 3, 22, 41)")
    suite.spark.sql(f"DELETE FROM default.{table} WHERE id IN (4, 23, 42)")
    suite.delete(table, "id in (5, 24)", "--mode", "copy-on-write")
    suite.delete(table, "id in (6, 25)")
    suite.all_agree(table, 3, moment=" on V3", without=[DUCKDB_NULL_NUMBERS])


def maintained_by_spark(suite, version):
    table = f"t.c_maintained_v{version}"
    suite.create(table, SMALL, version, "bucket(2, id)", ["write.delete.mode=merge-on-read"])
    for first in range(0, 60, 10):
        suite.append(table, SMALL, first, 10)
        suite.delete(table, f"id = {first + 3}")
    for call in (f"rewrite_position_delete_files(table => '{table}', options => map('rewrite-all', 'true'))" if version == 2 else "",
                 f"rewrite_manifests('{table}')",
                 f"rewrite_data_files(table => '{table}', where => 'id < 40', options => map('rewrite-all', 'true'))"):
        if call:
            suite.spark.sql(f"CALL default.system.{call}")
            suite.append(table, SMALL, 100, 3)
            suite.delete(table, "id in (5, 101, 55)")
    suite.all_agree(table, version, moment=" after Spark's compaction")
    suite.spark.sql(f"CALL default.system.expire_snapshots(table => '{table}', older_than => now(), retain_last => 2)")
    suite.append(table, SMALL, 200, 3)
    suite.all_agree(table, version, moment=" after expiry")


def changed_by_pyiceberg(suite, version, partition):
    """PyIceberg 0.12 writes V1 and V2, and deletes by copy-on-write."""
    table = f"t.c_py_{partition[:6] or 'flat'}_v{version}"
    small_table(suite, table, version, "merge-on-read" if version > 1 else "copy-on-write", partition)
    suite.pyiceberg.append(table, [{"id": 3000 + i, "b": True, "i": i, "s": f"py-{i}"} for i in range(10)])
    suite.all_agree(table, version, moment=" after PyIceberg's append")
    suite.delete(table, "id in (3, 3001) or s = 'py-5'")
    suite.pyiceberg.table(table).delete("id in (4, 3002)")
    suite.append(table, SMALL, 50, 10)
    suite.pyiceberg.overwrite(table, [{"id": 52, "b": None, "i": 1, "s": "overwritten"}], "id == 52")
    suite.delete(table, "id in (6, 51, 3003)")
    suite.all_agree(table, version, moment=" after PyIceberg's delete and overwrite")
    with suite.pyiceberg.table(table).update_schema() as update:
        from pyiceberg.types import LongType, StringType

        update.add_column("note", StringType())
        update.update_column("i", LongType())
    suite.append(table, [*SMALL[:2], ("note", "", lambda i: f"note-{i}")], 70, 5)
    suite.pyiceberg.append(table, [{"id": 4000, "b": True, "i": 2**40, "s": "late", "note": "py"}])
    suite.delete(table, "note = 'note-71' or id = 4000 and i = 0")
    suite.all_agree(table, version, moment=" after PyIceberg's evolution")


def every_type_appended(suite, version, by):
    """The other writes all our types into our table by copying it, and our rows come back."""
    table = f"t.c_types_{by}_v{version}"
    suite.create(table, COLUMNS, version, "bucket(3, id), month(ts)")
    suite.append(table, COLUMNS, 0, 40)
    if by == "spark":
        suite.spark.sql(f"INSERT INTO default.{table} SELECT * FROM default.{table}")
    else:
        loaded = suite.pyiceberg.table(table)
        loaded.append(loaded.scan().to_arrow())
    rows = sorted(suite.frazil.rows(table), key=lambda row: row["id"])
    first, second = (rows[start::2] for start in (0, 1))
    if by == "pyiceberg":  # it wrote what it read
        first, second = suite.null_lists_are_empty(first), suite.null_lists_are_empty(second)
    suite.check("every row is there twice", lambda: differ(first, second))
    suite.delete(table, "id in (4, 17) or s = 'name-7'")
    suite.all_agree(table, version)


def scenarios():
    for version in (2, 3):
        for mode in MODES:
            for partition in ("", "bucket(3, id)"):
                yield (f"Spark changes V{version} {mode} {partition or 'plain'}",
                       partial(changed_by_spark, version=version, mode=mode, partition=partition))
        yield f"Spark evolves V{version}", partial(evolved_by_spark, version=version)
        yield f"Spark maintains V{version}", partial(maintained_by_spark, version=version)
        yield f"Spark appends every type to V{version}", partial(every_type_appended, version=version, by="spark")
    yield "Spark upgrades V1 to V2 to V3", upgraded_by_spark
    for version in (1, 2):
        for partition in ("", "bucket(3, id)"):
            yield f"PyIceberg changes V{version} {partition or 'plain'}", partial(changed_by_pyiceberg, version=version, partition=partition)
        yield f"PyIceberg appends every type to V{version}", partial(every_type_appended, version=version, by="pyiceberg")
