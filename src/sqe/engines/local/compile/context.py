"""What the compilers of one statement's parts share: names, scans, the text being compiled."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqe.binding.bound import BoundStatement
from sqe.engines.local.compile.expressions import Expressions
from sqe.engines.local.compile.parameters import Parameters
from sqe.engines.local.compile.scans import MetadataDraft, ScanDraft
from sqe.engines.local.compile.scope import Relation, Scope
from sqe.engines.local.compile.texts import check_statement
from sqe.rewrite.guarded import GuardedStatement


class Context:
    """``query`` compiles a query inside a query. Views are statements of their own, with a text of
    their own: ``open_statement`` makes one the current one."""

    def __init__(
        self, guarded: GuardedStatement, time_zone: str, query: Callable[[Any, Scope], Relation]
    ) -> None:
        self.guarded = guarded
        self.parameters = Parameters(guarded.bound.statement.markers, guarded.parameters)
        self.time_zone = time_zone
        self.query = query
        self.drafts: list[ScanDraft] = []
        self.metadata: list[MetadataDraft] = []
        self._numbers = itertools.count(1)
        self._statements: list[BoundStatement] = []

    @property
    def statement(self) -> BoundStatement:
        return self._statements[-1]

    @contextmanager
    def open_statement(self, bound: BoundStatement) -> Iterator[None]:
        check_statement(bound.statement)
        self._statements.append(bound)
        try:
            yield
        finally:
            self._statements.pop()

    def expressions(self, scope: Scope) -> Expressions:
        text = self.statement.statement.text
        return Expressions(text, scope, self.query, self.time_zone, self.parameters)

    def name(self, prefix: str) -> str:
        return f"{prefix}{next(self._numbers)}"
