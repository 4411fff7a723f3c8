"""A statement with text put into it: every place it knows moves along.

SQE's own statements are made of the user's this way: the words around a query are SQE's, the query
stays as it was written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqe.sql.splice import Edit, splice
from sqe.sql.statement import Qualifier, Reference, SessionFunction, Span, Statement


def insert_texts(statement: Statement, pieces: Sequence[tuple[int, str]]) -> Statement:
    """The statement with each text put in at its offset, those of one offset in their order. What
    ended there ends in front of them, what began there begins behind them."""
    places = sorted(pieces, key=lambda piece: piece[0])
    edits = [Edit(Span(offset, offset), text) for offset, text in places]

    def begin(offset: int) -> int:
        return offset + sum(len(text) for at, text in places if at <= offset)

    def end(offset: int) -> int:
        return offset + sum(len(text) for at, text in places if at < offset)

    def move(span: Span) -> Span:
        return Span(begin(span.start), end(span.end))

    def reference(one: Reference) -> Reference:
        return replace(
            one,
            span=move(one.span),
            temporal=move(one.temporal) if one.temporal is not None else None,
            table_word=begin(one.table_word) if one.table_word is not None else None,
            alias_at=end(one.alias_at),
        )

    def qualifier(one: Qualifier) -> Qualifier:
        return replace(one, spans=tuple(move(span) for span in one.spans))

    def function(one: SessionFunction) -> SessionFunction:
        return replace(one, span=move(one.span))

    return replace(
        statement,
        text=splice(statement.text, edits).text,
        references=tuple(map(reference, statement.references)),
        qualifiers=tuple(map(qualifier, statement.qualifiers)),
        session_functions=tuple(map(function, statement.session_functions)),
        tree=None,  # its places would be wrong
    )


def without_beginning(statement: Statement, start: int) -> Statement:
    """What stands from ``start`` on, as a text of its own with the names in it."""

    def move(span: Span) -> Span:
        return Span(span.start - start, span.end - start)

    def reference(one: Reference) -> Reference:
        return replace(
            one,
            span=move(one.span),
            temporal=move(one.temporal) if one.temporal is not None else None,
            table_word=one.table_word - start if one.table_word is not None else None,
            alias_at=one.alias_at - start,
        )

    qualifiers = (
        qualifier for qualifier in statement.qualifiers if qualifier.spans[0].start >= start
    )
    return replace(
        statement,
        text=statement.text[start:],
        references=tuple(reference(r) for r in statement.references if r.span.start >= start),
        qualifiers=tuple(replace(q, spans=tuple(map(move, q.spans))) for q in qualifiers),
        session_functions=(),
        tree=None,  # its places would be wrong
    )
