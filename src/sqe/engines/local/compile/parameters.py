"""Parameters: the values of a statement's markers, and how DuckDB gets them.

Spark takes a parameter for a literal, so the compiler does too: where a literal's value decides how
something is written, so does a parameter's. But the value itself is never written: DuckDB gets it
beside the text, under a name.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from sqlglot import exp

from sqe.engines.local.compile.value import Value
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import BINARY, TINYINT, VOID, SparkType, parse_type
from sqe.model.query import Parameter
from sqe.sql.dialect import MARKER
from sqe.sql.statement import Span

_MAX_LIMIT = 2**31 - 1
# What a parameter may stand in. In functions, and where it would be a position, it is Spark's.
_PLACES = (
    exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Between,
    exp.In, exp.Like, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Alias, exp.Cast,
    exp.Coalesce, exp.If, exp.Case, exp.Connector, exp.Not, exp.Tuple,
)  # fmt: skip
_KEYS = (exp.Group, exp.Order, exp.Window)


class Parameters:
    """Of one statement being compiled. ``values`` are DuckDB's, by the names in the text."""

    def __init__(self, markers: Sequence[Span] = (), given: Sequence[Parameter] = ()) -> None:
        places = (span.start for span in markers)
        self._given = dict(zip(places, given, strict=True))
        self._seen: set[int] = set()
        self.values: dict[str, object] = {}

    def value(self, node: exp.Placeholder) -> Value:
        parameter = self._at(node)
        _check_place(node)
        if parameter.type == "void":
            return Value("NULL", VOID, "")
        kind = parse_type(parameter.type)
        if kind.parts or kind == BINARY:
            raise NotLocal(f"a parameter of type {kind} is Spark's")
        if parameter.value is None:
            return Value(f"CAST(NULL AS {kind.duckdb})", kind, "")
        return self.bind(kind, parameter.value)

    def bind(self, kind: SparkType, value: Any) -> Value:
        """A value of the type, under a name of its own."""
        name = f"p{len(self.values) + 1}"
        self.values[name] = _duckdb_value(value)
        sql = f"CAST(${name} AS {kind.duckdb})"
        # Spark reads a float from its text, and calls what it reads nullable.
        nullable = kind.name == "float"
        return Value(
            sql, kind, "", nullable, bare=kind.is_integral and kind != TINYINT, bound=value
        )

    def limit(self, node: exp.Placeholder) -> str:
        """How many rows LIMIT and OFFSET are about."""
        count = self._at(node)
        fits = isinstance(count.value, int) and 0 <= count.value <= _MAX_LIMIT
        if count.type != "int" or not fits:
            raise NotLocal("this number of rows is Spark's")
        name = f"p{len(self.values) + 1}"
        self.values[name] = count.value
        return f"${name}"

    def constant(self, node: exp.Placeholder) -> Any:
        """The value as ``constants`` has those of literals."""
        value = self._given[node.meta[MARKER]].value
        return None if isinstance(value, float) else value

    def check(self) -> None:
        """A marker that was not read as a value stands where the tree tells too little."""
        if self._given.keys() - self._seen:
            raise NotLocal("a parameter in this place is Spark's")

    def _at(self, node: exp.Placeholder) -> Parameter:
        self._seen.add(node.meta[MARKER])
        return self._given[node.meta[MARKER]]


def _check_place(node: exp.Expr) -> None:
    parent = node.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    listed = isinstance(parent, exp.Tuple) and not isinstance(parent.parent, exp.Values)
    if not isinstance(parent, _PLACES) or listed:
        raise NotLocal("a parameter in this place is Spark's")
    above = node.find_ancestor(*_KEYS, exp.Query)
    if isinstance(above, _KEYS):
        raise NotLocal("a parameter in GROUP BY, ORDER BY or OVER is Spark's")


def _duckdb_value(value: Any) -> object:
    """As DuckDB takes it without any doubt; the text casts it to its type."""
    if isinstance(value, float):
        if not math.isfinite(value) or (value == 0 and math.copysign(1, value) < 0):
            raise NotLocal("NaN, infinity and -0.0 as parameters are Spark's")
        return value
    if isinstance(value, str):
        if "\0" in value:
            raise NotLocal("a text with a NUL character is Spark's")
        return value
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, datetime.datetime):
        zone = "+00" if value.tzinfo is not None else ""
        return value.replace(tzinfo=None).isoformat(sep=" ") + zone
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, bool | int):
        return value
    raise NotLocal("a parameter of this kind is Spark's")
