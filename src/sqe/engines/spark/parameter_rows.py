"""An INSERT of many rows of parameters: the rows as a view of this query alone, read by a SELECT in
the place of VALUES."""

from __future__ import annotations

import secrets
from contextlib import ExitStack
from dataclasses import dataclass

import pyarrow as pa

from sqe.engines.spark.connection import Connection, new_operation_id
from sqe.errors import ErrorCode, SqeError, UserError, error_of
from sqe.model.names import quote
from sqe.model.types import parse_type
from sqe.results.arrow_types import arrow_type
from sqe.rewrite.guarded import GuardedStatement, ParameterRows
from sqe.rewrite.parameter_rows import RowText, row_text, unfit_test
from sqe.sql.splice import Edit

_MOST_BYTES = 64 * 1024 * 1024  # Spark Connect takes messages of 128 MB
_NUMBER = "sqe_row"
# What a value can be wrong by; other errors are about the statement.
_OF_A_ROW = (
    ErrorCode.INVALID_CAST,
    ErrorCode.NUMERIC_OUT_OF_RANGE,
    ErrorCode.CONSTRAINT_VIOLATION,
)


@dataclass(frozen=True)
class InsertedRows:
    """The rows of one INSERT in Spark's hands."""

    statement: GuardedStatement
    text: RowText
    connection: Connection
    view: str

    @property
    def edits(self) -> list[Edit]:
        """The SELECT that Spark runs in place of the user's VALUES."""
        markers = self.statement.bound.statement.markers
        return [
            Edit(self.text.opening, "SELECT "),
            *(Edit(span, f" {_name(number)} ") for number, span in enumerate(markers)),
            Edit(self.text.closing, f" FROM {quote(self.view)}"),
        ]

    def locate(self, error: SqeError) -> SqeError:
        """The error with the number of the first row that cannot be stored, where there is one."""
        if error.code not in _OF_A_ROW:
            return error
        try:
            number = self._first_unfit()
        except Exception:  # noqa: BLE001  it is about words only, and the error stands without them
            return error
        if number is None:
            return error
        return error_of(error.code, f"Row {number}: {error.message}", hint=error.hint)

    def _first_unfit(self) -> int | None:
        test = unfit_test(self.statement, self.text, _name)
        question = f"SELECT min({_NUMBER}) FROM {quote(self.view)} WHERE {test}"  # noqa: S608
        plan = self.connection.plan(question)
        for item in self.connection.execute(plan, new_operation_id(), lambda _: None):
            if isinstance(item, pa.RecordBatch) and item.num_rows:
                number: int | None = item.column(0)[0].as_py()
                return number
        return None


def _name(number: int) -> str:
    return f"sqe_p{number + 1}"


def prepare_rows(
    statement: GuardedStatement, connection: Connection, stack: ExitStack
) -> InsertedRows | None:
    """None where the statement is none of many rows. The view is there until ``stack`` closes."""
    text = row_text(statement.bound.statement) if statement.rows is not None else None
    if statement.rows is None or text is None:
        return None
    rows = InsertedRows(statement, text, connection, f"rows_{secrets.token_hex(16)}")
    connection.create_view(rows.view, connection.local_relation(_table(statement.rows)))
    stack.callback(connection.drop_view, rows.view)
    return rows


def _table(rows: ParameterRows) -> pa.Table:
    arrays = {
        _name(number): pa.array(values, arrow_type(parse_type(kind), "UTC"))
        for number, (kind, values) in enumerate(zip(rows.types, rows.columns, strict=True))
    }
    arrays[_NUMBER] = pa.array(range(1, len(rows.columns[0]) + 1), pa.int32())
    table = pa.table(arrays)
    if table.nbytes > _MOST_BYTES:
        raise UserError(
            ErrorCode.MESSAGE_TOO_LARGE,
            f"The rows take {table.nbytes:,} bytes; {_MOST_BYTES:,} is the limit of one statement.",
            hint="Send them in several parts, or use a bulk load.",
        )
    return table
