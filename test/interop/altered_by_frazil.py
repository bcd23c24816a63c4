"""Tables that frazil evolves, upgrades, branches and publishes: the others read and go on with them, and Spark, told the same
changes, gives the same ids and names."""
import json
from functools import partial

from compare import differ
from tables import LINEAGE, SMALL

# Manifests of V1 have no sequence numbers, which DuckDB 1.5.5 refuses (changed_by_others.py).
DUCKDB_NULL_NUMBERS = "DuckDB"
# "When a data file has a null first_row_id, readers must produce null for _row_id and _last_updated_sequence_number"; of snapshots
# from before the upgrade DuckDB 1.5.5 gives the number.
DUCKDB_NUMBERS_BEFORE_V3 = "DuckDB"

# The same change as `frazil alter T ...` and as `ALTER TABLE T ...`.
CHANGES = [
    (["add", "column", "extra", "double", "--after", "id"], "ADD COLUMN extra DOUBLE AFTER id"),
    (["update", "column", "i", "long"], "ALTER COLUMN i TYPE BIGINT"),
    (["rename", "column", "s", "to", "title"], "RENAME COLUMN s TO title"),
    (["add", "column", "st", "struct<x: int, l: list<struct<p: int>>>"], "ADD COLUMN st STRUCT<x: INT, l: ARRAY<STRUCT<p: INT>>>"),
    (["add", "column", "st.y", "string", "--first"], "ADD COLUMN st.y STRING FIRST"),
    (["add", "column", "st.l.element.q", "string", "comment", "deep"], "ADD COLUMN st.l.element.q STRING COMMENT 'deep'"),
    (["add", "column", "ms", "map<string, struct<v: int>>"], "ADD COLUMN ms MAP<STRING, STRUCT<v: INT>>"),
    (["add", "column", "ms.value.w", "int"], "ADD COLUMN ms.value.w INT"),
    (["add", "partition", "field", "truncate(3, title)"], "ADD PARTITION FIELD truncate(3, title)"),
    (["add", "partition", "field", "bucket(4, i)", "as", "shard"], "ADD PARTITION FIELD bucket(4, i) AS shard"),
    (["move", "column", "title", "--first"], "ALTER COLUMN title FIRST"),
    (["drop", "column", "b"], "DROP COLUMN b"),
    (["drop", "partition", "field", "bucket(2, id)"], "DROP PARTITION FIELD bucket(2, id)"),
    (["add", "column", "b", "string"], "ADD COLUMN b STRING"),
    (["replace", "partition", "field", "shard", "bucket(8, i)", "as", "shard8"], "REPLACE PARTITION FIELD shard WITH bucket(8, i) AS shard8"),
    (["add", "partition", "field", "bucket(2, id)"], "ADD PARTITION FIELD bucket(2, id)"),
    (["set", "identifier", "id"], "SET IDENTIFIER FIELDS id"),
    (["set", "sort", "title desc nulls last, bucket(2, id)"], "WRITE LOCALLY ORDERED BY title DESC NULLS LAST, bucket(2, id)"),
    (["set", "identifier", ""], "DROP IDENTIFIER FIELDS id"),
    (["update", "column", "id", "--optional"], "ALTER COLUMN id DROP NOT NULL"),
]


def metadata_of(suite, table):
    return json.loads(open(suite.frazil.metadata(table).removeprefix("file://")).read())


def shape(metadata):
    """What evolution gives ids and names to."""
    keys = ("last-column-id", "current-schema-id", "schemas", "partition-specs", "default-spec-id", "last-partition-id",
            "sort-orders", "default-sort-order-id")
    return {key: metadata.get(key) for key in keys}


def same_shape(ours, theirs):
    for key in ours:
        if ours[key] != theirs[key]:
            return f"{key}: frazil {json.dumps(ours[key])}, Spark {json.dumps(theirs[key])}"
    return ""


