"""inspect of files that other implementations wrote, against outputs that were read by a person (inspect/NAME.txt), and of
files broken on purpose: what was sound is shown, then the fault.

`FRAZIL_WRITE_EXPECTED=1` writes the expected outputs anew, to be read before they are committed.
"""

import json
import os
import pathlib

from command import CommandTest, main

HERE = pathlib.Path(__file__).parent
TESTDATA = pathlib.Path(os.environ.get("FRAZIL_TESTDATA") or os.environ.get("FRAZIL_SOURCE_DIR", ".") + "/../shared/testdata")
SPARK = "iceberg-tables/spark-1.12/"
GOLDEN = {
    "parquet_bloom": "parquet/hyparquet/bloom_filter.parquet",
    "parquet_nested": "parquet/parquet-testing/data/nested_lists.snappy.parquet",
    "parquet_v2_pages": "parquet/parquet-testing/data/datapage_v2.snappy.parquet",
    "parquet_nan": "parquet/parquet-testing/data/nan_in_stats.parquet",
    "parquet_decimal": "parquet/parquet-testing/data/byte_array_decimal.parquet",
    "parquet_page_index": SPARK + "s82_bloom_pages/data/00000-549-dbbd7e23-9d9f-411b-8519-00d711cc68d5-0-00001.parquet",
    "puffin_vector": "dv/iceberg-go/single-blob-dv.puffin",
    "puffin_sketches": "puffin/impala/generated/stats_divided1.stats",
    "avro_weather": "avro/apache-avro/share/test/data/weather-zstd.avro",
    "avro_manifest_list": SPARK + "s82_bloom_pages/metadata/snap-3104645414382524143-1-30622d30-022a-4791-9f56-170e50398988.avro",
    "metadata_v2": "metadata-json/iceberg-java/TableMetadataV2Valid.json",
    "metadata_spark": SPARK + "s82_bloom_pages/metadata/v4.metadata.json",
}



class Golden(CommandTest):
    def test_outputs_for_people(self):
        skipped = 0
        for name, path in GOLDEN.items():
            if not (TESTDATA / path).is_file():
                skipped += 1
                continue
            with self.subTest(name):
                got = self.frazil("inspect", path, cwd=TESTDATA).out
                expected = HERE / "inspect" / (name + ".txt")
                if os.environ.get("FRAZIL_WRITE_EXPECTED"):
                    expected.write_text(got)
                self.assertEqual(got, expected.read_text())
        print(f"skipped: {skipped} cases")

    def test_json_has_the_same_members(self):
        for name, path in GOLDEN.items():
            if not (TESTDATA / path).is_file():
                continue
            with self.subTest(name):
                found = self.frazil("inspect", path, "--output", "json", cwd=TESTDATA).json()
                self.assertNotIn("error", found)
                keys = [line.split(":")[0] for line in self.frazil("inspect", path, cwd=TESTDATA).out.splitlines() if line[0] not in " -"]
                if found["kind"] == "avro":
                    self.assertEqual(found.pop("schema")["type"], "record")
                self.assertEqual(list(found), keys)


class Broken(CommandTest):
    """A table of ours, as the golden files may be absent."""

    sound = False

    def setUp(self):
        super().setUp()
        self.numbers("a.t", 100)
        self.frazil("delete", "a.t", "--where", "id in (3, 5)")

    def file(self, pattern):
        return sorted((self.folder / "warehouse/a/t").glob(pattern))[-1]

    def inspect_broken(self, path, message):
        """The text and the JSON form; both end with 7 and one line that names the file and the fault."""
        shown = self.frazil("inspect", path, status=7)
        self.assertRegex(shown.err, r"^frazil: [^\n]+\n$")
        self.assertIn(path.name, shown.err)
        self.assertIn(message, shown.err)
        found = json.loads(self.frazil("inspect", path, "--output", "json", status=7).out)
        self.assertEqual("frazil: " + found["error"] + "\n", shown.err)
        self.assertEqual(list(found)[:3], ["file", "kind", "size"])
        return found

    def change(self, path, offset, data):
        whole = bytearray(path.read_bytes())
        whole[offset:offset + len(data)] = data
        path.write_bytes(whole)

    def test_parquet_up_to_the_broken_page(self):
        path = self.file("data/*.parquet")
        sound = self.frazil("inspect", path, "--output", "json").json()
        second = sound["row_groups"][0]["columns"][1]
        self.change(path, second["pages"][-1]["offset"], b"\xff" * 4)
        found = self.inspect_broken(path, "column name")
        self.assertEqual(found["columns"], sound["columns"])
        self.assertEqual(found["row_groups"][0]["columns"][0], sound["row_groups"][0]["columns"][0])
        self.assertEqual(found["row_groups"][0]["columns"][1]["pages"], second["pages"][:-1])

    def test_parquet_without_its_footer(self):
        path = self.file("data/*.parquet")
        sound = self.frazil("inspect", path, "--output", "json").json()
        pages = [page for column in sound["row_groups"][0]["columns"] for page in column["pages"]]
        end = pages[-1]["offset"] + pages[-1]["compressed_size"]
        path.write_bytes(path.read_bytes()[:end])
        front = self.inspect_broken(path, "expected the magic PAR1 at the end")["whole_pages_at_the_front"]
        self.assertEqual(front["pages"], sum(page["pages"] for page in pages))
        self.assertEqual(front["end"], end)

    def test_avro_up_to_the_broken_block(self):
        path = self.file("metadata/snap-*.avro")
        sound = self.frazil("inspect", path, "--output", "json").json()
        path.write_bytes(path.read_bytes()[:-3])
        found = self.inspect_broken(path, "Avro block")
        self.assertEqual(found["fields"], sound["fields"])
        self.assertEqual((sound["blocks"], found["blocks"], found["rows"]), (1, 0, 0))

    def test_puffin_up_to_the_broken_blob(self):
        path = self.file("data/*.puffin")
        sound = self.frazil("inspect", path, "--output", "json").json()
        vector = sound["blobs"][0]["deletion_vector"]
        self.assertEqual((vector["positions"], vector["first_positions"], vector["last_position"]), (2, [3, 5], 5))
        self.assertEqual(vector["containers"], [{"kind": "array", "first": 3, "last": 5, "positions": 2, "bytes": 4}])
        self.change(path, sound["blobs"][0]["offset"] + 20, b"\xff")
        found = self.inspect_broken(path, "blob 0: deletion vector")
        self.assertEqual(found["blobs"][0]["properties"], sound["blobs"][0]["properties"])
        self.assertNotIn("deletion_vector", found["blobs"][0])

    def test_metadata_that_is_cut(self):
        path = self.file("metadata/*.metadata.json")
        path.write_bytes(path.read_bytes()[:100])
        self.assertEqual(list(self.inspect_broken(path, "JSON at offset")), ["file", "kind", "size", "error"])

    def test_what_is_no_such_file_prints_nothing(self):
        self.assertIn("starts with bytes 4f 52 43", self.fails(7, "inspect", self.write("x.orc", b"ORC.....")))


if __name__ == "__main__":
    main()
