"""Literals. What is wrong inside one is a complaint, as in Trino: the grammar comes first."""

from __future__ import annotations

import re

from sqe.trino.dialect import nodes as n
from sqe.trino.dialect.cursor import integer_value
from sqe.trino.dialect.lexer import DECIMAL, INTEGER, NUMBERS, STRING, UNICODE, Token
from sqe.trino.dialect.type_parser import INTERVAL_FIELDS, TypeParser
from sqe.trino.dialect.unicode_literal import BadEscape, decode, escape_character

_LONG = range(-(2**63), 2**63)
_HEX = re.compile(r"(?:[0-9A-F]{2})*")


class LiteralParser(TypeParser):
    def is_string(self, ahead: int = 0) -> bool:
        return self.tokens[self.index + ahead].kind in (STRING, UNICODE)

    def string(self) -> n.StringLiteral:
        if not self.is_string():
            self.fail("<string>")
        token = self.take()
        if token.kind == STRING:
            return n.StringLiteral(token.at, _unquote(token.text))
        escape = "\\"
        try:
            if self.accept("UESCAPE"):
                if self.token.kind != STRING:
                    self.fail("STRING")
                escape = escape_character(_unquote(self.take().text))
            return n.StringLiteral(token.at, decode(_unquote(token.text[2:]), escape))
        except BadEscape as error:
            self.complain(str(error), token.at)
            return n.StringLiteral(token.at, "")

    def is_number(self, ahead: int = 0) -> bool:
        return self.tokens[self.index + ahead].kind in NUMBERS

    def number(self) -> n.Expression:
        """With its minus, which is part of the literal."""
        at = self.here
        sign = self.take().text if self.words[self.index] == "-" else ""
        token = self.take()
        if token.kind == INTEGER:
            return self._long(token, sign, at)
        text = sign + token.text.replace("_", "")
        if token.kind == DECIMAL:
            return n.DecimalLiteral(at, text)
        return n.DoubleLiteral(at, text)

    def _long(self, token: Token, sign: str, at: int) -> n.LongLiteral:
        value = integer_value(token)
        value = -value if sign else value
        if value not in _LONG:
            self.complain(f"Invalid numeric literal: {sign}{token.text}", at)
        return n.LongLiteral(at, value)

    def binary(self) -> n.BinaryLiteral:
        token = self.take()
        digits = re.sub(r"\s", "", token.text[2:-1]).upper()
        if digits.strip("0123456789ABCDEF"):
            self.complain("Binary literal can only contain hexadecimal digits", token.at)
        elif len(digits) % 2:
            self.complain("Binary literal must contain an even number of digits", token.at)
        return n.BinaryLiteral(token.at, bytes.fromhex(digits) if _HEX.fullmatch(digits) else b"")

    def interval(self) -> n.IntervalLiteral:
        at = self.expect("INTERVAL")
        negative = self.accept_any("+", "-") == "-"
        value = self.string().value
        start = self.expect_any(*INTERVAL_FIELDS).lower()
        end = self.expect_any(*INTERVAL_FIELDS).lower() if self.accept("TO") else None
        return n.IntervalLiteral(at, value, negative, start, end)

    def is_interval(self) -> bool:
        """``INTERVAL [sign] '…' FIELD``; the word is also a name."""
        if self.words[self.index] != "INTERVAL":
            return False
        place = 2 if self.word_ahead(1) in ("+", "-") else 1
        return self.is_string(place) and self.word_ahead(place + 1) in INTERVAL_FIELDS

    def parameter(self) -> n.Parameter:
        at = self.expect("?")
        self.parameters += 1
        return n.Parameter(at, self.parameters - 1)


def _unquote(text: str) -> str:
    return text[1:-1].replace("''", "'")
