"""Queries written as Trino writes them: the text that SHOW CREATE VIEW gives back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqe.trino.dialect import nodes
from sqe.trino.dialect.statements.expression_text import (
    ExpressionText,
    Unwritable,
    name_text,
    names_text,
)

_INDENT = "   "


def query_text(node: nodes.Query, written: str) -> str:
    """``written`` is the author's own text, for what is not written here."""
    try:
        return QueryText().write(node)
    except Unwritable:
        return written


def expression_text(node: nodes.Expression) -> str:
    """As errors tell it."""
    try:
        return ExpressionText(QueryText()).write(node)
    except Unwritable:
        return "…"


class QueryText:
    """Line breaks and blanks are Trino's, also where it has more of them than one would think."""

    def __init__(self) -> None:
        self._expressions = ExpressionText(self)

    def write(self, node: nodes.Query) -> str:
        return self.query(node, 0)

    def query(self, node: nodes.Query, indent: int) -> str:
        if node.functions:
            raise Unwritable("WITH FUNCTION")
        return self._withs(node, indent) + self._body(node.body, indent) + self._ends(node, indent)

    def _withs(self, node: nodes.Query, indent: int) -> str:
        if not node.withs:
            return ""
        space = _INDENT * indent
        parts = []
        for with_query in node.withs:
            columns = f" ({names_text(with_query.columns, ', ')})" if with_query.columns else ""
            body = self._in_brackets(with_query.query, indent)
            parts.append(f"{space}{name_text(with_query.name)}{columns} AS {body}\n")
        recursive = " RECURSIVE" if node.recursive else ""
        return f"{space}WITH{recursive}\n  {', '.join(parts)}"

    def _ends(self, node: nodes.Query, indent: int) -> str:
        write, space = self._expressions.write, _INDENT * indent
        text = f"{space}{self._expressions.order(node.order_by)}\n" if node.order_by else ""
        if node.offset is not None:
            text += f"{space}OFFSET {write(node.offset)} ROWS\n"
        if node.fetch and node.limit is not None:
            ties = "WITH TIES" if node.with_ties else "ONLY"
            text += f"{space}FETCH FIRST {write(node.limit)} ROWS {ties}\n"
        elif node.limit is not None:
            text += f"{space}LIMIT {write(node.limit)}\n"
        return text

    def _body(self, node: nodes.Body, indent: int) -> str:
        if isinstance(node, nodes.Select):
            return self._select(node, indent)
        if isinstance(node, nodes.Values):
            return self._values(node, indent)
        if isinstance(node, nodes.TableQuery):
            return f"{_INDENT * indent}TABLE {names_text(node.table.name)}\n"
        if isinstance(node, nodes.SetOperation):
            if node.corresponding:
                raise Unwritable("CORRESPONDING")
            word = f"{node.operator} " if node.distinct else f"{node.operator} ALL "
            left, right = self._body(node.left, indent), self._body(node.right, indent)
            return f"{left}{word}{right}"
        return self._in_brackets(node, indent)

    def _in_brackets(self, node: nodes.Query, indent: int) -> str:
        return f"(\n{self.query(node, indent + 1)}{_INDENT * indent}) "

    def _values(self, node: nodes.Values, indent: int) -> str:
        rows = [self._expressions.write(row) for row in node.rows]
        space = f"\n{_INDENT * indent}"
        return f" VALUES {space}  {f'{space}, '.join(rows)}\n"

    def _select(self, node: nodes.Select, indent: int) -> str:
        write, space = self._expressions.write, _INDENT * indent
        items = [self._item(item) for item in node.items]
        text = f"{space}SELECT{' DISTINCT' if node.distinct else ''}"
        if len(items) == 1:
            text += f" {items[0]}\n"
        else:
            separator = f"\n{space}, "
            text += f"\n{space}  {separator.join(items)}\n"
        if node.source is not None:
            text += f"{space}FROM\n{space}  {self._relation(node.source, indent)}"
        text += "\n"
        if node.where is not None:
            text += f"{space}WHERE {write(node.where)}\n"
        if node.group_by is not None:
            text += f"{space}GROUP BY {self._grouping(node.group_by)}\n"
        if node.having is not None:
            text += f"{space}HAVING {write(node.having)}\n"
        if node.windows:
            raise Unwritable("WINDOW")
        return text

    def _item(self, item: nodes.SelectItem | nodes.Star) -> str:
        if isinstance(item, nodes.SelectItem):
            alias = f" {name_text(item.alias)}" if item.alias is not None else ""
            return f"{self._expressions.write(item.expression)}{alias}"
        target = f"{self._expressions.write(item.target)}." if item.target is not None else ""
        aliases = f" AS ({names_text(item.aliases, ', ')})" if item.aliases else ""
        return f"{target}*{aliases}"

    def _grouping(self, node: nodes.GroupBy) -> str:
        distinct = " DISTINCT " if node.distinct else ""
        return distinct + ", ".join(map(self._grouping_element, node.elements))

    def _grouping_element(self, node: nodes.GroupingElement) -> str:
        sets = [self._expressions.join(grouping_set) for grouping_set in node.sets]
        if node.kind == "SIMPLE":
            one_set = node.sets[0]
            return sets[0] if len(one_set) == 1 else f"({sets[0]})"
        if node.kind == "AUTO":
            return "AUTO"
        word = "GROUPING SETS" if node.kind == "SETS" else node.kind
        return f"{word} ({', '.join(f'({grouping_set})' for grouping_set in sets)})"

    # ---------------------------------------------------------- relations

    def _relation(self, node: nodes.Relation, indent: int) -> str:
        writer = _RELATIONS.get(type(node))
        if writer is None:
            raise Unwritable(type(node).__name__)
        return writer(self, node, indent)

    def table(self, node: nodes.TableRef, indent: int) -> str:
        text = names_text(node.name)
        if node.version is not None:
            text += f" FOR VERSION AS OF {self._expressions.write(node.version)}"
        if node.moment is not None:
            text += f" FOR TIMESTAMP AS OF {self._expressions.write(node.moment)}"
        return text

    def subquery(self, node: nodes.Subquery, indent: int) -> str:
        return self._in_brackets(node.query, indent)

    def lateral(self, node: nodes.Lateral, indent: int) -> str:
        return f"LATERAL ({self.query(node.query, indent + 1)}{_INDENT * indent})"

    def unnest(self, node: nodes.Unnest, indent: int) -> str:
        ordinality = " WITH ORDINALITY" if node.ordinality else ""
        return f"UNNEST({self._expressions.join(node.expressions)}){ordinality}"

    def write_aliased(self, node: nodes.Aliased, indent: int) -> str:
        columns = f" ({names_text(node.columns, ', ')})" if node.columns else ""
        return f"{self._relation(node.relation, indent)} {name_text(node.alias)}{columns}"

    def write_sampled(self, node: nodes.Sampled, indent: int) -> str:
        share = self._expressions.write(node.percentage)
        return f"{self._relation(node.relation, indent)} TABLESAMPLE {node.method} ({share})"

    def join(self, node: nodes.Join, indent: int) -> str:
        left, right = self._relation(node.left, indent), self._relation(node.right, indent)
        space = _INDENT * indent
        if node.kind == "IMPLICIT":
            return f"{left}\n{space}, {right}"
        natural = "NATURAL " if node.natural else ""
        end = ""
        if node.using:
            end = f" USING ({names_text(node.using, ', ')})"
        elif node.condition is not None:
            end = f" ON {self._expressions.write(node.condition)}"
        return f"({left}\n{space}{natural}{node.kind} JOIN {right}{end})"


_RELATIONS: dict[type[nodes.Relation], Callable[[QueryText, Any, int], str]] = {
    nodes.TableRef: QueryText.table,
    nodes.Subquery: QueryText.subquery,
    nodes.Lateral: QueryText.lateral,
    nodes.Unnest: QueryText.unnest,
    nodes.Aliased: QueryText.write_aliased,
    nodes.Sampled: QueryText.write_sampled,
    nodes.Join: QueryText.join,
}
