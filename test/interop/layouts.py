"""How files are laid out by what a table asks for: sort orders, Bloom filters, hashed paths, granularity of deletes; judged by the others."""
from functools import partial

import duckdb

from row_changes import every_kind
from tables import COLUMNS, SMALL

HASHED = "write.object-storage.enabled=true"


def columns_for_filters():
    """Columns of a type that DuckDB's parquet_bloom_probe takes a value of."""
    return [column for column in COLUMNS if column[1] in ("int", "long", "string", "double")]


def path_of(location):
    """Spark writes file:/a where others write file:///a."""
    return location.removeprefix("file://").removeprefix("file:")


def data_files(suite, table):
    return [row for row in suite.frazil.lines("data-files", table)]


def literal(value):
    text = "'" + str(value).replace("'", "''") + "'"
    return text if isinstance(value, str) else f"{text}::{'DOUBLE' if isinstance(value, float) else 'BIGINT'}"


def probe(suite, table, columns):
    """DuckDB's Bloom probe excludes no row group that holds a value, and most of those that do not."""
    connection, asked, excluded = duckdb.connect(), 0, 0
    for file in data_files(suite, table):
        path = path_of(file["file_path"])
        with_filter = {name for name, offset in connection.sql(
            f"SELECT path_in_schema, bloom_filter_offset FROM parquet_metadata('{path}')").fetchall() if offset}
        for name, _, _ in columns:
            if name not in with_filter:
                return f"{path}: {name} has no Bloom filter"
            held = {row[0] for row in connection.sql(f"SELECT DISTINCT {name} FROM '{path}' WHERE {name} IS NOT NULL LIMIT 300").fetchall()}
            for value in held:
                answer = connection.sql(f"SELECT bool_and(bloom_filter_excludes) FROM parquet_bloom_probe('{path}', '{name}', {literal(value)})")
                if answer.fetchone()[0]:
                    return f"{path}: {name} = {value!r} is there, the filter says no"
            for value in [f"none-{i}" if isinstance(next(iter(held), 0), str) else 10**9 + i * 7 for i in range(20)]:
                answer = connection.sql(f"SELECT bool_and(bloom_filter_excludes) FROM parquet_bloom_probe('{path}', '{name}', {literal(value)})")
                asked, excluded = asked + 1, excluded + answer.fetchone()[0]
    return "" if excluded > asked * 0.9 else f"of {asked} values that are not there {excluded} are excluded"


def blooms(suite, version):
    table = f"t.l_bloom_v{version}"
    columns = columns_for_filters()
    suite.create(table, COLUMNS, version, "", [f"write.parquet.bloom-filter-enabled.column.{name}=true" for name, _, _ in columns])
    suite.append(table, COLUMNS, 0, 400)
    suite.append(table, COLUMNS, 400, 100)
    suite.check("DuckDB's probe finds what the files hold", lambda: probe(suite, table, columns))
    suite.all_agree(table, version)
    name = next(name for name, kind, _ in columns if kind == "string")
    value = next(row[name] for row in suite.frazil.rows(table) if row[name])
    text = literal(value)
    suite.check("Spark finds rows by a filtered column", lambda: same_rows(suite, table, f"{name} = {text}"))


def same_rows(suite, table, where):
    ours, theirs = suite.frazil.rows(table, "--where", where), suite.spark.rows(table, where=where)
    return "" if ours and len(ours) == len(theirs) else f"frazil {len(ours)}, Spark {len(theirs)} rows"


def hashed_as_pyiceberg_does(suite, table):
    """Each path is what PyIceberg's ObjectStoreLocationProvider makes of the same name; Spark's own files are judged alike."""
    from pyiceberg.table.locations import load_location_provider

    metadata = suite.pyiceberg.table(table).metadata
    provider = load_location_provider(metadata.location, metadata.properties)
    partitioned = metadata.properties.get("write.object-storage.partitioned-paths") != "false"
    for file in data_files(suite, table):
        path = path_of(file["file_path"])
        parts = path.removeprefix(path_of(provider.data_path)).strip("/").split("/")
        want = path_of(provider.new_data_location("/".join(parts[4:]) if partitioned else parts[3].split("-", 1)[1]))
        if want != path:
            return f"{path}, by PyIceberg {want}"
    return ""


