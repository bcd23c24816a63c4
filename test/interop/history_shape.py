"""Operations that change a table beside its rows: columns, partitioning, sort order, properties, format version, branches and tags. Where
Spark has the same change, it may be told instead."""
import dataclasses

from model import Change, Field, find, placed, replaced
from model_filters import KINDS, PROMOTIONS, literals, sample_of, spark_type
from model_transforms import TERMS, spark_term, term_transform

PROPERTIES = {
    **{f"write.{verb}.mode": ("merge-on-read", "copy-on-write") for verb in ("delete", "update", "merge")},
    "write.parquet.compression-codec": ("zstd", "snappy", "gzip"), "write.parquet.page-row-limit": ("3", "50"),
    "write.metadata.compression-codec": ("gzip", "none"), "commit.manifest.min-count-to-merge": ("2", "100"),
    "commit.manifest-merge.enabled": ("true", "false"), "write.delete.granularity": ("file", "partition"),
    "write.metadata.metrics.default": ("counts", "truncate(4)", "full"), "team": ("ice", "snow")}


def alter_table(history, text):
    return f"ALTER TABLE default.{history.table} {text}"


def change_column(history, words, sql):
    history.alter(["alter", history.table, *words], alter_table(history, sql) if sql else None)


def top_level(history):
    """Columns that may go or change their type; `id` stays, and what a partition spec or a sort order is made of."""
    return [field for field in history.model.schema if field.id != 1 and field.id not in history.model.held]


def all_fields(history):
    """(path, field) at every depth, but `id`."""
    for field in history.model.schema:
        if field.id != 1:
            yield field.name, field
        yield from ((f"{field.name}.{child.name}", child) for child in field.fields)


def choose(history, items):
    items = list(items)
    return history.random.choice(items) if items else None


def free_name(history):
    """Often one that a column had before."""
    used = {name for field in history.model.schema for name in (field.name, *(child.name for child in field.fields))}
    past = sorted({f"c{i}" for i in range(1, history.serial)} - used)
    return history.random.choice(past) if past and history.random.random() < 0.4 else history.new_name("c")


def position(history, siblings):
    """(words, Spark's words, the name that it stands behind, None for first, or False for last)."""
    chosen = history.random.randrange(3)
    if chosen == 0:
        return [], "", siblings[-1].name
    if chosen == 1:
        return ["--first"], " FIRST", None
    after = history.random.choice(siblings).name
    return ["--after", after], f" AFTER {after}", after


# Columns.


def add_column(history):
    struct = choose(history, (field for field in history.model.schema if field.fields))
    nested = struct and history.random.random() < 0.3
    siblings = struct.fields if nested else history.model.schema
    kind, name = history.random.choice(KINDS), free_name(history)
    words, sparks, after = position(history, siblings)
    defaulted = history.model.version == 3 and history.random.random() < 0.5
    value = sample_of(history.random, kind) if defaulted else None
    required = value not in (None, "") and not nested and history.random.random() < 0.6
    defaults = [f"--default={plain_text(value)}"] if value not in (None, "") else []
    value = value if defaults else None
    path = f"{struct.name}.{name}" if nested else name
    field = Field(history.model.last_field_id + 1, name, kind, required, value, value)
    change_column(history, ["add", "column", path, kind, *(["not", "null"] if required else []), *defaults, *words],
                  None if defaults else f"ADD COLUMN {path} {spark_type(field)}{sparks}")
    history.model.field_ids(1)
    if nested:
        new = dataclasses.replace(struct, fields=placed(struct.fields, field, after))
        history.model.schema = replaced(history.model.schema, struct.id, new)
    else:
        history.model.schema = placed(history.model.schema, field, after)


def plain_text(value):
    return str(value).lower() if isinstance(value, bool) else literals("", value)[0] if not isinstance(value, str) else value


def add_struct(history):
    if sum(bool(field.fields) for field in history.model.schema) > 1:
        return
    first, name = history.model.last_field_id + 1, free_name(history)
    change_column(history, ["add", "column", name, "struct<m: long, n: string>"], f"ADD COLUMN {name} STRUCT<m: BIGINT, n: STRING>")
    history.model.field_ids(3)
    history.model.schema += (Field(first, name, "struct", fields=(Field(first + 1, "m", "long"), Field(first + 2, "n", "string"))),)


