"""Finds every place in a statement that names a relation, a qualifier or a session function."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sqlglot import Token, TokenType, exp

from sqe.errors import ErrorCode, UserError
from sqe.sql.dialect import END, OPTIONS, SPAN
from sqe.sql.functions import CALLED_ONLY, SESSION_FUNCTIONS
from sqe.sql.read_options import is_table_changes, options_text, read_table_changes
from sqe.sql.statement import Access, Qualifier, Reference, SessionFunction, Span, position_at

_TABLE_WORD = re.compile(r"\btable\s+\Z", re.IGNORECASE)


def find_references(text: str, tree: exp.Expr, target: Any, access: Access) -> list[Reference]:
    """All relations named, in the order of the text. ``target`` is the node written to, if any."""
    references = []
    for table in tree.find_all(exp.Table):
        if is_table_changes(table.this):
            references.append(read_table_changes(text, table))
            continue
        if isinstance(table.this, exp.Func | exp.TableFromRows):
            continue  # a table function; its name is checked with the functions
        if table.find_ancestor(exp.Hint) is not None:
            continue  # BROADCAST(t): a name of this query, and of nothing if there is none
        reference = _reference(text, table, access if table is target else Access.READ)
        if table is target or len(reference.parts) > 1 or find_cte(table) is None:
            references.append(reference)
    return sorted(references, key=lambda reference: reference.span)


def _reference(text: str, table: exp.Table, access: Access) -> Reference:
    names = list(_names(table))
    span = _span(text, names)
    if span is None:
        raise UserError(
            ErrorCode.NOT_SUPPORTED,
            f"A relation must be named by identifiers, not by {table.sql(dialect='spark')[:80]}.",
        )
    end = span.end
    temporal = None
    version = table.args.get("version")
    if version is not None:
        if version.args.get("kind") != "AS OF":
            raise UserError(
                ErrorCode.NOT_SUPPORTED,
                "Only AS OF is supported for time travel.",
                position=position_at(text, version.meta[SPAN][0]),
            )
        temporal = Span(*version.meta[SPAN])
        end = temporal.end
    chosen = ""
    options = table.args.get(OPTIONS)
    if options is not None:
        place = Span(*options.meta[SPAN])
        chosen = options_text(text, options, place)
        temporal = Span(min(place.start, temporal.start), temporal.end) if temporal else place
        end = max(end, place.end)
    sample = table.args.get("sample")
    if sample is not None:
        end = max(end, sample.meta.get(END, end))
    alias = table.args.get("alias")
    before = _TABLE_WORD.search(text[: span.start])
    return Reference(
        parts=tuple(name.this for name in names),
        span=span,
        access=access,
        alias=alias.name if alias is not None and alias.this is not None else None,
        temporal=temporal,
        table_word=before.start() if before and access is Access.READ else None,
        alias_at=end,
        options=chosen,
    )


def table_span(table: exp.Table) -> Span | None:
    """The span of a table's dotted name, or None for a table that is not written in the text."""
    names = list(_names(table))
    if not names or any("start" not in name.meta for name in names):
        return None
    return Span(names[0].meta["start"], names[-1].meta["end"] + 1)


def _span(text: str, names: list[Any]) -> Span | None:
    """The place of the whole name, if each of its parts really stands where the tree says."""
    for name in names:
        if not isinstance(name, exp.Identifier) or "start" not in name.meta:
            return None
        written = text[name.meta["start"] : name.meta["end"] + 1]
        if not written or _unquote(written) != name.this:
            return None
    return Span(names[0].meta["start"], names[-1].meta["end"] + 1) if names else None


def _names(table: exp.Table) -> Iterator[Any]:
    """The parts of the dotted name; what is not an identifier is no name."""
    for key in ("catalog", "db", "this"):
        node = table.args.get(key)
        if node is not None:
            yield from _flatten(node)


def _flatten(node: Any) -> Iterator[Any]:
    if isinstance(node, exp.Dot):
        yield from _flatten(node.this)
        yield from _flatten(node.expression)
    else:
        yield node


