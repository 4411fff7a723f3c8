"""``current_user()`` and its kin become what they are in this session: the engine's own session is
SQE's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqe.binding.bound import BoundStatement
from sqe.model.names import string_literal
from sqe.rewrite.rendering import Names, Rendering, outside
from sqe.rewrite.session_values import session_value
from sqe.sql.splice import Edit


def fix_session_functions(
    bound: BoundStatement, edits: Sequence[Edit], rendering: Rendering
) -> Sequence[Edit]:
    return [*edits, *outside(edits, _values(bound, rendering.names))]


def _values(bound: BoundStatement, names: Names) -> Iterator[Edit]:
    for function in bound.session_functions:
        value = session_value(function.name, names.session_schema, names.user)
        alias = "" if function.aliased else f" AS `{function.name}()`"
        yield Edit(function.span, string_literal(value) + alias)
