"""Queries made by rule are answered as a real Trino has answered them."""

from __future__ import annotations

from operator import itemgetter

import pytest

from tests.rotation import Rotation
from tests.trino.corpus import Verdict, judge
from tests.trino.generated.record import recorded
from tests.trino.generated.tables import statements
from tests.trino.reviewed import GENERATED
from tests.trino.serving import Served

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(3600)]
PARTS = 13  # a run tries one of them
SHARE = 0.95  # of the queries; the others are refused by name, or reviewed


def test_every_generated_query(served: Served, rotation: Rotation) -> None:
    for text in statements():
        made = served.answers([text])[0]
        assert not made.error, made.message
    tried = rotation.share(recorded(), PARTS, itemgetter("id"))
    same, wrong = 0, []
    answers = served.answers([case["sql"] for case in tried])
    for case, answer in zip(tried, answers, strict=True):
        verdict, why = judge(case, answer)
        same += verdict is Verdict.SAME
        is_wrong = (verdict is Verdict.DIFFERENT) != (case["id"] in GENERATED)
        rotation.note(case["id"], not is_wrong)
        if is_wrong:
            wrong.append(f"{verdict.value} {case['id']}: {case['sql']}\n    {why}")
    assert not wrong, "\n".join(wrong)
    assert same >= SHARE * len(tried)
