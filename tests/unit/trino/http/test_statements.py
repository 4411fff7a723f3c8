"""Statements and their pages over HTTP, as a client without any help sees them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.errors import ErrorCode, TextPosition, UserError
from sqe.model.query import ClientChanges
from sqe.trino.http.options import TrinoOptions
from tests.unit.trino.http.serving import (
    Answer,
    Hanging,
    Mistake,
    Serving,
    change,
    failing,
    follow,
    rows,
    serving,
    update,
)

WRONG = UserError(
    ErrorCode.TABLE_NOT_FOUND,
    "Table 'x' does not exist",
    position=TextPosition(1, 15),
    subcode="TABLE_NOT_FOUND",
)
FINE = UserError(ErrorCode.USER_ERROR, "no", subcode="EXPRESSION_NOT_AGGREGATE")
USED = ClientChanges(catalog="lake", schema="shop")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Serving]:
    answers: dict[str, Answer] = {
        "two": rows((1, "a"), (2, 'b"')),
        "none": rows(),
        "many": rows(*[(number, "x" * 100) for number in range(1000)], batches=10),
        "insert": update("INSERT", 3),
        "use": change("USE", USED),
        "wrong": Mistake(WRONG),
        "fine": failing(FINE),
        "defect": failing(ZeroDivisionError("secret")),
        "slow": Hanging(),
    }
    options = TrinoOptions(page_bytes=8 * 1024)
    with serving(tmp_path, answers, options) as found:
        yield found


def test_a_query_goes_from_queued_to_executing_to_its_rows(served: Serving) -> None:
    with served.client() as client:
        found = follow(client, "two")
    first, second, third = found.pages[0], found.pages[1], found.last
    assert first["stats"]["state"] in ("QUEUED", "PLANNING", "RUNNING")
    assert re.search(r"/v1/statement/queued/\d{8}_\d{6}_\d{5}_\w{5}/y\w{40}/1$", first["nextUri"])
    assert "/v1/statement/executing/" in second["nextUri"]
    assert third["data"] == [[1, "a"], [2, 'b"']]
    assert [column["name"] for column in third["columns"]] == ["n", "t"]
    assert third["columns"][0]["typeSignature"]["rawType"] == "bigint"
    assert third["stats"]["state"] == "FINISHED"
    assert first["id"] == third["id"] and third["infoUri"].endswith("?" + third["id"])


def test_every_page_has_all_statistics(served: Serving) -> None:
    with served.client() as client:
        stats = follow(client, "two").last["stats"]
    expected = {
        *("state", "queued", "scheduled", "progressPercentage", "runningPercentage", "nodes"),
        *("totalSplits", "queuedSplits", "runningSplits", "completedSplits"),
        *("planningTimeMillis", "analysisTimeMillis", "cpuTimeMillis", "wallTimeMillis"),
        *("queuedTimeMillis", "elapsedTimeMillis", "finishingTimeMillis"),
        *("physicalInputTimeMillis", "processedRows", "processedBytes", "physicalInputBytes"),
        *("physicalWrittenBytes", "internalNetworkInputBytes", "peakMemoryBytes", "spilledBytes"),
    }
    assert set(stats) == expected
    assert stats["progressPercentage"] == 100 and stats["processedRows"] == 2


def test_a_result_without_rows_has_its_columns(served: Serving) -> None:
    with served.client() as client:
        found = follow(client, "none")
    assert found.rows == [] and len(found.last["columns"]) == 2 and "data" not in found.last


def test_a_large_result_comes_in_pages_in_order(served: Serving) -> None:
    with served.client() as client:
        found = follow(client, "many")
    assert [row[0] for row in found.rows] == list(range(1000)) * 10
    with_rows = [page for page in found.pages if "data" in page]
    assert len(with_rows) > 10
    assert all(len(page["data"]) < 1000 for page in with_rows)
    assert all("partialCancelUri" in page for page in with_rows if "nextUri" in page)


def test_a_write_answers_how_many_rows_it_has_changed(served: Serving) -> None:
    with served.client() as client:
        found = follow(client, "insert")
    assert (found.last["updateType"], found.last["updateCount"]) == ("INSERT", 3)
    assert found.rows == [[3]] and found.last["columns"][0]["name"] == "rows"


def test_what_the_client_shall_keep_is_in_headers(served: Serving) -> None:
    with served.client() as client:
        found = follow(client, "use")
    assert found.last["updateType"] == "USE" and found.last["columns"] == []
    assert found.headers["x-trino-set-catalog"] == "lake"
    assert found.headers["x-trino-set-schema"] == "shop"


def test_an_error_is_an_answer_with_its_place(served: Serving) -> None:
    with served.client() as client:
        error = follow(client, "wrong").error
        assert (error["errorName"], error["errorCode"]) == ("TABLE_NOT_FOUND", 46)
        assert error["errorType"] == "USER_ERROR"
        assert error["errorLocation"] == {"lineNumber": 1, "columnNumber": 15}
        assert error["message"] == "line 1:15: Table 'x' does not exist"
        assert error["failureInfo"]["errorInfo"]["code"] == 46
        assert follow(client, "fine").error["errorName"] == "EXPRESSION_NOT_AGGREGATE"


def test_a_defect_says_nothing_of_itself(served: Serving) -> None:
    with served.client() as client:
        found = follow(client, "defect")
    assert found.error["errorName"] == "GENERIC_INTERNAL_ERROR"
    assert "secret" not in found.error["message"]
    assert found.last["stats"]["state"] == "FAILED"


def test_a_slow_query_answers_while_it_waits(served: Serving) -> None:
    slow = served.script.answers["slow"]
    assert isinstance(slow, Hanging)
    with served.client() as client:
        page = client.post("/v1/statement", content=b"slow").json()
        for _ in range(3):
            page = client.get(page["nextUri"]).json()
            assert "columns" not in page and page["stats"]["state"] == "RUNNING"
        slow.go.set()
        while "nextUri" in page:
            page = client.get(page["nextUri"]).json()
        assert page["data"] == [[1, "late"]]


def test_a_request_reaches_the_gateway_with_all_of_its_headers(served: Serving) -> None:
    headers = {
        "X-Trino-Catalog": "lake",
        "X-Trino-Schema": "shop",
        "X-Trino-Time-Zone": "Europe/Vienna",
        "X-Trino-Source": "pytest",
        "X-Trino-Session": "query_max_run_time=10m,sqe.engine=LOCAL",
        "X-Trino-Prepared-Statement": "p1=SELECT+%3F",
        "X-Trino-Client-Capabilities": "PATH,PARAMETRIC_DATETIME",
        "X-Trino-Transaction-Id": "NONE",
        "X-Trino-Extra-Credential": "k=never-kept",
    }
    with served.client() as client:
        follow(client, "two", headers)
    request = served.script.requests[-1]
    state = request.client
    assert state is not None and request.source == "pytest" and request.transaction == ""
    assert (state.catalog, state.schema, state.time_zone) == ("lake", "shop", "Europe/Vienna")
    assert state.properties == {"query_max_run_time": "10m", "sqe.engine": "LOCAL"}
    assert state.prepared == {"p1": "SELECT ?"}
    assert state.capabilities == {"PATH", "PARAMETRIC_DATETIME"}
    assert "never-kept" not in repr(request)


def test_a_bad_session_property_is_an_error_of_the_statement(served: Serving) -> None:
    with served.client() as client:
        found = follow(client, "two", {"X-Trino-Session": "sqe.engine=abacus"})
    assert found.error["errorName"] == "INVALID_SESSION_PROPERTY"
    assert re.fullmatch(r"\d{8}_\d{6}_\d{5}_\w{5}", found.last["id"])
