"""Every error of SQE has a name, a number and a kind of Trino's."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sqe.errors import ErrorCategory, ErrorCode, error_of
from sqe.trino.http.error_codes import ERRORS
from sqe.trino.http.errors import NAMES, error_json, trino_error

CORPORA = Path(os.environ.get("SQE_CORPORA") or Path(__file__).parents[5] / "shared/corpora")


@pytest.mark.parametrize("code", ErrorCode)
def test_every_code_is_mapped(code: ErrorCode) -> None:
    shown = error_json(error_of(code, "what"))
    assert shown["message"] == "what" and shown["errorName"] == NAMES[code]
    user = shown["errorType"] == "USER_ERROR"
    assert user or code.category is not ErrorCategory.USER or code is ErrorCode.INVALID_SETTINGS


def test_numbers_are_those_of_trino() -> None:
    known = {
        "GENERIC_USER_ERROR": 0,
        "INVALID_COLUMN_MASK": 85,
        "BRANCH_NOT_FOUND": 134,
        "GENERIC_INTERNAL_ERROR": 65536,
        "SERVER_STARTING_UP": 65548,
        "QUERY_QUEUE_FULL": 131074,
        "EXCEEDED_SCAN_LIMIT": 131081,
        "ICEBERG_COMMIT_ERROR": 84148236,
    }
    assert {name: ERRORS[name].code for name in known} == known
    assert len({error.code for error in ERRORS.values()}) == len(ERRORS)


def test_a_finer_name_goes_before_the_code() -> None:
    error = error_of(ErrorCode.USER_ERROR, "what")
    error.subcode = "NESTED_AGGREGATION"
    assert trino_error(error).code == 67
    error.subcode = "NO_SUCH_NAME"
    assert trino_error(error).name == "GENERIC_USER_ERROR"


@pytest.mark.skipif(not (CORPORA / "trino").is_dir(), reason="the corpora are not here")
def test_every_error_a_real_trino_has_given_is_known() -> None:
    seen = set()
    for path in sorted((CORPORA / "trino").glob("*.jsonl")):
        for line in path.read_text().splitlines():
            case = json.loads(line)
            for step in case.get("steps", [case]):
                error = step.get("error") or {}
                if "name" in error:
                    seen.add((error["name"], error["code"], error["type"]))
                elif error:
                    seen.add((error["errorName"], error["errorCode"], error["errorType"]))
    assert len(seen) > 50
    assert {(ERRORS[name].name, ERRORS[name].code, ERRORS[name].type) for name, *_ in seen} == seen
