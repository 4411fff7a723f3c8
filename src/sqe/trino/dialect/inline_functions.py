"""``WITH FUNCTION f(…) …``: functions of one statement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqe.trino.dialect import nodes
from sqe.trino.dialect.calls import SPECIAL
from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.functions.registry import functions_named, trinos_own
from sqe.trino.dialect.own_functions import check_body, signature_of

if TYPE_CHECKING:
    from sqe.trino.dialect.analyzer import Analyzer


def define_functions(analyzer: Analyzer, functions: Sequence[nodes.FunctionSpecification]) -> None:
    """From here on the statement has them. Also those that nothing calls must be right."""
    for function in functions:
        name = function.name[-1].name.lower()
        if len(function.name) > 1:
            message = "Inline function names cannot be qualified: "
            shown = ".".join(part.name for part in function.name)
            raise Refused("SYNTAX_ERROR", message + shown, function.at)
        if name in analyzer.functions:
            raise Refused("SYNTAX_ERROR", f"Function already registered: {name}", function.at)
        if functions_named(name) or name in SPECIAL or name in trinos_own():
            raise not_supported(
                f"A function of one's own named {name}, as one of Trino's", function.at
            )
        signature_of(function)
        analyzer.functions[name] = function
    for function in functions:
        check_body(analyzer, function)
