"""Arithmetic inside TRY: NULL where it fails."""

from __future__ import annotations

from sqe.model.trino_types import BIGINT
from sqe.trino.dialect.repeated import both_repeated
from sqe.trino.dialect.typed import Typed, spark_type

_TRIED = {"+": "try_add", "-": "try_subtract", "*": "try_multiply"}


def try_integer_arithmetic(operator: str, left: Typed, right: Typed, at: int) -> str:
    """Both are of one type."""
    if operator in _TRIED:
        return f"{_TRIED[operator]}({left.sql}, {right.sql})"

    def write(one: str, other: str) -> str:
        if operator == "%":
            return f"IF({other} = 0, NULL, {one} % {other})"
        if left.type == BIGINT:  # the smallest one's negative is none
            negated = f"try_subtract(0L, {one})"
            divided = f"WHEN {other} <> 0 THEN {one} div {other}"
            return f"CASE WHEN {other} = -1 THEN {negated} {divided} END"
        divided = f"try_cast({one} div {other} AS {spark_type(left.type, at)})"
        return f"IF({other} = 0, NULL, {divided})"

    return both_repeated(left.sql, right.sql, write)
