"""Every file of a small table, cut and flipped: refused with one line and exit 7, or read; never a crash, a hang or a wrong answer
where a checksum stands guard."""

import pathlib
import random
import re

from command import CommandTest, main

SEED = 20260101


class Damage(CommandTest):
    sound = False

    def setUp(self):
        super().setUp()
        self.frazil("create", "a.t", "--schema", "id long not null, name string, tags list<string>", "--partition", "bucket(2, id)")
        self.write("x.jsonl", "".join('{"id": %d, "name": "name %d", "tags": ["a", "b%d"]}\n' % (i, i, i) for i in range(200)))
        self.frazil("append", "a.t", "x.jsonl")
        self.frazil("delete", "a.t", "--where", "id = 7")
        self.table = self.folder / "warehouse/a/t"
        self.right = sorted(self.column("a.t", "id"))

    def ends_well(self, path, what, *arguments):
        """Exit 0, or one line on stderr with the status of what was found: corrupt (with the file's name), or not there when what
        was flipped is a name."""
        done = self.run_raw(*arguments, timeout=20)
        err = done.stderr.decode("utf-8", "replace")
        self.assertIn(done.returncode, (0, 1, 2, 4, 7), (what, arguments, done.returncode, err[-2000:]))
        self.assertNotIn("Sanitizer", err, what)
        self.assertNotIn("runtime error", err, what)
        if done.returncode:
            self.assertRegex(err, r"^frazil: [^\n]+\n$", (what, arguments))
        if done.returncode == 7 and "flipped" not in str(what):
            self.assertIn(path.name.split(".")[0][:12], err, (what, arguments))
        return done.returncode

    def damaged(self, path, pieces):
        """Reads the table with each damaged copy in place; what is printed must be whole lines in any case."""
        whole = path.read_bytes()
        statuses = []
        try:
            for what, data in pieces(whole):
                path.write_bytes(data)
                statuses.append(self.ends_well(path, what, "scan", "a.t", "--output", "csv"))
                self.ends_well(path, what, "inspect", path, "--rows")
                self.ends_well(path, what, "inspect", path)
                self.ends_well(path, what, "tree", "a.t")
        finally:
            path.write_bytes(whole)
        return statuses

    def files_of(self, *patterns):
        newest = self.frazil("describe", "a.t", "--output", "json").json()["metadata_location"].removeprefix("file://")
        current = self.metadata("snapshots", "a.t")[-1]["manifest_list"].removeprefix("file://")
        return [p for p in sorted(self.table.rglob("*")) if p.is_file() and (str(p) in (newest, current) or re.search(r"-m\d\.avro$|parquet$|puffin$", p.name))]

    def test_cut_files_are_refused(self):
        for path in self.files_of():
            size = path.stat().st_size
            cuts = sorted({0, 1, 3, 4, 12, size // 4, size // 2, size - 30, size - 9, size - 8, size - 5, size - 4, size - 1})
            statuses = self.damaged(path, lambda whole, cuts=cuts: ((f"{path.name} cut at {n}", whole[:n]) for n in cuts))
            ends = size
            if path.suffix == ".puffin":  # the vector is read at its offset: what stands behind it is not needed
                vector = self.metadata("delete-files", "a.t")[0]
                ends = vector["content_offset"] + vector["content_size_in_bytes"]
            self.assertEqual(statuses, [7 if cut < ends else 0 for cut in cuts], (path, cuts))

    def test_flipped_bytes_never_crash(self):
        chance = random.Random(SEED)
        for path in self.files_of():
            size = path.stat().st_size
            spots = [chance.randrange(size) for _ in range(12)] + [size - 5, size - 6, size - 8]

            def flips(whole, spots=spots):
                for spot in spots:
                    data = bytearray(whole)
                    data[spot] ^= 1 << chance.randrange(8)
                    yield f"{path.name} flipped at {spot}", bytes(data)

            self.damaged(path, flips)
        self.assertEqual(sorted(self.column("a.t", "id")), self.right)

    def test_a_flipped_deletion_vector_is_found_by_its_checksum(self):
        vector = self.metadata("delete-files", "a.t")[0]
        path = self.folder / vector["file_path"].removeprefix("file://")
        whole = path.read_bytes()
        for spot in range(vector["content_offset"], vector["content_offset"] + vector["content_size_in_bytes"]):
            data = bytearray(whole)
            data[spot] ^= 0x10
            path.write_bytes(data)
            self.assertIn(path.name, self.fails(7, "scan", "a.t"), spot)
        path.write_bytes(whole)

    def test_a_missing_file_is_not_found(self):
        for path in self.files_of():
            whole = path.read_bytes()
            path.unlink()
            self.assertIn(path.name, self.fails(4, "scan", "a.t"))
            path.write_bytes(whole)
        self.assertEqual(sorted(self.column("a.t", "id")), self.right)

    def test_garbage_of_every_kind_by_its_name(self):
        chance = random.Random(SEED)
        heads = (b"", b"PAR1", b"Obj\x01", b"PFA1", b"{", b'{"format-version":', b"[[[[[[[[")
        for head in heads:
            for size in (0, 1, 40, 5000):
                body = bytes(chance.randrange(256) for _ in range(size))
                path = self.write("garbage", head + body + (head[:4] if head[:1] == b"P" else b""))
                for rows in ((), ("--rows",)):
                    self.assertIn(self.ends_well(path, (head, size), "inspect", path, *rows), (7,))
                path = self.write("garbage.metadata.json", head + body)
                self.assertEqual(self.ends_well(path, (head, size), "scan", path), 7)

    def test_deep_and_huge_json_is_refused(self):
        for text in ("[" * 100000, '{"a":' * 100000, '{"format-version": ' + "9" * 5000 + "}", '{"format-version": 2, "x": "' + "y" * 3000000):
            path = self.write("deep.metadata.json", text)
            self.assertEqual(self.ends_well(path, text[:20], "scan", path), 7)

    def test_a_newer_format_is_refused_by_name(self):
        newest = self.frazil("describe", "a.t", "--output", "json").json()["metadata_location"].removeprefix("file://")
        text = pathlib.Path(newest).read_text()
        path = self.write("v9.metadata.json", re.sub(r'"format-version": ?3', '"format-version":9', text))
        self.assertIn("9", self.fails(7, "scan", path))

    def test_a_damaged_catalog_is_refused(self):
        (self.folder / "warehouse/catalog.db").write_bytes(b"not a database, certainly" * 100)
        for arguments in (("list",), ("scan", "a.t"), ("append", "a.t", "x.jsonl")):
            self.assertIn("catalog.db", self.fails(7, *arguments))


if __name__ == "__main__":
    main()
