"""For engines that do nothing ahead of a run: to prepare a statement is to keep it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sqe.engines.protocol import Explanation, Run
from sqe.results.description import Description
from sqe.results.stream import ResultStream
from sqe.rewrite.guarded import GuardedStatement


class DirectEngine(Protocol):
    """The methods of ``Prepared``, about a statement."""

    def run(self, statement: GuardedStatement, run: Run) -> ResultStream: ...
    def describe(self, statement: GuardedStatement, run: Run) -> Description: ...
    def explain(self, statement: GuardedStatement, run: Run, mode: str = ...) -> Explanation: ...
    def analyze(self, statement: GuardedStatement, run: Run) -> Explanation: ...


@dataclass(frozen=True)
class DirectStatement:
    """Implements ``Prepared``."""

    engine: DirectEngine
    statement: GuardedStatement

    def run(self, run: Run) -> ResultStream:
        return self.engine.run(self.statement, run)

    def describe(self, run: Run) -> Description:
        return self.engine.describe(self.statement, run)

    def explain(self, run: Run, mode: str = "") -> Explanation:
        return self.engine.explain(self.statement, run, mode)

    def analyze(self, run: Run) -> Explanation:
        return self.engine.analyze(self.statement, run)
