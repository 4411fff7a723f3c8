"""Who is asking."""

from __future__ import annotations

from dataclasses import dataclass, field


class Secret:
    """A value that never shows itself: ``repr``, ``str`` and formatting print stars."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The value itself. Only where it goes on the wire."""
        return self._value

    def __repr__(self) -> str:
        return "Secret('****')"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> str:
        raise TypeError("a Secret cannot be pickled")


@dataclass(frozen=True, slots=True)
class Identity:
    """A person or program, as authenticated, with the credential to pass on to the catalog."""

    user: str
    groups: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    credential: Secret | None = field(default=None, compare=False)
