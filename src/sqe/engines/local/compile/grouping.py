"""GROUP BY: what the keys are, and whether all that is selected is made of keys and aggregates."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from sqlglot import exp

from sqe.engines.local.compile.expressions import Expressions
from sqe.engines.local.compile.levels import (
    children,
    has_aggregate,
    has_subquery,
    has_window,
    is_aggregate,
    own_columns,
)
from sqe.engines.local.compile.ordering import by_position
from sqe.engines.local.compile.scope import Scope, SourceColumn
from sqe.engines.local.compile.value import Value, key_of
from sqe.engines.local.plan import NotLocal

_SETS = {exp.Rollup: "ROLLUP", exp.Cube: "CUBE", exp.GroupingSets: "GROUPING SETS"}
_DATE_PARTS = {exp.Year, exp.Quarter, exp.Month, exp.Day}  # surely different from each other


@dataclass
class _Key:
    signature: str
    value: Value
    everywhere: bool  # in every grouping set: then it is as nullable as it was
    leaves: tuple[str, ...] = ()  # the columns it is computed of
    kind: Any = None  # its outermost node's


@dataclass(frozen=True)
class Item:
    """What is selected; ``node`` is None for a column that * stands for."""

    node: Any
    value: Value


@dataclass
class Grouping:
    """The keys of a grouped SELECT; none for aggregates over everything."""

    scope: Scope
    keys: list[_Key] = field(default_factory=list)
    sql: str = ""
    sets: bool = False
    only_constants: bool = False  # one group, and none without rows

    def check_items(self, items: list[Item]) -> None:
        known = {key.value.sql for key in self.keys}
        for item in items:
            if item.node is not None:
                self.check(item.node, top=True)
            elif item.value.sql not in known:
                raise NotLocal(f"{item.value.name} is neither grouped by nor aggregated")

    def check(self, node: Any, aliases: Collection[str] = (), *, top: bool = False) -> None:
        """NotLocal unless the expression is made of keys, aggregates and constants.

        ``aliases`` are names of items that have been checked. ``top``: the node is a whole item.
        """
        if is_aggregate(node):
            self._check_aggregate(node)
            return
        if isinstance(node, exp.Query) or _is_alias(node, aliases):
            return
        key = self._key(node)
        if key is not None:
            if key.value.type.is_float and not top:
                raise NotLocal("computing with a double that is grouped by is Spark's")
            return
        if isinstance(node, exp.Column | exp.Star):
            raise NotLocal(f"{node.name or '*'} is neither grouped by nor aggregated")
        for child in children(node):
            if isinstance(node, exp.Window) and child is node.this:
                self._check_arguments(child, aliases)
            else:
                self.check(child, aliases)

    def _check_arguments(self, function: Any, aliases: Collection[str]) -> None:
        """Of a window function: aggregates may be among them, other windows may not."""
        arguments = list(children(function))
        if has_window(*arguments):
            raise NotLocal("a window function of a window function")
        for argument in arguments:
            self.check(argument, aliases)

    def _check_aggregate(self, node: Any) -> None:
        if isinstance(node, exp.Grouping) and not self.sets:
            raise NotLocal("grouping() without grouping sets is Spark's")
        inside = list(children(node))
        if isinstance(node, exp.Filter):
            inside = [*children(node.this), node.expression]
        if has_aggregate(*inside) or has_window(*inside):
            raise NotLocal("an aggregate of an aggregate or of a window function")

    def _key(self, node: Any) -> _Key | None:
        if isinstance(node, exp.Literal | exp.Boolean | exp.Null):
            return None
        wanted = signature(node, self.scope)
        return next((key for key in self.keys if key.signature == wanted), None)

    def settle_items(self, items: list[Item]) -> list[Value]:
        """The items as they are behind GROUP BY: what a grouping set leaves out is NULL."""
        absent = [key for key in self.keys if not key.everywhere and not key.value.column]
        doubles = {key.value.sql for key in self.keys if key.value.type.is_float}
        made = []
        for item in items:
            value = item.value
            if value.sql in doubles:
                value = replace(value, sql=key_of(value), column=False)
            if any(key.value.sql in value.sql for key in absent):
                value = replace(value, nullable=True)
            made.append(value)
        return made

    def passes(self, value: Value) -> bool:
        """Whether a condition on the item may be put to the rows before they are grouped."""
        return not self.sets and any(key.value.sql == value.sql for key in self.keys)


def compile_grouping(
    group: exp.Group | None, expressions: Expressions, items: list[Item]
) -> Grouping:
    return _Builder(group, expressions, items).build()


class _Builder:
    def __init__(
        self, group: exp.Group | None, expressions: Expressions, items: list[Item]
    ) -> None:
        self._group = group
        self._expressions = expressions
        self._items = items
        self._values = [item.value for item in items]
        self._grouping = Grouping(expressions.scope)

    def build(self) -> Grouping:
        if self._group is None:
            return self._grouping
        whole = self._group.args.get("all")
        parts = self._list_items(self._group) if whole else self._list_parts(self._group)
        if self._grouping.sets:
            self._check_computed()
        keys = [part for part in parts if part]
        if keys:
            self._grouping.sql = f" GROUP BY {', '.join(keys)}"
        elif parts:
            self._grouping.only_constants = True
        return self._grouping

    def _check_computed(self) -> None:
        """To Spark a + b and b + a are one key; what is alike otherwise is not known here."""
        computed = {key.value.sql: key for key in self._grouping.keys if not key.value.column}
        seen: dict[tuple[str, ...], set[Any]] = {}
        for key in computed.values():
            kinds = seen.setdefault(key.leaves, set())
            if kinds and not (key.kind in _DATE_PARTS and kinds <= _DATE_PARTS - {key.kind}):
                raise NotLocal("grouping sets by several values of the same columns are Spark's")
            kinds.add(key.kind)

    def _list_items(self, group: exp.Group) -> list[str]:
        """GROUP BY ALL: by every item without an aggregate in it."""
        rest = [name for name, value in group.args.items() if value and name != "all"]
        named = any(item.value.name.lower() == "all" for item in self._items)
        stored = any(self._expressions.scope.matches("all", ()))
        if rest or named or stored:
            raise NotLocal("GROUP BY all, where a column has that name, is Spark's")
        return [
            self._key(item.node, item.value, everywhere=True)
            for item in self._items
            if item.node is None or not has_aggregate(item.node)
        ]

    def _list_parts(self, group: exp.Group) -> list[str]:
        if not group.expressions:
            raise NotLocal("this form of GROUP BY is Spark's")
        texts, met = [], [len(self._grouping.keys)]
        for kind, part in group_parts(group):
            simple = kind is None
            texts.append(self._simple(part, everywhere=True) if simple else self._sets(kind, part))
            met.append(len(self._grouping.keys))
        if sum(kind is not None for kind, _ in group_parts(group)) > 1:
            self._check_apart(list(pairwise(met)))
        return texts

    def _check_apart(self, places: list[tuple[int, int]]) -> None:
        """Of several grouping sets: a key that stands in two of them is there with one of them, and
        absent with another."""
        keys = [{key.value.sql for key in self._grouping.keys[a:b]} for a, b in places]
        if sum(map(len, keys)) > len(set().union(*keys)):
            raise NotLocal("several grouping sets by the same key are Spark's")

    def _sets(self, kind: Any, members: list[Any]) -> str:
        self._grouping.sets = True
        if kind is exp.GroupingSets and not any(map(_row, members)):
            # DuckDB takes count(*) from what the files say, and forgets the second set.
            raise NotLocal("grouping sets without a key are Spark's")
        everywhere = _everywhere(kind, members)
        texts = []
        for member in members:
            row = _row(member)
            keys = [self._simple(key, everywhere=key.sql() in everywhere) for key in row]
            if not all(keys):
                raise NotLocal("grouping sets with constants are Spark's")
            single = len(keys) == 1 and not isinstance(member, exp.Tuple)
            texts.append(keys[0] if single else f"({', '.join(keys)})")
        return f"{_SETS[kind]} ({', '.join(texts)})"

    def _simple(self, node: Any, *, everywhere: bool) -> str:
        if type(node) in _SETS or isinstance(node, exp.Tuple):
            raise NotLocal("rows and grouping sets inside grouping sets are Spark's")
        value = by_position(node, self._values)
        if value is not None:
            if any(item.node is None for item in self._items):
                raise NotLocal("* in the list where GROUP BY has a position")
            node = self._items[int(node.this) - 1].node
        else:
            node, value = self._resolve_name(node)
        return self._key(node, value, everywhere=everywhere)

    def _resolve_name(self, node: Any) -> tuple[Any, Value]:
        """A column of FROM comes first, an alias of the select list second."""
        if isinstance(node, exp.Column) and node.args.get("table") is None:
            name = node.name.lower()
            matching = [
                i for i in self._items if i.node is not None and i.value.name.lower() == name
            ]
            if matching and not list(self._expressions.scope.matches(name, ())):
                if len(matching) > 1:
                    raise NotLocal(f"{node.name} may mean two things here")
                return matching[0].node, matching[0].value
        return node, self._expressions.value(node)

    def _key(self, node: Any, value: Value, *, everywhere: bool) -> str:
        """The key's SQL; nothing for a constant, which makes no difference beside other keys."""
        if node is not None:
            if has_aggregate(node) or has_window(node) or has_subquery(node):
                raise NotLocal("grouping by aggregates, windows or subqueries is Spark's")
            if not any(own_columns(node)):
                return ""
        shown = value.sql if node is None else signature(node, self._expressions.scope)
        names = {column.name.lower() for column, _ in own_columns(node)} if node else set()
        leaves = tuple(sorted(names))
        self._grouping.keys.append(_Key(shown, value, everywhere, leaves, type(node)))
        return key_of(value)


