"""Joins of every nesting, subqueries that take some rows, and forms of GROUP BY."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from tests.trino.generated.tables import SCHEMA

COLUMNS = {"a": ("x", "s"), "b": ("y", "t"), "c": ("z", "u"), "d": ("w", "v")}
_NUMBERS = {"a": ("x",), "b": ("y", "t"), "c": ("z",), "d": ("w", "v")}
_OUTER = ("LEFT", "RIGHT", "FULL")


# ------------------------------------------------------------------------ joins


def join(chance: random.Random) -> str:
    """Joins of three or four tables, nested and bracketed in every way."""
    tables = chance.sample(sorted(COLUMNS), chance.choice((3, 3, 4)))
    text, _ = _joined(chance, tables, brackets=False)
    columns = [column for table in tables for column in COLUMNS[table]]
    chance.shuffle(columns)
    where = ""
    if chance.random() < 0.2:
        column = chance.choice([one for table in tables for one in _NUMBERS[table]])
        where = f" WHERE {column} {chance.choice(('IS NULL', '> 1', 'IS NOT NULL', '= 2'))}"
    return f"SELECT {', '.join(columns)} FROM {text}{where}"


def _joined(chance: random.Random, tables: Sequence[str], brackets: bool = True) -> tuple[str, str]:
    """The text, and the word of its outermost join."""
    if len(tables) == 1:
        return f"{SCHEMA}.{tables[0]}", ""
    cut = chance.randrange(1, len(tables))
    left, _ = _joined(chance, tables[:cut])
    right, word = _joined(chance, tables[cut:])
    kind = chance.choice((*_OUTER, *_OUTER, "CROSS", "", "CROSS" if brackets else ","))
    if kind == ",":
        # A comma binds less than a join: what stands right of it needs no brackets.
        bare = right[1:-1] if word and chance.random() < 0.5 else right
        text = f"{left}, {bare}"
    elif kind == "CROSS":
        text = f"{left} CROSS JOIN {right}"
    else:
        # ``a JOIN b JOIN c ON … ON …``: the brackets may be left out.
        bare = right[1:-1] if word not in ("", "CROSS") and chance.random() < 0.3 else right
        condition = _condition(chance, tables[:cut], tables[cut:])
        text = f"{left} {kind} JOIN {bare} ON {condition}".replace("  ", " ")
    return (f"({text})" if brackets else text), kind or "INNER"


def _condition(chance: random.Random, left: Sequence[str], right: Sequence[str]) -> str:
    one = chance.choice([column for table in left for column in _NUMBERS[table]])
    other = chance.choice([column for table in right for column in _NUMBERS[table]])
    terms = [f"{one} {chance.choice(('=', '=', '=', '<', '<>'))} {other}"]
    if chance.random() < 0.25:
        terms.append(f"{chance.choice((one, other))} {chance.choice(('> 1', '< 3', 'IS NULL'))}")
    return " AND ".join(terms)


# ------------------------------------------------------------------- subqueries

_EQUAL = (
    "i.y = o.x", "i.y = o.x + 1", "i.t = o.x", "i.t = CAST(o.x AS bigint)", "i.y + 1 = o.x",
    "i.y = abs(o.x)", "i.y IS NOT DISTINCT FROM o.x", "o.x = i.t", "i.y IN (o.x + 1)",
    "i.y = coalesce(o.x, 2)", "CAST(i.y AS varchar) = CAST(o.x AS varchar)",
)  # fmt: skip
_OTHER = ("i.y > o.x", "i.y <> o.x", "i.t BETWEEN o.x AND o.x + 1", "i.t > 1", "i.t IS NOT NULL")
_ROWS = ("LIMIT 1", "OFFSET 1 LIMIT 1", "FETCH FIRST 1 ROWS ONLY", "LIMIT 1", "LIMIT 1")
_O, _I = f"{SCHEMA}.a AS o", f"{SCHEMA}.b AS i"


def subquery(chance: random.Random) -> str:
    """Subqueries that take some of their rows only, by conditions of every kind."""
    terms = [chance.choice(_EQUAL if chance.random() < 0.8 else _OTHER)]
    if chance.random() < 0.4:
        terms.append(chance.choice(_EQUAL + _OTHER))
    where = " AND ".join(terms)
    order = f"ORDER BY i.t {chance.choice(('ASC', 'DESC'))} NULLS LAST, i.y"
    if chance.random() < 0.15:
        order = "ORDER BY abs(i.t - o.x) NULLS LAST, i.t, i.y"
    inner = f"SELECT i.t FROM {_I} WHERE {where} {order} {chance.choice(_ROWS)}"
    if chance.random() < 0.2:
        inner = f"SELECT max(q.t) AS t FROM ({inner}) AS q"
    return chance.choice(_PLACES)(inner)


_PLACES: tuple[Callable[[str], str], ...] = (
    lambda inner: f"SELECT o.x, o.s, ({inner}) FROM {_O}",
    lambda inner: f"SELECT o.x, o.s FROM {_O} WHERE EXISTS ({inner})",
    lambda inner: f"SELECT o.x, o.s FROM {_O} WHERE NOT EXISTS ({inner})",
    lambda inner: f"SELECT o.x, o.s FROM {_O} WHERE ({inner}) > 1",
    lambda inner: f"SELECT o.x, o.s, l.t FROM {_O} CROSS JOIN LATERAL ({inner}) AS l(t)",
    lambda inner: f"SELECT o.x, o.s, l.t FROM {_O} LEFT JOIN LATERAL ({inner}) AS l(t) ON true",
    lambda inner: f"SELECT o.x, count(*) FROM {_O} GROUP BY o.x HAVING ({inner}) IS NOT NULL",
)

# --------------------------------------------------------------------- grouping

_SETS = (
    "GROUPING SETS ((k, m), (k), ())", "GROUPING SETS ((), (m))", "GROUPING SETS ((k), (m))",
    "GROUPING SETS (k, (k, m))", "ROLLUP (k, m)", "ROLLUP ((k, m))", "CUBE (k, m)", "CUBE (k)",
    "ROLLUP (k), CUBE (m)", "k, ROLLUP (m)", "()", "GROUPING SETS (())", "k, ()",
    "GROUPING SETS ((), ())", "ROLLUP (m), GROUPING SETS ((k), ())",
)  # fmt: skip
_AGGREGATES = ("count(*)", "sum(n)", "max(n)", "count(n)", "min(n + 1)", "count(DISTINCT n)")


def grouping(chance: random.Random) -> str:
    """Forms of GROUP BY, also over no rows."""
    sets = chance.choice(_SETS)
    keys = [one for one in ("k", "m") if one in re.findall(r"\w+", sets)]
    items = [*keys, *chance.sample(_AGGREGATES, 2)]
    if keys and chance.random() < 0.4:
        items.append(f"grouping({', '.join(keys)})")
    if keys and chance.random() < 0.2:
        items.append(f"coalesce({keys[0]}, -1)")
    table = chance.choice(("e", "f", "f"))
    text = f"SELECT {', '.join(items)} FROM {SCHEMA}.{table}"
    if chance.random() < 0.4:
        text += f" WHERE {chance.choice(('false', 'n > 1', 'k IS NULL', 'n > 100'))}"
    text += f" GROUP BY {sets}"
    if chance.random() < 0.25:
        text += f" HAVING {chance.choice(('count(*) > 1', 'count(*) = 0', 'max(n) IS NULL'))}"
    return text
