"""IDENTIFIER('a.b') and EXECUTE IMMEDIATE '…' with constants and variables, written out.

What they stand for is put in their place before anything is parsed, so that the rest of SQE, and
Spark, see the names and the statement themselves. With anything else they stay refused.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import Token, TokenType
from sqlglot.errors import TokenError

from sqe.errors import ErrorCode, UserError
from sqe.model.names import quote
from sqe.model.variables import Variables, find_variable
from sqe.sql.cursor import TokenCursor
from sqe.sql.dialect import DIALECT
from sqe.sql.splice import Edit, splice
from sqe.sql.statement import Span, position_at
from sqe.sql.text import TextLimits, tokenize

# Escapes that all readers of a string agree on.
_OTHER_ESCAPE = re.compile(r"\\(?!['\"\\])|\\\\['\"]")
_WORDS = ("NULL", "TRUE", "FALSE")
_TYPES = ("DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "X")


def write_out(text: str, limits: TextLimits, variables: Variables) -> str:
    """The text that is parsed; the same one where it has neither."""
    text = _write_out_statement(text, limits, variables)
    return _write_out_names(text, limits, variables)


def may_hold_constants(text: str) -> bool:
    """Whether it may be another text when it is written out."""
    lower = text.lower()
    return "immediate" in lower or "identifier" in lower


def _write_out_names(text: str, limits: TextLimits, variables: Variables) -> str:
    tokens = _tokens(text, limits)
    edits = []
    for index, token in enumerate(tokens[:-3]):
        behind_dot = index > 0 and tokens[index - 1].token_type is TokenType.DOT
        word = text[token.start : token.end + 1].upper() == "IDENTIFIER"
        if not word or behind_dot or tokens[index + 1].token_type is not TokenType.L_PAREN:
            continue
        cursor = TokenCursor(text, tokens[index + 2 :])
        value = _constant_text(cursor, variables)
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


def _constant_text(cursor: TokenCursor, variables: Variables) -> str | None:
    """A string or a variable of one, or several with ``||`` between; None for anything else."""
    value = ""
    while True:
        start = cursor.offset()
        if cursor.at_string():
            value += cursor.string_literal()
            if _OTHER_ESCAPE.search(cursor.text_from(start)):
                cursor.refuse("An escape other than of a quote or backslash in this text")
        elif variables and cursor.at_identifier():
            variable = find_variable(variables, cursor.take_dotted_name()[0])
            if variable is None or variable.text is None:
                return None
            value += variable.text
        else:
            return None
        if not cursor.accept("||"):
            return value


def _name_of(value: str, text: str, token: Token) -> str:
    try:
        cursor = TokenCursor(value, DIALECT.tokenize(value))
        parts, _ = cursor.take_dotted_name()
        cursor.expect_end()
    except (TokenError, UserError):
        raise UserError(
            ErrorCode.SYNTAX_ERROR,
            f"{value!r} is not a name.",
            hint="IDENTIFIER takes a name with dots between its parts, each plain or in `…`.",
            position=position_at(text, token.start, token.text),
        ) from None
    return ".".join("`" + part.replace("`", "``") + "`" for part in parts)


def _write_out_statement(text: str, limits: TextLimits, variables: Variables) -> str:
    [first, *_] = tokenize(text, limits)
    if text[first.start : first.end + 1].upper() != "EXECUTE":
        return text
    cursor = TokenCursor(text, _tokens(text, limits))
    cursor.skip()
    cursor.expect("IMMEDIATE")
    statement = _constant_text(cursor, variables)
    if statement is None:
        cursor.refuse("EXECUTE IMMEDIATE of anything but a text in quotes, or a variable with one")
    targets = _targets(cursor) if cursor.accept("INTO") else []
    values = _values(cursor, text, variables) if cursor.accept("USING") else []
    if cursor.accept("INTO"):
        targets = _targets(cursor)
    cursor.expect_end()
    if re.match(r"\s*execute\b", statement, re.IGNORECASE):
        cursor.refuse("EXECUTE IMMEDIATE in EXECUTE IMMEDIATE")
    written = _fill_markers(statement, values, limits)
    return f"SET VARIABLE ({', '.join(targets)}) = (\n{written}\n)" if targets else written


def _targets(cursor: TokenCursor) -> list[str]:
    """Variables for the one row that the statement gives."""
    targets = []
    while True:
        parts, _ = cursor.take_dotted_name("a variable")
        targets.append(".".join(quote(part) for part in parts))
        if not cursor.accept(","):
            return targets


@dataclass(frozen=True, slots=True)
class _Value:
    sql: str
    name: str = ""


def _values(cursor: TokenCursor, text: str, variables: Variables) -> list[_Value]:
    bracket = cursor.accept("(")
    values = []
    while True:
        sql = _value(cursor, text, variables)
        values.append(_Value(sql, cursor.identifier().lower() if cursor.accept("AS") else ""))
        if not cursor.accept(","):
            break
    if bracket:
        cursor.expect(")")
    return values


def _value(cursor: TokenCursor, text: str, variables: Variables) -> str:
    """A constant as it is written, or a variable's."""
    words = (*_WORDS, *_TYPES)
    if cursor.at_identifier() and cursor.source().upper() not in words:
        variable = find_variable(variables, cursor.take_dotted_name()[0])
        if variable is None:
            cursor.refuse("EXECUTE IMMEDIATE … USING anything but constants and variables")
        return variable.sql
    _, span = cursor.read_with_span(lambda: _skip_constant(cursor))
    return span.of(text)


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


def _fill_markers(statement: str, values: Sequence[_Value], limits: TextLimits) -> str:
    """With the values in place of its markers, by name or by order."""
    tokens = tokenize(statement, limits)
    names = {value.name: value.sql for value in values if value.name}
    edits: list[Edit] = []
    in_order = iter(value.sql for value in values if not value.name)
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
