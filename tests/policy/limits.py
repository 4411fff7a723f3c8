"""What one user may see of one table: as the policy says it, and as rows worked out in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from sqe.model.decision import Restrict, RowFilter
from tests.differential.data import ColumnSpec, TableSpec
from tests.policy.conditions import Asker, Condition, condition
from tests.policy.maskings import Masking, masking
from tests.policy.rows import Columns, Row, Table


@dataclass(frozen=True)
class Limits:
    """Rows are kept by their stored values, then values are masked: the filter and the masks see
    the whole row as it is stored."""

    conditions: tuple[tuple[Condition, RowFilter], ...] = ()
    masks: Mapping[str, Masking] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()

    def decision(self) -> Restrict:
        return Restrict(
            "generated",
            filters=tuple(asked for _, asked in self.conditions),
            masks={name: one.mask for name, one in self.masks.items()},
            hidden=self.hidden,
        )

    def keeps(self, row: Row, who: Asker) -> bool:
        return all(one.holds(row, who) is True for one, _ in self.conditions)

    def shown(self, row: Row, columns: Columns) -> dict[str, Any]:
        return {
            name: self.masks[name].shown(row) if name in self.masks else row[name]
            for name in columns.without(self.hidden).types
        }

    def seen(self, rows: Sequence[Row], columns: Columns, who: Asker) -> list[dict[str, Any]]:
        return [self.shown(row, columns) for row in rows if self.keeps(row, who)]

    def spec(self, table: Table) -> TableSpec:
        """What the generator of queries may know. A masked key is no key any more; sums of what
        is left of tame values are as exact as before."""
        visible = table.columns.without(self.hidden).types
        columns = tuple(ColumnSpec(name, kind, tame=True) for name, kind in visible.items())
        keyed = "id" in visible and "id" not in self.masks
        return TableSpec(table.name, columns, (), key="id" if keyed else "")


def limits(rng: Random, columns: Columns, owners: str) -> Limits:
    """One table in eight is seen whole."""
    if rng.random() < 0.12:
        return Limits()
    conditions = [condition(rng, columns, owners) for _ in range(rng.choice([0, 1, 1, 1, 2]))]
    names = list(columns.types)
    hidden = rng.sample(names[1:], rng.choice([0, 0, 1, 2]))
    masked = [name for name in names if name not in hidden and rng.random() < 0.3]
    return Limits(
        tuple((one, one.filter(rng)) for one in conditions),
        {name: masking(rng, columns, name) for name in masked},
        frozenset(hidden),
    )
