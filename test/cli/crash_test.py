"""Every verb that commits, killed before one call after another that changes files (kill_point.c): the table is the one before or the
one after, sound and complete, no file of it was touched, and the verb can be run again. A sample of the calls; all with FRAZIL_SWEEP=all."""

import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import unittest

from command import CommandTest, main

SHIM = os.environ.get("FRAZIL_KILL_POINT", "")
ALL = os.environ.get("FRAZIL_SWEEP") == "all"
LATE = 4  # so many of the last calls are sampled for themselves: the swap is among them

NEW = "id,p,name\n3,0,x\n100,1,y\n101,7,z\n"
SCRIPT = """append a.t new.csv
update a.t --set "name = upper(name)" --where 'id >= 100'
delete a.t --where 'id = 2'
alter a.t add column n int
properties set a.t owner=me
"""


def verb(text, versions=(2, 3)):
    return text, text.split(), versions


VERBS = [verb(*call) if isinstance(call, tuple) else verb(call) for call in (
    "append a.t new.csv", "append a.t new.csv --branch dev", "append a.t new.csv --wap-id w2", "append a.t new.csv --idempotency-key k",
    "delete a.t --where id=4 --mode merge-on-read", "delete a.t --where id=4 --mode copy-on-write",
    "update a.t --set name='u' --where id>=4 --mode merge-on-read", "update a.t --set name='u' --where id>=4 --mode copy-on-write",
    "merge a.t new.csv --on id --when-matched update --when-not-matched insert --mode merge-on-read",
    "merge a.t new.csv --on id --when-matched delete --mode copy-on-write", "upsert a.t new.csv --on id",
    "upsert a.t new.csv --on id,p --equality-deletes", "overwrite a.t new.csv --where id>=3",
    "overwrite a.t new.csv --dynamic", "truncate a.t", "alter a.t add column n int", "alter a.t drop column name",
    "alter a.t rename column name to title", "alter a.t add partition field bucket(4,id)", "alter a.t set sort id", "properties set a.t k=v",
    "properties remove a.t k0", ("upgrade a.t --to 3", (2,)), "branch create a.t b1", "branch replace a.t dev --retain 3d", "branch drop a.t dev",
    "tag create a.t v2", "fast-forward a.t old main", "rollback a.t --snapshot-id FIRST", "set-current a.t --ref dev",
    "cherry-pick a.t --snapshot-id STAGED", "publish a.t --wap-id w1", "add-files a.t rows.parquet", "register a.again OLD",
    "create a.new --schema id:long", "create a.new --from new.csv --with-rows", "create a.new --from-table a.t --where id>3",
    "batch script", "rename a.t a.moved", "drop table a.t")]


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@unittest.skipUnless(SHIM, "no library to preload")
class Crash(CommandTest):
    sound = False  # tables come and go with the folder; verified here

    def setUp(self):
        super().setUp()
        self.environment = {**self.environment, "LD_PRELOAD": SHIM, "ASAN_OPTIONS": "verify_asan_link_order=0"}

    def build(self, version):
        self.write("old.csv", "id,p,name\n" + "".join(f"{i},{i % 3},n{i}\n" for i in range(6)))
        self.write("more.csv", "id,p,name\n6,0,n6\n7,1,n7\n")
        self.write("new.csv", NEW)
        self.write("script", SCRIPT)
        table = ("--schema", "id long not null, p int, name string", "--partition", "p", "--format-version", version, "--property", "k0=v0")
        self.frazil("create", "a.t", *table)
        self.frazil("append", "a.t", "old.csv")
        self.frazil("branch", "create", "a.t", "old")
        self.frazil("append", "a.t", "more.csv", "--wap-id", "w1")
        self.frazil("append", "a.t", "more.csv")
        self.frazil("delete", "a.t", "--where", "id = 1")
        self.frazil("append", "a.t@dev", "more.csv")
        self.frazil("scan", "a.t", "--where", "id = 0", "--to", "rows.parquet")
        self.frazil("create", "a.gone", *table)
        self.frazil("append", "a.gone", "more.csv")
        snapshots = self.metadata("snapshots", "a.t")
        self.words = {"FIRST": snapshots[0]["snapshot_id"], "OLD": self.pointers()["a.gone"],
                      "STAGED": next(row["snapshot_id"] for row in snapshots if "wap.id" in str(row["summary"]))}
        self.frazil("drop", "table", "a.gone")

    def pointers(self):
        with sqlite3.connect(self.folder / "warehouse" / "catalog.db") as database:
            rows = database.execute("select table_namespace || '.' || table_name, metadata_location from iceberg_tables").fetchall()
        return {name: location.removeprefix("file://") for name, location in rows}

    def state(self, name, location):
        """What a table is, without the names, ids and times that each run makes anew."""
        metadata = json.loads(pathlib.Path(location).read_bytes())
        numbers = {snapshot["snapshot-id"]: snapshot["sequence-number"] for snapshot in metadata.get("snapshots", [])}
        snapshots = [(snapshot["sequence-number"], snapshot.get("first-row-id"), numbers.get(snapshot.get("parent-snapshot-id")),
                      *(snapshot["summary"].get(key) for key in ("operation", "wap.id", "total-records", "total-data-files", "total-delete-files")))
                     for snapshot in metadata.get("snapshots", [])]
        refs = {name: {**ref, "snapshot-id": numbers[ref["snapshot-id"]]} for name, ref in metadata.get("refs", {}).items()}
        kept = {key: metadata.get(key) for key in ("format-version", "schemas", "current-schema-id", "partition-specs", "default-spec-id",
                                                   "sort-orders", "default-sort-order-id", "properties", "last-sequence-number", "next-row-id")}
        lineage = ", _row_id, _last_updated_sequence_number" if metadata["format-version"] > 2 else ""
        rows = self.frazil("scan", name, "--select", "*" + lineage, "--output", "jsonl").out
        return kept, snapshots, refs, sorted(rows.splitlines())

    def states(self):
        return {name: self.state(name, location) for name, location in self.pointers().items()}

    def tables_are_sound(self, told):
        for name in self.pointers():
            done = self.run_raw("verify", name, "--deep")
            self.assertEqual(done.returncode, 0, (told, done.stdout.decode()[-3000:], done.stderr.decode()))

    def digests(self):
        return {name: digest(self.folder / "warehouse" / name) for name in self.files()}

    def restore(self):
        shutil.rmtree(self.folder / "warehouse")
        shutil.copytree(self.folder / "base", self.folder / "warehouse")

    def run_verb(self, words, at=0):
        words = [str(self.words.get(word, word)).replace("id:long", "id long") for word in words]
        environment = {**self.environment, "FRAZIL_KILL_AT": str(at), "FRAZIL_KILL_COUNT": str(self.folder / "count")}
        return self.run_raw(*words, env=environment)

    def kill_at(self, words, at, before, after):
        """The verb, killed before call `at`. Returns whether it had committed, and the files that nothing refers to."""
        told = f"{' '.join(words)}, killed at {at}"
        self.restore()
        done = self.run_verb(words, at)
        self.assertEqual(done.returncode, -signal.SIGKILL, told)
        now = self.digests()
        self.tables_are_sound(told)
        found = self.states()
        self.assertIn(found, (before, after), told)
        self.assertLessEqual(self.old.items(), now.items(), told)
        committed = found == after
        left = [] if committed else sorted(now.keys() - self.old.keys())
        again = self.run_raw(*[str(self.words.get(word, word)).replace("id:long", "id long") for word in words])
        if not committed:
            self.assertEqual(again.returncode, 0, (told, again.stderr))
            self.assertEqual(self.states(), after, told)
        else:
            self.assertIn(again.returncode, (0, 1, 2, 3, 4), (told, again.stderr))
        if ALL:
            self.tables_are_sound(told)
        return committed, left

    def points(self, words, count):
        if ALL:
            return range(1, count + 1)
        chance = random.Random(f"{count} {words}")
        return chance.randrange(1, count - LATE), chance.randrange(count - LATE, count + 1)

    def sweep(self, version):
        self.build(version)
        shutil.copytree(self.folder / "warehouse", self.folder / "base")
        self.old = self.digests()
        before = self.states()
        ends = set()
        for text, words, versions in VERBS:
            if version not in versions:
                continue
            self.restore()
            done = self.run_verb(words)
            self.assertEqual(done.returncode, 0, (text, done.stderr))
            after = self.states()
            self.assertNotEqual(before, after, text)
            count = int((self.folder / "count").read_text())
            most = []
            for at in self.points(words, count):
                committed, left = self.kill_at(words, at, before, after)
                ends.add(committed)
                most = max(most, left, key=len)
            print(f"V{version} {text}: {count} calls, at most {len(most)} files left behind")
        self.assertEqual(ends, {False, True})

    def test_format_version_2(self):
        self.sweep(2)

    def test_format_version_3(self):
        self.sweep(3)


if __name__ == "__main__":
    main()
