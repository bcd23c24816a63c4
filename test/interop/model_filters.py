"""Random values, filters and formulas over a model's columns: as frazil writes them, as Spark does, and as Python does them, with the
three truth values of SQL."""
import datetime
import operator
from collections import namedtuple
from decimal import Decimal

from model import value_of

# `holds` takes the values of a row and answers True, False or None.
Filter = namedtuple("Filter", "ours sparks holds")
# `value` takes the values of a row, and those of the source of a merge.
Formula = namedtuple("Formula", "ours sparks value")

SPARK_TYPES = {"int": "INT", "long": "BIGINT", "float": "FLOAT", "double": "DOUBLE", "date": "DATE", "timestamp": "TIMESTAMP_NTZ",
               "string": "STRING", "boolean": "BOOLEAN"}
PROMOTIONS = {"int": "long", "float": "double", "decimal(9,2)": "decimal(20,2)"}
KINDS = ("int", "long", "float", "double", "decimal(9,2)", "date", "timestamp", "string", "boolean")
TEXTS = ["", "w1", "w2", "w31", "\u65e5\u672c", "a,b", 'q"uote', "x"]
SIGNS = {"=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def spark_type(field):
    if field.fields:
        return f"STRUCT<{', '.join(f'{child.name}: {spark_type(child)}' for child in field.fields)}>"
    return SPARK_TYPES.get(field.kind, field.kind.upper())


def sample(random, field):
    """A value, or null."""
    if not field.required and random.random() < 0.15:
        return None
    if field.fields:
        return {child.id: sample(random, child) for child in field.fields}
    return sample_of(random, field.kind)


def sample_of(random, kind):
    if kind == "int":
        return random.randrange(-50, 50)
    if kind == "long":
        return random.choice([random.randrange(-9, 9), random.randrange(-9, 9) * 10**12])
    if kind in ("float", "double"):
        return random.randrange(-40, 40) / 8
    if kind.startswith("decimal"):
        return Decimal(random.randrange(-9999, 9999)).scaleb(-2)
    if kind == "date":
        return (datetime.date(2025, 12, 20) + datetime.timedelta(random.randrange(40))).isoformat()
    if kind == "timestamp":
        moment = datetime.datetime(2025, 12, 30) + datetime.timedelta(hours=random.randrange(100), microseconds=random.randrange(2))
        return moment.strftime("%Y-%m-%dT%H:%M:%S.%f")
    return random.choice(TEXTS) if kind == "string" else random.random() < 0.5


def literals(kind, value):
    """(frazil, Spark) of a value that is not null."""
    if kind == "date":
        return (f"date '{value}'",) * 2
    if kind == "timestamp":
        text = value.replace("T", " ")
        return f"timestamp '{text}'", f"timestamp_ntz '{text}'"
    if kind == "string":
        return (f"'{value}'",) * 2
    if kind == "boolean":
        return (str(value).lower(),) * 2
    return (format(value, "f") if isinstance(value, Decimal) else repr(value),) * 2


def spark_value(field, value):
    """Any value of an INSERT."""
    if value is None:
        return f"CAST(NULL AS {spark_type(field)})"
    if field.fields:
        items = ", ".join(f"'{child.name}', {spark_value(child, value[child.id])}" for child in field.fields)
        return f"named_struct({items})"
    return f"CAST({literals(field.kind, value)[1]} AS {spark_type(field)})"


# Filters.


def columns(schema):
    """(path, how a row's values give it, field) of every primitive column."""
    for field in schema:
        if not field.fields:
            yield field.name, lambda values, field=field: value_of(field, values), field
        for child in field.fields:
            def inside(values, field=field, child=child):
                struct = value_of(field, values)
                return None if struct is None else value_of(child, struct)
            yield f"{field.name}.{child.name}", inside, child


def compared(get, sign, value):
    return lambda values: None if get(values) is None else SIGNS[sign](get(values), value)


def among(get, several, negated):
    return lambda values: None if get(values) is None else (get(values) in several) != negated


def leaf(random, schema, rows):
    path, get, field = random.choice(list(columns(schema)))
    shape = random.randrange(10)
    if shape < 2:
        return Filter(*(f"{path} is {'not ' if shape else ''}null",) * 2, lambda values: (get(values) is None) != bool(shape))
    if shape == 2 and field.kind == "string":
        return Filter(*(f"{path} like 'w%'",) * 2, lambda values: None if get(values) is None else get(values).startswith("w"))
    constants = [constant(random, get, field, rows) for _ in range(3)]
    texts = [literals(field.kind, value) for value in constants]
    if shape == 3:
        negated = random.random() < 0.4
        ours, sparks = (f"{path} {'not ' if negated else ''}in ({', '.join(text[side] for text in texts)})" for side in (0, 1))
        return Filter(ours, sparks, among(get, constants, negated))
    sign = random.choice(sorted(SIGNS) if field.kind != "boolean" else ["<>", "="])
    return Filter(*(f"{path} {sign} {text}" for text in texts[0]), compared(get, sign, constants[0]))


def constant(random, get, field, rows):
    """Often one that a row has."""
    found = get(random.choice(rows).values) if rows and random.random() < 0.6 else None
    return sample_of(random, field.kind) if found is None else found


def negation(value):
    return None if value is None else not value


def conjunction(a, b):
    return False if a is False or b is False else None if a is None or b is None else True


def joined(word, left, right):
    def holds(values):
        a, b = left.holds(values), right.holds(values)
        return conjunction(a, b) if word == "and" else negation(conjunction(negation(a), negation(b)))
    return Filter(f"(({left.ours}) {word} ({right.ours}))", f"(({left.sparks}) {word} ({right.sparks}))", holds)


def random_filter(random, schema, rows, depth=2):
    if depth == 0 or random.random() < 0.35:
        return leaf(random, schema, rows)
    if random.random() < 0.2:
        inner = random_filter(random, schema, rows, depth - 1)
        return Filter(f"not ({inner.ours})", f"not ({inner.sparks})", lambda values: negation(inner.holds(values)))
    return joined(random.choice(["and", "or"]), random_filter(random, schema, rows, depth - 1), random_filter(random, schema, rows, depth - 1))


def some_ids(random, schema, rows, most=6):
    """A filter that selects few rows, by their ids."""
    field = next(field for field in schema if field.name == "id")
    chosen = sorted({value_of(field, random.choice(rows).values) for _ in range(random.randrange(1, most + 1))}) if rows else [-1]
    text = f"id in ({', '.join(map(str, chosen))})"
    return Filter(text, text, lambda values: value_of(field, values) in chosen)


def selective(random, schema, rows, most):
    """A filter that selects at most that share of the rows: few ids, when chance gives none."""
    for _ in range(8):
        made = random_filter(random, schema, rows)
        if 0 < sum(made.holds(row.values) is True for row in rows) <= most * len(rows):
            return made
    return some_ids(random, schema, rows)


# Formulas.


def small(random, field):
    """(text, function) of a number to add."""
    if field.kind in ("int", "long"):
        number = random.randrange(1, 5)
        return str(number), number
    if field.kind in ("float", "double"):
        return "0.5", 0.5
    return "1.25", Decimal("1.25")


def formula(random, path, get, field, in_merge):
    """What a column may be set to."""
    if in_merge and random.random() < 0.5:
        return Formula(f"source.{path}", f"s.{path}", lambda values, source: source[field.id])
    if field.kind in ("int", "long", "float", "double") or field.kind.startswith("decimal"):
        text, number = small(random, field)
        plus = lambda values, source: None if get(values) is None else get(values) + number  # noqa: E731
        filled = lambda values, source: number if get(values) is None else get(values) + number  # noqa: E731
        spark = f"CAST({path} + {text} AS {spark_type(field)})"
        return random.choice([Formula(f"{path} + {text}", spark, plus),
                              Formula(f"coalesce({path} + {text}, {text})", f"coalesce({spark}, CAST({text} AS {spark_type(field)}))", filled)])
    if field.kind == "string" and random.random() < 0.6:
        shout = lambda values, source: None if get(values) is None else get(values).upper() + "!"  # noqa: E731
        return Formula(*(f"upper({path}) || '!'",) * 2, shout)
    if not field.required and random.random() < 0.2:
        return Formula("null", "null", lambda values, source: None)
    value = sample_of(random, field.kind)
    return Formula(*literals(field.kind, value), lambda values, source: value)


def assign(schema, path, values, value):
    """The values of a row with one column set; the struct around it is made where it is null."""
    top, _, rest = path.partition(".")
    field = next(field for field in schema if field.name == top)
    if not rest:
        return {**values, field.id: value}
    struct = value_of(field, values)
    child = next(child for child in field.fields if child.name == rest)
    whole = struct if struct is not None else {other.id: None for other in field.fields}
    return {**values, field.id: {**whole, child.id: value}}


def settled(schema, values):
    """The row as it is written anew: defaults of old rows become values, dropped columns are gone."""
    out = {}
    for field in schema:
        value = value_of(field, values)
        if field.fields and value is not None:
            value = {child.id: value_of(child, value) for child in field.fields}
        out[field.id] = value
    return out
