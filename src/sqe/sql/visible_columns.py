"""Finds unqualified columns that nothing in sight has.

Sets of names are too large rather than too small, and where the columns of one relation are not
known nothing is said of the whole query: to refuse what Spark would run is worse than to let Spark
refuse it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from sqe.sql.references import find_cte, table_span
from sqe.sql.statement import Span

# Columns as they are written, by ``fold_case`` of them. None: there may be any.
Names = Mapping[str, str]
# The columns of the relation whose name begins at that offset of the text.
ColumnsOf = Callable[[int], Names | None]

# Other names are left to Spark: of expressions without an alias (`count(1)`), of metadata columns
# (_file), and those whose case only Java knows how to ignore.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
# Words that are no columns where there is no such column.
_SPECIAL = frozenset(
    {"all", "current_catalog", "current_database", "current_date", "current_path", "current_role"}
    | {"current_schema", "current_time", "current_timestamp", "current_timezone", "current_user"}
    | {"default", "grouping__id", "localtime", "localtimestamp", "now", "session_user", "sysdate"}
    | {"user", "true", "false", "null", "nan", "infinity"}
    | {"year", "years", "quarter", "quarters", "month", "months", "week", "weeks", "day", "days"}
    | {"dayofyear", "hour", "hours", "minute", "minutes", "second", "seconds", "millisecond"}
    | {"milliseconds", "microsecond", "microseconds", "nanosecond", "nanoseconds"}
)
# Below these a name is no column of the query, or one of a relation of its own.
_ELSEWHERE = (
    exp.DataType,
    exp.Hint,
    exp.Kwarg,
    exp.Partition,
    exp.Pivot,
    exp.Properties,
    exp.PropertyEQ,
    exp.Schema,
    exp.Star,
    exp.TableSample,
    exp.Version,
)
_GENERATORS = (exp.UDTF, exp.Explode, exp.Inline, exp.JSONExtract)
_GENERATOR_NAMES = ("explode", "inline", "json_tuple", "stack", "variant")


@dataclass(frozen=True, slots=True)
class UnknownColumn:
    """``relation``: where the only relation that it could be of is named. ``near``: what could be
    meant instead."""

    name: str
    span: Span
    relation: int | None
    near: Names


@dataclass(frozen=True, slots=True)
class _Scope:
    """``columns``: of the relations alone, without the aliases in the list of SELECT."""

    names: Names
    columns: Names
    relation: int | None = None


def fold_case(name: str) -> str:
    """Equal for names that are equal for Spark, and maybe for some more."""
    return name.upper().lower()


def names_of(columns: Iterable[str]) -> Names:
    return {fold_case(column): column for column in columns}


def unknown_columns(text: str, tree: Any, columns_of: ColumnsOf) -> list[UnknownColumn]:
    """In the order of the text."""
    if "|>" in text:  # sqlglot makes other queries of it
        return []
    unknown_names = _Finder(text, columns_of).find(tree)
    return sorted(unknown_names, key=lambda unknown: unknown.span)


class _Finder:
    def __init__(self, text: str, columns_of: ColumnsOf) -> None:
        self._text = text
        self._columns_of = columns_of
        self._scopes: dict[int, _Scope | None] = {}
        self._outputs: dict[int, Names | None] = {}

    def find(self, tree: Any) -> Iterator[UnknownColumn]:
        for column in tree.find_all(exp.Column):
            name = column.this
            if column.args.get("table") is not None or not isinstance(name, exp.Identifier):
                continue
            span = self._span(name)
            if span is None or not _PLAIN.fullmatch(name.this) or name.this.lower() in _SPECIAL:
                continue
            nearest = self._nearest_without(column, fold_case(name.this))
            if nearest is not None:
                yield UnknownColumn(name.this, span, nearest.relation, nearest.columns)

    def _span(self, name: exp.Identifier) -> Span | None:
        if "start" not in name.meta:
            return None
        span = Span(name.meta["start"], name.meta["end"] + 1)
        behind = self._text[span.end :].lstrip()[:1]
        # A function, or a literal of a type that sqlglot does not know.
        if span.of(self._text).strip("`") != name.this or behind in ("(", "'", '"', "."):
            return None
        return span

    def _nearest_without(self, column: exp.Expr, name: str) -> _Scope | None:
        """The query that the column stands in, if neither that nor one around it has the name."""
        nearest: _Scope | None = None
        unseen: exp.Expr | None = None  # a query of which only what it reads was come from
        child, node = column, column.parent
        while node is not None:
            if _hides(node, child, name) or (nearest is None and _is_elsewhere(node, child)):
                return None
            unseen = _reader(node, child) or unseen
            if node is unseen and nearest is None:
                return None  # an argument of a table function
            if _is_scope(node) and node is not unseen:
                scope = self._scope(node)
                if scope is None or name in (
                    scope.columns if _is_before_alias(node, child, name) else scope.names
                ):
                    return None
                nearest = nearest or scope
            child, node = node, node.parent
        return nearest

    def _scope(self, node: exp.Expr) -> _Scope | None:
        key = id(node)
        if key not in self._scopes:
            self._scopes[key] = None
            self._scopes[key] = self._make_scope(node)
        return self._scopes[key]

    def _make_scope(self, node: exp.Expr) -> _Scope | None:
        relations = _relations(node)
        if relations is None:
            return None
        columns: dict[str, str] = {}
        for relation in relations:
            names = self._names(relation)
            if names is None:
                return None
            columns |= names
        own: Names | None = {}
        if isinstance(node, exp.Select):
            # A column without a qualifier gives no name: it is looked for itself.
            items = [item for item in node.expressions if not _is_unqualified(item)]
            own = _own_names(items, relations)
        if own is None:
            return None
        only = relations[0] if len(relations) == 1 else None
        span = table_span(only) if isinstance(only, exp.Table) and not find_cte(only) else None
        return _Scope({**columns, **own}, columns, span.start if span is not None else None)

    def _names(self, relation: exp.Expr) -> Names | None:
        """The columns of one relation in FROM."""
        if relation.args.get("pivots") or relation.args.get("joins"):
            return None
        if relation.args.get("laterals"):
            return None
        alias = relation.args.get("alias")
        renamed = alias.args.get("columns") if isinstance(alias, exp.TableAlias) else None
        if renamed:
            return names_of(column.name for column in renamed)
        if isinstance(relation, exp.Subquery):
            return self._output(relation.this)
        if isinstance(relation, exp.Lateral) and isinstance(relation.this, exp.Subquery):
            return None if relation.args.get("view") else self._output(relation.this.this)
        if isinstance(relation, exp.Values):
            return _of_values(relation)
        if not isinstance(relation, exp.Table) or not isinstance(relation.this, exp.Identifier):
            return None if _function_name(relation) != "range" else names_of(["id"])
        cte = find_cte(relation)
        if cte is not None:
            named = cte.args["alias"].args.get("columns")
            return names_of(name.name for name in named) if named else self._output(cte.this)
        span = table_span(relation)
        return self._columns_of(span.start) if span is not None else None

    def _output(self, query: Any) -> Names | None:
        """The columns of a query's answer."""
        key = id(query)
        if key not in self._outputs:
            self._outputs[key] = None  # what a recursive one reads of itself
            self._outputs[key] = self._make_output(query)
        return self._outputs[key]

    def _make_output(self, query: Any) -> Names | None:
        if isinstance(query, exp.SetOperation):
            return self._output(query.this)
        if isinstance(query, exp.Subquery):
            plain = not any(query.args.get(part) for part in ("pivots", "joins", "laterals"))
            return self._output(query.this) if plain else None
        if not isinstance(query, exp.Select):
            return None
        scope = self._scope(query)
        if scope is None:
            return None
        stars = any(item.is_star for item in query.expressions)
        relations = _relations(query) or []
        own = _own_names(query.expressions, relations)
        return {**scope.columns, **(own or {})} if stars else own


