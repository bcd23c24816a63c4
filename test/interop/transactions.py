"""Several operations that frazil commits as one, read by the others at every snapshot; also when Spark commits in between."""
import json
import subprocess
import threading
from functools import partial

from row_changes import source
from tables import SMALL


def rows_file(suite, name, columns, first, count):
    path = suite.warehouse / name
    with open(path, "w") as out:
        for i in range(first, first + count):
            print(json.dumps({name: value(i) for name, _, value in columns}), file=out)
    return str(path)


def script(suite, table, last):
    """Five changes of rows and one of the schema; the last append reads LAST."""
    return f"""
append {table} {rows_file(suite, "new.jsonl", SMALL, 60, 20)} --format jsonl
delete {table} --where 'id in (1, 2, 61)'
update {table} --set "i = id + 1000, s = upper(s) || '!'" --where 'id between 5 and 10'
upsert {table} {source(suite, SMALL, [7, 20, 200, 201], 30)} --on id
append {table} {last} --format jsonl
alter {table} add column note string
"""


def check_all(suite, table, version, snapshots, entries):
    made, logged = len(suite.frazil.snapshots(table)), len(suite.frazil.lines("history", table))
    suite.check("every operation is a snapshot, and one entry in the snapshot log",
                lambda: "" if (made, logged) == (snapshots, entries) else f"{made} snapshots, {logged} entries")
    suite.all_agree(table, version)
    suite.metadata_agrees(table)


def start(suite, name, version, partition):
    table = f"t.x_{name}_v{version}"
    suite.create(table, SMALL, version, partition)
    suite.append(table, SMALL, 0, 40)
    suite.append(table, SMALL, 40, 20)
    return table


def alone(suite, version, partition):
    table = start(suite, "alone" if partition else "alone_plain", version, partition)
    path = suite.warehouse / "script.frz"
    path.write_text(script(suite, table, rows_file(suite, "last.jsonl", SMALL, 300, 5)))
    suite.frazil.run("batch", str(path))
    check_all(suite, table, version, 7, 3)
    suite.frazil.run("update", table, "--set", "note = 'after'", "--where", "id > 100")
    suite.all_agree(table, version, moment=" after an update of its rows")


def with_spark(suite, version):
    """Spark commits while the script waits for its last rows: all operations are made again on Spark's version."""
    table, path = start(suite, "with_spark", version, "bucket(2, id)"), suite.warehouse / "script.frz"
    path.write_text(script(suite, table, "-"))
    running = subprocess.Popen([suite.frazil.command, "batch", str(path)], env=suite.frazil.environment, text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    watchdog = threading.Timer(120, running.kill)
    watchdog.start()
    staged = [running.stderr.readline() for _ in range(4)]  # a note for each statement before the last append
    suite.check("four operations are staged", lambda: "" if all(": snapshot " in note for note in staged) else str(staged))
    suite.spark.sql(f"INSERT INTO default.{table} VALUES (900L, true, 9, 'spark'), (901L, false, 9, 'spark')")
    with open(rows_file(suite, "last.jsonl", SMALL, 300, 5)) as last:
        out, err = running.communicate(last.read(), timeout=120)
    watchdog.cancel()
    suite.check("the script is committed", lambda: "" if running.returncode == 0 else f"exit {running.returncode}: {err}")
    suite.check("its first snapshot comes after Spark's", lambda: "" if "sequence number 4," in out else out)
    check_all(suite, table, version, 8, 4)


def scenarios():
    for version in (2, 3):
        for partition in ("", "bucket(2, id)"):
            yield f"transaction v{version}{' partitioned' if partition else ''}", partial(alone, version=version, partition=partition)
        yield f"transaction v{version} with Spark in between", partial(with_spark, version=version)
