"""The local engine for a session that asks for it by name: what it does not take is an error.

Until the long differential run has passed, ``auto`` leaves every query to Spark.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqe.engines.local.failures import LocalFailed
from sqe.engines.local.options import LocalOptions
from sqe.engines.local.plan import NotLocal
from sqe.engines.protocol import Explanation, Run
from sqe.errors import ErrorCode, UpstreamError, UserError
from sqe.model.query import Column
from sqe.results.stream import ResultStream
from sqe.rewrite.guarded import GuardedStatement

if TYPE_CHECKING:
    from sqe.engines.local.engine import DuckDbEngine

_HINT = "SET SESSION sqe.engine = 'auto'."


class ForcedLocalEngine:
    """Turns "Spark has to do this" into an error with the reason."""

    def __init__(self, options: LocalOptions) -> None:
        self._options = options
        self._lock = threading.Lock()
        self._made: DuckDbEngine | None = None

    @property
    def _engine(self) -> DuckDbEngine:
        """Made when first asked for: DuckDB and PyIceberg cost a start and memory."""
        from sqe.engines.local.compile.compiler import compile_statement
        from sqe.engines.local.engine import DuckDbEngine

        with self._lock:
            if self._made is None:
                self._made = DuckDbEngine(
                    lambda statement, run: compile_statement(
                        statement, run.session.property("sqe.time_zone")
                    ),
                    self._options,
                )
            return self._made

    def run(self, statement: GuardedStatement, run: Run) -> ResultStream:
        with _explained():
            return self._engine.run(statement, run)

    def describe(self, statement: GuardedStatement, run: Run) -> tuple[Column, ...]:
        with _explained():
            return self._engine.describe(statement, run)

    def explain(self, statement: GuardedStatement, run: Run, mode: str = "") -> Explanation:
        with _explained():
            return self._engine.explain(statement, run, mode)

    def analyze(self, statement: GuardedStatement, run: Run) -> Explanation:
        with _explained():
            return self._engine.analyze(statement, run)

    def close(self) -> None:
        with self._lock:
            if self._made is not None:
                self._made.close()


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except NotLocal as reason:
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            f"The local engine does not take this query: {reason}.",
            hint=_HINT,
        ) from reason
    except LocalFailed as failure:
        raise UpstreamError(
            ErrorCode.ENGINE_ERROR, f"The local engine failed: {failure}.", hint=_HINT
        ) from failure
