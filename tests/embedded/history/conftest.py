"""A table of each test's own, with a short history."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from sqe.catalog.protocol import Ident, Loaded
from tests.embedded.pipe.lake import Lake

_NUMBERS = itertools.count(1)


@dataclass
class Table:
    """``name`` is its name in SQL. Every INSERT of ``grow`` is one snapshot and one file."""

    lake: Lake
    name: str

    def grow(self, *ids: int) -> None:
        for number in ids:
            self.lake.run(f"INSERT INTO {self.name} VALUES ({number}, 'v{number}')")

    def ids(self, behind: str = "") -> list[int]:
        found = self.lake.rows(f"SELECT id FROM {self.name}{behind}")
        return sorted(number for (number,) in found)

    def snapshots(self) -> list[int]:
        return [snapshot["snapshot-id"] for snapshot in self.metadata["snapshots"]]

    def loaded(self) -> Loaded:
        catalog = self.lake.server.catalogs.open("lake", self.lake.session.identity)
        return catalog.load_table(Ident(("history",), self.name.split(".")[-1]))

    @property
    def metadata(self) -> dict[str, Any]:
        return self.loaded().metadata


@pytest.fixture
def table(shared_lake: Lake) -> Iterator[Table]:
    """``history.tN (id INT, v STRING)`` with the rows 1, 2, 3, each of its own snapshot."""
    name = f"history.t{next(_NUMBERS)}"
    shared_lake.all(
        "CREATE SCHEMA IF NOT EXISTS history", f"CREATE TABLE {name} (id INT, v STRING)"
    )
    made = Table(shared_lake, name)
    made.grow(1, 2, 3)
    yield made
    shared_lake.run(f"DROP TABLE IF EXISTS {name} PURGE")
