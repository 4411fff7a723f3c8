"""All functions by name, how one is declared, and which of its signatures a call means."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from sqe.model.trino_types import UNKNOWN, TrinoType, varchar
from sqe.trino.dialect.coercion import can_coerce
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.functions.signatures import (
    Bindings,
    Pattern,
    Signature,
    concrete,
    parse_signature,
    unify,
)
from sqe.trino.dialect.typed import Typed

if TYPE_CHECKING:
    from sqe.trino.dialect.calls import CallSite

SCALAR, AGGREGATE, WINDOW = "scalar", "aggregate", "window"


@dataclass(frozen=True)
class Bound:
    """A call whose arguments have the types the function wants; what ``emit`` works from.

    ``arguments`` are analysed and coerced, also lambdas. ``site`` is the place of the call: its
    node, the analyzer, and how to write aggregates.
    """

    function: Function
    arguments: tuple[Typed, ...]
    returns: TrinoType
    bindings: Bindings
    site: CallSite

    def sql(self, index: int) -> str:
        return self.arguments[index].sql

    @property
    def at(self) -> int:
        return self.site.node.at

    def refuse(self, why: str) -> Refused:
        """For arguments it cannot be translated with."""
        return not_supported(f"{self.function.name}: {why}", self.at)

    def aggregate(self, name: str, *arguments: str) -> str:
        """``name(…)`` with the call's DISTINCT, FILTER and OVER."""
        return self.site.aggregate(name, arguments)


Emit = Callable[[Bound], "str | Typed"]
Returns = Callable[[Bindings, tuple[TrinoType, ...]], TrinoType]


@dataclass(frozen=True)
class Function:
    """One signature of a function.

    ``emit`` is a template (``"upper({0})"``; for an aggregate the name of Spark's) or a function
    that writes the SQL. ``result`` computes the type where the signature cannot say it.
    """

    name: str
    signature: Signature
    emit: Emit
    kind: str = SCALAR
    result: Returns | None = None
    description: str = ""
    deterministic: bool = True
    hidden: bool = False  # not in SHOW FUNCTIONS: a form with a syntax of its own

    def __str__(self) -> str:
        return f"{self.name}({self.signature})"


_FUNCTIONS: dict[str, list[Function]] = {}


def declare(  # noqa: PLR0913  a table's columns
    name: str,
    signatures: str | Sequence[str],
    emit: str | Emit,
    *,
    kind: str = SCALAR,
    result: Returns | None = None,
    description: str = "",
    deterministic: bool = True,
    hidden: bool = False,
) -> None:
    """Adds a function, one entry for each signature."""
    texts = [signatures] if isinstance(signatures, str) else signatures
    for text in texts:
        function = Function(
            name,
            parse_signature(text),
            _template(emit, kind) if isinstance(emit, str) else emit,
            kind,
            result,
            description,
            deterministic,
            hidden,
        )
        _FUNCTIONS.setdefault(name, []).append(function)


def _template(text: str, kind: str) -> Emit:
    if kind == SCALAR:
        return lambda call: text.format(*(argument.sql for argument in call.arguments))
    return lambda call: call.aggregate(text, *(argument.sql for argument in call.arguments))


def null_for_null(emit: Emit) -> Emit:
    """For text that does not look at NULL by itself: in Trino, a function of NULL is NULL."""

    def write(call: Bound) -> str | Typed:
        emitted = emit(call)
        if isinstance(emitted, Typed):
            return replace(emitted, sql=unless_null(call, emitted.sql))
        return unless_null(call, emitted)

    return write


def unless_null(call: Bound, sql: str) -> str:
    """The same, or NULL where an argument is."""
    open_ = [
        argument
        for argument in call.arguments
        if not argument.is_constant or argument.constant is None
    ]
    there = " AND ".join(f"{argument_sql.sql} IS NOT NULL" for argument_sql in open_)
    return f"CASE WHEN {there} THEN {sql} END" if there else sql


@dataclass(frozen=True, slots=True)
class Listed:
    """A function as Trino lists it."""

    name: str
    kind: str
    arguments: str
    result: str


@cache
def trinos_own() -> dict[str, list[Listed]]:
    """All of Trino's functions, also those that SQE does not have, by name."""
    functions: dict[str, list[Listed]] = {}
    text = files(__package__).joinpath("trino_functions.tsv").read_text()
    for line in text.splitlines():
        if not line.startswith("#"):
            function = Listed(*line.split("\t"))
            functions.setdefault(function.name, []).append(function)
    return functions


# Trino's functions that it does not list: most have a syntax of their own.
_NOT_LISTED = frozenset(
    {
        "current_catalog", "current_date", "current_path", "current_schema", "current_time",
        "current_timestamp", "current_user", "extract", "format", "json_array", "json_exists",
        "json_object", "json_query", "json_value", "localtime", "localtimestamp", "normalize",
        "position", "try", "version",
    }
)  # fmt: skip


def unknown_function(name: str, at: int) -> Refused:
    """A function that SQE does not have: Trino has none, or it is not written yet."""
    if name in trinos_own() or name in _NOT_LISTED:
        return not_supported(f"Function {name}", at)
    return Refused("FUNCTION_NOT_FOUND", f"Function '{name}' not registered", at)


def _trino_has(name: str, kinds: Sequence[TrinoType | int]) -> bool:
    """Whether Trino would know what to do with arguments that no declared signature fits."""
    for function in trinos_own().get(name, ()):
        try:
            signature = parse_signature(f"({function.arguments}) -> {function.result}")
        except (AssertionError, IndexError):
            return True  # of a shape that nothing here can have
        listed = Function(name, signature, lambda call: "")
        if any(_match(listed, kinds, exact=exact) is not None for exact in (True, False)):
            return True
    return False