def as_spark_gives_them(suite, version):
    """Two tables, one changed by frazil and one by Spark: after each change ids, names and orders are equal."""
    ours, theirs = f"t.a_ours_v{version}", f"t.a_theirs_v{version}"
    for table in (ours, theirs):
        suite.create(table, SMALL, version, "bucket(2, id) as id_bucket")
    for words, sql in CHANGES:
        suite.frazil.run("alter", ours, *words)
        suite.spark.sql(f"ALTER TABLE default.{theirs} {sql}")
        suite.check(f"ids and names are equal after {sql}", lambda: same_shape(
            shape(metadata_of(suite, ours)), shape(metadata_of(suite, theirs))))


def evolved(suite, version):
    """All of these changes with rows between them, of frazil and of Spark."""
    table = f"t.a_evolved_v{version}"
    suite.create(table, SMALL, version, "bucket(2, id)")
    suite.append(table, SMALL, 0, 20)
    for words, _ in CHANGES[:8]:
        suite.frazil.run("alter", table, *words)
    wider = [("id", "", lambda i: i), ("b", "", lambda i: i % 2 == 0), ("i", "", lambda i: 2**40 + i),
             ("title", "", lambda i: f"title-{i}"), ("extra", "", lambda i: i / 2),
             ("st", "", lambda i: {"x": i, "y": "y", "l": [{"p": i, "q": "q"}]}), ("ms", "", lambda i: {"k": {"v": i, "w": 1}})]
    suite.append(table, wider, 100, 20)
    for words, _ in CHANGES[8:14]:
        suite.frazil.run("alter", table, *words)
    last = [column for column in wider if column[0] != "b"] + [("b", "", lambda i: f"b{i}")]
    suite.append(table, last, 200, 20)
    suite.spark.sql(f"INSERT INTO default.{table} (id, title, b) VALUES (300, 'spark', 'spark')")
    suite.delete(table, "id in (3, 104, 205) or title = 'title-107'")
    suite.all_agree(table, version, moment=" after new columns and specs")
    for words, _ in CHANGES[14:]:
        suite.frazil.run("alter", table, *words)
    suite.append(table, last, 400, 10)
    suite.spark.sql(f"DELETE FROM default.{table} WHERE id IN (4, 105, 401)")
    suite.all_agree(table, version, moment=" after all")


def defaults(suite):
    """Old rows read the initial default, new ones the write default."""
    table = "t.a_defaults_v3"
    suite.create(table, SMALL, 3)
    suite.append(table, SMALL, 0, 20)
    for name, kind, value in (("n", "int not null", "7"), ("w", "string", "none"), ("a", "decimal(9,2)", "1.50"),
                              ("day", "date", "2026-01-02"), ("t", "timestamp", "2026-01-02T03:04:05.000006"), ("f", "double", "-0.5")):
        suite.frazil.run("alter", table, "add", "column", name, *kind.split(), f"--default={value}")
    suite.append(table, SMALL, 100, 10)
    suite.frazil.run("alter", table, "update", "column", "w", "--default", "other")
    suite.append(table, SMALL, 200, 10)
    suite.delete(table, "id in (3, 103, 203)")
    suite.check("old and new rows have their defaults", lambda: differ(
        [{"id": 1, "n": 7, "w": "none", "a": "1.50", "day": "2026-01-02"}, {"id": 201, "n": 7, "w": "other", "a": "1.50", "day": "2026-01-02"}],
        suite.frazil.rows(table, "--where", "id in (1, 201)", "--select", "id,n,w,a,day")))
    suite.all_agree(table, 3)


def upgraded(suite):
    """V1 to V2 to V3 by frazil; Spark deletes and updates after the last step, and agrees on row ids."""
    table = "t.a_upgraded"
    suite.create(table, SMALL, 1, "bucket(2, id)", ["write.delete.mode=merge-on-read", "write.update.mode=merge-on-read"])
    suite.append(table, SMALL, 0, 20)
    suite.frazil.run("alter", table, "add", "partition", "field", "truncate(2, s)")
    suite.append(table, SMALL, 20, 5)
    suite.frazil.run("alter", table, "drop", "partition", "field", "truncate(2, s)")
    suite.append(table, SMALL, 25, 5)
    suite.all_agree(table, 1, moment=" on V1")
    suite.frazil.run("upgrade", table, "--to", "2")
    suite.append(table, SMALL, 30, 20)
    suite.delete(table, "id in (1, 21, 31)")
    suite.all_agree(table, 2, moment=" on V2", without=[DUCKDB_NULL_NUMBERS])
    suite.frazil.run("upgrade", table, "--to", "3")
    suite.check("the table that was just upgraded reads equal rows", lambda: differ(
        suite.frazil.rows(table), suite.spark.rows(table)))
    suite.delete(table, "id in (2, 3, 22, 32)")
    suite.append(table, SMALL, 50, 10)
    suite.spark.sql(f"DELETE FROM default.{table} WHERE id IN (4, 23, 51)")
    suite.spark.sql(f"UPDATE default.{table} SET s = 'updated' WHERE id IN (5, 24, 52)")
    suite.delete(table, "id in (6, 25)", "--mode", "copy-on-write")
    suite.all_agree(table, 3, moment=" on V3", without=[DUCKDB_NULL_NUMBERS])


