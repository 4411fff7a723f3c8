"""Whole queries, their clauses crossed with each other: every kind draws from the same parts."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from tests.trino.generated import joins
from tests.trino.generated.expressions import Column, Scope
from tests.trino.generated.queries import ORDERS, Queries

_SET_OPERATORS = ("UNION", "UNION ALL", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL")

Kind = Callable[[Queries], str]


def _plain(make: Queries) -> str:
    source = make.source(make.chance.choice((1, 1, 2)), Scope())
    scope = Scope(source.columns, source.unique)
    items = make.items(scope, make.chance.choice((1, 2, 3)), 3)
    word = "DISTINCT " if make.chance.random() < 0.12 and "arr" not in items.families else ""
    text = f"SELECT {word}{', '.join(items.texts)} FROM {source.text}{make.where(scope)}"
    return make.ordered(text, items.families)


def _joins(make: Queries) -> str:
    source = make.source(make.chance.choice((2, 3, 3, 4)), Scope())
    scope = Scope(source.columns, source.unique)
    chosen = make.chance.sample(source.columns, min(4, len(source.columns)))
    text = (
        f"SELECT {', '.join(column.sql for column in chosen)} FROM {source.text}{make.where(scope)}"
    )
    return make.ordered(text, [column.family for column in chosen])


def _groups(make: Queries) -> str:
    source = make.source(make.chance.choice((1, 1, 2)), Scope())
    scope = Scope(source.columns, source.unique)
    inside = replace(scope, subqueries=0)
    sets = make.chance.random() < 0.4
    count = make.chance.choice((0, 1, 1, 2, 2))
    plain = [column for column in source.columns if column.family != "arr"]
    keys = [make.chance.choice(plain).sql for _ in range(count)]
    families = [column.family for key in keys for column in plain if column.sql == key]
    if not sets and keys and make.chance.random() < 0.5:
        keys[0], families[0] = make.make.of(families[0], inside, 1), families[0]
    items, kinds = list(keys), list(families)
    for _ in range(make.chance.choice((1, 2, 2))):
        family = make.chance.choice(("int", "num", "str"))
        kinds.append(family)
        items.append(make.aggregate(inside, family))
    if make.chance.random() < 0.2 and keys and not sets:
        kinds.append("int")
        items.append(f"sum(count(*)) OVER (PARTITION BY {keys[0]})")
    group = _grouped(make, keys, sets)
    if sets and keys and make.chance.random() < 0.5:
        items.append(f"grouping({', '.join(dict.fromkeys(keys))})")
        kinds.append("int")
    text = f"SELECT {', '.join(items)} FROM {source.text}{make.where(scope)}{group}"
    if make.chance.random() < 0.25:
        test = make.chance.choice(("> 1", "= 1", "< 3", "IS NULL"))
        text += f" HAVING {make.aggregate(inside, 'int')} {test}"
    return make.ordered(text, kinds)


def _grouped(make: Queries, keys: Sequence[str], sets: bool) -> str:
    if not keys:
        return make.chance.choice(("", "", " GROUP BY ()"))
    listed = ", ".join(keys)
    if not sets:
        places = ", ".join(map(str, range(1, len(keys) + 1)))
        return f" GROUP BY {listed if make.chance.random() < 0.7 else places}"
    forms = (
        f"ROLLUP ({listed})", f"CUBE ({listed})", f"GROUPING SETS (({listed}), ())",
        f"GROUPING SETS (({keys[0]}), ({listed}))", f"GROUPING SETS ((), ({keys[-1]}), ({listed}))",
        f"DISTINCT ROLLUP ({listed}), ROLLUP ({keys[0]})", f"{keys[0]}, ROLLUP ({listed})",
    )  # fmt: skip
    return f" GROUP BY {make.chance.choice(forms)}"


def _windows(make: Queries) -> str:
    source = make.source(make.chance.choice((1, 1, 2)), Scope())
    scope = Scope(source.columns, source.unique)
    items, kinds = [], []
    for column in make.chance.sample(source.columns, 2):
        items.append(column.sql)
        kinds.append(column.family)
    for _ in range(make.chance.choice((1, 2))):
        family, text = make.window(scope)
        if make.chance.random() < 0.15:
            text = f"coalesce({text}, NULL)"
        items.append(text)
        kinds.append(family)
    text = f"SELECT {', '.join(items)} FROM {source.text}{make.where(scope)}"
    return make.ordered(text, kinds)


def _subqueries(make: Queries) -> str:
    source = make.source(make.chance.choice((1, 1, 1, 2)), Scope())
    scope = Scope(source.columns, source.unique, subqueries=2)
    families = [make.chance.choice(("int", "num", "str", "date")) for _ in range(2)]
    place = make.chance.choice(("select", "where", "order", "having", "both", "case"))
    column = make.chance.choice([one for one in source.columns if one.family != "arr"])
    sub = make.subquery(families[0], scope, "scalar")
    test = make.chance.choice(
        (
            f"EXISTS ({make.subquery('int', scope, 'rows')})",
            f"NOT EXISTS ({make.subquery('int', scope, 'rows')})",
            f"{make.make.leaf('int', scope)} IN ({make.subquery('int', scope, 'rows')})",
            f"{make.make.leaf('str', scope)} NOT IN ({make.subquery('str', scope, 'rows')})",
            f"{make.make.leaf('int', scope)} < ({make.subquery('int', scope, 'scalar')})",
            f"{make.make.leaf('int', scope)} >= ALL ({make.subquery('int', scope, 'rows')})",
            f"{make.make.leaf('date', scope)} = ANY ({make.subquery('date', scope, 'rows')})",
            f"{make.make.leaf('num', scope)} IN ({make.subquery('num', scope, 'rows')})",
            f"{make.make.leaf('num', scope)} NOT IN ({make.subquery('num', scope, 'rows')})",
            f"({make.make.leaf('int', scope)}, {make.make.leaf('str', scope)}) "
            f"{make.chance.choice(('IN', 'NOT IN'))} ({make.rows(scope)})",
        )
    )
    if place == "select":
        return make.ordered(
            f"SELECT {column.sql}, ({sub}) AS q FROM {source.text}", [column.family, families[0]]
        )
    if place == "where":
        return make.ordered(f"SELECT {column.sql} FROM {source.text} WHERE {test}", [column.family])
    if place == "order":
        keys = ", ".join(source.unique or (column.sql,))
        return f"SELECT {keys} FROM {source.text} ORDER BY ({sub}) DESC, {keys}"
    if place == "having":
        inner = make.subquery("int", Scope(subqueries=1), "scalar")
        text = f"SELECT {column.sql}, count(*) FROM {source.text} GROUP BY {column.sql}"
        return f"{text} HAVING count(*) <> ({inner})"
    if place == "case":
        text = f"CASE WHEN {test} THEN 'y' WHEN ({test}) IS NULL THEN 'u' ELSE 'n' END"
        return f"SELECT {column.sql}, {text} FROM {source.text}"
    where = make.make.condition(scope, 1)
    text = f"SELECT {column.sql}, ({sub}), {test} FROM {source.text} WHERE {where}"
    return make.ordered(text, [column.family, families[0], "bool"])


def _sets(make: Queries) -> str:
    families = [make.chance.choice(("int", "num", "str", "date", "bool")) for _ in range(2)]

    def term(depth: int) -> str:
        if depth == 0 or make.chance.random() < 0.4:
            dice = make.chance.random()
            if dice < 0.15:
                row = ", ".join(make.make.leaf(family, Scope()) for family in families)
                return f"VALUES ({row})"
            if dice < 0.3:
                nulls = [make.make.leaf(families[0], Scope()), "NULL"]
                return f"SELECT {', '.join(nulls)}"
            return make.select_of(families, [make.make.name("k"), make.make.name("k")], Scope())[0]
        operator = make.chance.choice(("UNION", "UNION ALL", "INTERSECT", "EXCEPT",
        "UNION DISTINCT",
                                       "INTERSECT ALL", "EXCEPT ALL"))  # fmt: skip
        left, right = term(depth - 1), term(depth - 1)
        bracketed = make.chance.random() < 0.5
        return f"{left} {operator} {f'({right})' if bracketed else right}"

    text = (
        f"{term(0)} {make.chance.choice(('UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT'))} {term(2)}"
    )
    if make.chance.random() < 0.2:
        return f"SELECT count(*), count(DISTINCT c1) FROM ({text}) AS o(c1, c2)"
    return make.ordered(text, families)


def _withs(make: Queries) -> str:
    """WITH, and the names of columns that come out of it."""
    first, second = make.chance.sample(("p", "date", '"all"', "values_1", "rows", '"select"'), 2)
    families = [make.chance.choice(("int", "str", "num")) for _ in range(2)]
    one = make.select_of(families, ["m", "n"], Scope())[0]
    listed = make.chance.choice(("", "(c1, c2)"))
    names = ("c1", "c2") if listed else ("m", "n")
    columns = tuple(Column(f"{first}.{name}", f) for name, f in zip(names, families, strict=True))
    scope = Scope(columns, None, subqueries=0)
    items = make.items(scope, 2, 1)
    other = f"SELECT {items.texts[0]} AS m, {items.texts[1]} AS n FROM {first}{make.where(scope)}"
    item = make.chance.choice(("*", f"{second}.*", "m, n", "count(*), max(m)", 'N, M AS "Mm"'))
    tail = f"SELECT {item} FROM {second}"
    if item == "*":
        tail += f", {first}"
    elif item == "m, n" and make.chance.random() < 0.5:
        tail += f" UNION ALL SELECT {', '.join(items.texts)} FROM {first}"
    return f"WITH {first}{listed} AS ({one}), {second} AS ({other}) {tail}"


def _aliases(make: Queries) -> str:
    """ORDER BY of names that mean an alias, a column, or a place."""
    source = make.table()
    scope = Scope(source.columns, source.unique, subqueries=0)
    plain = [column for column in source.columns if column.family != "arr"]
    one, other = make.chance.choice(plain), make.chance.choice(plain)
    name = other.sql.rpartition(".")[2]
    alias = make.chance.choice((name, "m", '"Order"', "first", '"a b"', "sum"))
    key = make.chance.choice(
        (alias, name, other.sql, f"coalesce({alias}, NULL)", "1", f"{alias} IS NULL")
    )
    order = ", ".join((key + make.chance.choice(ORDERS), *(source.unique or ())))
    items = f"SELECT {one.sql} AS {alias}"
    if make.chance.random() < 0.6:
        text = f"{items}, {source.columns[0].sql} AS zz FROM {source.text}"
        return f"{text} ORDER BY {order}"
    text = f"{items}, {make.aggregate(scope, 'int')} AS zz FROM {source.text} GROUP BY "
    keys = make.chance.choice((one.sql, "1", name))
    key = make.chance.choice((alias, "zz", "1", f"{alias} IS NULL", "count(*)", "zz + 1"))
    return f"{text}{keys} ORDER BY {key}, 1, 2"


KINDS: dict[str, tuple[int, Kind]] = {
    "plain": (4, _plain),
    "joins": (4, _joins),
    "groups": (4, _groups),
    "windows": (4, _windows),
    "subqueries": (5, _subqueries),
    "sets": (3, _sets),
    "withs": (2, _withs),
    "aliases": (2, _aliases),
    "small-joins": (2, lambda make: joins.join(make.chance)),
    "small-subqueries": (2, lambda make: joins.subquery(make.chance)),
    "small-groupings": (2, lambda make: joins.grouping(make.chance)),
}


def generate(seed: str, count: int) -> list[tuple[str, str]]:
    """(kind, query), the same ones for the same seed."""
    chance = random.Random(seed)
    kinds, weights = list(KINDS), [weight for weight, _ in KINDS.values()]
    found: dict[str, str] = {}
    while len(found) < count:
        kind = chance.choices(kinds, weights)[0]
        found.setdefault(KINDS[kind][1](Queries(chance)), kind)
    return [(kind, sql) for sql, kind in found.items()]
