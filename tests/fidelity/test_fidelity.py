"""Spark's own SQL tests through SQE: Spark's answer, or a refusal by name. Nothing else.

`auto` is what users get, and what the page tells. With `spark` and `local`, every query is forced
to that engine; the local one refuses what it does not take.
"""

from __future__ import annotations

import pytest

from tests.fidelity.conftest import REPOSITORY, count_files
from tests.fidelity.corpus import CorpusFile
from tests.fidelity.gateway_target import AUTO, ENGINES, LOCAL, EngineTarget, GatewayTarget
from tests.fidelity.outcome import Outcome, Result
from tests.fidelity.page import page
from tests.fidelity.report import Report, describe
from tests.fidelity.runner import run_file

PAGE = REPOSITORY / "docs" / "reference" / "spark-fidelity.md"
WANTED_SHARE = 0.96

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def results() -> dict[str, list[Result]]:
    """By engine, of all files so far, for the tests at the end of this module."""
    return {engine: [] for engine in ENGINES}


@pytest.mark.rotating(parts=18)
@pytest.mark.parametrize("engine", ENGINES)
def test_no_answer_differs_from_sparks(
    engine: str,
    corpus_file: CorpusFile,
    target: GatewayTarget,
    results: dict[str, list[Result]],
) -> None:
    mine = list(run_file(EngineTarget(target, engine), corpus_file))
    results[engine] += mine
    bad = (Outcome.DIFFERENT, Outcome.FAILED)
    wrong = [describe(result) for result in mine if result.outcome in bad]
    assert not wrong, "\n".join(wrong)


@pytest.mark.all_cases
def test_the_share_of_identical_answers(results: dict[str, list[Result]]) -> None:
    reports = {engine: Report(tuple(of_engine)) for engine, of_engine in results.items()}
    if not reports[AUTO].results:
        pytest.skip("no file was run")
    if all(report.files == count_files() for report in reports.values()):
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(page(reports), "utf-8")
    assert reports[AUTO].share > WANTED_SHARE, reports[AUTO].summary()


def test_an_engine_that_refuses_everything_would_be_noticed(
    results: dict[str, list[Result]],
) -> None:
    if not results[LOCAL]:
        pytest.skip("no file was run")
    assert Report(tuple(results[LOCAL])).count(Outcome.IDENTICAL)
