"""Operations that change rows: each tells frazil, or Spark, and says what becomes of the rows."""
import re
from collections import namedtuple

import history_inputs
from history_inputs import random_rows
from model import Change, Row, keep_all
from model_filters import assign, columns, formula, random_filter, selective, settled, some_ids, spark_value
from model_transforms import partition_of

# Of a merge: an action, a filter over the row, one over the source, assignments (path, formula) or None for all that the source has.
Clause = namedtuple("Clause", "action on_row on_source assignments")


def any_branch(history, new=False):
    branches = sorted({"main", *history.model.branches()})
    if new and history.model.head() and history.random.random() < 0.1 and len(branches) < 4:
        return history.new_name("b")
    return history.random.choice(["main", "main", *branches])


def rows_of(history, branch):
    """A branch that a write makes starts at main."""
    return history.model.rows(branch if branch in history.model.refs else "main")


def spark_rows(schema, rows):
    return ", ".join("(" + ", ".join(spark_value(field, values[field.id]) for field in schema) + ")" for values in rows)


def names(schema):
    return ", ".join(field.name for field in schema)


def insert_sql(history, branch, rows):
    schema = history.model.schema
    return f"INSERT INTO {history.spark_name(branch)} ({names(schema)}) VALUES {spark_rows(schema, rows)}"


def append(history):
    branch = any_branch(history, new=True)
    made = random_rows(history, history.random.randrange(1, 60))
    paths, rows = history.inputs(made, several=history.random.random() < 0.3)
    whole = rows == made and branch in history.model.refs
    piped = len(paths) == 1 and history.random.random() < 0.2
    history.write(["append", *(["-", "--format", paths[0].rpartition(".")[2]] if piped else paths)], Change(list(rows_of(history, branch)), [], rows),
                  branch, insert_sql(history, branch, rows) if whole else None, stdin=paths[0] if piped else None)


def copies(history, path):
    """Some rows of main as a Parquet file that a scan wrote; their values as the file has them."""
    rows = history.model.rows()
    chosen = some_ids(history.random, history.model.schema, rows, most=4)
    history.command(["scan", history.table, "--where", chosen.ours, "--output", "parquet", "--to", str(path), "--quiet"])
    return [settled(history.model.schema, row.values) for row in rows if chosen.holds(row.values)]


def append_copies(history):
    if history.model.rows():
        path = history_inputs.new_path(history, "parquet")
        made = copies(history, path)
        history.write(["append", str(path)], Change(list(history.model.rows()), [], made))


def add_files(history):
    """A file becomes a data file of the table as it is. Of a partitioned table it would have to be of one partition."""
    spec = next(spec for spec in history.metadata["partition-specs"] if spec["spec-id"] == history.metadata["default-spec-id"])
    if history.model.rows() and not spec["fields"]:
        path = history_inputs.new_path(history, "parquet")
        made = copies(history, path)
        history.write(["add-files", str(path)], Change(list(history.model.rows()), [], made))
        history.refused(["add-files", history.table, str(path), "--quiet"])  # it is live already


def stage(history):
    """Write-audit-publish: published by history_shape.publish."""
    if len(history.model.staged) > 4 or not history.model.head():
        return
    paths, rows = history.inputs(random_rows(history, history.random.randrange(1, 9)))
    history.write(["append", *paths], Change(list(history.model.rows()), [], rows), wap=history.new_name("w"))


def split(rows, chosen):
    held = [chosen.holds(row.values) is True for row in rows]
    return [row for row, yes in zip(rows, held) if yes], [row for row, yes in zip(rows, held) if not yes]


def java_loses_nulls(history, chosen):
    """Iceberg 1.12 deletes whole files by metadata where a partition value is null and the filter is <, <= or <> on its source: the null passes
    (ResidualEvaluator), and rows go for which the filter is unknown. Such filters are not asked of Spark; a bucket has none."""
    held = [field.name for field in history.model.schema if field.id in history.model.held and field.id != 1]
    return any(re.search(rf"\b{name}\b", chosen.sparks) for name in held)


def delete(history):
    branch = any_branch(history)
    rows = rows_of(history, branch)
    if not rows:
        return
    chosen = selective(history.random, history.model.schema, rows, 0.4)
    _, kept = split(rows, chosen)
    sql = f"DELETE FROM {history.spark_name(branch)} WHERE {chosen.sparks}"
    history.write(["delete", "--where", chosen.ours, *history.mode()], Change(kept, [], []), branch,
                  None if java_loses_nulls(history, chosen) else sql)


