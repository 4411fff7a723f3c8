"""Variables of a session: named constants that its user has set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqe.errors import ErrorCode, UserError

_PREFIXES: tuple[tuple[str, ...], ...] = ((), ("session",), ("system", "session"))


@dataclass(frozen=True, slots=True)
class SessionVariable:
    """``sql``: the value as a constant of its type. ``default``: the expression that DEFAULT
    stands for. ``text``: the value itself, of a string that is not NULL. Values are not shown."""

    name: str
    type: str  # in Spark's spelling
    sql: str = field(repr=False)
    default: str = field(repr=False)
    text: str | None = field(default=None, repr=False)


# By their names in small letters.
Variables = Mapping[str, SessionVariable]


def variable_name(parts: tuple[str, ...]) -> str | None:
    """Of ``x``, ``session.x`` and ``system.session.x`` it is x, in small letters. None: a name of
    these parts is no variable's."""
    *before, name = (part.lower() for part in parts)
    return name if tuple(before) in _PREFIXES else None


def find_variable(variables: Variables, parts: tuple[str, ...]) -> SessionVariable | None:
    name = variable_name(parts)
    return variables.get(name) if name is not None else None


def variable_not_found(parts: tuple[str, ...]) -> UserError:
    return UserError(
        ErrorCode.VARIABLE_NOT_FOUND,
        f"There is no session variable {'.'.join(parts)}.",
        hint="DECLARE makes one.",
    )
