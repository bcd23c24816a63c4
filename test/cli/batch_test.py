"""frazil batch: several statements as one commit."""

import os
import subprocess

from command import COMMITS, FRAZIL, CommandTest, main

SCRIPT = """# rows first
append a.t "new rows.csv"
delete a.t --where 'id = 1'; update a.t --set "name = upper(name) || '!'" \\
    --where "id >= 10"
alter a.t add column n int   # no default
properties set a.t owner=me
"""


# Statements that can be read, and fail when they are run: status and words.
WRONG = (
    ("append a.t missing.csv", 4, "missing.csv"), ("append a.t wrong.csv", 2, "wrong.csv"), ("append a.t@v1 'new rows.csv'", 2, "v1 is a tag"),
    ("add-files a.t missing.parquet", 4, "missing.parquet"), ("add-files a.t wrong.csv", 7, "wrong.csv"),
    ("delete a.t --where 'nope = 1'", 2, "nope"), ("delete a.t --where 'id = 1' --branch v1", 2, "v1 is a tag"),
    ("update a.t --set 'nope = 1'", 2, "no column nope"), ("update a.t --set 'id = id / 0'", 2, "zero"),
    ("merge a.t twice.csv --on id --when-matched update", 2, "more than once"), ("merge a.t 'new rows.csv' --on id --when-matched update --set 'id = id / 0'", 2, "zero"),
    ("upsert a.t twice.csv --on id", 2, "more than once"), ("upsert a.t 'new rows.csv' --on nope --equality-deletes", 2, "nope"),
    ("overwrite a.t 'new rows.csv' --where 'id < 5'", 2, "match"), ("overwrite a.t missing.csv --dynamic", 4, "missing.csv"),
    ("truncate a.t@v1", 2, "v1 is a tag"), ("upgrade a.t --to 2", 2, "2"),
    ("alter a.t add column id int", 2, "id"), ("alter a.t drop column nope", 2, "nope"), ("alter a.t rename column nope to x", 2, "nope"),
    ("alter a.t move column id --after nope", 2, "nope"), ("alter a.t update column id string", 2, "string"),
    ("alter a.t set identifier nope", 2, "nope"), ("alter a.t set sort nope", 2, "nope"), ("alter a.t add partition field day(name)", 2, "day"),
    ("alter a.t drop partition field nope", 2, "nope"), ("alter a.t replace partition field nope id", 2, "nope"),
    ("properties set a.t format-version=2", 2, "format-version"), ("properties remove a.nope k", 2, "a.nope"),
    ("branch create a.t main", 1, "main"), ("branch replace a.t nope --retain 1d", 4, "nope"), ("branch drop a.t main", 2, "main"),
    ("tag create a.t v2 --snapshot-id 7", 4, "7"), ("tag replace a.t nope --retain 1d", 4, "nope"), ("tag drop a.t nope", 4, "nope"),
    ("fast-forward a.t main nope", 4, "nope"), ("rollback a.t --snapshot-id 7", 4, "7"), ("set-current a.t --ref nope", 4, "nope"),
    ("cherry-pick a.t --snapshot-id 7", 4, "7"), ("publish a.t --wap-id nope", 4, "nope"),
    ("scan a.t --where 'nope = 1'", 2, "nope"), ("count a.t@nope", 4, "nope"), ("files a.t --where 'nope = 1'", 2, "nope"))


