"""From what a token says to who it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_LONGEST_NAME = 512
_SPACED = ("scope", "scp")  # lists written as one text


@dataclass(frozen=True, slots=True)
class ClaimNames:
    """Where things are; a path may have dots."""

    user: str = "preferred_username"
    groups: str = "groups"
    roles: str = "roles"
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Person:
    user: str
    groups: frozenset[str]
    roles: frozenset[str]


def person_in(claims: Mapping[str, Any], names: ClaimNames) -> Person:
    """ValueError, in our own words, if it is not clear who that is."""
    user = at(claims, names.user)
    if not isinstance(user, str) or not _is_name(user):
        raise ValueError(f"its {names.user} is no user's name")
    return Person(
        names.prefix + user,
        _names(claims, names.groups, names.prefix),
        _names(claims, names.roles, names.prefix),
    )


def at(claims: Mapping[str, Any], path: str) -> Any:
    """The claim of that name, or, by its dots, within others; None if there is none. Names may
    themselves have dots: issuers like to use addresses."""
    if path in claims:
        return claims[path]
    for place, character in enumerate(path):
        inner = claims.get(path[:place]) if character == "." else None
        if isinstance(inner, Mapping):
            found = at(inner, path[place + 1 :])
            if found is not None:
                return found
    return None


def texts(value: Any) -> tuple[str, ...]:
    """One or several texts, as ``aud`` may be. ValueError for anything else."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return tuple(value)
    raise ValueError("a claim is neither a text nor a list of texts")


def _names(claims: Mapping[str, Any], path: str, prefix: str) -> frozenset[str]:
    value = at(claims, path) if path else None
    if value is None:
        return frozenset()
    if isinstance(value, str) and path in _SPACED:
        value = value.split()
    found = texts(value)
    if not all(_is_name(name) for name in found):
        raise ValueError(f"its {path} has something that is no name")
    return frozenset(prefix + name for name in found)


def _is_name(name: str) -> bool:
    return 0 < len(name) <= _LONGEST_NAME and name.isprintable() and name == name.strip()
