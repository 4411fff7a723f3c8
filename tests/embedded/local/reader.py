"""The local reading side beside Spark: the same table, read by both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from sqe.catalog.protocol import Ident, Json, Loaded
from sqe.engines.local.plan import Comparison, Scan
from sqe.engines.local.scan import PlannedScan
from sqe.model.identity import Identity
from tests.embedded.pipe.lake import Lake
from tests.unit.engines.local.runtime.world import World, scan_of


@dataclass
class Both:
    """``lake`` answers with Spark, ``world`` reads the same files here."""

    lake: Lake
    world: World

    def do(self, *statements: str) -> None:
        self.lake.all(*statements)

    def loaded(self, name: str) -> Loaded:
        catalog = self.lake.server.catalogs.open("lake", Identity("ann"))
        return catalog.load_table(Ident(("default",), name))

    def commit(self, name: str, *updates: Json) -> None:
        """As another engine would, past Spark."""
        catalog = self.lake.server.catalogs.open("lake", Identity("ann"))
        request = {"requirements": [], "updates": list(updates)}
        catalog.commit_table(Ident(("default",), name), request)

    def scan(self, name: str, *pruning: Comparison, snapshot_id: int | None = None) -> Scan:
        return scan_of(self.loaded(name), pruning=pruning, snapshot_id=snapshot_id)

    def planned(self, name: str, *pruning: Comparison) -> PlannedScan:
        return self.world.planned(self.scan(name, *pruning))

    def same(
        self, name: str, *pruning: Comparison, where: str = "true", source: str = "", **how: Any
    ) -> int:
        """Asserts that both give the same rows, and says how many."""
        expected = self.lake.run(f"SELECT * FROM {source or name} WHERE {where}")
        scan = self.scan(name, *pruning, **how)
        sql = f"SELECT * FROM scan_1 WHERE {where}"
        found = self.world.query(sql, expected.schema, scan)
        assert in_order(found) == in_order(expected)
        return int(expected.num_rows)


def in_order(table: pa.Table) -> list[str]:
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return sorted(map(repr, rows))
