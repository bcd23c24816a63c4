"""Arrow IPC in and out: streams and files as rows of every verb, and as what a scan prints or writes."""

import base64
import os
import pty
import subprocess

from command import FRAZIL, CommandTest, main

# Two columns, id int32 and name, a dictionary of strings: (1, "x"), (null, "yz"), (3, null), as pyarrow writes them with zstd.
FOREIGN = base64.b64decode(
    "/////9AAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAEAAAAtP///wQAAAACAAAAdAAAABQAAAAQABgACAAGAAcADAAQABQAEAAAAAAAAQUUAAAAPAAAACAAAAAEAAAA"
    "AAAAAAQAAABuYW1lAAAAAAgACAAAAAQACAAAAAQAAAC8////AAAAASAAAAAEAAQABAAAABAAFAAIAAYABwAMAAAAEAAQAAAAAAABAhAAAAAcAAAABAAAAAAAAAACAAAA"
    "aWQAAAgADAAIAAcACAAAAAAAAAEgAAAA/////8AAAAAUAAAAAAAAAAwAGAAGAAUACAAMAAwAAAAAAgQAGAAAADgAAAAAAAAAAAAAAAgACAAAAAQACAAAABAAAAAMAB4A"
    "EAAEAAgADAAMAAAAYAAAACQAAAAYAAAAAgAAAAAAAAAAAAAAAAAGAAgABwAGAAAAAAAAAQMAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAdAAAAAAAAACAAAAAAAAAA"
    "FAAAAAAAAAAAAAAAAQAAAAIAAAAAAAAAAAAAAAAAAAAMAAAAAAAAACi1L/0gDGEAAAAAAAABAAAAAwAAAAAAAAMAAAAAAAAAKLUv/SADGQAAeHl6AAAAAP/////QAAAA"
    "FAAAAAAAAAAMABgABgAFAAgADAAMAAAAAAMEABwAAABwAAAAAAAAAAAAAAAMAB4AEAAEAAgADAAMAAAAcAAAACQAAAAYAAAAAwAAAAAAAAAAAAAAAAAGAAgABwAGAAAA"
    "AAAAAQQAAAAAAAAAAAAAABIAAAAAAAAAGAAAAAAAAAAdAAAAAAAAADgAAAAAAAAAEgAAAAAAAABQAAAAAAAAAB0AAAAAAAAAAAAAAAIAAAADAAAAAAAAAAEAAAAAAAAA"
    "AwAAAAAAAAABAAAAAAAAAAEAAAAAAAAAKLUv/SABCQAABQAAAAAAAAwAAAAAAAAAKLUv/SAMYQAAAQAAAAAAAAADAAAAAAAAAQAAAAAAAAAotS/9IAEJAAADAAAAAAAA"
    "DAAAAAAAAAAotS/9IAxhAAAAAAAAAQAAAAAAAAAAAAD/////AAAAAA==")

EOS = b"\xff\xff\xff\xff\0\0\0\0"


