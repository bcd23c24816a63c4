"""Every table property of writers and commits is honoured, refused or kept as docs/properties.md says."""

import os
import pathlib
import re
import unittest

from command import CommandTest

SOURCE = pathlib.Path(os.environ["FRAZIL_SOURCE_DIR"])
ROW = re.compile(r"^\| `([^`]+)` \| (\w+) \| (.*) \|$")

# Looked at after a lost answer alone, which test/write/unknown_test.c makes.
ONLY_WHEN_UNKNOWN = "commit.status-check."
# Folders have no bad values.
ANY_VALUE = {"write.data.path", "write.metadata.path"}


def documented():
    """Property to (class, how), in the order of the document."""
    text = (SOURCE / "docs/properties.md").read_text(encoding="utf-8")
    return {m[1]: (m[2], m[3]) for m in map(ROW.match, text.splitlines()) if m}


def of_reference():
    """Properties that the reference marks for writers, commits, or as deprecated; None without reference."""
    testdata = pathlib.Path(os.environ.get("FRAZIL_TESTDATA") or SOURCE / "../shared/testdata")
    path = testdata / "../reference/conventions.md"
    if not path.exists():
        return None
    row = re.compile(r"^\| `([^`]+)` \| .* \| ([WCD]) \| ")
    return [m[1] for m in map(row.match, path.read_text(encoding="utf-8").splitlines()) if m]


