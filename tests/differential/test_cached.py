"""Spark's kept answers are the answers."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from tests.differential.cached import Answers, CachedSide
from tests.differential.outcome import Answer, Failure, Outcome, Refusal


class Counting:
    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.asked = 0

    def ask(self, sql: str) -> Outcome:
        self.asked += 1
        return self.outcome


@pytest.mark.parametrize(
    "outcome",
    [
        Answer(pa.table({"x": [1, None], "y": ["é", ""]})),
        Failure("INVALID_CAST", "'x' is no number"),
        Refusal("not here"),
    ],
)
def test_an_answer_is_asked_for_once_and_kept(outcome: Outcome, tmp_path: Path) -> None:
    side = Counting(outcome)
    for _ in range(2):
        answers = Answers(tmp_path)
        assert CachedSide(side, answers, "UTC").ask("SELECT 1") == outcome
        answers.close()
    assert side.asked == 1


def test_another_time_zone_is_another_question(tmp_path: Path) -> None:
    side = Counting(Failure("X", ""))
    answers = Answers(tmp_path)
    for zone in ("UTC", "Europe/Berlin"):
        CachedSide(side, answers, zone).ask("SELECT 1")
    answers.close()
    assert side.asked == 2


def test_a_fresh_store_asks_again(tmp_path: Path) -> None:
    side = Counting(Failure("X", ""))
    for _ in range(2):
        answers = Answers(tmp_path, fresh=True)
        CachedSide(side, answers, "UTC").ask("SELECT 1")
        answers.close()
    assert side.asked == 2
