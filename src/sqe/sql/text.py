"""Checks on the raw text before anything tries to understand it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlglot import Token, TokenType
from sqlglot.errors import TokenError

from sqe.errors import ErrorCode, UserError
from sqe.sql.dialect import DIALECT
from sqe.sql.statement import position_at

# The shape of the broker's handles. Text that contains one is somebody trying to name one.
HANDLE_SHAPE = re.compile(r"\bq_[0-9a-f]{32}", re.IGNORECASE)

_OPENING = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE}
_CLOSING = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END}


@dataclass(frozen=True, slots=True)
class TextLimits:
    statement_bytes: int = 1_000_000
    nesting: int = 200


def check_text(text: str, limits: TextLimits) -> None:
    """Refuses what no statement may contain."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > limits.statement_bytes:
        raise UserError(
            ErrorCode.STATEMENT_TOO_LARGE,
            f"The statement has {size:,} bytes; the limit is {limits.statement_bytes:,}.",
            hint="Load data with INSERT … SELECT instead of long VALUES lists.",
        )
    for character, name in (("\x00", "a NUL character"), ("\ufeff", "a byte order mark")):
        offset = text.find(character)
        if offset >= 0:
            raise UserError(
                ErrorCode.INVALID_TEXT,
                f"The text contains {name}.",
                hint="Remove it.",
                position=position_at(text, offset),
            )
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise UserError(ErrorCode.INVALID_TEXT, "The text contains half a surrogate pair.")
    handle = HANDLE_SHAPE.search(text)
    if handle:
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            "Names that begin with q_ and 32 hexadecimal digits are reserved.",
            position=position_at(text, handle.start(), handle.group()),
        )


def tokenize(text: str, limits: TextLimits) -> list[Token]:
    """The tokens of exactly one statement, without a closing semicolon."""
    check_text(text, limits)
    try:
        tokens: list[Token] = DIALECT.tokenize(text)
    except TokenError as error:
        # Its message quotes the text around the fault; line and column are not in it.
        raise UserError(
            ErrorCode.SYNTAX_ERROR,
            "A string, comment or quoted name does not end, or a character is not allowed.",
            position=position_at(text, len(text)),
        ) from error
    tokens = _one_statement(text, tokens)
    _check_nesting(text, tokens, limits.nesting)
    return tokens


def _one_statement(text: str, tokens: list[Token]) -> list[Token]:
    while tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens = tokens[:-1]
    if not tokens:
        raise UserError(
            ErrorCode.EMPTY_STATEMENT, "There is no statement in the text.", hint="Send one."
        )
    for index, token in enumerate(tokens):
        if token.token_type is TokenType.SEMICOLON:
            if tokens[0].text.upper() == "BEGIN":
                raise UserError(
                    ErrorCode.NOT_SUPPORTED,
                    "SQL scripting is not supported.",
                    position=position_at(text, tokens[0].start, tokens[0].text),
                )
            words = [token.text.upper() for token in tokens[:index]]
            if words[:1] == ["CREATE"] and "FUNCTION" in words[:4] and "BEGIN" in words:
                raise UserError(
                    ErrorCode.NOT_SUPPORTED,
                    "A function's body of several statements (BEGIN … END) is not supported.",
                    hint="Write what it computes as one expression or query, behind RETURN.",
                    position=position_at(text, tokens[0].start, tokens[0].text),
                )
            following = tokens[index + 1]
            raise UserError(
                ErrorCode.MULTIPLE_STATEMENTS,
                "The text holds more than one statement.",
                hint="Send them one at a time.",
                position=position_at(text, following.start, following.text),
            )
    return tokens


def _check_nesting(text: str, tokens: list[Token], limit: int) -> None:
    depth = 0
    for token in tokens:
        if token.token_type in _OPENING:
            depth += 1
            if depth > limit:
                raise too_complex(text, token.start, limit)
        elif token.token_type in _CLOSING:
            depth -= 1


def too_complex(text: str, offset: int, limit: int) -> UserError:
    return UserError(
        ErrorCode.STATEMENT_TOO_COMPLEX,
        f"The statement is nested deeper than {limit} levels.",
        hint="Break it up with WITH or temporary views.",
        position=position_at(text, offset),
    )
