"""Full names in the body of a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqe.model.names import quote
from sqe.sql.own_functions.texts import body_as_query
from sqe.sql.parse import parse
from sqe.sql.splice import Edit, splice
from sqe.sql.text import TextLimits

Parts = tuple[str, ...]


def with_full_names(
    body: str,
    is_query: bool,
    relations: Mapping[Parts, Parts],
    function: Callable[[Parts], Parts | None],
    limits: TextLimits,
) -> str:
    """``relations``: by the parts as written, in small letters."""
    text, start = body_as_query(body, is_query)
    statement = parse(text, limits, own_functions=True)
    named = [
        (reference.span, relations.get(tuple(part.lower() for part in reference.parts)))
        for reference in statement.references
    ]
    named += [(call.name_span, function(call.parts)) for call in statement.calls]
    edits = [Edit(span, ".".join(map(quote, parts))) for span, parts in named if parts is not None]
    written = splice(text, edits).text
    return written[start : len(written) - (len(text) - start - len(body))]
