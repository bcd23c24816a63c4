"""One table's life in random operations, each made by frazil or by Spark and by the model; after each the two are compared.

A history is what its seed says: the same seed gives the same operations, whatever the peers do. Its shell commands are in NAME.log beside the
warehouse. The operations are in history_rows.py and history_shape.py.
"""
import gzip
import json
import random
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

import history_inputs
import history_rows
import history_shape
from model import Field, Model, account, json_field, same, shown_rows, without_comments
from model_filters import KINDS, random_filter
from peers import Failure

LINEAGE = ["_row_id", "_last_updated_sequence_number"]
OPERATIONS = 60


def names(fields):
    """Of columns, with those within."""
    return [(field.name, names(field.fields or ())) for field in fields]


class Difference(Exception):
    """frazil and the model disagree."""


class History:
    def __init__(self, frazil, warehouse, seed, start, spark=None):
        """START is the first format version; SPARK, where there is one, makes a share of the changes."""
        self.frazil, self.warehouse, self.spark = frazil, Path(warehouse), spark
        self.random, self.table = random.Random(seed), f"t.h_{seed}_v{start}"
        self.name = f"seed {seed} from V{start}"
        self.serial, self.told, self.done = 0, [], []
        self.log = open(self.warehouse / f"{self.table}.log", "w")
        self.born_v1 = start == 1
        self.deep = ["--deep"] if "--deep" in frazil.run("verify", "--help") else []
        self.create(start)
        first = self.random.randrange(8, 16)
        self.upgrades = [first + 12 * i + self.random.randrange(6) for i in range(3 - start)]

    def create(self, version):
        kinds = self.random.sample(KINDS, 5)
        fields = [Field(1, "id", "long", required=True), *(Field(2 + i, self.new_name("c"), kind) for i, kind in enumerate(kinds)),
                  Field(7, "st", "struct", fields=(Field(8, "x", "int"), Field(9, "y", "string")))]
        ddl = ", ".join(f"{f.name} {f.kind}{' not null' if f.required else ''}" for f in fields[:-1])
        properties = {"write.parquet.page-row-limit": "7"}
        self.model = Model(version, tuple(fields), properties)
        self.command(["create", self.table, "--schema", f"{ddl}, st struct<x: int, y: string>", "--format-version", str(version),
                      *(word for key, value in properties.items() for word in ("--property", f"{key}={value}"))])
        self.metadata = self.load()
        if self.random.random() < 0.6:
            history_shape.add_partition(self)

    def new_name(self, letter):
        self.serial += 1
        return f"{letter}{self.serial}"

    def counted(self):
        """How often each operation was done."""
        return {name: self.done.count(name) for name in sorted(set(self.done))}

    def close(self):
        self.log.close()

    # Asking.

    def command(self, words, stdin=None):
        print("frazil", shlex.join(words), f"< {stdin}" if stdin else "", file=self.log, flush=True)
        self.told.append(shlex.join(words))
        return self.frazil.run(*words, stdin=stdin)

    def refused(self, words):
        """A command that must fail, and change nothing."""
        try:
            self.command(words)
        except Failure:
            self.check("a refusal changes nothing", self.shape())
        else:
            raise Difference(f"not refused: {shlex.join(words)}")

    def sql(self, text):
        print("spark", text, file=self.log, flush=True)
        self.told.append(text)
        return self.spark.sql(text)

    def load(self):
        """The metadata that the catalog points to."""
        with closing(sqlite3.connect(self.warehouse / "catalog.db")) as catalog:
            path, = catalog.execute("SELECT metadata_location FROM iceberg_tables WHERE table_namespace || '.' || table_name = ?", [self.table]).fetchone()
        path = path.removeprefix("file://").removeprefix("file:")
        with (gzip.open if ".gz." in path else open)(path, "rt") as file:
            return json.load(file)

    def scan(self, target, lineage, *options):
        select = ["--select", ",".join(["*", *LINEAGE])] if lineage else []
        return self.frazil.rows(target, *select, *options)

    def check(self, what, problem):
        if problem:
            raise Difference(f"{self.name}, operation {len(self.done)} ({'; '.join(self.told[-2:])}): {what}: {problem}")

    def by_spark(self, sql):
        return bool(sql and self.spark and self.random.random() < 0.35)

    def spark_finds(self, branch):
        """Whether Spark finds the table's columns in a branch: it plans a write by the schema of the branch's head, with the names of then."""
        head = self.model.head(branch)
        return branch == "main" or not head or names(head.schema) == names(self.model.schema)

    def spark_name(self, branch="main"):
        return f"default.{self.table}" + ("" if branch == "main" else f".branch_{branch}")

    # Operations that make a snapshot.

    def mode(self):
        chosen = self.random.choice([[], ["--mode", "merge-on-read"], ["--mode", "copy-on-write"]])
        return chosen if self.model.version > 1 else []

    def target(self, branch):
        return self.table if branch == "main" else f"{self.table}@{branch}"

    def write(self, words, change, branch="main", sql=None, wap=None, stdin=None):
        """WORDS are a verb and what stands behind the table; SQL is what Spark may be told instead; STDIN a file."""
        before = self.metadata
        spark = self.by_spark(sql if self.spark_finds(branch) else None) if words else True
        if spark:
            self.sql(sql)
        else:
            self.command([words[0], self.target(branch), *words[1:], *(["--wap-id", wap] if wap else []), "--quiet"], stdin)
        self.metadata = self.load()
        parent = self.model.head(branch) or self.model.head()
        new = [snapshot for snapshot in self.metadata["snapshots"] if snapshot["snapshot-id"] not in self.model.snapshots]
        if not new:
            self.check("a change without a snapshot", "" if same(change, parent.rows if parent else ()) else f"{len(change.updated)} rows "
                       f"were to be updated, {len(change.inserted)} inserted, {len(change.kept)} kept")
            return
        self.check("number of snapshots", "" if len(new) == 1 else str(len(new)))
        self.check("nothing changed", "there is a snapshot" if not spark and same(change, parent.rows if parent else ()) else "")
        self.after(self.take(new[0], parent, change, before.get("next-row-id")))
        if wap:
            self.model.staged[wap] = new[0]["snapshot-id"]
        else:
            self.model.refs[branch] = "branch", new[0]["snapshot-id"]

    def take(self, written, parent, change, next_row_id):
        """Compares a new snapshot with the model, which has it then. The next row id behind it; None before version 3."""
        lineage = self.model.version == 3
        observed = self.scan(self.table, lineage, "--snapshot-id", str(written["snapshot-id"]))
        self.check("the snapshot", self.model.add(written, parent, change, observed, next_row_id))
        return written["first-row-id"] + written["added-rows"] if lineage else None

    def after(self, next_row_id):
        got = self.metadata.get("next-row-id")
        self.check("next-row-id", "" if next_row_id is None or got == next_row_id else f"{got}, want {next_row_id}")

    def batch(self, statements):
        """Statements, each words and a function from rows to their change, as one transaction on main."""
        script = self.warehouse / f"{self.table}-{self.new_name('s')}.frz"
        script.write_text("".join(shlex.join([words[0], self.table, *words[1:]]) + "\n" for words, _ in statements))
        next_row_id = self.metadata.get("next-row-id")
        self.command(["batch", str(script), "--quiet"])
        self.metadata = self.load()
        new = [snapshot for snapshot in self.metadata["snapshots"] if snapshot["snapshot-id"] not in self.model.snapshots]
        for _, changed in statements:
            parent = self.model.head()
            change = changed(parent.rows)
            if same(change, parent.rows):
                continue
            self.check("number of snapshots", "" if new else "too few")
            next_row_id = self.take(new[0], parent, change, next_row_id)
            self.model.refs["main"] = "branch", new.pop(0)["snapshot-id"]
        self.check("number of snapshots", f"{len(new)} too many" if new else "")
        self.after(next_row_id)

    # Operations that make none.

    def alter(self, words, sql=None):
        if self.by_spark(sql):
            self.sql(sql)
        else:
            self.command([*words, "--quiet"])
        self.metadata = self.load()
        new = [snapshot["snapshot-id"] for snapshot in self.metadata["snapshots"] if snapshot["snapshot-id"] not in self.model.snapshots]
        self.check("a change of metadata alone", f"it made snapshots {new}" if new else "")

    # Comparing.

    def shape(self):
        """Version, schema, partition spec, references and properties of metadata.json against the model's."""
        written, model = self.metadata, self.model
        schema = next(s for s in written["schemas"] if s["schema-id"] == written["current-schema-id"])["fields"]
        spec = next(s for s in written["partition-specs"] if s["spec-id"] == written["default-spec-id"])["fields"]
        refs = {name: (ref["type"], ref["snapshot-id"]) for name, ref in written.get("refs", {}).items()}
        for what, got, want in (
                ("format version", written["format-version"], model.version),
                ("schema", [without_comments(field) for field in schema], [json_field(field) for field in model.schema]),
                ("partition spec", [(field["source-id"], field["transform"]) for field in spec if field["transform"] != "void"], model.spec),
                ("references", refs, model.refs),
                ("current snapshot", written.get("current-snapshot-id"), model.refs["main"][1] if "main" in model.refs else None),
                ("properties", {key: written["properties"].get(key) for key in model.properties}, model.properties)):
            if got != want and not (what == "current snapshot" and want is None and got == -1):
                return f"{what} {got}, want {want}"
        return ""

    def expected(self, ref, lineage):
        return shown_rows(self.model.head(ref), self.model.schema_of(ref), lineage)

    def filter_agrees(self, ref):
        rows, lineage = self.model.rows(ref), self.model.version == 3
        asked = random_filter(self.random, self.model.schema_of(ref), rows)
        kept = [shown for shown, row in zip(self.expected(ref, lineage), rows) if asked.holds(row.values) is True]
        self.check(f"rows of {ref} where {asked.ours}", account(kept, self.scan(self.target(ref), lineage, "--where", asked.ours)))

    def agrees(self, ref):
        """A reference as frazil reads it."""
        lineage = self.model.version == 3
        rows = self.expected(ref, lineage)
        self.check(f"rows of {ref}", account(rows, self.scan(self.target(ref), lineage)))
        got = int(self.frazil.run("count", self.target(ref)))
        self.check(f"count of {ref}", "" if got == len(rows) else f"{got}, want {len(rows)}")

    def old_snapshots_agree(self, count):
        for snapshot in self.random.sample(sorted(self.model.snapshots), min(count, len(self.model.snapshots))):
            snapshot = self.model.snapshots[snapshot]
            rows = shown_rows(snapshot, snapshot.schema, self.model.version == 3)
            got = self.scan(self.table, self.model.version == 3, "--snapshot-id", str(snapshot.id))
            self.check(f"rows of snapshot {snapshot.id}", account(rows, got))

    def step(self):
        """One operation, and the comparison behind it."""
        self.told.clear()
        if len(self.done) in self.upgrades:
            self.done.append(history_shape.upgrade.__name__)
            history_shape.upgrade(self)
        else:
            choices = [*history_rows.CHOICES, *history_shape.CHOICES, *(history_rows.SPARK_CHOICES if self.spark else [])]
            weights = [weight if operation.__name__ in self.done else 5 * weight for weight, operation in choices]
            while not self.told:  # an operation that does not fit the table does nothing
                operation = self.random.choices([operation for _, operation in choices], weights)[0]
                self.done.append(operation.__name__)
                operation(self)
                if not self.told:
                    self.done.pop()
        self.check("the metadata", self.shape())
        self.filter_agrees(self.random.choice(sorted({"main", *self.model.refs})))

    def checkpoint(self):
        """Every reference, and some old snapshots."""
        for ref in sorted({"main", *self.model.refs}):
            self.agrees(ref)
        self.old_snapshots_agree(3)
        self.frazil.run("verify", self.table, *self.deep)

    def inputs(self, rows, several=False):
        return history_inputs.files(self, rows, several)
