"""Rows that frazil updates, merges and overwrites, read by the others at every snapshot; on V3 with equal lineage."""
import json
from functools import partial

from compare import differ
from tables import COLUMNS, LINEAGE, PARTITIONS, SMALL


def source(suite, columns, numbers, shift):
    """A file of rows with the ids of NUMBERS and the values of later rows."""
    path = suite.warehouse / "source.jsonl"
    with open(path, "w") as out:
        for i in numbers:
            row = {name: value(i + shift) for name, _, value in columns}
            print(json.dumps({**row, "id": i}), file=out)
    return str(path)


def every_kind(suite, table, columns, mode):
    run = suite.frazil.run
    suite.append(table, columns, 0, 60)
    suite.append(table, columns, 60, 60)
    run("update", table, "--set", "id = id + 1000", "--where", "id in (3, 4, 61)", *mode)
    run("upsert", table, source(suite, columns, [1, 2, 62, 200, 201], 30), "--on", "id", *mode)
    run("update", table, "--set", "id = id * 1", "--where", "id between 10 and 20", *mode)
    run("merge", table, source(suite, columns, [10, 11, 63, 300], 7), "--on", "id", "--when-matched", "delete", "--and", "id < 11",
        "--when-matched", "update", "--when-not-matched", "insert", *mode)
    suite.delete(table, "id in (12, 13, 1003)", *mode)
    run("overwrite", table, source(suite, columns, [40, 41, 42], 1), "--where", "id between 40 and 50", *mode)
    run("merge", table, source(suite, columns, range(30, 110), 3), "--on", "id", "--when-not-matched-by-source", "delete", *mode)
    run("overwrite", table, source(suite, columns, [500, 501], 0), "--dynamic", *mode)


def of_frazil(suite, version, name, mode):
    table = f"t.r_{name}_{mode.replace('-', '_')}_v{version}"
    suite.create(table, COLUMNS, version, PARTITIONS[name])
    every_kind(suite, table, COLUMNS, ["--mode", mode])
    suite.all_agree(table, version)
    suite.frazil.run("truncate", table)
    suite.check("nothing is left", lambda: differ([], suite.spark.rows(table)))


def in_turns(suite, version):
    """Spark updates and merges between our changes of the same files."""
    table, columns, run = f"t.r_turns_v{version}", SMALL, suite.frazil.run
    spark = f"default.{table}"
    suite.create(table, columns, version, "bucket(2, id)", [f"write.{verb}.mode=merge-on-read" for verb in ("delete", "update", "merge")])
    suite.append(table, columns, 0, 40)
    run("update", table, "--set", "i = id + 1", "--where", "id < 10")
    suite.spark.sql(f"UPDATE {spark} SET i = id + 100 WHERE id BETWEEN 5 AND 15")
    run("upsert", table, source(suite, columns, [6, 7, 50], 2), "--on", "id")
    suite.spark.sql(f"MERGE INTO {spark} t USING (SELECT 7L AS id UNION SELECT 8L UNION SELECT 60L) s ON t.id = s.id "
                    "WHEN MATCHED AND t.id = 7 THEN DELETE WHEN MATCHED THEN UPDATE SET i = 7 "
                    "WHEN NOT MATCHED THEN INSERT (id, b, i, s) VALUES (s.id, true, 1, 'spark')")
    run("update", table, "--set", "i = coalesce(i, 0) * 2, s = upper(s) || '!'", "--where", "id in (8, 9, 60)", "--mode", "copy-on-write")
    suite.spark.sql(f"DELETE FROM {spark} WHERE id IN (9, 20)")
    run("update", table, "--set", "i = -1", "--where", "id between 8 and 21")
    suite.all_agree(table, version)


def upgraded(suite):
    """Rows of V2 that are updated on V3: ids come with the first commit of V3."""
    table, run = "t.r_upgraded", suite.frazil.run
    suite.create(table, SMALL, 2, "")
    suite.append(table, SMALL, 0, 20)
    suite.append(table, SMALL, 20, 20)
    suite.delete(table, "id in (1, 21)")
    suite.spark.sql(f"ALTER TABLE default.{table} SET TBLPROPERTIES ('format-version' = '3')")
    run("update", table, "--set", "i = 1", "--where", "id in (2, 3)")
    run("update", table, "--set", "i = 2", "--where", "id in (3, 4, 22)", "--mode", "copy-on-write")
    run("upsert", table, source(suite, SMALL, [5, 90], 3), "--on", "id")
    last = suite.frazil.snapshots(table)[-1]
    for peer, rows in (("Spark", lambda: suite.spark.rows(table, last, LINEAGE)),
                       ("DuckDB", lambda: suite.duckdb.rows(suite.frazil.metadata(table), last, LINEAGE))):
        suite.check(f"{peer} has equal lineage", lambda rows=rows: differ(suite.frazil.rows(table, "--select", ",".join(["*", *LINEAGE])), rows()))


def scenarios():
    for version in (2, 3):
        for mode in ("merge-on-read", "copy-on-write"):
            for name in ("plain", "days"):
                yield f"frazil changes rows of V{version} {name}, {mode}", partial(of_frazil, version=version, name=name, mode=mode)
        yield f"frazil and Spark change rows of V{version} in turns", partial(in_turns, version=version)
    yield "frazil changes rows of an upgraded table", upgraded
