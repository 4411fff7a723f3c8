"""Makes whole queries: sources, filters, groups, windows, set operations, subqueries, orders."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.differential import conditions, groups, sources, subqueries, windows
from tests.differential.expressions import Expressions, InScope, Palette, Scope
from tests.differential.tree import Node, listing, node, nothing

ORDERED = ("tinyint", "smallint", "int", "bigint", "decimal", "string", "boolean", "date",
           "timestamp", "timestamp_ntz")  # fmt: skip
SET_OPERATIONS = ("union all", "union", "intersect", "except", "intersect all", "except all")


@dataclass(frozen=True)
class Made:
    """A query and what it gives. ``ordered``: its rows come in one order only."""

    tree: Node
    outputs: tuple[InScope, ...]
    ordered: bool = False


class Queries:
    """One query per instance: it numbers aliases and remembers what WITH has named."""

    def __init__(self, rng: Random, palette: Palette) -> None:
        self.rng = rng
        self.palette = palette
        self.make = Expressions(rng, palette)
        self.named: dict[str, Made] = {}
        self._alias = 0

    def alias(self, stem: str) -> str:
        self._alias += 1
        return f"{stem}{self._alias}"

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def can(self, *clauses: str) -> list[str]:
        """Those that may be drawn."""
        return [clause for clause in clauses if clause in self.palette.clauses]

    def may(self, share: float, clause: str) -> bool:
        return self.chance(share) and clause in self.palette.clauses

    def kind(self, scope: Scope) -> str:
        """Of what an expression is to be: mostly something the source has columns of."""
        usable = [kind for kind in scope.kinds() if kind in self.palette.kinds]
        if usable and self.chance(0.7):
            return self.rng.choice(usable)
        return self.rng.choice(sorted(self.palette.kinds & set(self.palette.scalars)))

    # -- clauses

    def where(self, scope: Scope, depth: int) -> Node:
        if not self.chance(0.5):
            return nothing("where")
        asked = subqueries.condition(self, scope) if depth > 0 and self.chance(0.3) else None
        if asked is None and self.chance(0.4):
            asked = conditions.pushed(self, scope)
        return node("where", " WHERE ", asked or self.make.of("boolean", scope, 2), optional=True)

    def finished(self, body: Node, outputs: list[InScope]) -> Made:
        """ORDER BY over all outputs, so that LIMIT leaves no choice; or over some; or none."""
        orderable = [index for index, out in enumerate(outputs) if out.kind in ORDERED]
        total = len(orderable) == len(outputs)
        if self.chance(0.5) or not orderable or not self.can("order by"):
            return Made(body, tuple(outputs))
        if not total:
            order = self.order(outputs, [self.rng.choice(orderable)])
            return Made(node("query", body, order), tuple(outputs))
        self.rng.shuffle(orderable)
        order = self.order(outputs, orderable)
        if not self.may(0.6, "limit"):
            return Made(node("query", body, order), tuple(outputs), ordered=True)
        offset = f" OFFSET {self.rng.randint(0, 3)}" if self.may(0.2, "offset") else ""
        text = f" LIMIT {self.rng.randint(0, 6)}{offset}"
        limit = node("limit", text, optional=True, uses="limit")
        return Made(node("query", body, order, limit), tuple(outputs), ordered=True)

    def order(self, outputs: list[InScope], positions: list[int]) -> Node:
        """By number or by name."""
        keys = []
        for position in positions:
            key = self.rng.choice([str(position + 1), outputs[position].text])
            direction = self.rng.choice(["", " ASC", " DESC"])
            nulls = self.rng.choice(["", "", " NULLS FIRST", " NULLS LAST"])
            keys.append(node("key", f"{key}{direction}{nulls if self.can('nulls') else ''}"))
        listed = Node("keys", tuple(keys), separator=", ")
        return node("order", " ORDER BY ", listed, uses="order_by")

    # -- bodies

    def select(self, depth: int, kinds: list[str] | None = None) -> Made:
        source, scope = sources.source(self, depth)
        wanted = kinds or [self.kind(scope) for _ in range(self.rng.randint(1, 4))]
        items, outputs, defined = [], [], list[Node]()
        for kind in wanted:
            made: Node | None = None
            if kinds is None and self.chance(0.15):
                made, definition = windows.window(self, scope)
                defined += [definition] if definition else []
            elif kinds is None and depth > 0 and self.chance(0.07):
                made = subqueries.scalar(self, scope)
            made = made or self.make.of(kind, scope, 2)
            name = self.alias("c")
            tame = made in [node(c.kind, c.text) for c in scope.columns if c.tame]
            items.append(node("item", made, f" AS {name}"))
            outputs.append(InScope(name, made.kind, tame))
        distinct = "DISTINCT " if self.may(0.15, "distinct") and comparable(outputs) else ""
        body = node(
            "query", f"SELECT {distinct}", listing("items", items), source,
            self.where(scope, depth) if source.parts else nothing("where"),
            node("window", " WINDOW " if defined else "", listing("windows", defined)),
            uses="distinct" if distinct else "",
        )  # fmt: skip
        return Made(body, tuple(outputs))

    def starred(self, depth: int) -> Made:
        """Every column as it comes; the rows' key, where there is one, gives them an order."""
        source, scope = sources.source(self, depth)
        if not source.parts or not self.can("star"):
            return self.select(depth)
        body = node("query", "SELECT *", source, self.where(scope, depth), uses="star")
        if not scope.keys or not self.may(0.5, "order by"):
            return Made(body, ())
        order = node("order", f" ORDER BY {', '.join(scope.keys)}", uses="order_by")
        return Made(node("query", body, order), (), ordered=True)

    def grouped(self, depth: int) -> Made:
        return groups.grouped(self, depth)

    def set_operation(self, depth: int) -> Made:
        left = self.select(depth)
        signs = self.can(*SET_OPERATIONS)
        if not comparable(list(left.outputs)):
            signs = [sign for sign in signs if sign == "union all"]
        body = left.tree
        for _ in range(self.rng.choice([1, 1, 1, 2]) if signs else 0):
            sign = self.rng.choice(signs)
            right = self.select(depth - 1, [out.kind for out in left.outputs]).tree
            if self.chance(0.2):
                right = node("query", "(", right, ")")
            uses = sign.replace(" ", "_")
            body = node("query", body, f" {sign.upper()} ", right, uses=uses)
        return Made(body, tuple(InScope(o.text, o.kind) for o in left.outputs))

    def with_clause(self, depth: int) -> Made:
        """Names that the query then reads like tables, once or twice."""
        if not self.can("with"):
            return self.select(depth)
        texts: list[str | Node] = []
        for number in range(self.rng.choice([1, 1, 2])):
            name = self.alias("w")
            inner = self.grouped(depth - 1) if self.chance(0.5) else self.select(depth - 1)
            columns = ""
            if self.may(0.2, "with columns"):
                fresh = tuple(InScope(self.alias("n"), o.kind, o.tame) for o in inner.outputs)
                columns = f"({', '.join(out.text for out in fresh)})"
                inner = Made(inner.tree, fresh)
            texts += [f"{', ' if number else 'WITH '}{name}{columns} AS (", inner.tree, ")"]
            self.named[name] = inner
        made = self.grouped(depth - 1) if self.chance(0.3) else self.select(depth - 1)
        return Made(node("query", *texts, " ", made.tree, uses="with"), made.outputs)

    def query(self) -> Made:
        form = self.rng.choices(
            [self.select, self.grouped, self.set_operation, self.with_clause, self.starred],
            [4, 4, 2, 2, 1],
        )[0]
        made = form(2)
        return made if not made.outputs else self.finished(made.tree, list(made.outputs))


def renamed(made: Made, alias: str) -> Scope:
    return Scope(tuple(InScope(f"{alias}.{o.text}", o.kind, o.tame) for o in made.outputs))


def comparable(outputs: list[InScope]) -> bool:
    """Maps cannot be compared, so neither made distinct."""
    return not any(out.kind.startswith("map") for out in outputs)
