"""PyIceberg, Polars or DuckDB as a server on standard input: one JSON question {"metadata", "snapshot", "maps"} a line, one
answer {"rows": [...]} or {"error": TEXT} a line. `peer_server.py NAME` is started by peers.py, in the peers' environment."""
import json
import os
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "interop")]
from plain import arrow_rows  # noqa: E402

MAPS = {}


def moved(path):
    old = max((old for old in MAPS if path.startswith(old)), key=len, default=None)
    return path if old is None else MAPS[old] + path[len(old):]


class PyIceberg:
    def __init__(self):
        import pyiceberg

        self.version = pyiceberg.__version__

    def table(self, question):
        from pyiceberg.table import StaticTable

        return StaticTable.from_metadata(question["metadata"], {"py-io-impl": "mapped_io.MappedIO"})

    def rows(self, question):
        snapshot = question["snapshot"] and int(question["snapshot"])
        return arrow_rows(self.table(question).scan(snapshot_id=snapshot).to_arrow())


class Polars(PyIceberg):
    def __init__(self):
        import polars

        self.version = polars.__version__

    def rows(self, question):
        import polars

        snapshot = question["snapshot"] and int(question["snapshot"])
        return arrow_rows(polars.scan_iceberg(self.table(question), snapshot_id=snapshot).collect().to_arrow())


class DuckDB:
    def __init__(self):
        import duckdb
        from duckdb_peer import connect

        self.version, self.connection = duckdb.__version__, connect()

    def rows(self, question):
        """Moved tables are opened by their folder and the name of a version; those of relative paths where these hold. Deletion
        vectors do not follow a moved table: where a link of the recorded prefix leads here, the table is opened by it."""
        option = f", snapshot_from_id => {question['snapshot']}" if question["snapshot"] else ""
        metadata = Path(question["metadata"])
        relative = [old for old in MAPS if not old.startswith("/") and ":" not in old]
        if relative:
            return self.scan(f"{self.beside(metadata, min(relative, key=len))}'{option}")
        for old, new in MAPS.items():
            linked = old.removeprefix("file:")
            if os.path.exists(linked) and os.path.samefile(linked, new):
                return self.scan(f"{linked}/{metadata.relative_to(new)}'{option}")
        version = metadata.name.removesuffix(".metadata.json")
        if version.endswith(".gz"):
            version, option = version.removesuffix(".gz"), option + ", metadata_compression_codec => 'gzip'"
        return self.scan(f"{metadata.parent.parent}', allow_moved_paths => true, version => '{version}'{option}")

    def scan(self, arguments):
        return arrow_rows(self.connection.execute(f"SELECT * FROM iceberg_scan('{arguments})").to_arrow_table())

    @staticmethod
    def beside(metadata, old):
        """Goes to a folder in which `old` is what it stands for; the metadata's path from there."""
        folder = Path(tempfile.mkdtemp())
        (folder / old).parent.mkdir(parents=True, exist_ok=True)
        (folder / old).symlink_to(MAPS[old])
        os.chdir(folder)
        return Path(old) / metadata.relative_to(MAPS[old])


def main():
    peer = {"pyiceberg": PyIceberg, "polars": Polars, "duckdb": DuckDB}[sys.argv[1]]()
    print(json.dumps({"version": peer.version}), flush=True)
    for line in sys.stdin:
        question = json.loads(line)
        MAPS.clear()
        MAPS.update(question["maps"])
        try:
            answer = {"rows": peer.rows(question)}
        except BaseException as problem:  # every failure is an answer, Rust's panics too
            answer = {"error": f"{type(problem).__name__}: {problem}"[:2000]}
        print(json.dumps(answer), flush=True)
        if "FatalException" in answer.get("error", ""):
            return  # DuckDB answers nothing more; the next question starts another process


if __name__ == "__main__":
    sys.modules["peer_server"] = sys.modules["__main__"]  # mapped_io asks for the maps of this module
    main()