def add_columns_from_file(history):
    """By name: what the file has and the table has not."""
    name, scratch = free_name(history), history.new_name(f"{history.table}_scratch")
    path = str(history.warehouse / f"{scratch}.parquet")
    history.command(["create", scratch, "--schema", f"id long not null, {name} string"])
    history.command(["scan", scratch, "--output", "parquet", "--to", path, "--quiet"])
    change_column(history, ["add", "columns", "from", path], None)
    history.model.schema += (Field(history.model.field_ids(1)[0], name, "string"),)


def drop_column(history):
    paths = [field.name for field in top_level(history)] if len(history.model.schema) > 5 else []
    paths += [f"{field.name}.{child.name}" for field in history.model.schema if len(field.fields) > 1 for child in field.fields]
    path = choose(history, paths)
    if path:
        change_column(history, ["drop", "column", path], f"DROP COLUMN {path}")
        history.model.schema = replaced(history.model.schema, find(history.model.schema, path).id, None)


def refused_drop(history):
    field = choose(history, (f for f in history.model.schema if f.id in {source for source, _ in history.model.spec}))
    if field:
        history.refused(["alter", history.table, "drop", "column", field.name, "--quiet"])


def rename_column(history):
    path, field = choose(history, all_fields(history))
    name = free_name(history)
    change_column(history, ["rename", "column", path, "to", name], f"RENAME COLUMN {path} TO {name}")
    history.model.schema = replaced(history.model.schema, field.id, dataclasses.replace(field, name=name))


def move_column(history):
    field = history.random.choice(history.model.schema)
    others = [other for other in history.model.schema if other.id != field.id]
    words, sparks, after = position(history, others)
    if words:
        change_column(history, ["move", "column", field.name, *words], f"ALTER COLUMN {field.name}{sparks}")
        history.model.schema = placed(history.model.schema, field, after)


def widened(history, field):
    if field.kind in PROMOTIONS and (field.id not in history.model.held or not history.spark):
        return PROMOTIONS[field.kind]
    # Java 1.12 has no promotion of dates; a date is not promoted where a bucket or identity is made of it.
    return "timestamp" if field.kind == "date" and not history.spark and history.model.version == 3 and field.id not in history.model.held else None


def promote(history):
    chosen = choose(history, ((path, field) for path, field in all_fields(history) if widened(history, field)))
    if chosen:
        path, field = chosen
        kind = widened(history, field)
        wide = dataclasses.replace(field, kind=kind)
        change_column(history, ["update", "column", path, kind], f"ALTER COLUMN {path} TYPE {spark_type(wide)}")
        if kind == "timestamp":
            wide = dataclasses.replace(wide, **{key: f"{value}T00:00:00.000000" for key, value in
                                                (("initial", field.initial), ("write", field.write)) if value is not None})
        history.model.schema = replaced(history.model.schema, field.id, wide)


def make_optional(history):
    field = choose(history, (field for field in history.model.schema if field.required and field.id != 1))
    if field:
        change_column(history, ["update", "column", field.name, "--optional"], f"ALTER COLUMN {field.name} DROP NOT NULL")
        history.model.schema = replaced(history.model.schema, field.id, dataclasses.replace(field, required=False))


def write_default(history):
    field = choose(history, (field for field in history.model.schema if not field.fields and field.id != 1))
    value = field and sample_of(history.random, field.kind)
    if field and history.model.version == 3 and value != "":
        change_column(history, ["update", "column", field.name, f"--default={plain_text(value)}"], None)
        history.model.schema = replaced(history.model.schema, field.id, dataclasses.replace(field, write=value))


def comment(history):
    path, _ = choose(history, all_fields(history))
    change_column(history, ["update", "column", path, "--comment", "said"], f"ALTER COLUMN {path} COMMENT 'said'")


def identifier(history):
    if history.random.random() < 0.7:
        change_column(history, ["set", "identifier", "id"], "SET IDENTIFIER FIELDS id")
    else:
        change_column(history, ["set", "identifier", ""], None)


# Layout.


def unused_term(history):
    active = set(history.model.spec)
    terms = [(field, term.format(field.name)) for field in history.model.schema for term in TERMS.get(field.kind, ())]
    return choose(history, ((field, term) for field, term in terms if (field.id, term_transform(term)[0]) not in active))


