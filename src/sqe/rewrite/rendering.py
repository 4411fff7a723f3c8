"""How an engine spells things, and what the rewrites of a text are given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sqe.binding.bound import BoundMetadata, BoundReference, BoundStatement, BoundView
from sqe.errors import ErrorCode, InternalError
from sqe.model.identity import Secret
from sqe.model.names import RelationName, SchemaName, quote
from sqe.rewrite.guarded import GuardedStatement
from sqe.sql.splice import Edit
from sqe.sql.statement import Span, Statement

GUARD = "sqe_guard"

# Edits to a statement, given the table it writes and all other edits.
TextRepair = Callable[[Statement, BoundReference, Sequence[Edit]], list[Edit]]


def _no_keys(key: Secret) -> str:
    raise InternalError(ErrorCode.INTERNAL_ERROR, "This engine takes no keys of hash masks.")


@dataclass(frozen=True)
class Names:
    """How an engine spells things: a table's name, a metadata relation's rows, the session."""

    table: Callable[[RelationName], tuple[str, ...]]
    metadata: Callable[[BoundMetadata], str]
    session_schema: SchemaName
    user: str
    # The name of a guard, given it and its text; the marker for a key of a hash mask.
    guard: Callable[[BoundView, str], str] = lambda view, text: GUARD
    key: Callable[[Secret], str] = _no_keys
    # Told of each condition that a write to a table is held to.
    check: Callable[[RelationName, str], None] = lambda name, text: None
    # What the engine would carry out wrongly.
    repairs: tuple[TextRepair, ...] = ()


@dataclass(frozen=True)
class Rendering:
    """``changes`` make another statement of it; where they are, nothing else is replaced. Not
    ``checked``: without what a write is held to, for an engine to say what is wrong with it.
    ``text_of`` renders a statement inside this one, with changes to it."""

    guarded: GuardedStatement
    names: Names
    text_of: Callable[[BoundStatement, Sequence[Edit]], str]
    changes: Sequence[Edit] = ()
    checked: bool = True


# All edits to a statement's text, given those of the rewrites before.
TextRewrite = Callable[[BoundStatement, Sequence[Edit], Rendering], Sequence[Edit]]


def quote_parts(parts: tuple[str, ...]) -> str:
    return ".".join(quote(part) for part in parts)


def outside(edits: Sequence[Edit], others: Iterable[Edit]) -> list[Edit]:
    """Those of ``others`` that stand in nothing that is replaced already. Time travel of a guarded
    table is part of the guard, with all that is in it."""
    return [
        other for other in others if not any(is_inside(other.span, edit.span) for edit in edits)
    ]


def is_inside(span: Span, other: Span) -> bool:
    return other.start <= span.start and span.end <= other.end and other.start < other.end
