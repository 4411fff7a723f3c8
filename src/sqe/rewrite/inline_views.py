"""A view becomes its query, under the view's own column names (decision 0004)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqe.binding.bound import BoundStatement, BoundView
from sqe.model.names import quote
from sqe.rewrite.derived import derive
from sqe.rewrite.rendering import Rendering
from sqe.sql.splice import Edit

_PLAIN_TYPE = re.compile(
    r"(?:boolean|tinyint|smallint|int|bigint|float|double|string|binary|date|timestamp"
    r"|timestamp_ntz|decimal\(\d+,\d+\))\Z"
)


def inline_views(
    bound: BoundStatement, edits: Sequence[Edit], rendering: Rendering
) -> Sequence[Edit]:
    views = [
        edit
        for reference in bound.references
        if isinstance(reference.target, BoundView) and reference.target.guard is None
        for edit in derive(
            bound.statement, reference, _view(reference.target, rendering), reference.reference.span
        )
    ]
    return [*edits, *views]


def _view(view: BoundView, rendering: Rendering) -> str:
    """The view's query under its own column names. The line end keeps a closing comment closed."""
    text = rendering.text_of(view.inner, ()).strip()
    wanted = [column.name for column in view.columns]
    names = list(view.query_columns) or wanted
    if not wanted:
        return f"({text}\n)"
    if len({name.lower() for name in names}) == len(names):
        types = view.types or [""] * len(names)
        items = ", ".join(
            _view_column(old, new, kind)
            for old, new, kind in zip(names, wanted, types, strict=True)
        )
        return f"(SELECT {items} FROM ({text}\n))"  # noqa: S608  names are quoted
    listed = ", ".join(quote(name) for name in wanted)
    return f"(SELECT * FROM ({text}\n) AS {quote(view.name)}({listed}))"  # noqa: S608  names are quoted, the rest is the policy's or the view's own SQL


def _view_column(name: str, wanted: str, kind: str) -> str:
    """A column of a view. Cast to the type it had when the view was made: the same, as a rule."""
    if _PLAIN_TYPE.match(kind):
        return f"CAST({quote(name)} AS {kind}) AS {quote(wanted)}"
    return quote(name) if name == wanted else f"{quote(name)} AS {quote(wanted)}"
