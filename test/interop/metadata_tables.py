"""All sixteen metadata tables as frazil and Spark show them."""
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "conformance"))
from peers import Failure  # noqa: E402
from rows import canonical  # noqa: E402

TABLES = ("snapshots", "history", "refs", "metadata_log_entries", "manifests", "partitions", "files", "data_files", "delete_files",
          "entries", "position_deletes", "all_files", "all_data_files", "all_delete_files", "all_manifests", "all_entries")
MAPS = ("column_sizes", "value_counts", "null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds", "summary")


def paired(value):
    """Maps as pairs in the order of their keys: frazil prints those with text keys as objects, others as lists."""
    if isinstance(value, list):
        return [paired(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: pairs(item) if name in MAPS else paired(item) for name, item in value.items()}


def pairs(value):
    if isinstance(value, dict):
        value = value.get("$map", list(value.items()))
    return value if value is None else sorted([str(key), item] for key, item in value)


def differ(table, ours, theirs):
    ours, theirs = ([canonical(paired(row)) for row in rows] for rows in (ours, theirs))
    missing, extra = [row for row in theirs if row not in ours], [row for row in ours if row not in theirs]
    if missing or extra:
        return f"{table}: only theirs {missing[:1]!s:.600}; only ours {extra[:1]!s:.600}"
    return "" if sorted(ours) == sorted(theirs) else f"{table}: rows occur a different number of times"


def agree(suite, name):
    """An account of the first table that differs."""
    for table in TABLES:
        try:
            theirs = suite.spark.sql(f"SELECT * FROM default.{name}.{table}")
        except Failure as failure:
            return f"{table}: {failure}"
        problem = differ(table, suite.frazil.lines(table.replace("_", "-"), name), theirs)
        if problem:
            return problem
    return ""