def _of_values(values: exp.Values) -> Names:
    first = values.expressions[0] if values.expressions else None
    count = len(first.expressions) if isinstance(first, exp.Tuple) else 1
    return names_of(f"col{number}" for number in range(1, count + 1))


def _function_name(relation: exp.Expr) -> str:
    function = relation.this if isinstance(relation, exp.Table) else None
    return function.name.lower() if isinstance(function, exp.Anonymous) else ""


def _is_elsewhere(node: exp.Expr, child: exp.Expr) -> bool:
    """Whether what stands directly here is no column of a query around it."""
    member = isinstance(node, exp.Dot) and isinstance(child, exp.Column)
    return member or isinstance(node, _ELSEWHERE)


def _hides(node: exp.Expr, child: exp.Expr, name: str) -> bool:
    """Whether the name may be one of something here that has no relations."""
    if isinstance(node, exp.Lambda):
        return name in {fold_case(parameter.name) for parameter in node.expressions}
    if isinstance(node, exp.SetOperation):  # ORDER BY of a union
        return child.arg_key not in ("this", "expression", "with_")
    return isinstance(node, exp.Subquery) and child.arg_key not in ("this", "with_")


def _is_scope(node: exp.Expr) -> bool:
    if isinstance(node, exp.Update | exp.Insert):
        return isinstance(node, exp.Update) and not isinstance(node.parent, exp.When)
    return isinstance(node, exp.Select | exp.Values | exp.Delete | exp.Merge)


