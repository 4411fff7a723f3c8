"""Trino's SQL, read the way Trino 476 reads it: text to the tree of ``nodes``.

Queries and prepared statements are read here; every other statement begins with a word that
``statement_parsers`` knows. What cannot be read is a ``Refused`` with Trino's name and place.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

from sqe.sql.statement import blank
from sqe.trino.dialect import nodes as n
from sqe.trino.dialect.cursor import Mismatch
from sqe.trino.dialect.function_parser import specification
from sqe.trino.dialect.grammar import QUERY_STARTS
from sqe.trino.dialect.query_parser import QueryParser
from sqe.trino.dialect.statement_parsers import STATEMENTS

T = TypeVar("T")

_FRAMES = 8_000  # of Python's stack; the limits on depth need less than half
_FIRST_WORDS = (
    *("ALTER", "ANALYZE", "CALL", "COMMENT", "COMMIT", "CREATE", "DEALLOCATE", "DELETE", "DENY"),
    *("DESC", "DESCRIBE", "DROP", "EXECUTE", "EXPLAIN", "GRANT", "INSERT", "MERGE", "PREPARE"),
    *("REFRESH", "RESET", "REVOKE", "ROLLBACK", "SET", "SHOW", "START", "TRUNCATE", "UPDATE"),
    *("USE", "WITH"),
)


class Parser(QueryParser):
    def statement(self) -> n.Statement:
        """One statement, whatever follows it."""
        word = self.words[self.index]
        if word in QUERY_STARTS or word == "(":
            at = self.here
            return n.QueryStatement(at, self.root_query())
        if word == "DESCRIBE" and self._describes_prepared():
            return self._describe_prepared()
        parse_it = _OWN.get(word) or STATEMENTS.get(word)
        if parse_it is None:
            self.fail(*[f"'{first}'" for first in _FIRST_WORDS], "<query>")
        self.deeper()
        statement = parse_it(self)
        self.depth -= 1
        return statement

    def _describes_prepared(self) -> bool:
        return self.word_ahead(1) in ("INPUT", "OUTPUT") and self.is_identifier(2)

    def _describe_prepared(self) -> n.Statement:
        at = self.expect("DESCRIBE")
        return n.DescribePrepared(at, self.expect_any("INPUT", "OUTPUT"), self.identifier())

    def prepare(self) -> n.Statement:
        at = self.expect("PREPARE")
        name = self.identifier()
        self.expect("FROM")
        start = self.here
        self.statement()
        return n.Prepare(at, name, self.text_since(start))

    def execute(self) -> n.Statement:
        at = self.expect("EXECUTE")
        if self.looking_at("IMMEDIATE") and self.is_string(1):
            self.take()
            text = self.string()
            return n.ExecuteImmediate(at, text.value, text.at, self._parse_using_clause())
        name = self.identifier()
        return n.Execute(at, name, self._parse_using_clause())

    def _parse_using_clause(self) -> tuple[n.Expression, ...]:
        return self.comma_list(self.expression) if self.accept("USING") else ()

    def deallocate(self) -> n.Statement:
        at = self.expect("DEALLOCATE")
        self.expect("PREPARE")
        return n.Deallocate(at, self.identifier())


_OWN: dict[str, Callable[[Parser], n.Statement]] = {
    "PREPARE": Parser.prepare,
    "EXECUTE": Parser.execute,
    "DEALLOCATE": Parser.deallocate,
}


def parse(text: str) -> n.Statement:
    return _parse_all(text, Parser.statement)


def parse_query(text: str) -> n.Query:
    return _parse_all(text, Parser.root_query)


def parse_expression(text: str) -> n.Expression:
    return _parse_all(text, Parser.expression)


def parse_specification(text: str) -> n.FunctionSpecification:
    """``FUNCTION f(…) RETURNS … RETURN …``."""
    return _parse_all(text, specification)


def immediate_text(statement: n.ExecuteImmediate, text: str) -> str:
    """The text inside EXECUTE IMMEDIATE, set off so that the places in it are those in ``text``,
    where ``statement`` was read."""
    return blank(text[: statement.text_at + 1], statement.text_at + 1) + statement.text


def _parse_all(text: str, one: Callable[[Parser], T]) -> T:
    # Raised once and left so: it is the process's limit, and lowering it could hit other threads.
    if sys.getrecursionlimit() < _FRAMES:
        sys.setrecursionlimit(_FRAMES)
    try:
        return _read(Parser(text), one)
    except Mismatch:
        # Once more, remembering what would have been right where it stops.
        return _read(Parser(text, explain=True), one)


def _read(parser: Parser, one: Callable[[Parser], T]) -> T:
    node = one(parser)
    parser.finish()
    return node
