"""Spark with the Iceberg runtime as a server on standard input: one JSON question a line, one JSON answer a line.

Run by the Python of the Spark environment, once for a whole suite, because its start takes half a minute.
A question is {"sql": TEXT}, its answer {"rows": [...]} or {"error": TEXT}. {"add_column": {...}} goes to Java's UpdateSchema, for
Spark's DDL has no default values.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from plain import plain  # noqa: E402


def session(jars, warehouse):
    from pyspark.sql import SparkSession

    prefix = "spark.sql.catalog.default"
    settings = {
        "spark.jars": jars,
        "spark.driver.extraClassPath": jars.replace(",", ":"),
        "spark.ui.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.driver.extraJavaOptions": "-Duser.timezone=UTC",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.leafNodeDefaultParallelism": "1",
        "spark.driver.memory": "2g",
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        prefix: "org.apache.iceberg.spark.SparkCatalog",
        f"{prefix}.type": "jdbc",
        f"{prefix}.uri": f"jdbc:sqlite:{warehouse}/catalog.db",
        f"{prefix}.jdbc.schema-version": "V1",
        f"{prefix}.warehouse": f"file://{warehouse}",
        f"{prefix}.cache-enabled": "false",
    }
    builder = SparkSession.builder.master("local[2]").appName("interop")
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def typed(value, kind):
    """Spark gives timestamps with and without a zone alike, structs as rows and maps as dictionaries: told apart by type."""
    from pyspark.sql import types

    if value is None:
        return None
    if isinstance(kind, types.StructType):
        return {field.name: typed(item, field.dataType) for field, item in zip(kind.fields, value)}
    if isinstance(kind, types.MapType):
        return {"$map": [[typed(key, kind.keyType), typed(item, kind.valueType)] for key, item in value.items()]}
    if isinstance(kind, types.ArrayType):
        return [typed(item, kind.elementType) for item in value]
    return plain(value) + "Z" if isinstance(kind, types.TimestampType) else plain(value)


def add_column(spark, table, name, kind, default):
    """A column with an initial default, which is the write default too."""
    jvm = spark._jvm
    loaded = jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, table)
    kind = jvm.org.apache.iceberg.types.Types.fromPrimitiveString(kind)
    literal = jvm.org.apache.iceberg.expressions.Expressions.lit(default)
    loaded.updateSchema().addColumn(name, kind, "made by Java", literal).commit()
    return []


def answer(spark, question):
    if "add_column" in question:
        return {"rows": add_column(spark, **question["add_column"])}
    frame = spark.sql(question["sql"])
    return {"rows": [typed(row, frame.schema) for row in frame.collect()]}


def main():
    os.environ["TZ"] = "UTC"
    spark = session(sys.argv[1], sys.argv[2])
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever the JVM prints must not mix with answers
    print(json.dumps({"version": spark.version}), file=out, flush=True)
    for line in sys.stdin:
        try:
            result = answer(spark, json.loads(line))
        except Exception as problem:  # every failure is an answer
            result = {"error": (str(problem) or repr(problem))[:2000]}
        print(json.dumps(result), file=out, flush=True)


if __name__ == "__main__":
    main()
