"""What a real Trino answered, asked again: the same, or refused by name, never otherwise."""

from __future__ import annotations

import collections
from operator import itemgetter
from typing import Any

import pytest

from tests.rotation import Rotation
from tests.trino.corpus import FOLDER, Verdict, cases, judge
from tests.trino.reviewed import NOT_RUN, REVIEWED
from tests.trino.serving import Served

pytestmark = [
    pytest.mark.spark,
    pytest.mark.slow,
    pytest.mark.timeout(1200),
    pytest.mark.skipif(not FOLDER.is_dir(), reason="the recorded answers are not here"),
]
PARTS = 5  # a run tries one of them
# Of each corpus: how much of it is answered as Trino does. Nothing may be answered otherwise.
SHARES = {"functions": 0.90, "queries": 0.90, "errors": 0.85}


def _judged(
    served: Served, rotation: Rotation, recorded: list[dict[str, Any]], engine: str = "auto"
) -> dict[Verdict, list[str]]:
    """Of the part of the recorded cases that is tried now."""
    chosen = rotation.share(recorded, PARTS, itemgetter("id"))
    found: dict[Verdict, list[str]] = collections.defaultdict(list)
    asked = [case for case in chosen if case["id"] not in NOT_RUN]
    answers = served.answers([case["sql"] for case in asked], engine)
    for case, answer in zip(asked, answers, strict=True):
        verdict, why = judge(case, answer)
        if case["id"] in REVIEWED:
            assert verdict is Verdict.DIFFERENT, f"{case['id']} is not different any more"
            verdict = Verdict.REFUSED
        rotation.note(case["id"], verdict is not Verdict.DIFFERENT)
        found[verdict].append(f"{case['id']}: {case['sql']}\n    {why}")
    return found


@pytest.mark.parametrize("name", SHARES)
def test_every_recorded_answer(served: Served, name: str, rotation: Rotation) -> None:
    found = _judged(served, rotation, cases(name))
    assert found[Verdict.DIFFERENT] == []
    total = sum(map(len, found.values()))
    assert len(found[Verdict.SAME]) / total >= SHARES[name]


@pytest.mark.parametrize("name", SHARES)
def test_a_sample_on_spark_alone(served: Served, name: str, rotation: Rotation) -> None:
    """Both engines answer alike; ``python -m tests.trino NAME --engine spark`` asks all."""
    found = _judged(served, rotation, cases(name)[::8], "spark")
    assert found[Verdict.DIFFERENT] == []
