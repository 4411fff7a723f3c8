"""Functions that people have written: those of a statement's WITH, and those that are kept.

One that was written in Trino's SQL is analysed where it is called, with its arguments in place of
its parameters: nothing else can be named in its body. One that was written in Spark's SQL is called
in Spark's text, and SQE writes its body there (``sql/own_functions``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqe.model.trino_types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    REAL,
    SMALLINT,
    TINYINT,
    VARBINARY,
    VARCHAR,
    TrinoType,
    decimal,
    timestamp,
)
from sqe.trino.dialect import nodes
from sqe.trino.dialect.aggregation import check_scalar
from sqe.trino.dialect.calls import CallSite, check_is_scalar
from sqe.trino.dialect.casts import coerce, parse_cast_type
from sqe.trino.dialect.coercion import can_coerce
from sqe.trino.dialect.context import KnownFunction
from sqe.trino.dialect.errors import Refused, mismatch, not_supported
from sqe.trino.dialect.repeated import with_variable
from sqe.trino.dialect.scope import Scope
from sqe.trino.dialect.tree import walk
from sqe.trino.dialect.typed import NO_CONSTANT, Typed, quote_name

if TYPE_CHECKING:
    from sqe.trino.dialect.analyzer import Analyzer

_SPARKS = {
    "boolean": BOOLEAN, "tinyint": TINYINT, "byte": TINYINT, "smallint": SMALLINT,
    "short": SMALLINT, "int": INTEGER, "integer": INTEGER, "bigint": BIGINT, "long": BIGINT,
    "float": REAL, "real": REAL, "double": DOUBLE, "string": VARCHAR, "binary": VARBINARY,
    "date": DATE, "timestamp_ntz": timestamp(6),
}  # fmt: skip
_DECIMAL = re.compile(r"(?:decimal|dec|numeric)\((\d+)(?:, *(\d+))?\)")
_MOST_OPEN = 32


@dataclass(frozen=True)
class Signature:
    name: str
    names: tuple[str, ...]
    types: tuple[TrinoType, ...]
    returns: TrinoType

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.types))})"


def signature_of(function: nodes.FunctionSpecification, name: str = "") -> Signature:
    names = [parameter.name.lower() for parameter in function.parameters]
    for parameter in function.parameters:
        if names.count(parameter.name.lower()) > 1:
            message = f"Parameter name '{parameter.name}' specified more than once"
            raise Refused("INVALID_ARGUMENTS", message, parameter.at)
    return Signature(
        name or ".".join(part.name.lower() for part in function.name),
        tuple(names),
        tuple(parse_cast_type(one.type, one.at) for one in function.parameters),
        parse_cast_type(function.returns, function.at),
    )


def own_call(site: CallSite) -> Typed | None:
    """None where the name is not one of such a function's."""
    analyzer, parts = site.analyzer, tuple(part.name.lower() for part in site.node.name)
    if len(parts) == 1 and parts[0] in analyzer.functions:
        return _call_specified(site, analyzer.functions[parts[0]], parts[0])
    for name in _readings(site, parts):
        function = analyzer.context.lookup.function(*name)
        if function is not None:
            return _call_known(site, function, ".".join(name))
    return None


