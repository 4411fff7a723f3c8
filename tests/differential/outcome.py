"""What an engine made of a query: rows, a failure, or a refusal to take it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa


@dataclass(frozen=True)
class Answer:
    table: pa.Table


@dataclass(frozen=True)
class Failure:
    code: str
    message: str


@dataclass(frozen=True)
class Refusal:
    """The engine says that the query is not its to run. That is never a difference."""

    reason: str


Outcome = Answer | Failure | Refusal


class Side(Protocol):
    """One engine over the suite's data. The seam at which tests put a wrong one."""

    def ask(self, sql: str) -> Outcome: ...
