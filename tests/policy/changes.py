"""Writes to a table by someone who sees some of its rows, and to a copy that holds only those.

What comes of a write to the copy is told by it; whether all its rows are such that the writer sees
them is worked out in Python. Then the table must have these rows and the hidden ones as they were;
or, if the copy has got one that would be hidden, nothing may have been written to the table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from tests.differential.outcome import Answer, Failure, Outcome
from tests.policy import templates
from tests.policy.conditions import Asker, Condition, condition, literal
from tests.policy.limits import Limits
from tests.policy.questions import fill_names
from tests.policy.rows import VALUES, Columns, Row, Table

# Where either is an error, it may be either.
OF_ROWS = frozenset(
    {"DIVISION_BY_ZERO", "NUMERIC_OUT_OF_RANGE", "INVALID_CAST", "CONSTRAINT_VIOLATION"}
)
NOT_SEEN = "Nothing was written."
REFUSED = "You see only part of"
UNTOLD = "A subquery failed, and no more can be said"
_NUMBERS = ("int", "bigint", "decimal(10,2)")


@dataclass(frozen=True)
class Change:
    """``{T}`` in the text is the table, or its copy."""

    name: str
    text: str
    table: Table
    limits: Limits
    mode: str

    def __str__(self) -> str:
        return f"{self.name} [{self.mode}] {self.text}"

    def visible(self, who: Asker) -> list[Row]:
        return [row for row in self.table.rows if self.limits.keeps(row, who)]


def change(seed: str, tables: Sequence[Table], owners: str) -> Change:
    rng = Random(seed)
    table = rng.choice(tables)
    conditions: list[Condition] = [
        condition(rng, table.columns, owners) for _ in range(rng.choice([1, 1, 2]))
    ]
    filters = tuple((one, replace(one.filter(rng), check=True)) for one in conditions)
    mode = rng.choice(["copy-on-write", "merge-on-read"])
    return Change(seed, _text(rng, table), table, Limits(filters), mode)


def _text(rng: Random, table: Table) -> str:
    columns = table.columns
    types = {name: kind for name, kind in columns.types.items() if name != "id"}
    chosen = rng.choice(sorted(types))
    alike = [name for name, kind in types.items() if kind == types[chosen]]
    rows = [_new(rng, rng.choice(table.rows), columns) for _ in range(rng.randint(1, 5))]
    listed = ", ".join(f"({', '.join(_value(row[n], k) for n, k in columns.types.items())})"
                       for row in rows)  # fmt: skip
    return rng.choice(templates.CHANGES).format(
        T="{T}",
        S=f"(SELECT * FROM VALUES {listed} AS v({', '.join(columns.types)})) AS s",
        rows=f"VALUES {listed}",
        an=rng.choice([name for name, kind in types.items() if kind in _NUMBERS]),
        c=chosen,
        u=rng.choice(alike),
        v=_value(rng.choice(VALUES[types[chosen]]), types[chosen]),
        **{"as": rng.choice(columns.of("string"))},
    )


def _new(rng: Random, row: Row, columns: Columns) -> Row:
    """A row of the table, as it is or with another id, and perhaps one other value."""
    name = rng.choice([one for one in columns.types if one != "id"])
    value = rng.choice([row[name], rng.choice(VALUES[columns.types[name]])])
    return {**row, name: value, "id": rng.choice([row["id"], row["id"], row["id"] + 50])}


def _value(value: Any, kind: str) -> str:
    return f"CAST({'NULL' if value is None else literal(value)} AS {kind})"


@dataclass(frozen=True)
class Sides:
    """``ask`` a statement as the writer; ``rows`` that are in a table, whoever sees them."""

    ask: Callable[[str], Outcome]
    rows: Callable[[str], list[Row]]
    table: str
    copy: str


def judged(one: Change, who: Asker, sides: Sides) -> tuple[str, str]:
    """What happened, and in what it is not right: nothing where it is."""
    before = sides.rows(sides.table)
    hidden = [row for row in before if not one.limits.keeps(row, who)]
    expected = sides.ask(fill_names(one.text, {"T": sides.copy}))
    found = sides.ask(fill_names(one.text, {"T": sides.table}))
    after, stored = sides.rows(sides.copy), sides.rows(sides.table)
    untouched = _bag(stored) == _bag(before)
    if isinstance(found, Failure):
        if not untouched:
            return "failed", f"it failed and wrote all the same: {found}"
        if found.code == "ACCESS_DENIED" and found.message.startswith(REFUSED):
            return "refused", ""
        denied = found.code == "ACCESS_DENIED" and found.message.endswith(NOT_SEEN)
        if isinstance(expected, Failure):
            untold = found.message.startswith(UNTOLD) and expected.code in OF_ROWS
            same = found.code == expected.code or {found.code, expected.code} <= OF_ROWS
            alike = denied or untold or same
            return "failed", "" if alike else f"another error: {expected} {found}"
        shown = all(one.limits.keeps(row, who) for row in after)
        return "denied", "" if denied and not shown else f"it should not have failed: {found}"
    if isinstance(expected, Failure):
        # The copy's conditions are evaluated on more rows than match, in any order.
        short = expected.code in OF_ROWS and _bag(hidden) <= _bag(stored)
        return "short", "" if short else f"it should have failed: {expected}"
    if not all(one.limits.keeps(row, who) for row in after):
        return "written", "a row was written that is hidden"
    wanted = _bag(after) + _bag(hidden)
    less, more = wanted - _bag(stored), _bag(stored) - wanted
    return "written", f"missing {dict(less)}, too many {dict(more)}" if less or more else ""


def answered(outcome: Outcome) -> list[Row]:
    assert isinstance(outcome, Answer), outcome
    return list(outcome.table.to_pylist())


def _bag(rows: Sequence[Row]) -> Counter[str]:
    return Counter(str({name: row[name] for name in sorted(row)}) for row in rows)