def upgraded_and_used_by_spark_first(suite):
    """The first snapshot of version 3 is Spark's."""
    table = "t.a_upgraded_spark"
    suite.create(table, SMALL, 2, "", ["write.delete.mode=merge-on-read"])
    suite.append(table, SMALL, 0, 20)
    suite.delete(table, "id in (1, 2)")
    suite.frazil.run("upgrade", table, "--to", "3")
    suite.spark.sql(f"DELETE FROM default.{table} WHERE id = 3")
    suite.append(table, SMALL, 20, 10)
    suite.delete(table, "id in (4, 21)")
    suite.all_agree(table, 3, without=[DUCKDB_NUMBERS_BEFORE_V3])


def published(suite, version):
    """Staged by one, published by the other; branches that go forward; main that goes back."""
    table = f"t.a_published_v{version}"
    name = f"default.{table}"
    suite.create(table, SMALL, version, "", ["write.wap.enabled=true"])
    suite.append(table, SMALL, 0, 10)
    suite.append(table, SMALL, 100, 5, "--wap-id", "ours")
    suite.append(table, SMALL, 10, 5)
    suite.spark.sql(f"CALL default.system.publish_changes('{table}', 'ours')")
    suite.check("Spark publishes what frazil staged", lambda: differ(suite.frazil.rows(table), suite.spark.rows(table)))
    suite.spark.sql("SET spark.wap.id=theirs")
    suite.spark.sql(f"INSERT INTO {name} VALUES (200, true, 1, 'spark')")
    suite.spark.sql("RESET spark.wap.id")
    suite.append(table, SMALL, 20, 5)
    suite.frazil.run("publish", table, "--wap-id", "theirs")
    suite.check("frazil publishes what Spark staged",
                lambda: "" if any(row["id"] == 200 for row in suite.spark.rows(table)) else "row 200 is not there")
    suite.frazil.run("branch", "create", table, "audit", "--retain", "7d", "--min-snapshots", "3", "--max-snapshot-age", "2d")
    suite.append(f"{table}@audit", SMALL, 300, 5)
    suite.delete(f"{table}@audit", "id in (3, 301)")
    suite.frazil.run("fast-forward", table, "main", "audit")
    snapshots = suite.frazil.snapshots(table)
    suite.frazil.run("tag", "create", table, "first", "--snapshot-id", str(snapshots[0]))
    suite.all_agree(table, version, moment=" after publishing")
    suite.frazil.run("rollback", table, "--snapshot-id", str(snapshots[0]))
    suite.check("after a rollback both read the first snapshot", lambda: differ(suite.frazil.rows(table), suite.spark.rows(table)))
    suite.frazil.run("set-current", table, "--ref", "audit")
    suite.spark.sql(f"INSERT INTO {name} VALUES (400, false, 2, 'after')")
    suite.check("both go on from the branch", lambda: differ(suite.frazil.rows(table), suite.spark.rows(table)))


def scenarios():
    for version in (1, 2, 3):
        yield f"frazil alters V{version} as Spark does", partial(as_spark_gives_them, version=version)
        yield f"frazil alters V{version} with rows", partial(evolved, version=version)
        yield f"frazil alters V{version} branches, stages and publishes", partial(published, version=version)
    yield "frazil alters V3 by defaults", defaults
    yield "frazil alters the version of a table", upgraded
    yield "frazil alters the version before Spark", upgraded_and_used_by_spark_first
