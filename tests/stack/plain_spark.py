"""A Spark without SQE, run as a program: statements as JSON in, their rows or errors as JSON out.

What it is told, tokens too, comes on its standard input: arguments are in the process list.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def main() -> None:
    from pyspark.sql import SparkSession

    asked = json.load(sys.stdin)
    builder = SparkSession.builder.master("local[1]")
    for key, value in asked["conf"].items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    answers = [answer(spark, statement) for statement in asked["statements"]]
    json.dump(answers, sys.stdout)
    spark.stop()


def answer(spark: Any, statement: str) -> dict[str, Any]:
    try:
        return {"rows": [list(row) for row in spark.sql(statement).collect()]}
    except Exception as error:  # noqa: BLE001  # what the test looks at
        return {"error": str(error)[:2000]}


if __name__ == "__main__":
    main()
