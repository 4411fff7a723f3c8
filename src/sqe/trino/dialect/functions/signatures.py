"""Signatures as Trino writes them, and how arguments are matched to them.

``"(array(T), bigint) -> T"``. A word in upper case is a type variable, a lower-case letter alone in
brackets a number variable (``varchar(n)``, ``decimal(p, s)``), ``function(T, R)`` a lambda from T
to R; ``...`` after the last argument lets it repeat.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sqe.model.trino_types import UNKNOWN, RowField, TrinoType
from sqe.trino.dialect.coercion import can_coerce, common_type

UNBOUNDED = 2_147_483_647  # the length of a varchar without one
_WORD = re.compile(r"\s*([A-Za-z_]+|\d+|[(),]|\.\.\.|->)")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A type with holes. ``base`` in upper case is a type variable."""

    base: str
    inside: tuple[Pattern, ...] = ()
    numbers: tuple[int | str, ...] = ()

    @property
    def is_variable(self) -> bool:
        return self.base.isupper()

    @property
    def is_lambda(self) -> bool:
        return self.base == "function"

    @property
    def has_variables(self) -> bool:
        return (
            self.is_variable
            or any(isinstance(number, str) for number in self.numbers)
            or any(inner.has_variables for inner in self.inside)
        )


@dataclass
class Bindings:
    """What the variables of a signature stand for."""

    types: dict[str, TrinoType] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Signature:
    arguments: tuple[Pattern, ...]
    returns: Pattern
    variadic: bool = False

    def patterns(self, count: int) -> tuple[Pattern, ...] | None:
        """One for each of ``count`` arguments; None if that many do not fit."""
        if not self.variadic:
            return self.arguments if len(self.arguments) == count else None
        fixed = self.arguments[:-1]
        if count < len(fixed):
            return None
        return fixed + (self.arguments[-1],) * (count - len(fixed))

    def __str__(self) -> str:
        return ", ".join(map(show, self.arguments)) + (", ..." if self.variadic else "")


def show(pattern: Pattern) -> str:
    parts = [str(number) for number in pattern.numbers] + [show(inner) for inner in pattern.inside]
    head, _, tail = pattern.base.partition(" ")
    shown = head + (f"({','.join(parts)})" if parts else "")
    return f"{shown} {tail}" if tail else shown


def parse_signature(text: str) -> Signature:
    words = _WORD.findall(text)
    arguments: list[Pattern] = []
    variadic = False
    assert words[0] == "(", text  # noqa: S101  our own tables
    position = 1
    while words[position] != ")":
        if words[position] == ",":
            position += 1
        elif words[position] == "...":
            variadic = True
            position += 1
        else:
            pattern, position = _pattern(words, position)
            arguments.append(pattern)
    assert words[position + 1] == "->", text  # noqa: S101
    returns, position = _pattern(words, position + 2)
    assert position == len(words), text  # noqa: S101
    return Signature(tuple(arguments), returns, variadic)


def _pattern(words: list[str], position: int) -> tuple[Pattern, int]:
    base = words[position]
    position += 1
    inside: list[Pattern] = []
    numbers: list[int | str] = []
    if base == "interval":
        return Pattern(" ".join(words[position - 1 : position + 3])), position + 3
    if position < len(words) and words[position] == "(":
        position += 1
        while words[position] != ")":
            word = words[position]
            if word == ",":
                position += 1
            elif word.isdigit():
                numbers.append(int(word))
                position += 1
            elif len(word) == 1 and word.islower():
                numbers.append(word)
                position += 1
            else:
                inner, position = _pattern(words, position)
                inside.append(inner)
        position += 1
    if words[position : position + 3] == ["with", "time", "zone"]:
        base, position = f"{base} with time zone", position + 3
    return Pattern(base, tuple(inside), tuple(numbers)), position


def unify(pattern: Pattern, kind: TrinoType, bound: Bindings, *, exact: bool) -> bool:
    """Whether ``kind`` fits, filling ``bound``. Without ``exact`` it may be coerced."""
    if pattern.is_variable:
        return _unify_variable(pattern.base, kind, bound, exact=exact)
    if kind == UNKNOWN and not exact:
        return True
    if pattern.base != kind.base:
        return not exact and _coerces(pattern, kind, bound)
    if pattern.inside:
        parts = kind.types or tuple(field.type for field in kind.fields)
        return len(parts) == len(pattern.inside) and all(
            unify(inner, part, bound, exact=exact)
            for inner, part in zip(pattern.inside, parts, strict=True)
        )
    return _unify_numbers(pattern, kind, bound, exact=exact)


def _unify_variable(name: str, kind: TrinoType, bound: Bindings, *, exact: bool) -> bool:
    known = bound.types.get(name)
    if known is None:
        bound.types[name] = kind
        return True
    if exact and known != kind:
        return False
    common = common_type(known, kind)
    if common is None:
        return False
    bound.types[name] = common
    return True


def _unify_numbers(pattern: Pattern, kind: TrinoType, bound: Bindings, *, exact: bool) -> bool:
    if not pattern.numbers:
        # ``varchar`` is the unbounded one; ``row``, ``decimal`` alone mean any of them.
        return pattern.base != "varchar" or not kind.numbers or not exact
    numbers = kind.numbers or (UNBOUNDED,)
    for wanted, number in zip(pattern.numbers, numbers, strict=True):
        if isinstance(wanted, int):
            if wanted != number and (exact or number > wanted):
                return False
            continue
        known = bound.numbers.get(wanted)
        if known is not None and known != number and exact:
            return False
        bound.numbers[wanted] = number if known is None else max(known, number)
    return True


def _coerces(pattern: Pattern, kind: TrinoType, bound: Bindings) -> bool:
    """Whether a value of another base becomes this one's by itself."""
    if not pattern.has_variables:
        return can_coerce(kind, concrete(pattern, bound))
    if pattern.base == "decimal" and common_type(kind, TrinoType("decimal", (1, 0))) is not None:
        common = common_type(kind, TrinoType("decimal", (1, 0)))
        if common is None or common.base != "decimal":
            return False
        return _unify_numbers(pattern, common, bound, exact=False)
    if pattern.base == "varchar" and kind.base == "char":
        return _unify_numbers(pattern, TrinoType("varchar", kind.numbers), bound, exact=False)
    if pattern.base in ("timestamp", "timestamp with time zone") and kind.base in (
        "date",
        "timestamp",
    ):
        digits = kind.precision if kind.numbers else 0
        return _unify_numbers(pattern, TrinoType(pattern.base, (digits,)), bound, exact=False)
    return False


def concrete(pattern: Pattern, bound: Bindings) -> TrinoType:
    """The type a pattern stands for once its variables are known."""
    if pattern.is_variable:
        return bound.types.get(pattern.base, UNKNOWN)
    if pattern.base == "row":
        fields = tuple(RowField(None, concrete(inner, bound)) for inner in pattern.inside)
        return TrinoType("row", fields=fields)
    # What NULL becomes; a time or timestamp has milliseconds then.
    digits = 3 if pattern.base.startswith("time") else 0
    numbers = tuple(
        number if isinstance(number, int) else bound.numbers.get(number, digits)
        for number in pattern.numbers
    )
    if pattern.base == "varchar" and numbers and numbers[0] >= UNBOUNDED:
        numbers = ()
    types = tuple(concrete(inner, bound) for inner in pattern.inside)
    return TrinoType(pattern.base, numbers, types)
