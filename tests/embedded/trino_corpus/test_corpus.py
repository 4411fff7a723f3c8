"""What a real Trino answered, asked again: the same, or refused by name, never otherwise."""

from __future__ import annotations

import collections
from typing import Any

import pytest

from tests.trino.asking import Asker
from tests.trino.corpus import FOLDER, Verdict, cases, judge
from tests.trino.reviewed import NOT_RUN, REVIEWED

pytestmark = [
    pytest.mark.spark,
    pytest.mark.slow,
    pytest.mark.timeout(1200),
    pytest.mark.skipif(not FOLDER.is_dir(), reason="the recorded answers are not here"),
]
# Of each corpus: how much of it is answered as Trino does. Nothing may be answered otherwise.
SHARES = {"functions": 0.90, "queries": 0.90, "errors": 0.85}


def _judged(asker: Asker, chosen: list[dict[str, Any]]) -> dict[Verdict, list[str]]:
    found: dict[Verdict, list[str]] = collections.defaultdict(list)
    for case in chosen:
        if case["id"] in NOT_RUN:
            continue
        verdict, why = judge(case, asker.trino(case["sql"]))
        if case["id"] in REVIEWED:
            assert verdict is Verdict.DIFFERENT, f"{case['id']} is not different any more"
            verdict = Verdict.REFUSED
        found[verdict].append(f"{case['id']}: {case['sql']}\n    {why}")
    return found


@pytest.mark.parametrize("name", SHARES)
def test_every_recorded_answer(askers: dict[str, Asker], name: str) -> None:
    found = _judged(askers["auto"], cases(name))
    assert found[Verdict.DIFFERENT] == []
    total = sum(map(len, found.values()))
    assert len(found[Verdict.SAME]) / total >= SHARES[name]


@pytest.mark.parametrize("name", SHARES)
def test_a_sample_on_spark_alone(askers: dict[str, Asker], name: str) -> None:
    """Both engines answer alike; ``python -m tests.trino NAME --engine spark`` asks all."""
    found = _judged(askers["spark"], cases(name)[::8])
    assert found[Verdict.DIFFERENT] == []
