"""Spark's own SQL tests on the local engine: Spark's answer, or a refusal. Nothing else.

What it takes when it is forced to, it takes in `auto` too, so this is the corpus in `auto` without
the queries that go to Spark anyway; those are `test_fidelity.py`'s.
"""

from __future__ import annotations

import pytest

from tests.fidelity.corpus import CorpusFile
from tests.fidelity.gateway_target import GatewayTarget, LocalTarget
from tests.fidelity.outcome import Outcome, Result
from tests.fidelity.report import describe
from tests.fidelity.runner import counts, run_file
from tests.fidelity.ties import only_ties_differ

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def results() -> list[Result]:
    """Of all files so far, for the test at the end of this module."""
    return []


@pytest.mark.rotating(parts=12)
def test_what_runs_locally_has_sparks_answer(
    corpus_file: CorpusFile, target: GatewayTarget, results: list[Result]
) -> None:
    mine = [result for result in run_file(LocalTarget(target), corpus_file) if counts(result)]
    results += mine
    wrong = [describe(result) for result in mine if is_wrong(result)]
    assert not wrong, "\n".join(wrong)


def is_wrong(result: Result) -> bool:
    if result.outcome is Outcome.DIFFERENT:
        _, *rows = result.detail.split("\n")
        return not only_ties_differ(result.case, rows)
    return result.outcome is Outcome.FAILED


def test_an_engine_that_refuses_everything_would_be_noticed(results: list[Result]) -> None:
    if not results:
        pytest.skip("no file was run")
    answered = [result for result in results if result.outcome is Outcome.IDENTICAL]
    assert any(not result.case.fails for result in answered)