class Arrow(CommandTest):
    def feed(self, data, *arguments, status=0):
        path = self.write("fed", data)
        with path.open("rb") as stdin:
            return self.frazil(*arguments, status=status, stdin=stdin)

    def stream(self, *arguments):
        """What a command prints as Arrow."""
        done = self.run_raw(*arguments, "--output", "arrow")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout

    def test_a_foreign_stream_is_read(self):
        self.write("f.arrows", FOREIGN)
        self.frazil("create", "a.t", "--from", "f.arrows", "--with-rows")
        want = [{"id": 1, "name": "x"}, {"id": None, "name": "yz"}, {"id": 3, "name": None}]
        self.assertEqual(self.scan("a.t"), want)
        self.feed(FOREIGN, "append", "a.t", "-")
        self.feed(FOREIGN[:-len(EOS)], "append", "a.t", "-")  # the mark of the end may be left out
        self.assertEqual(self.count("a.t"), 9)

    def test_what_is_scanned_as_arrow_is_read_again(self):
        schema = ("id long not null, b boolean, i int, f float, g double, s string, z binary, w fixed[3], u uuid, d decimal(20,3), day date, at time, "
                  "ts timestamp, tz timestamptz, ns timestamp_ns, st struct<x: int, y: struct<z: string>>, l list<string>, m map<string, list<long>>")
        self.frazil("create", "a.t", "--schema", schema)
        self.write("rows.jsonl", '{"id": 1}\n{"id": 2, "b": true, "i": -3, "f": 1.5, "g": "NaN", "s": "grün", "z": "0x00ff", "w": "0x010203", '
                                 '"u": "01234567-89ab-cdef-0123-456789abcdef", "d": "-12.345", "day": "1969-12-31", "at": "23:59:59.999999", '
                                 '"ts": "1950-01-01T00:00:00.000001", "tz": "2026-01-01T00:00:00Z", "ns": "2026-01-01T00:00:00.000000001", '
                                 '"st": {"x": null, "y": {"z": "q"}}, "l": ["a", null, ""], "m": {"k": [1, 2], "e": [], "n": null}}\n')
        self.frazil("append", "a.t", "rows.jsonl")
        want = self.frazil("scan", "a.t", "--output", "json").out
        data = self.stream("scan", "a.t")
        self.assertEqual((data[:4], data[-8:]), (EOS[:4], EOS))
        self.frazil("create", "a.u", "--schema", schema)
        self.feed(data, "append", "a.u", "-")
        self.assertEqual(self.frazil("scan", "a.u", "--output", "json").out, want)
        for name in ("o.arrow", "o.ARROWS", "o.feather", "o.ipc"):
            self.assertIn("wrote 2 rows", self.frazil("scan", "a.t", "--to", name).err)
            is_file = (self.folder / name).read_bytes()[:6] == b"ARROW1"
            self.assertEqual(is_file, name != "o.ARROWS")
            self.frazil("create", "a.v", "--from", name, "--with-rows", "--format-version", "3")
            self.assertEqual(self.frazil("scan", "a.v", "--output", "json").out, want)
            self.frazil("drop", "table", "a.v")
        self.frazil("scan", "a.t", "--to", "bare", "--output", "arrow")
        self.assertEqual((self.folder / "bare").read_bytes(), (self.folder / "o.arrow").read_bytes())

    def test_every_verb_takes_it(self):
        self.numbers("a.t", 3)
        self.frazil("create", "a.s", "--schema", "id long, name string")
        self.feed('{"id": 1, "name": "one"}\n{"id": 7, "name": "seven"}\n', "append", "a.s", "-")
        self.frazil("scan", "a.s", "--to", "s.arrow", "--quiet")
        self.frazil("upsert", "a.t", "s.arrow", "--on", "id")
        self.assertEqual(sorted(self.column("a.t", "name")), ["n0", "n2", "one", "seven"])
        self.frazil("merge", "a.t", "s.arrow", "--on", "id", "--when-matched", "delete")
        self.assertEqual(sorted(self.column("a.t", "name")), ["n0", "n2"])
        self.frazil("overwrite", "a.t", "s.arrow", "--where", "id >= 0")
        self.write("script", "append a.t s.arrow\nappend a.t s.arrow\n")
        self.frazil("batch", "script")
        self.assertEqual(sorted(self.column("a.t", "name")), ["one"] * 3 + ["seven"] * 3)
        self.write("more.arrows", FOREIGN)
        self.assertIn("column id, row 2: null in a required column", self.frazil("append", "a.t", "more.arrows", status=2).err)

    def test_a_new_column_comes_with_evolve(self):
        self.numbers("a.t", 1)
        self.frazil("create", "a.s", "--schema", "id long, day date")
        self.feed("id,day\n5,2026-01-02\n", "append", "a.s", "-")
        data = self.stream("scan", "a.s")
        self.assertIn("no column day", self.feed(data, "append", "a.t", "-", status=2).err)
        self.feed(data, "append", "a.t", "-", "--evolve")
        self.assertEqual(self.scan("a.t", "--where", "id = 5"), [{"id": 5, "name": None, "day": "2026-01-02"}])

    def test_columns_come_from_its_schema(self):
        self.numbers("a.t", 1)
        self.frazil("create", "a.s", "--schema", "id long, name string, day date, st struct<x: int>")
        self.frazil("scan", "a.s", "--to", "s.arrow")
        self.frazil("alter", "a.t", "add", "columns", "from", "s.arrow")
        self.assertEqual(self.scan("a.t"), [{"id": 0, "name": "n0", "day": None, "st": None}])

    def test_metadata_tables_are_printed_as_arrow(self):
        self.numbers("a.t", 3)
        self.feed(self.stream("snapshots", "a.t"), "create", "a.s", "--from", "-", "--with-rows")
        self.assertEqual(self.column("a.s", "snapshot_id"), self.snapshot_ids("a.t"))

    def test_no_rows_are_a_schema(self):
        self.numbers("a.t", 0)
        data = self.stream("scan", "a.t")
        self.feed(data, "create", "a.u", "--from", "-", "--with-rows")
        self.assertIn("name string", self.frazil("describe", "a.u").out)
        self.assertEqual(self.count("a.u"), 0)

    def test_what_is_not_whole_is_refused_and_nothing_committed(self):
        self.numbers("a.t", 1)
        before = self.files()
        self.assertIn("standard input: the Arrow stream ends at byte",
                      self.feed(FOREIGN[:-12], "append", "a.t", "-", status=7).err)
        self.frazil("create", "a.n", "--schema", "id int, name string")
        before = self.files()
        self.assertIn("behind the end of the stream", self.feed(FOREIGN + FOREIGN, "append", "a.n", "-", status=7).err)
        self.assertIn("without a schema", self.feed(EOS, "append", "a.t", "-", status=7).err)
        self.assertIn("a Feather V1 file", self.feed(b"FEA1....", "append", "a.t", "-", status=7).err)
        self.write("old.feather", b"FEA1....")
        self.assertIn("old.feather: a Feather V1 file", self.frazil("append", "a.t", "old.feather", status=7).err)
        self.write("cut.arrow", b"ARROW1\0\0" + FOREIGN)
        self.assertIn("does not end with ARROW1", self.frazil("append", "a.t", "cut.arrow", status=7).err)
        self.assertIn("--format is parquet, avro, arrow", self.fails(2, "append", "a.t", "cut.arrow", "--format", "orc"))
        self.assertEqual(self.files(), before)

    def test_a_scan_that_fails_leaves_no_whole_stream(self):
        """Its rows so far end within a message: a stream without its mark of the end would pass for a whole one."""
        self.numbers("a.t", 20000)
        self.frazil("append", "a.t", "numbers.csv")
        paths = [row["file_path"].removeprefix("file://") for row in self.metadata("files", "a.t")]
        self.sound = False
        with open(paths[-1], "r+b") as last:
            last.truncate(40)
        done = self.run_raw("scan", "a.t", "--output", "arrow")
        self.assertEqual(done.returncode, 7)
        self.assertGreater(len(done.stdout), 100000)
        self.frazil("create", "a.u", "--schema", "id long, name string")
        self.assertIn("ends at byte", self.feed(done.stdout, "append", "a.u", "-", status=7).err)
        self.assertEqual(self.count("a.u"), 0)
        self.frazil("scan", "a.t", "--to", "out.arrow", status=7)
        self.assertFalse((self.folder / "out.arrow").exists())

    def test_a_terminal_is_no_place_for_it(self):
        self.numbers("a.t", 1)
        ours, theirs = pty.openpty()
        done = subprocess.run([FRAZIL, "scan", "a.t", "--output", "arrow"], cwd=self.folder, env=self.environment, stdout=theirs,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
        os.close(ours)
        os.close(theirs)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"--output arrow wants a standard output that is no terminal", done.stderr)


if __name__ == "__main__":
    main()
