"""What rows are read from: files of every format, told by name or first bytes, standard input, CSV of any dialect."""

import json
import os
import pathlib
import threading

from command import CommandTest, main


class Inputs(CommandTest):
    def feed(self, text, *arguments, status=0):
        """Runs with `text` on standard input."""
        path = self.write("fed", text)
        with path.open("rb") as stdin:
            return self.frazil(*arguments, status=status, stdin=stdin)

    def test_every_format_comes_from_standard_input(self):
        self.numbers("a.t", 2)
        parquet = self.run_raw("scan", "a.t", "--output", "parquet").stdout
        self.assertEqual(parquet[:4], b"PAR1")
        self.feed(parquet, "append", "a.t", "-")
        self.feed('\n{"id": 7, "name": "n7"}\n', "append", "a.t", "-")
        self.feed("name,id\nn8,8\n", "append", "a.t", "-")
        self.feed("9\n", "append", "a.t", "-", "--no-header", "--format", "csv")
        self.assertEqual(sorted((r["id"], r["name"]) for r in self.scan("a.t", "--where", "id < 9")),
                         [(0, "n0"), (0, "n0"), (1, "n1"), (1, "n1"), (7, "n7"), (8, "n8")])
        self.assertEqual(self.scan("a.t", "--where", "id = 9"), [{"id": 9, "name": None}])

    def test_verbs_that_take_files_take_standard_input(self):
        self.numbers("a.t", 3)
        self.feed('{"id": 1, "name": "x"}\n', "upsert", "a.t", "-", "--on", "id")
        self.feed("id\n2\n", "merge", "a.t", "-", "--on", "id", "--when-matched", "delete")
        self.assertEqual(sorted(self.column("a.t", "name")), ["n0", "x"])
        self.feed("id,name\n5,five\n", "overwrite", "a.t", "-", "--where", "id >= 0")
        self.assertEqual(self.column("a.t", "name"), ["five"])

    def test_messages_call_it_standard_input(self):
        self.numbers("a.t", 1)
        before = self.files()
        result = self.feed("id,name\n1,a\nx,b\n", "append", "a.t", "-", status=2)
        self.assertIn('standard input:3: column id: "x" is no long', result.err)
        self.assertIn("can be given once", self.feed("id\n1\n", "append", "a.t", "-", "-", status=2).err)
        self.assertIn("an ORC file", self.feed("ORC....", "append", "a.t", "-", status=7).err)
        self.assertIn("expected a header line", self.feed("", "append", "a.t", "-", status=7).err)
        self.assertEqual(self.files(), before)

    def test_a_pipe_is_an_input(self):
        """As the shell's <(...) gives one: it has no size, and must not look empty."""
        self.numbers("a.t", 1)
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for text, options in (("id,name\n5,e\n", ["--format", "csv"]), ('{"id": 6, "name": "f"}\n', [])):
            feeder = threading.Thread(target=pipe.write_text, args=(text,))
            feeder.start()
            self.frazil("append", "a.t", str(pipe), *options)
            feeder.join()
        self.assertEqual(sorted(self.column("a.t", "id")), [0, 5, 6])

    def test_an_avro_file_is_read(self):
        self.numbers("a.t", 3, extra=", day date", create=("--property", "write.format.default=avro"))
        name = self.metadata("files", "a.t")[0]["file_path"].removeprefix("file://")
        self.assertTrue(name.endswith(".avro"))
        self.frazil("create", "a.u", "--schema", "id long, name string, day date, extra int default 5")
        self.frazil("append", "a.u", name)
        self.assertEqual(sorted(r["id"] for r in self.scan("a.u")), [0, 1, 2])
        self.assertEqual(self.column("a.u", "extra"), [5, 5, 5])

    def test_csv_of_another_dialect(self):
        self.frazil("create", "a.t", "--schema", "id long, name string, day date, at timestamp, on timestamptz")
        self.feed("1|'a|b'|NA|02/01/2026 13:05|\n2|-|31/12/2025|NA|NA\n", "append", "a.t", "-", "--format", "csv", "--delimiter", "|",
                  "--quote", "'", "--no-header", "--null", "NA", "--null", "-", "--null", "", "--date-format", "%d/%m/%Y",
                  "--timestamp-format", "%d/%m/%Y %H:%M")
        self.assertEqual(self.scan("a.t", "--where", "id = 1"),
                         [{"id": 1, "name": "a|b", "day": None, "at": "2026-01-02T13:05:00.000000", "on": None}])
        self.assertEqual(self.scan("a.t", "--where", "id = 2"), [{"id": 2, "name": None, "day": "2025-12-31", "at": None, "on": None}])
        self.write("t.csv", "id\tname\n3\tx\n")
        self.frazil("append", "a.t", "t.csv", "--delimiter", "\\t")
        self.assertEqual(self.column("a.t", "name", "--where", "id = 3"), ["x"])
        self.assertIn("one character", self.fails(2, "append", "a.t", "t.csv", "--delimiter", "ab"))
        self.assertIn("two different", self.fails(2, "append", "a.t", "t.csv", "--delimiter", '"'))
        self.assertIn("%Q is none of", self.fails(2, "append", "a.t", "t.csv", "--date-format", "%Q"))
        self.assertIn("is no date of the form", self.feed("day\n2026-01-01\n", "append", "a.t", "-", "--date-format", "%d.%m.%Y", status=2).err)
        self.assertIn("avro, arrow, csv", self.fails(2, "append", "a.t", "t.csv", "--format", "xml"))

    def test_new_columns_come_with_the_rows(self):
        self.numbers("a.t", 1)
        line = '{"id": 1, "more": {"x": 1}, "at": "2026-01-02T03:04:05Z"}\n'
        self.assertIn('unknown field "more"', self.feed(line, "append", "a.t", "-", status=2).err)
        self.feed(line, "append", "a.t", "-", "--evolve")
        self.feed("id,extra\n2,007\n", "append", "a.t", "-", "--evolve")
        self.assertIn("schema            id long not null, name string, more struct<x: long>, at timestamptz, extra string",
                      self.frazil("describe", "a.t").out)
        self.assertEqual(self.column("a.t", "extra", "--where", "id = 2"), ["007"])
        self.assertEqual(len(self.snapshot_ids("a.t")), 3)
        bad = self.feed('{"id": "x", "z": 1}\n', "append", "a.t", "-", "--evolve", status=2)
        self.assertIn('"x" is no long', bad.err)
        self.assertNotIn("z ", self.frazil("describe", "a.t").out.split("partition")[0].split("schema")[1])

    def give_empty_default(self, table, column):
        """As a table of others has it: the default of a struct is {}, which we write no new table with."""
        location = self.frazil("describe", table, "--output", "json").json()["metadata_location"]
        path = pathlib.Path(location.removeprefix("file://"))
        metadata = json.loads(path.read_text(encoding="utf-8"))
        next(field for field in metadata["schemas"][0]["fields"] if field["name"] == column)["write-default"] = {}
        path.write_text(json.dumps(metadata), encoding="utf-8")

    def test_a_member_that_a_line_lacks_gets_its_write_default(self):
        self.frazil("create", "a.t", "--schema", "id long not null, t string default 'u', "
                    "p struct<x: int default 1, y: int not null>, q struct<x: int default 5>")
        self.give_empty_default("a.t", "q")
        self.feed('{"id": 1, "t": null, "p": {"y": 3}, "q": {"x": null}}\n{"id": 2}\n{"id": 3, "p": {"x": null, "y": 4}, "q": null}\n',
                  "append", "a.t", "-")
        want = [{"id": 1, "t": None, "p": {"x": 1, "y": 3}, "q": {"x": None}}, {"id": 2, "t": "u", "p": None, "q": {"x": 5}},
                {"id": 3, "t": "u", "p": {"x": None, "y": 4}, "q": None}]
        self.assertEqual(sorted(self.scan("a.t"), key=lambda row: row["id"]), want)
        self.feed('{"id": 4, "p": {"y": 5}, "n": 1}\n{"id": 5, "p": {"y": 6, "x": 2}}\n', "append", "a.t", "-", "--evolve")
        self.assertEqual(self.column("a.t", "p", "--where", "id >= 4"), [{"x": 1, "y": 5}, {"x": 2, "y": 6}])
        self.feed('{"id": 2, "p": {"y": 7}}\n{"id": 6, "t": "w"}\n', "upsert", "a.t", "-", "--on", "id")
        self.assertEqual(self.column("a.t", "p", "--where", "id in (2, 6)"), [{"x": 1, "y": 7}, None])
        said = self.feed('{"id": 7}\n\n{"id": 8, "p": {}}\n', "append", "a.t", "-", status=2).err
        self.assertIn("standard input:3: column p: column y: the field is missing; it is required and has no write default", said)
        self.assertIn("standard input:1: column id: the field is missing", self.feed('{"t": "x"}\n', "append", "a.t", "-", status=2).err)

    def test_a_column_that_a_file_lacks_gets_its_write_default(self):
        self.frazil("create", "a.s", "--schema", "id long")
        self.feed("id\n1\n", "append", "a.s", "-")
        parquet = self.run_raw("scan", "a.s", "--output", "parquet").stdout
        self.frazil("create", "a.t", "--schema", "id long, t string not null default 'u', q struct<x: int default 5>, "
                    "r struct<x: int not null>")
        self.give_empty_default("a.t", "q")
        self.feed(parquet, "append", "a.t", "-")
        self.feed("id,t\n2,\"\"\n", "append", "a.t", "-")
        rows = sorted(self.scan("a.t"), key=lambda row: row["id"])
        self.assertEqual(rows, [{"id": 1, "t": "u", "q": {"x": 5}, "r": None}, {"id": 2, "t": "", "q": {"x": 5}, "r": None}])
        said = self.feed("id,t\n3,\n", "append", "a.t", "-", status=2).err  # an empty field is there, and null
        self.assertIn("standard input:2: column t: null in a required column", said)
        self.frazil("create", "a.u", "--schema", "id long, s struct<x: int not null>")
        self.give_empty_default("a.u", "s")
        self.assertIn("column s.x, row 1: null in a required column", self.feed(parquet, "append", "a.u", "-", status=2).err)

    def test_case_of_names(self):
        self.frazil("create", "a.t", "--schema", "id long, Name string, s struct<X: int>")
        line = json.dumps({"ID": 1, "NAME": "a", "S": {"x": 5}}) + "\n"
        self.assertIn('unknown field "ID"', self.feed(line, "append", "a.t", "-", status=2).err)
        self.feed(line, "append", "a.t", "-", "--ignore-case")
        self.feed("NAME,ID\nb,2\n", "append", "a.t", "-", "--ignore-case")
        self.feed('{"iD": 1, "nAme": "c"}\n', "upsert", "a.t", "-", "--on", "ID", "--ignore-case")
        self.assertEqual(sorted(self.scan("a.t"), key=str), [{"id": 1, "Name": "c", "s": {"X": 5}}, {"id": 2, "Name": "b", "s": None}])


if __name__ == "__main__":
    main()
