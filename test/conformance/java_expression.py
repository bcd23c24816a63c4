"""The filters of the golden answers as Java's expressions (Iceberg's ExpressionParser JSON), to ask Java for its plan."""
import decimal
import re

TOKEN = re.compile(r"\s*(?:(?P<word>date|timestamp|timestamptz)?\s*'(?P<text>(?:[^']|'')*)'|(?P<number>-?\d+(?:\.\d+)?)|"
                   r"(?P<name>[A-Za-z_][\w.]*)|(?P<mark><=|>=|<>|!=|[=<>(),]))", re.I)
COMPARISONS = {"=": "eq", "<>": "not-eq", "!=": "not-eq", "<": "lt", "<=": "lt-eq", ">": "gt", ">=": "gt-eq"}


class Untranslatable(Exception):
    pass


def type_of(fields, path):
    for field in fields:
        if field["name"] == path:
            return field["type"]
        if path.startswith(field["name"] + ".") and isinstance(field["type"], dict):
            return type_of(field["type"].get("fields", []), path[len(field["name"]) + 1:])
    raise Untranslatable(f"no column {path}")


class Translation:
    """A recursive descent over: or of ands of nots of tests."""

    def __init__(self, sql, fields):
        self.fields, self.tokens, at = fields, [], 0
        while sql[at:].strip():
            found = TOKEN.match(sql, at)
            if not found:
                raise Untranslatable(sql[at:])
            self.tokens.append(found.groupdict())
            at = found.end()

    def whole(self):
        result = self.either()
        if self.tokens:
            raise Untranslatable(str(self.tokens[0]))
        return result

    def take(self, word):
        """Whether the next token is that word or mark; takes it then."""
        token = self.tokens[0] if self.tokens else {}
        found = (token.get("name") or token.get("mark") or "").lower() == word
        if found:
            self.tokens.pop(0)
        return found

    def want(self, word):
        if not self.take(word):
            raise Untranslatable(f"no {word}")

    def either(self):
        left = self.both()
        while self.take("or"):
            left = {"type": "or", "left": left, "right": self.both()}
        return left

    def both(self):
        left = self.factor()
        while self.take("and"):
            left = {"type": "and", "left": left, "right": self.factor()}
        return left

    def factor(self):
        if self.take("not"):
            return {"type": "not", "child": self.factor()}
        if self.take("("):
            inner = self.either()
            self.want(")")
            return inner
        return self.test()

    def test(self):
        column = self.column()
        if column.lower() == "isnan" and self.take("("):
            column = self.column()
            self.want(")")
            return {"type": "is-nan", "term": column}
        if self.take("is"):
            negated = "not-" if self.take("not") else "is-"
            what = self.column().lower()
            return {"type": ("not-" if negated == "not-" else "is-") + what, "term": column}
        negated = self.take("not")
        result = self.operator(column)
        return {"type": "not", "child": result} if negated else result

    def operator(self, column):
        if self.take("in"):
            self.want("(")
            values = [self.literal(column)]
            while self.take(","):
                values.append(self.literal(column))
            self.want(")")
            return {"type": "in", "term": column, "values": values}
        if self.take("between"):
            low = self.literal(column)
            self.want("and")
            return {"type": "and", "left": {"type": "gt-eq", "term": column, "value": low},
                    "right": {"type": "lt-eq", "term": column, "value": self.literal(column)}}
        if self.take("like"):
            pattern = self.literal(column)
            if not re.fullmatch(r"[^%_\\]+%", pattern):
                raise Untranslatable(f"like {pattern}")
            return {"type": "starts-with", "term": column, "value": pattern[:-1]}
        mark = self.tokens.pop(0)["mark"] if self.tokens else None
        if mark not in COMPARISONS:
            raise Untranslatable(str(mark))
        return {"type": COMPARISONS[mark], "term": column, "value": self.literal(column)}

    def column(self):
        token = self.tokens.pop(0) if self.tokens else {}
        if not token.get("name"):
            raise Untranslatable(str(token))
        return token["name"]

    def literal(self, column):
        token = self.tokens.pop(0) if self.tokens else {}
        kind = type_of(self.fields, column)
        if token.get("text") is not None:
            text = token["text"].replace("''", "'")
            text = text.replace(" ", "T", 1) if token["word"] else text
            zoned = kind.startswith("timestamptz") and not re.search(r"(Z|[+-]\d\d:\d\d)$", text)
            return text + "+00:00" if zoned else text
        if (token.get("name") or "").lower() in ("true", "false"):
            return token["name"].lower() == "true"
        if token.get("number") is None:
            raise Untranslatable(str(token))
        scale = re.fullmatch(r"decimal\(\d+, ?(\d+)\)", str(kind))
        if scale:
            return format(decimal.Decimal(token["number"]).quantize(decimal.Decimal(1).scaleb(-int(scale[1]))), "f")
        if kind in ("float", "double"):
            return float(token["number"])
        if "." in token["number"]:
            raise Untranslatable(f"{token['number']} for {kind}")
        return int(token["number"])


def translate(sql, fields):
    """The expression, or None for what Java's expressions do not say."""
    try:
        return Translation(sql, fields).whole()
    except Untranslatable:
        return None