def any_assignments(history, in_merge=False, given=None):
    """[(path, formula)] of one or two columns, but id. In a merge, columns that the source has."""
    schema = history.model.schema
    fitting = [(path, get, field) for path, get, field in columns(schema)
               if field.id != 1 and not (in_merge and ("." in path or field.id not in given))]
    return [(path, formula(history.random, path, get, field, in_merge))
            for path, get, field in history.random.sample(fitting, min(len(fitting), history.random.randrange(1, 3)))]


def assigned(history, values, assignments, source=None):
    """Every formula sees the row as it was."""
    schema = history.model.schema
    out = settled(schema, values)
    for path, made in assignments:
        out = assign(schema, path, out, made.value(values, source))
    return out


def update(history):
    branch = any_branch(history)
    rows = rows_of(history, branch)
    if not rows:
        return
    chosen = selective(history.random, history.model.schema, rows, 0.5)
    hit, kept = split(rows, chosen)
    assignments = any_assignments(history)
    defaulted = [field for field in history.model.schema if field.write is not None]
    ours = [f"{path} = {made.ours}" for path, made in assignments]
    updated = [(row, assigned(history, row.values, assignments)) for row in hit]
    if defaulted and history.random.random() < 0.3:
        field = defaulted[0]
        ours = [f"{field.name} = DEFAULT"]
        updated = [(row, {**settled(history.model.schema, row.values), field.id: field.write}) for row in hit]
        assignments = None
    sql = assignments and (f"UPDATE {history.spark_name(branch)} SET {', '.join(f'{path} = {made.sparks}' for path, made in assignments)} "
                           f"WHERE {chosen.sparks}")
    nested = assignments and any("." in path for path, _ in assignments)  # Spark leaves a null struct null
    history.write(["update", "--set", ", ".join(ours), "--where", chosen.ours, *history.mode()], Change(kept, updated, []), branch,
                  None if nested else sql)


