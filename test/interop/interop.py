#!/usr/bin/env python3
"""Tables that frazil makes, read by PyIceberg, DuckDB and Spark; tables that these make or change, read by frazil.

Usage: interop.py FRAZIL PEERS [--only WORD] [--keep FOLDER]. Run by run.sh, with the Python of the peers' environment.
A peer that is missing or does not start fails the run. Prints one line a check and a summary; exits 1 on a failure.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "conformance")]
from plain import plain_row  # noqa: E402
from rows import difference  # noqa: E402

LINEAGE = ["_row_id", "_last_updated_sequence_number"]

# A column, its type in DDL, and values for row i. Every peer reads these.
COLUMNS = [
    ("id", "long not null", lambda i: i),
    ("b", "boolean", lambda i: [True, False, None][i % 3]),
    ("i", "int", lambda i: [None, -(2**31), 2**31 - 1, i][i % 4]),
    ("f", "float", lambda i: [None, 0.5, -1.25, i / 4][i % 4]),
    ("d", "double", lambda i: [None, 1e300, -0.125, i / 8][i % 4]),
    ("dec9", "decimal(9,2)", lambda i: [None, "-0.01", "9999999.99", f"{i}.50"][i % 4]),
    ("dec38", "decimal(38,10)", lambda i: [None, "-9999999999999999999999999999.9999999999", f"{i}.0000000001"][i % 3]),
    ("dt", "date", lambda i: [None, "1969-12-31", "2024-02-29", "2026-01-%02d" % (1 + i % 28)][i % 4]),
    ("ts", "timestamp", lambda i: [None, "1969-12-31T23:59:59.999999", "2026-01-%02dT10:00:00.000001" % (1 + i % 28)][i % 3]),
    ("tz", "timestamptz", lambda i: [None, "1970-01-01T00:00:00.000000Z", "2026-02-%02dT22:30:00.500000Z" % (1 + i % 28)][i % 3]),
    ("s", "string", lambda i: [None, "", "caf\u00e9 \U0001F600", f"name-{i}"][i % 4]),
    ("bin", "binary", lambda i: [None, "0x", "0x00ff%02x" % (i % 256)][i % 3]),
    ("st", "struct<x: int, y: string>", lambda i: [None, {"x": i, "y": None}, {"x": None, "y": f"y{i}"}][i % 3]),
    ("l", "list<int>", lambda i: [None, [], [1, None, i]][i % 3]),
    ("m", "map<string, long>", lambda i: [None, {}, {"a": i, "b": None}][i % 3]),
    ("ls", "list<struct<p: int, q: list<string>>>", lambda i: [None, [], [{"p": i, "q": ["q", None]}, None]][i % 3]),
]
UUID_COLUMN = ("u", "uuid", lambda i: [None, f"00000000-0000-4000-8000-{i:012x}"][i % 2])
FIXED_COLUMN = ("fx", "fixed(3)", lambda i: [None, "0x%06x" % i][i % 2])
TIME_COLUMN = ("tm", "time", lambda i: [None, "00:00:00.000000", "23:59:59.999999"][i % 3])

# Types that only Java's generic reader knows among the peers.
V3_COLUMNS = [
    COLUMNS[0], TIME_COLUMN, UUID_COLUMN, FIXED_COLUMN,
    ("tn", "timestamp_ns", lambda i: [None, "1969-12-31T23:59:59.999999999", "2026-01-02T03:04:05.%09d" % i][i % 3]),
    ("zn", "timestamptz_ns", lambda i: [None, "1970-01-01T00:00:00.000000001Z", "2026-01-02T03:04:05.%09dZ" % i][i % 3]),
    ("nothing", "unknown", lambda i: None),
]

PARTITIONS = {
    "plain": "",
    "days": "day(ts), bucket(4, id)",
    "text": "truncate(2, s), b",
    "months": "month(tz) as month_of_tz, dt",
}


class Failure(Exception):
    pass


class Frazil:
    def __init__(self, command, warehouse):
        self.command, self.environment = command, {**os.environ, "FRAZIL_WAREHOUSE": str(warehouse)}

    def run(self, *arguments):
        done = subprocess.run([self.command, *arguments], capture_output=True, text=True, env=self.environment)
        if done.returncode:
            raise Failure(f"frazil {' '.join(arguments)[:200]}: exit {done.returncode}: {done.stderr.strip()[:500]}")
        return done.stdout

    def rows(self, table, *options):
        return [json.loads(line) for line in self.run("scan", table, "--output", "jsonl", *options).splitlines()]

    def snapshots(self, table):
        lines = self.run("snapshots", table, "--output", "jsonl").splitlines()
        return [json.loads(line)["snapshot_id"] for line in lines]

    def metadata(self, table):
        return json.loads(self.run("describe", table, "--output", "json"))["metadata_location"]


class Spark:
    def __init__(self, peers, warehouse):
        jars = ",".join(sorted(str(path) for path in (peers / "jars").glob("*.jar")))
        self.process = subprocess.Popen(
            [str(peers / "spark" / "bin" / "python"), str(HERE / "spark_peer.py"), jars, str(warehouse)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(warehouse / "spark.log", "w"), text=True)
        hello = self.process.stdout.readline()
        if not hello:
            raise Failure(f"Spark does not start; see {warehouse}/spark.log")
        self.version = json.loads(hello)["version"]

    def ask(self, **question):
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise Failure("Spark died")
        result = json.loads(line)
        if "error" in result:
            raise Failure(f"Spark: {result['error'][:600]}")
        return result["rows"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class DuckDB:
    def rows(self, metadata, snapshot=None, select="*"):
        option = f", snapshot_from_id => {snapshot}" if snapshot else ""
        location = metadata.removeprefix("file://")
        sql = f"SELECT {select} FROM iceberg_scan('{location}'{option})"
        done = subprocess.run([sys.executable, str(HERE / "duckdb_peer.py")], input=json.dumps({"sql": sql}),
                              capture_output=True, text=True)
        if done.returncode:
            raise Failure(f"DuckDB: {done.stderr.strip().splitlines()[-1][:500] if done.stderr else done.returncode}")
        return json.loads(done.stdout)["rows"]


class Java:
    def __init__(self, peers):
        spark_jars = next((peers / "spark").glob("lib/python*/site-packages/pyspark/jars"))
        self.class_path = f"{peers}/jars/*:{spark_jars}/*"

    def rows(self, metadata, snapshot):
        done = subprocess.run(["java", "-cp", self.class_path, str(HERE / "JavaReader.java"), metadata.removeprefix("file://"),
                               str(snapshot)], capture_output=True, text=True)
        if done.returncode:
            raise Failure(f"Java: {done.stderr.strip()[-600:]}")
        return [json.loads(line) for line in done.stdout.splitlines()]


class PyIceberg:
    def __init__(self, warehouse):
        from pyiceberg.catalog import load_catalog

        self.catalog = load_catalog("default", type="sql", uri=f"sqlite:///{warehouse}/catalog.db",
                                    warehouse=f"file://{warehouse}")

    def rows(self, table, snapshot=None):
        scan = self.catalog.load_table(table).scan(snapshot_id=snapshot)
        return arrow_rows(scan.to_arrow())


def arrow_rows(table):
    """pyarrow gives maps as lists of pairs: told apart by type."""
    import pyarrow as pa

    def fix(value, kind):
        if value is None:
            return None
        if pa.types.is_map(kind):
            return {"$map": [[fix(key, kind.key_type), fix(item, kind.item_type)] for key, item in value]}
        if pa.types.is_struct(kind):
            return {field.name: fix(value[field.name], field.type) for field in kind}
        if pa.types.is_list(kind) or pa.types.is_large_list(kind):
            return [fix(item, kind.value_type) for item in value]
        return plain_row({"v": value})["v"]

    columns = {field.name: [fix(value, field.type) for value in table.column(field.name).to_pylist()]
               for field in table.schema}
    return [dict(zip(columns, values)) for values in zip(*columns.values())] if columns else []


class Suite:
    def __init__(self, options):
        self.options = options
        self.warehouse = Path(options.keep or tempfile.mkdtemp(prefix="frazil-interop-"))
        self.warehouse.mkdir(parents=True, exist_ok=True)
        self.frazil = Frazil(options.frazil, self.warehouse)
        self.frazil.run("create", "namespace", "t")
        self.pyiceberg = PyIceberg(self.warehouse)
        self.duckdb = DuckDB()
        self.java = Java(Path(options.peers))
        self.spark = Spark(Path(options.peers), self.warehouse)
        self.passed, self.failed = 0, []

    def check(self, name, body):
        if self.options.only and self.options.only not in name:
            return
        try:
            problem = body()
        except Failure as failure:
            problem = str(failure)
        except Exception as failure:  # a peer's own exception fails its check, not the suite
            problem = f"{type(failure).__name__}: {str(failure)[:500]}"
        if problem:
            self.failed.append(f"{name}: {problem}")
        else:
            self.passed += 1
        print(f"{'FAILED' if problem else 'ok'} {name}{': ' + problem[:700] if problem else ''}", flush=True)

    def make_rows(self, columns, first, count):
        return [{name: value(i) for name, _, value in columns} for i in range(first, first + count)]

    def append(self, table, columns, first, count):
        path = self.warehouse / "input.jsonl"
        with open(path, "w") as out:
            for row in self.make_rows(columns, first, count):
                print(json.dumps(row), file=out)
        self.frazil.run("append", table, str(path), "--quiet")

    def build(self, table, columns, partition, version):
        ddl = ", ".join(f"{name} {kind}" for name, kind, _ in columns)
        self.frazil.run("create", table, "--schema", ddl, "--format-version", str(version),
                        *(["--partition", partition] if partition else []))
        self.append(table, columns, 0, 60)
        self.append(table, columns, 60, 60)
        if version > 1:
            self.frazil.run("delete", table, "--where", "id in (1, 5, 61, 62, 119)")
            self.frazil.run("delete", table, "--where", "id between 30 and 40 or id = 7")
        self.append(table, columns, 120, 10)
        if version > 1:
            self.frazil.run("delete", table, "--where", "id = 125", "--mode", "copy-on-write")

    # What frazil makes, read by the others at every snapshot.
    def made_by_frazil(self):
        everyone = COLUMNS + [UUID_COLUMN, FIXED_COLUMN]
        for version in (1, 2, 3):
            for name, partition in PARTITIONS.items():
                table = f"t.f_{name}_v{version}"
                self.check(f"frazil makes {table}", lambda: self.build(table, everyone, partition, version))
                self.read_by_all(table, version)
        table = "t.f_time_v2"
        self.check(f"frazil makes {table}", lambda: self.build(table, [COLUMNS[0], TIME_COLUMN], "", 2))
        self.read_by_all(table, 2, spark=False)
        for name, partition in (("plain", ""), ("hours", "hour(tn), bucket(3, zn)")):
            table = f"t.f_types_{name}_v3"
            self.check(f"frazil makes {table}", lambda: self.build(table, V3_COLUMNS, partition, 3))
            self.check(f"{table} by Java", lambda: self.java_agrees(table))

    def java_agrees(self, table):
        snapshots = self.frazil.snapshots(table)
        for snapshot in (snapshots[0], snapshots[-1]):
            ours = self.frazil.rows(table, "--snapshot-id", str(snapshot))
            problem = difference(ours, self.java.rows(self.frazil.metadata(table), snapshot))
            if problem:
                return f"snapshot {snapshot}: {problem}"
        return ""

    def read_by_all(self, table, version, spark=True):
        try:
            snapshots = self.frazil.snapshots(table)
        except Failure as failure:
            self.failed.append(str(failure))
            return
        for number, snapshot in enumerate(snapshots):
            label = f"{table} snapshot {number + 1} of {len(snapshots)}"
            ours = self.frazil.rows(table, "--snapshot-id", str(snapshot))
            metadata = self.frazil.metadata(table)
            self.check(f"{label} by PyIceberg", lambda: difference(ours, self.pyiceberg.rows(table, snapshot)))
            self.check(f"{label} by DuckDB", lambda: difference(ours, self.duckdb.rows(metadata, snapshot)))
            if spark:
                self.check(f"{label} by Spark", lambda: difference(ours, self.spark_rows(table, snapshot)))
        if version == 3 and spark:
            ours = self.frazil.rows(table, "--select", "*," + ",".join(LINEAGE))
            self.check(f"{table} lineage by Spark", lambda: difference(ours, self.spark_rows(table, None, LINEAGE)))

    def spark_rows(self, table, snapshot=None, extra=()):
        columns = "*" + "".join(f", {name}" for name in extra)
        version = f" VERSION AS OF {snapshot}" if snapshot else ""
        return self.spark.ask(sql=f"SELECT {columns} FROM default.{table}{version}")

    def spark_agrees(self, table, version):
        extra = LINEAGE if version == 3 else []
        ours = self.frazil.rows(table, "--select", ",".join(["*", *extra]))
        return difference(self.spark_rows(table, None, extra), ours)

    # What the others append to and delete from our tables, and we go on.
    def changed_by_others(self):
        columns = COLUMNS[:3] + [COLUMNS[10]]
        for version in (2, 3):
            for name, partition in (("flat", ""), ("bucketed", "bucket(3, id)")):
                table = f"t.c_{name}_v{version}"
                self.check(f"{table} is made", lambda: self.build_small(table, columns, partition, version))
                self.check(f"Spark appends to {table}", lambda: self.spark_appends(table, version))
                self.check(f"Spark deletes from {table}", lambda: self.spark_deletes(table, version))
                self.check(f"frazil goes on with {table}", lambda: self.frazil_goes_on(table, columns, version))
                if version == 2:
                    self.check(f"PyIceberg appends to {table}", lambda: self.pyiceberg_appends(table))
                    self.check(f"frazil goes on with {table} again", lambda: self.frazil_goes_on(table, columns, version))

    def build_small(self, table, columns, partition, version):
        ddl = ", ".join(f"{name} {kind}" for name, kind, _ in columns)
        self.frazil.run("create", table, "--schema", ddl, "--format-version", str(version),
                        "--property", "write.delete.mode=merge-on-read", "--property", "write.delete.granularity=file",
                        *(["--partition", partition] if partition else []))
        self.append(table, columns, 0, 30)

    def spark_appends(self, table, version):
        self.spark.ask(sql=f"INSERT INTO default.{table} SELECT id + 1000, id % 2 = 0, CAST(id AS INT), concat('spark-', id) FROM range(20)")
        return self.spark_agrees(table, version)

    def spark_deletes(self, table, version):
        self.spark.ask(sql=f"DELETE FROM default.{table} WHERE id IN (3, 4, 1005) OR s = 'spark-9'")
        return self.spark_agrees(table, version)

    def frazil_goes_on(self, table, columns, version):
        self.append(table, columns, 2000, 10)
        self.frazil.run("delete", table, "--where", "id in (5, 1006, 2003)")
        return self.spark_agrees(table, version) or difference(
            self.pyiceberg.rows(table), self.frazil.rows(table))

    def pyiceberg_appends(self, table):
        import pyarrow as pa

        loaded = self.pyiceberg.catalog.load_table(table)
        schema = loaded.schema().as_arrow()
        loaded.append(pa.Table.from_pylist(
            [{"id": 3000 + i, "b": True, "i": i, "s": f"py-{i}"} for i in range(10)], schema=schema))
        return difference(self.pyiceberg.rows(table), self.frazil.rows(table))

    # What the others make from nothing.
    def made_by_others(self):
        for version in (2, 3):
            table = f"t.s_made_v{version}"
            self.check(f"Spark makes {table}", lambda: self.spark_makes(table, version))
            self.check(f"frazil goes on with {table}",
                       lambda: self.frazil_goes_on(table, COLUMNS[:3] + [COLUMNS[10]], version))
        table = "t.p_made_v2"
        self.check(f"PyIceberg makes {table}", lambda: self.pyiceberg_makes(table))
        self.check(f"frazil goes on with {table}", lambda: self.frazil_goes_on(table, COLUMNS[:3] + [COLUMNS[10]], 2))

    def spark_makes(self, table, version):
        self.spark.ask(sql=f"CREATE TABLE default.{table} (id BIGINT NOT NULL, b BOOLEAN, i INT, s STRING) USING iceberg "
                           f"PARTITIONED BY (bucket(2, id)) TBLPROPERTIES ('format-version'='{version}', "
                           "'write.delete.mode'='merge-on-read', 'write.update.mode'='merge-on-read')")
        self.spark.ask(sql=f"INSERT INTO default.{table} SELECT id, true, CAST(id AS INT), concat('s', id) FROM range(50)")
        self.spark.ask(sql=f"DELETE FROM default.{table} WHERE id % 7 = 0")
        self.spark.ask(sql=f"UPDATE default.{table} SET s = 'updated' WHERE id IN (8, 9)")
        return self.spark_agrees(table, version)

    def pyiceberg_makes(self, table):
        import pyarrow as pa

        schema = pa.schema([pa.field("id", pa.int64(), nullable=False), ("b", pa.bool_()), ("i", pa.int32()), ("s", pa.string())])
        made = self.pyiceberg.catalog.create_table(table, schema=schema)
        made.append(pa.Table.from_pylist([{"id": i, "b": True, "i": i, "s": f"p{i}"} for i in range(50)], schema=schema))
        made.delete("id < 10")
        return difference(self.pyiceberg.rows(table), self.frazil.rows(table))

    def run(self):
        print(f"peers: PyIceberg, DuckDB, Spark {self.spark.version}; warehouse {self.warehouse}")
        self.made_by_frazil()
        self.changed_by_others()
        self.made_by_others()
        self.spark.close()
        print(f"{self.passed} checks passed, {len(self.failed)} failed")
        for failure in self.failed:
            print(f"failed: {failure[:1500]}")
        if not self.options.keep and not self.failed:
            shutil.rmtree(self.warehouse)
        return 1 if self.failed else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("frazil")
    parser.add_argument("peers")
    parser.add_argument("--only")
    parser.add_argument("--keep")
    options = parser.parse_args()
    options.frazil = os.path.abspath(options.frazil)
    return Suite(options).run()


if __name__ == "__main__":
    sys.exit(main())
