"""DuckDB with its iceberg extension: one question on standard input, one answer on standard output.

A process of its own for each question, because DuckDB ends the process on some tables.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from plain import plain_row  # noqa: E402


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
    question = json.loads(sys.stdin.read())
    cursor = connect().execute(question["sql"])
    names = [column[0] for column in cursor.description]
    rows = [plain_row(dict(zip(names, row))) for row in cursor.fetchall()]
    print(json.dumps({"rows": rows}))


if __name__ == "__main__":
    main()
