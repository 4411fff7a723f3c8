"""GROUP BY in all its forms, with what may stand beside the keys, and HAVING."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.differential import sources
from tests.differential.catalogue import FLOATING
from tests.differential.expressions import InScope, Scope
from tests.differential.tree import Node, listing, node, nothing

if TYPE_CHECKING:
    from tests.differential.queries import Made, Queries

_KEYS = ("int", "bigint", "decimal", "string", "boolean", "date", "timestamp", *FLOATING)
SETS = ("rollup", "cube", "grouping sets")


def grouped(make: Queries, depth: int) -> Made:
    from tests.differential.queries import Made

    source, scope = sources.source(make, depth)
    keys = _keys(make, scope)
    totals = [make.make.aggregate(scope, 1) for _ in range(make.rng.randint(1, 3))]
    names = [make.alias("c") for _ in (*keys, *totals)]
    form = make.rng.choice(_forms(make, keys)) if keys else ""
    extra = _told_apart(make, keys) if form in SETS else []
    made = [*keys, *totals, *extra]
    names += [make.alias("c") for _ in extra]
    items = [node("item", one, f" AS {name}") for one, name in zip(made, names, strict=True)]
    body = node(
        "query", "SELECT ", listing("items", items), source,
        make.where(scope, depth) if source.parts else nothing("where"),
        _group_by(form, keys, names), _having(make, scope),
    )  # fmt: skip
    outputs = (InScope(name, one.kind) for one, name in zip(made, names, strict=True))
    return Made(body, tuple(outputs))


def _keys(make: Queries, scope: Scope) -> list[Node]:
    usable = [column for column in scope.columns if column.kind in _KEYS]
    keys = [node(c.kind, c.text) for c in make.rng.sample(usable, min(len(usable), 2))]
    if make.chance(0.3):
        keys = keys[:1]
    if keys and make.may(0.2, "group by expression"):
        keys[0] = make.make.of(keys[0].kind, scope, 1)
    return [] if make.chance(0.15) else keys


def _forms(make: Queries, keys: list[Node]) -> list[str]:
    plain = all(isinstance(key.parts[0], str) and len(key.parts) == 1 for key in keys)
    others = make.can("group by position", "group by alias", "group by all", *SETS)
    return ["group by"] * 5 + [form for form in others if plain or form not in SETS]


def _group_by(form: str, keys: list[Node], names: list[str]) -> Node:
    if not keys:
        return nothing("group")
    listed = ", ".join(map(str, keys))
    text = {
        "group by": listed,
        "group by position": ", ".join(str(index + 1) for index in range(len(keys))),
        "group by alias": ", ".join(names[: len(keys)]),
        "group by all": "ALL",
        "rollup": f"ROLLUP ({listed})",
        "cube": f"CUBE ({listed})",
        "grouping sets": f"GROUPING SETS (({listed}), ({keys[0]}), ())",
    }[form]
    return node("group", f" GROUP BY {text}", uses=form.replace(" ", "_"))


def _told_apart(make: Queries, keys: list[Node]) -> list[Node]:
    """What says which of the grouping sets a row belongs to."""
    made = []
    if make.may(0.5, "grouping"):
        made.append(node("tinyint", f"grouping({keys[0]})", uses="grouping"))
    if make.may(0.3, "grouping_id"):
        made.append(node("bigint", "grouping_id()", uses="grouping_id"))
    return made


def _having(make: Queries, scope: Scope) -> Node:
    if not make.may(0.25, "having"):
        return nothing("having")
    counted = node("bigint", "count(*)", uses="count")
    if make.chance(0.5):
        return node("having", " HAVING ", counted, " >= 2", optional=True, uses="having")
    total = make.make.aggregate(scope, 1)
    words = make.rng.choice(["IS NOT NULL", "IS NULL"])
    return node("having", " HAVING ", total, f" {words}", optional=True, uses="having")
