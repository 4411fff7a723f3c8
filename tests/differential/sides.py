"""The two engines over one lakehouse, as front ends reach them: through the gateway."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.table import Table
from pyiceberg.transforms import parse_transform

from sqe.catalog.rest.routes import catalog_app
from sqe.errors import ErrorCode, SqeError
from sqe.http.serving import HttpThread
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.query import ClientState, QueryRequest
from sqe.server.build import Server, build
from sqe.sessions.session import Session
from sqe.settings import Settings
from sqe.settings.catalogs import EmbeddedCatalogSettings
from sqe.settings.settings import LogSettings
from tests.differential.data import BASIC, SCHEMA
from tests.differential.evolved import STEPS, Refer, Respec, Step
from tests.differential.outcome import Answer, Failure, Outcome, Refusal, Side
from tests.small_spark import small_spark

CATALOG = "lake"
SPARK, LOCAL, AUTO = "spark", "local", "auto"
# One task per stage: the data is small, and what costs time is starting tasks.
SESSION_CONF = {"spark.sql.shuffle.partitions": "1"}
# Nothing is compiled for a dozen rows: a third of the time. Only for the many generated cases;
# every entry of the proven list is also asked of a Spark as it comes.
QUICK_CONF = {
    **SESSION_CONF,
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
USER = Identity("differ")


@dataclass(frozen=True)
class GatewaySide:
    """A session whose queries all go to one engine, or are refused with the reason. The local
    engine is asked twice, and its second answer counts: that of an instance that was used."""

    server: Server
    session: Session
    client: ClientState | None = None  # of one who writes Trino's SQL

    def ask(self, sql: str) -> Outcome:
        if self.session.property("sqe.engine") == LOCAL:
            self._ask(sql)
        return self._ask(sql)

    def _ask(self, sql: str) -> Outcome:
        gateway = self.server.gateway
        try:
            request = QueryRequest(self.session.id, sql, source="differential", client=self.client)
            query_id = gateway.submit(request)
            with gateway.fetch(query_id) as result:
                return Answer(result.read_all())
        except SqeError as error:
            if error.code is ErrorCode.NOT_SUPPORTED:
                return Refusal(error.message)
            return Failure(error.code.name, error.message)

    def takes(self, sql: str) -> bool:
        """Whether the engine would run it; found out without running it."""
        try:
            self.server.gateway.describe(QueryRequest(self.session.id, sql))
        except SqeError as error:
            return error.code is not ErrorCode.NOT_SUPPORTED
        return True

    def must(self, sql: str) -> None:
        outcome = self.ask(sql)
        if not isinstance(outcome, Answer):
            raise AssertionError(f"{sql}\n{outcome}")


@dataclass(frozen=True)
class Lakehouse:
    server: Server

    def side(self, engine: str, time_zone: str = "UTC", schema: str = SCHEMA) -> GatewaySide:
        name = SchemaName(CATALOG, (schema,))
        session = self.server.gateway.open_session(USER, name)
        session.set_property("sqe.engine", engine)
        session.set_property("sqe.time_zone", time_zone)
        return GatewaySide(self.server, session)

    def trino_side(self, engine: str, catalog: str, schema: str) -> GatewaySide:
        side = self.side(engine, schema=schema)
        return replace(side, client=ClientState(catalog, schema))

    def load(self) -> None:
        """Once per home: a second call does nothing."""
        side = self.side(SPARK)
        if isinstance(side.ask("SELECT 1 FROM evo_branch LIMIT 1"), Answer):
            return
        side.ask(f"CREATE SCHEMA {CATALOG}.{SCHEMA}")
        for step in _steps():
            if isinstance(step, str):
                side.must(step)
            else:
                self._change(step)
        side.session.close()

    def _change(self, step: Respec | Refer) -> None:
        """By PyIceberg, over the catalog's own REST interface."""
        catalog = self.server.catalogs.open(CATALOG, USER)
        http = HttpThread(catalog_app(lambda _: catalog))
        http.start()
        try:
            table = RestCatalog(CATALOG, uri=http.url).load_table(f"{SCHEMA}.{step.table}")
            if isinstance(step, Respec):
                _respec(table, step)
            else:
                _refer(table, step)
        finally:
            http.stop()

    def close(self) -> None:
        self.server.close()


def _respec(table: Table, change: Respec) -> None:
    with table.update_spec() as update:
        for name in change.remove:
            update.remove_field(name)
        for column, transform in change.add:
            update.add_field(column, parse_transform(transform))


def _refer(table: Table, change: Refer) -> None:
    snapshot = table.current_snapshot()
    assert snapshot is not None
    with table.manage_snapshots() as manage:
        manage.create_tag(snapshot.snapshot_id, change.tag)
        manage.create_branch(snapshot.snapshot_id, change.branch)


def _steps() -> Iterable[Step]:
    for table in BASIC:
        yield from table.statements()
    yield from STEPS


def open_lakehouse(
    home: Path, jars: Path | None = None, memory: str = "1g", *, quick: bool = False
) -> Lakehouse:
    """``quick``: with a Spark that is set up for many small queries."""
    return Lakehouse(
        build(
            Settings(
                home=home,
                catalogs={CATALOG: EmbeddedCatalogSettings(), "tpch": EmbeddedCatalogSettings()},
                spark=small_spark(
                    jars,
                    driver_memory=memory,
                    session_conf=QUICK_CONF if quick else SESSION_CONF,
                ),
                log=LogSettings(audit=False),
            )
        )
    )


def pair(lakehouse: Lakehouse, time_zone: str = "UTC", schema: str = SCHEMA) -> tuple[Side, Side]:
    """Spark, whose answer counts, and the local engine."""
    return lakehouse.side(SPARK, time_zone, schema), lakehouse.side(LOCAL, time_zone, schema)