def group_parts(group: exp.Group) -> list[tuple[Any, Any]]:
    """(None, key), or the kind of grouping sets and their members."""
    if group.args.get("totals") or group.args.get("grouping_sets"):
        raise NotLocal("this form of GROUP BY is Spark's")
    whole = [kind for word in ("rollup", "cube") for kind in group.args.get(word) or ()]
    if whole:  # GROUP BY a, b WITH ROLLUP
        if len(whole) > 1 or whole[0].expressions:
            raise NotLocal("this form of GROUP BY is Spark's")
        return [(type(whole[0]), group.expressions)]
    parts = [
        (type(part), part.expressions) if type(part) in _SETS else (None, part)
        for part in group.expressions
    ]
    return parts


def loosen_absent(node: exp.Select, scope: Scope) -> None:
    """Columns that a grouping set leaves out are NULL in its rows."""
    group = node.args.get("group")
    if group is None or group.args.get("all"):
        return
    aliases = {i.alias.lower(): i.this for i in node.expressions if isinstance(i, exp.Alias)}
    for kind, members in group_parts(group):
        if kind is None:
            continue
        everywhere = _everywhere(kind, members)
        for key in (key for member in members for key in _row(member)):
            if key.sql() in everywhere:
                continue
            if isinstance(key, exp.Literal) and str(key.this).isdigit():
                items = node.expressions[int(key.this) - 1 : int(key.this)]
                key = items[0].unalias() if items else key
            elif isinstance(key, exp.Column) and not list(scope.matches(key.name, ())):
                key = aliases.get(key.name.lower(), key)
            for column in _columns_meant(key, scope):
                column.nullable = True


