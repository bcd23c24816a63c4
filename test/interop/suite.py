"""What every scenario of the suite uses: the peers, the checks, and making tables with frazil."""
import json

import metadata_tables
from compare import differ
from peers import DuckDB, Failure, Frazil, Java, PyIceberg, Spark
from tables import FILTERS, LINEAGE

# Faults of peers, each of which the comparison allows for, by name.
PYICEBERG_NULL_LISTS = ("PyIceberg 0.12 reads a null list or map of structs as an empty one (it rebuilds such lists from their "
                        "offsets without the validity, ArrowProjectionVisitor.list and .map)")
EMPTY_OF_STRUCTS = {"ls": [], "ms": {"$map": []}}
PYICEBERG_NULL_PARTITIONS = "PyIceberg 0.12 compares a null partition value with the literal of < (ResidualVisitor.visit_less_than), a TypeError"
DUCKDB_LIKE_VECTORS = ("DuckDB 1.5.5 applies to a data file the vector of another one, where two of a Puffin file have one size and one "
                       "number of positions")


class Suite:
    def __init__(self, frazil, peers, warehouse):
        self.warehouse = warehouse
        self.frazil = Frazil(frazil, warehouse)
        self.frazil.run("create", "namespace", "t")
        self.pyiceberg = PyIceberg(warehouse)
        self.duckdb = DuckDB(warehouse)
        self.java = Java(peers, warehouse)
        self.spark = Spark(peers, warehouse)
        self.peers = [self.pyiceberg, self.duckdb, self.java, self.spark]
        self.passed, self.failed, self.allowed = 0, [], {}

    def close(self):
        for server in (self.spark, self.java, self.duckdb):
            server.close()

    def report(self, seconds):
        for fault, checks in self.allowed.items():
            print(f"allowed for in {checks} checks: {fault}")
        for failure in self.failed:
            print(f"failed: {failure}")
        print(f"{self.passed} checks passed, {len(self.failed)} failed, {seconds:.0f} s")

    def scenario(self, name, body):
        """Steps build on each other: the first that cannot be done ends its scenario."""
        self.name = name
        try:
            body(self)
        except Exception as problem:  # a peer's own exception fails its scenario, not the suite
            self.outcome("all steps can be done", f"{type(problem).__name__}: {str(problem)[:900]}")

    def outcome(self, what, problem):
        if problem:
            self.failed.append(f"{self.name}: {what}: {problem}")
        else:
            self.passed += 1
        print(f"{'FAILED' if problem else 'ok'} {self.name}: {what}{': ' + problem[:900] if problem else ''}", flush=True)

    def check(self, what, body):
        try:
            problem = body()
        except Exception as failure:
            problem = f"{type(failure).__name__}: {str(failure)[:600]}"
        self.outcome(what, problem)

    # Making tables.

    def create(self, table, columns, version, partition="", properties=(), more=""):
        ddl = ", ".join(f"{name} {kind}" for name, kind, _ in columns) + more
        options = [word for entry in properties for word in ("--property", entry)]
        self.frazil.run("create", table, "--schema", ddl, "--format-version", str(version), *options,
                        *(["--partition", partition] if partition else []))

    def append(self, table, columns, first, count, *options):
        path = self.warehouse / "input.jsonl"
        with open(path, "w") as out:
            for i in range(first, first + count):
                print(json.dumps({name: value(i) for name, _, value in columns}), file=out)
        self.frazil.run("append", table, str(path), "--quiet", *options)

    def delete(self, table, where, *options):
        self.frazil.run("delete", table, "--where", where, *options)

    # Comparing.

    def at_each_snapshot(self, table, theirs, extra=(), allowance=None, excuse=None):
        """THEIRS(snapshot) against frazil at every snapshot of the table; EXCUSE(table, snapshot) tells where a known fault shows."""
        for number, snapshot in enumerate(self.frazil.snapshots(table), 1):
            select = ["--select", ",".join(["*", *extra])] if extra else []
            ours = self.frazil.rows(table, "--snapshot-id", str(snapshot), *select)
            rows = theirs(snapshot)
            problem = differ(allowance(ours), allowance(rows)) if allowance else differ(ours, rows)
            if problem and excuse and excuse(table, snapshot):
                self.allow(DUCKDB_LIKE_VECTORS)
            elif problem:
                return f"snapshot {number}, {snapshot}: {problem}"
        return ""

    def allow(self, fault):
        self.allowed[fault] = self.allowed.get(fault, 0) + 1

    def vectors_alike(self, table, snapshot=None):
        """See DUCKDB_LIKE_VECTORS."""
        at = ["--snapshot-id", str(snapshot)] if snapshot else []
        alike = [(row["file_path"], row["content_size_in_bytes"], row["record_count"])
                 for row in self.frazil.lines("delete-files", table, *at) if row["content_size_in_bytes"]]
        return len(set(alike)) < len(alike)

    def null_lists_are_empty(self, rows):
        """See PYICEBERG_NULL_LISTS."""
        if any(name in row and row[name] is None for row in rows for name in EMPTY_OF_STRUCTS):
            self.allow(PYICEBERG_NULL_LISTS)
        return [{name: value or EMPTY_OF_STRUCTS[name] if name in EMPTY_OF_STRUCTS else value for name, value in row.items()}
                for row in rows]

    def all_agree(self, table, version, without=(), moment=""):
        """Every peer reads equal rows at every snapshot; on V3, equal lineage."""
        lineage = LINEAGE if version == 3 else []
        metadata = self.frazil.metadata(table)
        readers = {
            "PyIceberg": lambda: self.at_each_snapshot(table, lambda s: self.pyiceberg.rows(table, s), (), self.null_lists_are_empty),
            "DuckDB": lambda: self.at_each_snapshot(table, lambda s: self.duckdb.rows(metadata, s, lineage), lineage,
                                                    excuse=self.vectors_alike if version == 3 else None),
            "Spark": lambda: self.at_each_snapshot(table, lambda s: self.spark.rows(table, s, lineage), lineage),
            "Java": lambda: self.at_each_snapshot(table, lambda s: self.java.rows(metadata, s)),
        }
        for peer, body in readers.items():
            if peer not in without:
                self.check(f"{peer} reads equal rows at every snapshot{moment}", body)
        self.check(f"counters of the last snapshot are true{moment}", lambda: self.counters(table, version))

    def counters(self, table, version):
        """Files and rows by the summary; rows net of deletes on V3, where no position is deleted twice."""
        summary = self.frazil.lines("snapshots", table)[-1]["summary"]
        files, deletes = self.frazil.lines("data-files", table), self.frazil.lines("delete-files", table)
        want = {"total-data-files": len(files), "total-records": sum(row["record_count"] for row in files),
                "total-delete-files": len(deletes), "total-position-deletes": sum(row["record_count"] for row in deletes),
                "total-files-size": sum(row["file_size_in_bytes"] for row in files)
                + sum(row["content_size_in_bytes"] or row["file_size_in_bytes"] for row in deletes)}
        wrong = {name: (summary.get(name), value) for name, value in want.items() if summary.get(name) != str(value)}
        rows = len(self.frazil.rows(table, "--select", "id"))
        if version == 3 and want["total-records"] - want["total-position-deletes"] != rows:
            wrong["rows"] = (want["total-records"] - want["total-position-deletes"], rows)
        return f"summary and truth: {wrong}" if wrong else ""

    def metadata_agrees(self, table):
        self.check("Spark shows equal metadata tables", lambda: metadata_tables.agree(self, table))

    def filters_agree(self, table):
        """Spark and PyIceberg prune by our bounds and partition values."""
        for ours, sparks, pyicebergs in FILTERS:
            want = self.frazil.rows(table, "--where", ours)
            if sparks:
                problem = differ(want, self.spark.rows(table, where=sparks))
                if problem:
                    return f"{ours} by Spark: {problem}"
            if pyicebergs:
                rows = self.pyiceberg.rows(table, where=pyicebergs)
                problem = differ(self.null_lists_are_empty(want), self.null_lists_are_empty(rows))
                if problem:
                    return f"{ours} by PyIceberg: {problem}"
            everything = self.frazil.rows(table)
            if not want or len(want) == len(everything):
                return f"{ours} selects {len(want)} of {len(everything)} rows: it proves nothing"
        return ""


__all__ = ["DUCKDB_LIKE_VECTORS", "Failure", "PYICEBERG_NULL_PARTITIONS", "Suite"]
