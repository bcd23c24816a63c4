"""The programs of examples/, as a reader of them runs them."""

import os
import pathlib
import subprocess

from command import FRAZIL, SANITIZER_WORDS, CommandTest, main

PROGRAMS = pathlib.Path(FRAZIL).parent / "examples"


class Examples(CommandTest):
    def example(self, name, *arguments, status=0):
        done = subprocess.run([PROGRAMS / f"example_{name}", *arguments], cwd=self.folder, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
        for word in SANITIZER_WORDS:
            self.assertNotIn(word, done.stderr)
        self.assertEqual(done.returncode, status, done)
        return done

    def test_scan_and_append(self):
        self.numbers("a.t", 5)
        self.frazil("create", "a.u", "--schema", "id long, name string")
        self.assertRegex(self.example("scan_and_append", "a.t", "id > 2", "a.u").stdout, r"\Asnapshot \d+: append\n\Z")
        self.assertEqual(self.column("a.u", "id"), [3, 4])
        self.assertIn("no column nope", self.example("scan_and_append", "a.t", "nope > 2", "a.u", status=1).stderr)

    def test_parallel_plan(self):
        self.numbers("a.t", 5)
        self.assertIn("2", self.example("parallel_plan", "a.t", "id > 2").stdout)

    def test_streaming_upsert(self):
        self.numbers("a.t", 3)
        self.write("one.csv", "id,name\n1,one\n7,x\n7,seven\n")
        self.write("two.deleted.csv", "id\n0\n7\n")
        done = self.example("streaming_upsert", "a.t", "id", "one.csv", "two.deleted.csv", "one.csv")
        self.assertEqual(done.stdout, "one.csv: overwrite\ntwo.deleted.csv: delete\none.csv: overwrite\n")
        self.assertEqual(sorted(self.column("a.t", "name")), ["n2", "one", "seven"])
        self.assertIn("no column idd", self.example("streaming_upsert", "a.t", "idd", "one.csv", status=1).stderr)

    def test_transaction(self):
        self.numbers("a.t", 3)
        self.write("new.csv", "id,name\n1,one\n7,seven\n")
        self.assertEqual(self.example("transaction", "a.t", "id >= 1", "new.csv").stdout, "delete\nappend\nno snapshot\n")
        self.assertEqual(sorted(self.column("a.t", "name")), ["n0", "one", "seven"])
        self.assertEqual(len(self.metadata("history", "a.t")), 2)
        before = self.files()
        self.assertIn("no column nope", self.example("transaction", "a.t", "nope = 1", "new.csv", status=1).stderr)
        self.assertIn("missing.csv", self.example("transaction", "a.t", "id = 0", "missing.csv", status=1).stderr)
        self.assertEqual(self.files(), before)


if __name__ == "__main__":
    main()
