"""Values of every peer as one plain form, the one frazil prints: decimals and times as text, bytes as 0x hex."""
import datetime
import decimal
import math
import uuid


def plain(value):
    """One value that is no container."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        return value if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, (bytes, bytearray, memoryview)):
        return "0x" + bytes(value).hex()
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, datetime.datetime):
        zoned = value.tzinfo is not None
        if zoned:
            value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return value.strftime("%Y-%m-%dT%H:%M:%S.%f") + ("Z" if zoned else "")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.time):
        return value.strftime("%H:%M:%S.%f")
    raise TypeError(f"no plain form for {type(value)}")


def arrow_value(scalar):
    """A pyarrow scalar. Nanoseconds do not fit Python's datetime: printed from their integer."""
    import pyarrow as pa

    if not scalar.is_valid:
        return None
    kind = scalar.type
    if isinstance(kind, pa.BaseExtensionType):
        return plain(scalar.as_py())
    if pa.types.is_map(kind):
        return {"$map": [[arrow_value(pair[0]), arrow_value(pair[1])] for pair in scalar.values]}
    if pa.types.is_struct(kind):
        return {field.name: arrow_value(scalar[field.name]) for field in kind}
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return [arrow_value(item) for item in scalar.values]
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        seconds, nanos = divmod(scalar.value, 10**9)
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
        return f"{moment.strftime('%Y-%m-%dT%H:%M:%S')}.{nanos:09d}" + ("Z" if kind.tz else "")
    return plain(scalar.as_py())


def arrow_rows(table):
    columns = {field.name: [arrow_value(scalar) for scalar in table.column(field.name)] for field in table.schema}
    return [dict(zip(columns, values)) for values in zip(*columns.values())]
