"""Spark with the Iceberg runtime as a server on standard input: one JSON question a line, one JSON answer a line.

Run by the Python of the Spark environment, once for a whole suite, because its start takes half a minute.
Questions: {"sql": TEXT} gives {"rows": [...]}; {"read": LOCATION, "options": {...}, "select": [...]} likewise.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from plain import plain_row  # noqa: E402


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


def answer(spark, question):
    if "sql" in question:
        frame = spark.sql(question["sql"])
    else:
        frame = spark.read.format("iceberg").options(**question.get("options", {})).load(question["read"])
        if question.get("select"):
            frame = frame.select(*question["select"])
    return {"rows": [plain_row(row.asDict(recursive=True)) for row in frame.collect()]}


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
            result = {"error": str(problem)[:2000]}
        print(json.dumps(result), file=out, flush=True)


if __name__ == "__main__":
    main()
