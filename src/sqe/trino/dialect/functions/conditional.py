"""greatest, least and fail."""

from __future__ import annotations

from sqe.model.trino_types import DOUBLE, REAL, UNKNOWN, TrinoType
from sqe.trino.dialect.functions.registry import Bound, declare
from sqe.trino.dialect.typed import fail, spark_type

_NESTED = ("array", "map", "row", "json")


def _extreme(name: str, call: Bound) -> str:
    """NULL if one is NULL; NaN only if all are NaN. Spark leaves both kinds out."""
    values = [argument.sql for argument in call.arguments]
    kind = call.returns
    if kind == UNKNOWN:
        return "NULL"
    if len(values) == 1:
        return values[0]
    if kind.base in _NESTED:
        raise call.refuse(f"values of type {kind}")
    unknown = " OR ".join(f"{value} IS NULL" for value in values)
    return f"IF({unknown}, NULL, {_extreme_of(name, values, kind, call.at)})"


def _extreme_of(name: str, values: list[str], kind: TrinoType, at: int) -> str:
    if kind in (REAL, DOUBLE):
        carrier = spark_type(kind, at)
        numbers = [f"nanvl({value}, CAST(NULL AS {carrier}))" for value in values]
        return f"coalesce({name}({', '.join(numbers)}), CAST('NaN' AS {carrier}))"
    if kind.base == "char":
        padded = [f"rpad({value}, {kind.length}, ' ')" for value in values]
        return f"rtrim({name}({', '.join(padded)}))"
    return f"{name}({', '.join(values)})"


declare("greatest", "(E, E, ...) -> E", lambda call: _extreme("greatest", call),
        description="Get the largest of the given values")  # fmt: skip
declare("least", "(E, E, ...) -> E", lambda call: _extreme("least", call),
        description="Get the smallest of the given values")  # fmt: skip
declare("fail", "(varchar) -> unknown",
        lambda call: fail("GENERIC_USER_ERROR", call.sql(0)),
        description="Decodes json to an exception and throws it", hidden=True)  # fmt: skip
