"""Queries whose new rows come from new rows: where an append to a table only adds to the result.

Deny by default: a form that is not listed here is not linear, however harmless it may be.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlglot import TokenType, exp

from sqe.sql.dialect import DIALECT
from sqe.sql.functions import VOLATILE
from sqe.sql.references import table_span
from sqe.sql.statement import Span, Statement

# Volatile without parentheses, or by themselves.
_UNSTABLE_WORDS = frozenset(
    {"current_date", "current_time", "current_timestamp", "localtimestamp", "tablesample"}
)
# DATE 'today', TIMESTAMP 'now UTC'
_UNSTABLE_LITERAL = re.compile(r"(?:now|today|yesterday|tomorrow)(?![a-z])")
_CLAUSES = frozenset({"expressions", "from_", "joins", "where", "hint", "kind"})
_JOINS = frozenset({"", "INNER", "CROSS"})


class NotLinear(Exception):
    """The message says why, for people."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One SELECT: its relations. A left join adds its relation to ``optional``: rows of the others
    are there with or without a partner in it."""

    relations: tuple[Span, ...]
    optional: tuple[Span, ...] = ()


def unstable_word(text: str) -> str:
    """What in a query may make it answer differently next time, or nothing."""
    tokens = DIALECT.tokenize(text)
    for token, following in itertools.zip_longest(tokens, tokens[1:]):
        word = token.text.lower().strip()
        called = following is not None and following.token_type is TokenType.L_PAREN
        if token.token_type is TokenType.STRING:
            if _UNSTABLE_LITERAL.match(word):
                return f"'{word}'"
        elif word in _UNSTABLE_WORDS or (called and word in VOLATILE):
            return word
    return ""


def statement_words(text: str) -> tuple[tuple[str, str], ...]:
    """The same for two texts that differ in blanks and comments only: a name and a string of the
    same letters are different words."""
    return tuple((token.token_type.name, token.text) for token in DIALECT.tokenize(text))


def fingerprint(text: str) -> str:
    """The same for two texts that differ in blanks and comments only."""
    words = "\0".join(token.text for token in DIALECT.tokenize(text))
    return hashlib.sha256(words.encode()).hexdigest()


def branches_of(statement: Statement) -> tuple[Branch, ...]:
    """The SELECTs of a UNION ALL, or the only one."""
    if any(reference.table_word is not None for reference in statement.references):
        raise NotLinear("it has TABLE in place of a SELECT")
    return tuple(_branches(statement.tree))


def _branches(node: Any) -> Iterator[Branch]:
    while isinstance(node, exp.Subquery) and _bare(node):
        node = node.this
    if isinstance(node, exp.Union):
        if node.args.get("distinct") or {k for k, v in node.args.items() if v} - {
            "this", "expression", "distinct",
        }:  # fmt: skip
            raise NotLinear("it has a UNION other than a plain UNION ALL")
        yield from _branches(node.this)
        yield from _branches(node.expression)
    elif isinstance(node, exp.Select):
        yield _branch(node)
    else:
        raise NotLinear("it is not a SELECT or a UNION ALL of such")


def _bare(node: exp.Subquery) -> bool:
    return not any(value for key, value in node.args.items() if key != "this")


_WORDS = {
    "distinct": "DISTINCT", "group": "GROUP BY", "having": "HAVING", "order": "ORDER BY",
    "limit": "LIMIT", "offset": "OFFSET", "with_": "WITH", "laterals": "LATERAL VIEW",
    "windows": "WINDOW", "qualify": "QUALIFY", "sort": "SORT BY",
}  # fmt: skip


def _branch(select: exp.Select) -> Branch:
    _check_select(select)
    source = select.args.get("from_")
    if source is None:
        raise NotLinear("a SELECT in it reads no table")
    relations, optional = [_relation(source.this)], []
    for join in select.args.get("joins") or ():
        span = _relation(join.this)
        if _is_left(join):
            optional.append(span)
        elif _is_inner(join):
            relations.append(span)
        else:
            raise NotLinear("it has a join other than INNER, CROSS or LEFT")
    return Branch(tuple(relations), tuple(optional))


def _check_select(select: exp.Select) -> None:
    for key, value in select.args.items():
        if value and key not in _CLAUSES:
            raise NotLinear(f"it has {_WORDS.get(key, key.upper())}")
    if select.find(exp.AggFunc) is not None:
        raise NotLinear("it aggregates")
    if select.find(exp.UDTF, exp.Explode) is not None:
        raise NotLinear("it makes several rows of one")
    if select.find(exp.Window) is not None:
        raise NotLinear("it has a window function")
    if any(isinstance(node, exp.Query) for node in select.walk() if node is not select):
        raise NotLinear("it has a subquery")


def _is_inner(join: exp.Join) -> bool:
    return not join.side and join.kind.upper() in _JOINS and not join.method


def _is_left(join: exp.Join) -> bool:
    return join.side.upper() == "LEFT" and join.kind.upper() in ("", "OUTER") and not join.method


def _relation(node: Any) -> Span:
    plain = isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier)
    if not plain or node.args.get("joins") or node.args.get("laterals"):
        raise NotLinear("it reads something other than tables by name")
    if node.args.get("sample") or node.args.get("pivots") or node.args.get("version"):
        raise NotLinear("it reads a sample, a pivot or an older version of a table")
    span = table_span(node)
    if span is None:
        raise NotLinear("it reads something other than tables by name")
    return span
