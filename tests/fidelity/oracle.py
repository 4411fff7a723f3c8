"""The corpus through plain Spark Connect, with nothing of SQE in between.

What is not identical here is the fault of our rendering or comparing, not of SQE. Run as
`python -m tests.fidelity.oracle [file …]`; it prints each difference and the share at the end.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa

from sqe.engines.spark.errors import code_of
from tests.fidelity.corpus import CorpusFile, corpus_root, read_corpus
from tests.fidelity.outcome import Outcome, Result
from tests.fidelity.report import describe
from tests.fidelity.runner import run_file
from tests.fidelity.tables import SUITE_TABLES
from tests.fidelity.target import Answer, TargetError

BOOT = {
    "spark.driver.extraJavaOptions": "-Duser.timezone=America/Los_Angeles",
    "spark.ui.enabled": "false",
    "spark.sql.catalogImplementation": "in-memory",
}


class PlainSpark:
    """A Connect server of its own; one Spark session for each file."""

    def __init__(self, warehouse: str) -> None:
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.remote("local[2]")
        for key, value in {**BOOT, "spark.sql.warehouse.dir": warehouse}.items():
            builder = builder.config(key, value)
        self._first: Any = builder.getOrCreate()
        for table in SUITE_TABLES:
            self._first.sql(f"CREATE TABLE {table.name} USING parquet AS {table.query}").collect()

    def connect(self, file: CorpusFile) -> PlainConnection:
        from pyspark.sql.connect.session import SparkSession

        # `newSession` would share this session's settings.
        spark = SparkSession.builder.remote("sc://localhost").create()
        for key, value in file.confs:
            spark.conf.set(key, value)
        return PlainConnection(spark)


class PlainConnection:
    def __init__(self, spark: Any) -> None:
        self._spark = spark

    def run(self, sql: str) -> Answer:
        from pyspark.errors import PySparkException

        try:
            frame = self._spark.sql(sql)
            plan = frame._plan.to_proto(self._spark.client)
            fields = frame.schema.fields
            pieces = list(self._spark.client.to_table_as_iterator(plan, {}))
        except PySparkException as error:
            kind = type(error).__name__
            code = code_of(error.getCondition() or "", str(error), kind)
            raise TargetError(code.name, str(error)[:400], refused=False) from error
        tables = (piece for piece in pieces if isinstance(piece, pa.Table))
        return Answer(
            tuple(field.name for field in fields),
            tuple(field.dataType.simpleString() for field in fields),
            [batch for table in tables for batch in table.to_batches()],
        )

    def close(self) -> None:
        """The server goes with the process."""


def run(target: PlainSpark, names: tuple[str, ...] | None, out: TextIO) -> Counter[str]:
    root = corpus_root(Path(__file__).parents[2])
    if root is None:
        raise SystemExit("the corpus is not here: set SQE_CORPORA")
    totals: Counter[str] = Counter()
    for file in read_corpus(root, names):
        for result in run_file(target, file):
            if result.case.kind.reads:
                totals[_title(result)] += 1
            if result.outcome in (Outcome.DIFFERENT, Outcome.FAILED):
                out.write(f"--- {describe(result)}\n")
        out.write(f"{file.name} {dict(totals)}\n")
        out.flush()
    return totals


def _title(result: Result) -> str:
    return ("errors " if result.case.fails else "") + result.outcome.value


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        run(PlainSpark(folder), tuple(sys.argv[1:]) or None, sys.stdout)
