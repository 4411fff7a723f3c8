"""DataFusion as a third opinion. It labels a difference; it never decides one."""

from __future__ import annotations

import datafusion
import pyarrow as pa

from tests.differential.compare import Verdict, compare
from tests.differential.data import BASIC
from tests.differential.evolved import EVOLVED
from tests.differential.outcome import Answer, Failure, Outcome, Side


class DataFusion:
    """Over copies of the tables, as Spark reads them, so that only the query is in question."""

    def __init__(self, spark: Side) -> None:
        self._context = datafusion.SessionContext()
        self._context.enable_spark_functions()
        for table in (*BASIC, *EVOLVED):
            answer = spark.ask(f"SELECT * FROM {table.name}")
            if isinstance(answer, Answer):
                batches = answer.table.to_batches() or [_no_rows(answer.table.schema)]
                self._context.register_record_batches(table.name, [batches])

    def ask(self, sql: str) -> Answer | Failure:
        try:
            batches = self._context.sql(sql).collect()
        except Exception as error:  # noqa: BLE001  a foreign engine may raise anything
            return Failure("DATAFUSION", str(error)[:300])
        return Answer(pa.Table.from_batches(batches)) if batches else Failure("NONE", "no batch")

    def label(self, sql: str, expected: Outcome, found: Outcome) -> str:
        """Column names and types are Spark's own business, so only rows and errors count."""
        mine = self.ask(sql)
        if isinstance(mine, Failure) and isinstance(expected, Failure):
            return f"agrees with Spark that it is an error ({mine.message})"
        if isinstance(mine, Failure):
            return f"does not say ({mine.message})"
        if _same_rows(expected, mine):
            return "agrees with Spark"
        if _same_rows(found, mine):
            return "agrees with the local engine"
        return f"has an answer of its own: {mine.table.slice(0, 3).to_pylist()}"


def _no_rows(schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)


def _same_rows(one: Outcome, other: Outcome) -> bool:
    if not isinstance(one, Answer) or not isinstance(other, Answer):
        return False
    if one.table.num_columns != other.table.num_columns:
        return False
    try:
        renamed = other.table.rename_columns(one.table.column_names).cast(one.table.schema)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return False
    return compare(one, Answer(renamed)).verdict is Verdict.SAME
