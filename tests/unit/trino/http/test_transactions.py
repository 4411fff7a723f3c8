"""Transactions over HTTP: their id is in headers, both ways."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.engines.protocol import Run
from sqe.errors import ErrorCode, UserError
from sqe.model.query import ClientChanges
from sqe.results.stream import ResultStream
from tests.unit.trino.http.serving import (
    Answer,
    Serving,
    change,
    failing,
    follow,
    rows,
    serving,
)

ID = "X-Trino-Transaction-Id"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Serving]:
    def start(run: Run) -> ResultStream:
        name = found.gateway.begin(run.session.id)
        return change("START TRANSACTION", ClientChanges(started_transaction=name))(run)

    def commit(run: Run) -> ResultStream:
        found.gateway.commit(run.session.id, found.script.requests[-1].transaction)
        return change("COMMIT", ClientChanges(ended_transaction=True))(run)

    answers: dict[str, Answer] = {
        "start": start,
        "commit": commit,
        "COMMIT work": failing(UserError(ErrorCode.COMMIT_CONFLICT, "Somebody was first.")),
        "q": rows((1, "a")),
        "wrong": failing(UserError(ErrorCode.TABLE_NOT_FOUND, "No such table.")),
    }
    with serving(tmp_path, answers) as found:
        yield found


def test_a_transaction_goes_from_start_to_commit(served: Serving) -> None:
    with served.client() as client:
        name = follow(client, "start", {ID: "NONE"}).headers["x-trino-started-transaction-id"]
        assert follow(client, "q", {ID: name}).rows == [[1, "a"]]
        assert served.script.requests[-1].transaction == name
        ended = follow(client, "commit", {ID: name})
        assert ended.headers["x-trino-clear-transaction-id"] == "true"
        assert follow(client, "q", {ID: name}).error["errorName"] == "UNKNOWN_TRANSACTION"


def test_an_unknown_transaction_is_an_error_of_the_statement(served: Serving) -> None:
    with served.client() as client:
        found = follow(client, "q", {ID: "00000000-0000-0000-0000-000000000000"})
    assert found.error["errorName"] == "UNKNOWN_TRANSACTION"
    assert found.error["errorType"] == "USER_ERROR"
    assert served.script.requests == []


def test_a_commit_that_fails_lets_the_client_out(served: Serving) -> None:
    with served.client() as client:
        name = follow(client, "start", {ID: "NONE"}).headers["x-trino-started-transaction-id"]
        failed = follow(client, "COMMIT work", {ID: name})
        assert failed.error["errorName"] == "TRANSACTION_CONFLICT"
        assert failed.headers["x-trino-clear-transaction-id"] == "true"
        gone = follow(client, " rollback", {ID: name})
        assert gone.error["errorName"] == "UNKNOWN_TRANSACTION"
        assert gone.headers["x-trino-clear-transaction-id"] == "true"


def test_any_other_statement_that_fails_does_not(served: Serving) -> None:
    with served.client() as client:
        name = follow(client, "start", {ID: "NONE"}).headers["x-trino-started-transaction-id"]
        failed = follow(client, "wrong", {ID: name})
        assert failed.error["errorName"] == "TABLE_NOT_FOUND"
        assert "x-trino-clear-transaction-id" not in failed.headers
        assert follow(client, "q", {ID: name}).rows == [[1, "a"]]
