"""The local engine is asked once about a query: what it prepares for the answer is what runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.engines.local.lazy import LazyLocalEngine
from sqe.engines.local.options import LocalOptions
from sqe.engines.metadata import MetadataSource
from sqe.engines.router import Router
from sqe.model.query import EngineKind
from sqe.routing.facts import RoutingLimits
from tests.unit.coordinator.lake import Lake

QUERY = "SELECT count(*) AS n FROM lake.hr.emp"


@pytest.fixture
def engine(lake: Lake, tmp_path: Path) -> Iterator[LazyLocalEngine]:
    options = LocalOptions(folder=tmp_path / "spill", pool=1)
    made = LazyLocalEngine(options, MetadataSource(lake.catalogs).rows, lake.catalogs)
    yield made
    made.close()


def test_the_route_to_the_local_engine_brings_what_runs(
    lake: Lake, engine: LazyLocalEngine
) -> None:
    routed = Router(engine.survey, RoutingLimits()).route(lake.guarded(QUERY), lake.session)
    assert routed.route.engine is EngineKind.LOCAL
    assert routed.prepared is not None
    assert [column.name for column in routed.prepared.describe(lake.new_run()).columns] == ["n"]
    for _ in range(2):  # it is not used up: EXPLAIN describes what it then runs
        with routed.prepared.run(lake.new_run()) as result:
            assert result.read_all().to_pydict() == {"n": [0]}


def test_nothing_is_kept_of_a_query_that_another_engine_gets(
    lake: Lake, engine: LazyLocalEngine
) -> None:
    too_small = RoutingLimits(max_files=-1)
    routed = Router(engine.survey, too_small).route(lake.guarded(QUERY), lake.session)
    assert (routed.route.engine, routed.prepared) == (EngineKind.SPARK, None)


@pytest.mark.parametrize("name", ["sqe.engine", "sqe.wap_branch"])
def test_a_session_that_wants_spark_asks_nobody_else(lake: Lake, name: str) -> None:
    lake.session.set_property(name, "spark")

    def never(*_: object) -> None:
        pytest.fail("asked")

    routed = Router(never, RoutingLimits()).route(lake.guarded(QUERY), lake.session)  # type: ignore[arg-type]
    assert (routed.route.engine, routed.prepared) == (EngineKind.SPARK, None)