def _reader(node: exp.Expr, child: exp.Expr) -> exp.Expr | None:
    """The query whose other relations the child does not see: it is one of its relations (and not
    LATERAL), or a part of its WITH."""
    if isinstance(node, exp.Merge):
        return node if child.arg_key == "using" else None
    if isinstance(node, exp.From | exp.Join):
        sees = child.arg_key != "this" or isinstance(child, exp.Lateral)
        return None if sees else node.parent
    return node.parent if isinstance(node, exp.With) else None


def _relations(node: exp.Expr) -> list[exp.Expr] | None:
    """Those that the names in the clauses of this query can be columns of."""
    if isinstance(node, exp.Values):
        return []
    if isinstance(node, exp.Merge):
        return [node.this, node.args["using"]]
    if isinstance(node, exp.Select):
        if node.args.get("operation_modifiers"):
            return None
        from_ = node.args.get("from_")
        relations = [from_.this] if from_ is not None else []
        relations += [join.this for join in node.args.get("joins") or ()]
        return [*relations, *(node.args.get("laterals") or ())]
    if any(node.args.get(part) for part in ("from_", "using", "tables", "joins")):
        return None
    return [node.this]


def _own_names(items: list[Any], relations: list[exp.Expr]) -> Names | None:
    """Those that the list of SELECT gives. They are known in most clauses, and beside it."""
    qualifiers = {relation.alias_or_name.lower() for relation in relations}
    names: list[str] = []
    for item in items:
        own_names = _names_of_item(item, qualifiers)
        if own_names is None:
            return None
        names += own_names
    return names_of(names)


def _is_unqualified(item: Any) -> bool:
    while isinstance(item, exp.Paren):
        item = item.this
    return isinstance(item, exp.Column) and item.args.get("table") is None


def _names_of_item(item: Any, qualifiers: set[str]) -> list[str] | None:
    """The names that one item of a select list gives. None: there may be any."""
    while isinstance(item, exp.Paren):
        item = item.this
    if isinstance(item, exp.Alias):
        return [item.alias]
    if isinstance(item, exp.Aliases):
        return [name.name for name in item.expressions]
    if item.is_star:
        known = isinstance(item, exp.Star) or (
            isinstance(item, exp.Column)
            and item.table.lower() in qualifiers
            and not item.args.get("db")
        )
        return [] if known else None  # the fields of a struct
    if isinstance(item, exp.Column | exp.Dot | exp.Literal):
        return [item.name]
    if isinstance(item, exp.Placeholder | exp.Parameter | exp.Identifier):
        return None
    # Of other expressions the name is no plain word: count(1), (a + b).
    return None if any(map(_generates, item.find_all(exp.Expr))) else []


def _generates(node: exp.Expr) -> bool:
    """Whether it may give columns with names of its own: explode, v:path."""
    if isinstance(node, exp.Anonymous):
        return any(word in node.name.lower() for word in _GENERATOR_NAMES)
    return isinstance(node, _GENERATORS)


def _is_before_alias(select: exp.Expr, item: exp.Expr, name: str) -> bool:
    """An item of SELECT sees the aliases of those before it, not its own or later ones."""
    if not isinstance(select, exp.Select) or item.arg_key != "expressions":
        return False
    for other in select.expressions:
        if other is item:
            return True
        if not isinstance(other, exp.Column) and name in map(fold_case, _aliases_of(other)):
            return False
    return False


def _aliases_of(item: exp.Expr) -> list[str]:
    several = item.expressions if isinstance(item, exp.Aliases) else []
    return [item.alias_or_name, *(name.name for name in several)]
