"""Row filters twice: as the policy writes them, and as Python that knows nothing of SQE."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

from sqe.model.decision import RowFilter
from tests.policy.rows import VALUES, Columns, Row
from tests.truth import Truth, and_, not_, or_


@dataclass(frozen=True)
class Asker:
    """Whom a policy is about. ``owned``: the ``k`` that the policy's own table gives them."""

    user: str
    groups: frozenset[str]
    owned: frozenset[int]


@dataclass(frozen=True)
class Condition:
    sql: str
    holds: Callable[[Row, Asker], Truth]
    trino: bool = True  # means the same in Trino's dialect

    def filter(self, rng: Random) -> RowFilter:
        trino = self.trino and rng.random() < 0.3
        return RowFilter(self.sql, "trino" if trino else "spark")


def literal(value: Any) -> str:
    """In a spelling that both dialects have."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f"'{value}'"
        case dt.datetime():
            return f"TIMESTAMP '{value.strftime('%Y-%m-%d %H:%M:%S.%f')} UTC'"
        case dt.date():
            return f"DATE '{value.isoformat()}'"
        case float():
            return f"CAST({value} AS double)"
        case Decimal() | int():
            return str(value)
        case _:
            raise AssertionError(value)


def condition(rng: Random, columns: Columns, owners: str, depth: int = 2) -> Condition:
    """``owners``: the full name of the table of who owns which ``k``."""
    if depth and rng.random() < 0.4:
        return _joined(rng, columns, owners, depth - 1)
    forms = [_compared, _compared, _chosen, _null, _like, _mine, _grouped, _owned]
    return rng.choice(forms)(rng, columns, owners)


def _joined(rng: Random, columns: Columns, owners: str, depth: int) -> Condition:
    one, two = (condition(rng, columns, owners, depth) for _ in range(2))
    word = rng.choice(["AND", "OR", "NOT"])
    if word == "NOT":
        return Condition(f"NOT ({one.sql})", lambda row, who: not_(one.holds(row, who)), one.trino)
    join = and_ if word == "AND" else or_
    return Condition(
        f"({one.sql}) {word} ({two.sql})",
        lambda row, who: join(one.holds(row, who), two.holds(row, who)),
        one.trino and two.trino,
    )


def _compared(rng: Random, columns: Columns, owners: str) -> Condition:
    name = rng.choice([one for one in columns.types if columns.types[one] != "boolean"])
    value = _value(rng, columns.types[name])
    sign, compare = rng.choice(list(_SIGNS.items()))
    return Condition(
        f"{name} {sign} {literal(value)}",
        lambda row, who: None if row[name] is None else compare(row[name], value),
        columns.types[name] != "timestamp",  # has no zone in Trino's literals of this kind
    )


_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: bool(a == b),
    "<>": lambda a, b: bool(a != b),
    "<": lambda a, b: bool(a < b),
    ">=": lambda a, b: bool(a >= b),
}


def _chosen(rng: Random, columns: Columns, owners: str) -> Condition:
    name = rng.choice(columns.of("int", "bigint", "string", "date"))
    values = [_value(rng, columns.types[name]) for _ in range(3)]
    return Condition(
        f"{name} IN ({', '.join(map(literal, values))})",
        lambda row, who: None if row[name] is None else row[name] in values,
    )


def _null(rng: Random, columns: Columns, owners: str) -> Condition:
    name = rng.choice(list(columns.types))
    there = rng.random() < 0.7
    text = f"{name} IS {'NOT ' if there else ''}NULL"
    return Condition(text, lambda row, who: (row[name] is not None) == there)


def _like(rng: Random, columns: Columns, owners: str) -> Condition:
    name = rng.choice(columns.of("string"))
    return Condition(
        f"{name} LIKE 'name%'",
        lambda row, who: None if row[name] is None else row[name].startswith("name"),
    )


def _mine(rng: Random, columns: Columns, owners: str) -> Condition:
    name = rng.choice(columns.of("string"))
    call = rng.choice(["current_user", "current_user()"])
    return Condition(
        f"{name} = {call}",
        lambda row, who: None if row[name] is None else row[name] == who.user,
        call == "current_user",
    )


def _grouped(rng: Random, columns: Columns, owners: str) -> Condition:
    group = rng.choice(["staff", "boss"])
    return Condition(f"in_group('{group}')", lambda row, who: group in who.groups, trino=False)


def _owned(rng: Random, columns: Columns, owners: str) -> Condition:
    """``owners`` has no NULLs, so that IN is true, false or, for a NULL ``k``, neither; where the
    list is empty it is false even then."""
    return Condition(
        f"k IN (SELECT o.k FROM {owners} AS o WHERE o.who = current_user)",
        lambda row, who: (
            (None if row["k"] is None else row["k"] in who.owned) if who.owned else False
        ),
    )


def _value(rng: Random, kind: str) -> Any:
    return rng.choice([value for value in VALUES[kind] if value is not None])
