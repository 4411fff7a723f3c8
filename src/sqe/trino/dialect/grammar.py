"""What the parts of the parser need of each other, and how they tell apart what begins alike."""

from __future__ import annotations

from abc import ABC, abstractmethod

from sqe.trino.dialect import nodes as n
from sqe.trino.dialect.cursor import Mark
from sqe.trino.dialect.lexer import BINARY, IDENTIFIERS, NUMBERS, RESERVED, STRING, UNICODE, WORD
from sqe.trino.dialect.literal_parser import LiteralParser

QUERY_STARTS = frozenset({"SELECT", "WITH", "VALUES", "TABLE"})
# What may follow a query in brackets that is itself the beginning of a query.
_AFTER_QUERY = frozenset({")", "UNION", "INTERSECT", "EXCEPT", "ORDER", "OFFSET", "LIMIT", "FETCH"})
_EXPRESSION_KINDS = NUMBERS | {STRING, UNICODE, BINARY} | IDENTIFIERS
_EXPRESSION_WORDS = frozenset({
    "(", "[", "?", "+", "-", "NOT", "NULL", "TRUE", "FALSE", "CASE", "CAST", "EXISTS",
    "EXTRACT", "TRIM", "NORMALIZE", "GROUPING", "LISTAGG", "JSON_EXISTS", "JSON_VALUE",
    "JSON_QUERY", "JSON_OBJECT", "JSON_ARRAY", "CURRENT_DATE", "CURRENT_TIME",
    "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP", "CURRENT_USER", "CURRENT_CATALOG",
    "CURRENT_SCHEMA", "CURRENT_PATH",
})  # fmt: skip


class Grammar(LiteralParser, ABC):
    scan_next = False  # for the next primary: one that begins a column of SELECT, which may be x.*

    def give_up(self, mark: Mark) -> None:
        """What begins there is wrong further on: go on without it, which fails there."""
        self.rewind(mark)
        self.scan_next = False
        self.forget_tried()

    @abstractmethod
    def expression(self, begun: n.Expression | None = None) -> n.Expression:
        """``begun``: the value it begins with, where that has been read already."""

    @abstractmethod
    def value_expression(self) -> n.Expression:
        """Without AND, OR, NOT and comparisons."""

    @abstractmethod
    def query(self) -> n.Query: ...

    # ------------------------------------------------------------ looking

    def starts_expression(self, ahead: int = 0) -> bool:
        token = self.tokens[self.index + ahead]
        if token.kind == WORD:
            return token.word not in RESERVED or token.word in _EXPRESSION_WORDS
        return token.kind in _EXPRESSION_KINDS or token.word in _EXPRESSION_WORDS

    def is_bracketed_query(self, ahead: int = 0) -> bool:
        """Is the bracket there the one around a query, not around something with a query in it?"""
        index = self.index + ahead
        opened = 0
        while self.words[index] == "(":
            index += 1
            opened += 1
        if not opened or self.words[index] not in QUERY_STARTS:
            return False
        if self.words[index] == "WITH":  # only directly inside its bracket
            return opened == 1
        for _ in range(opened - 1):  # from the innermost outwards, all but the outermost
            index = self._closing_bracket(index) + 1
            if self.words[index] not in _AFTER_QUERY:
                return False
        return True

    def is_query_only(self, ahead: int = 0) -> bool:
        """A bracketed query that could not be a value in brackets: ``((SELECT 1))`` could."""
        if self.word_ahead(ahead) != "(" or not self.is_bracketed_query(ahead):
            return False
        if self.word_ahead(ahead + 1) in QUERY_STARTS:
            return True
        after = self._closing_bracket(self.index + ahead + 2) + 1
        return self.words[after] != ")"

    def _closing_bracket(self, index: int) -> int:
        """The token that closes the bracket which is open at this one."""
        depth = 1
        last = len(self.words) - 1
        while index < last:
            word = self.words[index]
            if word == "(":
                depth += 1
            elif word == ")":
                depth -= 1
                if not depth:
                    return index
            index += 1
        return last - 1

    def quantifier(self, *also: str) -> bool:
        """``DISTINCT`` or ``ALL``; is it DISTINCT? ALL is also a name, unless an expression or one
        of ``also`` follows; a ``*`` with an operand multiplies it."""
        if self.accept("DISTINCT"):
            return True
        if not self.looking_at("ALL"):
            return False
        following = self.word_ahead(1)
        multiplied = following == "*" and self.starts_expression(2)
        if self.starts_expression(1) or (following in also and not multiplied):
            self.take()
        return False