def find_cte(table: exp.Table) -> exp.CTE | None:
    """What a WITH in force at this place defines by the name. Case does not matter in Spark."""
    if table.args.get("db") is not None:
        return None
    name = table.name.lower()
    child: exp.Expr = table
    parent = table.parent
    while parent is not None:
        with_ = parent.args.get("with_")
        named_query = None
        if with_ is not None and child is not with_:
            named_query = _last_named(name, with_.expressions)
        elif isinstance(parent, exp.With):
            # Inside one CTE: those before it are visible, itself only if RECURSIVE.
            index = next(i for i, cte in enumerate(parent.expressions) if cte is child)
            upto = index + 1 if parent.args.get("recursive") else index
            named_query = _last_named(name, parent.expressions[:upto])
        if named_query is not None:
            return named_query
        child, parent = parent, parent.parent
    return None


def _last_named(name: str, ctes: list[exp.CTE]) -> exp.CTE | None:
    return next((cte for cte in reversed(ctes) if cte.alias.lower() == name), None)


def find_qualifiers(text: str, tokens: list[Token], references: list[Reference]) -> list[Qualifier]:
    """Dotted names of three parts and more that are not relations: ``hr.emp.salary``, ``hr.emp.*``.

    From the tokens, not the tree: sqlglot leaves parts of some queries out of its tree.
    """
    relations = {reference.span.start for reference in references}
    qualifiers = []
    index = 0
    while index < len(tokens):
        chain, index = _chain(text, tokens, index)
        called = index < len(tokens) and tokens[index].token_type is TokenType.L_PAREN
        if len(chain) < 3 or called or chain[0].start in relations:
            continue
        spans = tuple(Span(chain[0].start, token.end + 1) for token in chain[:-1])
        qualifiers.append(
            Qualifier(tuple(_text_of_token(text, token) for token in chain[:-1]), spans)
        )
    return qualifiers


def _chain(text: str, tokens: list[Token], index: int) -> tuple[list[Token], int]:
    """The names joined by dots from here on, and where to go on."""
    if not _is_word(text, tokens[index]):
        return [], index + 1
    chain = [tokens[index]]
    index += 1
    while index + 1 < len(tokens) and tokens[index].token_type is TokenType.DOT:
        following = tokens[index + 1]
        if not _is_word(text, following) and following.token_type is not TokenType.STAR:
            break
        chain.append(following)
        index += 2
    return chain, index


def _is_word(text: str, token: Token) -> bool:
    first = text[token.start : token.start + 1]
    return token.token_type is not TokenType.STRING and (first in "`_" or first.isalpha())


def _text_of_token(text: str, token: Token) -> str:
    return _unquote(text[token.start : token.end + 1])


def _unquote(written: str) -> str:
    return written[1:-1].replace("``", "`") if written.startswith("`") else written


def find_session_functions(tree: exp.Expr, tokens: list[Token]) -> list[SessionFunction]:
    """Functions whose answer is the SQE session's: calls, and the same words without parentheses.

    A bare word that is also an alias in the statement is left alone: it means that.
    """
    alone = _offsets_without_alias(tree)
    functions = []
    for name, opening, closing in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if (
            name.token_type is not TokenType.STRING
            and name.text.lower() in SESSION_FUNCTIONS
            and opening.token_type is TokenType.L_PAREN
            and closing.token_type is TokenType.R_PAREN
        ):
            span = Span(name.start, closing.end + 1)
            functions.append(SessionFunction(name.text.lower(), span, span.start not in alone))
    aliases = {node.alias.lower() for node in tree.find_all(exp.Alias)}
    aliases |= {
        column.name.lower()
        for node in tree.find_all(exp.TableAlias)
        for column in node.args.get("columns") or ()
    }
    for column in tree.find_all(exp.Column):
        word = column.this
        if (
            isinstance(word, exp.Identifier)
            and not word.quoted
            and column.args.get("table") is None
            and word.this.lower() in SESSION_FUNCTIONS - CALLED_ONLY - aliases
            and "start" in word.meta
        ):
            span = Span(word.meta["start"], word.meta["end"] + 1)
            aliased = span.start not in alone
            functions.append(SessionFunction(word.this.lower(), span, aliased, bare=True))
    return functions


def _offsets_without_alias(tree: exp.Expr) -> set[int]:
    """Offsets at which a session function stands as a whole item of a select list."""
    starts = set()
    for select in tree.find_all(exp.Select):
        for item in select.expressions:
            node = item.this if isinstance(item, exp.Column) else item
            if isinstance(node, exp.Func | exp.Identifier) and "start" in node.meta:
                starts.add(node.meta["start"])
    return starts
