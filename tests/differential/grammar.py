"""Cases from a seed: the same seed and palette always give the same queries."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.differential.data import BASIC
from tests.differential.expressions import Expressions, Palette
from tests.differential.queries import Queries
from tests.differential.sources import scope_of
from tests.differential.tree import Node, listing, node

# How many cases are plain expressions, expressions that may fail, and whole queries.
EXPRESSION, RISKY, QUERY, GROUP = "expression", "risky", "query", "group"
SHARES = {EXPRESSION: 12, RISKY: 1, QUERY: 5, GROUP: 2}
# Tables of which single expressions are asked: each kind of trouble has its own.
ASKED = tuple(table for table in BASIC if table.name not in ("dup", "dim", "one"))


@dataclass(frozen=True)
class Case:
    """``ordered``: the rows come in one order only. ``item``: can share a SELECT with others of
    the same ``bundle``, which is the text behind the select list."""

    name: str
    form: str
    tree: Node
    ordered: bool = False
    item: Node | None = None
    bundle: str = ""

    @property
    def sql(self) -> str:
        return str(self.tree)


def case(seed: int, number: int, palette: Palette) -> Case:
    rng = Random(f"{seed}/{number}")
    form = rng.choices(list(SHARES), list(SHARES.values()))[0]
    name = f"{seed}/{number}"
    if form == QUERY:
        made = Queries(rng, palette).query()
        floats = any(out.kind in ("float", "double") for out in made.outputs)
        return Case(name, form, made.tree, made.ordered and not floats)
    return _item_case(rng, palette, name, form)


def _item_case(rng: Random, palette: Palette, name: str, form: str) -> Case:
    """One expression over one table, by itself; most are run many to a SELECT."""
    queries = Queries(rng, palette)
    spec = rng.choice(ASKED)
    scope = scope_of(spec, "", palette.kinds)
    behind = f" FROM {spec.name}"
    if form == GROUP:
        # Of few keys, so that enough cases can share a query.
        plain = [column.text for column in scope.columns if "<" not in column.kind]
        key = rng.choice(plain[1:4] or plain)
        behind += rng.choice(["", f" GROUP BY {key}", f" GROUP BY {key}"])
        made = queries.make.aggregate(scope, 1)
    else:
        expressions = Expressions(rng, palette, risky=form == RISKY)
        made = expressions.of(queries.kind(scope), scope, rng.choice([1, 1, 2, 2, 3]))
    alias = " AS x" if rng.random() < 0.5 else ""
    item = node("item", made, alias)
    tree = node("query", "SELECT ", listing("items", [item]), behind)
    bundle = behind if form != RISKY else ""
    return Case(name, form, tree, item=item if bundle else None, bundle=bundle)
