"""Makes whole queries: sources, filters, groups, windows, set operations, subqueries, orders."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.differential.catalogue import FLOATING
from tests.differential.data import BASIC, TableSpec
from tests.differential.evolved import EVOLVED
from tests.differential.expressions import Expressions, InScope, Palette, Scope, kind_of
from tests.differential.tree import Node, listing, node, nothing

TABLES: tuple[TableSpec, ...] = (*BASIC, *EVOLVED)
# Kinds that two columns of different tables are joined on.
JOINED = ("int", "bigint", "string", "date", "decimal")
ORDERED = ("tinyint", "smallint", "int", "bigint", "decimal", "string", "boolean", "date",
           "timestamp", "timestamp_ntz")  # fmt: skip


@dataclass(frozen=True)
class Made:
    """A query and what it gives. ``ordered``: its rows come in one order only."""

    tree: Node
    outputs: tuple[InScope, ...]
    ordered: bool = False


class Queries:
    """One query per instance: it numbers aliases."""

    def __init__(self, rng: Random, palette: Palette) -> None:
        self.rng = rng
        self.palette = palette
        self.make = Expressions(rng, palette)
        self._alias = 0

    def alias(self, stem: str) -> str:
        self._alias += 1
        return f"{stem}{self._alias}"

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def kind(self, scope: Scope) -> str:
        """Of what an expression is to be: mostly something the source has columns of."""
        usable = [kind for kind in scope.kinds() if kind in self.palette.kinds]
        if usable and self.chance(0.7):
            return self.rng.choice(usable)
        return self.rng.choice(sorted(self.palette.kinds & set(self.palette.scalars)))

    # -- sources

    def table(self) -> tuple[Node, Scope]:
        weights = [4 if table.name in ("tame", "dim", "dup") else 1 for table in TABLES]
        spec = self.rng.choices(TABLES, weights)[0]
        return self.relation(spec)

    def relation(self, spec: TableSpec) -> tuple[Node, Scope]:
        alias = self.alias("t")
        scope = scope_of(spec, f"{alias}.", self.palette.kinds)
        return node("source", f"{spec.name} AS {alias}"), scope

    def derived(self, depth: int) -> tuple[Node, Scope]:
        alias = self.alias("q")
        made = self.select(depth - 1) if self.chance(0.6) else self.grouped(depth - 1)
        return node("source", "(", made.tree, f") AS {alias}"), renamed(made, alias)

    def source(self, depth: int) -> tuple[Node, Scope]:
        left, scope = self.derived(depth) if depth > 0 and self.chance(0.2) else self.table()
        while depth > 0 and self.chance(0.35):
            left, scope = self.join(left, scope, depth)
            depth -= 1
        return left, scope

    def join(self, left: Node, scope: Scope, depth: int) -> tuple[Node, Scope]:
        right, other = self.derived(depth) if self.chance(0.15) else self.table()
        form = self.rng.choice(
            ["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL OUTER JOIN", "LEFT SEMI JOIN",
             "LEFT ANTI JOIN", "CROSS JOIN"]
        )  # fmt: skip
        both = Scope((*scope.columns, *other.columns), together(scope, other))
        condition = nothing("on") if form == "CROSS JOIN" else self.on(scope, other, both)
        kept = scope if form in ("LEFT SEMI JOIN", "LEFT ANTI JOIN") else both
        return node("source", left, f" {form} ", right, condition), kept

    def on(self, left: Scope, right: Scope, both: Scope) -> Node:
        common = [kind for kind in JOINED if left.of(kind) and right.of(kind)]
        if not common:
            return node("on", " ON ", self.make.of("boolean", both, 1))
        kind = self.rng.choice(common)
        sign = "<=>" if self.chance(0.1) and "<=>" in self.known() else "="
        equal = node(
            "boolean",
            node(kind, self.rng.choice(left.of(kind)).text),
            f" {sign} ",
            node(kind, self.rng.choice(right.of(kind)).text),
        )
        more = self.chance(0.25)
        extra = node("more", " AND ", self.make.of("boolean", both, 1), optional=True)
        return node("on", " ON ", equal, extra if more else nothing("more"))

    def known(self) -> set[str]:
        return {entry.name for entries in self.palette.scalars.values() for entry in entries}

    # -- clauses

    def where(self, scope: Scope, depth: int) -> Node:
        if not self.chance(0.5):
            return nothing("where")
        if depth > 0 and self.chance(0.3):
            condition = self.subquery(scope, depth)
        else:
            condition = self.make.of("boolean", scope, 2)
        return node("where", " WHERE ", condition, optional=True)

    def subquery(self, scope: Scope, depth: int) -> Node:
        inner, other = self.table()
        kinds = [kind for kind in JOINED if scope.of(kind) and other.of(kind)]
        if not kinds:
            return self.make.of("boolean", scope, 2)
        kind = self.rng.choice(kinds)
        mine, theirs = (self.rng.choice(side.of(kind)).text for side in (scope, other))
        form = self.rng.choice(["exists", "not exists", "in", "not in", "scalar"])
        if form.endswith("exists"):
            more = node("more", " AND ", self.make.of("boolean", other, 1), optional=True)
            return node(
                "boolean", f"{form.upper()} (SELECT 1 FROM ", inner,
                f" WHERE {theirs} = {mine}", more, ")", uses="exists",
            )  # fmt: skip
        condition = self.where(other, 0)
        if form == "scalar":
            name = "max" if kind != "boolean" else "count"
            return node(
                "boolean", node(kind, mine), f" >= (SELECT {name}({theirs}) FROM ", inner,
                condition, ")", uses="scalar_subquery",
            )  # fmt: skip
        return node(
            "boolean", node(kind, mine), f" {form.upper()} (SELECT {theirs} FROM ", inner,
            condition, ")", uses="in_subquery",
        )  # fmt: skip

    def finished(self, body: Node, outputs: list[InScope]) -> Made:
        """ORDER BY over all outputs, so that LIMIT leaves no choice; or over some; or none."""
        orderable = [index for index, out in enumerate(outputs) if out.kind in ORDERED]
        total = len(orderable) == len(outputs)
        if self.chance(0.5) or not orderable:
            return Made(body, tuple(outputs))
        if not total:
            order = self.order([self.rng.choice(orderable)])
            return Made(node("query", body, order), tuple(outputs))
        self.rng.shuffle(orderable)
        order = self.order(orderable)
        if not self.chance(0.6):
            return Made(node("query", body, order), tuple(outputs), ordered=True)
        offset = f" OFFSET {self.rng.randint(0, 3)}" if self.chance(0.2) else ""
        limit = node("limit", f" LIMIT {self.rng.randint(0, 6)}{offset}", optional=True)
        return Made(node("query", body, order, limit), tuple(outputs), ordered=True)

    def order(self, positions: list[int]) -> Node:
        keys = []
        for position in positions:
            direction = self.rng.choice(["", " ASC", " DESC"])
            nulls = self.rng.choice(["", "", " NULLS FIRST", " NULLS LAST"])
            keys.append(node("key", f"{position + 1}{direction}{nulls}"))
        return node("order", " ORDER BY ", Node("keys", tuple(keys), separator=", "))

    # -- bodies

    def select(self, depth: int, kinds: list[str] | None = None) -> Made:
        source, scope = self.source(depth)
        wanted = kinds or [self.kind(scope) for _ in range(self.rng.randint(1, 4))]
        items, outputs = [], []
        for kind in wanted:
            windows = kinds is None and self.chance(0.15)
            made = self.window(scope) if windows else self.make.of(kind, scope, 2)
            name = self.alias("c")
            tame = made in [node(c.kind, c.text) for c in scope.columns if c.tame]
            items.append(node("item", made, f" AS {name}"))
            outputs.append(InScope(name, made.kind, tame))
        distinct = "DISTINCT " if self.chance(0.15) and comparable(outputs) else ""
        parts = (f"SELECT {distinct}", listing("items", items), " FROM ", source)
        body = node("query", *parts, self.where(scope, depth))
        return Made(body, tuple(outputs))

    def window(self, scope: Scope) -> Node:
        group = self.rng.choice([c.text for c in scope.columns if c.kind in ORDERED] or ["1"])
        partition = f"PARTITION BY {group} " if self.chance(0.6) else ""
        sorted_by = self.rng.choice([c.text for c in scope.columns if c.kind in ORDERED] or ["1"])
        direction = self.rng.choice(["", " DESC", " NULLS LAST", " DESC NULLS FIRST"])
        order = f"ORDER BY {sorted_by}{direction}"
        choice = self.rng.choice(["ranking", "positional", "frame", "whole"])
        if choice == "positional" and scope.keys and self.palette.positional:
            entry = self.make.pick(self.palette.positional)
            order = ", ".join([order, *scope.keys])
        elif choice == "frame" and scope.keys and self.palette.windowed:
            entry = self.make.pick(self.palette.windowed)
            order = ", ".join([order, *scope.keys])
            order += self.rng.choice(FRAMES)
        elif choice == "ranking" and self.palette.ranking:
            entry = self.make.pick(self.palette.ranking)
        elif self.palette.windowed:
            entry = self.make.pick(self.palette.windowed)
            order = self.rng.choice(["", order])
        else:
            return self.make.atom("int", scope)
        called = self.make.aggregate(scope, 0, entry)
        return node(entry.result, called, f" OVER ({partition}{order})", uses="over")

    def grouped(self, depth: int) -> Made:
        source, scope = self.source(depth)
        usable = [c for c in scope.columns if c.kind in (*ORDERED, *FLOATING)]
        keys = [node(c.kind, c.text) for c in self.rng.sample(usable, min(len(usable), 2))]
        if self.chance(0.3):
            keys = keys[:1]
        if keys and self.chance(0.2):
            keys[0] = self.make.of(keys[0].kind, scope, 1)
        if self.chance(0.15):
            keys = []
        items, outputs = [], []
        totals = [self.make.aggregate(scope, 1) for _ in range(self.rng.randint(1, 3))]
        for made in (*keys, *totals):
            name = self.alias("c")
            items.append(node("item", made, f" AS {name}"))
            outputs.append(InScope(name, made.kind))
        having = nothing("having")
        if self.chance(0.25):
            counted = node("bigint", "count(*)", uses="count")
            having = node("having", " HAVING ", counted, " >= 1", optional=True)
        body = node(
            "query", "SELECT ", listing("items", items), " FROM ", source,
            self.where(scope, depth), self.group_by(keys), having,
        )  # fmt: skip
        return Made(body, tuple(outputs))

    def group_by(self, keys: list[Node]) -> Node:
        if not keys:
            return nothing("group")
        listed = ", ".join(map(str, keys))
        forms = [f"{listed}"] * 5 + [f"ROLLUP ({listed})", f"CUBE ({listed})"]
        forms += [f"GROUPING SETS (({listed}), ({keys[0]}), ())"]
        forms += [", ".join(str(index + 1) for index in range(len(keys)))]
        return node("group", f" GROUP BY {self.rng.choice(forms)}")

    def set_operation(self, depth: int) -> Made:
        left = self.select(depth)
        sign = self.rng.choice(
            ["UNION ALL", "UNION", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"]
        )
        if sign != "UNION ALL" and not comparable(list(left.outputs)):
            sign = "UNION ALL"
        right = self.select(depth, [out.kind for out in left.outputs])
        body = node("query", left.tree, f" {sign} ", right.tree, uses=sign.replace(" ", "_"))
        return Made(body, tuple(InScope(o.text, o.kind) for o in left.outputs))

    def with_clause(self, depth: int) -> Made:
        name = self.alias("w")
        inner = self.grouped(depth - 1) if self.chance(0.5) else self.select(depth - 1)
        scope = renamed(inner, name)
        wanted = [self.kind(scope) for _ in range(2)]
        items = [node("item", self.make.of(k, scope, 1), f" AS {self.alias('c')}") for k in wanted]
        body = node(
            "query", f"WITH {name} AS (", inner.tree, ") SELECT ", listing("items", items),
            f" FROM {name}", self.where(scope, 0), uses="with",
        )  # fmt: skip
        names = (
            InScope(str(item.parts[1])[4:], kind) for item, kind in zip(items, wanted, strict=True)
        )
        return Made(body, tuple(names))

    def query(self) -> Made:
        form = self.rng.choices(
            [self.select, self.grouped, self.set_operation, self.with_clause], [4, 4, 2, 2]
        )[0]
        made = form(2)
        return self.finished(made.tree, list(made.outputs))


FRAMES = (
    " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
    " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    " ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    " ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING",
)


def scope_of(spec: TableSpec, prefix: str, kinds: frozenset[str]) -> Scope:
    """Iceberg has no small integers: such a column is an int, and its values are cast."""
    columns = []
    for column in spec.columns:
        name = f"{prefix}{column.name}"
        if column.type in ("tinyint", "smallint"):
            columns.append(InScope(name, "int", column.tame))
            name = f"cast({name} as {column.type})"
        columns.append(InScope(name, kind_of(column.type), column.tame))
    known = tuple(column for column in columns if column.kind in kinds)
    return Scope(known, (f"{prefix}{spec.key}",) if spec.key else ())


def together(left: Scope, right: Scope) -> tuple[str, ...]:
    return (*left.keys, *right.keys) if left.keys and right.keys else ()


def renamed(made: Made, alias: str) -> Scope:
    return Scope(tuple(InScope(f"{alias}.{o.text}", o.kind, o.tame) for o in made.outputs))


def comparable(outputs: list[InScope]) -> bool:
    """Maps cannot be compared, so neither made distinct."""
    return not any(out.kind.startswith("map") for out in outputs)
