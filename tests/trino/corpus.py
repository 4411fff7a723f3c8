"""The recorded answers of a real Trino, and how an answer of SQE is compared with one.

``python -m tests.trino functions --group string`` prints what is the same, refused and different.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

from sqe.settings.settings import EmbeddedCatalogSettings
from tests.trino.asking import Answer

CATALOGS = {name: EmbeddedCatalogSettings() for name in ("lake", "tpch", "iceberg")}
FOLDER = Path(__file__).parents[3] / "shared" / "corpora" / "trino"


class Verdict(Enum):
    SAME = "same"
    REFUSED = "refused"  # NOT_SUPPORTED, or a function SQE does not have
    DIFFERENT = "different"


def cases(name: str) -> list[dict[str, Any]]:
    """``functions``, ``queries``, ``errors`` or ``scripts``."""
    lines = (FOLDER / f"trino-{name}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def judge(case: dict[str, Any], answer: Answer) -> tuple[Verdict, str]:
    """How SQE's answer compares with Trino's, and in which way."""
    expected = case.get("error")
    if expected:
        name = expected.get("name") or expected.get("errorName")
        if answer.error == name:
            return Verdict.SAME, ""
        if answer.error:
            if _is_refusal(answer):
                return Verdict.REFUSED, answer.message
            return Verdict.DIFFERENT, f"{answer.error} ({answer.message}) instead of {name}"
        return Verdict.DIFFERENT, f"{answer.data} instead of {name}"
    if answer.error:
        if _is_refusal(answer):
            return Verdict.REFUSED, answer.message
        return Verdict.DIFFERENT, f"{answer.error}: {answer.message}"
    if answer.columns != case["columns"]:
        return Verdict.DIFFERENT, f"{answer.columns} instead of {case['columns']}"
    mine, theirs = answer.data, case["data"]
    if not case.get("ordered", True):
        mine, theirs = sorted(mine, key=_key), sorted(theirs, key=_key)
    if not _same(mine, theirs):
        return Verdict.DIFFERENT, f"{answer.data} instead of {case['data']}"
    return Verdict.SAME, ""


def _is_refusal(answer: Answer) -> bool:
    return answer.error == "NOT_SUPPORTED"


def _key(row: list[Any]) -> str:
    return json.dumps(row, sort_keys=True)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, float) or isinstance(other, float):
        if not isinstance(one, int | float) or not isinstance(other, int | float):
            return False
        return one == other or math.isclose(one, other, rel_tol=1e-12)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return bool(one == other)


def chosen(name: str, group: str = "", text: str = "") -> Iterator[dict[str, Any]]:
    for case in cases(name):
        if (not group or case["group"] in group.split(",")) and text in case["id"]:
            yield case
