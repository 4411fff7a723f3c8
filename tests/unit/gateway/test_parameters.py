"""Parameters on their way through the pipe."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pyarrow as pa
import pytest

from sqe.binding.binder import Binder
from sqe.catalog.configured import ConfiguredCatalogs
from sqe.catalog.embedded import EmbeddedCatalog
from sqe.engines.direct import DirectStatement
from sqe.engines.protocol import Explanation, Run
from sqe.engines.rerun import Reruns
from sqe.engines.router import Router
from sqe.errors import ErrorCode, SqeError, UserError
from sqe.gateway.pipeline import Pipeline
from sqe.gateway.runner import Planned
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.model.query import Column, EngineKind, Parameter, QueryRequest
from sqe.policy.policy import Policy
from sqe.policy.source import AllowAll
from sqe.results.description import Description
from sqe.results.stream import ResultStream
from sqe.rewrite.guarded import GuardedStatement
from sqe.routing.facts import RoutingLimits
from sqe.sessions.session import Session
from sqe.sessions.store import SessionStore
from sqe.sql.text import TextLimits
from tests.unit.catalog.tables import SCHEMA
from tests.unit.gateway.pipelines import spark_pipeline


class Losing:
    """Loses its first commit to someone else, and remembers what it was given."""

    def __init__(self) -> None:
        self.given: list[tuple[Parameter, ...]] = []

    def prepare(self, statement: GuardedStatement, session: Session) -> DirectStatement:
        return DirectStatement(self, statement)

    def run(self, statement: GuardedStatement, run: Run) -> ResultStream:
        self.given.append(statement.parameters)
        if len(self.given) == 1:
            raise UserError(ErrorCode.COMMIT_CONFLICT, "Someone else was first.")
        return ResultStream((), pa.schema([]), ())

    def describe(self, statement: GuardedStatement, run: Run) -> Description:
        self.given.append(statement.parameters)
        reads = "SELECT" in statement.bound.statement.text
        columns = (Column("x", "int"),) if reads else ()
        return Description(columns, pa.schema([(column.name, pa.int32()) for column in columns]))

    def explain(self, statement: GuardedStatement, run: Run, mode: str = "") -> Explanation:
        return Explanation("", "")

    def analyze(self, statement: GuardedStatement, run: Run) -> Explanation:
        return Explanation("", "")

    def close(self) -> None:
        return None


@pytest.fixture
def engine() -> Losing:
    return Losing()


@pytest.fixture
def pipeline(tmp_path: Path, engine: Losing) -> Iterator[Pipeline]:
    catalog = EmbeddedCatalog(tmp_path / "c.db", tmp_path / "w")
    catalog.create_namespace(("s",), {})
    catalog.create_table(("s",), {"name": "t", "schema": SCHEMA})
    limits = TextLimits()
    binder = Binder(ConfiguredCatalogs({"lake": catalog}), limits)
    router = Router(None, RoutingLimits())
    engines = dict.fromkeys(EngineKind, engine)
    yield spark_pipeline(binder, Policy([AllowAll()]), engines, router, Reruns(pause_s=0.001))
    catalog.close()


@pytest.fixture
def session() -> Session:
    return SessionStore(SchemaName("lake", ("s",))).open(Identity("ann"))


def plan(
    pipeline: Pipeline,
    session: Session,
    sql: str,
    values: tuple[Parameter, ...] | None = None,
    describes: bool = False,
) -> Planned:
    request = QueryRequest(session.id, sql, parameters=values)
    return pipeline.plan(request, session, lambda stage: nullcontext(), describes=describes)


def test_a_write_that_is_run_again_keeps_its_values(
    pipeline: Pipeline, session: Session, engine: Losing
) -> None:
    values = (Parameter("bigint", 7),)
    planned = plan(pipeline, session, "DELETE FROM t WHERE id = ?", values)
    pipeline.run(planned, Run("q1", session))
    assert engine.given == [values, values]


def test_a_description_binds_nulls_of_the_types_that_fit(
    pipeline: Pipeline, session: Session, engine: Losing
) -> None:
    planned = plan(pipeline, session, "SELECT id FROM t WHERE id = ?", describes=True)
    described = pipeline.describe(planned, Run("q1", session))
    assert engine.given == [(Parameter(described.parameters[0], None),)]
    assert not described.changes


@pytest.mark.parametrize(
    ("sql", "changes"),
    [
        ("SELECT 1", False),
        ("INSERT INTO t SELECT * FROM t", False),  # this engine says that it has columns
        ("DELETE FROM t", True),
        ("DROP TABLE t", True),
        ("USE s", True),
        ("SET SESSION sqe.engine = 'auto'", True),
    ],
)
def test_what_has_no_columns_and_is_no_query_changes_something(
    pipeline: Pipeline, session: Session, sql: str, changes: bool
) -> None:
    planned = plan(pipeline, session, sql, describes=True)
    assert pipeline.describe(planned, Run("q1", session)).changes is changes


def test_without_values_a_statement_is_only_described(pipeline: Pipeline, session: Session) -> None:
    for values, describes in ((None, False), ((), False), ((), True)):
        with pytest.raises(SqeError) as raised:
            plan(pipeline, session, "SELECT ?", values, describes)
        assert raised.value.code is ErrorCode.INVALID_ARGUMENT
