"""Tables written by PyIceberg, and the local engine over them with hand-written plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table

from sqe.binding.bound import BoundTable
from sqe.catalog.protocol import Catalogs, Ident, Loaded
from sqe.catalog.schemas import columns_of, current_schema, spark_type
from sqe.engines.local.engine import DuckDbEngine
from sqe.engines.local.options import LocalOptions
from sqe.engines.local.plan import Comparison, LocalPlan, Scan, ScanColumn
from sqe.engines.local.query import LocalQuery
from sqe.engines.local.scan import PlannedScan, ScanPlanner
from sqe.engines.protocol import Run
from sqe.model.identity import Identity
from sqe.model.names import RelationName, SchemaName
from sqe.model.query import Column
from sqe.results.cancellation import Cancellation
from sqe.results.stream import ResultStream
from sqe.rewrite.guarded import GuardedStatement
from sqe.sessions.session import Session

ANN = Identity("ann")


def loaded_of(table: Table) -> Loaded:
    location = table.metadata_location
    return Loaded(Path(location.removeprefix("file://")).read_bytes(), location)


def bound(loaded: Loaded, name: str = "t", suffix: tuple[str, ...] = ()) -> BoundTable:
    relation = RelationName(SchemaName("lake", ("db",)), name)
    return BoundTable(relation, Ident(("db",), name), loaded, columns_of(loaded.metadata), suffix)


def scan_of(
    loaded: Loaded,
    *names: str,
    snapshot_id: int | None = None,
    pruning: Sequence[Comparison] = (),
    relation: str = "scan_1",
) -> Scan:
    """All columns of today's schema, or those named."""
    fields = current_schema(loaded.metadata)["fields"]
    columns = tuple(
        ScanColumn(part["name"], part["name"], spark_type(part["type"]))
        for part in fields
        if not names or part["name"] in names
    )
    return Scan(relation, bound(loaded), columns, snapshot_id, tuple(pruning))


def new_session(identity: Identity = ANN) -> Session:
    return Session(identity, SchemaName("lake", ("db",)), lambda _: None)


_SESSION = new_session()


def new_run(cancellation: Cancellation | None = None, session: Session | None = None) -> Run:
    """All without a session of their own are in one, where queries meet each other's instances."""
    return Run("q1", session or _SESSION, cancellation or Cancellation())


@dataclass
class World:
    """``query`` runs DuckDB SQL over scans, as the compiler's output would."""

    catalog: SqlCatalog
    engine: DuckDbEngine
    planner: ScanPlanner
    options: LocalOptions
    plans: dict[int, LocalPlan] = field(default_factory=dict)

    def create(self, name: str, data: pa.Table, **properties: Any) -> Table:
        table = self.catalog.create_table(f"db.{name}", data.schema, properties=properties)
        table.append(data)
        return table

    def planned(self, scan: Scan) -> PlannedScan:
        return self.planner.plan_scan(scan, ANN)

    def statement(self, sql: str, schema: pa.Schema, scans: Sequence[Scan]) -> GuardedStatement:
        columns = tuple(Column(part.name, str(part.type)) for part in schema)
        statement = cast(GuardedStatement, _Statement())
        self.plans[id(statement)] = LocalPlan(sql, scans, columns, schema)
        return statement

    def query(self, sql: str, schema: pa.Schema, *scans: Scan, run: Run | None = None) -> pa.Table:
        statement = self.statement(sql, schema, scans)
        with self.run(statement, run or new_run()) as result:
            return result.read_all()

    def prepare(self, statement: GuardedStatement) -> LocalQuery:
        return self.engine.prepare(statement, new_run().session)

    def run(self, statement: GuardedStatement, run: Run) -> ResultStream:
        return self.engine.prepare(statement, run.session).run(run)

    def rows(self, scan: Scan, schema: pa.Schema) -> list[tuple[Any, ...]]:
        table = self.query(f"SELECT * FROM {scan.relation}", schema, scan)
        rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
        return sorted(rows, key=repr)


class _Statement:
    """Stands for a guarded statement: these tests' compiler looks its plan up."""

    decided = None


def make_world(home: Path, /, catalogs: Catalogs | None = None, **options: Any) -> World:
    catalog = SqlCatalog(
        "lake", uri=f"sqlite:///{home / 'c.db'}", warehouse=f"file://{home / 'warehouse'}"
    )
    catalog.create_namespace("db")
    chosen = LocalOptions(**{"folder": home / "spill", "pool": 1, **options})
    plans: dict[int, LocalPlan] = {}
    engine = DuckDbEngine(
        lambda statement, session: plans[id(statement)], chosen, catalogs=catalogs
    )
    return World(catalog, engine, ScanPlanner(chosen, catalogs), chosen, plans)


def pyiceberg_rows(table: Table, **scan: Any) -> list[tuple[Any, ...]]:
    data = table.scan(**scan).to_arrow()
    return sorted(zip(*(column.to_pylist() for column in data.columns), strict=True), key=repr)
