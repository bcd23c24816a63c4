"""Random tables that Spark writes, evolves and deletes from: every peer and frazil read equal rows at every snapshot, and by random filters.

Each table has a seed, which its name tells; the same seed gives the same statements. Filters are asked of Spark and DuckDB as values of a
select list, so that their own pruning has no part in it, of frazil as --where, with its pruning, and of PyIceberg, which has no such values,
as its filter where its language has the same meaning: not for NaN and not for what null makes of a negation.
"""
import json
import random
import re
from functools import partial

from suite import DUCKDB_LIKE_VECTORS, PYICEBERG_NULL_PARTITIONS


FILTERS_PER_TABLE = 34

# A column: its type in Spark, an expression over `id` (and a salt), and constants to compare with, as frazil and Spark write them.
KINDS = {
    "INT": ("CAST(pmod(hash(id, {salt}), 100) - 50 AS INT)", ["-7", "0", "31", "-50", "2000"]),
    "BIGINT": ("CAST(hash(id, {salt}) AS BIGINT) * 1000", ["0", "-2000000000", "1500000000000", "7"]),
    "FLOAT": ("CAST(CASE pmod(hash(id, {salt}), 7) WHEN 0 THEN double('NaN') WHEN 1 THEN -0.0D ELSE pmod(hash(id, {salt}), 40) / 8 END AS FLOAT)",
              ["0", "1.5", "2.125", "-1"]),
    "DOUBLE": ("CASE pmod(hash(id, {salt}), 9) WHEN 0 THEN double('NaN') WHEN 1 THEN double('-Infinity') ELSE hash(id, {salt}) / 1e6 END",
               ["0", "100.5", "-1000", "2000"]),
    "DECIMAL(9,2)": ("CAST(pmod(hash(id, {salt}), 10000) / 100 AS DECIMAL(9,2))", ["0.00", "50.25", "99.99", "-1.00"]),
    "DATE": ("date_add(DATE '2025-12-20', pmod(hash(id, {salt}), 40))", [("date '2026-01-01'",) * 2, ("date '2025-12-25'",) * 2]),
    "TIMESTAMP_NTZ": ("TIMESTAMP_NTZ '2026-01-01 00:00:00' + make_interval(0, 0, 0, 0, pmod(hash(id, {salt}), 120), 0, 0.000001)",
                      [("timestamp '2026-01-03 00:00:00'", "timestamp_ntz '2026-01-03 00:00:00'")]),
    "TIMESTAMP": ("TIMESTAMP '1970-01-01 00:00:00' + make_interval(0, 0, 0, 0, pmod(hash(id, {salt}), 120) - 60, 0, -0.000001)",
                  [("timestamptz '1970-01-01T00:00:00Z'", "timestamp '1970-01-01 00:00:00'")]),
    "STRING": ("concat('w', pmod(hash(id, {salt}), 30))", ["'w1'", "'w2'", "'w'", "'zz'"]),
    "BOOLEAN": ("pmod(hash(id, {salt}), 2) = 0", ["true", "false"]),
}
PROMOTIONS = {"INT": "BIGINT", "FLOAT": "DOUBLE", "DECIMAL(9,2)": "DECIMAL(30,2)"}
PARTITIONS = {"INT": ["bucket(3, {})", "truncate(10, {})", "{}"], "BIGINT": ["bucket(4, {})"], "DATE": ["months({})", "days({})"],
              "TIMESTAMP_NTZ": ["days({})", "months({})"], "TIMESTAMP": ["days({})", "years({})"], "STRING": ["truncate(2, {})", "bucket(3, {})", "{}"],
              "DECIMAL(9,2)": ["truncate(20, {})"], "BOOLEAN": ["{}"]}


