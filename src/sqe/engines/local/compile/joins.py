"""Joins: ON, USING and NATURAL, and what an outer join makes of nullability and pruning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from sqe.engines.local.compile.context import Context
from sqe.engines.local.compile.levels import forbid, has_subquery
from sqe.engines.local.compile.pruning import follow, prune
from sqe.engines.local.compile.scope import Scope, SourceColumn
from sqe.engines.local.plan import NotLocal
from sqe.engines.local.types import BOOLEAN, common_type

_SIDES = {"": "INNER JOIN", "LEFT": "LEFT JOIN", "RIGHT": "RIGHT JOIN", "FULL": "FULL JOIN"}


class Joins:
    def __init__(self, context: Context, relation: Callable[[Any, Scope], str]) -> None:
        self._context = context
        self._relation = relation

    def join(self, left: str, join: exp.Join, scope: Scope) -> str:
        if any(join.args.get(key) for key in ("global_", "match_condition", "hint")):
            raise NotLocal("this join is Spark's")
        kind, side, method = (
            str(join.args.get(key) or "").upper() for key in ("kind", "side", "method")
        )
        if isinstance(join.this, exp.Lateral):
            _check_lateral(join, kind, side, method)
        before = list(scope.visible)
        count = len(scope.sources)
        right = self._relation(join.this, scope)
        after = scope.visible[len(before) :]
        names = _join_names(join, method, before, after)
        if kind in ("SEMI", "ANTI"):
            if names is not None:
                raise NotLocal("a SEMI or ANTI join with USING is Spark's")
            condition = self._on(join, scope, kind, after)
            del scope.sources[count:]
            scope.visible = before
            return f"{left} {kind} JOIN {right} ON {condition}"
        word = _SIDES.get(side)
        if word is None or kind not in ("", "INNER", "OUTER", "CROSS"):
            raise NotLocal("this join is Spark's")
        on = join.args.get("on")
        if names:
            condition = self._merge(names, side, scope, before, after)
        elif on is None and not side and not join.args.get("using"):
            return f"{left} CROSS JOIN {right}"
        elif on is None or kind == "CROSS" or names is not None:
            raise NotLocal("this join is Spark's")
        else:
            condition = self._on(join, scope, side, after)
            _loosen(scope, before, after, side)
        return f"{left} {word} {right} ON {condition}"

    def _on(self, join: exp.Join, scope: Scope, kind: str, after: list[SourceColumn]) -> str:
        on = join.args.get("on")
        if on is None:
            raise NotLocal("this join is Spark's")
        forbid("ON", on)
        if has_subquery(on):
            raise NotLocal("a subquery in ON is Spark's")
        value = self._context.expressions(scope).value(on)
        if value.type != BOOLEAN:
            raise NotLocal("a join on other than a condition is Spark's")
        prune(on, scope, self._context, _keeps(kind, after))
        return value.sql

    def _merge(
        self,
        names: list[str],
        side: str,
        scope: Scope,
        before: list[SourceColumn],
        after: list[SourceColumn],
    ) -> str:
        """USING: the keys come first, once each; then the rest of the left and of the right."""
        keys = [(_only_column(name, before), _only_column(name, after)) for name in names]
        conditions = []
        for left, right in keys:
            a, b = left.value(), right.value()
            kind = common_type(a.type, b.type)
            if kind.is_float or kind.parts or (side == "FULL" and a.type != b.type):
                raise NotLocal("USING over such types is Spark's")
            conditions.append(f"({a.cast(kind)} = {b.cast(kind)})")
            follow(left, right, _keeps(side, after))
        _loosen(scope, before, after, side)
        merged = [_merge_columns(left, right, side) for left, right in keys]
        used = {id(column) for pair in keys for column in pair}
        rest = [column for column in [*before, *after] if id(column) not in used]
        scope.visible = [*merged, *rest]
        scope.merged.append(tuple(name.lower() for name in names))
        return " AND ".join(conditions)


def _check_lateral(join: exp.Join, kind: str, side: str, method: str) -> None:
    on = join.args.get("on")
    plain = kind in ("", "INNER", "CROSS", "OUTER") and side in ("", "LEFT") and not method
    if not plain or join.args.get("using") or not (on is None or on == exp.true()):
        raise NotLocal("this lateral join is Spark's")


def _keeps(kind: str, after: list[SourceColumn]) -> Callable[[SourceColumn], bool]:
    """Of which columns the condition of a join must hold for their rows to count."""
    added = {id(column) for column in after}
    return {
        "": lambda column: True,
        "SEMI": lambda column: True,
        "LEFT": lambda column: id(column) in added,
        "ANTI": lambda column: id(column) in added,
        "RIGHT": lambda column: id(column) not in added,
    }.get(kind, lambda column: False)


def _join_names(
    join: exp.Join, method: str, before: list[SourceColumn], after: list[SourceColumn]
) -> list[str] | None:
    """The names to join by; None if the join does not go by names."""
    if method not in ("", "NATURAL"):
        raise NotLocal("this join is Spark's")
    listed = join.args.get("using")
    if method == "NATURAL":
        if join.args.get("on") or listed:
            raise NotLocal("this join is Spark's")
        right = {column.name for column in after}
        names = [column.name for column in before if column.name in right]
        folded = {name.lower() for name in right}
        if sum(1 for column in before if column.name.lower() in folded) != len(names):
            raise NotLocal("a NATURAL join of names that differ by case is Spark's")
        return names or None
    if not listed:
        return None
    names = [identifier.name for identifier in listed]
    if len({name.lower() for name in names}) < len(names):
        raise NotLocal("USING with a name twice is Spark's")
    return names


def _only_column(name: str, columns: list[SourceColumn]) -> SourceColumn:
    matching = [column for column in columns if column.name.lower() == name.lower()]
    if len(matching) != 1:
        raise NotLocal(f"USING ({name}) is Spark's")
    return matching[0]


def _merge_columns(left: SourceColumn, right: SourceColumn, side: str) -> SourceColumn:
    """A column of its own: the sources keep theirs, for names that say which one is meant."""
    if side == "FULL":
        value = left.value()
        sql = f"coalesce({left.sql}, {right.sql})"
        return SourceColumn(left.name, sql, value.type, True)
    kept = right if side == "RIGHT" else left
    value = kept.value()
    both = (left, right) if not side else (kept,)
    origins = tuple(origin for column in both for origin in column.origins)
    prunes = tuple(origin for column in both for origin in column.prunes)
    return SourceColumn(
        kept.name, kept.sql, value.type, kept.nullable, origins, prunes, kept.optional
    )


def _loosen(scope: Scope, before: list[SourceColumn], after: list[SourceColumn], side: str) -> None:
    """Columns of an optional side may be NULL. Columns that only a qualified name reaches belong
    to the left: the right has just been added, and all of it is visible."""
    right = {id(column) for column in after}
    for column in scope.columns():
        if side in ("FULL", "LEFT" if id(column) in right else "RIGHT"):
            column.loosen()