def some_keys(history, rows, count):
    """Ids of rows that are there, each once, and new ones."""
    there = sorted({row.values[1] for row in rows})
    chosen = history.random.sample(there, min(len(there), count // 2))
    return chosen + [10**6 + history.serial * 100 + i for i in range(count - len(chosen))]


def upsert(history):
    branch = any_branch(history)
    rows = rows_of(history, branch)
    keys = some_keys(history, rows, history.random.randrange(2, 16))
    path, source, given = history_inputs.source(history, random_rows(history, len(keys), keys))
    merged(history, branch, ["upsert", path, "--on", "id"], source, given, [Clause("update", None, None, None)], insert=True)


def streaming_upsert(history):
    """By equality deletes, without reading the table: old rows go, new ones have new ids (spec "Row Lineage"). Refused where deletes of the
    current partition spec do not reach every row that has the key."""
    branch = any_branch(history)
    if history.model.version == 1:
        return
    rows = rows_of(history, branch)
    keys = some_keys(history, rows, history.random.randrange(2, 9))
    keys.append(history.random.choice(keys))  # of a key that comes twice the last row stays
    paths, new = history.inputs(random_rows(history, len(keys), keys))
    words = ["upsert", *paths, "--on", "id", "--equality-deletes"]
    specs = {row["spec_id"] for row in history.frazil.lines("data-files", history.target(branch), "--select", "spec_id")} if rows else set()
    spec = history.model.spec  # without fields, deletes reach every partition
    if {source for source, _ in spec} - {1} or spec and specs - {history.metadata["default-spec-id"]}:
        history.refused([words[0], history.target(branch), *words[1:], "--quiet"])
    else:
        last = {values[1]: values for values in new}
        history.write(words, Change([row for row in rows if row.values[1] not in last], [], list(last.values())), branch)


def merge_change(history, rows, source, given, clauses, insert, gone=False):
    """The first clause whose conditions are true is taken; a row for which none holds counts as matched."""
    schema = history.model.schema
    by_key = {values[1]: values for values in source}
    kept, updated, matched = [], [], set()
    for row in rows:
        key = row.values[1]
        if key not in by_key:
            kept += [] if gone else [row]
            continue
        matched.add(key)
        clause = next((clause for clause in clauses if (clause.on_row is None or clause.on_row.holds(row.values) is True)
                       and (clause.on_source is None or clause.on_source.holds(by_key[key]) is True)), None)
        if clause is None:
            kept.append(row)
        elif clause.action == "update":
            new = (assigned(history, row.values, clause.assignments, by_key[key]) if clause.assignments is not None
                   else {**settled(schema, row.values), **{i: by_key[key][i] for i in given}})
            updated.append((row, new))
    return Change(kept, updated, [values for values in source if values[1] not in matched] if insert else [])


def merged(history, branch, words, source, given, clauses, insert, gone=False, sql=None):
    history.write([*words, *history.mode()], merge_change(history, rows_of(history, branch), source, given, clauses, insert, gone), branch, sql)


def any_clauses(history, rows, source, given):
    schema, random = history.model.schema, history.random
    held = tuple(field for field in schema if field.id in given and not field.fields)
    clauses = []
    for left, action in reversed(list(enumerate(random.sample(["delete", "update", "update"], random.randrange(1, 3))))):
        on_row = random_filter(random, schema, rows, 1) if left > 0 or random.random() < 0.5 else None  # only the last may be without
        on_source = random_filter(random, held, [Row(v, None, None) for v in source], 0) if random.random() < 0.3 else None
        assignments = any_assignments(history, True, given) if action == "update" and random.random() < 0.5 else None
        clauses.append(Clause(action, on_row, on_source, assignments or None))
        if not (on_row or on_source):
            break  # no row comes to a clause behind one without a condition
    return clauses


def clause_words(clause):
    conditions = [clause.on_row.ours] if clause.on_row else []
    if clause.on_source:
        conditions.append(of_source(clause.on_source.ours))
    words = ["--when-matched", clause.action] + (["--and", " and ".join(f"({text})" for text in conditions)] if conditions else [])
    return words + (["--set", ", ".join(f"{path} = {made.ours}" for path, made in clause.assignments)] if clause.assignments else [])


def of_source(text, prefix="source."):
    """A filter of one column, which stands first."""
    return prefix + text


def clause_sql(history, clause):
    conditions = [clause.on_row.sparks.replace("id ", "t.id ")] if clause.on_row else []
    if clause.on_source:
        conditions.append(of_source(clause.on_source.sparks, "s."))
    schema = history.model.schema
    pairs = ([(path, made.sparks) for path, made in clause.assignments] if clause.assignments
             else [(field.name, f"s.{field.name}") for field in schema])
    action = "DELETE" if clause.action == "delete" else f"UPDATE SET {', '.join(f't.{path} = {text}' for path, text in pairs)}"
    return f"WHEN MATCHED{''.join(f' AND ({text})' for text in conditions)} THEN {action} "


def id_alone(schema):
    return tuple(field for field in schema if field.id == 1)


def merge(history):
    branch = any_branch(history)
    rows = rows_of(history, branch)
    keys = some_keys(history, rows, history.random.randrange(2, 16))
    if not rows:
        return
    path, source, given = history_inputs.source(history, random_rows(history, len(keys), keys))
    clauses = any_clauses(history, rows, source, given)
    insert, gone = history.random.random() < 0.7, history.random.random() < 0.1
    words = ["merge", path, "--on", "id", *(word for clause in clauses for word in clause_words(clause)),
             *(["--when-not-matched", "insert"] if insert else []), *(["--when-not-matched-by-source", "delete"] if gone else [])]
    merged(history, branch, words, source, given, clauses, insert, gone)


def merge_by_spark(history):
    """A merge with every column, which frazil or Spark does; a column of the table alone has no name that both sides have."""
    branch = any_branch(history)
    rows, schema = rows_of(history, branch), history.model.schema
    if not rows:
        return
    keys = some_keys(history, rows, history.random.randrange(2, 16))
    path, source = history_inputs.json_lines(history, random_rows(history, len(keys), keys))
    action = history.random.choice(["delete", "update"])
    clauses = [Clause(action, None, random_filter(history.random, id_alone(schema), rows, 0), None), Clause("update", None, None, None)]
    words = ["merge", path, "--on", "id", *(word for clause in clauses for word in clause_words(clause)), "--when-not-matched", "insert"]
    sql = (f"MERGE INTO {history.spark_name(branch)} t USING (SELECT * FROM VALUES {spark_rows(schema, source)} AS v({names(schema)})) s "
           f"ON t.id = s.id {''.join(clause_sql(history, clause) for clause in clauses)}"
           f"WHEN NOT MATCHED THEN INSERT ({names(schema)}) VALUES ({', '.join(f's.{field.name}' for field in schema)})")
    merged(history, branch, words, source, {field.id for field in schema}, clauses, True, sql=sql)


def refused_merge(history):
    """A row that two rows of the source match."""
    rows = history.model.rows()
    if not rows:
        return
    key = history.random.choice(rows).values[1]
    path, _ = history_inputs.json_lines(history, random_rows(history, 2, [key, key]))
    verb = history.random.choice([["upsert"], ["merge", "--when-matched", "update"]])
    history.refused([verb[0], history.table, path, "--on", "id", *verb[1:], "--quiet"])


def overwrite_filter(history):
    branch = any_branch(history)
    rows = rows_of(history, branch)
    if not rows:
        return
    low = history.random.choice(rows).values[1]
    high = low + history.random.randrange(1, 12)
    paths, new = history.inputs(random_rows(history, 3, [low, high, (low + high) // 2]))
    kept = [row for row in rows if not low <= row.values[1] <= high]
    history.write(["overwrite", *paths, "--where", f"id between {low} and {high}", *history.mode()], Change(kept, [], new), branch)


def overwrite_dynamic(history):
    branch = any_branch(history)
    if branch not in history.model.refs:
        return
    paths, new = history.inputs(random_rows(history, history.random.randrange(1, 6)))
    gone = {partition_of(history.model, values) for values in new}
    kept = [row for row in rows_of(history, branch) if partition_of(history.model, row.values) not in gone]
    history.write(["overwrite", *paths, "--dynamic", *history.mode()], Change(kept, [], new), branch)


UPSERT = [Clause("update", None, None, None)]


def batched_upsert(history, rows):
    keys = some_keys(history, rows, history.random.randrange(2, 9))
    path, source, given = history_inputs.source(history, random_rows(history, len(keys), keys))
    return (["upsert", path, "--on", "id", *history.mode()],
            lambda before: merge_change(history, before, source, given, UPSERT, insert=True))


def batched_overwrite(history, rows):
    low = history.random.choice(rows).values[1]
    high = low + history.random.randrange(1, 12)
    paths, new = history.inputs(random_rows(history, 2, [low, high]))
    return (["overwrite", *paths, "--where", f"id between {low} and {high}", *history.mode()],
            lambda before: Change([row for row in before if not low <= row.values[1] <= high], [], new))


def batched_dynamic(history, rows):
    paths, new = history.inputs(random_rows(history, history.random.randrange(1, 4)))
    gone = {partition_of(history.model, values) for values in new}
    return (["overwrite", *paths, "--dynamic", *history.mode()],
            lambda before: Change([row for row in before if partition_of(history.model, row.values) not in gone], [], new))


def batch(history):
    """Several statements as one transaction: each sees what those before it did."""
    rows, schema, random = history.model.rows(), history.model.schema, history.random
    if not rows:
        return
    paths, new = history.inputs(random_rows(history, random.randrange(1, 12)))
    gone, hit = selective(random, schema, rows, 0.2), selective(random, schema, rows, 0.3)
    assignments = any_assignments(history)
    sets = ", ".join(f"{path} = {made.ours}" for path, made in assignments)

    def updated(before):
        chosen, kept = split(before, hit)
        return Change(kept, [(row, assigned(history, row.values, assignments)) for row in chosen], [])

    statements = [(["append", *paths], lambda before: Change(list(before), [], new)),
                  (["delete", "--where", gone.ours, *history.mode()], lambda before: Change(split(before, gone)[1], [], [])),
                  (["update", "--set", sets, "--where", hit.ours, *history.mode()], updated)]
    statements += [make(history, rows) for make in random.sample([batched_upsert, batched_overwrite, batched_dynamic], 2)]
    random.shuffle(statements)
    history.batch(statements)


def truncate(history):
    branch = any_branch(history)
    if branch in history.model.refs:
        history.write(["truncate"], Change([], [], []), branch, f"TRUNCATE TABLE {history.spark_name()}" if branch == "main" else None)


# What only Spark does: rows and their lineage stay.


def compact(history):
    if history.model.rows():
        history.write(None, keep_all(history.model.rows()), sql=f"CALL default.system.rewrite_data_files(table => '{history.table}', "
                      "options => map('rewrite-all', 'true'))")


def rewrite_manifests(history):
    if history.model.rows():
        history.write(None, keep_all(history.model.rows()), sql=f"CALL default.system.rewrite_manifests('{history.table}')")


def rewrite_deletes(history):
    # Spark puts deletes of equal partitions of two specs into one group, and then refuses it ("expected to have same spec id").
    specs = {row["spec_id"] for row in history.frazil.lines("delete-files", history.table)}
    if history.model.rows() and history.model.version > 1 and len(specs) < 2:
        history.write(None, keep_all(history.model.rows()), sql="CALL default.system.rewrite_position_delete_files("
                      f"table => '{history.table}', options => map('rewrite-all', 'true'))")


CHOICES = [(14, append), (4, append_copies), (4, add_files), (4, stage), (10, delete), (10, update), (6, upsert), (3, streaming_upsert), (6, merge), (5, merge_by_spark),
           (2, refused_merge), (5, overwrite_filter), (3, overwrite_dynamic), (4, batch), (1, truncate)]
SPARK_CHOICES = [(4, compact), (2, rewrite_manifests), (2, rewrite_deletes)]
