"""A derived table in place of a name."""

from __future__ import annotations

from sqe.binding.bound import BoundReference
from sqe.model.names import quote
from sqe.sql.splice import Edit
from sqe.sql.statement import Span, Statement


def derive(statement: Statement, bound: BoundReference, text: str, span: Span) -> list[Edit]:
    """Under the name the user's text knows it by."""
    reference = bound.reference
    if reference.table_word is not None:
        # TABLE takes only a name. In front of a pipe the alias must stay visible.
        piped = statement.text[span.end :].lstrip().startswith("|>")
        query = f"{'FROM' if piped else 'SELECT * FROM'} {text} AS {quote(reference.parts[-1])}"
        return [Edit(Span(reference.table_word, span.end), query)]
    if reference.alias is not None:
        return [Edit(span, text)]
    alias = f" AS {quote(reference.parts[-1])}"
    if reference.alias_at <= span.end:
        return [Edit(span, text + alias)]
    return [Edit(span, text), Edit(Span(reference.alias_at, reference.alias_at), alias)]
