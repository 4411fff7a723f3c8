"""The parts of MERGE, as places in the user's text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlglot import ErrorLevel, Token, TokenType, exp
from sqlglot.errors import ParseError

from sqe.rewrite.writes_text import (
    Assignment,
    assignment_of,
    find_closing_parenthesis,
    find_target,
    make_assignment,
    outermost,
    split,
    tokens_behind,
)
from sqe.sql.dialect import DIALECT, EVOLVES, SpanParser
from sqe.sql.statement import Span, Statement


@dataclass(frozen=True, slots=True)
class Term:
    """One of the conditions that ON, or a clause, puts together with AND."""

    span: Span
    tree: Any


@dataclass(frozen=True, slots=True)
class Clause:
    """WHEN … THEN …. ``head``: where its AND may be put if it has none."""

    by_source: bool
    inserts: bool
    head: int
    condition: Term | None
    assignments: tuple[Assignment, ...] = ()
    star: Span | None = None  # of UPDATE SET * and INSERT *


@dataclass(frozen=True, slots=True)
class MergeParts:
    """``source``: what the text knows it by; empty: it has no name."""

    source: str
    terms: tuple[Term, ...]
    on: Span
    clauses: tuple[Clause, ...]


def merge_parts(statement: Statement) -> MergeParts | None:
    """None where it is not one of the plain forms, or where text and tree are not of one mind."""
    tree = statement.tree
    odd = any(tree.args.get(name) for name in ("using_cond", "with_", "returning", "hint"))
    if odd or tree.meta.get(EVOLVES):
        return None
    tokens = tokens_behind(statement, find_target(statement))
    outer = list(_outside(tokens))
    on = next((n for n, token in outer if token.token_type is TokenType.ON), None)
    places = [n for n, token in outer if token.token_type is TokenType.WHEN]
    whens = tree.args["whens"].expressions if tree.args.get("whens") is not None else []
    if on is None or not places or len(places) != len(whens):
        return None
    condition = _term(statement.text, tokens[on + 1 : places[0]], tree.args.get("on"))
    ends = [*places[1:], len(tokens)]
    clauses = [
        _clause(statement.text, tokens[begin + 1 : end], when)
        for begin, end, when in zip(places, ends, whens, strict=True)
    ]
    if condition is None or None in clauses:
        return None
    terms = _terms(condition, tokens[on + 1 : places[0]])
    read_clauses = tuple(clause for clause in clauses if clause is not None)
    return MergeParts(tree.args["using"].alias_or_name, terms, condition.span, read_clauses)


def when_places(statement: Statement) -> list[int]:
    """Where its clauses begin."""
    tokens = tokens_behind(statement, find_target(statement))
    return [token.start for _, token in _outside(tokens) if token.token_type is TokenType.WHEN]


def _clause(text: str, tokens: list[Token], when: exp.When) -> Clause | None:
    then = next((n for n, token in _outside(tokens) if token.token_type is TokenType.THEN), None)
    if then is None:
        return None
    head, action = tokens[:then], tokens[then + 1 :]
    words = [token.text.upper() for token in head[:4]]
    kinds = (["MATCHED"], ["NOT", "MATCHED", "BY", "SOURCE"], ["NOT", "MATCHED", "BY", "TARGET"])
    kind = next(
        (token for token in (*kinds, ["NOT", "MATCHED"]) if words[: len(token)] == token), None
    )
    if kind is None:
        return None
    by_source = kind[-1] == "SOURCE"
    if (kind[0] == "MATCHED", by_source) != (bool(when.args["matched"]), bool(when.args["source"])):
        return None
    behind, source_given, condition = head[len(kind) :], when.args.get("condition"), None
    if bool(behind) != (source_given is not None):
        return None
    if behind:
        condition = _term(text, behind[1:], source_given)
        if behind[0].token_type is not TokenType.AND or condition is None:
            return None
    clause = Clause(by_source, False, head[len(kind) - 1].end + 1, condition)
    return _read_action(clause, action, when.args.get("then"))


def _read_action(clause: Clause, tokens: list[Token], then: Any) -> Clause | None:
    """The clause with what it does."""
    words = [token.text.upper() for token in tokens[:2]]
    if words == ["DELETE"]:
        return clause if isinstance(then, exp.Var) else None
    if words == ["UPDATE", "SET"] and isinstance(then, exp.Update):
        star, counts = _star(tokens[2:]), {len(then.expressions)}
        assignments_there = [
            assignment_of(assignment) for assignment in split(tokens[2:], TokenType.COMMA)
        ]
    elif words[:1] == ["INSERT"] and isinstance(then, exp.Insert):
        star, sides = _star(tokens[1:]), (then.this, then.expression)
        counts = {len(side.expressions) for side in sides if isinstance(side, exp.Tuple)}
        assignments_there = _read_insert(tokens[1:])
    else:
        return None
    inserts = words[0] == "INSERT"
    if star is not None:
        return Clause(clause.by_source, inserts, clause.head, clause.condition, star=star)
    assignments = tuple(assignment for assignment in assignments_there if assignment is not None)
    if counts != {len(assignments_there)} or len(assignments) != len(assignments_there):
        return None
    return Clause(clause.by_source, inserts, clause.head, clause.condition, assignments)


def _star(tokens: list[Token]) -> Span | None:
    alone = len(tokens) == 1 and tokens[0].token_type is TokenType.STAR
    return Span(tokens[0].start, tokens[0].end + 1) if alone else None


def _read_insert(tokens: list[Token]) -> list[Assignment | None]:
    """``(columns) VALUES (values)``."""
    end = find_closing_parenthesis(tokens)
    if end is None:
        return []
    behind = tokens[end + 1 :]
    if (
        not behind
        or behind[0].text.upper() != "VALUES"
        or find_closing_parenthesis(behind[1:]) != len(behind) - 2
    ):
        return []
    names = list(split(tokens[1:end], TokenType.COMMA))
    values = list(split(behind[2:-1], TokenType.COMMA))
    if len(names) != len(values) or not all(values) or not all(names):
        return []
    return [
        make_assignment(name[::2], value)
        if all(t.token_type is TokenType.DOT for t in name[1::2])
        else None
        for name, value in zip(names, values, strict=True)
    ]


def _term(text: str, tokens: list[Token], tree: Any) -> Term | None:
    """A condition, if it is by itself what the tree has at this place."""
    if not tokens:
        return None
    span = Span(tokens[0].start, tokens[-1].end + 1)
    try:
        parser = SpanParser(dialect=DIALECT, error_level=ErrorLevel.RAISE)
        parsed = parser.parse_into(exp.Condition, tokens, text)
    except ParseError:
        return None
    return Term(span, tree) if parsed == [tree] else None


def _terms(whole: Term, tokens: list[Token]) -> tuple[Term, ...]:
    """What AND puts together, each by itself; all as one where that is not certain."""
    trees = list(whole.tree.flatten(False)) if isinstance(whole.tree, exp.And) else [whole.tree]
    pieces = list(split(tokens, TokenType.AND, _outside))
    if len(pieces) != len(trees):
        return (whole,)
    return tuple(
        Term(Span(piece[0].start, piece[-1].end + 1), tree)
        for piece, tree in zip(pieces, trees, strict=True)
    )


def _outside(tokens: list[Token]) -> Iterator[tuple[int, Token]]:
    """Those outside of all parentheses and of all CASE … END."""
    depth = 0
    for number, token in outermost(tokens):
        member = number > 0 and tokens[number - 1].token_type is TokenType.DOT
        if token.token_type is TokenType.CASE and not member:
            depth += 1
        elif token.token_type is TokenType.END and not member and depth:
            depth -= 1
        elif depth == 0:
            yield number, token
