"""Every error of SQE has a name, a number and a kind of Trino's."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sqe.errors import ErrorCategory, ErrorCode, ResourceError, error_of
from sqe.trino.http.error_codes import ERRORS
from sqe.trino.http.errors import NAMES, busy, error_json, trino_error

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


@pytest.mark.parametrize(
    ("code", "text", "told"),
    [
        (
            ErrorCode.DIVISION_BY_ZERO,
            "Division by zero. Use `try_divide` to tolerate divisor being 0 and return NULL "
            'instead. If necessary set "spark.sql.ansi.enabled" to "false".',
            "Division by zero",
        ),
        (
            ErrorCode.USER_ERROR,
            "Window function lag(x#402, -1, null) requires window to be ordered.",
            "The engine cannot answer this statement in the form that it has",
        ),
        (
            ErrorCode.INVALID_CAST,
            "The value 'a' cannot be cast. Use `try_cast` to tolerate it.",
            "The value 'a' cannot be cast.",
        ),
        (ErrorCode.USER_ERROR, "Column r1 is not there", "Column r1 is not there"),
        (
            ErrorCode.INVALID_CAST,
            'The value \'x\' of the type "STRING" cannot be cast to "INT" because it is malformed.'
            " Correct the value as per the syntax, or change its target type.",
            "Cannot cast 'x' to INT",
        ),
        (
            ErrorCode.NUMERIC_OUT_OF_RANGE,
            'The value 3000000L of the type "BIGINT" cannot be cast to "INT" due to an overflow.',
            "Out of range for integer: 3000000",
        ),
        (ErrorCode.NUMERIC_OUT_OF_RANGE, "long overflow.", "bigint overflow"),
        (ErrorCode.NUMERIC_OUT_OF_RANGE, "100S + 100S caused overflow.", "overflow: 100 + 100"),
        (
            ErrorCode.ENGINE_ERROR,
            "Please, report this bug to the corresponding communities or vendors, and provide the"
            " full stack trace.",
            "The engine cannot answer this statement in the form that it has",
        ),
    ],
)
def test_the_engines_own_words_stay_inside(code: ErrorCode, text: str, told: str) -> None:
    assert error_json(error_of(code, text))["message"] == told


def test_a_column_that_only_the_engine_misses_is_a_limit() -> None:
    text = "A column `r1`.`_col0` cannot be resolved. Did you mean one of the following? [`i`]."
    shown = error_json(error_of(ErrorCode.COLUMN_NOT_FOUND, text))
    assert shown["errorName"] == "NOT_SUPPORTED"
    assert shown["message"] == "The engine cannot answer this statement in the form that it has"


def test_who_is_refused_is_told_when_to_come_again() -> None:
    error = ResourceError(ErrorCode.TOO_MANY_QUERIES, "too many")
    assert busy(error).headers == {"Retry-After": "1"}
    error.retry_s = 12.2
    assert busy(error).headers == {"Retry-After": "13"}