def _readings(site: CallSite, parts: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """One part is looked for in the schemas of SET PATH."""
    client = site.analyzer.context.client
    if len(parts) == 3:
        return [(parts[0], parts[1], parts[2])]
    if len(parts) == 2:
        return [(client.catalog.lower(), parts[0], parts[1])] if client.catalog else []
    schemas = [one.strip().lower().replace('"', "") for one in client.path.split(",")]
    catalogs = [one if "." in one else f"{client.catalog.lower()}.{one}" for one in schemas if one]
    return [(*one.split(".", 1), parts[0]) for one in catalogs if len(parts) == 1]  # type: ignore[misc]


def _call_known(site: CallSite, function: KnownFunction, name: str) -> Typed:
    from sqe.trino.dialect.parser import parse_specification

    if function.trino:
        try:
            return _call_specified(site, parse_specification(function.trino), name)
        except Refused as error:
            if error.at is None or error.at == site.node.at:
                raise
            raise Refused(
                error.name, f"In function {name}: {error.message}", site.node.at
            ) from None
    at = site.node.at
    kinds = [spark_kind(text) for text in (*function.types, function.returns)]
    if any(kind is None for kind in kinds):
        raise not_supported(f"Function {name}, which has types of Spark's", at)
    *types, returns = (kind for kind in kinds if kind is not None)
    signature = Signature(name, tuple(function.names), tuple(types), returns)
    arguments = _arguments(site, signature)
    return Typed(returns, f"{function.text}({', '.join(one.sql for one in arguments)})")


def spark_kind(text: str) -> TrinoType | None:
    """Trino's type for one in Spark's words; None for those with no exact one."""
    decimals = _DECIMAL.fullmatch(text.lower())
    if decimals is not None:
        return decimal(int(decimals[1]), int(decimals[2] or 0))
    return _SPARKS.get(text.lower())


def _arguments(site: CallSite, signature: Signature) -> list[Typed]:
    """Each as its parameter's type."""
    check_is_scalar(site)
    given: list[Typed] = []
    for index, argument in enumerate(site.node.arguments):
        if isinstance(argument, nodes.Lambda):
            raise not_supported(f"A lambda as an argument of {signature.name}", argument.at)
        given.append(site.argument(index))
    fits = len(given) == len(signature.types) and all(
        can_coerce(one.type, kind) for one, kind in zip(given, signature.types, strict=True)
    )
    if not fits or site.node.star:
        shown = ", ".join(str(one.type) for one in given)
        message = f"Unexpected parameters ({shown}) for function {signature.name}."
        raise Refused("FUNCTION_NOT_FOUND", f"{message} Expected: {signature}", site.node.at)
    return [
        coerce(one, kind, site.node.at) for one, kind in zip(given, signature.types, strict=True)
    ]


def _call_specified(site: CallSite, function: nodes.FunctionSpecification, name: str) -> Typed:
    """A call of a function whose body is Trino's SQL."""
    signature = signature_of(function, name)
    arguments = _arguments(site, signature)
    uses = [one.name.lower() for node in walk(function.body) for one in _names(node)]
    inside_lambda = any(isinstance(node, nodes.Lambda) for node in walk(function.body))
    kinds: list[TrinoType] = []

    def write(texts: Mapping[str, str], rest: Sequence[str]) -> str:
        if rest:
            once = uses.count(rest[0]) + function.null_on_null <= 1 and not inside_lambda
            if once:
                return write(texts, rest[1:])
            return with_variable(
                texts[rest[0]], lambda one: write({**texts, rest[0]: one}, rest[1:])
            )
        values = {
            key: replace(argument, sql=texts[key], constant=NO_CONSTANT)
            for key, argument in zip(signature.names, arguments, strict=True)
        }
        written = write_body(site.analyzer, function, signature, values, site)
        kinds.append(written.type)
        if not (function.null_on_null and arguments):
            return written.sql
        nulls = " OR ".join(f"{text} IS NULL" for text in texts.values())
        return f"CASE WHEN {nulls} THEN NULL ELSE {written.sql} END"

    texts = {key: one.sql for key, one in zip(signature.names, arguments, strict=True)}
    sql = write(texts, signature.names)
    return Typed(kinds[-1], f"({sql})")


def _names(node: nodes.Node) -> list[nodes.Identifier]:
    return [node.identifier] if isinstance(node, nodes.Column) else []


def write_body(
    analyzer: Analyzer,
    function: nodes.FunctionSpecification,
    signature: Signature,
    values: Mapping[str, Typed],
    site: CallSite | None = None,
) -> Typed:
    """The body with these values of its parameters, as the type that is returned. ``site``: the
    call, if there is one."""
    at = site.node.at if site is not None else function.at
    if signature.name in analyzer.open_functions:
        message = f"Recursive language functions are not supported: {signature}"
        raise Refused("NOT_SUPPORTED", message, at)
    if len(analyzer.open_functions) >= _MOST_OPEN:
        message = f"Functions call each other more than {_MOST_OPEN} levels deep"
        raise Refused("STATEMENT_TOO_COMPLEX", message, at)
    if any(isinstance(node, nodes.Query) for node in walk(function.body, into_queries=True)):
        raise not_supported("A query in a function", function.body.at)
    check_scalar(function.body, "RETURN")
    taken = site.scope.count_of_variables if site is not None else 0
    scope = Scope(parameters=values, taken=taken)
    with analyzer.inside_function(signature.name):
        value = analyzer.expression(function.body, scope)
        if not can_coerce(value.type, signature.returns):
            message = f"Value of RETURN must evaluate to {signature.returns} (actual: {value.type})"
            raise mismatch(message, function.body.at)
        return coerce(value, signature.returns, function.body.at)


def check_body(
    analyzer: Analyzer, function: nodes.FunctionSpecification
) -> tuple[Signature, Typed]:
    """What it would be of columns with its parameters' names."""
    signature = signature_of(function)
    values = {
        name: Typed(kind, quote_name(parameter.name))
        for name, kind, parameter in zip(
            signature.names, signature.types, function.parameters, strict=True
        )
    }
    return signature, write_body(analyzer, function, signature, values)
