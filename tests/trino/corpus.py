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

from tests.trino.asking import Answer

CATALOGS = {name: {"type": "embedded"} for name in ("lake", "tpch", "iceberg")}
FOLDER = Path(__file__).parents[3] / "shared" / "corpora" / "trino"


class Verdict(Enum):
    SAME = "same"
    REFUSED = "refused"  # NOT_SUPPORTED
    DIFFERENT = "different"


def cases(name: str) -> list[dict[str, Any]]:
    """``functions``, ``queries``, ``errors`` or ``scripts``."""
    lines = (FOLDER / f"trino-{name}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def judge(case: dict[str, Any], answer: Answer) -> tuple[Verdict, str]:
    """How SQE's answer compares with Trino's, and in which way."""
    expected = case.get("error")
    why = _other_error(expected, answer) if expected else _other_rows(case, answer)
    if why and answer.error == "NOT_SUPPORTED":
        return Verdict.REFUSED, why
    return (Verdict.DIFFERENT, why) if why else (Verdict.SAME, "")


def _other_error(expected: dict[str, Any], answer: Answer) -> str:
    """Some recordings have the error's name only."""
    name = _name(expected)
    if not answer.error:
        return f"{answer.data} instead of {name}"
    if answer.error != name:
        return f"{answer.error} ({answer.message}) instead of {name}"
    numbers = answer.code, answer.kind
    theirs = expected.get("errorCode", answer.code), expected.get("errorType", answer.kind)
    if numbers != theirs:
        return f"{numbers} instead of {theirs}"
    place = expected.get("errorLocation")
    if place and answer.location != (place["lineNumber"], place["columnNumber"]):
        return f"{answer.message} at {answer.location} instead of {place}"
    return ""


def _name(expected: dict[str, Any]) -> str:
    return str(expected.get("name") or expected.get("errorName"))


def _other_rows(case: dict[str, Any], answer: Answer) -> str:
    if answer.error:
        return f"{answer.error}: {answer.message}"
    if answer.columns != case["columns"]:
        return f"{answer.columns} instead of {case['columns']}"
    mine, theirs = answer.data, case["data"]
    if not case.get("ordered", True):
        mine, theirs = sorted(mine, key=_key), sorted(theirs, key=_key)
    return "" if _same(mine, theirs) else f"{answer.data} instead of {case['data']}"


def _key(row: list[Any]) -> str:
    """Zeros of both signs are equal, and so are sorted alike."""
    values = [value + 0.0 if isinstance(value, float) else value for value in row]
    return json.dumps(values, sort_keys=True)


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