class Batch(CommandTest):
    def setUp(self):
        super().setUp()
        self.numbers("a.t", rows=3)
        self.write("new rows.csv", "id,name\n10,x\n11,y\n")

    def versions(self, table="a.t"):
        return self.metadata("metadata-log-entries", table)

    def test_statements_are_one_version_with_a_snapshot_each(self):
        self.write("script", SCRIPT)
        before, files = len(self.versions()), len(self.snapshot_ids("a.t"))
        result = self.frazil("batch", "script")
        self.assertRegex(result.out, r"\A2: append: snapshot \d+, sequence number 2, 2 added-records\n"
                                     r"3: delete: snapshot \d+, [^\n]*\n3: overwrite: snapshot \d+, [^\n]*\n"
                                     r"5: added column n int, field id 3\n6: set owner = me\n"
                                     r"committed 5 operations to a.t\n\Z")
        self.assertEqual((len(self.versions()), len(self.snapshot_ids("a.t"))), (before + 1, files + 3))
        self.assertEqual(len(self.metadata("history", "a.t")), 2)
        self.assertEqual(sorted(self.column("a.t", "name")), ["X!", "Y!", "n0", "n2"])
        self.assertEqual(self.frazil("properties", "get", "a.t", "owner").out, "owner=me\n")

    def test_json_is_one_report(self):
        self.write("script", SCRIPT)
        report = self.frazil("batch", "script", "--output", "json", "--quiet").json()
        self.assertTrue(report["committed"])
        self.assertEqual(len(report["transactions"]), 1)
        done = report["transactions"][0]
        self.assertEqual((done["table"], done["committed"]), ("a.t", True))
        self.assertEqual([(step["line"], step.get("operation")) for step in done["operations"]],
                         [(2, "append"), (3, "delete"), (3, "overwrite"), (5, None), (6, None)])
        self.assertEqual([step["snapshot_id"] for step in done["operations"][:3]], self.snapshot_ids("a.t")[1:])
        self.assertEqual(done["operations"][0]["statement"], 'append a.t "new rows.csv"')
        self.assertEqual(done["operations"][3]["changes"][0]["change"], "add-column")
        self.assertIn("metadata.json", done["metadata_location"])

    def test_reads_see_what_was_done_before(self):
        script = "append a.t 'new rows.csv'\ncount a.t\ndelete a.t --where 'id < 10'\nscan a.t --select id --output csv\ncount a.t@main\n"
        result = self.frazil("batch", "-", "--quiet", stdin=None, input=script.encode())
        self.assertTrue(result.out.startswith("5\nid\n10\n11\n2\n1: append"), result)
        self.assertEqual(self.count("a.t"), 2)

    def test_a_statement_that_fails_undoes_all(self):
        self.write("twice.csv", "id,name\n10,a\n10,b\n")
        self.write("wrong.csv", "id,name\n7,a\nx,b\n")
        self.frazil("tag", "create", "a.t", "v1")
        files, versions = self.files(), self.versions()
        for wrong, status, words in WRONG:
            with self.subTest(wrong):
                self.write("script", f"append a.t 'new rows.csv'\n\nupdate a.t --set \"name = 'u'\" --where 'id > 0'\n{wrong} ; count a.t\n")
                result = self.frazil("batch", "script", "--quiet", status=status)
                self.assertIn(f"frazil: script:4: {wrong}: ", result.err)
                self.assertIn(words, result.err.partition(f"{wrong}: ")[2])
                self.assertEqual((result.out, self.files(), self.versions()), ("", files, versions))
        self.assertEqual(sorted(self.column("a.t", "name")), ["n0", "n1", "n2"])

    def test_every_verb_that_commits_has_a_statement_that_fails(self):
        outside = {("create",), ("register",)}
        kinds = {head for head in COMMITS for wrong, _, _ in WRONG if tuple(wrong.split()[:len(head)]) == head}
        self.assertEqual(set(COMMITS) - kinds, outside)

    def interrupted(self, script, *other):
        """A script whose last statement appends a row with id 12; another writer comes before that is read. Its status and what it said."""
        os.mkfifo(self.folder / "slow.csv")
        self.write("script", script + "append a.t slow.csv --format csv\n")
        batch = subprocess.Popen([FRAZIL, "batch", "script", "--quiet"], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        with open(self.folder / "slow.csv", "w", encoding="utf-8") as slow:
            self.frazil(*other)
            slow.write("id,name\n12,z\n")
        out, err = batch.communicate(timeout=60)
        return batch.returncode, out, err

    def test_rows_of_the_script_keep_their_ids_when_others_commit_meanwhile(self):
        """Spec "Row Lineage": what the script added and then moved has the id that its own append gave it, settled by the commit."""
        script = ("append a.t 'new rows.csv'\nupdate a.t --set \"name = 'u'\" --where 'id >= 10' --mode merge-on-read\n"
                  "delete a.t --where 'id = 11' --mode copy-on-write\nupdate a.t --set \"name = 'v'\" --where 'id = 10' --mode copy-on-write\n")
        status, out, err = self.interrupted(script, "append", "a.t", "numbers.csv")
        self.assertEqual((status, out.splitlines()[-1]), (0, "committed 5 operations to a.t"), err)
        rows = sorted((row["_row_id"], row["id"], row["name"], row["_last_updated_sequence_number"])
                      for row in self.scan("a.t", "--select", "*, _row_id, _last_updated_sequence_number"))
        added = [row for row in rows if row[1] >= 10]
        self.assertEqual(rows[:6], [(0, 0, "n0", 1), (1, 1, "n1", 1), (2, 2, "n2", 1), (3, 0, "n0", 2), (4, 1, "n1", 2), (5, 2, "n2", 2)])
        self.assertEqual([(row[0], row[2], row[3]) for row in added if row[1] == 10], [(6, "v", 6)])
        self.assertEqual(len({row[0] for row in rows}), 8)
        appended = self.snapshot_ids("a.t")[2]
        self.assertEqual(self.column("a.t", "_row_id", "--snapshot-id", appended, "--where", "id = 10"), [6])
        self.frazil("verify", "a.t", "--deep")

    def test_a_conflict_names_the_line(self):
        files = len(self.files())
        script = "append a.t 'new rows.csv'\n\nupdate a.t --set \"name = 'u'\" --where 'id = 1'\n"
        status, out, err = self.interrupted(script, "delete", "a.t", "--where", "id = 1")
        self.assertEqual((status, out), (3, ""), err)
        self.assertIn("operation 2 of 3 (script:3: update a.t --set \"name = 'u'\" --where 'id = 1'): another commit deleted or changed rows", err)
        self.assertEqual(sorted(self.column("a.t", "id")), [0, 2])
        self.assertEqual(len(self.files()), files + 4)  # of the delete: vector, manifest, list, metadata

    def test_what_cannot_be_run_is_refused_before_the_first_statement(self):
        files = self.files()
        for wrong, words in (("drop table a.t", "drop table is no part of a transaction"), ("nosuch a.t", 'no command "nosuch"'),
                             ("append a.t", "append wants"), ("delete a.t --wehre x", "has no option --wehre"),
                             ("scan a.t --warehouse w", "is given to batch"), ("count warehouse/a", "as the catalog has them"),
                             ("delete a.t --where 'id", "the quote ' is not closed"), ("batch other", "batch is no part")):
            self.write("script", f"append a.t 'new rows.csv'\n{wrong}\n")
            error = self.fails(2, "batch", "script", "--quiet")
            self.assertIn("script:2: ", error)
            self.assertIn(words, error)
        self.assertEqual(self.files(), files)
        self.assertIn("standard input is the script", self.frazil("batch", "-", stdin=None, input=b"append a.t -", status=2).err)
        self.fails(4, "batch", "nofile")

    def test_dry_run_commits_nothing(self):
        files = self.files()
        self.write("script", SCRIPT)
        result = self.frazil("batch", "script", "--dry-run", "--quiet")
        self.assertIn("3: delete: snapshot ", result.out)
        self.assertTrue(result.out.endswith("nothing was committed\n"), result)
        report = self.frazil("batch", "script", "--dry-run", "--output", "json", "--quiet").json()
        self.assertEqual((report["committed"], report["transactions"][0]["committed"]), (False, False))
        self.assertEqual((self.files(), self.count("a.t")), (files, 3))

    def test_several_tables_are_refused_or_one_transaction_each(self):
        self.numbers("a.u", rows=1)
        files = self.files()
        self.write("script", "append a.t 'new rows.csv'\ncount a.u\nupdate a.u --set \"name = 'z'\"\ndelete a.t --where 'id < 10'\n")
        error = self.frazil("batch", "script", "--quiet", status=2).err
        self.assertIn("a transaction changes one table, here a.t: a.u would be committed on its own; --per-table does so", error)
        self.assertEqual(self.files(), files)
        result = self.frazil("batch", "script", "--per-table", "--quiet")
        self.assertTrue(result.out.endswith("committed 2 operations to a.t\ncommitted 1 operations to a.u\n"), result)
        self.assertEqual((self.count("a.t"), self.column("a.u", "name")), (2, ["z"]))

    def test_an_empty_script_and_one_without_effect(self):
        self.write("script", "# nothing\n\n;\ndelete a.t --where 'id = 77'\n")
        before = len(self.versions())
        self.assertEqual(self.frazil("batch", "script", "--quiet").out, "4: nothing to commit: no row is affected\nnothing was committed\n")
        self.assertEqual(len(self.versions()), before)

    def test_existing_files_come_and_go_with_the_transaction(self):
        self.frazil("scan", "a.t", "--to", "old.parquet")
        old, files = (self.folder / "old.parquet").read_bytes(), self.files()
        self.write("script", f"add-files a.t {self.folder}/old.parquet --name-mapping\ndelete a.t --where 'id = 0'\ncount a.t\n")
        self.assertTrue(self.frazil("batch", "script", "--dry-run", "--quiet").out.startswith("4\n"))
        self.assertEqual(((self.folder / "old.parquet").read_bytes(), self.files()), (old, files))
        self.frazil("batch", "script")
        self.assertEqual(sorted(self.column("a.t", "id")), [1, 1, 2, 2])

    def test_two_batches_at_once_lose_nothing(self):
        for i in range(4):
            self.write(f"{i}.csv", f"id,name\n{100 + i},p\n{200 + i},q\n")
            self.write(f"{i}.frz", f"append a.t {i}.csv\nproperties set a.t p{i}=1\nappend a.t {i}.csv\n")
        running = [subprocess.Popen([FRAZIL, "batch", f"{i}.frz", "--quiet"], cwd=self.folder, env=self.environment,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE) for i in range(4)]
        for process in running:
            _, err = process.communicate(timeout=300)
            self.assertEqual(process.returncode, 0, err)
        self.assertEqual(self.count("a.t"), 3 + 4 * 4)
        for i in range(4):
            self.assertEqual(self.frazil("properties", "get", "a.t", f"p{i}").out, f"p{i}=1\n")
        ids = self.column("a.t", "_row_id")
        self.assertEqual(len(set(ids)), len(ids))


if __name__ == "__main__":
    main()
