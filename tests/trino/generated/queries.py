"""The parts of generated queries: relations, clauses, windows, subqueries."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tests.trino.generated.expressions import Column, Expressions, Scope
from tests.trino.generated.tables import SCHEMA, TABLES

ORDERS = ("", " ASC", " DESC", " NULLS FIRST", " DESC NULLS LAST", " DESC NULLS FIRST")
_AGGREGATES: tuple[tuple[str, str], ...] = (
    ("int", "count(*)"), ("int", "count({any})"), ("int", "count(DISTINCT {any})"),
    ("int", "sum({int})"), ("num", "sum({num})"), ("num", "avg({int})"), ("num", "avg({num})"),
    ("int", "min({int})"), ("str", "max({str})"), ("str", "min({str})"), ("date", "max({date})"),
    ("ts", "min({ts})"),
    ("bool", "bool_and({bool})"), ("bool", "bool_or({bool})"), ("bool", "every({bool})"),
    ("int", "count_if({bool})"), ("int", "max({int})"), ("num", "max({num})"), ("num",
    "min({num})"),
    ("int", "sum(DISTINCT {int})"), ("num", "stddev({num})"), ("num", "var_pop({int})"),
    ("num", "geometric_mean({int})"), ("int", "approx_distinct({bool})"), ("int",
    "length(checksum({int}))"),
    ("num", "corr({num}, {int})"), ("num", "covar_pop({num}, {num})"), ("int",
    "bitwise_or_agg({int})"),
    ("num", "avg(DISTINCT {num})"), ("num", "regr_slope({num}, {int})"), ("num", "skewness({num})"),
    ("int", "cardinality(histogram({str}))"), ("int", "cardinality(array_agg({int}))"),
    ("int", "cardinality(map_agg({int}, {str}))"),
    ("int", "cardinality(array_agg(DISTINCT {date}))"),
    ("str", "array_join(array_sort(array_agg({str})), ',')"),
    ("str", "array_join(array_sort(array_agg(DISTINCT {str})), ',')"),
    ("arr", "array_sort(array_agg(DISTINCT CAST({int} AS integer)))"),
    ("int", "cardinality(multimap_agg({str}, {int}))"), ("int", "count(DISTINCT {date})"),
    ("num", "avg(CAST({num} AS decimal(12,3)))"), ("num", "sum(CAST({num} AS real))"),
    ("str", "listagg({str}, '/') WITHIN GROUP (ORDER BY {str})"), ("date", "min({date})"),
    ("num", "stddev_pop({num})"), ("num", "variance({int})"), ("num", "kurtosis({num})"),
    ("int", "bitwise_and_agg({int})"), ("num", "avg(CAST({int} AS real))"), ("ts", "max({ts})"),
    ("num", "sum(CAST({int} AS decimal(10,1)))"), ("int", "reduce_agg(coalesce({int}, 0), 0, "
    "(y, z) -> y + z, (y, z) -> y + z)"), ("str", "max(CAST({str} AS char(3)))"),
    ("int", "count(({int}, {str}))"), ("int", "day(sum({ts} - TIMESTAMP '2024-01-01 00:00:00'))"),
    ("str", "array_join(array_agg({str} ORDER BY {str} NULLS FIRST), ',', '-')"),
    ("int", "cardinality(map_union(MAP(ARRAY[1], ARRAY[{str}])))"),
    ("bool", "bool_and({int} > 1)"), ("num", "min(CAST({num} AS double))"),
)  # fmt: skip
_RANKS = ("row_number()", "rank()", "dense_rank()", "percent_rank()", "cume_dist()", "ntile(2)")
_VALUES = ("lag({int})", "lead({str})", "lag({num}, 2)", "lead({int}, 1, 0)", "first_value({str})",
           "last_value({int})", "nth_value({int}, 2)", "lag({date}) IGNORE NULLS",
           "first_value({int}) IGNORE NULLS", "last_value({num}) IGNORE NULLS",
           "lag({int}, 0)", "last_value({date})", "nth_value({str}, 1)",
           "first_value({ts}) IGNORE NULLS", "lead({num}, 1, 1.5)",
           "nth_value({int}, 2) IGNORE NULLS")  # fmt: skip
_FRAMES = (
    "ROWS UNBOUNDED PRECEDING", "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING", "ROWS CURRENT ROW",
    "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", "ROWS 2 PRECEDING",
    "ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING", "ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING",
    "RANGE UNBOUNDED PRECEDING", "RANGE CURRENT ROW",
    "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", "GROUPS 1 PRECEDING",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
    "GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING", "GROUPS BETWEEN CURRENT ROW AND 1 FOLLOWING",
    "ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING", "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING",
)  # fmt: skip


@dataclass(frozen=True)
class Relation:
    """``text`` of FROM; ``joined``: needs brackets as the operand of a join."""

    text: str
    columns: tuple[Column, ...]
    unique: tuple[str, ...] | None
    joined: bool = False


@dataclass(frozen=True)
class Items:
    """What a SELECT lists: texts with the families of their values."""

    texts: tuple[str, ...]
    families: tuple[str, ...]


class Queries:
    """Makes one query. ``simple``: fewer layers, for subqueries."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.make = Expressions(chance, self.subquery)

    # -------------------------------------------------------------- relations

    def table(self) -> Relation:
        table = self.chance.choice((*TABLES, *TABLES[:3]))
        alias = self.make.name("q")
        written = alias if self.chance.random() < 0.8 else f'"{alias.upper()}"'
        spoken = self.chance.choice((alias, alias.upper()))
        listed = self.chance.choice(("", " AS"))
        names = [name for name, _, _ in table.columns]
        renamed = ""
        if self.chance.random() < 0.15:
            names = [f"c{i}" for i, _ in enumerate(names)]
            renamed = f"({', '.join(names)})"
        columns = tuple(
            Column(f"{spoken}.{name}", family)
            for name, (_, _, family) in zip(names, table.columns, strict=True)
        )
        text = f"{SCHEMA}.{table.name}{listed} {written}{renamed}"
        return Relation(text, columns, (columns[0].sql,))

    def values(self) -> Relation:
        alias, rows = self.make.name("q"), []
        families = [self.chance.choice(("int", "str", "num", "date", "bool")) for _ in range(2)]
        inside = Scope(subqueries=0)
        for number in range(self.chance.choice((1, 2, 3))):
            items = [self.make.of(family, inside, 1) for family in families]
            rows.append(f"({number}, {', '.join(items)})")
        columns = tuple(
            Column(f"{alias}.c{i}", family) for i, family in enumerate(["int", *families])
        )
        return Relation(
            f"(VALUES {', '.join(rows)}) AS {alias}(c0, c1, c2)", columns, (columns[0].sql,)
        )

    def derived(self, outer: Scope, lateral: bool = False) -> Relation:
        alias = self.make.name("q")
        families = [self.chance.choice(("int", "int", "str", "num", "date")) for _ in range(2)]
        names = [self.make.name("k") for _ in families]
        scope = replace(Scope(subqueries=outer.subqueries), outer=outer.columns if lateral else ())
        text, unique = self.select_of(families, names, scope)
        columns = tuple(Column(f"{alias}.{n}", f) for n, f in zip(names, families, strict=True))
        word = "LATERAL " if lateral else ""
        return Relation(
            f"{word}({text}) AS {alias}", columns, (columns[0].sql,) if unique else None
        )

    def select_of(
        self, families: Sequence[str], names: Sequence[str], scope: Scope
    ) -> tuple[str, bool]:
        """A SELECT of columns of these families; whether the first of them is unique."""
        source = self.table()
        inside = Scope(source.columns, source.unique, scope.outer, scope.subqueries - 1)
        items = [self.make.of(family, inside, 1) for family in families]
        dice = self.chance.random()
        if dice < 0.35:
            grouped = f" GROUP BY {items[0]}" if dice < 0.25 else " GROUP BY 1"
            aggregates = [self.aggregate(inside, family) for family in families[1:]]
            if self.chance.random() < 0.2:
                grouped += f" HAVING count(*) {self.chance.choice(('> 1', '= 1', '< 3'))}"
            items = [items[0], *aggregates]
            where = self.where(inside)
            return self._text(items, names, source.text, where + grouped), True
        word = "DISTINCT " if dice > 0.85 else ""
        where = "" if word else self.where(inside)
        return f"SELECT {word}{self._list(items, names)} FROM {source.text}{where}", False

    @staticmethod
    def _list(items: Sequence[str], names: Sequence[str]) -> str:
        return ", ".join(f"{one} AS {name}" for one, name in zip(items, names, strict=True))

    def _text(self, items: Sequence[str], names: Sequence[str], source: str, rest: str) -> str:
        return f"SELECT {self._list(items, names)} FROM {source}{rest}"

    def relation(self, scope: Scope) -> Relation:
        dice = self.chance.random()
        if dice < 0.7:
            return self.table()
        return self.values() if dice < 0.8 else self.derived(scope)

    def source(self, count: int, scope: Scope) -> Relation:
        """A relation, or a join of several."""
        if count == 1:
            return self.relation(scope)
        cut = self.chance.randrange(1, count)
        left = self.source(cut, scope)
        dice = self.chance.random()
        if dice < 0.12:
            return self._unnest(left)
        if dice < 0.2:
            right = self.derived(Scope(left.columns, subqueries=scope.subqueries), lateral=True)
            word = self.chance.choice((("CROSS JOIN", ""), ("LEFT JOIN", " ON true"), (",", "")))
            return self._join(f"{left.text} {word[0]} {right.text}{word[1]}", left, right)
        right = self.source(count - cut, scope)
        operand = f"({right.text})" if right.joined else right.text
        kind = self.chance.choice(("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN"))
        if kind == "CROSS JOIN":
            return self._join(f"{left.text} CROSS JOIN {operand}", left, right)
        both = Scope((*left.columns, *right.columns), subqueries=scope.subqueries - 1)
        condition = self.equation(left, right)
        if kind != "FULL JOIN" and self.chance.random() < 0.3:
            condition += (
                f" {self.chance.choice(('AND', 'AND', 'OR'))} {self.make.condition(both, 1)}"
            )
        return self._join(f"{left.text} {kind} {operand} ON {condition}", left, right)

    def equation(self, left: Relation, right: Relation) -> str:
        ours = {column.family for column in left.columns}
        shared = [column for column in right.columns if column.family in ours - {"arr"}]
        if not shared:
            return "true"
        other = self.chance.choice(shared)
        mine = self.chance.choice([c for c in left.columns if c.family == other.family])
        return f"{mine.sql} {self.chance.choice(('=', '=', '=', '<', '<>'))} {other.sql}"

    @staticmethod
    def _join(text: str, left: Relation, right: Relation) -> Relation:
        unique = None
        if left.unique is not None and right.unique is not None:
            unique = (*left.unique, *right.unique)
        return Relation(text, (*left.columns, *right.columns), unique, joined=True)

    def _unnest(self, left: Relation) -> Relation:
        alias, scope = self.make.name("q"), Scope(left.columns, subqueries=0)
        arrays = [self.make.of("arr", scope, 1) for _ in range(self.chance.choice((1, 1, 2)))]
        names = [f"e{i}" for i, _ in enumerate(arrays)]
        ordinality = self.chance.random() < 0.6
        names += ["o"] * ordinality
        right = Relation(
            "", tuple(Column(f"{alias}.{name}", "int") for name in names),
            (f"{alias}.o",) if ordinality else None,
        )  # fmt: skip
        words = self.chance.choice((("CROSS JOIN", ""), ("LEFT JOIN", " ON true"), (",", "")))
        more = " WITH ORDINALITY" if ordinality else ""
        unnest = f"UNNEST({', '.join(arrays)}){more} AS {alias}({', '.join(names)})"
        return self._join(f"{left.text} {words[0]} {unnest}{words[1]}", left, right)

    # ---------------------------------------------------------------- clauses

    def where(self, scope: Scope) -> str:
        if self.chance.random() < 0.5:
            return ""
        return f" WHERE {self.make.condition(scope)}"

    def fill(self, text: str, scope: Scope) -> str:
        parts = text.split("{")
        written = parts[0]
        for part in parts[1:]:
            family, _, rest = part.partition("}")
            if family == "any":
                family = self.chance.choice(("int", "str", "date", "bool", "num"))
            dice = self.chance.random()
            made = self.make.column(family, scope) if dice < 0.6 else self.make.of(family, scope, 1)
            written += made + rest
        return written

    def aggregate(self, scope: Scope, family: str = "") -> str:
        fitting = [text for kind, text in _AGGREGATES if family in ("", kind)]
        text = self.fill(self.chance.choice(fitting), replace(scope, subqueries=0))
        is_plain = "array_" not in text and "cardinality" not in text
        if is_plain and self.chance.random() < 0.15:
            text += f" FILTER (WHERE {self.make.condition(replace(scope, subqueries=0), 1)})"
        return text

    def over(self, scope: Scope, *, name: str = "") -> str:
        parts = [name] if name else []
        inside = replace(scope, subqueries=0)
        if self.chance.random() < 0.6 and not name:
            parts.append(f"PARTITION BY {self.fill('{any}', inside)}")
        return " ".join(parts)

    def window(self, scope: Scope, aggregates: Sequence[str] = ()) -> tuple[str, str]:
        """A family and the text of a window function over rows of the scope."""
        inside = replace(scope, subqueries=0)
        unique = list(scope.unique or ())
        keys = [
            self.fill("{any}", inside) + self.chance.choice(ORDERS)
            for _ in range(self.chance.choice((0, 1, 1, 2)))
        ]
        total = [*keys, *unique] if scope.unique is not None else []
        by = self.over(scope)
        dice = self.chance.random()
        if dice < 0.3:
            function = self.chance.choice(_RANKS)
            order = total if function.startswith(("row_", "ntile")) else keys
            if function.startswith(("row_", "ntile")) and not total:
                return "int", f"count(*) OVER ({by})"
            family = "num" if function.startswith(("perc", "cume")) else "int"
            return family, f"{function} OVER ({self._spec(by, order)})"
        if dice < 0.5 and total:
            function = self.fill(self.chance.choice(_VALUES), inside)
            family = "str" if "str" in function else "int"
            frame = ""
            if function.startswith(("first", "last", "nth")) and self.chance.random() < 0.5:
                frame = self.chance.choice([one for one in _FRAMES if "GROUPS" not in one])
            return family, f"{function} OVER ({self._spec(by, total, frame)})"
        family, text = self.chance.choice(_AGGREGATES[:18])
        text = self.fill(text, inside) if not aggregates else f"sum({aggregates[0]})"
        if "DISTINCT" in text:
            text = "count(*)"
        frame = self.chance.choice(("", "", *_FRAMES)) if total else ""
        order = total if "ROWS" in frame else keys
        if not order:
            frame = ""
        return family, f"{text} OVER ({self._spec(by, order, frame)})"

    @staticmethod
    def _spec(by: str, order: Sequence[str], frame: str = "") -> str:
        ordered = f"ORDER BY {', '.join(order)}" if order else ""
        return " ".join(part for part in (by, ordered, frame) if part)

    def ordered(self, text: str, families: Sequence[str], names: Sequence[str] = ()) -> str:
        """With an order of all columns, and so with one answer, or without any."""
        if "arr" in families or self.chance.random() < 0.55:
            return text
        keys = list(range(1, len(families) + 1))
        self.chance.shuffle(keys)
        text += " ORDER BY " + ", ".join(f"{key}{self.chance.choice(ORDERS)}" for key in keys)
        dice = self.chance.random()
        if dice < 0.2:
            text += f" LIMIT {self.chance.choice((0, 1, 3))}"
        elif dice < 0.35:
            text += f" OFFSET {self.chance.choice((1, 2))}"
        elif dice < 0.45:
            text += f" OFFSET 1 ROWS FETCH FIRST {self.chance.choice((1, 2))} ROWS ONLY"
        return text

    def items(self, scope: Scope, count: int, depth: int = 2) -> Items:
        families = [self.make.family(scope) for _ in range(count)]
        return Items(
            tuple(self.make.of(family, scope, depth) for family in families), tuple(families)
        )

    # ------------------------------------------------------------- subqueries

    def subquery(self, family: str, outer: Scope, kind: str) -> str:
        """``kind``: ``scalar`` has one row at most, mostly; ``rows`` any number."""
        source = (
            self.table() if self.chance.random() < 0.85 else self.source(2, Scope(subqueries=0))
        )
        seen = outer.columns if self.chance.random() < 0.6 else ()
        scope = Scope(
            source.columns, source.unique, (*seen, *outer.outer[:0]), outer.subqueries - 1
        )
        where = ""
        if seen:
            where = f" WHERE {self._correlation(scope)}"
            if self.chance.random() < 0.3:
                where += f" AND {self.make.condition(replace(scope, outer=()), 1)}"
        elif self.chance.random() < 0.5:
            where = f" WHERE {self.make.condition(replace(scope, outer=()), 1)}"
        if kind == "rows":
            item = self.make.of(family, replace(scope, outer=(), subqueries=0), 1)
            if self.chance.random() < 0.15:
                leaf = self.make.leaf(family, Scope())
                return f"SELECT {item} FROM {source.text}{where} UNION ALL SELECT {leaf}"
            if self.chance.random() < 0.1:
                return f"SELECT {item} FROM {source.text}{where} GROUP BY {item}"
            return f"SELECT {item} FROM {source.text}{where}"
        dice = self.chance.random()
        if dice < 0.6 or source.unique is None:
            aggregate = self.aggregate(replace(scope, outer=()), family)
            if self.chance.random() < 0.15:
                aggregate = f"coalesce({aggregate}, {self.make.leaf(family, Scope())})"
            return f"SELECT {aggregate} FROM {source.text}{where}"
        item = self.make.of(family, replace(scope, outer=(), subqueries=0), 1)
        order = ", ".join(
            (self.make.column(family, scope) + self.chance.choice(ORDERS), *source.unique)
        )
        return f"SELECT {item} FROM {source.text}{where} ORDER BY {order} LIMIT 1"

    def rows(self, outer: Scope) -> str:
        """A query of an integer and a text."""
        source = self.table()
        scope = Scope(source.columns, source.unique, outer.columns, subqueries=0)
        where = f" WHERE {self._correlation(scope)}" if self.chance.random() < 0.4 else ""
        inside = replace(scope, outer=())
        items = f"{self.make.column('int', inside)}, {self.make.column('str', inside)}"
        return f"SELECT {items} FROM {source.text}{where}"

    def _correlation(self, scope: Scope) -> str:
        families = {column.family for column in scope.outer} - {"arr"}
        shared = [column for column in scope.columns if column.family in families]
        if not shared:
            return "true"
        inner = self.chance.choice(shared)
        outer = self.chance.choice([c for c in scope.outer if c.family == inner.family])
        operator = self.chance.choice(("=", "=", "=", "=", "<", ">=", "<>", "IS NOT DISTINCT FROM"))
        return f"{inner.sql} {operator} {outer.sql}"