class Properties(CommandTest):
    def setUp(self):
        super().setUp()
        (self.folder / "rows.csv").write_text("id,name\n1,a\n2,b\n3,c\n", encoding="utf-8")
        self.made = 0

    def create(self, *properties, version=2, status=0):
        self.made += 1
        name = f"n.t{self.made}"
        given = [part for p in properties for part in ("--property", p)]
        done = self.frazil("create", name, "--schema", "id long, name string", "--format-version", version,
                           *given, status=status)
        return name, done

    def verbs(self, table):
        """Commands that write, of which each property is of concern to one at least."""
        yield ("append", table, "rows.csv")
        yield ("append", table, "rows.csv")
        yield ("delete", table, "--where", "id = 1")
        yield ("update", table, "--where", "id = 2", "--set", "name = 'x'")
        yield ("upsert", table, "rows.csv", "--on", "id")

    def refusal(self, key, value):
        """What the first command that refuses the value says; None when none does."""
        self.made += 1
        name = f"n.bad{self.made}"
        commands = [("create", name, "--schema", "id long, name string", "--format-version", 2,
                     "--property", f"{key}={value}"), *self.verbs(name)]
        for command in commands:
            done = self.run_raw(*command)
            if done.returncode != 0:
                break
        return done.stderr.decode() if done.returncode else None

    def test_the_document_has_every_property_of_the_reference(self):
        wanted = of_reference()
        if wanted is None:
            print("skipped: the walk over the reference, which is not there")
            return
        known = documented()
        self.assertGreater(len(wanted), 60)
        self.assertEqual([key for key in wanted if key not in known], [])

    def test_the_sources_read_what_the_document_says_is_honoured(self):
        for key, (kind, how) in documented().items():
            with self.subTest(key):
                self.assertIn(kind, ("honoured", "refused", "kept"))
                if kind != "honoured":
                    continue
                source = (SOURCE / re.search(r"`(src/[a-z_/]+\.c)`", how)[1]).read_text(encoding="utf-8")
                stem = key.removesuffix("<col>")
                names = {stem, re.sub(r"^write\.(delete\.)?(parquet|avro)\.", "", stem),
                         re.sub(r"^write\.(delete|update|merge)\.", "write.%s.", stem)}
                self.assertTrue(any(f'"{name}' in source for name in names), names)

    def test_bad_values_of_what_is_honoured_are_refused_by_name(self):
        for key, (kind, _) in documented().items():
            if kind != "honoured" or key in ANY_VALUE or key.startswith(ONLY_WHEN_UNKNOWN):
                continue
            with self.subTest(key):
                key = key.replace("<col>", "name")
                said = self.refusal(key, "!bad!")
                self.assertTrue(said, "nobody refused it")
                self.assertIn(key, said)
                self.assertIn("!bad!", said)

    def test_bad_values_cannot_be_set(self):
        table, _ = self.create()
        before = self.frazil("properties", "get", table).out
        for key, (kind, _) in documented().items():
            if kind != "honoured" or key in ANY_VALUE:
                continue
            with self.subTest(key):
                key = key.replace("<col>", "name")
                done = self.run_raw("properties", "set", table, f"{key}=!bad!")
                self.assertIn(done.returncode, (2, 7))
                self.assertIn(key, done.stderr.decode())
                self.assertIn("!bad!", done.stderr.decode())
        for pair in ("schema.name-mapping.default=!bad!", "write.metadata.metrics.column.nmae=full"):
            self.assertIn(pair.partition("=")[0], self.fails(2, "properties", "set", table, pair))
        self.assertEqual(self.frazil("properties", "get", table).out, before)

    def test_a_bad_value_of_others_is_mended(self):
        table, _ = self.create("commit.retry.num-retries=many", "write.format.default=clay")
        self.assertIn('got "clay"', self.frazil("append", table, "rows.csv", status=2).err)
        self.frazil("alter", table, "add", "column", "more", "int")
        self.frazil("properties", "set", table, "write.format.default=avro")
        self.assertIn('got "many"', self.frazil("append", table, "rows.csv", status=2).err)
        self.frazil("properties", "remove", table, "commit.retry.num-retries")
        self.frazil("append", table, "rows.csv")

    def test_what_is_refused_cannot_be_set(self):
        table, _ = self.create()
        for key, (kind, _) in documented().items():
            if kind != "refused":
                continue
            with self.subTest(key):
                done = self.run_raw("properties", "set", table, f"{key}=x")
                self.assertIn(done.returncode, (2, 7))
                self.assertIn(f"table property {key}: ", done.stderr.decode())
                done = self.run_raw("create", "n.refused", "--schema", "id long", "--property", f"{key}=x")
                self.assertIn(done.returncode, (2, 7))
                self.assertIn(f"table property {key}: ", done.stderr.decode())
        self.assertEqual(self.frazil("properties", "get", table, "--output", "json").json(),
                         {"write.parquet.compression-codec": "zstd"})

    def test_what_is_kept_changes_nothing(self):
        kept = [key for key, (kind, _) in documented().items() if kind == "kept"]
        table, _ = self.create(*(f"{key}=anything" for key in kept))
        for verb in self.verbs(table):
            self.frazil(*verb)
        left = self.frazil("properties", "get", table, "--output", "json").json()
        self.assertEqual({key for key, value in left.items() if value == "anything"}, set(kept))

    def test_folders_are_where_properties_say(self):
        data, metadata = self.folder / "elsewhere/d", self.folder / "elsewhere/m"
        table, _ = self.create(f"write.data.path=file://{data}", f"write.metadata.path=file://{metadata}")
        for verb in self.verbs(table):
            self.frazil(*verb)
        self.assertTrue(list(data.glob("*.parquet")))
        self.assertTrue(list(metadata.glob("*.metadata.json")) and list(metadata.glob("snap-*.avro")))
        self.assertEqual([p.name for p in (self.folder / "warehouse").rglob("*.*")], ["catalog.db"])

    def test_max_open_files_makes_one_file_per_partition(self):
        rows = "".join(f"{i * 37 % 1000},p{i * 37 % 40}\n" for i in range(1000))
        (self.folder / "many.csv").write_text("id,name\n" + rows, encoding="utf-8")
        self.frazil("create", "n.p", "--schema", "id long, name string", "--partition", "name")
        self.frazil("append", "n.p", "many.csv", "--max-open-files", "3")
        files = self.frazil("files", "n.p", "--select", "record_count", "--output", "jsonl").rows()
        self.assertEqual([row["record_count"] for row in files], [25] * 40)
        said = self.frazil("append", "n.p", "many.csv", "--max-open-files", "0", status=2)
        self.assertIn("--max-open-files wants a number from 1", said.err)

    def test_rows_that_cannot_wait_in_the_folder_leave_nothing(self):
        self.frazil("create", "n.s", "--schema", "id long, name string", "--sort", "name")
        with open(self.folder / "big.csv", "w", encoding="utf-8") as file:
            file.write("id,name\n")
            for i in range(600000):
                file.write(f"{i},{'x' * 100}{i * 7919 % 600000}\n")
        before = sorted(self.folder.joinpath("warehouse").rglob("*"))
        environment = {**self.environment, "TMPDIR": "/nonexistent/folder"}
        said = self.frazil("append", "n.s", "big.csv", status=4, env=environment)
        self.assertIn("/nonexistent/folder", said.err)
        self.assertEqual(sorted(self.folder.joinpath("warehouse").rglob("*")), before)
        self.frazil("append", "n.s", "big.csv", "--sort-memory", "512", env=environment)  # in memory, then
        self.frazil("append", "n.s", "big.csv")
        self.assertEqual(self.frazil("count", "n.s").out.strip(), "1200000")

    def test_sort_memory_is_told_in_mebibytes(self):
        rows = "".join(f"{i},{i * 7919 % 60000:08}{'y' * 40}\n" for i in range(60000))
        (self.folder / "some.csv").write_text("id,name\n" + rows, encoding="utf-8")
        self.frazil("create", "n.s", "--schema", "id long, name string", "--sort", "name")
        environment = {**self.environment, "TMPDIR": "/nonexistent/folder"}
        self.assertIn("/nonexistent", self.frazil("append", "n.s", "some.csv", "--sort-memory", "1", status=4, env=environment).err)
        self.frazil("append", "n.s", "some.csv", "--sort-memory", "1")
        names = [row["name"] for row in self.frazil("scan", "n.s", "--select", "name", "--output", "jsonl").rows()]
        self.assertEqual((len(names), names), (60000, sorted(names)))
        for wrong in ("0", "-1", "2049", "1g"):
            self.assertIn("--sort-memory", self.frazil("append", "n.s", "some.csv", "--sort-memory", wrong, status=2).err)


if __name__ == "__main__":
    unittest.main()
