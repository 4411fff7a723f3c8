"""WITH RECURSIVE, written out step by step.

Trino repeats the step a fixed number of times and fails if there would be another one; so the text
has a query for each step, and its rules of where the name may stand are Trino's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqe.model.trino_types import BOOLEAN, TrinoType
from sqe.trino.dialect import nodes
from sqe.trino.dialect.coercion import can_coerce
from sqe.trino.dialect.errors import Refused, mismatch, not_supported
from sqe.trino.dialect.scope import Field, NamedQuery, Scope
from sqe.trino.dialect.tree import children
from sqe.trino.dialect.typed import fail, quote_name, string

if TYPE_CHECKING:
    from sqe.trino.dialect.queries import Queries

_DEPTH = "max_recursion_depth"  # a session property
_DEFAULT, _MOST = 10, 20  # the text grows with the square
_INVALID = "INVALID_RECURSIVE_REFERENCE"


@dataclass(frozen=True, slots=True)
class Recursion:
    """A query of a WITH clause that names itself: ``base UNION [ALL] step``."""

    node: nodes.With
    base: nodes.Body
    step: nodes.Body
    distinct: bool


def recursion_of(node: nodes.With) -> Recursion | None:
    """Of a query in WITH RECURSIVE. None: it does not name itself."""
    if not node.columns:
        message = "missing column aliases in recursive WITH query"
        raise Refused("MISSING_COLUMN_ALIASES", message, node.at)
    key = node.name.name.lower()
    references = list(_references(node.query, key))
    if not references:
        return None
    query, union = node.query, node.query.body
    if not isinstance(union, nodes.SetOperation) or union.operator != "UNION":
        raise Refused(_INVALID, "recursive reference not allowed in this context", references[0].at)
    inside_base = list(_references(union.left, key))
    if inside_base:
        message = "WITH table name is referenced in the base relation of recursion"
        raise Refused(_INVALID, message, inside_base[0].at)
    if len(references) > 1:
        message = "multiple recursive references in the step relation of recursion"
        raise Refused(_INVALID, message, references[1].at)
    _check_around(query)
    _check_step(union.right, key, references[0])
    return Recursion(node, union.left, union.right, union.distinct)


def check_names(columns: Sequence[nodes.Identifier]) -> None:
    """Of a WITH clause: each name once."""
    for i, column in enumerate(columns):
        if any(column.name.lower() == other.name.lower() for other in columns[:i]):
            message = f"Column name '{column.name}' specified more than once"
            raise Refused("DUPLICATE_COLUMN_NAME", message, column.at)


def _references(node: nodes.Node, key: str) -> Iterator[nodes.TableRef]:
    """Where the name stands, unless a WITH inside gives it to another query."""
    if isinstance(node, nodes.TableRef):
        if len(node.name) == 1 and node.name[0].name.lower() == key:
            yield node
        return
    if isinstance(node, nodes.Query) and any(
        with_query.name.name.lower() == key for with_query in node.withs
    ):
        return
    for child in children(node):
        yield from _references(child, key)


def _check_around(query: nodes.Query) -> None:
    if query.withs:
        raise Refused("NOT_SUPPORTED", "immediate WITH clause in recursive query", query.at)
    if query.order_by or query.offset is not None:
        raise not_supported("ORDER BY or OFFSET of a recursive query", query.at)
    if query.limit is not None:
        message = "immediate FETCH FIRST / LIMIT clause in recursive query"
        raise Refused("INVALID_LIMIT_CLAUSE", message, query.limit_at)


def _check_step(step: nodes.Body, key: str, reference: nodes.TableRef) -> None:
    while isinstance(step, nodes.Query):
        if step.order_by:
            raise not_supported("ORDER BY of the step of a recursion", step.at)
        step = step.body
    source = step.source if isinstance(step, nodes.Select) else None
    if source is None or not any(_references(source, key)):
        message = "recursive reference outside of FROM clause of the step relation of recursion"
        raise Refused(_INVALID, message, reference.at)
    _check_sides(source, key)


def _check_sides(node: nodes.Node, key: str) -> None:
    """A row more in the reference must never mean a row less in the step."""
    where = ""
    if isinstance(node, nodes.Join):
        sides = {"left": node.left, "right": node.right}
        lost = {"LEFT": ("right",), "RIGHT": ("left",), "FULL": ("left", "right")}
        for side in lost.get(node.kind, ()):
            if any(_references(sides[side], key)):
                where = f"{side} source of {node.kind} join"
    elif isinstance(node, nodes.SetOperation) and node.operator == "EXCEPT":
        kind = "DISTINCT" if node.distinct else "ALL"
        if any(_references(node.right, key)):
            where = f"right relation of EXCEPT {kind}"
    if where:
        (reference,) = _references(node, key)
        raise Refused(_INVALID, f"recursive reference in {where}", reference.at)
    for child in children(node):
        _check_sides(child, key)


class Steps:
    """Writes the queries of one recursion."""

    def __init__(self, queries: Queries, recursion: Recursion, scope: Scope) -> None:
        self._queries = queries
        self._recursion = recursion
        self._scope = scope
        self._kinds: list[TrinoType] = []
        self._names = [f"c{i}" for i in range(len(recursion.node.columns))]

    def write(self) -> tuple[list[str], NamedQuery]:
        """The texts of its queries for the WITH clause, and the whole of them."""
        depth = self._depth()
        name, text = self._base()
        heads, names = [text], [name]
        for _ in range(depth + 1):
            name, text = self._step(names[-1])
            heads.append(text)
            names.append(name)
        whole = self._queries.analyzer.make_id("w")
        heads.append(f"{whole} AS ({self._union(names[:-1], names[-1], depth)})")
        return heads, self._build_named_query(whole)

    def _depth(self) -> int:
        depth_text = self._queries.analyzer.context.client.properties.get(_DEPTH, str(_DEFAULT))
        if not depth_text.isdecimal() or not 1 <= int(depth_text) <= _MOST:
            raise not_supported(
                f"A recursion with {_DEPTH} = {depth_text}", self._recursion.node.at
            )
        return int(depth_text)

    def _base(self) -> tuple[str, str]:
        columns, at = self._recursion.node.columns, self._recursion.base.at
        built = self._queries.body(self._recursion.base, self._scope)
        self._kinds = [column.type for column in built.columns]
        if len(columns) != len(built.columns):
            message = (
                f"Column alias list has {len(columns)} entries but relation has "
                f"{len(built.columns)} columns"
            )
            raise Refused("MISMATCHED_COLUMN_ALIASES", message, columns[0].at)
        check_names(columns)
        text = self._queries.convert_columns(built, self._kinds, at, self._names)
        name = self._queries.analyzer.make_id("w")
        return name, f"{name} AS ({text})"

    def _step(self, before: str) -> tuple[str, str]:
        """One more, from the rows of the step ``before``."""
        step = self._recursion.step
        key = self._recursion.node.name.name.lower()
        built = self._queries.body(
            step, self._scope.with_query(key, self._build_named_query(before))
        )
        if len(built.columns) != len(self._kinds):
            message = (
                "base and step relations of recursion have different number of fields: "
                f"{len(self._kinds)}, {len(built.columns)}"
            )
            raise mismatch(message, step.at)
        for i, (column, kind) in enumerate(zip(built.columns, self._kinds, strict=True), 1):
            if column.type != kind and not can_coerce(column.type, kind):
                message = (
                    f"recursion step relation output type ({column.type}) is not coercible to "
                    f"recursion base relation output type ({kind}) at column {i}"
                )
                raise mismatch(message, step.at)
        text = self._queries.convert_columns(built, self._kinds, step.at, self._names)
        name = self._queries.analyzer.make_id("w")
        return name, f"{name} AS ({text})"

    def _union(self, names: list[str], beyond: str, depth: int) -> str:
        """All rows, once it is sure that there are none ``beyond`` the last step."""
        listed = ", ".join(map(quote_name, self._names))
        selects = (f"SELECT {listed} FROM {name}" for name in names)
        rows = (" UNION " if self._recursion.distinct else " UNION ALL ").join(selects)
        message = (
            f"Recursion depth limit exceeded ({depth}). Use '{_DEPTH}' session property to "
            "modify the limit."
        )
        failure = fail("NOT_SUPPORTED", string(message), BOOLEAN)
        check = f"CASE WHEN (SELECT count(*) FROM {beyond}) > 0 THEN {failure} ELSE true END"
        alias = self._queries.analyzer.make_id("r")
        return f"SELECT {listed} FROM ({rows}) AS {alias} WHERE {check}"

    def _build_named_query(self, name: str) -> NamedQuery:
        written = self._recursion.node.columns
        fields = (
            Field(identifier.name, kind, quote_name(column))
            for identifier, kind, column in zip(written, self._kinds, self._names, strict=True)
        )
        return NamedQuery(name, tuple(fields))