def hashed(suite, version, partitioned, elsewhere):
    table = f"t.l_hashed_v{version}_{int(partitioned)}{int(elsewhere)}"
    properties = [HASHED]
    if not partitioned:
        properties.append("write.object-storage.partitioned-paths=false")
    if elsewhere:
        properties.append(f"write.data.path=file://{suite.warehouse}/elsewhere/{table}")
    suite.create(table, SMALL, version, "b", properties)
    suite.append(table, SMALL, 0, 40)
    suite.spark.sql(f"INSERT INTO default.{table} SELECT * FROM default.{table} LIMIT 7")
    suite.append(table, SMALL, 40, 10)
    if not elsewhere:  # PyIceberg knows no context of locations outside of the table
        suite.check("paths are hashed as PyIceberg does, and Spark", lambda: hashed_as_pyiceberg_does(suite, table))
    else:
        suite.check("paths outside of the table have Spark's form", lambda: same_form(suite, table))
    suite.all_agree(table, version)


def same_form(suite, table):
    """Four folders of a hash, then database and table, then the partition."""
    forms = set()
    for file in data_files(suite, table):
        parts = file["file_path"].split("/elsewhere/")[1].split("/")[1:]
        if [len(part) for part in parts[:4]] != [4, 4, 4, 8] or set("".join(parts[:4])) - {"0", "1"}:
            return f"{file['file_path']}: no hash"
        forms.add((tuple(parts[4:6]), len(parts)))
    return "" if len(forms) == 1 else f"forms {forms}"


def sorted_files(suite, version, partition):
    """Rows are in order within each file, which says so; Spark reads the order that the table asks for."""
    table = f"t.l_sorted_v{version}_{'p' if partition else 'n'}"
    suite.create(table, COLUMNS, version, partition)
    suite.frazil.run("alter", table, "set", "sort", "id desc")
    suite.append(table, COLUMNS, 0, 300, "--max-open-files", "2")
    suite.check("DuckDB finds the rows of each file in order", lambda: in_order(suite, table))
    suite.all_agree(table, version)


def in_order(suite, table):
    connection = duckdb.connect()
    for file in data_files(suite, table):
        path = path_of(file["file_path"])
        ids = [row[0] for row in connection.sql(f"SELECT id FROM read_parquet('{path}', file_row_number = true) ORDER BY file_row_number").fetchall()]
        if ids != sorted(ids, reverse=True):
            return f"{path}: {ids[:20]}"
        if file["sort_order_id"] != 1:
            return f"{path}: sort_order_id {file['sort_order_id']}"
    return ""


def granular(suite, granularity):
    """V2 position deletes, a file per data file or per partition, changed by every verb."""
    table = f"t.l_{granularity}"
    suite.create(table, SMALL, 2, "b", [f"write.delete.granularity={granularity}"])
    every_kind(suite, table, SMALL, ["--mode", "merge-on-read"])
    suite.all_agree(table, 2)
    suite.metadata_agrees(table)


def scenarios():
    for version in (2, 3):
        yield f"layouts: Bloom filters, V{version}", partial(blooms, version=version)
        yield f"layouts: hashed paths, V{version}", partial(hashed, version=version, partitioned=True, elsewhere=False)
        for partition in ("", "bucket(3, id)"):
            yield f"layouts: sorted files, V{version} {partition}", partial(sorted_files, version=version, partition=partition)
    yield "layouts: hashed paths without partitions", partial(hashed, version=2, partitioned=False, elsewhere=False)
    yield "layouts: hashed paths elsewhere", partial(hashed, version=2, partitioned=True, elsewhere=True)
    for granularity in ("file", "partition"):
        yield f"layouts: position deletes by {granularity}", partial(granular, granularity=granularity)
