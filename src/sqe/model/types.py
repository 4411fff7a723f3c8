"""Spark's types, read from its own spelling: ``array<decimal(10,2)>``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqe.errors import ErrorCode, UserError

_DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*,\s*(-?\d+)\s*\)\Z")
_TEXTS = re.compile(r"(?:char|varchar)\(\s*\d+\s*\)\Z|string collate \w+\Z")
_INTERVAL = re.compile(r"interval (?:year|month|day|hour|minute|second)(?: to \w+)?\Z")
_SHAPE = re.compile(r"(?:geometry|geography)\([^()]*(?:\([^()]*\))?[^()]*\)\Z")
_TIME = re.compile(r"time\(\s*\d\s*\)\Z")
_QUOTED = re.compile(r"\s*`((?:[^`]|``)*)`\s*:")
_WORDS = """
boolean tinyint smallint int bigint float double string binary date timestamp timestamp_ntz void
variant interval
"""
_PLAIN = frozenset(_WORDS.split())


@dataclass(frozen=True, slots=True)
class Plain:
    """A type without others inside. ``name`` is Spark's; only decimals have digits."""

    name: str
    precision: int = 0
    scale: int = 0

    def __str__(self) -> str:
        return f"decimal({self.precision},{self.scale})" if self.name == "decimal" else self.name


@dataclass(frozen=True, slots=True)
class Array:
    element: Type
    nulls: bool = True  # whether an element may be NULL

    def __str__(self) -> str:
        return f"array<{self.element}>"


@dataclass(frozen=True, slots=True)
class Map:
    key: Type
    value: Type
    nulls: bool = True  # whether a value may be NULL

    def __str__(self) -> str:
        return f"map<{self.key},{self.value}>"


@dataclass(frozen=True, slots=True)
class Member:
    name: str
    type: Type
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class Struct:
    members: tuple[Member, ...]

    def __str__(self) -> str:
        return f"struct<{','.join(f'{member.name}:{member.type}' for member in self.members)}>"


Type = Plain | Array | Map | Struct


def parse_type(text: str) -> Type:
    """NOT_SUPPORTED for what is none of Spark's types, or one that SQE does not know."""
    word, _, inside = text.strip().partition("<")
    if not inside:
        return _plain_type(text.strip())
    if not inside.endswith(">"):
        raise _unknown_type(text)
    parts = _split(inside[:-1])
    kind = word.strip().lower()
    if kind == "array" and len(parts) == 1:
        return Array(parse_type(parts[0]))
    if kind == "map" and len(parts) == 2:
        return Map(parse_type(parts[0]), parse_type(parts[1]))
    if kind == "struct":
        return Struct(tuple(_member(part) for part in parts if part or len(parts) > 1))
    raise _unknown_type(text)


def _plain_type(text: str) -> Plain:
    name = text.lower()
    decimal = _DECIMAL.match(name)
    if decimal:
        return Plain("decimal", int(decimal[1]), int(decimal[2]))
    if name in _PLAIN or any(known.match(name) for known in (_INTERVAL, _SHAPE, _TIME)):
        return Plain(name)
    if _TEXTS.match(name):
        return Plain("string")
    raise _unknown_type(text)


def _member(text: str) -> Member:
    quoted = _QUOTED.match(text)
    if quoted:
        return Member(quoted[1].replace("``", "`"), parse_type(text[quoted.end() :]))
    name, colon, kind = text.partition(":")
    if not colon:
        raise _unknown_type(text)
    return Member(name.strip(), parse_type(kind))


def _split(text: str) -> list[str]:
    """At the commas that are in no bracket and in no quoted name."""
    parts, depth, quoted = [""], 0, False
    for character in text:
        quoted ^= character == "`"
        if not quoted:
            depth += (character in "<(") - (character in ">)")
        if character == "," and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _unknown_type(text: str) -> UserError:
    return UserError(ErrorCode.NOT_SUPPORTED, f"The type {text} is not supported.")
