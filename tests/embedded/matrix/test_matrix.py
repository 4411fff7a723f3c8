"""Every row of `docs/reference/iceberg-matrix.md`. `pytest --matrix=write` writes the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.embedded.matrix.areas import ROWS
from tests.embedded.matrix.bench import Bench
from tests.embedded.matrix.feature import Feature
from tests.embedded.matrix.page import Cells, page
from tests.embedded.pipe.lake import Lake

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "iceberg-matrix.md"

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Cells]:
    """Of all features so far, for the page."""
    return {}


@pytest.fixture
def bench(feature: Feature, shared_lake: Lake, loadable: Path) -> Iterator[Bench]:
    spark = shared_lake.another_session()
    local = shared_lake.another_session(engine="local")
    schema = f"m{ROWS.index(feature)}"
    spark.run(f"CREATE SCHEMA {schema}")
    for lake in (spark, local):
        lake.run(f"USE {schema}")
    yield Bench(spark, local, schema, feature.version, loadable)
    spark.run(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
    spark.close()
    local.close()


def _parameters() -> list[object]:
    marks = {
        feature.title: [pytest.mark.xfail(reason=feature.upstream, strict=True)]
        for feature in ROWS
        if feature.upstream
    }
    return [
        pytest.param(feature, id=feature.title, marks=marks.get(feature.title, []))
        for feature in ROWS
    ]


@pytest.mark.rotating(parts=10)
@pytest.mark.parametrize("feature", _parameters())
def test_feature(feature: Feature, bench: Bench, outcomes: dict[str, Cells]) -> None:
    try:
        feature.steps(bench)
    except BaseException:
        outcomes[feature.title] = Cells(works=False, local=bench.local_outcome)
        raise
    outcomes[feature.title] = Cells(works=True, local=bench.local_outcome)


def test_each_row_has_its_own_title() -> None:
    assert len({feature.title for feature in ROWS}) == len(ROWS)


@pytest.mark.all_cases
def test_the_page_is_what_the_tests_found(
    outcomes: dict[str, Cells], request: pytest.FixtureRequest
) -> None:
    if len(outcomes) < len(ROWS):
        pytest.skip("not every row was tried")
    text = page(ROWS, outcomes)
    if request.config.getoption("--matrix", default="compare") == "write":
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text
