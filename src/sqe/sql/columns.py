"""Which columns a statement asks of which relation, where its tree says so beyond doubt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from sqe.sql.references import table_span
from sqe.sql.statement import Span


@dataclass(frozen=True, slots=True)
class ColumnUse:
    """``e.salary`` in a SELECT whose FROM names the relation at ``relation`` as ``e``."""

    column: str
    span: Span
    relation: Span


def column_uses(tree: Any) -> Iterator[ColumnUse]:
    """Only columns qualified by the alias or name of a relation in the same SELECT's FROM."""
    for select in tree.find_all(exp.Select):
        sources = _sources(select)
        for column in select.find_all(exp.Column):
            if column.find_ancestor(exp.Select) is not select:
                continue
            qualifier, name = column.args.get("table"), column.this
            if (
                not isinstance(qualifier, exp.Identifier)
                or not isinstance(name, exp.Identifier)
                or column.args.get("db") is not None
                or isinstance(column.parent, exp.Dot)
                or "start" not in name.meta
            ):
                continue
            relation = sources.get(qualifier.this.lower())
            if relation is not None:
                span = Span(name.meta["start"], name.meta["end"] + 1)
                yield ColumnUse(name.this, span, relation)


def column_names(tree: Any) -> set[str]:
    """Every name that a column is asked for by, in small letters, of whatever relation it is."""
    return {column.name.lower() for column in tree.find_all(exp.Column)}


def find_asked_columns(tree: Any) -> frozenset[str] | None:
    """The same, or None where all may be asked for: by ``*``, a whole row, a NATURAL join."""
    names = column_names(tree)
    for node in tree.find_all(exp.Star, exp.Join, exp.Pivot, exp.Table):
        if isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count):
            return None
        if isinstance(node, exp.Pivot):
            return None
        if isinstance(node, exp.Join):
            if node.args.get("method"):
                return None
            names |= {identifier.name.lower() for identifier in node.args.get("using") or ()}
        if isinstance(node, exp.Table) and node.alias_or_name.lower() in names:
            return None
    return frozenset(names)


def _sources(select: exp.Select) -> dict[str, Span]:
    """Alias or name -> the span of the table's name. Names that stand twice are left out."""
    from_ = select.args.get("from_")
    relations = [from_.this] if from_ is not None else []
    relations += [join.this for join in select.args.get("joins") or ()]
    if select.args.get("laterals") or any(_unclear(relation) for relation in relations):
        return {}
    sources: dict[str, Span] = {}
    for table in relations:
        name = table.alias_or_name.lower()
        if name in sources:
            return {}
        span = table_span(table)
        if span is None:
            return {}
        sources[name] = span
    return sources


def _unclear(relation: exp.Expr) -> bool:
    """Anything but a plain table with, at most, a simple alias."""
    if not isinstance(relation, exp.Table):
        return True
    alias = relation.args.get("alias")
    return bool(
        relation.args.get("pivots")
        or relation.args.get("joins")
        or relation.args.get("laterals")
        or isinstance(relation.this, exp.Func)
        or (alias is not None and alias.args.get("columns"))
    )
