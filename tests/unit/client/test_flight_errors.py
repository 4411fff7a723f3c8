from __future__ import annotations

import pyarrow as pa
import pyarrow.flight as flight
import pytest
from google.protobuf.any_pb2 import Any
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from sqe.client.flight.errors import error_from, foreign_errors
from sqe.client.flight.status import status_of
from sqe.errors import ErrorCode, InternalError, SqeError, TextPosition
from sqe.model.query import EngineKind, QueryState, RowsAffected


def told(reason: str, **metadata: str) -> bytes:
    detail = Any()
    detail.Pack(ErrorInfo(reason=reason, domain="sqe", metadata=metadata))
    return bytes(Status(code=5, details=[detail]).SerializeToString())


def test_an_error_comes_as_the_server_said_it() -> None:
    details = told("TABLE_NOT_FOUND", message="No.", hint="Try.", line="2", column="15")
    error = error_from(flight.FlightInternalError("wrapped", details), "lake:9")
    assert error.code is ErrorCode.TABLE_NOT_FOUND
    assert (error.message, error.hint, error.position) == ("No.", "Try.", TextPosition(2, 15))


def test_a_code_of_a_newer_server_keeps_its_category() -> None:
    details = told("SPLINE_NOT_RETICULATED", message="No.", category="user")
    assert error_from(flight.FlightServerError("", details), "lake:9").code is ErrorCode.USER_ERROR


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (flight.FlightUnauthenticatedError("no"), ErrorCode.AUTHENTICATION_FAILED),
        (flight.FlightUnauthorizedError("no"), ErrorCode.ACCESS_DENIED),
        (flight.FlightUnavailableError("no"), ErrorCode.SERVER_UNAVAILABLE),
        (flight.FlightTimedOutError("no"), ErrorCode.TIMEOUT),
        (flight.FlightCancelledError("no"), ErrorCode.CANCELLED),
        (flight.FlightServerError("no", b"\xff\xff"), ErrorCode.INTERNAL_ERROR),
        (pa.ArrowNotImplementedError("no"), ErrorCode.NOT_SUPPORTED),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_error_without_details_is_known_by_its_class(error: Exception, code: ErrorCode) -> None:
    with pytest.raises(SqeError) as raised, foreign_errors("lake:9"):
        raise error
    assert raised.value.code is code


def test_an_untrusted_certificate_is_named_as_such() -> None:
    error = error_from(flight.FlightUnavailableError("… CERTIFICATE_VERIFY_FAILED …"), "lake:9")
    assert error.message == "The certificate of lake:9 is not trusted."


def test_a_status_is_read() -> None:
    said = status_of(
        b'{"query_id": "q", "state": "running", "engine": "spark", "progress": {"tasks": 4,'
        b' "tasks_done": 1}, "affected": {"inserted": 3, "updated": null, "deleted": null}}'
    )
    assert (said.status.state, said.status.engine) == (QueryState.RUNNING, EngineKind.SPARK)
    assert said.status.fraction == 0.25
    assert said.affected == RowsAffected(inserted=3)


@pytest.mark.parametrize("answer", [b"", b"[]", b'{"state": "tired"}', b"{}"])
def test_nonsense_is_no_status(answer: bytes) -> None:
    with pytest.raises(InternalError):
        status_of(answer)
