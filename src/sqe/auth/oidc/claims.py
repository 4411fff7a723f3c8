"""From what a token says to who it is."""

from __future__ import annotations

import json
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
    told: tuple[str, ...] = ()  # that policies may ask for


@dataclass(frozen=True, slots=True)
class Person:
    user: str
    groups: frozenset[str]
    roles: frozenset[str]
    claims: tuple[tuple[str, str], ...] = ()


def person_in(claims: Mapping[str, Any], names: ClaimNames) -> Person:
    """ValueError, in our own words, if it is not clear who that is."""
    user = at(claims, names.user)
    if not isinstance(user, str) or not _is_name(user):
        raise ValueError(f"its {names.user} is no user's name")
    return Person(
        names.prefix + user,
        _names(claims, names.groups, names.prefix),
        _names(claims, names.roles, names.prefix),
        tuple(
            (name, text)
            for name in names.told
            if (text := _text_of_claim(claims, name)) is not None
        ),
    )


def at(claims: Mapping[str, Any], path: str) -> Any:
    """The claim of that name, or, by its dots, within others; None if there is none. Names may
    themselves have dots: issuers like to use addresses."""
    if path in claims:
        return claims[path]
    for place, character in enumerate(path):
        inner = claims.get(path[:place]) if character == "." else None
        if isinstance(inner, Mapping):
            inner_value = at(inner, path[place + 1 :])
            if inner_value is not None:
                return inner_value
    return None


def texts(value: Any) -> tuple[str, ...]:
    """One or several texts, as ``aud`` may be. ValueError for anything else."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise ValueError("a claim is neither a text nor a list of texts")


def _names(claims: Mapping[str, Any], path: str, prefix: str) -> frozenset[str]:
    value = at(claims, path) if path else None
    if value is None:
        return frozenset()
    if isinstance(value, str) and path in _SPACED:
        value = value.split()
    names = texts(value)
    if not all(_is_name(name) for name in names):
        raise ValueError(f"its {path} has something that is no name")
    return frozenset(prefix + name for name in names)


def _text_of_claim(claims: Mapping[str, Any], path: str) -> str | None:
    """As one text: numbers and truth values as JSON writes them, lists with commas between. None:
    there is no such claim."""
    value = at(claims, path)
    if value is None:
        return None
    if isinstance(value, list):
        items = [_value(item, path) for item in value]
        if any("," in item for item in items):
            raise ValueError(f"its {path} is a list of values with commas in them")
        return ",".join(items)
    return _value(value, path)


def _value(value: Any, path: str) -> str:
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    if not isinstance(value, str) or len(value) > _LONGEST_NAME or not value.isprintable():
        raise ValueError(f"its {path} is nothing that a policy could compare with")
    return value


def _is_name(name: str) -> bool:
    return 0 < len(name) <= _LONGEST_NAME and name.isprintable() and name == name.strip()
