"""Reads a command's tokens from left to right."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NoReturn, TypeVar

from sqlglot import Token, TokenType
from sqlglot.dialects import Spark
from sqlglot.errors import TokenError

from sqe.errors import ErrorCode, TextPosition, UserError
from sqe.sql.statement import Span, position_at

_WORD = re.compile(r"\d*[^\W\d]\w*\Z")
_VALUE = re.compile(r"-?\w+(\.\d*)?\Z")
_STRINGS = (TokenType.STRING, TokenType.RAW_STRING)
_T = TypeVar("_T")


def command_tokens(text: str, tokens: Sequence[Token]) -> list[Token]:
    """The tokens of a command, without the semicolons behind it.

    sqlglot makes one string of everything behind SHOW. Another word of the same length in its
    place gives the tokens themselves, at the same offsets.
    """
    all_tokens = list(tokens)
    if all_tokens and all_tokens[0].token_type is TokenType.SHOW:
        start, end = all_tokens[0].start, all_tokens[0].end
        try:
            all_tokens = Spark().tokenize(text[:start] + "_" * (end + 1 - start) + text[end + 1 :])
        except TokenError as error:
            raise UserError(
                ErrorCode.SYNTAX_ERROR,
                "A quote or comment is opened and never closed.",
                position=position_at(text, start, text[start : end + 1]),
            ) from error
    while all_tokens and all_tokens[-1].token_type is TokenType.SEMICOLON:
        all_tokens.pop()
    return all_tokens


def _single_words(text: str, tokens: Sequence[Token]) -> list[Token]:
    """sqlglot makes one token of some pairs of keywords, PARTITIONED BY; here each is its own."""
    words: list[Token] = []
    for token in tokens:
        if " " not in token.text or not text[token.start].isalpha() or token.token_type in _STRINGS:
            words.append(token)
            continue
        for word in re.finditer(r"\S+", text[token.start : token.end + 1]):
            start, end = token.start + word.start(), token.start + word.end() - 1
            words.append(Token(TokenType.VAR, word.group(), token.line, token.col, start, end))
    return words


class TokenCursor:
    """``tokens`` are those of ``text``; see ``command_tokens``."""

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self._text = text
        self._tokens = _single_words(text, tokens)
        self._at = 0

    def at_end(self) -> bool:
        return self._at >= len(self._tokens)

    def offset(self) -> int:
        """Where in the text the token that stands here begins; the text's end behind the last."""
        return len(self._text) if self.at_end() else self._tokens[self._at].start

    def source(self, ahead: int = 0) -> str:
        """The token in the user's own spelling; empty behind the end."""
        index = self._at + ahead
        if index >= len(self._tokens):
            return ""
        token = self._tokens[index]
        return self._text[token.start : token.end + 1]

    def position(self) -> TextPosition:
        """Of the token that stands here, for an error about it."""
        return position_at(self._text, self.offset(), self.source())

    def looking_at(self, *words: str) -> bool:
        return all(self.source(i).upper() == word.upper() for i, word in enumerate(words))

    def accept(self, *words: str) -> bool:
        """Steps over these unquoted words or signs, if all of them stand here."""
        if not self.looking_at(*words):
            return False
        self._at += len(words)
        return True

    def skip(self) -> None:
        self._at += 1

    def accept_one_of(self, *words: str) -> str | None:
        return next((word for word in words if self.accept(word)), None)

    def accept_before_name(self, *words: str) -> str | None:
        """One of the words, where it is a keyword and not itself the name that may follow."""
        behind = self.source(1)
        if not behind or behind == "." or self.source().upper() not in words:
            return None
        self._at += 1
        return self.source(-1).upper()

    def expect(self, *words: str) -> None:
        for word in words:
            if not self.accept(word):
                self.fail(f"Expected {word}")

    def expect_end(self) -> None:
        if self.looking_at(";"):
            raise UserError(
                ErrorCode.MULTIPLE_STATEMENTS,
                "One statement at a time is accepted.",
                position=position_at(self._text, self._tokens[self._at].start, ";"),
            )
        if not self.at_end():
            self.fail("Expected the end of the statement")

    def at_identifier(self) -> bool:
        source = self.source()
        if not source or self._tokens[self._at].token_type in _STRINGS:
            return False
        return source.startswith("`") or bool(_WORD.match(source))

    def identifier(self, what: str = "a name") -> str:
        """A plain or back-quoted name, the quotes removed."""
        if not self.at_identifier():
            self.fail(f"Expected {what}")
        source = self.source()
        self._at += 1
        return source[1:-1].replace("``", "`") if source.startswith("`") else source

    def take_dotted_name(self, what: str = "a name") -> tuple[tuple[str, ...], Span]:
        start = self._at
        parts = [self.identifier(what)]
        while self.accept("."):
            parts.append(self.identifier())
        if self.looking_at("-"):
            self.fail("A name with a hyphen must stand in back quotes")
        return tuple(parts), self.span_from(start)

    def span_from(self, index: int) -> Span:
        return Span(self._tokens[index].start, self._tokens[self._at - 1].end + 1)

    def at_string(self) -> bool:
        return not self.at_end() and self._tokens[self._at].token_type in _STRINGS

    def string_literal(self, what: str = "a string in quotes") -> str:
        """Spark joins neighbours: ``'a' 'b'`` is ab, and ``'a''b'`` is a'b."""
        if not self.at_string():
            self.fail(f"Expected {what}")
        value = ""
        touching_at = -1
        while self.at_string():
            token = self._tokens[self._at]
            quote = self._text[token.end]
            joined = token.start == touching_at and self._text[token.start] == quote
            value += (quote if joined else "") + token.text
            touching_at = token.end + 1
            self._at += 1
        return value

    def last_end(self) -> int:
        """Where the token that was read last ends."""
        return self._tokens[self._at - 1].end + 1

    def text_from(self, offset: int) -> str:
        """The text from an offset up to the end of the token that was read last."""
        return self._text[offset : self.last_end()]

    def read_with_span(self, read: Callable[[], _T]) -> tuple[_T, Span]:
        """What ``read`` gives, and the place it was read from."""
        start = self._at
        value = read()
        return value, self.span_from(start)

    def property_value(self) -> str:
        """A string, or a number or word as written."""
        if self.at_string():
            return self.string_literal("a value")
        start = self._at
        self.accept("-")
        self.skip()
        value = self.span_from(start).of(self._text) if self._at <= len(self._tokens) else ""
        if not _VALUE.match(value):
            self._at = start
            self.fail("Expected a value")
        return value

    def rest(self) -> str:
        """Everything up to the end, as written."""
        if self.at_end():
            self.fail("Expected a value")
        start = self._at
        self._at = len(self._tokens)
        return self.span_from(start).of(self._text)

    def fail(
        self, message: str, code: ErrorCode = ErrorCode.SYNTAX_ERROR, hint: str = ""
    ) -> NoReturn:
        """Raises, with the place of the token that stands here."""
        piece = self.source()
        offset = self._tokens[self._at].start if piece else len(self._text.rstrip())
        actual = f"found {piece!r}" if piece else "the statement ends here"
        if code is ErrorCode.SYNTAX_ERROR:
            message = f"{message}; {actual}"
        raise UserError(
            code, f"{message}.", hint=hint, position=position_at(self._text, offset, piece)
        )

    def refuse(self, what: str, hint: str = "") -> NoReturn:
        """Raises NOT_SUPPORTED for the statement as a whole."""
        first = self._tokens[0]
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            f"{what} is not supported.",
            hint=hint,
            position=position_at(self._text, first.start, self._text[first.start : first.end + 1]),
        )
