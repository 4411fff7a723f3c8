"""SQL fragments that many translations share: a value that is computed once, lambdas taken apart,
and the question whether a nested value has a NULL inside."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence

from sqe.model.trino_types import DOUBLE, REAL, TrinoType, quoted_field

_CHEAP = re.compile(r"[\w.`\0]{1,60}|'[^'\\]{0,40}'")
_QUERY = re.compile(r"\bSELECT\b")
_NUMBERED = re.compile(r"\bv(\d+)\b")
_calls = itertools.count()  # tells the holes of nested calls apart; none stays in the text


def once(values: Sequence[str], body: Callable[..., str]) -> str:
    """``body`` of names that stand for the values, where each is computed one time. Names and
    literals stand for themselves; the others become a lambda's parameter or fields of it."""
    costly = [i for i, value in enumerate(values) if not _CHEAP.fullmatch(value)]
    # Spark has no queries and no aggregates inside of lambdas' arguments; they are repeated.
    if not costly or any(_QUERY.search(values[i]) for i in costly):
        return body(*values)
    # Names are given once it is known which are taken inside.
    call = next(_calls)
    holes = [f"\0{call}.{i}\0" if i in costly else value for i, value in enumerate(values)]
    written = body(*holes)
    taken = [int(number) for number in _NUMBERED.findall("".join([*values, written]))]
    name = f"v{max(taken, default=-1) + 1}"
    given = values[costly[0]]
    if len(costly) > 1:
        fields = ", ".join(f"'p{i}', {values[i]}" for i in costly)
        given = f"named_struct({fields})"
    for i in costly:
        written = written.replace(holes[i], name if len(costly) == 1 else f"{name}.p{i}")
    return f"transform(array({given}), {name} -> {written})[0]"


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
            _null_or_holds(one.type, f"{sql}.{quoted_field(kind, i)}", inner)
            for i, one in enumerate(kind.fields)
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
        or any(holds(one, *bases) for one in kind.types)
        or any(holds(one.type, *bases) for one in kind.fields)
    )


def is_float(kind: TrinoType) -> bool:
    return kind in (REAL, DOUBLE)
