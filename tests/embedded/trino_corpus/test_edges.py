"""Edge cases that the recorded corpus does not have, with a real Trino 476's answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.trino.asking import Client
from tests.trino.corpus import Verdict, judge

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(600)]
FOLDER = Path(__file__).parents[2] / "trino" / "edges"


def _cases() -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for file in sorted(FOLDER.glob("*.jsonl"))
        for line in file.read_text().splitlines()
    ]


@pytest.mark.rotating(parts=10)
@pytest.mark.parametrize("case", _cases(), ids=lambda case: str(case["id"]))
def test_an_edge(client: Client, case: dict[str, Any]) -> None:
    verdict, why = judge(case, client.ask(case["sql"]))
    assert verdict is Verdict.SAME, why
