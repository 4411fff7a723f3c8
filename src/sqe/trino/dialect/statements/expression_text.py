"""Expressions written as Trino writes them when it keeps a query's text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sqe.model.names import quote_text
from sqe.model.trino_words import RESERVED, quote_name
from sqe.trino.dialect import nodes

if TYPE_CHECKING:
    from sqe.trino.dialect.statements.query_text import QueryText


class Unwritable(Exception):
    """A form that is not written here; the text stays as its author wrote it."""


def name_text(name: nodes.Identifier) -> str:
    if name.quoted or name.name.lower() in RESERVED:
        return quote_name(name.name)
    return name.name


def names_text(names: Iterable[nodes.Identifier], separator: str = ".") -> str:
    return separator.join(map(name_text, names))


class ExpressionText:
    def __init__(self, queries: QueryText) -> None:
        self._queries = queries

    def write(self, node: nodes.Node) -> str:
        writer = _WRITERS.get(type(node))
        if writer is None:
            raise Unwritable(type(node).__name__)
        return writer(self, node)

    def join(self, items: Iterable[nodes.Node], separator: str = ", ") -> str:
        return separator.join(map(self.write, items))

    def order(self, items: Iterable[nodes.SortItem]) -> str:
        return f"ORDER BY {', '.join(map(self._sort_item, items))}"

    def _sort_item(self, item: nodes.SortItem) -> str:
        nulls = {None: "", True: " NULLS FIRST", False: " NULLS LAST"}[item.nulls_first]
        direction = "ASC" if item.ascending else "DESC"
        return f"{self.write(item.expression)} {direction}{nulls}"

    def double(self, node: nodes.DoubleLiteral) -> str:
        value = Decimal(node.text).normalize()
        exponent = value.adjusted()
        digits = f"{value.scaleb(-exponent):f}"
        return f"{digits}E{exponent}"

    def interval(self, node: nodes.IntervalLiteral) -> str:
        sign = "- " if node.negative else ""
        end = f" TO {node.end.upper()}" if node.end else ""
        return f"INTERVAL {sign}{quote_text(node.value)} {node.start.upper()}{end}"

    def negative(self, node: nodes.Negative) -> str:
        if node.sign == "-" and isinstance(node.value, nodes.DecimalLiteral):
            return f"DECIMAL '-{node.value.text}'"
        value = self.write(node.value)
        return f"{node.sign}{' ' if value.startswith(node.sign) else ''}{value}"

    def subquery(self, node: nodes.Query) -> str:
        return f"({self._queries.write(node)})"

    def write_quantified(self, node: nodes.Quantified) -> str:
        head = f"{self.write(node.value)} {node.operator} {node.quantifier}"
        return f"({head} {self.subquery(node.query)})"

    def like(self, node: nodes.Like) -> str:
        escape = f" ESCAPE {self.write(node.escape)}" if node.escape is not None else ""
        return f"({self.write(node.value)} LIKE {self.write(node.pattern)}{escape})"

    def case(self, node: nodes.Case) -> str:
        parts = ["CASE"]
        if node.operand is not None:
            parts.append(self.write(node.operand))
        for when in node.whens:
            parts.append(f"WHEN {self.write(when.condition)} THEN {self.write(when.result)}")
        if node.default is not None:
            parts.append(f"ELSE {self.write(node.default)}")
        return f"({' '.join(parts)} END)"

    def row(self, node: nodes.RowConstructor) -> str:
        if any(node.names):
            raise Unwritable("ROW with names")
        return f"ROW ({self.join(node.items)})"

    def call(self, node: nodes.Call) -> str:
        name = node.name[-1].name.lower()
        special = _SPECIAL.get(name) if len(node.name) == 1 else None
        if special is not None:
            return special(self, node)
        if node.words or node.within_group:
            raise Unwritable(name)
        arguments = "*" if node.star else self.join(node.arguments)
        if node.distinct:
            arguments = f"DISTINCT {arguments}"
        if node.order_by:
            arguments += f" {self.order(node.order_by)}"
        text = f"{names_text(node.name)}({arguments})"
        if node.null_treatment:
            text += f" {node.null_treatment}"
        if node.filter is not None:
            text += f" FILTER (WHERE {self.write(node.filter)})"
        if node.window is not None:
            text += f" OVER {self.window(node.window)}"
        return text

    def window(self, node: nodes.WindowSpec | nodes.Identifier) -> str:
        if isinstance(node, nodes.Identifier):
            return name_text(node)
        parts = []
        if node.existing is not None:
            parts.append(name_text(node.existing))
        if node.partition_by:
            parts.append(f"PARTITION BY {self.join(node.partition_by)}")
        if node.order_by:
            parts.append(self.order(node.order_by))
        if node.frame is not None:
            parts.append(self._frame(node.frame))
        return f"({' '.join(parts)})"

    def _frame(self, node: nodes.Frame) -> str:
        if node.end is None:
            return f"{node.unit} {self._frame_bound(node.start)}"
        return (
            f"{node.unit} BETWEEN {self._frame_bound(node.start)} AND {self._frame_bound(node.end)}"
        )

    def _frame_bound(self, node: nodes.FrameBound) -> str:
        value = f"{self.write(node.value)} " if node.value is not None else ""
        return f"{value}{node.kind}"


Writer = Callable[[ExpressionText, Any], str]


def _upper(name: str) -> Writer:
    return lambda text, node: f"{name}({text.join(node.arguments)})"


def _words(written: str) -> Writer:
    """A word that stands alone; with a precision it has brackets."""

    def write(text: ExpressionText, node: nodes.Call) -> str:
        return f"{written}({text.join(node.arguments)})" if node.arguments else written

    return write


def _extract(text: ExpressionText, node: nodes.Call) -> str:
    field, value = node.arguments
    if not isinstance(field, nodes.StringLiteral):
        raise Unwritable("extract")
    return f"EXTRACT({field.value.upper()} FROM {text.write(value)})"


def _trim(text: ExpressionText, node: nodes.Call) -> str:
    value, *characters = (text.write(argument) for argument in node.arguments)
    characters_text = f"{characters[0]} " if characters else ""
    return f"trim(BOTH {characters_text}FROM {value})"


_SPECIAL: dict[str, Writer] = {
    "if": _upper("IF"),
    "coalesce": _upper("COALESCE"),
    "nullif": _upper("NULLIF"),
    "try": _upper("TRY"),
    "grouping": _upper("GROUPING "),
    "extract": _extract,
    "trim": _trim,
    "position": lambda text, node: f"strpos({text.join(reversed(node.arguments))})",
    **{word: _words(word) for word in ("current_date", "current_time", "current_timestamp")},
    **{word: _words(word) for word in ("localtime", "localtimestamp")},
    **{f"current_{word}": _words(f"CURRENT_{word.upper()}") for word in ("user", "catalog")},
    **{f"current_{word}": _words(f"CURRENT_{word.upper()}") for word in ("schema", "path")},
}


def _binary(text: ExpressionText, node: nodes.Arithmetic | nodes.Comparison) -> str:
    return f"({text.write(node.left)} {node.operator} {text.write(node.right)})"


def _is_null(text: ExpressionText, node: nodes.IsNull) -> str:
    return f"({text.write(node.value)} IS {'NOT ' if node.negated else ''}NULL)"


def _between(text: ExpressionText, node: nodes.Between) -> str:
    return f"({text.write(node.value)} BETWEEN {text.write(node.low)} AND {text.write(node.high)})"


def _cast(text: ExpressionText, node: nodes.Cast) -> str:
    verb = "TRY_CAST" if node.safe else "CAST"
    return f"{verb}({text.write(node.value)} AS {node.target_text})"


def _generic(text: ExpressionText, node: nodes.GenericLiteral) -> str:
    kind = "DECIMAL" if node.type.lower() == "decimal" else node.type
    return f"{kind} {quote_text(node.value)}"


_WRITERS: dict[type[nodes.Node], Writer] = {
    nodes.NullLiteral: lambda text, node: "null",
    nodes.BooleanLiteral: lambda text, node: str(node.value).lower(),
    nodes.StringLiteral: lambda text, node: quote_text(node.value),
    nodes.BinaryLiteral: lambda text, node: f"X'{node.value.hex().upper()}'",
    nodes.LongLiteral: lambda text, node: str(node.value),
    nodes.DecimalLiteral: lambda text, node: f"DECIMAL '{node.text}'",
    nodes.DoubleLiteral: ExpressionText.double,
    nodes.GenericLiteral: _generic,
    nodes.IntervalLiteral: ExpressionText.interval,
    nodes.Parameter: lambda text, node: "?",
    nodes.Column: lambda text, node: name_text(node.identifier),
    nodes.Dereference: lambda text, node: f"{text.write(node.base)}.{name_text(node.field)}",
    nodes.Arithmetic: _binary,
    nodes.Comparison: _binary,
    nodes.Negative: ExpressionText.negative,
    nodes.Quantified: ExpressionText.write_quantified,
    nodes.Logical: lambda text, node: f"({text.join(node.terms, f' {node.operator} ')})",
    nodes.Not: lambda text, node: f"(NOT {text.write(node.value)})",
    nodes.IsNull: _is_null,
    nodes.Between: _between,
    nodes.InList: lambda text, node: f"({text.write(node.value)} IN ({text.join(node.items)}))",
    nodes.InQuery: lambda text, node: f"({text.write(node.value)} IN {text.subquery(node.query)})",
    nodes.Like: ExpressionText.like,
    nodes.Exists: lambda text, node: f"(EXISTS {text.subquery(node.query)})",
    nodes.ScalarQuery: lambda text, node: text.subquery(node.query),
    nodes.Concat: lambda text, node: f"concat({text.write(node.left)}, {text.write(node.right)})",
    nodes.AtTimeZone: lambda text, node: (
        f"{text.write(node.value)} AT TIME ZONE {text.write(node.zone)}"
    ),
    nodes.Cast: _cast,
    nodes.Case: ExpressionText.case,
    nodes.ArrayConstructor: lambda text, node: f"ARRAY[{text.join(node.items, ',')}]",
    nodes.RowConstructor: ExpressionText.row,
    nodes.Subscript: lambda text, node: f"{text.write(node.value)}[{text.write(node.index)}]",
    nodes.Lambda: lambda text, node: (
        f"({names_text(node.parameters, ', ')}) -> {text.write(node.body)}"
    ),
    nodes.Call: ExpressionText.call,
}