def add_partition(history):
    chosen = unused_term(history)
    if not chosen or len(history.model.spec) > 2:
        return
    field, term = chosen
    name = history.new_name("p")
    change_column(history, ["add", "partition", "field", term, "as", name], f"ADD PARTITION FIELD {spark_term(term)} AS {name}")
    history.model.spec.append((field.id, term_transform(term)[0]))
    history.model.held.add(field.id)


def partition_name(history, at):
    """The name that metadata.json has for the field of the model's spec."""
    spec = next(spec for spec in history.metadata["partition-specs"] if spec["spec-id"] == history.metadata["default-spec-id"])
    return [field["name"] for field in spec["fields"] if field["transform"] != "void"][at]


def drop_partition(history):
    if history.model.spec:
        at = history.random.randrange(len(history.model.spec))
        name = partition_name(history, at)
        change_column(history, ["drop", "partition", "field", name], f"DROP PARTITION FIELD {name}")
        del history.model.spec[at]


def replace_partition(history):
    chosen = unused_term(history)
    if not chosen or not history.model.spec:
        return
    field, term = chosen
    at, name = history.random.randrange(len(history.model.spec)), history.new_name("p")
    old = partition_name(history, at)
    change_column(history, ["replace", "partition", "field", old, term, "as", name],
                  f"REPLACE PARTITION FIELD {old} WITH {spark_term(term)} AS {name}")
    del history.model.spec[at]
    history.model.spec.append((field.id, term_transform(term)[0]))
    history.model.held.add(field.id)


def set_sort(history):
    field = choose(history, (field for field in history.model.schema if not field.fields))
    way = history.random.choice(["asc nulls first", "desc nulls last", "desc nulls first"])
    change_column(history, ["set", "sort", f"{field.name} {way}, bucket(2, id)"], f"WRITE LOCALLY ORDERED BY {field.name} {way}, bucket(2, id)")
    history.model.held.update((field.id, 1))


def set_location(history):
    place = f"file://{history.warehouse}/t/{history.new_name('place')}"
    change_column(history, ["set", "location", place], f"SET LOCATION '{place}'")


def set_property(history):
    key = history.random.choice(sorted(PROPERTIES))
    value = history.random.choice(PROPERTIES[key])
    history.alter(["properties", "set", history.table, f"{key}={value}"], alter_table(history, f"SET TBLPROPERTIES ('{key}' = '{value}')"))
    history.model.properties[key] = value


def remove_property(history):
    key = choose(history, sorted(key for key, value in history.model.properties.items() if value is not None))
    if key:
        history.alter(["properties", "remove", history.table, key], alter_table(history, f"UNSET TBLPROPERTIES ('{key}')"))
        history.model.properties[key] = None


def upgrade(history):
    version = history.model.version + 1
    history.alter(["upgrade", history.table, "--to", str(version)], alter_table(history, f"SET TBLPROPERTIES ('format-version' = '{version}')"))
    history.model.version = version
    history.refused(["upgrade", history.table, "--to", str(version - 1), "--quiet"])


# Branches, tags, publishing.


def any_snapshot(history):
    return choose(history, sorted(history.model.snapshots))


def create_ref(history):
    kind = history.random.choice(["branch", "tag"])
    if len(history.model.refs) > 5 or not history.model.head():
        return
    name, snapshot = history.new_name(kind[0]), any_snapshot(history)
    retain = ["--retain", "7d"] if history.random.random() < 0.3 else []
    history.alter([kind, "create", history.table, name, "--snapshot-id", str(snapshot), *retain],
                  alter_table(history, f"CREATE {kind.upper()} {name} AS OF VERSION {snapshot}" + (" RETAIN 7 DAYS" if retain else "")))
    history.model.refs[name] = kind, snapshot


def replace_ref(history):
    name = choose(history, sorted(set(history.model.refs) - {"main"}))
    if name:
        kind, snapshot = history.model.refs[name][0], any_snapshot(history)
        history.alter([kind, "replace", history.table, name, "--snapshot-id", str(snapshot)],
                      alter_table(history, f"REPLACE {kind.upper()} {name} AS OF VERSION {snapshot}"))
        history.model.refs[name] = kind, snapshot


def drop_ref(history):
    name = choose(history, sorted(set(history.model.refs) - {"main"}))
    if name:
        kind, _ = history.model.refs.pop(name)
        history.alter([kind, "drop", history.table, name], alter_table(history, f"DROP {kind.upper()} {name}"))


