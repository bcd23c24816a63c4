"""frazil and its peers, each with one way of asking: rows of a table at a snapshot, in the plain form of plain.py."""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from plain import arrow_rows

HERE = Path(__file__).parent


class Failure(Exception):
    pass


# Commands that commit to the table of the argument behind their words.
COMMITS = [tuple(words.split()) for words in (
    "create", "append", "delete", "update", "merge", "upsert", "overwrite", "truncate", "add-files", "alter", "upgrade", "register",
    "properties set", "properties remove", "branch create", "branch replace", "branch drop", "tag create", "tag replace", "tag drop",
    "fast-forward", "rollback", "set-current", "cherry-pick", "publish")]
BATCHED = re.compile(r"^committed \d+ operations to (\S+)$|\"table\": \"([^\"]+)\"", re.M)  # in what `batch` prints, as text or JSON


class Frazil:
    """The command. Whatever table it has committed to is verified at once, with what others wrote to it before."""

    def __init__(self, command, warehouse):
        self.command, self.environment = command, {**os.environ, "FRAZIL_WAREHOUSE": str(warehouse)}

    def run(self, *arguments, stdin=None):
        with open(stdin or os.devnull) as given:
            done = subprocess.run([self.command, *arguments], stdin=given, capture_output=True, text=True, env=self.environment)
        if done.returncode:
            raise Failure(f"frazil {' '.join(arguments)[:200]}: exit {done.returncode}: {done.stderr.strip()[:500]}")
        head = next((head for head in COMMITS if arguments[:len(head)] == head), None)
        if head and arguments[:2] != ("create", "namespace") and "--help" not in arguments and "--dry-run" not in arguments:
            self.verify(arguments[len(head)].partition("@")[0])
        for table in {name for names in BATCHED.findall(done.stdout) for name in names if name} if arguments[0] == "batch" else ():
            self.verify(table)
        return done.stdout

    def verify(self, table):
        done = subprocess.run([self.command, "verify", table], capture_output=True, text=True, env=self.environment)
        if done.returncode:
            raise Failure(f"{table} is not sound: {(done.stdout + done.stderr).strip()[:500]}")

    def lines(self, *arguments):
        return [json.loads(line) for line in self.run(*arguments, "--output", "jsonl").splitlines()]

    def rows(self, table, *options):
        return self.lines("scan", table, *options)

    def snapshots(self, table):
        return [row["snapshot_id"] for row in self.lines("snapshots", table)]

    def metadata(self, table):
        location = json.loads(self.run("describe", table, "--output", "json"))["metadata_location"]
        return location.removeprefix("file://").removeprefix("file:")


class Server:
    """A child process that answers one line for each line; it is started again after it died."""

    def __init__(self, name, command, log):
        self.name, self.command, self.log = name, command, open(log, "w")
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True)
        hello = self.process.stdout.readline()
        if not hello:
            raise Failure(f"{self.name} does not start; see {self.log.name}")
        self.version = json.loads(hello)["version"]

    def ask(self, question):
        if self.process.poll() is not None:
            self.start()
        self.process.stdin.write(question + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            raise Failure(f"{self.name} died; see {self.log.name}")
        result = json.loads(line)
        if "error" in result:
            raise Failure(f"{self.name}: {result['error'][:600]}")
        return result["rows"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Spark(Server):
    def __init__(self, peers, warehouse):
        jars = ",".join(sorted(str(path) for path in (peers / "jars").glob("*.jar")))
        super().__init__("Spark", [str(peers / "spark" / "bin" / "python"), str(HERE / "spark_peer.py"), jars, str(warehouse)],
                         warehouse / "spark.log")

    def sql(self, text):
        return self.ask(json.dumps({"sql": text}))

    def add_column(self, table, name, kind, default):
        self.ask(json.dumps({"add_column": {"table": table, "name": name, "kind": kind, "default": default}}))

    def rows(self, table, snapshot=None, extra=(), where=""):
        columns = "*" + "".join(f", {name}" for name in extra)
        version = f" VERSION AS OF {snapshot!r}" if snapshot else ""
        return self.sql(f"SELECT {columns} FROM default.{table}{version}" + (f" WHERE {where}" if where else ""))


class DuckDB(Server):
    def __init__(self, warehouse):
        super().__init__("DuckDB", [sys.executable, str(HERE / "duckdb_peer.py")], warehouse / "duckdb.log")

    def rows(self, metadata, snapshot=None, extra=()):
        columns = "*" + "".join(f", {name}" for name in extra)
        option = f", snapshot_from_id => {snapshot}" if snapshot else ""
        return self.ask(json.dumps({"sql": f"SELECT {columns} FROM iceberg_scan('{metadata}'{option})"}))


class Java(Server):
    def __init__(self, peers, warehouse):
        spark_jars = next((peers / "spark").glob("lib/python*/site-packages/pyspark/jars"))
        super().__init__("Java", ["java", "-Xmx1g", "-Duser.timezone=UTC", "-cp", f"{peers}/jars/*:{spark_jars}/*",
                                  str(HERE / "JavaReader.java")], warehouse / "java.log")

    def rows(self, metadata, snapshot):
        return self.ask(f"{snapshot} {metadata}")


class PyIceberg:
    def __init__(self, warehouse):
        import pyiceberg
        from pyiceberg.catalog import load_catalog

        self.name, self.version = "PyIceberg", pyiceberg.__version__
        self.catalog = load_catalog("default", type="sql", uri=f"sqlite:///{warehouse}/catalog.db",
                                    warehouse=f"file://{warehouse}")

    def table(self, name):
        return self.catalog.load_table(name)

    def rows(self, name, snapshot=None, where=None):
        options = {"row_filter": where} if where else {}
        return arrow_rows(self.table(name).scan(snapshot_id=snapshot, **options).to_arrow())

    def arrow(self, name, rows):
        import pyarrow as pa

        return pa.Table.from_pylist(rows, schema=self.table(name).schema().as_arrow())

    def append(self, name, rows):
        self.table(name).append(self.arrow(name, rows))

    def overwrite(self, name, rows, where):
        self.table(name).overwrite(self.arrow(name, rows), where)
