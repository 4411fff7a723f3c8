"""Runs a script: every statement of it through the whole pipe, when it is its turn (decision 0046).

The answer is that of the last query. What a query gives is read to its end before the next
statement begins, as if each had been sent by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from sqe.errors import ErrorCode, ResourceError, UserError
from sqe.gateway.dialects import Execution
from sqe.model.query import Column
from sqe.model.variables import SessionVariable
from sqe.results.stream import ResultStream, result_of_rows
from sqe.sessions.variable_values import variable_of
from sqe.sql.scripts import Block, Choice, ForEach, Iterate, Leave, Loop, Sql, Step

_MOST_STEPS = 100_000
_MOST_BYTES = 64 * 1024 * 1024  # of rows that a script keeps
# A handler must not hide them: who cannot do something in SQE is told, and who ends a script is
# obeyed. Denials are no errors of users', and so are never handled.
_NOT_HANDLED = (
    ErrorCode.NOT_SUPPORTED,
    ErrorCode.SYNTAX_ERROR,
    ErrorCode.CANCELLED,
    ErrorCode.KILLED,
    ErrorCode.SESSION_EXPIRED,
    ErrorCode.SESSION_NOT_FOUND,
)


@dataclass(frozen=True)
class Script:
    """Implements ``Translation``."""

    block: Block
    text: None = None
    label: str = "BEGIN … END"
    session_values: Mapping[str, str] = field(default_factory=dict)
    properties: Collection[str] = ()

    def answer(self, execution: Execution) -> ResultStream:
        script = _Running(execution)
        try:
            script.run(self.block)
        except BaseException:
            script.forget_answer()
            raise
        return script.answer or result_of_rows((), [])


class _Left(Exception):
    def __init__(self, label: str, *, again: bool = False) -> None:
        super().__init__(label)
        self.label, self.again = label, again


class _Running:
    def __init__(self, execution: Execution) -> None:
        self.answer: ResultStream | None = None
        self._execution = execution
        self._steps = 0
        self._handlers = 0
        self._run: dict[type, Callable[[Any], None]] = {
            Sql: self._sql,
            Block: self._block,
            Choice: self._choice,
            Loop: self._loop,
            ForEach: self._for_each,
            Leave: self._leave,
            Iterate: self._iterate,
        }

    def run(self, step: Step) -> None:
        self._count()
        self._run[type(step)](step)

    def forget_answer(self) -> None:
        if self.answer is not None:
            self.answer.close()
        self.answer = None

    def _count(self) -> None:
        self._execution.check()
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise UserError(
                ErrorCode.STATEMENT_TOO_COMPLEX, f"A script runs at most {_MOST_STEPS:,} steps."
            )

    def _run_all(self, steps: tuple[Step, ...]) -> None:
        for step in steps:
            self.run(step)

    def _start(self, text: str) -> ResultStream:
        """What came before it has happened first. A query's answer may still be the last one."""
        if self.answer is not None:
            self.answer = _read_whole(self.answer)
        return self._execution.run_text(text)

    def _sql(self, step: Sql) -> None:
        result = self._start(step.text)
        if step.answers and result.columns:
            self.forget_answer()
            self.answer = _read_whole(result) if self._handlers else result
            return
        with result:
            for _ in result:
                self._execution.check()

    def _block(self, block: Block) -> None:
        with self._execution.session.block_of_script(block.label):
            for text in block.declarations:
                self._count()
                self._sql(Sql(text))
            try:
                self._run_with_handler(block)
            except _Left as left:
                if left.again or not block.label or left.label != block.label:
                    raise

    def _run_with_handler(self, block: Block) -> None:
        if block.handler is None:
            return self._run_all(block.steps)
        self._handlers += 1
        try:
            return self._run_all(block.steps)
        except UserError as error:
            self._execution.check()  # a cancel ends the script
            if error.code in _NOT_HANDLED:
                raise
        finally:
            self._handlers -= 1
        return self._run_all(block.handler)

    def _choice(self, choice: Choice) -> None:
        for condition, steps in choice.branches:
            if self._is_true(condition):
                return self._run_all(steps)
        return self._run_all(choice.otherwise)

    def _loop(self, loop: Loop) -> None:
        while not loop.go_on_if or self._is_true(loop.go_on_if):
            self._count()
            if self._turn(loop.label, loop.steps) or (loop.until and self._is_true(loop.until)):
                return

    def _for_each(self, loop: ForEach) -> None:
        with _read_whole(self._start(loop.query)) as rows:
            for batch in rows:
                for number in range(batch.num_rows):
                    self._count()
                    variables = _variables(rows.columns, batch, number)
                    with self._execution.session.block_of_script(loop.row, variables):
                        if self._turn(loop.label, loop.steps):
                            return

    def _turn(self, label: str, steps: tuple[Step, ...]) -> bool:
        """Whether the loop ends with it."""
        try:
            self._run_all(steps)
        except _Left as left:
            if not label or left.label != label:
                raise
            return not left.again
        return False

    def _leave(self, step: Leave) -> None:
        raise _Left(step.label)

    def _iterate(self, step: Iterate) -> None:
        raise _Left(step.label, again=True)

    def _is_true(self, query: str) -> bool:
        self._count()
        with self._start(query) as result:
            if [column.type for column in result.columns] != ["boolean"]:
                raise UserError(
                    ErrorCode.TYPE_MISMATCH, "A condition of a script is one boolean value."
                )
            values = [value for batch in result for value in batch.column(0).to_pylist()]
        return values == [True]


def _read_whole(result: ResultStream) -> ResultStream:
    """Every row is read, and kept if they are not too many: that matters to who wants them."""
    batches: list[pa.RecordBatch] = []
    size = 0
    with result:
        for batch in result:
            size += batch.nbytes
            if size <= _MOST_BYTES:
                batches.append(batch)
    kept = iter(batches) if size <= _MOST_BYTES else (_fail_too_large() for _ in range(1))
    return ResultStream(result.columns, result.schema, kept)


def _fail_too_large() -> pa.RecordBatch:
    raise ResourceError(
        ErrorCode.RESULT_TOO_LARGE,
        f"A script keeps at most {_MOST_BYTES // 1024 // 1024} MB of rows, of FOR and of a query "
        "that has statements behind it.",
    )


def _variables(
    columns: tuple[Column, ...], batch: pa.RecordBatch, number: int
) -> list[SessionVariable]:
    pairs = zip(columns, batch.columns, strict=True)
    return [variable_of(column.name, column, values[number]) for column, values in pairs]
