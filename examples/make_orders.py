#!/usr/bin/env python3
"""Makes the data of the quickstart: an orders table as Parquet, CSV and JSON lines.

Usage: make_orders.py [FOLDER]. Needs pyarrow for the Parquet file. The result is committed beside this script,
so that the quickstart needs no Python; the seed is fixed, so that it can be made again.
"""
import csv
import json
import random
import sys
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

ROWS_PER_FILE = 1500
STATUSES = ["NEW", "PAID", "PAID", "PAID", "SHIPPED", "SHIPPED", "CANCELLED"]
COUNTRIES = ["AT", "BE", "CH", "DE", "DK", "ES", "FI", "FR", "IT", "NL", "NO", "PL", "PT", "SE"]
ITEMS = ["anorak", "beanie", "crampon", "dinghy", "eiderdown", "flask", "gaiter", "headlamp"]


def orders(random_source, day, first_id):
    start = datetime(2026, 1, day, tzinfo=timezone.utc)
    for i in range(ROWS_PER_FILE):
        items = random_source.sample(ITEMS, random_source.randint(1, 3))
        yield {
            "order_id": first_id + i,
            "customer": f"customer-{random_source.randint(1, 400):04d}",
            "country": random_source.choice(COUNTRIES),
            "status": random_source.choice(STATUSES),
            "amount": Decimal(random_source.randint(100, 99999)) / 100,
            "discount": random_source.choice([None, None, 0.05, 0.1]),
            "items": items,
            "updated_at": start + timedelta(seconds=random_source.randint(0, 86399)),
        }


def write_parquet(path, rows):
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([
        pa.field("order_id", pa.int64(), nullable=False), ("customer", pa.string()), ("country", pa.string()),
        ("status", pa.string()), ("amount", pa.decimal128(18, 2)), ("discount", pa.float64()),
        ("items", pa.list_(pa.string())), ("updated_at", pa.timestamp("us", tz="UTC"))])
    pq.write_table(pa.Table.from_pylist(list(rows), schema=schema), path, compression="zstd")


def write_csv(path, rows):
    """A CSV file cannot hold lists: the column is left out, and gets its default."""
    names = ["order_id", "customer", "country", "status", "amount", "discount", "updated_at"]
    with open(path, "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(names)
        for row in rows:
            row["updated_at"] = row["updated_at"].isoformat()
            writer.writerow(["" if row[name] is None else row[name] for name in names])


def write_jsonl(path, rows):
    with open(path, "w") as out:
        for row in rows:
            row["updated_at"] = row["updated_at"].isoformat()
            row["amount"] = str(row["amount"])
            print(json.dumps(row), file=out)


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "orders")
    folder.mkdir(parents=True, exist_ok=True)
    random_source = random.Random(20260101)
    write_parquet(folder / "day1.parquet", orders(random_source, 1, 1))
    write_csv(folder / "day2.csv", orders(random_source, 2, 1 + ROWS_PER_FILE))
    write_jsonl(folder / "day3.jsonl", orders(random_source, 3, 1 + 2 * ROWS_PER_FILE))


if __name__ == "__main__":
    main()
