"""Statements that change a table of numbers, each with what it does to a model of the table.

Their effects do not commute and most depend on what they find, so that a lost, doubled or half
seen change shows in every later state.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

PRIME = 1_000_003  # values stay below it


class Row(NamedTuple):
    id: int
    v: int
    by: int  # the operation that wrote the row last


State = frozenset[Row]
START: State = frozenset(Row(i, i, 0) for i in range(24))


@dataclass(frozen=True)
class Operation:
    """``sql`` has ``{t}`` where the table's name goes."""

    number: int
    sql: str
    apply: Callable[[State], State]

    def on(self, table: str) -> str:
        return self.sql.format(t=table)


def create(properties: str) -> str:
    return (
        "CREATE TABLE {t} TBLPROPERTIES (" + properties + ") AS "
        "SELECT id, id AS v, 0L AS by FROM range(24)"
    )


def table_properties(version: int, mode: str) -> str:
    modes = ", ".join(f"'write.{what}.mode' = '{mode}'" for what in ("delete", "update", "merge"))
    return f"'format-version' = '{version}', {modes}"


def insert(n: int, rng: random.Random) -> Operation:
    rows = [Row(1000 * n + i, rng.randrange(PRIME), n) for i in range(rng.randint(1, 3))]
    values = ", ".join(f"({r.id}, {r.v}, {r.by})" for r in rows)
    return Operation(n, f"INSERT INTO {{t}} VALUES {values}", lambda state: state | set(rows))


def insert_from_itself(n: int, rng: random.Random) -> Operation:
    """The new row says what the statement saw."""

    def apply(state: State) -> State:
        total = sum(r.v for r in state) % PRIME
        return state | {Row(1000 * n, total, len(state))}

    sql = f"INSERT INTO {{t}} SELECT {1000 * n}, coalesce(sum(v), 0) % {PRIME}, count(*) FROM {{t}}"
    return Operation(n, sql, apply)


def overwrite(n: int, rng: random.Random) -> Operation:
    rest, times = rng.randrange(11), rng.randint(2, 9)

    def apply(state: State) -> State:
        kept = (r for r in state if r.id % 11 != rest)
        return frozenset(Row(r.id, r.v * times % PRIME, n) for r in kept)

    sql = (
        f"INSERT OVERWRITE {{t}} SELECT id, v * {times} % {PRIME}, {n} FROM {{t}}"
        f" WHERE id % 11 <> {rest}"
    )
    return Operation(n, sql, apply)


def update(n: int, rng: random.Random) -> Operation:
    parts = rng.randint(2, 4)
    rest, times = rng.randrange(parts), rng.randint(2, 9)

    def apply(state: State) -> State:
        return frozenset(
            Row(r.id, (r.v * times + n) % PRIME, n) if r.id % parts == rest else r for r in state
        )

    sql = (
        f"UPDATE {{t}} SET v = (v * {times} + {n}) % {PRIME}, by = {n} WHERE id % {parts} = {rest}"
    )
    return Operation(n, sql, apply)


def delete(n: int, rng: random.Random) -> Operation:
    parts = rng.randint(6, 13)
    rest = rng.randrange(parts)
    return Operation(
        n,
        f"DELETE FROM {{t}} WHERE (id + v) % {parts} = {rest}",
        lambda state: frozenset(r for r in state if (r.id + r.v) % parts != rest),
    )


def delete_by_query(n: int, rng: random.Random) -> Operation:
    """The greatest value goes, as the statement sees it."""

    def apply(state: State) -> State:
        most = max((r.v for r in state), default=None)
        return frozenset(r for r in state if r.v != most)

    return Operation(n, "DELETE FROM {t} WHERE v = (SELECT max(v) FROM {t})", apply)


def _source(n: int, rng: random.Random) -> tuple[str, dict[int, int]]:
    ids = rng.sample(range(24), 4) + [1000 * n + i for i in range(2)]
    source = {i: rng.randrange(PRIME) for i in ids}
    values = ", ".join(f"({i}, {v})" for i, v in source.items())
    return f"(SELECT * FROM VALUES {values} AS s(id, v)) AS s", source


def merge(n: int, rng: random.Random) -> Operation:
    text, source = _source(n, rng)

    def apply(state: State) -> State:
        there = {r.id for r in state}
        result = {Row(i, v, n) for i, v in source.items() if i not in there}
        for r in state:
            if r.id not in source:
                result.add(r)
            elif r.v % 3:
                result.add(Row(r.id, (r.v + source[r.id]) % PRIME, n))
        return frozenset(result)

    sql = (
        f"MERGE INTO {{t}} AS t USING {text} ON t.id = s.id"
        " WHEN MATCHED AND t.v % 3 = 0 THEN DELETE"
        f" WHEN MATCHED THEN UPDATE SET v = (t.v + s.v) % {PRIME}, by = {n}"
        f" WHEN NOT MATCHED THEN INSERT (id, v, by) VALUES (s.id, s.v, {n})"
    )
    return Operation(n, sql, apply)


def merge_new(n: int, rng: random.Random) -> Operation:
    """Only inserts: Spark runs it as an append, which Iceberg does not check for conflicts."""
    text, source = _source(n, rng)

    def apply(state: State) -> State:
        there = {r.id for r in state}
        return state | {Row(i, v, n) for i, v in source.items() if i not in there}

    sql = (
        f"MERGE INTO {{t}} AS t USING {text} ON t.id = s.id"
        f" WHEN NOT MATCHED THEN INSERT (id, v, by) VALUES (s.id, s.v, {n})"
    )
    return Operation(n, sql, apply)


KINDS: tuple[Callable[[int, random.Random], Operation], ...] = (
    insert,
    insert,
    update,
    update,
    delete,
    delete_by_query,
    merge,
    merge,
    merge_new,
    insert_from_itself,
    overwrite,
)


def operation(seed: int, number: int) -> Operation:
    """The same one for the same numbers, in every process."""
    rng = random.Random(f"{seed}/{number}")
    return rng.choice(KINDS)(number, rng)


def state_after(seed: int, numbers: Iterable[int]) -> State:
    state = START
    for number in numbers:
        state = operation(seed, number).apply(state)
    return state
