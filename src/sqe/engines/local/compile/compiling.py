"""What the compilers of single nodes know of the expression compiler they are part of."""

from __future__ import annotations

import re
from typing import Any, Protocol

from sqe.engines.local.compile.parameters import Parameters
from sqe.engines.local.compile.scope import Relation, Scope
from sqe.engines.local.compile.value import Value
from sqe.engines.local.plan import NotLocal
from sqe.sql.dialect import CALL

_WORD = re.compile(r"\w+")


class Compiling(Protocol):
    """One SELECT's expressions."""

    text: str  # the statement's, where nodes have their places
    scope: Scope
    time_zone: str  # the session's: moments are shown and cut into days in it
    negated: bool  # inside NOT, where Spark may turn comparisons around
    parameters: Parameters
    variables: dict[str, Value]  # of the lambdas around, by their names in lower case

    def value(self, node: Any) -> Value: ...

    def condition(self, node: Any) -> Value: ...

    def query(self, node: Any, scope: Scope) -> Relation: ...


def label(node: Any) -> str:
    return str(getattr(node, "key", type(node).__name__))


def function_name(here: Compiling, node: Any) -> str:
    """A function's name as the user wrote it, in lower case: sqlglot merges synonyms."""
    start = node.meta.get(CALL)
    word = _WORD.match(here.text, start) if start is not None else None
    if word is None:
        raise NotLocal(f"{label(node)} is not on the local engine's list")
    return word[0].lower()


def in_utc(here: Compiling, what: str) -> None:
    """Days and hours of a moment depend on the zone. Only of UTC are all rules beyond doubt."""
    if here.time_zone not in ("UTC", "Etc/UTC"):
        raise NotLocal(f"{what} in the time zone {here.time_zone} is Spark's")
