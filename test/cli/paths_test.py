"""Paths as they are stored: opaque text that is neither decoded, nor parsed as a URI, nor made alike ("Paths in Metadata")."""

import os
import shutil

from command import CommandTest, main

ODD = "x#1=a?b %20c+d'\"&;.parquet"


class Paths(CommandTest):
    def table(self, name="a.t", *options):
        self.frazil("create", name, "--schema", "id long, name string", "--property", "write.manifest.compression-codec=uncompressed",
                    *options)
        self.write("x.csv", "id,name\n" + "".join(f"{i},n{i}\n" for i in range(6)))
        self.frazil("append", name, "x.csv")

    def rename_data_file(self, name):
        """Gives the only data file another name of the same length, on disk and in its manifest."""
        path = self.metadata("files", "a.t", "--select", "file_path")[0]["file_path"]
        local = path.removeprefix("file://").replace("file:", "")
        old = os.path.basename(local)
        new = name[:-len(".parquet")].ljust(len(old) - len(".parquet"), "_") + ".parquet"
        self.assertEqual(len(new), len(old))
        os.rename(local, os.path.join(os.path.dirname(local), new))
        for manifest in (self.folder / "warehouse/a/t/metadata").glob("*-m*.avro"):
            bytes_ = manifest.read_bytes()
            manifest.write_bytes(bytes_.replace(old.encode(), new.encode()))
        return os.path.join(os.path.dirname(local), new)

    def test_d123_no_character_of_a_path_means_anything(self):
        self.table()
        local = self.rename_data_file(ODD)
        self.assertEqual(self.column("a.t", "id"), list(range(6)))
        self.assertEqual({os.path.basename(file) for file in self.column("a.t", "_file")}, {os.path.basename(local)})
        self.frazil("delete", "a.t", "--where", "id = 3")
        self.assertEqual(self.column("a.t", "id"), [0, 1, 2, 4, 5])
        self.assertEqual(os.path.basename(self.metadata("position-deletes", "a.t")[0]["file_path"]), os.path.basename(local))

    def test_d068_a_path_is_not_decoded(self):
        self.sound = False  # a file is taken away
        self.table()
        local = self.rename_data_file("brand=Brand%2321.parquet")
        decoy = local.replace("%23", "#")
        self.table("a.decoy")
        other = self.metadata("files", "a.decoy", "--select", "file_path")[0]["file_path"].removeprefix("file://").replace("file:", "")
        shutil.copy(other, decoy)
        self.assertEqual(self.column("a.t", "id"), list(range(6)))
        os.remove(local)
        self.assertIn("%23", self.fails(4, "scan", "a.t"))

    def test_d069_deletes_match_paths_as_they_are_stored(self):
        self.table("a.t", "--format-version", "2", "--property", "write.delete.mode=merge-on-read")
        self.frazil("delete", "a.t", "--where", "id in (2, 5)")
        stored = self.metadata("files", "a.t", "--where", "content = 0", "--select", "file_path")[0]["file_path"]
        self.assertEqual({r["file_path"] for r in self.metadata("position-deletes", "a.t")}, {stored})
        recorded = self.frazil("describe", "a.t", "--output", "json").json()["location"]
        os.rename(self.folder / "warehouse", self.folder / "moved")
        moved = self.folder / "moved/a/t"
        rows = self.frazil("scan", moved, "--path-map", f"{recorded}={moved}", "--output", "jsonl", "--select", "id,_file").rows()
        self.assertEqual([row["id"] for row in rows], [0, 1, 3, 4])
        self.assertEqual({row["_file"] for row in rows}, {stored})

    def test_d146_every_path_has_the_form_of_the_table_s_location(self):
        for number, form in enumerate(("", "file:", "file://")):
            name, location = f"b.t{number}", f"{form}{self.folder}/place{number}"
            for version in ("2", "3"):
                self.table(name + version, "--location", location + version, "--format-version", version, "--property",
                           "write.delete.mode=merge-on-read")
                self.frazil("delete", name + version, "--where", "id = 3")
                stored = self.frazil("describe", name + version, "--output", "json").json()["location"]
                paths = [r["file_path"] for r in self.metadata("all-files", name + version)]
                paths += [r["path"] for r in self.metadata("all-manifests", name + version)]
                paths += [r["manifest_list"] for r in self.metadata("snapshots", name + version)]
                paths += [r["file"] for r in self.metadata("metadata-log-entries", name + version)]
                deleted = self.metadata("position-deletes", name + version)
                paths += [r["file_path"] for r in deleted] + [r["delete_file_path"] for r in deleted]
                self.assertGreater(len(paths), 10)
                for path in paths:
                    self.assertTrue(path.startswith(stored + "/"), (path, stored))


if __name__ == "__main__":
    main()
