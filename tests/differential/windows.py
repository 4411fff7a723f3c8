"""Window functions: ranks, neighbours, and aggregates over frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.differential.expressions import Scope
from tests.differential.tree import Node, node

if TYPE_CHECKING:
    from tests.differential.queries import Queries

ROWS = (
    " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
    " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    " ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    " ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING",
    " ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING",
    " ROWS 2 PRECEDING",
)
RANGES = (
    " RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    " RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    " RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
    " RANGE BETWEEN CURRENT ROW AND CURRENT ROW",
)
# Distances need one key, and a number.
DISTANCES = (
    " RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING",
    " RANGE BETWEEN 1 PRECEDING AND CURRENT ROW",
    " RANGE BETWEEN 1 FOLLOWING AND 3 FOLLOWING",
)
_SORTED = ("int", "bigint", "decimal", "string", "date", "timestamp", "boolean")


def window(make: Queries, scope: Scope) -> tuple[Node | None, Node | None]:
    """The call, and its window if that has a name. Nothing if none may be drawn."""
    palette = make.palette
    texts = [column.text for column in scope.columns if column.kind in _SORTED]
    if not texts or not make.can("over"):
        return None, None
    partition = f"PARTITION BY {make.rng.choice(texts)} " if make.chance(0.6) else ""
    direction = make.rng.choice(["", " DESC", " NULLS LAST", " DESC NULLS FIRST"])
    order = f"ORDER BY {make.rng.choice(texts)}{direction}"
    total = ", ".join([order, *scope.keys])
    choice = make.rng.choice(["ranking", "positional", "rows", "range", "whole"])
    if choice == "positional" and scope.keys and palette.positional:
        entry, order = make.make.pick(palette.positional), total
    elif choice == "ranking" and palette.ranking:
        entry = make.make.pick(palette.ranking)
    elif not palette.windowed:
        return None, None
    else:
        entry = make.make.pick(palette.windowed)
        order = _framed(make, scope, choice, order, total)
    called = make.make.aggregate(scope, 0, entry)
    if make.may(0.15, "named window"):
        name = make.alias("w")
        definition = node("definition", f"{name} AS ({partition}{order})", uses="named_window")
        return node(entry.result, called, f" OVER {name}", uses="over"), definition
    return node(entry.result, called, f" OVER ({partition}{order})", uses="over"), None


def _framed(make: Queries, scope: Scope, choice: str, order: str, total: str) -> str:
    if choice == "rows" and scope.keys and make.can("rows frame"):
        return total + make.rng.choice(ROWS)
    numbers = [column.text for column in scope.of("int")]
    if choice == "range" and make.can("range frame"):
        if numbers and make.chance(0.5):
            key = make.rng.choice(numbers)
            return f"ORDER BY {key}{make.rng.choice(['', ' DESC'])}{make.rng.choice(DISTANCES)}"
        return order + make.rng.choice(RANGES)
    return make.rng.choice(["", order])
