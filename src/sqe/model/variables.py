"""Variables of a session: named constants that its user has set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqe.errors import ErrorCode, UserError

MOST_VARIABLES = 1000
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


# By their names in small letters; by ``key_of_qualified``, those of a script's labels.
Variables = Mapping[str, SessionVariable]


def key_of_qualified(label: str, name: str) -> str:
    return f"{label}\n{name}".lower()  # no name has a line break and is a label's


@dataclass(frozen=True, slots=True)
class ScriptBlock:
    """A block of a script that runs. It belongs to one thread."""

    label: str
    variables: dict[str, SessionVariable] = field(default_factory=dict)

    def visible(self) -> Variables:
        if not self.label:
            return self.variables
        named = {key_of_qualified(self.label, name): one for name, one in self.variables.items()}
        return self.variables | named

    def declare(self, new: Variables) -> None:
        """All of them or none."""
        for name in new:
            if name in self.variables:
                raise UserError(
                    ErrorCode.VARIABLE_ALREADY_EXISTS,
                    f"The variable {new[name].name} is declared twice in its block.",
                )
        if len(self.variables) + len(new) > MOST_VARIABLES:
            raise UserError(
                ErrorCode.INVALID_ARGUMENT, f"A block has at most {MOST_VARIABLES} variables."
            )
        self.variables.update(new)

    def change(self, values: dict[str, SessionVariable]) -> dict[str, SessionVariable]:
        """Takes those that are its own, and gives back the others."""
        own = {name: value for name, value in values.items() if name in self.variables}
        self.variables.update(own)
        return {name: value for name, value in values.items() if name not in own}


def variable_name(parts: tuple[str, ...]) -> str | None:
    """Of ``x``, ``session.x`` and ``system.session.x`` it is x, in small letters. None: a name of
    these parts is no variable's."""
    *before, name = (part.lower() for part in parts)
    return name if tuple(before) in _PREFIXES else None


def find_variable(variables: Variables, parts: tuple[str, ...]) -> SessionVariable | None:
    name = variable_name(parts)
    if name is None and len(parts) == 2:
        name = key_of_qualified(*parts)
    return variables.get(name) if name is not None else None


def variable_not_found(parts: tuple[str, ...]) -> UserError:
    return UserError(
        ErrorCode.VARIABLE_NOT_FOUND,
        f"There is no session variable {'.'.join(parts)}.",
        hint="DECLARE makes one.",
    )
