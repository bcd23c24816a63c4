"""Random histories of sixty operations by frazil and Spark in turns, from V1, V2 and V3, with the upgrades in the middle: after each, frazil agrees
with a model in plain Python (history.py); at ten points PyIceberg, DuckDB and Spark do, by every branch and tag, and Spark shows equal metadata
tables of files, snapshots and partitions."""
import json
from functools import partial

import metadata_tables
from compare import differ
from history import LINEAGE, OPERATIONS, History
from model import shown_rows
from peers import Failure
from suite import DUCKDB_LIKE_VECTORS

POINTS = 10
TABLES = ("files", "snapshots", "partitions")
DUCKDB_NULL_NUMBERS = ("DuckDB 1.5.5 refuses manifests of V1, which have no sequence numbers: readers take these for 0 (spec \"Sequence Number "
                       "Inheritance\")")
DUCKDB_NUMBERS_BEFORE_V3 = "DuckDB 1.5.5 gives _last_updated_sequence_number for snapshots from before the upgrade to V3, where it is null"

PYICEBERG_EQUALITY = "PyIceberg 0.12 reads no equality deletes"


def by_spark(suite, history, ref, lineage):
    got = suite.spark.rows(history.table, None if ref == "main" else ref, lineage)
    return differ(history.expected(ref, bool(lineage)), got)


def by_snapshot(history, ref, lineage):
    """(snapshot id or None, rows): main as it is, others with the schema of their snapshot, which is how these peers read one."""
    snapshot = history.model.head(ref)
    if ref == "main":
        return None, shown_rows(snapshot, history.model.schema, lineage)
    return snapshot.id, shown_rows(snapshot, snapshot.schema, lineage)


def by_duckdb(suite, history, ref, lineage):
    snapshot = history.model.head(ref)
    if lineage and not snapshot.lineage:
        suite.allow(DUCKDB_NUMBERS_BEFORE_V3)
        lineage = []
    at, want = by_snapshot(history, ref, bool(lineage))
    try:
        problem = differ(want, suite.duckdb.rows(suite.frazil.metadata(history.table), at, lineage))
    except Failure as failure:
        if "sequence_number" not in str(failure) or not history.born_v1:
            raise
        suite.allow(DUCKDB_NULL_NUMBERS)
        return ""
    if problem and history.model.version == 3 and suite.vectors_alike(history.table, snapshot.id):
        suite.allow(DUCKDB_LIKE_VECTORS)
        return ""
    return problem


def by_pyiceberg(suite, history, ref, lineage):
    written = next(each for each in history.metadata["snapshots"] if each["snapshot-id"] == history.model.head(ref).id)
    if written["summary"].get("total-equality-deletes", "0") != "0":
        suite.allow(PYICEBERG_EQUALITY)
        return ""
    at, want = by_snapshot(history, ref, False)
    return differ(want, suite.pyiceberg.rows(history.table, at))


def metadata_agrees(suite, history):
    for table in TABLES:
        problem = metadata_tables.differ(table, suite.frazil.lines(table, history.table),
                                         suite.spark.sql(f"SELECT * FROM default.{history.table}.{table}"))
        if problem:
            return problem
    return ""


def peers_agree(suite, history, moment):
    lineage = LINEAGE if history.model.version == 3 else []
    for name, reads in (("Spark", by_spark), ("DuckDB", by_duckdb), ("PyIceberg", by_pyiceberg)):
        def every_ref(reads=reads):
            for ref in sorted(history.model.refs):
                problem = reads(suite, history, ref, lineage)
                if problem:
                    return f"{ref}: {problem}"
            return ""
        suite.check(f"{name} reads every branch and tag as the model {moment}", every_ref)
    suite.check(f"Spark shows equal metadata tables {moment}", lambda: metadata_agrees(suite, history))


def whole(suite, seed, start):
    history = History(suite.frazil, suite.warehouse, seed, start, suite.spark)
    for number in range(OPERATIONS):
        history.step()
        if (number + 1) % (OPERATIONS // POINTS) == 0:
            history.checkpoint()
            peers_agree(suite, history, f"after {number + 1} operations")
    suite.check(f"the model agrees after each of {OPERATIONS} operations", lambda: "")
    print(f"operations of {history.name}: {json.dumps(history.counted())}", flush=True)
    history.close()


def scenarios():
    for seed in range(6):
        start = 1 + seed % 3
        yield f"history {seed} from V{start}", partial(whole, seed=seed, start=start)
