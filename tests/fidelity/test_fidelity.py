"""Spark's own SQL tests through SQE: Spark's answer, or a refusal by name. Nothing else."""

from __future__ import annotations

import pytest

from tests.fidelity.conftest import REPOSITORY, count_files
from tests.fidelity.corpus import CorpusFile
from tests.fidelity.gateway_target import GatewayTarget
from tests.fidelity.outcome import Outcome, Result
from tests.fidelity.page import page
from tests.fidelity.report import Report, describe
from tests.fidelity.runner import counts, run_file

PAGE = REPOSITORY / "docs" / "reference" / "spark-fidelity.md"
WANTED_SHARE = 0.92

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def results() -> list[Result]:
    """Of all files so far, for the tests at the end of this module."""
    return []


@pytest.mark.rotating(parts=12)
def test_no_answer_differs_from_sparks(
    corpus_file: CorpusFile, target: GatewayTarget, results: list[Result]
) -> None:
    mine = list(run_file(target, corpus_file))
    results += mine
    bad = (Outcome.DIFFERENT, Outcome.FAILED)
    wrong = [describe(result) for result in mine if counts(result) and result.outcome in bad]
    assert not wrong, "\n".join(wrong)


@pytest.mark.all_cases
def test_the_share_of_identical_answers(results: list[Result]) -> None:
    if not results:
        pytest.skip("no file was run")
    report = Report(tuple(results))
    if len({r.case.file for r in results}) == count_files():
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(page(report), "utf-8")
    assert report.share > WANTED_SHARE, report.summary()