def _columns_meant(node: Any, scope: Scope) -> list[SourceColumn]:
    if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
        return []
    parts = [node.args.get(key) for key in ("catalog", "db", "table")]
    return list(scope.matches(node.name, tuple(part.name for part in parts if part is not None)))


def _everywhere(kind: Any, members: list[Any]) -> set[str]:
    """The keys that are in every set."""
    return _common([_row(member) for member in members]) if kind is exp.GroupingSets else set()


def _row(member: Any) -> list[Any]:
    if isinstance(member, exp.Tuple):
        return list(member.expressions)
    return [member.this] if isinstance(member, exp.Paren) else [member]


def _common(rows: list[list[Any]]) -> set[str]:
    names = [{key.sql() for key in row} for row in rows]
    return set.intersection(*names) if names else set()


def _is_alias(node: Any, aliases: Collection[str]) -> bool:
    if not isinstance(node, exp.Column) or node.args.get("table") is not None:
        return False
    return node.name.lower() in aliases


def signature(node: Any, scope: Scope) -> str:
    """Equal for expressions that mean the same: a column by what it is, not by how it is named."""
    if isinstance(node, exp.Paren):
        return signature(node.this, scope)
    if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
        columns = _columns_meant(node, scope)
        return columns[0].sql if len(columns) == 1 else f"?{node.sql()}"
    if isinstance(node, exp.Literal):
        return repr(node.this) if node.is_string else str(node.this)
    inside = []
    for name, value in sorted(node.args.items()):
        for child in value if isinstance(value, list) else (value,):
            if child is None or child is False:
                continue
            shown = signature(child, scope) if isinstance(child, exp.Expr) else repr(child)
            inside.append(f"{name}={shown}")
    return f"{type(node).__name__}({', '.join(inside)})"
