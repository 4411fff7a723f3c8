"""A write that lost against another is run again where that is safe, and not for ever."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sqe.engines.protocol import Run
from sqe.engines.rerun import Reruns
from sqe.errors import ErrorCode, SqeError, error_of
from sqe.model.identity import Identity
from sqe.model.names import SchemaName
from sqe.sessions.store import SessionStore
from sqe.sql.parse import parse
from sqe.sql.statement import Statement
from sqe.sql.text import TextLimits

UPDATE = "UPDATE t SET a = 1"


@pytest.fixture
def run() -> Run:
    store = SessionStore(SchemaName("lake", ("default",)))
    return Run("q", store.open(Identity("ann")))


def statement(text: str) -> Statement:
    return parse(text, TextLimits())


def failing(*codes: ErrorCode | None) -> tuple[list[int], Callable[[], str]]:
    """A call that fails with each code in turn, None being success; and how often it was made."""
    calls: list[int] = []

    def call() -> str:
        code = codes[min(len(calls), len(codes) - 1)]
        calls.append(1)
        if code is not None:
            raise error_of(code, code.name)
        return "done"

    return calls, call


@pytest.mark.parametrize("text", [UPDATE, "DELETE FROM t", "INSERT OVERWRITE t SELECT * FROM t"])
def test_a_conflict_is_run_again(run: Run, text: str) -> None:
    calls, call = failing(ErrorCode.COMMIT_CONFLICT, ErrorCode.COMMIT_CONFLICT, None)
    assert Reruns().of(statement(text), run, call, call) == "done"
    assert len(calls) == 3


def test_who_always_loses_is_told_in_the_end(run: Run) -> None:
    calls, call = failing(ErrorCode.COMMIT_CONFLICT)
    with pytest.raises(SqeError) as raised:
        Reruns(pause_s=0.001).of(statement(UPDATE), run, call, call)
    assert raised.value.code is ErrorCode.COMMIT_CONFLICT
    assert len(calls) == 7


@pytest.mark.parametrize(
    "code", [ErrorCode.COMMIT_UNKNOWN, ErrorCode.ENGINE_LOST, ErrorCode.DIVISION_BY_ZERO]
)
def test_what_may_have_happened_or_will_happen_again_is_not_run_again(
    run: Run, code: ErrorCode
) -> None:
    calls, call = failing(code)
    with pytest.raises(SqeError):
        Reruns().of(statement(UPDATE), run, call, call)
    assert len(calls) == 1


def test_a_read_is_not_run_again(run: Run) -> None:
    calls, call = failing(ErrorCode.COMMIT_CONFLICT)
    with pytest.raises(SqeError):
        Reruns().of(statement("SELECT 1"), run, call, call)
    assert len(calls) == 1


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE t AS SELECT 1 AS a",
        "COPY INTO t FROM 'f' FILEFORMAT = CSV"
        " COPY_OPTIONS ('create' = 'true', 'overwrite' = 'true')",
    ],
)
def test_a_creation_whose_name_moved_is_tried_once_more(run: Run, text: str) -> None:
    calls, call = failing(ErrorCode.TABLE_ALREADY_EXISTS)
    with pytest.raises(SqeError):
        Reruns().of(statement(text), run, call, call)
    assert len(calls) == 2


def test_a_cancel_ends_the_waiting(run: Run) -> None:
    calls, call = failing(ErrorCode.COMMIT_CONFLICT)

    def cancelled() -> str:
        run.cancellation.cancel()
        return call()

    with pytest.raises(SqeError) as raised:
        Reruns().of(statement(UPDATE), run, cancelled, call)
    assert raised.value.code is ErrorCode.CANCELLED
    assert len(calls) == 1
