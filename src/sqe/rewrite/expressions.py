"""Expressions of policies as Spark's SQL: one expression each, about one row, for one reader.

What a policy says is text that somebody wrote, so it goes through the same refusals as a user's.
It must be a single expression by itself: whatever is written around it later cannot be closed or
left open by it. Comments are refused with all else that is between its tokens, because two parsers
may not agree on where one ends.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from sqlglot import ErrorLevel, Token, TokenType, exp
from sqlglot.errors import ParseError

from sqe.errors import SqeError
from sqe.model.identity import Identity
from sqe.model.names import string_literal
from sqe.rewrite.unfit import Unfit
from sqe.sql.dialect import CALL, DIALECT, SpanParser
from sqe.sql.functions import NOT_OF_A_ROW, SESSION_FUNCTIONS
from sqe.sql.refusals import refuse_functions, refuse_nodes
from sqe.sql.splice import Edit, splice
from sqe.sql.statement import Span
from sqe.sql.text import TextLimits, tokenize

_LIMITS = TextLimits(statement_bytes=100_000, nesting=100)
_WORD = re.compile(r"\w+")
_USER = ("current_user", "session_user")
# What gives several rows for one, or one for several, where the parser knows it as such.
_NOT_OF_A_ROW = (exp.AggFunc, exp.Window, exp.UDTF, exp.Star)


def spark_expression(sql: str, identity: Identity) -> str:
    """``sql`` with who reads written into it. Unfit if it is not one expression over a row."""
    # What is kept must not keep what they have shown to log in.
    named = Identity(identity.user, identity.groups, identity.roles, claims=identity.claims)
    return _for_reader(sql, named)


@lru_cache(maxsize=4096)
def _for_reader(sql: str, identity: Identity) -> str:
    try:
        return _check_expression(_personal(sql, identity))
    except SqeError as error:
        raise Unfit(error.message) from error
    except (ParseError, RecursionError) as error:
        raise Unfit("it is not one expression") from error


def _personal(sql: str, identity: Identity) -> str:
    """Functions about the reader, replaced by what they are for this one."""
    tokens = _tokens(sql)
    edits = []
    for index, token in enumerate(tokens):
        after_dot = index > 0 and tokens[index - 1].token_type is TokenType.DOT
        if after_dot or token.token_type in (TokenType.STRING, TokenType.IDENTIFIER):
            continue
        answer = _answer(sql, tokens, index, identity)
        if answer is not None:
            edits.append(Edit(Span(token.start, answer[1]), answer[0]))
    return splice(sql, edits).text


def _answer(
    sql: str, tokens: Sequence[Token], index: int, identity: Identity
) -> tuple[str, int] | None:
    """What stands at this place instead, and where it ends."""
    name = tokens[index].text.lower()
    following = [token.token_type for token in tokens[index + 1 : index + 4]]
    empty = following[:2] == [TokenType.L_PAREN, TokenType.R_PAREN]
    if name in _USER:
        end = tokens[index + 2 if empty else index].end + 1
        return string_literal(identity.user), end
    if name in _LISTS and empty:
        return _array(sorted(_LISTS[name](identity))), tokens[index + 2].end + 1
    asked = [TokenType.L_PAREN, TokenType.STRING, TokenType.R_PAREN]
    if name in _ASKED and following == asked:
        argument = tokens[index + 2]
        written = sql[argument.start : argument.end + 1]
        plain = written[1:-1]
        if not written.startswith("'") or "\\" in plain or "'" in plain:
            raise Unfit(f"{name} of a text that is not plain")
        return _ASKED[name](identity, plain), tokens[index + 3].end + 1
    return None


def _array(values: Sequence[str]) -> str:
    listed = ", ".join(string_literal(value) for value in values)
    return f"array({listed})" if values else "CAST(array() AS array<string>)"


def _claim(identity: Identity, name: str) -> str:
    values = [value for key, value in identity.claims if key == name]
    return string_literal(values[0]) if len(values) == 1 else "CAST(NULL AS string)"


_LISTS: dict[str, Callable[[Identity], frozenset[str]]] = {
    "current_groups": lambda identity: identity.groups,
    "current_roles": lambda identity: identity.roles,
}
_ASKED: dict[str, Callable[[Identity, str], str]] = {
    "in_group": lambda identity, name: "TRUE" if name in identity.groups else "FALSE",
    "has_role": lambda identity, name: "TRUE" if name in identity.roles else "FALSE",
    "claim": _claim,
}


@lru_cache(maxsize=4096)
def _check_expression(sql: str) -> str:
    """The text, if it is one expression and nothing that SQE refuses is in it."""
    tokens = _tokens(sql)
    refuse_functions(sql, tokens)
    parser = SpanParser(dialect=DIALECT, error_level=ErrorLevel.RAISE)
    trees = parser.parse_into(exp.Condition, tokens, sql)
    if len(trees) != 1 or trees[0] is None:
        raise Unfit("it is not one expression")
    tree = trees[0]
    refuse_nodes(sql, tree, tokens)
    for node in of_the_row(tree):
        if isinstance(node, _NOT_OF_A_ROW) or _function_name(sql, node) in NOT_OF_A_ROW:
            raise Unfit("it is not about one row")
    for token, following in itertools.pairwise(tokens):
        called = following.token_type is TokenType.L_PAREN
        if token.token_type is TokenType.VAR and token.text.lower() in SESSION_FUNCTIONS and called:
            raise Unfit(f"{token.text} depends on the session")
    return sql


def _function_name(sql: str, node: Any) -> str:
    """A function's name as written, in lower case."""
    start = node.meta.get(CALL)
    word = _WORD.match(sql, start) if start is not None else None
    return word[0].lower() if word is not None else ""


def _tokens(sql: str) -> list[Token]:
    tokens = tokenize(sql, _LIMITS)
    position = 0
    for token in tokens:
        if sql[position : token.start].strip() or token.token_type is TokenType.PLACEHOLDER:
            raise Unfit("something is between its words")
        position = token.end + 1
    if sql[position:].strip():
        raise Unfit("something is behind it")
    return tokens


def of_the_row(tree: Any) -> Iterator[Any]:
    """The nodes of an expression without those of the queries inside it."""
    yield tree
    for child in tree.iter_expressions():
        if not isinstance(child, exp.Query):
            yield from of_the_row(child)