def functions_named(name: str) -> list[Function]:
    return _FUNCTIONS.get(name.lower(), [])


def all_functions() -> list[Function]:
    return [function for name in sorted(_FUNCTIONS) for function in _FUNCTIONS[name]]


@dataclass(frozen=True)
class Resolved:
    function: Function
    patterns: tuple[Pattern, ...]
    bindings: Bindings
    types: tuple[TrinoType | None, ...] = field(default=())  # None: a lambda's


def resolve(name: str, kinds: Sequence[TrinoType | int], at: int) -> Resolved:
    """The signature that fits arguments of these types; a number is a lambda of that arity."""
    candidates = functions_named(name)
    if not candidates:
        raise unknown_function(name, at)
    for given, exact in itertools.product((kinds, _char_as_text(name, kinds)), (True, False)):
        fitting = [
            matched
            for function in candidates
            if (matched := _match(function, given, exact=exact)) is not None
        ]
        if fitting:
            return _most_specific(_texts_for_nulls(fitting, given), given, at)
    if _trino_has(name, kinds):
        raise not_supported(f"Function {name} with these arguments", at)
    shown = ", ".join(str(kind) if isinstance(kind, TrinoType) else "function" for kind in kinds)
    expected = ", ".join(sorted(str(one) for one in candidates if not one.hidden))
    if not kinds:
        message = f"Unexpected parameters () for function {name}. Expected: {expected}"
    else:
        message = f"Unexpected parameters ({shown}) for function {name}. Expected: {expected}"
    raise Refused("FUNCTION_NOT_FOUND", message, at)


def _char_as_text(name: str, kinds: Sequence[TrinoType | int]) -> Sequence[TrinoType | int]:
    """A char becomes a varchar only for the functions that have a form of their own for it."""
    first = kinds[0] if kinds else None
    forms = trinos_own().get(name, ())
    if not isinstance(first, TrinoType) or first.base != "char":
        return kinds
    if not any(function.arguments.startswith("char(") for function in forms):
        return kinds
    return [varchar(first.numbers[0]), *kinds[1:]]


def _match(function: Function, kinds: Sequence[TrinoType | int], *, exact: bool) -> Resolved | None:
    patterns = function.signature.patterns(len(kinds))
    if patterns is None:
        return None
    bound = Bindings()
    for pattern, kind in zip(patterns, kinds, strict=True):
        if isinstance(kind, int):
            if not pattern.is_lambda or len(pattern.inside) - 1 != kind:
                return None
        elif pattern.is_lambda or not unify(pattern, kind, bound, exact=exact):
            return None
    types = tuple(
        None if pattern.is_lambda else _target(pattern, kind, bound)
        for pattern, kind in zip(patterns, kinds, strict=True)
    )
    for kind, target in zip(kinds, types, strict=True):
        if target is not None and isinstance(kind, TrinoType) and not can_coerce(kind, target):
            return None
    return Resolved(function, patterns, bound, types)


def _target(pattern: Pattern, kind: TrinoType | int, bound: Bindings) -> TrinoType:
    """The type an argument becomes. ``decimal`` or ``row`` without brackets mean any of them."""
    wanted = concrete(pattern, bound)
    bare = not (wanted.numbers or wanted.types or wanted.fields)
    if bare and isinstance(kind, TrinoType) and wanted.base == kind.base != "varchar":
        return kind
    if isinstance(kind, TrinoType) and wanted.base == kind.base and kind.zone:
        return TrinoType(wanted.base, wanted.numbers, zone=kind.zone)
    return wanted


def _texts_for_nulls(fitting: list[Resolved], kinds: Sequence[TrinoType | int]) -> list[Resolved]:
    """A NULL without a type is a varchar rather than a char."""
    nulls = [place for place, kind in enumerate(kinds) if kind == UNKNOWN]
    others = [
        candidate
        for candidate in fitting
        if not any(candidate.patterns[place].base == "char" for place in nulls)
    ]
    return others or fitting


def _most_specific(fitting: list[Resolved], kinds: Sequence[TrinoType | int], at: int) -> Resolved:
    if len(fitting) == 1:
        return fitting[0]
    plain = [
        candidate for candidate in fitting if not any(p.has_variables for p in candidate.patterns)
    ] or fitting
    unknown_given = any(kind == UNKNOWN for kind in kinds)
    for pool in (fitting, plain) if len(plain) > 1 or not unknown_given else (fitting,):
        best = [
            candidate
            for candidate in pool
            if all(
                _at_least_as_specific(candidate, other) for other in pool if other is not candidate
            )
        ]
        if best:
            return next((candidate for candidate in best if candidate in plain), best[0])
    # NULL fits everything: take the first where all answer the same type, as Trino does.
    rest = fitting if unknown_given and len(plain) == 1 else plain
    answers = {
        concrete(candidate.function.signature.returns, candidate.bindings) for candidate in rest
    }
    if len(answers) == 1:
        return plain[0]
    name = plain[0].function.name
    raise Refused("AMBIGUOUS_FUNCTION_CALL", f"Could not choose a best candidate for {name}", at)


def _at_least_as_specific(one: Resolved, other: Resolved) -> bool:
    return all(
        a is None or b is None or can_coerce(a, b) or a == UNKNOWN
        for a, b in zip(one.types, other.types, strict=True)
    )