class RandomTable:
    def __init__(self, suite, seed, version):
        self.suite, self.random, self.version = suite, random.Random(seed), version
        self.table, self.rows, self.columns, self.serial = f"t.random_{seed}_v{version}", 0, {}, 0
        self.name = f"default.{self.table}"
        self.terms = set()
        self.partitioned = frozenset()  # columns that may be neither dropped nor promoted
        for kind in self.random.sample(sorted(KINDS), 6):
            self.columns[self.new_name()] = kind
        mode = self.random.choice(["merge-on-read", "copy-on-write"]) if version > 1 else "copy-on-write"
        granularity = self.random.choice(["file", "partition"])
        partition = self.partition()
        self.partitioned = frozenset(name for name in self.columns if name in partition)
        self.sql(f"CREATE TABLE {self.name} (id BIGINT NOT NULL, {', '.join(f'{name} {kind}' for name, kind in self.columns.items())}, "
                 f"st STRUCT<a: INT, b: STRING>, ls ARRAY<STRUCT<x: INT>>) USING iceberg "
                 f"{f'PARTITIONED BY ({partition})' if partition else ''} TBLPROPERTIES ('format-version'='{version}', "
                 f"'write.delete.mode'='{mode}', 'write.update.mode'='{mode}', 'write.merge.mode'='{mode}', "
                 f"'write.delete.granularity'='{granularity}', 'write.parquet.page-row-limit'='20')")

    def sql(self, text):
        return self.suite.spark.sql(text)

    def new_name(self):
        self.serial += 1
        return f"c{self.serial}"

    def partition(self):
        fitting = [name for name, kind in self.columns.items() if kind in PARTITIONS]
        if not fitting or self.random.random() < 0.2:
            return ""
        name = self.random.choice(fitting)
        term = self.random.choice(PARTITIONS[self.columns[name]])
        used = (self.columns[name], term) in self.terms  # Java refuses the same term of a column twice
        self.terms.add((self.columns[name], term))
        return "" if used else term.format(name)

    def value(self, kind):
        text = next(text for known, (text, _) in KINDS.items() if known == kind or PROMOTIONS.get(known) == kind)
        salt = self.random.randrange(1000)
        return f"if(pmod(hash(id, {salt + 1}), 6) = 0, null, CAST({text.format(salt=salt)} AS {kind}))"

    # Changes.

    def insert(self):
        count = self.random.randrange(20, 120)
        fields = self.sql(f"DESCRIBE TABLE {self.name}")
        parts = []
        for row in fields:
            name, kind = row["col_name"], row["data_type"].upper()
            if not name or name.startswith("#"):
                break
            parts.append(self.any_value(name, kind, row["data_type"]) + f" AS {name}")
        self.sql(f"INSERT INTO {self.name} SELECT {', '.join(parts)} FROM range({self.rows}, {self.rows + count})")
        self.rows += count

    def any_value(self, name, kind, written):
        if name == "id":
            return "id"
        if name in self.columns:
            return self.value(self.columns[name])
        sample = "named_struct('a', CAST(id AS INT), 'b', concat('b', id))" if name == "st" else "array(named_struct('x', CAST(id % 5 AS INT)), null)"
        text = f"from_json(to_json({sample}), '{written}')" if name in ("st", "ls") else "null"
        return f"if(id % 5 = 0, null, {text})"

    def delete(self):
        self.sql(f"DELETE FROM {self.name} WHERE {self.predicate()[1]} AND id % {self.random.randrange(2, 5)} = 0")

    def update(self):
        name = self.random.choice(sorted(self.columns))
        self.sql(f"UPDATE {self.name} SET {name} = {self.value(self.columns[name])} WHERE id % {self.random.randrange(5, 30)} = 1")

    def add(self):
        name, kind = self.new_name(), self.random.choice(sorted(KINDS))
        place = self.random.choice(["", " FIRST", " AFTER id"])
        self.sql(f"ALTER TABLE {self.name} ADD COLUMN {name} {kind}{place}")
        self.columns[name] = kind

    def add_nested(self):
        path = self.random.choice(["st", "ls.element"])
        self.sql(f"ALTER TABLE {self.name} ADD COLUMN {path}.{self.new_name()} STRING")

    def add_with_default(self):
        """By Java, as Spark's DDL has no defaults."""
        kind, value = self.random.choice([("INT", 7), ("STRING", "given"), ("BOOLEAN", True), ("DOUBLE", 0.5)])
        name = self.new_name()
        self.suite.spark.add_column(self.name, name, kind.lower(), value)
        self.columns[name] = kind

    def drop(self):
        free = sorted(set(self.columns) - self.partitioned)
        if free:
            name = self.random.choice(free)
            self.sql(f"ALTER TABLE {self.name} DROP COLUMN {name}")
            del self.columns[name]

    def rename(self):
        old, new = self.random.choice(sorted(self.columns)), self.new_name()
        self.sql(f"ALTER TABLE {self.name} RENAME COLUMN {old} TO {new}")
        self.columns[new] = self.columns.pop(old)
        self.partitioned = self.partitioned | {new} if old in self.partitioned else self.partitioned

    def promote(self):
        fitting = [name for name, kind in self.columns.items() if kind in PROMOTIONS and name not in self.partitioned]
        if fitting:
            name = self.random.choice(sorted(fitting))
            self.columns[name] = PROMOTIONS[self.columns[name]]
            self.sql(f"ALTER TABLE {self.name} ALTER COLUMN {name} TYPE {self.columns[name]}")

    def repartition(self):
        term = self.partition()
        if term:
            self.serial += 1
            self.sql(f"ALTER TABLE {self.name} ADD PARTITION FIELD {term} AS p{self.serial}")
            self.partitioned = self.partitioned | {name for name in self.columns if name in term}

    def make(self, changes):
        """A table is filled first; every kind of evolution comes once, then whatever comes."""
        steps = [self.add, self.add_nested, self.rename, self.repartition] + ([self.add_with_default] * 2 if self.version == 3 else [])
        self.random.shuffle(steps)
        self.insert()
        for step in steps:
            step()
            self.random.choice([self.insert, self.delete, self.update])()
        for _ in range(changes):
            self.random.choice([self.insert, self.insert, self.delete, self.update, self.drop, self.promote])()
        self.insert()
        self.delete()

    # Filters, as frazil and as Spark write them.

    def constant(self, kind):
        known = next((text for text in KINDS if text == kind or PROMOTIONS.get(text) == kind))
        chosen = self.random.choice(KINDS[known][1])
        return chosen if isinstance(chosen, tuple) else (chosen, f"CAST({chosen} AS {kind})")

    def leaf(self):
        name = self.random.choice(sorted(self.columns))
        kind, shape = self.columns[name], self.random.randrange(10)
        if shape < 2:
            text = f"{name} is {'not ' if shape else ''}null"
            return text, text
        if shape == 2 and kind in ("FLOAT", "DOUBLE"):
            return f"isnan({name})", f"({name} is not null and isnan({name}))"
        if shape == 3 and kind == "STRING":
            return (f"{name} like 'w1%'",) * 2
        if shape == 4:
            several = [self.constant(kind) for _ in range(3)]
            negated = self.random.choice(["", "not "])
            return tuple(f"{name} {negated}in ({', '.join(item[side] for item in several)})" for side in (0, 1))
        sign = self.random.choice(["=", "<>", "<", "<=", ">", ">="] if kind != "BOOLEAN" else ["=", "<>"])
        value = self.constant(kind)
        return tuple(f"{name} {sign} {value[side]}" for side in (0, 1))

    def predicate(self, depth=2):
        if depth == 0 or self.random.random() < 0.3:
            return self.leaf()
        if self.random.random() < 0.2:
            return tuple(f"not ({text})" for text in self.predicate(depth - 1))
        word, left, right = self.random.choice(["and", "or"]), self.predicate(depth - 1), self.predicate(depth - 1)
        return tuple(f"(({left[side]}) {word} ({right[side]}))" for side in (0, 1))

    def filters(self):
        """Every filter by one question to a peer; answers ids."""
        pairs = [self.predicate() for _ in range(FILTERS_PER_TABLE)]
        spark = self.sql(f"SELECT id, {', '.join(f'({text}) AS f{i}' for i, (_, text) in enumerate(pairs))} FROM {self.name}")
        duckdb = self.suite.duckdb.ask(json.dumps({"sql": f"SELECT id, {', '.join(f'({text}) AS f{i}' for i, (text, _) in enumerate(pairs))} "
                                                          f"FROM iceberg_scan('{self.suite.frazil.metadata(self.table)}')"}))
        selective, rows = 0, self.ids(self.suite.frazil.rows(self.table, "--select", "id"))
        mixed = self.version == 3 and self.ids(duckdb) != rows and self.suite.vectors_alike(self.table)
        if mixed:
            self.suite.allow(DUCKDB_LIKE_VECTORS)
        for i, (ours, _) in enumerate(pairs):
            got = self.ids(self.suite.frazil.rows(self.table, "--select", "id", "--where", ours))
            wants = {"Spark": self.ids(row for row in spark if row[f"f{i}"])}
            if not mixed:
                wants["DuckDB"] = self.ids(row for row in duckdb if row[f"f{i}"])
            if self.fits_pyiceberg(ours):
                wants["PyIceberg"] = self.by_pyiceberg(ours, got)
            for peer, want in wants.items():
                if want != got:
                    return f"{ours}: only {peer} {sorted(set(want) - set(got))[:5]}, only ours {sorted(set(got) - set(want))[:5]}"
            selective += 0 < len(got) < len(rows)
        return "" if 3 * selective > len(pairs) else f"only {selective} of {len(pairs)} filters select some rows: they prove little"

    def by_pyiceberg(self, text, ours):
        text = re.sub(r"\b(date|timestamp|timestamptz) '", "'", text).replace(" 00:00:00'", "T00:00:00'").replace("Z'", "+00:00'")
        try:
            return self.ids(self.suite.pyiceberg.rows(self.table, where=text))
        except TypeError as problem:
            if "'NoneType'" not in str(problem):
                raise
            self.suite.allow(PYICEBERG_NULL_PARTITIONS)
            return ours

    @staticmethod
    def ids(rows):
        return sorted(row["id"] for row in rows)

    def fits_pyiceberg(self, text):
        names = re.findall(r"\bc\d+\b", text)
        return not re.search(r"not |<>|isnan|like", text) and not any(self.columns[name] in ("FLOAT", "DOUBLE", "BOOLEAN") for name in names)


def random_table(suite, seed, version):
    made = RandomTable(suite, seed, version)
    made.make(changes=4)
    suite.all_agree(made.table, version)
    suite.check(f"{FILTERS_PER_TABLE} random filters select the rows that the peers select", made.filters)


def scenarios():
    for version, seeds in ((1, (11,)), (2, (21, 22)), (3, (31, 32, 33))):
        for seed in seeds:
            yield f"random table {seed} of V{version}", partial(random_table, seed=seed, version=version)
