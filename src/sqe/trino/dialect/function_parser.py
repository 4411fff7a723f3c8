"""``FUNCTION name(…) RETURNS type RETURN expression``, of CREATE FUNCTION and of WITH."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.trino.dialect.errors import Refused, not_supported
from sqe.trino.dialect.nodes import FunctionParameter, FunctionSpecification

if TYPE_CHECKING:
    from sqe.trino.dialect.query_parser import QueryParser

# What else a body can begin with.
_STATEMENTS = (
    "BEGIN",
    "CASE",
    "DECLARE",
    "IF",
    "ITERATE",
    "LEAVE",
    "LOOP",
    "REPEAT",
    "SET",
    "WHILE",
)


def specification(p: QueryParser) -> FunctionSpecification:
    at = p.expect("FUNCTION")
    name = p.name()
    p.expect("(")
    parameters = () if p.looking_at(")") else p.comma_list(lambda: _parameter(p))
    p.expect(")")
    p.expect("RETURNS")
    returns, _ = p.type_text()
    clauses = _Clauses()
    while clauses.read(p):
        pass
    if p.looking_at("WITH"):
        raise not_supported("Properties of a function", p.here)
    if p.looking_at("AS"):
        raise not_supported("A function's body in another language", p.here)
    if p.looking_at_any(*_STATEMENTS):
        raise not_supported("A function's body of several statements (BEGIN, IF, LOOP …)", p.here)
    p.expect("RETURN")
    body = p.expression()
    return FunctionSpecification(
        at,
        name,
        parameters,
        returns,
        body,
        p.text_since(at),
        clauses.comment,
        clauses.deterministic,
        clauses.null_on_null,
    )


def _parameter(p: QueryParser) -> FunctionParameter:
    at = p.here
    name = p.identifier().name
    kind, _ = p.type_text()
    return FunctionParameter(at, name, kind)


class _Clauses:
    def __init__(self) -> None:
        self.comment: str | None = None
        self.deterministic: bool | None = None
        self.null_on_null = False
        self._said: set[str] = set()

    def read(self, p: QueryParser) -> bool:
        """One of them, if there is one."""
        at = p.here
        if p.accept("LANGUAGE"):
            self._note("language", at)
            language = p.identifier().name
            if language.upper() != "SQL":
                raise not_supported(f"A function in {language.capitalize()}", at)
        elif p.accept("DETERMINISTIC"):
            self._note("deterministic", at)
            self.deterministic = True
        elif p.accept("NOT", "DETERMINISTIC"):
            self._note("deterministic", at)
            self.deterministic = False
        elif p.accept("RETURNS", "NULL", "ON", "NULL", "INPUT"):
            self._note("null-call", at)
            self.null_on_null = True
        elif p.accept("CALLED", "ON", "NULL", "INPUT"):
            self._note("null-call", at)
        elif p.accept("SECURITY"):
            self._note("security", at)
            if p.expect_any("DEFINER", "INVOKER") == "DEFINER":
                raise not_supported("SECURITY DEFINER of a function", at)
        elif p.accept("COMMENT"):
            self._note("comment", at)
            self.comment = p.string().value
        else:
            return False
        return True

    def _note(self, what: str, at: int) -> None:
        if what in self._said:
            raise Refused("SYNTAX_ERROR", f"Multiple {what} clauses specified", at)
        self._said.add(what)
