"""Which schemas and tables a query over ``information_schema`` can possibly want.

Only conditions that certainly hold for every row of the answer count, so that what is left out
cannot be missed. All of them reject NULL, which makes them safe below outer joins too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from sqlglot import exp

from sqe.catalog.information_schema import SCHEMA_COLUMNS, TABLE_COLUMNS
from sqe.catalog.listing import ListingFilter, NameFilter
from sqe.engines.local.metadata.proven import like_pieces

_Place = tuple[str, str]  # (alias in one SELECT, column)


def listing_filters(tree: exp.Expr) -> dict[str, ListingFilter]:
    """For each table of the tree, by its name. The tree is qualified: columns name their table."""
    filters: dict[str, ListingFilter] = {}
    for select in tree.find_all(exp.Select):
        filters.update(_filters_of_select(select))
    return filters


def _filters_of_select(select: exp.Select) -> Iterator[tuple[str, ListingFilter]]:
    joins = select.args.get("joins") or []
    start = select.args.get("from_")
    sources = [part.this for part in ([start] if start else []) + joins]
    tables = {source.alias_or_name: source.name for source in sources if _is_table(source)}
    found = _Conditions()
    where = select.args.get("where")
    for condition in _conjuncts(where.this if where else None):
        found.add(condition)
    for join in joins:
        _add_join(found, join)
    limits = found.limits()
    for alias, name in tables.items():
        yield (
            name,
            ListingFilter(
                _all_of(limits[(alias, column)] for column in sorted(SCHEMA_COLUMNS)),
                _all_of(limits[(alias, column)] for column in sorted(TABLE_COLUMNS)),
            ),
        )


def _is_table(source: exp.Expr) -> bool:
    return isinstance(source, exp.Table)


class _Conditions:
    """``edges`` lead from a column to one that must be equal to it for a row to matter."""

    def __init__(self) -> None:
        self._given: dict[_Place, NameFilter] = defaultdict(NameFilter)
        self._own: dict[_Place, NameFilter] = defaultdict(NameFilter)
        self._edges: dict[_Place, set[_Place]] = defaultdict(set)

    def add(self, condition: exp.Expr) -> None:
        """One that every row of the answer fulfils."""
        if isinstance(condition, exp.EQ):
            left, right = _place(condition.this), _place(condition.expression)
            if left and right:
                self.lead(left, right)
                self.lead(right, left)
                return
        known = _known(condition)
        if known:
            self._given[known[0]] = self._given[known[0]].both(known[1])

    def lead(self, source: _Place, target: _Place) -> None:
        self._edges[source].add(target)

    def keep_own(self, condition: exp.Expr, alias: str) -> None:
        """One that rows of this table must fulfil to be joined; it says nothing of others."""
        known = _known(condition)
        if known and known[0][0] == alias:
            self._own[known[0]] = self._own[known[0]].both(known[1])

    def limits(self) -> dict[_Place, NameFilter]:
        limits: dict[_Place, NameFilter] = defaultdict(NameFilter, self._own)
        for place, known in self._given.items():
            reached, waiting = {place}, [place]
            while waiting:
                new = self._edges[waiting.pop()] - reached
                reached |= new
                waiting.extend(new)
            for target in reached:
                limits[target] = limits[target].both(known)
        return limits


def _add_join(found: _Conditions, join: exp.Join) -> None:
    """The rows of the joined table matter only where they meet a row that the answer wants.

    In an inner join that holds in both directions. RIGHT and FULL joins keep unmatched rows of
    the joined table, so their conditions tell nothing.
    """
    if join.side not in ("", "LEFT"):
        return
    inner = join.side == "" and join.kind in ("", "INNER", "CROSS")
    alias = join.this.alias_or_name
    for condition in _conjuncts(join.args.get("on")):
        found.keep_own(condition, alias)
        if not isinstance(condition, exp.EQ):
            continue
        left, right = _place(condition.this), _place(condition.expression)
        if not left or not right:
            continue
        for source, target in ((left, right), (right, left)):
            if inner or target[0] == alias:
                found.lead(source, target)


def _conjuncts(condition: exp.Expr | None) -> Iterator[exp.Expr]:
    if isinstance(condition, exp.Paren):
        yield from _conjuncts(condition.this)
    elif isinstance(condition, exp.And):
        yield from _conjuncts(condition.this)
        yield from _conjuncts(condition.expression)
    elif condition is not None:
        yield condition


def _place(node: exp.Expr) -> _Place | None:
    return (node.table, node.name) if isinstance(node, exp.Column) and node.table else None


def _known(condition: exp.Expr) -> tuple[_Place, NameFilter] | None:
    """``column = 'x'``, ``column IN ('x', …)`` or ``column LIKE 'x%'``."""
    if isinstance(condition, exp.EQ):
        for one, other in (
            (condition.this, condition.expression),
            (condition.expression, condition.this),
        ):
            place = _place(one)
            if place and _is_text(other):
                return place, NameFilter(frozenset({other.name}))
        return None
    place = _place(condition.this) if isinstance(condition, exp.In | exp.Like) else None
    if place is None:
        return None
    if isinstance(condition, exp.In):
        if condition.args.get("query") or not all(map(_is_text, condition.expressions)):
            return None
        return place, NameFilter(frozenset(value.name for value in condition.expressions))
    if condition.args.get("negate") or not _is_text(condition.expression):
        return None
    return place, _like(condition.expression.name)


def _is_text(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and bool(node.is_string)


def _like(pattern: str) -> NameFilter:
    prefix = ""
    for char, wildcard in like_pieces(pattern):
        if wildcard:
            return NameFilter(prefixes=(prefix,)) if prefix else NameFilter()
        prefix += char
    return NameFilter(frozenset({prefix}))


def _all_of(filters: Iterator[NameFilter]) -> NameFilter:
    result = NameFilter()
    for one in filters:
        result = result.both(one)
    return result
