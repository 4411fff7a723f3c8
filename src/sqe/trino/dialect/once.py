"""SQL fragments that many translations share: values that are computed once, lambdas taken apart,
and the question whether a nested value has a NULL inside."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqe.model.trino_types import DOUBLE, REAL, TrinoType, field_of_row
from sqe.trino.dialect.repeated import with_variable


def once(values: Sequence[str], body: Callable[..., str]) -> str:
    """``body`` of texts that stand for the values, none of which is computed twice."""

    def write(done: list[str], rest: list[str]) -> str:
        if not rest:
            return body(*done)
        return with_variable(rest[0], lambda one: write([*done, one], rest[1:]))

    return write([], list(values))


def lambda_parts(sql: str) -> tuple[list[str], str]:
    """The parameters and the body of a lambda that ``calls`` has written."""
    head, _, body = sql.partition(" -> ")
    return head.strip("()").split(", "), body


def holds_null(kind: TrinoType, sql: str, name: str = "n") -> str | None:
    """A test for a NULL anywhere inside of a value; None for types that have no inside."""
    inner = f"{name}_"
    if kind.base == "array":
        return f"exists({sql}, {inner} -> {_null_or_holds(kind.element, inner)})"
    if kind.base == "map":
        return f"exists(map_values({sql}), {inner} -> {_null_or_holds(kind.types[1], inner)})"
    if kind.base == "row":
        tests = [
            _null_or_holds(field.type, f"{sql}.{field_of_row(kind, i)}", inner)
            for i, field in enumerate(kind.fields)
        ]
        return f"({' OR '.join(tests)})"
    return None


def _null_or_holds(kind: TrinoType, sql: str, name: str = "") -> str:
    inside = holds_null(kind, sql, name or sql)
    return f"({sql} IS NULL)" if inside is None else f"({sql} IS NULL OR {inside})"


def holds(kind: TrinoType, *bases: str) -> bool:
    """Whether a type is one of these or has one inside."""
    return (
        kind.base in bases
        or any(holds(inner, *bases) for inner in kind.types)
        or any(holds(field.type, *bases) for field in kind.fields)
    )


def is_float(kind: TrinoType) -> bool:
    return kind in (REAL, DOUBLE)
