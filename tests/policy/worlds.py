"""A generated lakehouse: tables, people, what each of them may see, and a copy of that for each.

``w0.t1`` is a table under rules; ``w0_ann.t1`` holds what ann may see of it, worked out in Python
and written by PyIceberg. A question is asked twice with the same words: with the one schema as the
session's own, and with the other.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random

import pyarrow as pa
from pyiceberg.catalog.rest import RestCatalog

from sqe.catalog.rest.routes import catalog_app
from sqe.http.serving import HttpThread
from sqe.model.decision import Allow, Decision, TableFacts
from sqe.model.identity import Identity
from sqe.policy.source import AllowAll
from sqe.server.build import Server
from tests.policy.conditions import Asker
from tests.policy.limits import Limits, limits
from tests.policy.rows import TAG, Table, table

CATALOG = "lake"
ROOT = Identity("root")
OWNERS = "owners"  # the table that policies look into: who owns which k
TABLES = ("t1", "t2", "t3")
PEOPLE = (
    Asker("ann", frozenset({"staff"}), frozenset({0, 1})),
    Asker("bob", frozenset(), frozenset({2})),
    Asker("eve", frozenset({"boss"}), frozenset()),
    Asker("pear", frozenset({"staff", "boss"}), frozenset({0, 1, 2, 3})),
)


class Generated(AllowAll):
    """A policy source that says what the worlds say; of everything else it allows all."""

    name = "generated"

    def __init__(self) -> None:
        self._limits: dict[tuple[str, str], Limits] = {}

    def add(self, user: str, table: str, limits: Limits) -> None:
        self._limits[(user, table)] = limits

    def version(self) -> Hashable:
        return len(self._limits)

    def decide(self, identity: Identity, table: TableFacts) -> Decision:
        found = self._limits.get((identity.user, str(table.name)))
        if found is None or found == Limits():
            return Allow("no rule")
        return found.decision()


@dataclass(frozen=True)
class World:
    """``limits`` are by person and table."""

    schema: str
    tables: tuple[Table, ...]
    limits: dict[tuple[str, str], Limits]

    def copy_of(self, who: Asker) -> str:
        return f"{self.schema}_{who.user}"

    def rule(self, rules: Generated) -> None:
        for (user, name), one in self.limits.items():
            rules.add(user, f"{CATALOG}.{self.schema}.{name}", one)

    def load(self, rest: RestCatalog) -> None:
        """The tables, and each person's copy of them."""
        self.load_tables(rest)
        for who in PEOPLE:
            rest.create_namespace(self.copy_of(who))
            for one in self.tables:
                _write(rest, f"{self.copy_of(who)}.{one.name}", self.seen(one, who))

    def load_tables(self, rest: RestCatalog, *, whole: bool = False) -> None:
        """``whole``: all rows at once, in one file, which are read in one order only."""
        rest.create_namespace(self.schema)
        owned = [{"who": who.user, "k": k} for who in PEOPLE for k in sorted(who.owned)]
        _write(rest, f"{self.schema}.{OWNERS}", [pa.Table.from_pylist(owned)])
        for one in self.tables:
            batches = (one.rows, ()) if whole else one.steps
            steps = [one.columns.arrow(rows) for rows in batches]
            _write(rest, f"{self.schema}.{one.name}", steps)

    def seen(self, one: Table, who: Asker) -> list[pa.Table]:
        limited = self.limits[(who.user, one.name)]
        columns = one.columns.without(limited.hidden)
        return [columns.arrow(limited.seen(rows, one.columns, who)) for rows in one.steps]


def world(seed: int, number: int) -> World:
    rng = Random(f"{seed}/{number}")
    schema = f"w{number}"
    owners = f"{CATALOG}.{schema}.{OWNERS}"
    tables = tuple(table(rng, name) for name in TABLES)
    return World(
        schema,
        tables,
        {
            (who.user, one.name): limits(rng, one.columns, owners)
            for who in PEOPLE
            for one in tables
        },
    )


@contextmanager
def written_to(server: Server) -> Iterator[RestCatalog]:
    """The server's own catalog, for PyIceberg: tables are there without any engine's help."""
    catalog = server.catalogs.open(CATALOG, ROOT)
    http = HttpThread(catalog_app(lambda _: catalog))
    http.start()
    rest = RestCatalog(CATALOG, uri=http.url)
    try:
        yield rest
    finally:
        rest.close()
        http.stop()


def _write(rest: RestCatalog, name: str, steps: Sequence[pa.Table]) -> None:
    """The tag is on the first step: a table that was empty then has a past that is empty."""
    made = rest.create_table(name, steps[0].schema)
    for number, step in enumerate(steps):
        made.append(step)
        if number == 0 and len(steps) > 1:
            snapshot = made.current_snapshot()
            assert snapshot is not None
            made.manage_snapshots().create_tag(snapshot.snapshot_id, TAG).commit()
