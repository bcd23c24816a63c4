"""`frazil verify`: a sound table, damaged ones, what is printed and how it ends."""

import json

from command import CommandTest, main


class VerifyTest(CommandTest):
    sound = False

    def manifests(self, table="ns.t"):
        return [row["path"].removeprefix("file:") for row in self.metadata("manifests", table)]

    def data_files(self, table="ns.t"):
        return [row["file_path"].removeprefix("file:") for row in self.metadata("data-files", table)]

    def report(self, status, *options):
        done = self.run_raw("verify", "ns.t", "--output", "json", *options)
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout)

    def setUp(self):
        super().setUp()
        self.numbers()
        self.frazil("delete", "ns.t", "--where", "id = 3")

    def test_a_sound_table_says_what_was_checked(self):
        out = self.frazil("verify", "ns.t").out
        self.assertEqual(out, "checked 2 snapshots, 2 manifests, 2 entries, 2 files: 0 errors, 0 warnings\n")
        self.assertEqual(self.report(0, "--strict"), {
            "errors": 0, "warnings": 0, "findings": [],
            "checked": {"snapshots": 2, "manifests": 2, "entries": 2, "files": 2,
                        "files_read": 0, "rows_read": 0, "vectors_read": 0}})
        out = self.frazil("verify", "ns.t", "--deep").out
        self.assertEqual(out, "checked 2 snapshots, 2 manifests, 2 entries, 2 files; read 1 files with 10 rows and "
                              "1 deletion vectors: 0 errors, 0 warnings\n")
        self.assertEqual(self.frazil("verify", "ns.t", "--deep", "--threads", "3").out, out)
        self.assertIn("--threads is 1 to 1024", self.frazil("verify", "ns.t", "--threads", "-1", status=2).err)
        self.assertEqual(self.frazil("verify", "ns.t", "--output", "jsonl").out, "")

    def test_a_file_that_is_missing_is_an_error(self):
        path = self.data_files()[0]
        self.folder.joinpath(path).unlink()
        done = self.frazil("verify", "ns.t", status=7)
        self.assertIn("error file-exists: expected a file of ", done.out)
        self.assertIn(path, done.out)
        self.assertEqual(done.err, "frazil: ns.t is not sound: 1 errors, 0 warnings\n")
        found = self.report(7)["findings"]
        self.assertEqual([(f["rule"], f["severity"], f["entry"], f["found"]) for f in found],
                         [("file-exists", "error", 0, "none")])
        lines = self.run_raw("verify", "ns.t", "--output", "jsonl").stdout.splitlines()
        self.assertEqual([json.loads(line) for line in lines], found)

    def test_a_file_that_was_written_over_is_found_by_reading_it(self):
        path = self.data_files()[0]
        with open(path, "r+b") as file:
            file.seek(60)
            byte = file.read(1)[0]
            file.seek(60)
            file.write(bytes([byte ^ 0xFF]))
        self.assertEqual(self.report(0)["errors"], 0)
        found = self.report(7, "--deep")["findings"]
        self.assertEqual([f["rule"] for f in found], ["data-readable"])
        self.assertIn(path, found[0]["path"])

    def test_warnings_fail_only_where_that_is_asked(self):
        log = self.metadata("metadata-log-entries", "ns.t")
        self.folder.joinpath(log[0]["file"].removeprefix("file:")).unlink()
        done = self.frazil("verify", "ns.t")
        self.assertIn("warning metadata-log-file: expected a file; found none", done.out)
        self.assertEqual(self.report(7, "--strict")["warnings"], 1)

    def test_a_manifest_that_is_cut_is_an_error_of_its_snapshots(self):
        for path in self.manifests():
            with open(path, "r+b") as file:
                file.truncate(100)
        self.assertEqual({f["rule"] for f in self.report(7)["findings"]}, {"manifest-length", "manifest-file"})
        first = self.snapshot_ids("ns.t")[0]
        self.assertEqual(len(self.report(7, "--snapshot-id", first)["findings"]), 2)

    def test_the_choice_of_snapshots(self):
        first = self.snapshot_ids("ns.t")[0]
        self.assertEqual(self.report(0, "--snapshot-id", first)["checked"]["snapshots"], 1)
        self.assertEqual(self.report(0, "--branch", "main")["checked"]["snapshots"], 2)
        self.assertIn("no branch audit", self.fails(4, "verify", "ns.t", "--branch", "audit"))
        self.assertIn("cannot both be chosen", self.fails(2, "verify", "ns.t@main", "--branch", "main"))
        self.assertIn("--limit is at least 1", self.fails(2, "verify", "ns.t", "--limit", "0"))
        self.assertIn("verify prints table, json or jsonl", self.fails(2, "verify", "ns.t", "--output", "csv"))

    def test_findings_are_limited_and_counted(self):
        for path in self.data_files():
            self.folder.joinpath(path).unlink()
        log = self.metadata("metadata-log-entries", "ns.t")
        self.folder.joinpath(log[0]["file"].removeprefix("file:")).unlink()
        done = self.frazil("verify", "ns.t", "--limit", "1", status=7)
        self.assertIn("... and 1 more\n", done.out)
        self.assertIn("1 errors, 1 warnings", done.out)


if __name__ == "__main__":
    main()
