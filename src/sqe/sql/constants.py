"""IDENTIFIER('a.b') and EXECUTE IMMEDIATE '…' with constants, written out.

What they stand for is put in their place before anything is parsed, so that the rest of SQE, and
Spark, see the names and the statement themselves. With anything but constants they stay refused.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from sqlglot import Token, TokenType
from sqlglot.errors import TokenError

from sqe.errors import ErrorCode, UserError
from sqe.sql.cursor import TokenCursor
from sqe.sql.dialect import DIALECT
from sqe.sql.splice import Edit, splice
from sqe.sql.statement import Span, position_at
from sqe.sql.text import TextLimits, tokenize

# Escapes that all readers of a string agree on.
_OTHER_ESCAPE = re.compile(r"\\(?!['\"\\])|\\\\['\"]")
_WORDS = ("NULL", "TRUE", "FALSE")
_TYPES = ("DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "X")


def write_out(text: str, limits: TextLimits) -> str:
    """The text that is parsed; the same one where it has neither."""
    lower = text.lower()
    if "immediate" in lower:
        text = _write_out_statement(text, limits)
    if "identifier" in lower:
        text = _write_out_names(text, limits)
    return text


def _write_out_names(text: str, limits: TextLimits) -> str:
    tokens = _tokens(text, limits)
    edits = []
    for index, token in enumerate(tokens[:-3]):
        behind_dot = index > 0 and tokens[index - 1].token_type is TokenType.DOT
        word = text[token.start : token.end + 1].upper() == "IDENTIFIER"
        if not word or behind_dot or tokens[index + 1].token_type is not TokenType.L_PAREN:
            continue
        cursor = TokenCursor(text, tokens[index + 2 :])
        value = _constant_text(cursor, text)
        if value is not None and cursor.looking_at(")"):
            span = Span(token.start, cursor.offset() + 1)
            edits.append(Edit(span, _name_of(value, text, token)))
    return splice(text, edits).text if edits else text


def _tokens(text: str, limits: TextLimits) -> list[Token]:
    """sqlglot makes one string of everything behind EXECUTE, EXPLAIN and SHOW: another word of the
    same length in their place gives the tokens themselves, at the same offsets."""
    [first, *_] = tokenize(text, limits)
    word = text[first.start : first.end + 1]
    return tokenize(text[: first.start] + "_" * len(word) + text[first.end + 1 :], limits)


def _constant_text(cursor: TokenCursor, text: str) -> str | None:
    """A string, or several with ``||`` between them; None for anything else."""
    start = cursor.offset()
    value = ""
    while cursor.at_string():
        value += cursor.string_literal()
        if not cursor.accept("||"):
            break
    else:
        return None
    if _OTHER_ESCAPE.search(cursor.text_from(start)):
        cursor.refuse("An escape other than of a quote or backslash in this text")
    return value


def _name_of(value: str, text: str, token: Token) -> str:
    try:
        cursor = TokenCursor(value, DIALECT.tokenize(value))
        parts, _ = cursor.dotted_name()
        cursor.expect_end()
    except (TokenError, UserError):
        raise UserError(
            ErrorCode.SYNTAX_ERROR,
            f"{value!r} is not a name.",
            hint="IDENTIFIER takes a name with dots between its parts, each plain or in `…`.",
            position=position_at(text, token.start, token.text),
        ) from None
    return ".".join("`" + part.replace("`", "``") + "`" for part in parts)


def _write_out_statement(text: str, limits: TextLimits) -> str:
    [first, *_] = tokenize(text, limits)
    if text[first.start : first.end + 1].upper() != "EXECUTE":
        return text
    cursor = TokenCursor(text, _tokens(text, limits))
    cursor.skip()
    cursor.expect("IMMEDIATE")
    statement = _constant_text(cursor, text)
    if statement is None:
        cursor.refuse("EXECUTE IMMEDIATE of anything but a text in quotes")
    if cursor.looking_at("INTO"):
        cursor.refuse("EXECUTE IMMEDIATE … INTO")
    values = list(_values(cursor, text)) if cursor.accept("USING") else []
    cursor.expect_end()
    if re.match(r"\s*execute\b", statement, re.IGNORECASE):
        cursor.refuse("EXECUTE IMMEDIATE in EXECUTE IMMEDIATE")
    return _fill_markers(statement, values, limits)


def _values(cursor: TokenCursor, text: str) -> Iterator[tuple[str, str]]:
    """Constants as SQL, with their names."""
    bracket = cursor.accept("(")
    while True:
        _, span = cursor.read_with_span(lambda: _skip_constant(cursor))
        name = cursor.identifier() if cursor.accept("AS") else ""
        yield span.of(text), name.lower()
        if not cursor.accept(","):
            break
    if bracket:
        cursor.expect(")")


def _skip_constant(cursor: TokenCursor) -> None:
    if cursor.accept_one_of(*_WORDS):
        return
    if cursor.accept_one_of(*_TYPES) or cursor.at_string():
        cursor.string_literal()
    else:
        cursor.accept("-")
        if not re.match(r"\.?\d", cursor.source()):
            cursor.refuse("EXECUTE IMMEDIATE … USING anything but constants")
        cursor.skip()


def _fill_markers(statement: str, values: Sequence[tuple[str, str]], limits: TextLimits) -> str:
    """With the values in place of its markers, by name or by order."""
    tokens = tokenize(statement, limits)
    names = {name: value for value, name in values if name}
    edits: list[Edit] = []
    in_order = iter(value for value, name in values if not name)
    for token, following in itertools.zip_longest(tokens, tokens[1:]):
        value = None
        end = token.end + 1
        if token.token_type is TokenType.PLACEHOLDER:
            value = next(in_order, None)
            if value is None:
                raise _mismatch("has more markers than values")
        elif token.token_type is TokenType.COLON and following is not None and names:
            name = following.text.lower()
            if following.start == end and _stands_alone(statement, token.start):
                value, end = names.get(name), following.end + 1
                if value is None:
                    raise _mismatch(f"has no value for :{name}")
        if value is not None:
            edits.append(Edit(Span(token.start, end), f" {value} "))
    if next(in_order, None) is not None:
        raise _mismatch("has fewer markers than values")
    _refuse_neighbours(statement, tokens, edits)
    return splice(statement, edits).text if edits else statement


def _stands_alone(text: str, start: int) -> bool:
    """Not the colon of a path in a variant, v:a."""
    return re.search(r"[\w`\])'\"]\s*\Z", text[:start]) is None or bool(
        re.search(r"(?i)\b(select|where|and|or|not|limit|offset|in|by|on|then|else|when|having)\s*\Z",
                  text[:start])
    )  # fmt: skip


def _refuse_neighbours(text: str, tokens: Sequence[Token], edits: Sequence[Edit]) -> None:
    """Spark makes one text of strings that stand side by side."""
    strings = [(t.start, t.end + 1) for t in tokens if t.token_type is TokenType.STRING]
    for edit in edits:
        before, behind = text[: edit.span.start].rstrip(), text[edit.span.end :]
        gap = edit.span.end + len(behind) - len(behind.lstrip())
        if any(end == len(before) or start == gap for start, end in strings):
            raise _mismatch("has a marker beside a text")


def _mismatch(what: str) -> UserError:
    return UserError(ErrorCode.INVALID_ARGUMENT, f"The statement of EXECUTE IMMEDIATE {what}.")
