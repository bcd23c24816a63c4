"""DuckDB with its iceberg extension as a server on standard input: one JSON question {"sql": TEXT} a line, one answer a line."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from plain import arrow_rows  # noqa: E402


def connect():
    import duckdb
    import duckdb_extension_avro
    import duckdb_extension_iceberg

    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    for module, name in ((duckdb_extension_avro, "avro"), (duckdb_extension_iceberg, "iceberg")):
        folder = os.path.join(os.path.dirname(module.__file__), "extensions")
        found = [os.path.join(base, file) for base, _, files in os.walk(folder) for file in files
                 if file == f"{name}.duckdb_extension"]
        connection.execute(f"LOAD '{found[0]}'")
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def main():
    import duckdb

    connection = connect()
    print(json.dumps({"version": duckdb.__version__}), flush=True)
    for line in sys.stdin:
        try:
            result = {"rows": arrow_rows(connection.execute(json.loads(line)["sql"]).to_arrow_table())}
        except Exception as problem:  # every failure is an answer
            result = {"error": str(problem)[:2000]}
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
