"""Who is asking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqe.model.passport import Passport


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
    """A person or program, as authenticated. Equal ones are the same person with the same rights,
    whatever they have shown; ``issuer`` keeps people of one name apart.

    ``passport`` is what the catalogs are shown; None: nothing that a catalog could know.
    ``scopes``: the only things they may do; none named: whatever the user may. ``standing`` says
    whether what they have shown is still good, if that can end before the session does. ``key_id``
    names the API key that they have shown.
    """

    user: str
    groups: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    issuer: str = ""
    passport: Passport | None = field(default=None, compare=False, repr=False)
    scopes: frozenset[str] = frozenset()
    claims: tuple[tuple[str, str], ...] = ()  # of the token, those that policies may ask for
    standing: Callable[[], bool] | None = field(default=None, compare=False, repr=False)
    key_id: str = field(default="", compare=False)