def fast_forward(history):
    refs = history.model.refs
    pairs = [(branch, to) for branch in history.model.branches() for to in history.model.branches() if branch != to]
    chosen = choose(history, pairs)
    if not chosen:
        return
    branch, to = chosen
    if refs[branch][1] in history.model.ancestors(refs[to][1]):
        history.alter(["fast-forward", history.table, branch, to],
                      f"CALL default.system.fast_forward('{history.table}', '{branch}', '{to}')")
        refs[branch] = "branch", refs[to][1]
    else:
        history.refused(["fast-forward", history.table, branch, to, "--quiet"])


def moments(history):
    return {snapshot["snapshot-id"]: snapshot["timestamp-ms"] for snapshot in history.metadata["snapshots"]}


def rollback(history):
    if not history.model.head():
        return
    line = list(history.model.ancestors(history.model.refs["main"][1]))[:6]
    snapshot = history.random.choice(line)
    times = moments(history)
    later = [other for other in line if times[other] > times[snapshot]]
    if later and history.random.random() < 0.5:  # by time: the last one before that of a later snapshot
        before = times[later[-1]]
        snapshot = next(other for other in line if times[other] < before)
        history.alter(["rollback", history.table, "--to", str(before)])
    else:
        history.alter(["rollback", history.table, "--snapshot-id", str(snapshot)],
                      f"CALL default.system.rollback_to_snapshot('{history.table}', {snapshot})")
    history.model.refs["main"] = "branch", snapshot


def set_current(history):
    if not history.model.head():
        return
    ref = choose(history, sorted(history.model.refs)) if history.random.random() < 0.5 else None
    snapshot = history.model.refs[ref][1] if ref else any_snapshot(history)
    sql = f"CALL default.system.set_current_snapshot(table => '{history.table}', {f'ref => {ref!r}' if ref else f'snapshot_id => {snapshot}'})"
    history.alter(["set-current", history.table, *(["--ref", ref] if ref else ["--snapshot-id", str(snapshot)])], sql)
    history.model.refs["main"] = "branch", snapshot


def picked(history):
    """Snapshots whose change main has: its ancestors, and what was made again in them."""
    line = set(history.model.ancestors(history.model.refs["main"][1]))
    return line | {int(snapshot["summary"].get("source-snapshot-id", 0)) for snapshot in history.metadata["snapshots"]
                   if snapshot["snapshot-id"] in line}


def bring(history, snapshot, words, sql):
    """Brings the change of a snapshot onto main by these words."""
    model = history.model
    table_words = [words[0], history.table, *words[1:]]
    if snapshot.id in picked(history):
        history.refused([*table_words, "--quiet"])
    elif snapshot.parent == model.refs["main"][1]:
        history.alter(table_words, sql)
        model.refs["main"] = "branch", snapshot.id
    elif snapshot.operation == "append":
        history.write(words, Change(list(model.rows()), [], list(snapshot.added)), sql=sql)
    elif snapshot.operation == "delete":
        history.refused([*table_words, "--quiet"])


def publish(history):
    wap = choose(history, sorted(history.model.staged))
    if wap:
        snapshot = history.model.snapshots[history.model.staged.pop(wap)]
        bring(history, snapshot, ["publish", "--wap-id", wap], f"CALL default.system.publish_changes('{history.table}', '{wap}')")


def cherry_pick(history):
    if history.model.head():
        snapshot = history.model.snapshots[any_snapshot(history)]
        bring(history, snapshot, ["cherry-pick", "--snapshot-id", str(snapshot.id)],
              f"CALL default.system.cherrypick_snapshot('{history.table}', {snapshot.id})")


CHOICES = [(4, add_column), (1, add_struct), (1, add_columns_from_file), (2, drop_column), (1, refused_drop), (2, rename_column),
           (2, move_column), (3, promote), (2, make_optional), (1, write_default), (1, comment), (2, identifier), (3, add_partition),
           (2, drop_partition), (2, replace_partition), (2, set_sort), (1, set_location), (3, set_property), (1, remove_property),
           (3, create_ref), (2, replace_ref), (1, drop_ref), (2, fast_forward), (2, rollback), (1, set_current), (5, publish), (3, cherry_pick)]
