"""Queries inside conditions and select lists, with and without a word of the outer query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.differential import sources
from tests.differential.expressions import Scope
from tests.differential.tree import Node, node, nothing

if TYPE_CHECKING:
    from tests.differential.queries import Queries


def condition(make: Queries, scope: Scope) -> Node | None:
    """Nothing where the two queries have no column of the same kind, or none may be drawn."""
    forms = make.can("exists", "not exists", "in subquery", "not in subquery", "scalar subquery")
    inner, other = sources.table(make)
    kinds = [kind for kind in sources.JOINED if scope.of(kind) and other.of(kind)]
    if not forms or not kinds:
        return None
    kind = make.rng.choice(kinds)
    mine, theirs = (make.rng.choice(side.of(kind)).text for side in (scope, other))
    form = make.rng.choice(forms)
    if form.endswith("exists"):
        more = node("more", " AND ", make.make.of("boolean", other, 1), optional=True)
        return node(
            "boolean", f"{form.upper()} (SELECT 1 FROM ", inner, f" WHERE {theirs} = {mine}",
            more if make.chance(0.6) else nothing("more"), ")", uses=form.replace(" ", "_"),
        )  # fmt: skip
    filtered = make.where(other, 0)
    if form == "scalar subquery":
        return node(
            "boolean", node(kind, mine), f" >= (SELECT max({theirs}) FROM ", inner, filtered, ")",
            uses="scalar_subquery",
        )  # fmt: skip
    if form == "in subquery" and make.may(0.3, "correlated in"):
        filtered = _tied(make, scope, other) or filtered
    word = "IN" if form == "in subquery" else "NOT IN"
    return node(
        "boolean", node(kind, mine), f" {word} (SELECT {theirs} FROM ", inner, filtered, ")",
        uses=form.replace(" ", "_"),
    )  # fmt: skip


def scalar(make: Queries, scope: Scope) -> Node | None:
    """One value: an aggregate of another table, of all its rows or of those that belong here."""
    forms = make.can("scalar subquery", "correlated scalar")
    inner, other = sources.table(make)
    kinds = [kind for kind in sources.JOINED if other.of(kind)]
    if not forms or not kinds:
        return None
    kind = make.rng.choice(kinds)
    tied = _tied(make, scope, other) if make.rng.choice(forms) == "correlated scalar" else None
    if tied is None and "scalar subquery" not in forms:
        return None
    name = make.rng.choice(["max", "min", "count"])
    text = f"(SELECT {name}({make.rng.choice(other.of(kind)).text}) FROM "
    return node(
        "bigint" if name == "count" else kind, text, inner, tied or make.where(other, 0), ")",
        uses="correlated_scalar" if tied else "scalar_subquery",
    )  # fmt: skip


def _tied(make: Queries, scope: Scope, other: Scope) -> Node | None:
    kinds = [kind for kind in sources.JOINED if scope.of(kind) and other.of(kind)]
    if not kinds:
        return None
    kind = make.rng.choice(kinds)
    mine, theirs = (make.rng.choice(side.of(kind)).text for side in (scope, other))
    return node("tie", f" WHERE {theirs} = {mine}")
